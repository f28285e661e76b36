(* Soundness of votes. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Votes.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

(* --- One step of a vote --------------------------------------------------------------------------------------------------------- *)
(* p grows to p': by the factor 1/x below, or the rest shrinks by x above *)
Definition step (x p p' : R) := exists y, [/\ 0 <= y, y * (1 + x) <= 1 & (p = x * y /\ p' = y) \/ (p = 1 - y /\ p' = 1 - x * y)].
Lemma step_close x p p' : 0 < x -> x <= 1 -> step x p p' ->
  [/\ p <= (1 / x) * p', p' <= (1 / x) * p, 1 - p <= (1 / x) * (1 - p') & 1 - p' <= (1 / x) * (1 - p)].
Proof.
move=> x0 x1 [y [y0 yx h]]; have xy : x * y <= y by apply: ler_pimull.
have key : x * (1 - x * y) <= 1 - y.
  rewrite -subr_ge0; have -> : 1 - y - x * (1 - x * y) = (1 - x) * (1 - y * (1 + x)) by ring.
  by apply: mulr_ge0; rewrite subr_ge0.
have y1 : y <= 1 by apply: le_trans yx; rewrite ler_pemulr // ler_addl ltW.
have div u v : x * u <= v -> u <= (1 / x) * v by move=> h'; rewrite div1r ler_pdivl_mull.
have small u : 0 <= u -> x * u <= u by move=> u0; apply: ler_pimull.
have xy1 : 0 <= 1 - x * y by rewrite subr_ge0 (le_trans xy).
have y10 : 0 <= 1 - y by rewrite subr_ge0.
have yxy : 1 - y <= 1 - x * y by rewrite ler_add2l ler_opp2.
have e : 1 - (1 - y) = y by ring.
have e' : 1 - (1 - x * y) = x * y by ring.
case: h => -[-> ->]; split; apply: div; rewrite ?e ?e' ?lexx //.
- by apply: le_trans (small _ _) xy; rewrite mulr_ge0 // ltW.
- by apply: le_trans (small _ y10) yxy.
- by apply: le_trans (small _ y10) yxy.
- by apply: le_trans (small _ _) xy; rewrite mulr_ge0 // ltW.
Qed.

Lemma vote_step x r v : 0 < x -> x <= 1 -> (v < r)%N -> step x (vote_law x r v) (vote_law x r v.+1).
Proof.
move=> x0 x1 vr; rewrite /vote_law; have x1p : 0 < 1 + x by rewrite addr_gt0.
have half n : x ^+ n / (1 + x) * (1 + x) <= 1 by rewrite divfK ?lt0r_neq0 // exprn_ile1 // ltW.
have pos n : 0 <= x ^+ n / (1 + x) by rewrite divr_ge0 ?exprn_ge0 // ltW.
have two n : x ^+ n / 2%:R * (1 + x) <= 1.
  rewrite mulrAC ler_pdivr_mulr ?ltr0n // mul1r; apply: (@le_trans _ _ (1 * (1 + 1))); last by rewrite mul1r.
  by apply: ler_pmul; rewrite ?exprn_ge0 ?ler_add2l ?exprn_ile1 // ltW.
have pos2 n : 0 <= x ^+ n / 2%:R by rewrite divr_ge0 ?exprn_ge0 ?ler0n // ltW.
case: ifP => _; case: (ltngtP v r./2) => vh.
- exists (x ^+ (r./2 - v.+1).+1 / (1 + x)); split=> //; left.
  by rewrite mulrA -exprS; have -> : ((r./2 - v.+1).+2 = (r./2 - v).+1)%N by lia.
- exists (x ^+ (v - r./2) / (1 + x)); split=> //; right.
  by rewrite mulrA -exprS; have -> : ((v - r./2).+1 = v.+1 - r./2)%N by lia.
- exists (1 / (1 + x)); split; [by rewrite divr_ge0 ?ler01 // ltW | by rewrite divfK // lt0r_neq0 |left].
  rewrite vh subnn expr1 subSnn expr1 mulrA mulr1; split=> //; by field; apply: lt0r_neq0.
- exists (x ^+ (r./2 - v.+1) / 2%:R); split=> //; left.
  by rewrite mulrA -exprS; have -> : ((r./2 - v.+1).+1 = (r./2 - v))%N by lia.
- exists (x ^+ (v - r./2) / 2%:R); split=> //; right.
  by rewrite mulrA -exprS; have -> : ((v - r./2).+1 = v.+1 - r./2)%N by lia.
- exists (1 / 2%:R); split; [by have := pos2 0%N; rewrite expr0 | by have := two 0%N; rewrite expr0 | right].
  rewrite vh subnn expr0 subSnn expr1; split; by field.
Qed.

Lemma counted_le W m (C : finType) (vote : data P L W -> 'I_m -> C) a c : (counted vote a c <= m)%N.
Proof. by rewrite -[X in (_ <= X)%N]card_ord; apply: max_card. Qed.

Lemma near u v : (u <= v + 1)%N -> (v <= u + 1)%N -> u = v \/ (v = u.+1 \/ u = v.+1). Proof. lia. Qed.

Theorem vote_sound : sound0 mean (@rule_vote R A) (@built_vote R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W vote h lM; case: w vote h lM => x m /= vote.
rewrite /rule_vote; facts f => h lM ok; apart.
have x0 : 0 < x by []. have x1 : x <= 1 by [].
have i1 : 1 <= 1 / x by apply: inv_ge1.
apply: pureP => // a b ab o.
have ca := counted_step true h ab; have cb := counted_step true h (replaced_sym ab).
have la := counted_le vote a true; have lb := counted_le vote b true.
move: ca cb la lb; set u := counted vote a true; set v := counted vote b true => ca cb la lb.
have [->|[vu|uv]] := near ca cb.
- have one y : 0 <= y -> y <= 1 / x * y by move=> y0; rewrite ler_pemull.
  by case: (lM b) => /(_ o) /= m0 _; apply: one; exact: m0.
- have um : (u < m)%N by rewrite -vu.
  by have [h1 h2 h3 h4] := step_close x0 x1 (vote_step x0 x1 um); rewrite -vu in h1 h2 h3 h4; case: o.
- have vm : (v < m)%N by rewrite -uv.
  by have [h1 h2 h3 h4] := step_close x0 x1 (vote_step x0 x1 vm); rewrite -uv in h1 h2 h3 h4; case: o.
Qed.

End Votes.
