(* All theorems, under one name. *)
From Book Require Export Draws Releases Sampling Votes Walks Blocks Points Ranges Clipped Stability Lists Relabel Relabel2 Exchange Folds Filter Occupied Sanity.
