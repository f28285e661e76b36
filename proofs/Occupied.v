(* Soundness of cuts drawn among the middles of occupied blocks, beside a blank: on a whole line and in every range of one. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws Ranges.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Occupied.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

(* Weights that change by a factor of g where they are on either side; what is there on one side only weighs V, a blank B *)
Section Blank.
Variables (C : finType) (c0 : C) (g V B : R).
Hypotheses (g1 : 1 <= g) (V0 : 0 <= V) (B0 : 0 < B).
Lemma lone_share (w v : C -> R) : (forall c, 0 <= w c) -> w c0 = B -> v c0 = B -> \sum_(c | v c == 0) w c <= V ->
  (\sum_(c | v c == 0) w c) * (B + V) <= V * (\sum_c w c).
Proof.
move=> w0 wb vb h; set D := \sum_(c | v c == 0) w c in h *; have D0 : 0 <= D by apply: sumr_ge0.
have tot : B + D <= \sum_c w c.
  rewrite (bigID (fun c => v c == 0)) /= -/D addrC ler_add2l (bigD1 c0) /=; last by rewrite vb lt0r_neq0.
  by rewrite wb ler_addl; apply: sumr_ge0.
apply: le_trans (_ : V * (B + D) <= _); last by apply: ler_wpmul2l.
by rewrite mulrDr [X in _ <= X]mulrDr [V * D]mulrC ler_add2r; apply: ler_wpmul2r => //; apply: ltW.
Qed.
Lemma blank_close (w v : C -> R) : (forall c, 0 <= w c) -> (forall c, 0 <= v c) -> w c0 = B -> v c0 = B ->
  (forall c, v c != 0 -> w c <= g * v c) -> (forall c, w c != 0 -> v c <= g * w c) ->
  \sum_(c | v c == 0) w c <= V -> \sum_(c | w c == 0) v c <= V ->
  close (g ^+ 2 * ((B + V) / B)) (V / (B + V)) (normal w) (normal v).
Proof.
move=> w0 v0 wb vb up down hw hv S; have sw := lone_share w0 wb vb hw; have sv := lone_share v0 vb wb hv.
have BV : 0 < B + V by apply: ltr_paddr.
have g0 : 0 <= g by apply: le_trans g1.
have pw : 0 < \sum_c w c by apply: (sum_pos w0 (o := c0)); rewrite wb.
have pv : 0 < \sum_c v c by apply: (sum_pos v0 (o := c0)); rewrite vb.
have total : (\sum_c v c) * B <= g * (\sum_c w c) * (B + V).
  have h : \sum_c v c <= g * (\sum_c w c) + \sum_(c | w c == 0) v c.
    rewrite (bigID (fun c => w c == 0)) /= addrC ler_add2r mulr_sumr [X in _ <= X](bigID (fun c => w c == 0)) /=.
    apply: le_trans (_ : \sum_(i | w i != 0) g * w i <= _); first by apply: ler_sum => c /down.
    by rewrite ler_addr; apply: sumr_ge0 => c _; apply: mulr_ge0.
  have := ler_wpmul2r (ltW BV) h; rewrite [X in _ <= X -> _]mulrDl => h'.
  have := le_trans h' (ler_add (lexx _) sv); rewrite mulrDr [V * _]mulrC ler_add2r; exact.
rewrite (bigID (fun c => v c == 0)) /= addrC; apply: ler_add.
  rewrite mulr_sumr big_mkcond [X in _ <= X]big_mkcond; apply: ler_sum => c _.
  case: (S c) => //=; case: ifP => vc; last by apply: mulr_ge0; [apply: mulr_ge0; [exact: exprn_ge0 | apply: divr_ge0; exact: ltW] | exact: normal_ge0].
  rewrite /normal ler_pdivr_mulr //; apply: le_trans (up c vc) _.
  have -> : g ^+ 2 * ((B + V) / B) * (v c / \sum_x v x) * (\sum_x w x) =
      g * v c * ((g * (\sum_x w x) * (B + V)) / ((\sum_x v x) * B)) by field; rewrite !lt0r_neq0.
  rewrite ler_pemulr ?mulr_ge0 // ler_pdivl_mulr ?mul1r //; exact: mulr_gt0.
rewrite ler_pdivl_mulr //; apply: le_trans (_ : (\sum_(c | v c == 0) normal w c) * (B + V) <= _).
  apply: ler_wpmul2r; first exact: ltW.
  rewrite big_mkcond [X in _ <= X]big_mkcond; apply: ler_sum => c _.
  by case: (S c) => //=; case: ifP => // _; apply: normal_ge0.
by rewrite /normal -mulr_suml mulrAC ler_pdivr_mulr.
Qed.
End Blank.

Lemma block_weight_ge0 (x : R) n m h u : 0 < x -> 0 <= block_weight x n m h u.
Proof. by move=> x0; rewrite /block_weight; case: ifP => // _; rewrite le_minr !divr_ge0 // exprn_ge0 // ltW. Qed.
Lemma block_weight_eq0 (x : R) n m h u : 0 < x -> (block_weight x n m h u == 0) = (h == 0%N).
Proof.
move=> x0; rewrite /block_weight; case: ifP => [_|hn]; first exact: eqxx.
by apply/negbTE/lt0r_neq0; rewrite lt_minr !divr_gt0 // exprn_gt0.
Qed.
Lemma over_step (x : R) n h h' s : 0 < x -> x <= 1 -> (h <= h' + s)%N -> x ^+ n / x ^+ h <= (1 / x) ^+ s * (x ^+ n / x ^+ h').
Proof.
move=> x0 x1 hs; have -> : (1 / x) ^+ s * (x ^+ n / x ^+ h') = x ^+ n / x ^+ (h' + s).
  by rewrite exprD div1r exprVn invfM mulrC -mulrA.
apply: ler_wpmul2l; first by rewrite exprn_ge0 // ltW.
by rewrite ler_pinv ?inE ?unitfE ?exprn_gt0 ?lt0r_neq0 ?exprn_gt0 //; apply: ler_wiexpn2l => //; apply: ltW.
Qed.
Lemma block_weight_step (x : R) n m h h' u u' s : 0 < x -> x <= 1 -> h' != 0%N -> (h <= h' + s)%N -> (u' <= u + s)%N ->
  block_weight x n m h u <= (1 / x) ^+ s * block_weight x n m h' u'.
Proof.
move=> x0 x1 hn hs us; have i0 : 0 <= (1 / x) ^+ s by rewrite exprn_ge0 // ltW // inv_gt0.
have [h0|hz] := eqVneq h 0%N.
  by rewrite {1}/block_weight h0 eqxx mulr_ge0 // block_weight_ge0.
rewrite /block_weight (negbTE hz) (negbTE hn) minr_pmulr //; apply: (le_trans (y := Num.min (x ^+ (2 * n) / x ^+ h) (x ^+ u / x ^+ m))) => //.
rewrite le_minr; apply/andP; split; rewrite le_minl; apply/orP; [left; exact: over_step | right].
by rewrite mulrA; apply: ler_wpmul2r; [rewrite invr_ge0 exprn_ge0 // ltW | exact: power_step].
Qed.
Lemma block_weight_lone (x : R) n m u : 0 < x -> block_weight x n m 1 u <= x ^+ (2 * n) / x.
Proof. by move=> x0; rewrite /block_weight /= expr1 le_minl lexx. Qed.

(* The weights of all candidates, for occupied blocks and ends of some costs *)
Section Weights.
Variables (x : R) (stake d reach free f0 N s : nat).
Hypotheses (x0 : 0 < x) (x1 : x <= 1) (stake0 : (0 < stake)%N).
Definition candidates (h u : 'I_d -> 'I_(2 ^ d) -> nat) (e : bool -> nat) (c : candidate d) : R :=
  match c with
  | None => stake%:R * x ^+ (2 * reach)
  | Some (inr b) => x ^+ e b / x ^+ f0
  | Some (inl (l, q)) => block_weight x reach free (h l q) (u l q)
  end.
Lemma candidates_ge0 h u e c : 0 <= candidates h u e c.
Proof.
case: c => [[[l q]|b]|] /=; first exact: block_weight_ge0.
  by rewrite divr_ge0 // exprn_ge0 // ltW.
by rewrite mulr_ge0 ?ler0n // exprn_ge0 // ltW.
Qed.
Lemma candidates_law h u e : law (normal (candidates h u e)).
Proof.
by apply: (normal_law (o := None)) => [c|]; [exact: candidates_ge0 | rewrite /= mulr_gt0 ?ltr0n // exprn_gt0].
Qed.

(* One level has one lone block at most, and N levels have one at all *)
Lemma lone_weight (h u : 'I_d -> 'I_(2 ^ d) -> nat) e (h' u' : 'I_d -> 'I_(2 ^ d) -> nat) e' (q1 : 'I_d -> nat) (ok : pred 'I_d) : (#|ok| <= N)%N ->
  (forall l q, h' l q = 0%N -> h l q <> 0%N -> [/\ h l q = 1%N, ok l & (q : nat) = q1 l]) ->
  \sum_(c | candidates h' u' e' c == 0) candidates h u e c <= N%:R * (x ^+ (2 * reach) / x).
Proof.
move=> okN lone; set V := x ^+ (2 * reach) / x; have V0 : 0 <= V by rewrite divr_ge0 ?exprn_ge0 // ltW.
pose up (c : candidate d) := if c is Some (inl (l, q)) then (if ok l && ((q : nat) == q1 l) then V else 0) else 0.
apply: le_trans (_ : \sum_c up c <= _).
  rewrite big_mkcond; apply: ler_sum => -[[[l q]|b]|] _ /=.
  - rewrite block_weight_eq0 //; case: eqP => [h0|_]; last by case: ifP.
    have [hz|/eqP hn] := eqVneq (h l q) 0%N; first by rewrite /block_weight hz eqxx; case: ifP.
    by have [-> -> ->] := lone _ _ h0 hn; rewrite eqxx /=; apply: block_weight_lone.
  - by case: eqP => // /eqP; rewrite mulf_eq0 invr_eq0 !expf_eq0 (gt_eqF x0) !andbF.
  - by case: eqP => // /eqP; rewrite mulf_eq0 expf_eq0 (gt_eqF x0) andbF orbF pnatr_eq0 (gtn_eqF stake0).
pose S := [set c : candidate d | if c is Some (inl (l, q)) then ok l && ((q : nat) == q1 l) else false].
pose level (c : candidate d) : option 'I_d := if c is Some (inl (l, _)) then Some l else None.
have few : (#|S| <= N)%N.
  have inj : {in S &, injective level}.
    move=> [[[l q]|b]|] [[[l' q']|b']|]; rewrite !inE //= => /andP[_ /eqP h1] /andP[_ /eqP h2] [e1]; move: h2; rewrite -e1 -h1 => /val_inj -> //.
  have Si : injective (@Some 'I_d) by move=> ? ? [].
  rewrite -(card_in_imset inj); apply: leq_trans okN; rewrite -(card_imset ok Si).
  apply: subset_leq_card; apply/subsetP => o /imsetP [[[[l q]|b]|]]; rewrite inE //= => /andP[okl _] ->.
  by apply: imset_f.
have -> : \sum_c up c = \sum_(c in S) V.
  by rewrite [RHS]big_mkcond; apply: eq_bigr => -[[[l q]|b]|] _; rewrite inE.
by rewrite sumr_const -[V *+ _]mulr_natl; apply: ler_wpmul2r => //; rewrite ler_nat.
Qed.

Lemma candidates_close (h u : 'I_d -> 'I_(2 ^ d) -> nat) e (h' u' : 'I_d -> 'I_(2 ^ d) -> nat) e' (q1 q2 : 'I_d -> nat) (ok : pred 'I_d) : (#|ok| <= N)%N ->
  (forall l q, h l q <= h' l q + s)%N -> (forall l q, h' l q <= h l q + s)%N ->
  (forall l q, u l q <= u' l q + s)%N -> (forall l q, u' l q <= u l q + s)%N ->
  (forall b, e b <= e' b + s)%N -> (forall b, e' b <= e b + s)%N ->
  (forall l q, h' l q = 0%N -> h l q <> 0%N -> [/\ h l q = 1%N, ok l & (q : nat) = q1 l]) ->
  (forall l q, h l q = 0%N -> h' l q <> 0%N -> [/\ h' l q = 1%N, ok l & (q : nat) = q2 l]) ->
  close (((1 / x) ^+ s) ^+ 2 * ((x * stake%:R + N%:R) / (x * stake%:R))) (N%:R / (x * stake%:R + N%:R))
    (normal (candidates h u e)) (normal (candidates h' u' e')).
Proof.
move=> okN h1 h2 u1 u2 e1 e2 l1 l2; set V := N%:R * (x ^+ (2 * reach) / x); set B := stake%:R * x ^+ (2 * reach).
have xr : 0 < x ^+ (2 * reach) by apply: exprn_gt0.
have st : 0 < stake%:R :> R by rewrite ltr0n.
have B0 : 0 < B by apply: mulr_gt0.
have V0 : 0 <= V by rewrite mulr_ge0 ?ler0n // divr_ge0 // ltW.
have d0 : 0 < x * stake%:R + N%:R by apply: ltr_paddr; [exact: ler0n | exact: mulr_gt0].
have -> : (x * stake%:R + N%:R) / (x * stake%:R) = (B + V) / B by rewrite /B /V; field; rewrite !lt0r_neq0.
have -> : N%:R / (x * stake%:R + N%:R) = V / (B + V).
  rewrite /B /V; field; rewrite !lt0r_neq0 //=.
  have -> : stake%:R * x ^+ (2 * reach) * x + N%:R * x ^+ (2 * reach) = (x * stake%:R + N%:R) * x ^+ (2 * reach) by ring.
  exact: mulr_gt0.
have i1 : 1 <= (1 / x) ^+ s by apply: exprn_ege1; apply: inv_ge1.
have step a b (ua ub : 'I_d -> 'I_(2 ^ d) -> nat) ea eb : (forall l q, a l q <= b l q + s)%N -> (forall l q, ub l q <= ua l q + s)%N ->
    (forall b, eb b <= ea b + s)%N -> forall c, candidates b ub eb c != 0 -> candidates a ua ea c <= (1 / x) ^+ s * candidates b ub eb c.
  move=> hs us es [[[l q]|y]|] /=.
  - by rewrite block_weight_eq0 // => hn; apply: block_weight_step.
  - by move=> _; rewrite mulrA; apply: ler_wpmul2r; [rewrite invr_ge0 exprn_ge0 // ltW | exact: power_step].
  - by move=> _; rewrite ler_pemull // ltW.
apply: (@blank_close _ None _ _ _ i1 V0 B0) => // [c|c|c|c||]; try exact: candidates_ge0; try exact: step.
- exact: lone_weight l1.
- exact: lone_weight l2.
Qed.
End Weights.

(* Counts of records, when one of them is replaced *)
Lemma counted_but n (X : Type) (a b : 'I_n -> X) i (p : pred X) : (forall j, j != i -> a j = b j) ->
  (#|[pred j | p (a j)]| + p (b i) = #|[pred j | p (b j)]| + p (a i))%N.
Proof.
move=> ab; rewrite (cardD1 i) [in RHS](cardD1 i) !inE addnAC [in RHS]addnAC [(p (b i) + _)%N]addnC; congr (_ + _)%N.
by apply: eq_card => j; rewrite !inE; case: eqP => //= /eqP ji; rewrite ab.
Qed.
Lemma one_more (h h' : nat) (p q : bool) : (h + q = h' + p -> h <= h' + 1)%N.
Proof. case: p; case: q; lia. Qed.
Lemma lone_one (h h' : nat) (p q : bool) : (h + q = h' + p -> h' = 0 -> h <> 0 -> [/\ h = 1, p & ~~ q])%N.
Proof. case: p; case: q => /= e e' n; split=> //; lia. Qed.

Theorem occupied_blocks_sound : sound0 mean (@rule_occupied_blocks R A) (@built_occupied_blocks R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W O d x reach cells place wrong named reach0.
subst d x; case: w place named => x d stake /= place named lM.
rewrite /rule_occupied_blocks; facts f => ok; apart.
have x0 : 0 < x by []. have x1 : x <= 1 by apply: ltW.
have st : (0 < stake)%N by []. have d0 : (0 < d)%N by [].
have d1 : d%:R = (d.-1)%:R + 1 :> R by rewrite -[d in LHS]prednK // -addn1 natrD.
have w0 : 0 < x * stake%:R by rewrite mulr_gt0 // ltr0n.
have v0 : 0 < x * stake%:R + (d.-1)%:R by apply: ltr_paddr; rewrite ?ler0n.
have ek : x * stake%:R + d%:R - 1 = x * stake%:R + (d.-1)%:R by rewrite d1; ring.
have ed : d%:R - 1 = (d.-1)%:R :> R by rewrite d1; ring.
set F := short A _; set D := short A _; have sF : 1 <= F by []. have sD : 0 <= D by [].
have pw : ((1 / x) ^+ 1) ^+ 2 <= pow A (1 / x) 2%:R by rewrite expr1; apply: pow_up; apply: inv_gt0.
have p0 : 0 <= ((1 / x) ^+ 1) ^+ 2 by rewrite !exprn_ge0 // ltW // inv_gt0.
have kF : ((1 / x) ^+ 1) ^+ 2 * ((x * stake%:R + (d.-1)%:R) / (x * stake%:R)) <= F.
  rewrite /F ek; apply: le_trans (short_up A _); last by apply: divr_ge0; [apply: mulr_ge0; [exact: le_trans p0 pw | exact: ltW] | exact: ltW].
  by rewrite mulrA; apply: ler_wpmul2r; [rewrite invr_ge0 ltW | apply: ler_wpmul2r => //; exact: ltW].
have kD : (d.-1)%:R / (x * stake%:R + (d.-1)%:R) <= D by rewrite /D ek ed; apply: short_up; rewrite divr_ge0 ?ler0n // ltW.
pose mistakes (c : data P L W) k := #|[pred i | wrong (c i) k]|.
pose held (c : data P L W) (l : 'I_d) (q : 'I_(2 ^ d)) := #|[pred i | in_block d l q (place (c i).1)]|.
pose wt c := candidates x stake reach reach.-1 reach.-1 (held c) (fun l q => mistakes c (minn cells (middle d l q)))
  (fun e : bool => mistakes c (if e then cells else 0%N)).
apply: private1 => // a b [i [pi ab _]]; rewrite amount_pure.
apply: (close_weaken _ _ kF kD); first by case: (lM b).
have ba j : j != i -> b j = a j by move=> ji; rewrite ab.
have hm (c c' : data P L W) l q : (forall j, j != i -> c j = c' j) -> (held c l q <= held c' l q + 1)%N.
  by move=> cc; apply: one_more (counted_but (fun r => in_block d l q (place r.1)) cc).
have um (c c' : data P L W) k : (forall j, j != i -> c j = c' j) -> (mistakes c k <= mistakes c' k + 1)%N.
  by move=> cc; apply: one_more (counted_but (fun r => wrong r k) cc).
have lone (c c' : data P L W) (l : 'I_d) (q : 'I_(2 ^ d)) : (forall j, j != i -> c j = c' j) -> held c' l q = 0%N -> held c l q <> 0%N ->
    [/\ held c l q = 1%N, (l != 0 :> nat)%N & (q : nat) = (place (c i).1 %/ 2 ^ (d - l))%N].
  move=> cc h0 hn; have [h1 inb out] := lone_one (counted_but (fun r => in_block d l q (place r.1)) cc) h0 hn.
  split=> //; last by rewrite (eqP inb).
  apply: contra out => /eqP l0; move: inb; rewrite /in_block l0 subn0 !divn_small ?ltn_ord //.
have okN : (#|[pred l : 'I_d | (l != 0 :> nat)%N]| <= d.-1)%N.
  have z : 'I_d := Ordinal d0.
  rewrite -[d in (_ <= d.-1)%N]card_ord -(cardC1 (Ordinal d0)); apply: subset_leq_card; apply/subsetP => l.
  by rewrite !inE; apply: contra => /eqP ->.
have main : close (((1 / x) ^+ 1) ^+ 2 * ((x * stake%:R + (d.-1)%:R) / (x * stake%:R))) ((d.-1)%:R / (x * stake%:R + (d.-1)%:R)) (normal (wt a)) (normal (wt b)).
  apply: (candidates_close reach reach.-1 reach.-1 x0 x1 st okN); try by move=> *; apply: hm.
  - by move=> l q; apply: um.
  - by move=> l q; apply: um.
  - by move=> e; apply: um.
  - by move=> e; apply: um.
  - by move=> l q; apply: lone.
  - by move=> l q; apply: lone.
apply: (close_push (T := fun c o => (named c == o)%:R)) main => c; split=> [o|]; first exact: ler0n.
by rewrite (bigD1 (named c)) //= eqxx big1 ?addr0 // => o /negbTE; rewrite eq_sym => ->.
Qed.

(* One range: s of its records change, none, one or two *)
Section Range.
Variables (x : R) (stake d reach : nat) (K : finType) (of_ : 'I_(2 ^ d) -> K).
Hypotheses (x0 : 0 < x) (x1 : x <= 1) (stake0 : (0 < stake)%N).
Let w0 : 0 < x * stake%:R. Proof. by rewrite mulr_gt0 // ltr0n. Qed.
Definition range_factor := (1 / x) ^+ 2 * ((x * stake%:R + d%:R) / (x * stake%:R)).
Definition range_delta := d%:R / (x * stake%:R + d%:R).
Lemma range_quotient : 1 <= (x * stake%:R + d%:R) / (x * stake%:R).
Proof. by rewrite ler_pdivl_mulr // mul1r ler_addl ler0n. Qed.
Lemma range_factor1 : 1 <= range_factor.
Proof.
rewrite /range_factor -[1 in X in X <= _]mulr1; apply: ler_pmul; rewrite ?ler01 ?range_quotient //.
by apply: exprn_ege1; apply: inv_ge1.
Qed.
Lemma range_delta0 : 0 <= range_delta.
Proof. by rewrite /range_delta divr_ge0 ?ler0n // addr_ge0 ?ler0n // ltW. Qed.

Lemma range_close (on on' : 'I_(2 ^ d) -> nat) y z k : (forall r, on r + (r == y) = on' r + (r == z))%N ->
  let c := ((of_ y == k) + (of_ z == k))%N in
  close (range_factor ^+ c) (c%:R * range_delta) (normal (range_weight x stake of_ reach on k)) (normal (range_weight x stake of_ reach on' k)).
Proof.
move=> h c; pose N := if c == 0%N then 0%N else d.
have h' r : (on' r + (r == z) = on r + (r == y))%N by rewrite h.
have e S := in_range_moves of_ k S h; have e' S := in_range_moves of_ k S h'.
pose held (o : 'I_(2 ^ d) -> nat) (l : 'I_d) (q : 'I_(2 ^ d)) := in_range of_ o k (fun z => in_block d l q z).
pose wrong (o : 'I_(2 ^ d) -> nat) (l : 'I_d) (q : 'I_(2 ^ d)) :=
  distance (2 * in_range of_ o k (below (middle d l q))) (in_range of_ o k predT).
have le_and (p q : bool) : (p && q <= p)%N by case: p => //=; case: q.
have upto (p q n : nat) (s t : bool) : (p + s = q + t -> t <= n -> p <= q + n)%N by move=> *; lia.
have cy : ((of_ y == k) <= c)%N by apply: leq_addr.
have cz : ((of_ z == k) <= c)%N by apply: leq_addl.
have okN : (#|[pred l : 'I_d | c != 0%N]| <= N)%N.
  by rewrite /N; case: (c == 0%N) => /=; [rewrite eq_card0 | apply: leq_trans (max_card _) _; rewrite card_ord].
have dist (o o' : 'I_(2 ^ d) -> nat) p q l r : (forall r, o r + (r == p) = o' r + (r == q))%N -> ((of_ q == k) + (of_ p == k))%N = c ->
    (wrong o l r <= wrong o' l r + c)%N.
  move=> g <-; have e1 := in_range_moves of_ k (below (middle d l r)) g; have e2 := in_range_moves of_ k predT g; rewrite !andbT in e2.
  by apply: half_moves e1 e2 _ _ (leq_b1 _) (leq_b1 _); apply: le_and.
have lone (o o' : 'I_(2 ^ d) -> nat) p q (l : 'I_d) (r : 'I_(2 ^ d)) : (forall r, o r + (r == p) = o' r + (r == q))%N -> ((of_ q == k) <= c)%N ->
    held o' l r = 0%N -> held o l r <> 0%N -> [/\ held o l r = 1%N, (c != 0)%N & (r : nat) = (q %/ 2 ^ (d - l))%N].
  move=> g cq h0 hn; have [h1 /andP[kq inb] _] := lone_one (in_range_moves of_ k (fun z => in_block d l r z) g) h0 hn.
  by split=> //; [move: cq; rewrite kq; case: (c) | rewrite (eqP inb)].
have main : close (((1 / x) ^+ c) ^+ 2 * ((x * stake%:R + N%:R) / (x * stake%:R))) (N%:R / (x * stake%:R + N%:R))
    (normal (range_weight x stake of_ reach on k)) (normal (range_weight x stake of_ reach on' k)).
  apply: (candidates_close reach (2 * reach).-1 (2 * reach).-1 (h := held on) (u := wrong on) (e := fun=> in_range of_ on k predT)
    (h' := held on') (u' := wrong on') (e' := fun=> in_range of_ on' k predT) x0 x1 stake0 okN).
  - by move=> l q; apply: (upto _ _ _ _ _ (e (fun z => in_block d l q z))); apply: leq_trans _ cz; apply: le_and.
  - by move=> l q; apply: (upto _ _ _ _ _ (e' (fun z => in_block d l q z))); apply: leq_trans _ cy; apply: le_and.
  - by move=> l q; apply: dist h _; rewrite addnC.
  - by move=> l q; apply: dist h' _.
  - by move=> _; apply: (upto _ _ _ _ _ (e predT)); apply: leq_trans _ cz; apply: le_and.
  - by move=> _; apply: (upto _ _ _ _ _ (e' predT)); apply: leq_trans _ cy; apply: le_and.
  - by move=> l q; apply: lone h cz.
  - by move=> l q; apply: lone h' cy.
have v0 : forall o, 0 <= normal (range_weight x stake of_ reach on' k) o by move=> o; case: (candidates_law reach (2 * reach).-1 (2 * reach).-1 x0 stake0 (held on') (wrong on') (fun=> in_range of_ on' k predT)) => g _; apply: g.
have c2 : (c <= 2)%N by rewrite /c; case: (of_ y == k); case: (of_ z == k).
have q1 := range_quotient; have q0 : 0 <= (x * stake%:R + d%:R) / (x * stake%:R) by apply: le_trans q1.
have i0 : 0 <= (1 / x) ^+ 4 by rewrite exprn_ge0 // ltW // inv_gt0.
apply: (close_weaken v0 main); rewrite /N /range_factor; case: (c) c2 => [|[|[|//]]] _ /=.
- by rewrite !expr0 expr1n mul1r addr0 divff // lt0r_neq0.
- by rewrite !expr1.
- rewrite [X in _ <= X]exprMn -!exprM; apply: ler_wpmul2l => //.
  by rewrite expr2 ler_pemull.
- by rewrite !mul0r.
- by rewrite mul1r.
- by rewrite ler_pemull ?range_delta0 // (ler_nat R 1 2).
Qed.

Lemma draws_close W (on : data P L W -> 'I_(2 ^ d) -> nat) ks O (M : mech R P L W O) a b y z :
  range_draws x stake of_ reach on ks M -> (forall r, on a r + (r == y) = on b r + (r == z))%N ->
  (law (M a) /\ law (M b)) /\ let c := (\sum_(k <- ks) ((of_ y == k) + (of_ z == k)))%N in
  close (range_factor ^+ c) (c%:R * range_delta) (M a) (M b).
Proof.
move=> B h; elim: B => {ks O M} [|k ks O M B [[la lb] IH]].
  have lu : law (fun _ : unit => 1 : R) by split=> [o|]; [exact: ler01 | rewrite big_const card_unit /= addr0].
  by split; [split | rewrite /= big_nil expr0 mul0r => S; rewrite mul1r addr0].
have lk (o : 'I_(2 ^ d) -> nat) : law (normal (range_weight x stake of_ reach o k)).
  pose held (l : 'I_d) (q : 'I_(2 ^ d)) := in_range of_ o k (fun z => in_block d l q z).
  pose wrong (l : 'I_d) (q : 'I_(2 ^ d)) := distance (2 * in_range of_ o k (below (middle d l q))) (in_range of_ o k predT).
  by apply: (candidates_law reach (2 * reach).-1 (2 * reach).-1 x0 stake0 held wrong (fun=> in_range of_ o k predT)).
split; first by split; apply: law_both.
have k0 n : 0 <= range_factor ^+ n by apply/exprn_ge0/(le_trans ler01)/range_factor1.
rewrite /= big_cons addnC exprD natrD mulrDl; apply: close_both => //; first by rewrite mulr_ge0 ?ler0n // range_delta0.
by move=> _; apply: range_close.
Qed.
End Range.

Lemma once (K : eqType) (ks : seq K) v : uniq ks -> (\sum_(k <- ks) (v == k) <= 1)%N.
Proof.
elim: ks => [|k ks IH]; first by rewrite big_nil.
rewrite /= big_cons => /andP[nk /IH h]; case: eqP => // e; rewrite big1_seq // => r /andP[_ rk].
by case: eqP => // er; rewrite -e er rk in nk.
Qed.

Theorem leafwise_blocks_sound : sound0 mean (@rule_leafwise_blocks R A) (@built_leafwise_blocks R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W O d K of_ reach on ks M reach0 un mv; subst d.
case: w of_ on mv => x d stake /= of_ on mv B lM; move: mv.
rewrite /rule_leafwise_blocks; facts f => mv ok; apart.
have x0 : 0 < x by []. have x1 : x <= 1 by apply: ltW.
have st : (0 < stake)%N by [].
have w0 : 0 < x * stake%:R by rewrite mulr_gt0 // ltr0n.
set F := short A _; set D := short A _; have sF : 1 <= F by []. have sD : 0 <= D by [].
apply: private1 => // a b ab; rewrite amount_pure; have [y [z h]] := mv a b ab.
have [_ /= main] := draws_close x0 x1 st B h; set c := (\sum_(_ <- _) _)%N in main.
have c2 : (c <= 2)%N by rewrite /c big_split /=; apply: (leq_add (once _ un) (once _ un)).
have f1 := range_factor1 d x0 x1 st; have d0 := range_delta0 d x0 st.
apply: (close_weaken _ main); first by case: (lM b).
  apply: le_trans (_ : range_factor x stake d ^+ 2 <= _); first exact: ler_weexpn2l.
  have e : range_factor x stake d ^+ 2 = (1 / x) ^+ 4 * ((x * stake%:R + d%:R) / (x * stake%:R)) ^+ 2 by rewrite /range_factor exprMn -exprM.
  rewrite e; apply: le_trans (short_up A _).
    by apply: ler_wpmul2r; [apply: exprn_ge0; rewrite divr_ge0 ?addr_ge0 ?ler0n // ltW | apply: pow_up; apply: inv_gt0].
  apply: mulr_ge0; last by apply: exprn_ge0; rewrite divr_ge0 ?addr_ge0 ?ler0n // ltW.
  by apply: le_trans (pow_up A 4 (inv_gt0 x0)); rewrite exprn_ge0 // ltW // inv_gt0.
apply: le_trans (_ : 2%:R * range_delta x stake d <= _); first by apply: ler_wpmul2r => //; rewrite ler_nat.
rewrite /range_delta mulrA; apply: short_up; apply: divr_ge0; first by rewrite mulr_ge0 ?ler0n.
by rewrite addr_ge0 ?ler0n // ltW.
Qed.
End Occupied.
