(* Soundness of cuts drawn among occupied blocks, of medians in ranges, and of the choice that is released with a clear lead. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws Votes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Whole numbers, apart from everything else *)
Lemma leads s t m n : (s <= t + 1 -> n <= m + 1 -> s - m <= t - n + 2)%N. Proof. lia. Qed.
Lemma behind s t u m : (s <= t -> t <= u + 2 -> u <= m -> s - m <= 2)%N. Proof. lia. Qed.
Lemma exchanged x y z u : (x <= y + 1 -> y <= z -> z <= u + 1 -> x <= u + 2)%N. Proof. lia. Qed.
Lemma capped c m n : (m <= n + 2 -> minn c m <= minn c n + 2)%N. Proof. lia. Qed.
Lemma capped2 c m : (m <= 2 -> minn c m <= 2)%N. Proof. lia. Qed.
Lemma three m n : (m <= n + 2)%N -> (n <= m + 2)%N -> m = n \/ m = n.+1 \/ m = n.+2 \/ n = m.+1 \/ n = m.+2.
Proof. lia. Qed.

Section Choice.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

Lemma clear_step (x : R) t m : 0 < x -> x <= 1 -> step x (clear x t m) (clear x t m.+1).
Proof.
move=> x0 x1; rewrite /clear; have x1p : 0 < 1 + x by apply: addr_gt0; rewrite ?ltr01.
have half n : x ^+ n / (1 + x) * (1 + x) <= 1 by rewrite divfK ?lt0r_neq0 // exprn_ile1 // ltW.
have pos n : 0 <= x ^+ n / (1 + x) by rewrite divr_ge0 ?exprn_ge0 // ltW.
case: (ltngtP m t.+2) => h.
- exists (x ^+ (t.+2 - m.+1) / (1 + x)); split=> //; left; split=> //.
  by rewrite mulrA -exprS subnSK.
- exists (x ^+ (m - t.+2).+1 / (1 + x)); split=> //; right; split=> //.
  by rewrite mulrA -exprS subSn // ltnW.
- exists (x / (1 + x)); split; [by rewrite divr_ge0 // ltW | by rewrite divfK // lt0r_neq0 | right].
  rewrite h subnn expr0 subSnn; split; by field; apply: lt0r_neq0.
Qed.
Lemma clear01 (x : R) t m : 0 < x -> x <= 1 -> 0 <= clear x t m <= 1.
Proof.
move=> x0 x1; have [y [y0 yx h]] := clear_step t m x0 x1; have y1 : y <= 1 by apply: le_trans yx; rewrite ler_pemulr // ler_addl ltW.
have xy : x * y <= y by apply: ler_pimull.
case: h => -[-> _]; first by rewrite mulr_ge0 ?(le_trans xy) // ltW.
by rewrite subr_ge0 y1 ler_subl_addr ler_addl.
Qed.
(* two steps *)
Lemma clear_close (x : R) t m n : 0 < x -> x <= 1 -> (m <= n + 2)%N -> (n <= m + 2)%N ->
  clear x t m <= (1 / x) ^+ 2 * clear x t n /\ 1 - clear x t m <= (1 / x) ^+ 2 * (1 - clear x t n).
Proof.
move=> x0 x1 mn nm; have i1 : 1 <= 1 / x by apply: inv_ge1.
have i0 : 0 <= 1 / x by apply: le_trans i1.
have up p : 0 <= p -> p <= 1 / x * p by move=> p0; rewrite ler_pemull.
have [q0 q1] : 0 <= clear x t n /\ 0 <= 1 - clear x t n by rewrite subr_ge0; case/andP: (clear01 t n x0 x1).
have tw p q r : p <= 1 / x * q -> q <= 1 / x * r -> p <= (1 / x) ^+ 2 * r.
  move=> h1 h2; apply: (le_trans h1); have -> : (1 / x) ^+ 2 * r = 1 / x * (1 / x * r) by ring.
  exact: ler_wpmul2l.
case: (three mn nm) => [|[|[|[|]]]] e.
- by rewrite e; split; apply: tw (up _ _) (up _ _).
- have [h1 h2 h3 h4] := step_close x0 x1 (clear_step t n x0 x1); rewrite e; split; [apply: tw h2 (up _ _) | apply: tw h4 (up _ _)] => //.
- have [_ h2 _ h4] := step_close x0 x1 (clear_step t n x0 x1); have [_ k2 _ k4] := step_close x0 x1 (clear_step t n.+1 x0 x1).
  by rewrite e; split; [apply: tw k2 h2 | apply: tw k4 h4].
- have [h1 _ h3 _] := step_close x0 x1 (clear_step t m x0 x1); rewrite e in q0 q1 *; split; [apply: tw h1 (up _ _) | apply: tw h3 (up _ _)] => //.
- have [h1 _ h3 _] := step_close x0 x1 (clear_step t m x0 x1); have [k1 _ k3 _] := step_close x0 x1 (clear_step t m.+1 x0 x1).
  by rewrite e; split; [apply: tw h1 k1 | apply: tw h3 k3].
Qed.
Lemma clear_low (x : R) t m : 0 < x -> x <= 1 -> (m <= 2)%N -> clear x t m <= x ^+ t / (1 + x).
Proof.
move=> x0 x1 m2; rewrite /clear; have -> : (m <= t.+2)%N by apply: leq_trans m2 _.
apply: ler_wpmul2r; first by rewrite invr_ge0; apply: addr_ge0; [exact: ler01 | exact: ltW].
by apply: ler_wiexpn2l; [exact: ltW | exact: x1 | rewrite leq_subRL ?(leq_trans m2) // addnC -[t.+2]addn2 leq_add2l].
Qed.

Theorem stable_choice_sound : sound0 mean (@rule_stable_choice R A) (@built_stable_choice R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W m cap score best mv top lM; case: w mv lM => x t /=.
rewrite /rule_stable_choice; facts f => mv lM ok; apart.
have x0 : 0 < x by []. have x1 : x <= 1 by apply: ltW.
have i0 : 0 < 1 / x by apply: inv_gt0.
have pw2 : (1 / x) ^+ 2 <= pow A (1 / x) 2%:R by apply: pow_up.
have pw0 : 0 <= pow A (1 / x) 2%:R by apply: le_trans pw2; rewrite exprn_ge0 // ltW.
have dl : x ^+ t / (1 + x) <= short A (pow A x t%:R / (1 + x)).
  have i : 0 <= (1 + x)^-1 by rewrite invr_ge0; apply: addr_ge0; [exact: ler01 | exact: ltW].
  apply: le_trans (short_up A _); first by apply: ler_wpmul2r => //; apply: pow_up.
  by apply: mulr_ge0 => //; apply: le_trans (pow_up A t x0); rewrite exprn_ge0 // ltW.
set D := short A _ in dl *; have D0 : 0 <= D by [].
apply: private1 => // a b ab; rewrite amount_pure; set F := pow A _ _ in pw2 pw0 *.
have ab' := mv _ _ ab; have ba' := mv _ _ (replaced_sym ab).
pose lead c := (score c (best c) - \max_(h | h != best c) score c h)%N.
have c01 c : 0 <= clear x t (minn cap (lead c)) <= 1 by apply: clear01.
have [same|differ] := eqVneq (best a) (best b).
  have le1 c c' : best c = best c' -> (forall h, score c h <= score c' h + 1)%N -> (forall h, score c' h <= score c h + 1)%N -> (lead c <= lead c' + 2)%N.
    move=> e up down; rewrite /lead e; apply: leads => //.
    apply/bigmax_leqP => h hb; apply: leq_trans (down h) _; rewrite leq_add2r.
    exact: (@leq_bigmax_cond _ (fun h => h != best c') (fun h => score c h)).
  have h1 := capped cap (le1 a b same ab' ba'); have h2 := capped cap (le1 b a (esym same) ba' ab').
  have [k1 k2] := clear_close t x0 x1 h1 h2.
  apply: (close_weaken _ _ (lexx F) D0); first by case: (lM b).
  have raise p q : 0 <= q -> p <= (1 / x) ^+ 2 * q -> p <= F * q by move=> q0 h; apply: (le_trans h); apply: ler_wpmul2r.
  have [q0 q1] : 0 <= clear x t (minn cap (lead b)) /\ 0 <= 1 - clear x t (minn cap (lead b)) by rewrite subr_ge0; case/andP: (c01 b).
  apply: point_close => -[h|]; last exact: (raise _ _ q1 k2).
  have -> : (h == best b) = (h == best a) by rewrite same.
  case: ifP => _; last by rewrite mulr0.
  exact: (raise _ _ q0 k1).
have low c c' : best c != best c' -> (forall h, score c h <= score c' h + 1)%N -> (forall h, score c' h <= score c h + 1)%N -> (lead c <= 2)%N.
  move=> ne up down; rewrite /lead.
  apply: (@behind _ (score c (best c)) (score c (best c'))) => //.
    exact: exchanged (up _) (top c' (best c)) (down (best c')).
  by apply: (@leq_bigmax_cond _ (fun h => h != best c) (fun h => score c h)); rewrite eq_sym.
have la := capped2 cap (low a b differ ab' ba').
have lb : (lead b <= 2)%N by apply: low ba' ab'; rewrite eq_sym.
have lb' := capped2 cap lb.
have [k1 k2] := clear_close t x0 x1 (leq_trans la (leq_addl _ _)) (leq_trans lb' (leq_addl _ _)).
have pa := clear_low t x0 x1 la.
have lb0 o := (lM b).1 o.
move=> S; have e c : \sum_(o | S o) (fun o : option 'I_m => let p := clear x t (minn cap (lead c)) in
    match o with Some h => if h == best c then p else 0 | None => 1 - p end) o =
    (if S (Some (best c)) then clear x t (minn cap (lead c)) else 0) + (if S None then 1 - clear x t (minn cap (lead c)) else 0).
  rewrite big_mkcond /= (bigD1 None) //= (bigD1 (Some (best c))) //= eqxx big1 => [|[h|] //= hb].
    by rewrite addr0 addrC.
  have -> : (h == best c) = false by apply/negbTE; apply: contra hb => /eqP ->.
  by case: ifP.
move: (e a) (e b) => /= -> ->; rewrite addrC.
have [p0 p1] := andP (c01 a); have [q0 q1] := andP (c01 b).
apply: (@le_trans _ _ (F * (if S None then 1 - clear x t (minn cap (lead b)) else 0) + D)).
  apply: ler_add.
    case: ifP => _; last by rewrite mulr0.
    by apply: le_trans k2 _; apply: ler_wpmul2r pw2; rewrite subr_ge0.
  by case: ifP => _ //; apply: le_trans pa dl.
rewrite ler_add2r; apply: ler_wpmul2l => //; rewrite ler_addr; by case: ifP.
Qed.
End Choice.
