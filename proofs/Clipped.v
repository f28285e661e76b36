(* Soundness of the clipped choice of a point. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Whole numbers, apart from everything else. n and n' are the records at one value before and after, N and N' all of them *)
Lemma up_small K0 K c N (h : bool) : (h -> N < K)%N -> (N < K -> (K0 + c) - maxn K N <= (K0 + (c + h)) - maxn K (N + 1) /\
  (K0 + (c + h)) - maxn K (N + 1) <= (K0 + c) - maxn K N + 1)%N.
Proof. by move=> _; case: h => /=; lia. Qed.
Lemma up_large K0 K c N (h : bool) : (K <= N -> (K0 + (c + h)) - maxn K (N + 1) <= (K0 + c) - maxn K N /\
  (K0 + c) - maxn K N <= (K0 + (c + h)) - maxn K (N + 1) + 1)%N.
Proof. by case: h => /=; lia. Qed.
Lemma moved_score K0 M c : ((K0 + c) - M <= (K0 + (c + 1)) - M /\ (K0 + (c + 1)) - M <= (K0 + c) - M + 1)%N. Proof. lia. Qed.
Lemma both_move K0 K N cp cq : (cp + cq <= N -> (K0 + (cq + 1)) - maxn K (N + 1) != (K0 + cq) - maxn K (N + 1) ->
  (K0 + (cp + 1)) - maxn K (N + 1) <= 2 * K0 - K)%N.
Proof. lia. Qed.

Section Clipped.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

Section Weights.
Variables (O : finType) (y : R).
Hypotheses (y1 : 1 <= y).
Implicit Types s u : O -> nat.
Lemma y_gt0 : 0 < y. Proof. exact: lt_le_trans y1. Qed.
Lemma pos_w s o : 0 <= y ^+ s o. Proof. by rewrite exprn_ge0 // ltW // y_gt0. Qed.
Lemma step_w m n : (m <= n + 1)%N -> y ^+ m <= y * y ^+ n.
Proof. by move=> h; rewrite -exprS; apply: ler_weexpn2l => //; rewrite -addn1. Qed.
Lemma le_w m n : (m <= n)%N -> y ^+ m <= y ^+ n. Proof. exact: ler_weexpn2l. Qed.

(* All scores move in one direction *)
Lemma rise s u o : (forall x, u x <= s x)%N -> (forall x, s x <= u x + 1)%N ->
  normal (fun x => y ^+ s x) o <= y * normal (fun x => y ^+ u x) o.
Proof.
move=> us su; have -> : y * normal (fun x => y ^+ u x) o = y * 1 * normal (fun x => y ^+ u x) o by rewrite mulr1.
apply: normal_close2 => [||x|x||]; [exact: ltW y_gt0 | exact: ler01 | exact: pos_w | exact: pos_w | exact: step_w |].
by rewrite mul1r; apply: ler_sum => x _; apply: le_w.
Qed.
Lemma fall s u o : (forall x, s x <= u x)%N -> (forall x, u x <= s x + 1)%N ->
  normal (fun x => y ^+ s x) o <= y * normal (fun x => y ^+ u x) o.
Proof.
move=> su us; have -> : y * normal (fun x => y ^+ u x) o = 1 * y * normal (fun x => y ^+ u x) o by rewrite mul1r.
apply: normal_close2 => [||x|x||]; [exact: ler01 | exact: ltW y_gt0 | exact: pos_w | exact: pos_w | by rewrite mul1r; apply: le_w |].
by rewrite mulr_sumr; apply: ler_sum => x _; apply: step_w.
Qed.
(* One falls by one, from a score of bound at most, another rises by one *)
Lemma exchange s u (p q : O) (W : R) o : p != q -> (u p = s p + 1)%N -> (s q = u q + 1)%N -> (forall x, x != p -> x != q -> s x = u x) ->
  y ^+ u p <= W -> normal (fun x => y ^+ s x) o <=
  y * ((#|O|%:R - 1 + W) / (#|O|%:R - 1 + W / y)) * normal (fun x => y ^+ u x) o.
Proof.
move=> pq up sq same hW; have y0 := y_gt0; have iy : 0 <= y^-1 by rewrite invr_ge0 ltW.
have t0 : 0 <= #|O|%:R - 1 :> R by rewrite subr_ge0 ler1n; apply/card_gt0P; exists p.
have v0 : 0 < y ^+ u p by apply: exprn_gt0.
have W0 : 0 < W by apply: lt_le_trans hW.
have den : 0 < #|O|%:R - 1 + W / y by apply: ltr_paddl => //; apply: divr_gt0.
apply: normal_close2 => [||x|x||]; [exact: ltW | by apply: divr_ge0; [apply: addr_ge0 => //; apply: ltW | exact: ltW] | exact: pos_w | exact: pos_w | |].
  apply: step_w; have [->|op] := eqVneq o p; first by rewrite up -addnA leq_addr.
  by have [->|oq] := eqVneq o q; rewrite ?sq // same // leq_addr.
set rest := \sum_(x | x != p) y ^+ u x.
have rest_ge : #|O|%:R - 1 <= rest.
  have -> : #|O|%:R - 1 = \sum_(x : O | x != p) 1 :> R.
    have e : \sum_(x : O) 1 = #|O|%:R :> R by rewrite sumr_const.
    by rewrite -e (bigD1 p) //= addrAC subrr add0r.
  by apply: ler_sum => x _; apply: exprn_ege1.
have total : (\sum_x y ^+ u x = y ^+ u p + rest)%R by rewrite (bigD1 p).
have less : (y ^+ u p / y + rest <= \sum_x y ^+ s x)%R.
  rewrite [X in _ <= X](bigD1 p) //=; apply: ler_add.
    by rewrite up addn1 exprS mulrAC divff ?lt0r_neq0 // mul1r.
  apply: ler_sum => x xp; apply: le_w; have [->|xq] := eqVneq x q; first by rewrite sq leq_addr.
  by rewrite same.
apply: (@le_trans _ _ ((#|O|%:R - 1 + W) / (#|O|%:R - 1 + W / y) * (y ^+ u p / y + rest))); last first.
  by apply: ler_wpmul2l less; apply: divr_ge0; [apply: addr_ge0 => //; apply: ltW | exact: ltW].
rewrite total mulrAC ler_pdivl_mulr // -subr_ge0; set t := _ - 1 in t0 rest_ge den *; set v := y ^+ u p in v0 hW *.
have -> : (t + W) * (v / y + rest) - (v + rest) * (t + W / y) = (1 - y^-1) * (W * rest - v * t) by ring.
apply: mulr_ge0; first by rewrite subr_ge0 invf_le1.
by rewrite subr_ge0; apply: ler_pmul => //; apply: ltW.
Qed.
End Weights.

Theorem clipped_points_sound : sound0 mean (@rule_clipped_points R A) (@built_clipped_points R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W value pos _; case: w value => T r K K0 /= value.
rewrite /rule_clipped_points; facts f => ok.
have r0 : 0 < r by conds. have r1 : r < 1 by conds. have T2 : (2%:R : R) <= T%:R by conds. have KK : (K0%:R : R) <= K%:R by conds.
have y1 : 1 <= 1 / r by apply: inv_ge1 => //; apply: ltW.
have y0 : 0 < 1 / r by apply: inv_gt0.
set Wt := pow A (1 / r) _ in ok.
have hW : (1 / r) ^+ (2 * K0 - K) <= Wt.
  apply: powP => //; have [h|h] := leqP K (2 * K0).
    rewrite natrB // natrM; apply/max_idPr; by rewrite subr_ge0 -natrM ler_nat.
  have -> : (2 * K0 - K = 0)%N by apply/eqP; rewrite subn_eq0 ltnW.
  by apply/max_idPl; rewrite subr_le0 -natrM ler_nat ltnW.
have W1 : 1 <= Wt by apply: le_trans hW; apply: exprn_ege1.
set Ft := (T%:R - 1 + Wt) / (T%:R - 1 + Wt * r) / r.
have t0 : 0 <= T%:R - 1 :> R by rewrite subr_ge0 (le_trans _ T2) // ler1n.
have den : 0 < T%:R - 1 + Wt * r by apply: ltr_paddl => //; apply: mulr_gt0 => //; apply: lt_le_trans W1.
have C1 : 1 <= (T%:R - 1 + Wt) / (T%:R - 1 + Wt * r).
  by rewrite ler_pdivl_mulr // mul1r ler_add2l ler_pimulr ?(le_trans ler01 W1) // ltW.
have eF : Ft = 1 / r * ((T%:R - 1 + Wt) / (T%:R - 1 + Wt * r)) by rewrite /Ft div1r mulrC.
have yF : 1 / r <= Ft by rewrite eF ler_pmulr.
have F0 : 0 <= Ft by apply: le_trans yF; apply: ltW.
have sF : Ft <= short A Ft by apply: short_up.
conds; persons; subst.
apply: pureP => // a b [i [_ ab _]] o.
pose S (c : data P L W) x := ((K0 + #|[pred j | pos (c j).2 && (value (c j).1 == x)]|) - maxn K #|[pred j | pos (c j).2]|)%N.
pose cx x := #|[pred j | (j != i) && (pos (a j).2 && (value (a j).1 == x))]|.
pose N := #|[pred j | (j != i) && pos (a j).2]|.
have split_ (c : data P L W) : (forall j, j != i -> c j = a j) ->
    (forall x, #|[pred j | pos (c j).2 && (value (c j).1 == x)]| = (cx x + (pos (c i).2 && (value (c i).1 == x)))%N) /\
    #|[pred j | pos (c j).2]| = (N + pos (c i).2)%N.
  move=> ca; split=> [x|]; rewrite (cardD1 i) inE addnC; congr (_ + _)%N; apply: eq_card => j; rewrite !inE;
    by case: (eqVneq j i) => //= ji; rewrite ca.
have [na Na] := split_ a (fun j _ => erefl); have [nb Nb] := split_ b (fun j ji => esym (ab j ji)).
have disj p q : p != q -> (cx p + cx q <= N)%N.
  move=> pq; rewrite -cardUI [X in (_ + X)%N](_ : _ = 0%N) ?addn0.
    by apply: subset_leq_card; apply/subsetP => j; rewrite !inE => /orP[] /andP[-> /andP[-> _]].
  apply: eq_card0 => j; rewrite !inE; apply/negbTE; apply/negP => /andP[/andP[_ /andP[_ /eqP e1]] /andP[_ /andP[_ /eqP e2]]].
  by case/negP: pq; rewrite -e1 -e2.
have Sa x : S a x = ((K0 + (cx x + (pos (a i).2 && (value (a i).1 == x)))) - maxn K (N + pos (a i).2))%N by rewrite /S na Na.
have Sb x : S b x = ((K0 + (cx x + (pos (b i).2 && (value (b i).1 == x)))) - maxn K (N + pos (b i).2))%N by rewrite /S nb Nb.
have same c : normal (fun x => r ^- S c x) o = normal (fun x => (1 / r) ^+ S c x) o.
  have e x : r ^- S c x = (1 / r) ^+ S c x by rewrite div1r exprVn.
  by rewrite /normal e; congr (_ / _); apply: eq_bigr => x _; apply: e.
have n0 : 0 <= normal (fun x => (1 / r) ^+ S b x) o by apply: normal_ge0 => x; apply: pos_w.
suff main : normal (fun x => (1 / r) ^+ S a x) o <= Ft * normal (fun x => (1 / r) ^+ S b x) o.
  rewrite -/(S a) -/(S b) in main *; change (normal (fun x => r ^- S a x) o <= short A Ft * normal (fun x => r ^- S b x) o).
  by rewrite !same; apply: (le_trans main); apply: ler_wpmul2r.
have direct : (forall x, S b x <= S a x)%N /\ (forall x, S a x <= S b x + 1)%N \/
    (forall x, S a x <= S b x)%N /\ (forall x, S b x <= S a x + 1)%N -> normal (fun x => (1 / r) ^+ S a x) o <= Ft * normal (fun x => (1 / r) ^+ S b x) o.
  by case=> -[h1 h2]; [apply: le_trans (rise y1 o h1 h2) _ | apply: le_trans (fall y1 o h1 h2) _]; apply: ler_wpmul2r.
case pa: (pos (a i).2); case pb: (pos (b i).2); rewrite pa in Sa; rewrite pb in Sb; rewrite /= in Sa Sb.
- set p := value (b i).1 in Sb; set q := value (a i).1 in Sa.
  have [e|pq] := eqVneq p q.
    by apply: direct; left; split=> x; rewrite Sa Sb e ?leq_addr.
  have Sx x : x != p -> x != q -> S a x = S b x by move=> xp xq; rewrite Sa Sb ![_ == x]eq_sym (negbTE xp) (negbTE xq).
  have ep : S a p = (K0 + cx p - maxn K (N + 1))%N by rewrite Sa eq_sym (negbTE pq) addn0.
  have fp : S b p = (K0 + (cx p + 1) - maxn K (N + 1))%N by rewrite Sb eqxx.
  have eq_ : S a q = (K0 + (cx q + 1) - maxn K (N + 1))%N by rewrite Sa eqxx.
  have fq : S b q = (K0 + cx q - maxn K (N + 1))%N by rewrite Sb (negbTE pq) addn0.
  have [p1 p2] := moved_score K0 (maxn K (N + 1)) (cx p); have [q1 q2] := moved_score K0 (maxn K (N + 1)) (cx q).
  rewrite -ep -fp in p1 p2; rewrite -eq_ -fq in q1 q2.
  have [ef|nf] := eqVneq (S a p) (S b p).
    apply: direct; left; split=> x; have [->|xp] := eqVneq x p; rewrite ?ef ?leq_addr //; have [->|xq] := eqVneq x q => //; by rewrite Sx ?leq_addr.
  have [eg|ng] := eqVneq (S a q) (S b q).
    apply: direct; right; split=> x; have [->|xq] := eqVneq x q; rewrite ?eg ?leq_addr //; have [->|xp] := eqVneq x p => //; by rewrite Sx ?leq_addr.
  have hp : S b p = (S a p + 1)%N by apply/eqP; rewrite eqn_leq p2 addn1 ltn_neqAle nf.
  have hq : S a q = (S b q + 1)%N by apply/eqP; rewrite eqn_leq q2 addn1 ltn_neqAle eq_sym ng.
  have bound : (S b p <= 2 * K0 - K)%N by rewrite fp; apply: both_move (disj p q pq) _; rewrite -eq_ -fq.
  have lim : (1 / r) ^+ S b p <= Wt by apply: le_trans hW; apply: ler_weexpn2l.
  have := exchange y1 o pq hp hq Sx lim; rewrite card_ord eF.
  by rewrite [Wt / (1 / r)](_ : _ = Wt * r) // div1r invrK.
- have [h|h] := ltnP N K; apply: direct.
    by left; split=> x; rewrite Sa Sb !addn0; have [] := @up_small K0 K (cx x) N (value (a i).1 == x) (fun _ => h) h.
  by right; split=> x; rewrite Sa Sb !addn0; have [] := @up_large K0 K (cx x) N (value (a i).1 == x) h.
- have [h|h] := ltnP N K; apply: direct.
    by right; split=> x; rewrite Sa Sb !addn0; have [] := @up_small K0 K (cx x) N (value (b i).1 == x) (fun _ => h) h.
  by left; split=> x; rewrite Sa Sb !addn0; have [] := @up_large K0 K (cx x) N (value (b i).1 == x) h.
- by apply: direct; left; split=> x; rewrite Sa Sb ?leq_addr.
Qed.
End Clipped.
