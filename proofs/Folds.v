(* Soundness of the rule about equal releases declared beforehand: the optimal composition of Kairouz, Oh and Viswanath. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma left_out n s l : (2 * s <= n -> l < s -> l + s <= n)%N. Proof. lia. Qed.
Lemma beyond n s l : (2 * s <= n -> s <= l -> n - l <= n - 2 * s + l)%N. Proof. lia. Qed.
Lemma within n s l : (2 * s <= n -> l < s -> n - 2 * s + l <= n - l)%N. Proof. lia. Qed.

Section Folds.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

(* What n answers of a truth, turned round at odds 1 : e, can gain: the sum of a p - b q over all outcomes where that is positive *)
Section Gain.
Variable e : R.
Hypothesis e1 : 1 <= e.
Let e0 : 0 <= e := le_trans ler01 e1.
Let s0 : 0 < 1 + e. Proof. by apply: ltr_paddr; [exact: e0 | exact: ltr01]. Qed.

Fixpoint gain (n : nat) (a b : R) : R :=
  if n is m.+1 then (gain m (a * e) b + gain m a (b * e)) / (1 + e) else Num.max 0 (a - b).

Lemma gain_scale n c a b : 0 <= c -> gain n (c * a) (c * b) = c * gain n a b.
Proof.
elim: n a b => [|n IH] a b c0 /=; first by rewrite maxr_pmulr // mulr0 mulrBr.
by rewrite -!mulrA !IH // -mulrDr mulrA.
Qed.
Lemma gain_add n a a' b b' : gain n (a + a') (b + b') <= gain n a b + gain n a' b'.
Proof.
elim: n a a' b b' => [|n IH] a a' b b' /=.
  rewrite le_maxl; apply/andP; split; first by apply: addr_ge0; rewrite le_maxr lexx.
  have -> : a + a' - (b + b') = (a - b) + (a' - b') by ring.
  by apply: ler_add; rewrite le_maxr lexx orbT.
rewrite -mulrDl; apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
rewrite [(a + a') * e]mulrDl [(b + b') * e]mulrDl; apply: le_trans (ler_add (IH _ _ _ _) (IH _ _ _ _)) _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.
Lemma gain0 n : gain n 0 0 = 0. Proof. by have := gain_scale n 0 0 (lexx 0); rewrite !mul0r. Qed.

(* Probabilities within a factor e of each other are mixed of (e, 1) and (1, e) *)
Definition upper p q := if e == 1 then p / 2%:R else (e * p - q) / (e ^+ 2 - 1).
Lemma upperE p q : p <= e * q -> q <= e * p -> 0 <= p -> 0 <= upper p q /\ p = e * upper p q + upper q p.
Proof.
move=> pq qp p0; rewrite /upper; case: (eqVneq e 1) => [E1|ne].
  have qe : q = p by apply/le_anti; rewrite -{1}[p]mul1r -{2}[q]mul1r -E1 qp pq.
  by rewrite qe E1; split; [rewrite divr_ge0 ?ler0n | field].
have d0 : 0 < e ^+ 2 - 1 by rewrite subr_gt0 exprn_egt1 // lt_def ne.
split; first by apply: divr_ge0; [rewrite subr_ge0 | exact: ltW].
by field; move: (lt0r_neq0 d0); rewrite expr2.
Qed.

Lemma gain_pair (O : finType) n x y (p q : O -> R) : law p -> law q -> (forall o, p o <= e * q o) -> (forall o, q o <= e * p o) ->
  \sum_o gain n (x * p o) (y * q o) <= gain n.+1 x y.
Proof.
move=> [p0 p1] [q0 q1] pq qp /=.
have U o := upperE (pq o) (qp o) (p0 o). have V o := upperE (qp o) (pq o) (q0 o).
have each o : gain n (x * p o) (y * q o) <= upper (p o) (q o) * gain n (x * e) y + upper (q o) (p o) * gain n x (y * e).
  have [[u0 up] [v0 vq]] := (U o, V o); move: u0 v0 up vq; move: (upper _ _) (upper _ _) => u v u0 v0 -> ->.
  by rewrite -!gain_scale //; apply: le_trans (gain_add _ _ _ _ _); rewrite le_eqVlt; apply/orP; left; apply/eqP; congr gain; ring.
apply: le_trans (ler_sum _ (fun o _ => each o)) _; rewrite big_split /= -!mulr_suml.
set S := \sum_o upper (p o) (q o); set T := \sum_o upper (q o) (p o).
have hp : e * S + T = 1 by rewrite -p1 /S /T mulr_sumr -big_split /=; apply: eq_bigr => o _; case: (U o) => _ <-.
have hq : e * T + S = 1 by rewrite -q1 /S /T mulr_sumr -big_split /=; apply: eq_bigr => o _; case: (V o) => _ <-.
have ST : S = T.
  case: (eqVneq e 1) => [E1|ne].
    rewrite /S /T /upper E1 eqxx; apply: eq_bigr => o _; congr (_ / _); apply/le_anti.
    by have := pq o; have := qp o; rewrite E1 !mul1r => h1 h2; rewrite h1 h2.
  have d0 : e - 1 != 0 by rewrite subr_eq0.
  apply/eqP; rewrite -subr_eq0 -(mulrI_eq0 _ (mulfI d0)); apply/eqP.
  have -> : (e - 1) * (S - T) = (e * S + T) - (e * T + S) by ring.
  by rewrite hp hq subrr.
have Se : S = 1 / (1 + e).
  have h : (1 + e) * S = 1 by move: hp; rewrite -ST mulrDl mul1r addrC.
  by apply: (mulfI (lt0r_neq0 s0)); rewrite h; field; apply: lt0r_neq0.
rewrite -ST Se le_eqVlt; apply/orP; left; apply/eqP; field; exact: lt0r_neq0.
Qed.

(* In closed form *)
Definition term n a b l := Num.max 0 (a * e ^+ (n - l) - b * e ^+ l).
Lemma gain_closed n a b : gain n a b = (\sum_(l < n.+1) 'C(n, l)%:R * term n a b l) / (1 + e) ^+ n.
Proof.
elim: n a b => [|n IH] a b; first by rewrite big_ord_recl big_ord0 addr0 /term bin0 subnn expr0 !mulr1 mul1r divr1.
rewrite /= !IH -mulrDl -mulrA -invfM -exprSr; congr (_ / _).
have t1 (l : 'I_n.+1) : term n (a * e) b l = term n.+1 a b l.
  by rewrite /term -mulrA -exprS subSn // -ltnS.
have t2 (l : 'I_n.+1) : term n a (b * e) l = term n.+1 a b l.+1.
  by rewrite /term -mulrA -exprS subSS.
rewrite (eq_bigr _ (fun l _ => congr1 (fun x => _ * x) (t1 l))) [X in _ + X](eq_bigr _ (fun l _ => congr1 (fun x => _ * x) (t2 l))).
rewrite [RHS]big_ord_recl /= bin0 mul1r [X in _ = _ + X](eq_bigr (fun l : 'I_n.+1 =>
  'C(n, l.+1)%:R * term n.+1 a b l.+1 + 'C(n, l)%:R * term n.+1 a b l.+1)) => [|l _]; last by rewrite /bump /= add1n binS natrD mulrDl.
rewrite big_split /= addrA; congr (_ + _).
transitivity (\sum_(l < n.+2) 'C(n, l)%:R * term n.+1 a b l).
  by rewrite [RHS]big_ord_recr /= bin_small // mul0r addr0.
by rewrite big_ord_recl /= bin0 mul1r.
Qed.

Lemma gain_fold n s : (2 * s <= n)%N ->
  gain n 1 (e ^+ (n - 2 * s)) = \sum_(l < s) 'C(n, l)%:R * (e ^+ (n - l) - e ^+ (n - 2 * s + l)) / (1 + e) ^+ n.
Proof.
move=> sn; rewrite gain_closed -mulr_suml; congr (_ / _).
have sle : (s <= n.+1)%N by lia.
rewrite (big_ord_widen n.+1 (fun l => 'C(n, l)%:R * (e ^+ (n - l) - e ^+ (n - 2 * s + l))) sle) [RHS]big_mkcond /=.
apply: eq_bigr => l _; rewrite /term mul1r -exprD; case: ltnP => ls.
  by rewrite max_r // subr_ge0; apply: ler_weexpn2l => //; apply: within.
by rewrite max_l ?mulr0 // subr_le0; apply: ler_weexpn2l => //; apply: beyond.
Qed.

(* Releases one after the other gain no more *)
Lemma repeated_gain p n W O (M : mech R P L W O) a b : repeated p mean n M -> (forall a, law (M a)) -> 
  (forall V U (N : mech R P L V U), mean p N -> (forall c o, 0 <= N c o) -> forall (c d : data P L V),
    neighbours (privacy_unit p) (privacy_part p) (privacy_records_per_person p) c d -> forall o, N c o <= e * N d o /\ N d o <= e * N c o) ->
  neighbours (privacy_unit p) (privacy_part p) (privacy_records_per_person p) a b ->
  forall (S : pred O) x y, 0 <= x -> 0 <= y -> \sum_(o | S o) (x * M a o - y * M b o) <= gain n x y.
Proof.
move=> B lM near; elim: B a b lM => {n W O M} [W|n W O T M N lM mM lN B IH] a b _ ab S x y x0 y0.
  rewrite big_mkcond (bigD1 tt) //= big1 => [|[]//]; rewrite addr0 !mulr1.
  by case: ifP => _; rewrite le_maxr lexx ?orbT.
have -> : \sum_(o | S o) (x * both (M a) (fun o => N o a) o - y * both (M b) (fun o => N o b) o) =
    \sum_o \sum_(s | S (o, s)) ((x * M a o) * N o a s - (y * M b o) * N o b s).
  rewrite sumrB -!mulr_sumr !both_event !mulr_sumr -sumrB; apply: eq_bigr => o _.
  by rewrite sumrB -!mulr_sumr !mulrA.
have ge c o : 0 <= M c o by case: (lM c).
apply: le_trans (ler_sum _ (fun o _ => IH o a b (lN o) ab (fun s => S (o, s)) _ _ (mulr_ge0 x0 (ge a o)) (mulr_ge0 y0 (ge b o)))) _.
by apply: gain_pair => // o; case: (near _ _ _ mM ge _ _ ab o).
Qed.
End Gain.

Lemma neighbours_sym W u pt n (a b : data P L W) : neighbours u pt n a b -> neighbours u pt n b a.
Proof.
case=> c [ca cb h]; exists (fun i => c (n - i)%N); split=> [||i lt]; rewrite ?subn0 ?subnn //.
by apply: replaced_sym; have := h (n - i.+1)%N; rewrite subnSK //; apply; apply: leq_subr.
Qed.

Lemma pure_near p (e : R) : privacy_delta p = 0 -> amount A (privacy_epsilon p) <= e ->
  forall V U (N : mech R P L V U), mean p N -> (forall c o, 0 <= N c o) -> forall (c d : data P L V), neighbours (privacy_unit p) (privacy_part p) (privacy_records_per_person p) c d ->
    forall o, N c o <= e * N d o /\ N d o <= e * N c o.
Proof.
move=> d0 le V U N /mean_hides; rewrite /hides d0 => -[_ h] N0 c d cd o.
have one c' d' : neighbours (privacy_unit p) (privacy_part p) (privacy_records_per_person p) c' d' -> N c' o <= e * N d' o.
  move=> /h /(close_point o); rewrite addr0 => h'; apply: (le_trans h'); exact: ler_wpmul2r.
by split; apply: one => //; apply: neighbours_sym.
Qed.

Theorem k_fold_composition_sound : sound1 mean mean (@rule_k_fold_composition R A) (@built_k_fold_composition R P L).
Proof.
move=> f p w W O M lM; rewrite /built_k_fold_composition => B; case: w B => n s /= B.
rewrite /rule_k_fold_composition; case: f => [l d ? ? ? ? ? ?]; rewrite /privacy_ok /= => ok; conds; persons.
have n0 : (0 < n)%N by [].
have d0 : privacy_delta p = 0 by [].
have sn : (2 * s <= n)%N by rewrite -(ler_nat R) natrM.
have sp : sane (privacy_epsilon p) 0 by case: B n0 d0 => // m V U S K N _ /mean_hides [h _] _ _ _ <-.
have [l0 f1 _] := sp; have a1 := amount_ge1 A sp; have f0 : 0 < (privacy_epsilon p).2 by apply: lt_le_trans f1.
subst.
set e := (if _ then exp_of A _ else 1).
pose k := if (0 < s)%N then exp_of A (privacy_epsilon p) else amount A (privacy_epsilon p).
have k1 : 1 <= k by rewrite /k; case: ifP => _ //; apply: exp_of_ge1 sp.
have ak : amount A (privacy_epsilon p) <= k by rewrite /k; case: ifP => _ //; apply: exp_of_up sp.
have e1 : 1 <= e by rewrite /e; case: ifP => _ //; apply: exp_of_ge1 sp.
have dk : gain k n 1 (k ^+ (n - 2 * s)) <= fold A e n%:R s%:R.
  rewrite gain_fold //; apply: le_trans (fold_up A e1 sn); rewrite /e /k ltr0n; case: (posnP s) => [->|//].
  by rewrite !big_ord0.
have sub : n%:R - 2%:R * s%:R = (n - 2 * s)%:R :> R by rewrite natrB // natrM.
set l := (if _ then _ else _).
have kl : k ^+ (n - 2 * s) <= amount A l /\ sane l 0.
  rewrite /l /k /e ltr0n; case: (posnP s) => [->|s0] /=.
    rewrite muln0 subn0; split; first exact: (amount_power A sp (pow_up A n f0)).
    by split=> //=; [apply: mulr_ge0; rewrite ?ler0n | apply: le_trans (pow_up A _ f0); apply: exprn_ege1].
  have h1 := exp_of_ge1 A sp; have h0 : 0 < exp_of A (privacy_epsilon p) by apply: lt_le_trans h1.
  rewrite amount_pure; split; first by apply: powP.
  by split=> //=; apply: (powP1 A h1 sub).
have [kl1 [lz ly _]] := kl.
apply: mean_from => //; rewrite /hides; split; first by split=> //; apply: le_trans dk; rewrite gain_fold // ?sumr_ge0.
move=> a b ab S.
have := repeated_gain k1 B lM (pure_near d0 ak) ab S ler01 (exprn_ge0 (n - 2 * s) (le_trans ler01 k1)).
rewrite sumrB -!mulr_sumr mul1r ler_subl_addl => g; apply: (le_trans g); apply: ler_add dk.
by apply: ler_wpmul2r => //; apply: sumr_ge0 => o _; case: (lM b).
Qed.
End Folds.
