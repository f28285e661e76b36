(* Soundness of what the part that is relabelled loses. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws Relabel.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma min_le (C : finType) (c0 : C) (s t : C -> nat) k : (forall c, s c <= t c + k)%N -> (least c0 s <= least c0 t + k)%N.
Proof.
move=> h; rewrite /least; case: arg_minnP => // c _ hc; case: arg_minnP => // d _ hd.
exact: leq_trans (hc d isT) (h d).
Qed.

Section Relabel2.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).
Notation data := (data P L).

(* The score of a labelling, without the changed place and with it *)
Section Score.
Variables (k n : nat) (H : finType) (h0 : H) (says : H -> P -> bool) (read : L -> bool) (change mistake : nat).
Definition without (t : 'I_k -> P) (wrong : H -> nat) (j : 'I_k) (g : {ffun 'I_k -> bool}) : nat :=
  least h0 (fun h => change * #|[pred i | (i != j) && (g i != says h (t i))]| + mistake * wrong h)%N.
Lemma score_split (t : 'I_k -> P) j (z : {ffun 'I_k -> bool}) h : #|[pred i | z i != says h (t i)]| =
  (#|[pred i | (i != j) && (but j z i != says h (t i))]| + (z j != says h (t j)))%N.
Proof.
rewrite (cardD1 j) inE addnC; congr (_ + _)%N; apply: eq_card => i; rewrite !inE.
by case: (eqVneq i j) => //= ij; rewrite butE.
Qed.
Lemma score_lo (t : 'I_k -> P) (wrong : H -> nat) j (z : {ffun 'I_k -> bool}) : (without t wrong j (but j z) <=
  least h0 (fun h => change * #|[pred i | z i != says h (t i)]| + mistake * wrong h))%N.
Proof.
have := @min_le H h0 (fun h => change * #|[pred i | (i != j) && (but j z i != says h (t i))]| + mistake * wrong h)%N
  (fun h => change * #|[pred i | z i != says h (t i)]| + mistake * wrong h)%N 0; rewrite addn0; apply => h.
by rewrite addn0 leq_add2r leq_mul2l (score_split t j) leq_addr orbT.
Qed.
Lemma score_hi (t : 'I_k -> P) (wrong : H -> nat) j (z : {ffun 'I_k -> bool}) :
  (least h0 (fun h => change * #|[pred i | z i != says h (t i)]| + mistake * wrong h) <= without t wrong j (but j z) + change)%N.
Proof.
apply: min_le => h; rewrite (score_split t j) mulnDr addnAC leq_add2l.
by case: (_ != _); rewrite ?muln1 ?muln0.
Qed.
End Score.

(* A kept record is replaced *)
Definition run (V W : world) (O H : finType) (N : mech R P L V O) (h0 : H) says (tell : bool -> L) read x change mistake
    (at_ : 'I_(size V) -> 'I_(size W)) (a : data W) :=
  relabelled says tell x (nearest h0 says read change mistake a at_) (fun j => (a (at_ j)).1) N.
Lemma kept_close (V W : world) (O H : finType) (N : mech R P L V O) (h0 : H) says tell read x c mistake at_ (a b : data W) i j l d :
  0 < x -> x <= 1 -> (forall a, law (N a)) -> private A l d "record" "all records" 1 N -> injective at_ -> at_ j = i ->
  (forall v, v != i -> a v = b v) -> close (2%:R * (1 / x) ^+ c * (2%:R * (1 / x) ^+ c) * amount A l) d
    (run N h0 says tell read x c mistake at_ a) (run N h0 says tell read x c mistake at_ b).
Proof.
move=> x0 x1 lN mp inj ji ab.
have diff j' : j' != j -> a (at_ j') = b (at_ j') by move=> jj; apply: ab; apply: contra jj => /eqP; rewrite -ji => /inj ->.
pose wrong (e : data W) h := #|[pred i | (i \notin codom at_) && (read (e i).2 != says h (e i).1)]|.
have same h' : wrong a h' = wrong b h'.
  apply: eq_card => v; rewrite !inE; case: (boolP (v \in codom at_)) => //= vn; rewrite ab //.
  by apply: contra vn => /eqP ->; rewrite -ji codom_f.
pose s g := without h0 says c mistake (fun j => (a (at_ j)).1) (wrong a) j g.
have sb g : without h0 says c mistake (fun j => (b (at_ j)).1) (wrong b) j g = s g.
  have e h' : (c * #|[pred i0 | (i0 != j) && (g i0 != says h' (b (at_ i0)).1)]| + mistake * wrong b h')%N =
      (c * #|[pred i0 | (i0 != j) && (g i0 != says h' (a (at_ i0)).1)]| + mistake * wrong a h')%N.
    by rewrite same; congr (_ * _ + _)%N; apply: eq_card => v; rewrite !inE; case: (eqVneq v j) => //= vj; rewrite diff.
  by apply/eqP; rewrite eqn_leq /s /without -[X in (_ <= X)%N]addn0 -[X in _ && (_ <= X)%N]addn0 !min_le // => h'; rewrite addn0 e.
have k0 : 0 <= 2%:R * (1 / x) ^+ c by rewrite mulr_ge0 ?ler0n // exprn_ge0 // ltW // inv_gt0.
have tt j' : j' != j -> (a (at_ j')).1 = (b (at_ j')).1 by move=> jj; rewrite diff.
have pj : @places V "all records"%string j by apply: whole.
apply: (relabelled_close tell h0 x0 lN mp pj k0 k0 tt) => g.
- apply: (@groups_close _ _ _ H says x _ _ j _ _ s c g) => // z _; first exact: score_lo.
  by rewrite -sb; apply: score_hi.
- apply: (@groups_close _ _ _ H says x _ _ j _ _ s c g) => // [j' jj|z _|z _]; first by rewrite tt.
  + by rewrite -sb; apply: score_lo.
  + exact: score_hi.
Qed.

Theorem relabelling_part_sound : sound1 mean mean (@rule_relabelling_part R A) (@built_relabelling_part R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} V W O H N at_ h0 mistake says tell read lN mp inj cov kn lM.
case: w cov kn lM => x c part /= cov kn lM; rewrite /rule_relabelling_part; case: f => [? ? ? ? ? ? ? fr]; case: p mp => [l d u pt r ? ? ?].
rewrite /privacy_ok /= => mp ok; have fr2 : fr = 2%N by conds; persons.
conds; persons; subst; apply: mean_from => //; move: (mean_hides mp); rewrite /hides /= => {}mp; have [sp h] := mp; have [_ l1 d0] := sp.
have x0 : 0 < x by []. have x1 : x <= 1 by [].
have up0 : 0 <= 4%:R * pow A (1 / x) (2%:R * c%:R) * l.2.
  rewrite !mulr_ge0 ?ler0n ?(le_trans ler01 l1) //; apply: le_trans (powP A (inv_gt0 x0) _); last by rewrite -natrM.
  by rewrite exprn_ge0 // ltW // inv_gt0.
apply: private1 => // a b [i [pi ab _]].
have [j ji] := cov i pi.
have lim : (2%:R * (1 / x) ^+ c) * (2%:R * (1 / x) ^+ c) * amount A l <= amount A (l.1, short A (4%:R * pow A (1 / x) (2%:R * c%:R) * l.2)).
  rewrite /amount /= mulrCA; apply: ler_wpmul2l; first by apply: ltW; apply: E_gt0.
  apply: le_trans (short_up A up0); apply: ler_wpmul2r; first exact: le_trans l1.
  have -> : 2%:R * (1 / x) ^+ c * (2%:R * (1 / x) ^+ c) = 4%:R * (1 / x) ^+ (2 * c) :> R.
    by rewrite mul2n -addnn exprD; ring.
  by apply: ler_wpmul2l; [exact: ler0n | apply: powP; rewrite ?natrM // inv_gt0].
apply: (close_weaken _ _ lim (lexx d)); first by case: (lM b).
exact: (kept_close h0 says tell read c mistake x0 x1 lN mp inj ji ab).
Qed.

(* A voter is replaced: every score moves by `mistake` at most *)
Theorem relabelling_votes_sound : sound0 mean (@rule_relabelling_votes R A) (@built_relabelling_votes R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} V W O H N at_ h0 change says tell read lN out kn lM.
case: w out kn lM => x m part /= out kn lM; rewrite /rule_relabelling_votes; case: f => [? ? ? ? ? ? ? fr].
rewrite /privacy_ok /= => ok; have fr2 : fr = 2%N by conds; persons.
conds; persons; subst; apply: mean_from => //; rewrite /hides /=.
have x0 : 0 < x by []. have x1 : x <= 1 by [].
have i1 : 1 <= 1 / x by apply: inv_ge1.
have up : ((1 / x) ^+ m) ^+ 2 <= pow A (1 / x) (2%:R * m%:R).
  by rewrite -exprM; apply: powP; [exact: inv_gt0 | rewrite natrM mulrC].
have one : 1 <= pow A (1 / x) (2%:R * m%:R) by apply: le_trans up; rewrite exprn_ege1 // exprn_ege1.
apply: pureP => // a b [i [pi ab _]] o.
have vi := out i pi.
have same j : a (at_ j) = b (at_ j) by apply: ab; apply: contra vi => /eqP <-; exact: codom_f.
pose sc (e : data W) := nearest h0 says read change m e at_.
have moves_ (c e : data W) : (forall v, v != i -> c v = e v) -> forall z, (sc c z <= sc e z + m)%N.
  move=> ce z; apply: min_le => h; rewrite -addnA; apply: leq_add.
    apply: eq_leq; congr (_ * _)%N; apply: eq_card => j; rewrite !inE ce //.
    by apply: contra vi => /eqP <-; exact: codom_f.
  rewrite -[X in (_ <= _ + X)%N]muln1 -mulnDr leq_mul2l; apply/orP; right.
  rewrite (cardD1 i) addnC; apply: leq_add; last by case: (_ \in _).
  apply: subset_leq_card; apply/subsetP => v; rewrite !inE => /andP[vn h1].
  by move: h1; rewrite ce.
have ba v : v != i -> b v = a v by move=> vn; rewrite ab.
pose t j := (b (at_ j)).1.
pose wt (e : data W) := weights says x t (sc e).
have w0 e z : 0 <= wt e z by apply: weights_ge0.
have step (c e : data W) z : (forall v, v != i -> c v = e v) -> wt c z <= (1 / x) ^+ m * wt e z.
  move=> ce; rewrite /wt /weights; case: ifP => _; last by rewrite mulr0.
  by apply: power_step => //; apply: moves_ => v vn; rewrite ce.
have ea : relabelled says tell x (sc a) (fun j => (a (at_ j)).1) N o = \sum_z normal (wt a) z * N [ffun j => (t j, tell (z j))] o.
  rewrite /relabelled /push; apply: eq_bigr => z _; congr (_ * N _ o); last by apply/ffunP => j; rewrite !ffunE same.
  have lab y : labelling says (fun j => (a (at_ j)).1) y = labelling says t y.
    by apply: eq_existsb => h; apply: eq_forallb => j; rewrite same.
  by rewrite /normal /wt /weights lab; congr (_ / _); apply: eq_bigr => y _; rewrite lab.
rewrite ea; apply: (@le_trans _ _ (((1 / x) ^+ m) ^+ 2 * relabelled says tell x (sc b) t N o)).
  rewrite /relabelled /push mulr_sumr; apply: ler_sum => z _; rewrite mulrA; apply: ler_wpmul2r; first by case: (lN [ffun j => (t j, tell (z j))]).
  apply: (@normal_close _ _ _ (wt a) (wt b)) => //; first by apply/exprn_ge0/ltW/inv_gt0.
  - by move=> y; apply: step.
  - by move=> y; apply: step.
by apply: ler_wpmul2r => //; case: (lM b).
Qed.
End Relabel2.
