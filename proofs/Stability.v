(* Soundness of the rules about log-odds, stability, and lists that some records decide. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws Sampling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Stability.
Variables (R : realFieldType) (P L : Type) (A : arith R).

Theorem range_log_odds_sound : sound1 (@mean_bounded_range R P L A) (@mean_range R P L A) (@rule_range_log_odds R A) (@built_range_log_odds R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} W O N mp lN; case: w; rewrite /rule_range_log_odds.
case: f => [e u]; case: p mp => [l v pt r] [sp h]; rewrite /bounded_range_ok /= in sp h * => ok; apart.
by split=> // a b ab S; apply: events_odds; apply: h.
Qed.

Lemma events_one (O : finType) (p : O -> R) S : law p -> event p (predC S) = 1 - event p S.
Proof.
case=> _ p1; have e : event p S + event p (predC S) = 1 by rewrite -p1 [in RHS](bigID S).
by rewrite -e addrAC subrr add0r.
Qed.

(* (1 - u - v)^2 >= 0, read as a bound on a difference *)
Lemma moved_bound (u v g : R) : 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= g < 1 ->
  u * (1 - v) <= ((1 + g) / (1 - g)) ^+ 2 * (v * (1 - u)) -> u - v <= g.
Proof.
move=> /andP[u0 u1] /andP[v0 v1] /andP[g0 g1]; have q0 : 0 < 1 - g by rewrite subr_gt0.
rewrite -subr_ge0 => h; have {h} : 0 <= (1 + g) ^+ 2 * (v * (1 - u)) - (1 - g) ^+ 2 * (u * (1 - v)).
  have -> : (1 + g) ^+ 2 * (v * (1 - u)) - (1 - g) ^+ 2 * (u * (1 - v))
     = (1 - g) ^+ 2 * (((1 + g) / (1 - g)) ^+ 2 * (v * (1 - u)) - u * (1 - v)) by field; apply: lt0r_neq0.
  by apply: mulr_ge0 => //; apply: exprn_ge0; apply: ltW.
set a := u * (1 - v); set b := v * (1 - u) => h; case: (lerP (u - v) g) => // gd; exfalso.
have ab : a - b = u - v by rewrite /a /b; ring.
have b0 : 0 <= b by rewrite mulr_ge0 // subr_ge0.
have sq : 4%:R * a * b <= (1 - a - b) ^+ 2.
  rewrite -subr_ge0; have -> : (1 - a - b) ^+ 2 - 4%:R * a * b = (1 - u - v) ^+ 2 by rewrite /a /b; ring.
  exact: sqr_ge0.
have r0 : 0 <= 1 - a - b.
  have -> : 1 - a - b = (1 - u) * (1 - v) + u * v by rewrite /a /b; ring.
  by rewrite addr_ge0 // mulr_ge0 // subr_ge0.
(* a > (1+g)^2/4, b > (1-g)^2/4 *)
have d0 : 0 < u - v - g by rewrite subr_gt0.
have [g00|gn] := eqVneq g 0.
  by move: h; rewrite g00 addr0 subr0 !expr1n !mul1r subr_ge0 leNgt => /negP; apply; rewrite -subr_gt0 ab; move: d0; rewrite g00 subr0.
have gp : 0 < g by rewrite lt_def gn.
have hb : (1 - g) ^+ 2 < 4%:R * b.
  rewrite -subr_gt0 -(pmulr_rgt0 _ gp).
  have -> : g * (4%:R * b - (1 - g) ^+ 2) = ((1 + g) ^+ 2 * b - (1 - g) ^+ 2 * a) + (1 - g) ^+ 2 * (a - b - g) by ring.
  by apply: ltr_paddl => //; rewrite ab mulr_gt0 // exprn_gt0.
have ha : (1 + g) ^+ 2 < 4%:R * a.
  have -> : 4%:R * a = 4%:R * b + 4%:R * (u - v) by rewrite -ab; ring.
  have -> : (1 + g) ^+ 2 = (1 - g) ^+ 2 + 4%:R * g by ring.
  by apply: ltr_add => //; rewrite ltr_pmul2l // ltr0n.
have hs : 4%:R * (1 - a - b) < 4%:R - (1 + g) ^+ 2 - (1 - g) ^+ 2.
  have -> : 4%:R * (1 - a - b) = 4%:R - (4%:R * a + 4%:R * b) by ring.
  have -> : 4%:R - (1 + g) ^+ 2 - (1 - g) ^+ 2 = 4%:R - ((1 + g) ^+ 2 + (1 - g) ^+ 2) by ring.
  by rewrite ltr_add2l ltr_opp2; apply: ltr_add.
have t0 : 0 <= 4%:R * (1 - a - b) by rewrite mulr_ge0 // ler0n.
have key : (4%:R * (1 - a - b)) ^+ 2 < 4%:R * ((4%:R * a) * (4%:R * b)).
  apply: (@lt_le_trans _ _ ((4%:R - (1 + g) ^+ 2 - (1 - g) ^+ 2) ^+ 2)).
    by rewrite ltr_expn2r.
  have -> : (4%:R - (1 + g) ^+ 2 - (1 - g) ^+ 2) ^+ 2 = 4%:R * ((1 + g) ^+ 2 * (1 - g) ^+ 2) by ring.
  have g1' : 0 <= 1 + g by apply: addr_ge0; rewrite ?ler01.
  rewrite ler_pmul2l ?ltr0n //; apply: ler_pmul; [exact: exprn_ge0 | by apply: exprn_ge0; apply: ltW | exact: ltW | exact: ltW].
have : 4%:R * ((4%:R * a) * (4%:R * b)) <= (4%:R * (1 - a - b)) ^+ 2.
  have -> : 4%:R * ((4%:R * a) * (4%:R * b)) = 16%:R * (4%:R * a * b) by ring.
  have -> : (4%:R * (1 - a - b)) ^+ 2 = 16%:R * (1 - a - b) ^+ 2 by ring.
  by apply: ler_wpmul2l => //; apply: ler0n.
by move=> /(lt_le_trans key); rewrite ltxx.
Qed.

Theorem total_variation_sound : sound1 (@mean_stability R P L) (@mean_bounded_range R P L A) (@rule_total_variation R A) (@built_total_variation R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} W O N mp lN; case: w; rewrite /rule_total_variation.
case: f => [g u]; case: p mp => [l v] [sp h]; rewrite /stability_ok /mean_stability /= in sp h * => ok.
have [g0 g1 uv most] : [/\ 0 <= g, g <= 1, u = v & g = 1 \/ amount A l <= ((1 + g) / (1 - g)) ^+ 2].
  conds; split=> //; match goal with H : is_true (_ || at_most _ _ _) |- _ => case/orP: H => [/eqP|/at_most_ok hm]; [by left | right] end.
  by move: hm; rewrite /amount /= E0 mul1r.
subst v => a b ab S; rewrite mul1r -ler_subl_addl.
have ev c : 0 <= event (N c) S <= 1 by apply: law_event.
case: most => [->|most].
  by have /andP[_ h1] := ev a; have /andP[h2 _] := ev b; rewrite ler_subl_addr; apply: le_trans h1 _; rewrite ler_addl.
have [ge1|g1'] := eqVneq g 1.
  by have /andP[_ h1] := ev a; have /andP[h2 _] := ev b; rewrite ge1 ler_subl_addr; apply: le_trans h1 _; rewrite ler_addl.
apply: (moved_bound (ev a) (ev b)); first by rewrite g0 lt_def eq_sym g1'.
apply: le_trans (_ : amount A l * (event (N b) S * (1 - event (N a) S)) <= _).
  by have := h a b ab S; rewrite !events_one.
apply: ler_wpmul2r most; apply: mulr_ge0; first by case/andP: (ev b).
by rewrite subr_ge0; case/andP: (ev a).
Qed.
End Stability.
