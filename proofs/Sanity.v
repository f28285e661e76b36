(* For every rule that is proved: a mechanism of its kind exists, so that no theorem speaks of nothing. The examples are the
   simplest there are. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum.
From Book Require Import Theory Rules Meaning.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sanity.
Variables (R : realFieldType) (P L : Type) (A : arith R) (point : P) (tag : L).
Notation mech := (mech R P L).
Definition some (B : forall W O, mech W O -> Prop) := exists W O (M : mech W O), B W O M.
Definition W1 : world := @World 1 (fun _ _ => true) (fun _ => isT) [:: "all records"%string] (fun _ => isT).
Definition Wk part k : world := @World 1 (fun _ _ => true) (fun _ => isT) (part :: nseq k part) (fun _ => isT).
Definition fact1 : privacy R := Privacy (0, 1) 0 "record" "all records" "hypothesis" "replace-one" 1 0.
Definition role part k : privacy R := Privacy (0, 1) 0 "record" part "hypothesis" "replace-one" 1 k.
Definition odds1 : bounded_range R := Bounded_range (0, 1) "record".
Definition range1 : range R := Range (0, 1) "record" "all records" "hypothesis".
Definition idle W : mech W [finType of unit] := fun _ _ => 1.
Definition coin W : mech W [finType of bool] := fun _ b => if b then 1 else 0.
Lemma idle_law W a : law (@idle W a).
Proof. by split=> [o|]; [apply: ler01 | rewrite big_const card_unit /= addr0]. Qed.
Lemma coin_law W a : law (@coin W a).
Proof. by split=> [[]|]; rewrite ?ler01 // big_bool /= addr0. Qed.
Lemma idle_private W : @mean_privacy R P L A W _ fact1 (@idle W).
Proof. by split=> [|a b _ S]; [split; rewrite ?ler01 | rewrite amount_pure mul1r addr0]. Qed.
Lemma idle_role (W : world) part k : known W part k.+1 -> @mean_privacy R P L A W _ (role part k.+1) (@idle W).
Proof. by move=> h; split=> //; split=> [|a b _ S]; [split; rewrite ?ler01 | rewrite amount_pure mul1r addr0]. Qed.
Lemma Wk_known part k : known (Wk part k) part k.+1.
Proof. by rewrite /known /= size_nseq eqxx inE eqxx. Qed.
Lemma coin_private W : @mean_privacy R P L A W _ fact1 (@coin W).
Proof. by split=> [|a b _ S]; [split; rewrite ?ler01 | rewrite amount_pure mul1r addr0]. Qed.
Lemma idle_odds W : @mean_bounded_range R P L A W _ odds1 (@idle W).
Proof. by split=> [|a b _ S]; [split; rewrite ?ler01 | rewrite amount_pure mul1r]. Qed.
Lemma idle_range W : @mean_range R P L A W _ range1 (@idle W).
Proof. by split=> [|a b _ o s]; [split; rewrite ?ler01 | rewrite amount_pure mul1r]. Qed.
Notation mean := (@mean_privacy R P L A).

Lemma exponential_mechanism_some f w : some (@built_exponential_mechanism R P L f w).
Proof. by exists W1, [finType of bool]; eexists; apply: (@Exponential _ _ _ _ _ _ _ (fun=> 1) (fun _ _ => 0%N)) => [o|a b _ o]; rewrite ?ltr01. Qed.
Lemma bounded_range_some f w : some (@built_bounded_range R P L f w).
Proof. by exists W1, [finType of bool]; eexists; apply: (@Odds _ _ _ _ _ _ _ (fun=> 1) (fun _ _ => 0%N)) => [o|a b _ o]; rewrite ?ltr01. Qed.
Lemma permute_and_flip_some f w : some (@built_permute_and_flip R P L f w).
Proof. by exists W1, [finType of bool]; eexists; apply: (@Walk _ _ _ _ _ _ _ true (fun _ _ => 0%N)) => a b _ o. Qed.
Lemma exponential_vote_some f x k : some (@built_exponential_vote R P L f (Where_exponential_vote x 1 k)).
Proof. by exists W1, [finType of bool]; eexists; apply: (@ExponentialVote _ _ _ _ (Where_exponential_vote x 1 k) _ _ (fun _ _ => true)) => a b _; exists ord0. Qed.
Lemma plurality_some f x k : some (@built_plurality R P L f (Where_plurality x 1 k)).
Proof. by exists W1, [finType of bool]; eexists; apply: (@Plurality _ _ _ _ (Where_plurality x 1 k) _ _ (fun _ _ => true)) => a b _; exists ord0. Qed.
Lemma vote_some f x : some (@built_vote R P L f (Where_vote x 1)).
Proof. by exists W1, [finType of bool]; eexists; apply: (@Vote _ _ _ _ (Where_vote x 1) _ (fun _ _ => true)) => a b _; exists ord0. Qed.
Lemma geometric_noise_some f w : some (@built_geometric_noise R P L f w).
Proof.
exists W1, [finType of {ffun unit -> 'I_2}]; eexists; apply: (@Noise _ _ _ _ _ _ [finType of unit] 0 (fun _ _ => ord0)) => a b _.
by rewrite big1.
Qed.
Lemma weighted_rounds_some f x c : some (@built_weighted_rounds R P L f (Where_weighted_rounds x c 1)).
Proof.
exists W1; eexists; eexists; apply: (@Round R P L f x (2 * c) 0 W1 _ [finType of unit] _ (fun _ _ _ => 0%N)) => //; last exact: NoRound.
exact: idle_law.
Qed.
Lemma leafwise_medians_some f w : some (@built_leafwise_medians R P L f w).
Proof.
exists W1; eexists; eexists; apply: (@Medians _ _ _ _ _ _ 1 (fun _ _ => 1%N) [finType of unit] (fun=> tt) (fun _ _ => true)) => a b _.
by exists ord0, ord0.
Qed.
Lemma stable_choice_some f w : some (@built_stable_choice R P L f w).
Proof. by exists W1; eexists; eexists; apply: (@Choice _ _ _ _ _ _ 1 2 (fun _ _ => 0%N) (fun=> ord0)). Qed.
Lemma occupied_blocks_some f w : some (@built_occupied_blocks R P L f w).
Proof.
have cell : 'I_(2 ^ occupied_blocks_levels w) by apply: (Ordinal (n := 2 ^ _) (m := 0)); rewrite expn_gt0.
by exists W1; eexists; eexists; apply: (@Blocks _ _ _ f w W1 [finType of unit] 1 1 (fun=> cell) (fun _ _ => true) (fun=> tt)).
Qed.
Lemma leafwise_blocks_some f w : some (@built_leafwise_blocks R P L f w).
Proof.
exists W1; eexists; eexists; apply: (@RangeBlocks _ _ _ f w W1 _ [finType of unit] (fun=> tt) 1 (fun _ _ => 1%N) [:: tt]) => // [a b _|].
  have cell : 'I_(2 ^ leafwise_blocks_bits w) by apply: (Ordinal (n := 2 ^ _) (m := 0)); rewrite expn_gt0.
  by exists cell, cell.
by apply: NextRange; apply: NoRange.
Qed.
Lemma star_entries_some f x c : 1 <= c -> some (@built_star_entries R P L f (Where_star_entries x c)).
Proof.
move=> c1; exists W1, [finType of unit]; eexists; apply: (@Stars _ _ _ _ (Where_star_entries x c) _ _ (fun _ _ => 1)) => [s|s i o] /=.
  exact: (@idle_law W1 [ffun=> (point, tag)]).
by rewrite mulr1.
Qed.
Lemma sampled_point_some f x y c : 1 <= c -> some (@built_sampled_point R P L f (Where_sampled_point x y c)).
Proof.
move=> c1; exists W1; eexists; eexists; apply: (@Sampled _ _ _ _ (Where_sampled_point x y c) _ [finType of unit] [finType of unit] (fun=> tt) (fun=> true) (fun _ _ => 1)) => [s|v h] /=.
  exact: (@idle_law W1 [ffun=> (point, tag)]).
by rewrite mulr1.
Qed.
Lemma clipped_points_some f x k m : some (@built_clipped_points R P L f (Where_clipped_points 2 x k m)).
Proof. by exists W1; eexists; eexists; apply: (@Clipped _ _ _ f (Where_clipped_points 2 x k m) W1 (fun=> ord0) (fun=> true)). Qed.
Lemma post_processing_some f w : some (@built_post_processing R P L f fact1 w mean).
Proof.
exists W1; eexists; eexists; apply: (@Post _ _ _ _ _ _ _ _ _ [finType of unit] (@idle W1) (fun _ _ => 1)) => [a||s]; [exact: idle_law | exact: idle_private |].
exact: (@idle_law W1 [ffun=> (point, tag)]).
Qed.
Lemma sequential_some f w : some (@built_sequential R P L f w mean [:: fact1; fact1]).
Proof.
exists W1; eexists; eexists.
apply: (@Then _ _ _ _ _ _ _ _ _ _ _ _ (fun=> @idle W1)); [|exact: (tt, tt)| | by move=> *; exact: idle_law | by move=> *; exact: idle_private].
  apply: (@Then _ _ _ _ _ _ _ _ _ _ _ _ (fun=> @idle W1)); [exact: Nothing | exact: tt | by move=> a; exact: (@idle_law W1 a) | by move=> *; exact: idle_law | by move=> *; exact: idle_private].
by move=> a; apply: law_both; [exact: (@idle_law W1 a) | move=> o; exact: (@idle_law W1 a)].
Qed.
Definition W3 : world := @World 1 (fun _ _ => true) (fun _ => isT) [:: "one"%string; "two"%string] (fun _ => isT).
Lemma disjoint_parts_some f w : some (@built_disjoint_parts R P L f w mean [:: role "one" 2; role "two" 2]).
Proof.
exists W3; eexists; eexists; apply: (@OneRelease _ _ _ _ _ _ _ _ _ (@idle W3)) => q [<-|[<-|[]]]; split=> //; exact: idle_role.
Qed.
Lemma several_parts_some f w : some (@built_disjoint_parts R P L f w mean [:: fact1]).
Proof.
exists W1; eexists; eexists; apply: Several => [|q s i]; last by rewrite !inE => /eqP -> /eqP ->; rewrite eqxx.
apply: (@Beside _ _ _ _ _ _ _ _ _ _ (fun=> @idle W1)); [exact: Empty | exact: tt | | by move=> *; exact: idle_law | by move=> *; exact: idle_private | by []].
by move=> a; exact: (@idle_law W1 a).
Qed.
Lemma on_part_some f w : some (@built_on_part R P L f fact1 w mean).
Proof.
exists W1; eexists; eexists; apply: (@OnPart _ _ _ _ _ _ _ W1 W1 _ (@idle W1) id) => // [a||i _]; [exact: idle_law | exact: idle_private | by exists i].
Qed.
Lemma positions_known_some f w : some (@built_positions_known R P L f fact1 w mean).
Proof.
exists (Wk (positions_known_part w) 1); eexists; eexists; apply: (@Positions _ _ _ _ _ _ _ W1 (Wk (positions_known_part w) 1) _ (@idle W1) id) => // [a||i _|_];
  [exact: idle_law | exact: idle_private | by exists i | exact: Wk_known].
Qed.
Lemma group_some f w : some (@built_group R P L f fact1 w mean).
Proof. by exists W1; eexists; exists (@idle W1); apply: Persons; exact: idle_private. Qed.
Lemma assuming_some f w : some (@built_assuming R P L (privacy R) f fact1 w mean).
Proof. by exists W1; eexists; exists (@idle W1); apply: Assumed; exact: idle_private. Qed.
Lemma k_fold_composition_some f : some (@built_k_fold_composition R P L f fact1 (Where_k_fold_composition R 1 0) mean).
Proof.
exists W1; eexists; eexists; apply: (@Again _ _ _ _ _ 0 W1 _ _ (@idle W1) (fun=> @idle W1)) => [a||o a|o]; [exact: idle_law | exact: idle_private | exact: idle_law | exact: Never].
Qed.
Lemma declared_some f w : some (@built_declared R P L f fact1 w mean).
Proof. by exists W1; eexists; exists (@idle W1); apply: Same; exact: idle_private. Qed.
Lemma subsampling_without_replacement_some f : some (@built_subsampling_without_replacement R P L f fact1 (Where_subsampling_without_replacement R 1 1) mean).
Proof.
exists W1; eexists; eexists; apply: (@Subsample _ _ _ _ _ (Where_subsampling_without_replacement R 1 1) _ W1 W1 _ [finType of unit] (fun=> 1) 1 1 id id
  (fun _ => id) (@idle W1) erefl erefl (leqnn 1)) => // [a||i _||_ v i]; [exact: idle_law | exact: idle_private | by exists i | exact: (@idle_law W1 [ffun=> (point, tag)]) |].
by rewrite codom_f.
Qed.
Lemma sampling_with_replacement_some f : some (@built_sampling_with_replacement R P L f fact1 (Where_sampling_with_replacement R 1 1) mean).
Proof.
by exists W1; eexists; eexists; apply: (@Resample _ _ _ _ _ (Where_sampling_with_replacement R 1 1) _ W1 W1 _ (@idle W1) erefl erefl) => // [a|]; [exact: idle_law | exact: idle_private].
Qed.
Lemma listed_from_some_some f : some (@built_listed_from_some R P L f odds1 (Where_listed_from_some R 1 1) (@mean_bounded_range R P L A)).
Proof.
by exists W1; eexists; eexists; apply: (@Listed _ _ _ 1 1 _ _ _ W1 _ erefl (leqnn 1) (fun=> @idle W1)) => // [t a|t]; [exact: idle_law | exact: idle_odds].
Qed.
Lemma stable_from_some_some f : some (@built_stable_from_some R P L f (Stability 0 "record") (Where_stable_from_some R 1 1) (@mean_stability R P L)).
Proof.
by exists W1; eexists; eexists; apply: (@Listed _ _ _ 1 1 _ _ _ W1 _ erefl (leqnn 1) (fun=> @idle W1)) => // [t a|t a b _ S]; [exact: idle_law | rewrite mul1r addr0].
Qed.
Lemma total_variation_some f w : some (@built_total_variation R P L f odds1 w (@mean_bounded_range R P L A)).
Proof. by exists W1; eexists; exists (@idle W1); apply: SameMoved; exact: idle_odds. Qed.
Lemma range_log_odds_some f w : some (@built_range_log_odds R P L f range1 w (@mean_range R P L A)).
Proof. by exists W1; eexists; exists (@idle W1); apply: SameOdds; exact: idle_range. Qed.
Lemma delta_removal_some f w : some (@built_delta_removal R P L f fact1 w mean).
Proof. by exists W1; eexists; eexists; apply: (@Turned _ _ _ _ _ _ _ W1 (@coin W1)) => [a|]; [exact: coin_law | exact: coin_private]. Qed.
Lemma boost_some lab part x : some (@boost R P L lab part fact1 x mean).
Proof.
exists (Wk part 1); eexists; eexists; apply: (@Boost _ _ _ _ _ _ _ _ W1 (Wk part 1) _ [finType of unit] 1 id id id (fun=> lab) (fun _ _ => true) (fun=> tag)
  (fun=> true) (@idle W1)) => // [a||i _|v i|]; [exact: idle_law | exact: idle_private | by exists i | by rewrite codom_f | exact: Wk_known].
Qed.
Lemma later_round_some f w : some (@built_later_round R P L f (role "two" 2) w mean).
Proof.
exists (Wk "two" 2); eexists; eexists.
apply: (@Later _ _ _ f (role "two" 2) w mean W3 (Wk "two" 2) _ [finType of unit] 0 (fun j => match notF (ltn_ord j) with end)
  (fun j => match notF (ltn_ord j) with end) id (fun=> true) (fun _ _ => true) (fun=> tag) (fun=> true) 1 (@idle W3)) => // [|a||i _|v []//].
- exact: ltr01.
- exact: idle_law.
- exact: idle_role.
- by exists i => //; split=> //; apply/negP => /codomP [[]].
Qed.
Lemma label_boost_labelled_some f w : some (@built_label_boost_labelled R P L f fact1 w mean).
Proof. exact: boost_some. Qed.
Lemma label_boost_unlabelled_some f w : some (@built_label_boost_unlabelled R P L f fact1 w mean).
Proof. by have [W [O [M h]]] := boost_some false (label_boost_unlabelled_part w) 1; exists W, O, M, 1; rewrite ltr01 lexx. Qed.
Lemma relabelling_part_some f w : some (@built_relabelling_part R P L f fact1 w mean).
Proof.
exists (Wk (relabelling_part_part w) 1); eexists; eexists; apply: (@RelabelPart _ _ _ _ _ _ _ W1 (Wk (relabelling_part_part w) 1) _ [finType of unit] (@idle W1) id tt 1
  (fun _ _ => true) (fun=> tag) (fun=> true)) => // [a||i _|]; [exact: idle_law | exact: idle_private | by exists i | exact: Wk_known].
Qed.
Definition W2 : world := @World 2 (fun _ _ => true) (fun _ => isT) [:: "all records"%string] (fun _ => isT).
(* The first record is relabelled, the second votes *)
Definition Wv part : world := @World 2 (fun q i => (q == "all records"%string) || (q == "first"%string) || (q == part) && (i != ord0))
  (fun _ => isT) [:: "first"%string; part] (fun _ => isT).
Lemma relabelling_votes_some f x m : some (@built_relabelling_votes R P L f (Where_relabelling_votes x m "voting records"%string)).
Proof.
exists (Wv "voting records"%string); eexists; eexists; apply: (@RelabelVotes _ _ _ f (Where_relabelling_votes x m "voting records"%string) W1 (Wv "voting records"%string) _ [finType of unit] (@idle W1) (fun=> ord0) tt 1
  (fun _ _ => true) (fun=> tag) (fun=> true)) => [a|i /= i0|//]; first exact: idle_law.
by apply/negP => /codomP [j e]; rewrite e in i0.
Qed.
Lemma relabelling_some f x c m : some (@built_relabelling R P L f fact1 (Where_relabelling x 1 2 c m) mean).
Proof.
by exists W2; eexists; eexists; apply: (@Relabel _ _ _ f fact1 (Where_relabelling x 1 2 c m) _ W1 W2 _ [finType of unit] (@idle W1) erefl erefl (leqnSn 1) tt (fun _ _ => true) (fun=> tag) (fun=> true)) => // [a|]; [exact: idle_law | exact: idle_private].
Qed.
End Sanity.
