(* Soundness of the filter of a ledger that adds epsilon and delta. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Filter.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Lemma filtered_law unit part n T D W O (M : mech R P L W O) : filtered A unit part n T D M -> forall a, law (M a).
Proof. by elim=> {T D W O M} [T D W O p _ _ lp a //|T D W O S e d M N _ _ lM _ lN IH a]; apply: law_both. Qed.
Theorem privacy_filter_sound unit part n T D W O (M : mech R P L W O) :
  filtered A unit part n T D M -> private A (T, 1) D unit part n M.
Proof.
elim=> {T D W O M} [T D W O p T0 D0 lp|T D W O S e d M N eT dD lM [sM h] B IH].
  split=> [|a b _ E]; first by split=> /=; [exact: T0 | exact: lexx | exact: D0].
  have [p0 _] := lp; have up : 1 <= amount A (T, 1) by rewrite /amount mulr1; apply: E1.
  by rewrite ler_paddr // ler_pemull // sumr_ge0.
have [e0 _ d0] := sM; split=> [|a b ab].
  by split=> /=; [apply: le_trans eT | exact: lexx | apply: le_trans dD].
have -> : amount A (T, 1) = amount A (e, 1) * amount A (T - e, 1) by rewrite /amount !mulr1 -ED addrC subrK.
have -> : D = d + (D - d) by rewrite addrC subrK.
apply: close_both => //.
- exact: ltW (amount_gt0 A sM).
- by rewrite /amount mulr1; apply/ltW/E_gt0.
- by rewrite subr_ge0.
- by move=> o; apply: (filtered_law (B o)).
- by move=> o; apply: (filtered_law (B o)).
- exact: h.
- by move=> o; case: (IH o) => _; apply.
Qed.
End Filter.
