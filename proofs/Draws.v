(* Soundness of the rules about single draws. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Takes the conditions of a rule apart *)
Ltac conds := repeat match goal with
  | H : is_true (_ && _) |- _ => let a := fresh "cond" in let b := fresh "cond" in case/andP: H => a b
  | H : is_true (_ == _) |- _ => move/eqP in H
  end.
Ltac facts f := case: f => [? ? ? ? ? ? ? ?]; rewrite /mean_privacy /privacy_ok /=.
Ltac persons := repeat match goal with
  | H : (?n%:R = 1 :> _) |- _ => move/eqP: H; rewrite -[1]/(1%:R) eqr_nat => /eqP H
  | H : (?n%:R = ?k%:R :> _) |- _ => move/eqP: H; rewrite eqr_nat => /eqP H
  | H : (?n%:R = 0 :> _) |- _ => move/eqP: H; rewrite pnatr_eq0 => /eqP H
  end.
Ltac apart := conds; persons; subst; cbn [privacy_roles] in *.
(* That an exponent is the whole number it should be, however the book writes it *)
Ltac whole := rewrite ?natrM ?natrD; ring.

Section Draws.
Variables (R : realFieldType) (P L : Type) (A : arith R).

(* What a fact says apart from roles, and of roles *)
Definition hides (f : privacy R) (W : world) (O : finType) (M : mech R P L W O) :=
  private A (privacy_epsilon f) (privacy_delta f) (privacy_unit f) (privacy_part f) (privacy_records_per_person f) M.
Lemma mean_hides f W O (M : mech R P L W O) : mean_privacy A f M -> hides f M.
Proof. by rewrite /mean_privacy /hides; case: (privacy_roles f) => [|k] // []. Qed.
Lemma mean_known f W O (M : mech R P L W O) : mean_privacy A f M -> (0 < privacy_roles f)%N -> known W (privacy_part f) (privacy_roles f).
Proof. by rewrite /mean_privacy; case: (privacy_roles f) => [|k] // []. Qed.
Lemma mean_from f W O (M : mech R P L W O) : ((0 < privacy_roles f)%N -> known W (privacy_part f) (privacy_roles f)) ->
  hides f M -> mean_privacy A f M.
Proof. by rewrite /mean_privacy /hides; case: (privacy_roles f) => [|k] // h1 h2; split=> //; apply: h1. Qed.
Lemma mean_as f q W O S (M : mech R P L W O) (N : mech R P L W S) : mean_privacy A q N -> privacy_part f = privacy_part q ->
  privacy_roles f = privacy_roles q -> hides f M -> mean_privacy A f M.
Proof. by move=> h p r; apply: mean_from; rewrite p r; apply: mean_known h. Qed.

Lemma inv_ge1 (x : R) : 0 < x -> x <= 1 -> 1 <= 1 / x. Proof. by move=> x0 x1; rewrite div1r invf_ge1. Qed.
Lemma inv_gt0 (x : R) : 0 < x -> 0 < 1 / x. Proof. by move=> x0; rewrite div1r invr_gt0. Qed.
Lemma powP (b x : R) n : 0 < b -> x = n%:R -> b ^+ n <= pow A b x. Proof. by move=> b0 ->; apply: pow_up. Qed.
Lemma powP1 (b x : R) n : 1 <= b -> x = n%:R -> 1 <= pow A b x. Proof. by move=> b1 ->; apply: pow_ge1. Qed.

Lemma power_step (x : R) s u v : 0 < x -> x <= 1 -> (v <= u + s)%N -> x ^+ u <= (1 / x) ^+ s * x ^+ v.
Proof.
move=> x0 x1 h; have -> : x ^+ u = (1 / x) ^+ s * x ^+ (u + s).
  by rewrite exprD mulrCA -exprMn div1r mulVf ?expr1n ?mulr1 // lt0r_neq0.
by apply: ler_wpmul2l; [apply/exprn_ge0/ltW/inv_gt0 | apply: ler_wiexpn2l => //; apply: ltW].
Qed.

Lemma draw_close (O : finType) (prior : O -> R) x s (u v : O -> nat) : 0 < x -> x <= 1 -> (forall o, 0 < prior o) ->
  (forall o, (u o <= v o + s)%N) -> (forall o, (v o <= u o + s)%N) ->
  forall o, normal (fun o => prior o * x ^+ u o) o <= (1 / x) ^+ (2 * s) * normal (fun o => prior o * x ^+ v o) o.
Proof.
move=> x0 x1 p0 uv vu o; rewrite mulnC exprM; apply: normal_close => [|y|y|y|y].
- by apply/exprn_ge0/ltW/inv_gt0.
- by apply: mulr_ge0; rewrite ?ltW // exprn_gt0.
- by apply: mulr_ge0; rewrite ?ltW // exprn_gt0.
- by rewrite mulrCA; apply: ler_wpmul2l; [apply: ltW | apply: power_step].
- by rewrite mulrCA; apply: ler_wpmul2l; [apply: ltW | apply: power_step].
Qed.

Lemma draw_ge0 (O : finType) (prior : O -> R) x (u : O -> nat) o : 0 < x -> (forall o, 0 < prior o) ->
  0 <= normal (fun o => prior o * x ^+ u o) o.
Proof. by move=> x0 p0; apply: normal_ge0 => y; apply/mulr_ge0/exprn_ge0/ltW; rewrite ?ltW. Qed.

Theorem exponential_mechanism_sound : sound0 (@mean_privacy R P L A) (@rule_exponential_mechanism R A) (@built_exponential_mechanism R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W O prior score p0 h lM; case: w h lM => x s.
rewrite /rule_exponential_mechanism; facts f => h _ ok; apart.
apply: pureP => // a b ab o.
apply: le_trans (draw_close _ _ p0 (h _ _ ab) (h _ _ (replaced_sym ab)) o) _ => //.
by apply: ler_wpmul2r; [apply: draw_ge0 | apply: powP; [exact: inv_gt0 | whole]].
Qed.

Lemma normal_odds (O : finType) k (w v : O -> R) o s : 0 <= k -> (forall o, 0 <= w o) -> (forall o, 0 <= v o) ->
  w o <= k * v o -> v s <= k * w s -> normal w o * normal v s <= k ^+ 2 * (normal v o * normal w s).
Proof.
move=> k0 w0 v0 h1 h2; rewrite /normal.
have : 0 <= (\sum_x v x)^-1 by rewrite invr_ge0; apply: sumr_ge0.
have : 0 <= (\sum_x w x)^-1 by rewrite invr_ge0; apply: sumr_ge0.
move: ((\sum_x w x)^-1) ((\sum_x v x)^-1) => iw iv iw0 iv0.
have -> : w o * iw * (v s * iv) = (w o * v s) * (iw * iv) by ring.
have -> : k ^+ 2 * (v o * iv * (w s * iw)) = ((k * v o) * (k * w s)) * (iw * iv) by ring.
by apply: ler_wpmul2r; [apply: mulr_ge0 | apply: ler_pmul].
Qed.

Lemma events_odds (O : finType) k (p q : O -> R) (S : pred O) : (forall o s, p o * q s <= k * (q o * p s)) ->
  event p S * event q (predC S) <= k * (event q S * event p (predC S)).
Proof.
move=> h; rewrite /event !big_distrlr /= mulr_sumr; apply: ler_sum => o _; rewrite mulr_sumr; apply: ler_sum => s _; exact: h.
Qed.

Theorem bounded_range_sound : sound0 (@mean_bounded_range R P L A) (@rule_bounded_range R A) (@built_bounded_range R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W O prior score p0 h lM; case: w h lM => x s.
rewrite /rule_bounded_range /bounded_range_ok /mean_bounded_range; case: f => [eps u] /= h _ ok; apart.
have [x1 x0] : 1 <= 1 / x /\ 0 < 1 / x by split; [apply: inv_ge1 | apply: inv_gt0].
split=> // a b ab S; apply: events_odds => o t; rewrite amount_pure.
have n0 : forall a y, 0 <= normal (fun z => prior z * x ^+ score a z) y by move=> *; apply: draw_ge0.
apply: (@le_trans _ _ (((1 / x) ^+ s) ^+ 2 * (normal (fun z => prior z * x ^+ score b z) o * normal (fun z => prior z * x ^+ score a z) t))).
  have st a' b' y : replaced u "all records" a' b' -> prior y * x ^+ score a' y <= (1 / x) ^+ s * (prior y * x ^+ score b' y).
    by move=> nb; rewrite mulrCA; apply: ler_wpmul2l; [apply: ltW | apply: power_step => //; apply: (h _ _ (replaced_sym nb))].
  have w0 a' y : 0 <= prior y * x ^+ score a' y by rewrite ltW // mulr_gt0 // exprn_gt0.
  apply: normal_odds => //; [by rewrite exprn_ge0 // ltW | exact: st | by apply: st; exact: replaced_sym].
by rewrite -exprM mulnC; apply: ler_wpmul2r; [apply: mulr_ge0 | apply: powP; [exact: inv_gt0 | whole]].
Qed.

Lemma counted_step W m (C : finType) (vote : data P L W -> 'I_m -> C) unit part a b c : one_vote unit part vote ->
  replaced unit part a b -> (counted vote a c <= counted vote b c + 1)%N.
Proof.
move=> h /h [j hj]; rewrite /counted addn1.
apply: (@leq_trans #|predU1 j [pred i | vote b i == c]|); last by rewrite cardU1; case: (_ \notin _); rewrite ?add0n ?add1n.
apply: subset_leq_card; apply/subsetP => i; rewrite !inE; case: (eqVneq i j) => //= ij.
by rewrite hj.
Qed.

Theorem exponential_vote_sound : sound0 (@mean_privacy R P L A) (@rule_exponential_vote R A) (@built_exponential_vote R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W C vote h lM; case: w vote h lM => x m k /= vote.
rewrite /rule_exponential_vote; facts f => h _ ok; apart.
have [x1 x0] : 1 <= 1 / x /\ 0 < 1 / x by split; [apply: inv_ge1 | apply: inv_gt0].
apply: pureP => // a b ab o.
have pos a' c : 0 < x ^- counted vote a' c by rewrite invr_gt0 exprn_gt0.
have st a' b' y : (counted vote a' y <= counted vote b' y + 1)%N -> x ^- counted vote a' y <= (1 / x) * x ^- counted vote b' y.
  move=> nb; rewrite -!exprVn div1r -exprS; apply: ler_weexpn2l; first by rewrite -div1r.
  by rewrite -addn1.
apply: (@le_trans _ _ ((1 / x) ^+ 2 * normal (fun c => x ^- counted vote b c) o)).
  by apply: normal_close => [|y|y|y|y]; try exact: ltW; apply: st; apply: (counted_step _ h) => //; apply: replaced_sym.
by apply: ler_wpmul2r; [apply: normal_ge0 => y; apply: ltW | apply: powP; [by [] | whole]].
Qed.

Lemma noisy_ge0 (r : R) m (v z : 'I_m.+2) : 0 < r -> r < 1 -> 0 <= noisy r v z.
Proof.
move=> r0 r1; apply: divr_ge0; last by apply: addr_ge0; [exact: ler01 | exact: ltW].
by case: ifP => _; [|case: ifP => _; [|apply: mulr_ge0; first by rewrite subr_ge0 ltW]]; apply/exprn_ge0/ltW.
Qed.
Lemma noisy_step (r : R) m (v u z : 'I_m.+2) : 0 < r -> r < 1 -> noisy r v z <= (1 / r) ^+ distance v u * noisy r u z.
Proof.
move=> r0 r1; rewrite /noisy mulrA; apply: ler_wpmul2r; first by rewrite invr_ge0; apply: addr_ge0; [exact: ler01 | exact: ltW].
have [vm um] := (ltn_ord v, ltn_ord u).
case: ifP => _; [|case: ifP => _].
- by apply: power_step => //; [apply: ltW | rewrite /distance; lia].
- by apply: power_step => //; [apply: ltW | rewrite /distance; lia].
rewrite mulrCA; apply: ler_wpmul2l; first by rewrite subr_ge0 ltW.
by apply: power_step => //; [apply: ltW | rewrite /distance; lia].
Qed.

Theorem geometric_noise_sound : sound0 (@mean_privacy R P L A) (@rule_geometric_noise R A) (@built_geometric_noise R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W K m value h lM; case: w h lM => x s.
rewrite /rule_geometric_noise; facts f => h _ ok; apart.
have [x1 x0] : 1 <= 1 / x /\ 0 < 1 / x by split; [apply: inv_ge1 => //; apply: ltW | apply: inv_gt0].
apply: pureP => // a b ab o.
apply: (@le_trans _ _ ((1 / x) ^+ s * \prod_k noisy x (value b k) (o k))); last first.
  by apply: ler_wpmul2r; [apply: prodr_ge0 => k _; apply: noisy_ge0 | apply: powP; [by [] | whole]].
apply: (@le_trans _ _ ((1 / x) ^+ (\sum_k distance (value a k) (value b k)) * \prod_k noisy x (value b k) (o k))).
  rewrite -prodrXr -big_split /=; apply: ler_prod => k _.
  by rewrite noisy_ge0 //=; apply: noisy_step.
by apply: ler_wpmul2r; [apply: prodr_ge0 => k _; apply: noisy_ge0 | apply: ler_weexpn2l => //; apply: h].
Qed.

Lemma rounds_close (f : privacy R) x s n W O (M : mech R P L W O) : 0 < x -> x <= 1 -> built_rounds f x s n M ->
  forall a b, replaced (privacy_unit f) (privacy_part f) a b -> forall o, 0 <= M a o /\ M a o <= (1 / x) ^+ (2 * s * n) * M b o.
Proof.
move=> x0 x1; elim=> {n W O M} [W a b _ o|n W O H M score lM h0 B IH h a b ab [o t]].
  by rewrite muln0 expr0 mulr1 ler01 lexx.
have n0 a' : 0 <= normal (fun y => x ^+ score o a' y) t by apply: normal_ge0 => y; apply/exprn_ge0/ltW.
have [m0 m1] := IH _ _ ab o; split; first exact: mulr_ge0.
have e a' : normal (fun y => x ^+ score o a' y) t = normal (fun y => 1 * x ^+ score o a' y) t.
  by rewrite /normal mul1r; congr (_ / _); apply: eq_bigr => y _; rewrite mul1r.
rewrite /both /=.
have -> : forall u v : R, (1 / x) ^+ (2 * s * n.+1) * (u * v) = ((1 / x) ^+ (2 * s * n) * u) * ((1 / x) ^+ (2 * s) * v).
  by move=> *; rewrite mulnS exprD; ring.
apply: ler_pmul => //; rewrite ?e; apply: draw_close => // y; apply: h => //; exact: replaced_sym.
Qed.

Theorem weighted_rounds_sound : sound0 (@mean_privacy R P L A) (@rule_weighted_rounds R A) (@built_weighted_rounds R P L).
Proof.
move=> f w W O M lM; rewrite /built_weighted_rounds => B; case: w B => x c n /=.
rewrite /rule_weighted_rounds; facts f => B ok; apart.
have [y1 y0] : 1 <= 1 / x /\ 0 < 1 / x by split; [apply: inv_ge1 | apply: inv_gt0].
apply: pureP => // a b ab o.
case: (rounds_close _ _ B ab o) => // m0 h; apply: (le_trans h).
by apply: ler_wpmul2r; [case: (lM b) | apply: powP; [exact: y0 | whole]].
Qed.


(* A run of which some places are filled anew and others stay: private for those that are filled *)
Definition list_of (k : nat) : world := @World k (fun _ _ => true) (fun _ => isT) [:: "all records"%string] (fun _ => isT).
Lemma filled_ext (V W : world) k (ins : 'I_k -> 'I_(size V)) (rest : 'I_(size V) -> 'I_(size W)) (a b : data P L W) (c d : 'I_k -> P * L) :
  (forall v, v \notin codom ins -> a (rest v) = b (rest v)) -> c =1 d -> filled ins rest a c = filled ins rest b d.
Proof.
move=> ab cd; apply/ffunP => v; rewrite !ffunE; case: pickP => [j _|none]; first exact: cd.
by apply: ab; apply/negP => /codomP [j vj]; have := none j; rewrite vj eqxx.
Qed.
Lemma filled_private (V W : world) (O : finType) k (ins : 'I_k -> 'I_(size V)) (rest : 'I_(size V) -> 'I_(size W)) (N : mech R P L V O) l d u pt
    (a : data P L W) : private A l d u pt 1 N -> injective ins -> (forall j, @places V pt (ins j)) ->
  private A l d u "all records" 1 (fun c : data P L (list_of k) => N (filled ins rest a c)).
Proof.
move=> [sp h] inj on; apply: private1 => // c c' [j [_ cc lab]]; apply: h; apply/neighbours1; exists (ins j); split=> // [v vj|ul].
  rewrite !ffunE; case: pickP => // j' /eqP vj'; apply: cc; apply: contra vj => /eqP <-; exact/eqP/esym.
rewrite !ffunE; case: pickP => [j' /eqP /inj ->|]; first exact: lab.
by move=> /(_ j); rewrite eqxx.
Qed.
End Draws.
