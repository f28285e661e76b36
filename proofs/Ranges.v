(* Soundness of medians drawn in every range of a line. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Whole numbers: B' + bx = B + by and N' + nx = N + ny with bx <= nx <= 1, by <= ny <= 1 move |2B - N| by nx + ny at most *)
Lemma half_moves (B N B' N' bx cy nx ny : nat) : (B + cy = B' + bx -> N + ny = N' + nx -> bx <= nx -> cy <= ny -> nx <= 1 -> ny <= 1 ->
  distance (2 * B) N <= distance (2 * B') N' + (nx + ny))%N.
Proof. rewrite /distance; lia. Qed.

Section Ranges.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

(* A sum over places, when a record leaves x and one comes to y *)
Lemma in_range_moves m (K : finType) (of_ : 'I_m -> K) (on on' : 'I_m -> nat) x y k (S : pred 'I_m) :
  (forall z, on z + (z == y) = on' z + (z == x))%N ->
  (in_range of_ on k S + ((of_ y == k) && S y) = in_range of_ on' k S + ((of_ x == k) && S x))%N.
Proof.
move=> h; have one v : (\sum_(z | (of_ z == k) && S z) (z == v))%N = ((of_ v == k) && S v : nat).
  case: (boolP ((of_ v == k) && S v)) => hv; last first.
    by rewrite big1 // => z hz; case: eqP => // e; rewrite -e hz in hv.
  by rewrite (bigD1 v) //= eqxx big1 ?addn0 // => z /andP[_ /negbTE ->].
by rewrite /in_range -!one -!big_split /=; apply: eq_bigr => z _; apply: h.
Qed.

Theorem leafwise_medians_sound : sound0 mean (@rule_leafwise_medians R A) (@built_leafwise_medians R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W m on K of_ cut mv lM; case: w mv lM => x /=.
rewrite /rule_leafwise_medians; facts f => mv _ ok; apart.
have x0 : 0 < x by []. have x1 : x <= 1 by [].
have i1 : 1 <= 1 / x by apply: inv_ge1. have i0 : 0 <= 1 / x by apply: le_trans i1.
pose score a k c := distance (2 * in_range of_ (on a) k (below c)) (in_range of_ (on a) k predT).
pose wt a k (c : 'I_m.+1) := if cut k c then x ^+ score a k c else 0.
have wt0 a k c : 0 <= wt a k c by rewrite /wt; case: ifP => // _; rewrite exprn_ge0 // ltW.
apply: pureP => // a b ab o; have [y [z h]] := mv a b ab.
(* range k moves by the number of its records that change *)
pose s k := ((of_ y == k) + (of_ z == k))%N.
have moved u v p q k c : (forall r, u r + (r == p) = v r + (r == q))%N ->
  (distance (2 * in_range of_ u k (below c)) (in_range of_ u k predT) <=
   distance (2 * in_range of_ v k (below c)) (in_range of_ v k predT) + ((of_ q == k) + (of_ p == k)))%N.
  move=> e; have e1 := in_range_moves of_ k (below c) e; have e2 := in_range_moves of_ k predT e; rewrite !andbT in e2.
  by apply: half_moves e1 e2 _ _ (leq_b1 _) (leq_b1 _); [case: (of_ q == k) => //=; case: (below _ _) | case: (of_ p == k) => //=; case: (below _ _)].
have st1 k c : (score a k c <= score b k c + s k)%N by rewrite /s addnC -[X in (_ <= X + _)%N]addn0 addn0 addnC [(_ + (of_ z == k))%N]addnC; apply: leq_trans (moved _ _ _ _ k c h) _; rewrite [((of_ z == k) + _)%N]addnC.
have st2 k c : (score b k c <= score a k c + s k)%N.
  by apply: leq_trans (moved (on b) (on a) _ _ k c (fun r => esym (h r))) _; rewrite /s leq_add2l // addnC.
have each k : normal (wt a k) (o k) <= (1 / x) ^+ (s k * 2) * normal (wt b k) (o k).
  rewrite exprM; apply: normal_close => [|c|c|c|c] //; first exact: exprn_ge0.
  - by rewrite /wt; case: ifP => _; rewrite ?mulr0 //; apply: power_step => //.
  - by rewrite /wt; case: ifP => _; rewrite ?mulr0 //; apply: power_step => //.
have total : (\sum_k s k * 2)%N = 4%N.
  rewrite -big_distrl /= /s big_split /= (bigD1 (of_ y)) //= eqxx big1 => [|k /negbTE]; last by rewrite eq_sym => ->.
  by rewrite (bigD1 (of_ z)) //= eqxx big1 // => k /negbTE; rewrite eq_sym => ->.
apply: (@le_trans _ _ (\prod_k ((1 / x) ^+ (s k * 2) * normal (wt b k) (o k)))).
  by apply: ler_prod => k _; apply/andP; split; [exact: (normal_ge0 _ (wt0 a k)) | exact: each].
rewrite big_split /= prodrXr total; apply: ler_wpmul2r; last by apply: powP => //; apply: inv_gt0.
by apply: prodr_ge0 => k _; exact: (normal_ge0 _ (wt0 b k)).
Qed.
End Ranges.
