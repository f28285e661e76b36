(* Soundness of the rules about sampling. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws Releases.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sampling.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

(* One of n boxes is opened. In h of them lies the changed record (x before, y after), in the others lies z(l), on either side. *)
Lemma boxes (n : nat) (kept : pred 'I_n) (e d : R) (x y z : 'I_n -> R) : 1 <= e ->
  (forall l, kept l -> x l <= e * y l + d) -> (forall l m, kept l -> ~~ kept m -> x l <= e * z m + d) ->
  (n%:R * (\sum_l (if kept l then x l else z l)) <=
    (n%:R + #|kept|%:R * (e - 1)) * (\sum_l (if kept l then y l else z l)) + n%:R * (#|kept|%:R * d))%R.
Proof.
move=> e1 hy hz; have e0 : 0 <= e - 1 by rewrite subr_ge0.
have one l m : kept l -> x l <= y l + (e - 1) * (if kept m then y l else z m) + d.
  move=> kl; case: ifP => km.
    by apply: le_trans (hy l kl) _; have -> : y l + (e - 1) * y l + d = e * y l + d by ring.
  case: (lerP (y l) (z m)) => [yz|/ltW zy].
    apply: (le_trans (hy l kl)); rewrite ler_add2r.
    have -> : e * y l = y l + (e - 1) * y l by ring.
    by rewrite ler_add2l; apply: ler_wpmul2l.
  apply: (le_trans (hz l m kl (negbT km))); rewrite ler_add2r.
  have -> : e * z m = z m + (e - 1) * z m by ring.
  by rewrite ler_add2r.
set Y := \sum_(l | kept l) y l; set Z := \sum_(l | ~~ kept l) z l.
have sumK (g : 'I_n -> R) : (\sum_l (if kept l then g l else z l)) = (\sum_(l | kept l) g l) + Z.
  rewrite (bigID kept) /=; congr (_ + _); apply: eq_bigr => l; [by move=> -> | by move/negbTE => ->].
rewrite !sumK -/Y.
have each l : kept l -> n%:R * x l <= n%:R * y l + (e - 1) * (#|kept|%:R * y l + Z) + n%:R * d.
  move=> kl; have -> : n%:R * x l = \sum_(m < n) x l by rewrite sumr_const card_ord mulr_natl.
  apply: le_trans (ler_sum _ (fun m _ => one l m kl)) _.
  rewrite !big_split /= -mulr_sumr !sumr_const !card_ord !mulr_natl.
  rewrite (bigID kept) /= (eq_bigr (fun=> y l)) => [|m ->//].
  rewrite [\sum_(i < n | ~~ _) _](eq_bigr z) => [|m /negbTE->//].
  by rewrite sumr_const -/Z ?lexx.
rewrite mulrDr mulr_sumr.
apply: (@le_trans _ _ (\sum_(l | kept l) (n%:R * y l + (e - 1) * (#|kept|%:R * y l + Z) + n%:R * d) + n%:R * Z)).
  by rewrite ler_add2r; apply: ler_sum.
rewrite big_split /= big_split /= -mulr_sumr -mulr_sumr big_split /= -mulr_sumr !sumr_const -/Y.
rewrite -[Z *+ _]mulr_natl -[(n%:R * d) *+ _]mulr_natl.
rewrite le_eqVlt; apply/orP; left; apply/eqP.
by move: (n%:R : R) (#|kept|%:R : R) (Y) (Z) => ? ? ? ?; ring.
Qed.

Lemma average_event (O T : finType) (g : T -> O -> R) (S : pred O) :
  \sum_(o | S o) average (fun t => g t o) = average (fun t => \sum_(o | S o) g t o).
Proof. by rewrite /average -mulr_suml exchange_big. Qed.

(* Averages of what is close in groups of n *)
Lemma close_average (O T : finType) (n K : nat) (k d : R) (M N : T -> O -> R) (G : finType) (c : pred G) (at_ : G -> 'I_n -> T) :
  (0 < n)%N -> 0 <= d -> (forall f : T -> R, \sum_t f t = \sum_(g | c g) \sum_l f (at_ g l)) ->
  (forall g (S : pred O), c g -> n%:R * (\sum_l \sum_(o | S o) M (at_ g l) o) <=
    k * (\sum_l \sum_(o | S o) N (at_ g l) o) + n%:R * (K%:R * d)) ->
  close (k / n%:R) (K%:R / n%:R * d) (fun o => average (fun t => M t o)) (fun o => average (fun t => N t o)).
Proof.
move=> n0 d0 split_ h S; have np : 0 < n%:R :> R by rewrite ltr0n.
rewrite !average_event /average !split_.
have cardT : #|T|%:R = #|c|%:R * n%:R :> R.
  have := split_ (fun=> 1); rewrite sumr_const (eq_bigr (fun=> n%:R)) => [|g _]; last by rewrite sumr_const card_ord.
  by rewrite sumr_const => ->; rewrite mulr_natl.
have sums : n%:R * (\sum_(g | c g) \sum_l \sum_(o | S o) M (at_ g l) o) <=
    k * (\sum_(g | c g) \sum_l \sum_(o | S o) N (at_ g l) o) + #|c|%:R * (n%:R * (K%:R * d)).
  rewrite !mulr_sumr [X in _ + X](_ : _ = \sum_(g | c g) n%:R * (K%:R * d)); last by rewrite sumr_const mulr_natl.
  by rewrite -big_split /=; apply: ler_sum => g cg; apply: h.
case: (posnP #|c|) => [c0|cp].
  have t0 : #|T|%:R = 0 :> R by rewrite cardT c0 mul0r.
  by rewrite t0 invr0 !mulr0 add0r; apply: mulr_ge0 => //; apply: divr_ge0; apply: ler0n.
have cq : 0 < #|c|%:R :> R by rewrite ltr0n.
rewrite cardT ler_pdivr_mulr ?mulr_gt0 // -(ler_pmul2l np); apply: (le_trans sums).
by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite !lt0r_neq0.
Qed.

Lemma permutations n (last i : 'I_n) (f : {perm 'I_n} -> R) :
  \sum_t f t = \sum_(g : {perm 'I_n} | g last == i) \sum_l f (tperm last l * g)%g.
Proof.
rewrite exchange_big /= (partition_big (fun t : {perm 'I_n} => (t^-1)%g i) predT) //=; apply: eq_bigr => l _.
rewrite (reindex_inj (mulgI (tperm last l))) /=; apply: eq_bigl => t.
by rewrite -(inj_eq (@perm_inj _ (tperm last l * t)%g)) permKV permM tpermR eq_sym.
Qed.

Lemma events_close (V : world) (O : finType) (N : mech R P L V O) l d u pt (a b : data P L V) S :
  private A l d u pt 1 N -> (forall a, law (N a)) -> replaced u pt a b ->
  \sum_(o | S o) N a o <= exp_of A l * (\sum_(o | S o) N b o) + d.
Proof.
move=> [sp h] lN ab; have nb := (neighbours1 u pt a b).2 ab; apply: le_trans (h a b nb S) _; rewrite ler_add2r.
by apply: ler_wpmul2r; [apply: sumr_ge0 => o _; case: (lN b) | exact: exp_of_up sp].
Qed.

(* One list of n records, of which the first k of a random order are kept *)
Lemma kept_close (V W : world) (O : finType) (N : mech R P L V O) l d pt (le : (size V <= size W)%N) (a b : data P L W) i :
  private A l d "record" pt 1 N -> (forall a, law (N a)) -> (forall j, @places V pt j) -> (forall j, j != i -> a j = b j) ->
  close (1 - (size V)%:R / (size W)%:R + (size V)%:R / (size W)%:R * exp_of A l) ((size V)%:R / (size W)%:R * d)
    (fun o => average (fun s : {perm 'I_(size W)} => N [ffun j => a (s (widen_ord le j))] o))
    (fun o => average (fun s : {perm 'I_(size W)} => N [ffun j => b (s (widen_ord le j))] o)).
Proof.
move=> mp lN all_ ab; have [sp h] := mp; have e1 := exp_of_ge1 A sp; have [_ _ d0] := sp.
set e := exp_of A l in e1 *; set q := (size V)%:R / (size W)%:R.
have n0 : (0 < size W)%N by apply: leq_ltn_trans (ltn_ord i).
have np : 0 < (size W)%:R :> R by rewrite ltr0n.
have q0 : 0 <= q by apply: divr_ge0; apply: ler0n.
have e0 : 0 <= e - 1 by rewrite subr_ge0.
have rel (g1' g2' : 'I_(size V) -> P * L) j : (forall j', j' != j -> g1' j' = g2' j') ->
    replaced "record" pt (finfun g1' : data P L V) (finfun g2').
  by move=> gh; exists j; split=> // j' kj; rewrite !ffunE; apply: gh.
have [lt|ge] := ltnP (size V) (size W); last first.
  (* all are kept: what is averaged is close *)
  have eq : size V = size W by apply/eqP; rewrite eqn_leq le ge.
  have -> : q = 1 by rewrite /q eq divff // lt0r_neq0.
  rewrite subrr add0r !mul1r => T; rewrite !average_event /average mulrA -[X in _ <= _ + X]mulr1.
  have t0 : 0 < #|{perm 'I_(size W)}|%:R :> R by rewrite ltr0n; apply/card_gt0P; exists 1%g.
  rewrite -[X in _ <= _ + _ * X](divff (lt0r_neq0 t0)) mulrA -mulrDl; apply: ler_wpmul2r; first by rewrite invr_ge0 ltW.
  rewrite mulr_sumr [X in _ <= _ + X]mulrC mulr_natl -sumr_const -big_split /=; apply: ler_sum => s _.
  have [j ji] : exists j, s (widen_ord le j) = i.
    have hj : ((s^-1)%g i < size V)%N by rewrite eq.
    by exists (Ordinal hj); rewrite -[RHS](permKV s); congr (s _); apply: val_inj.
  apply: (events_close _ mp lN); apply: (rel _ _ j) => j' kj; apply: ab.
  by apply: contra kj => /eqP; rewrite -ji => /perm_inj/(congr1 val) /= h'; apply/eqP/val_inj.
have hl : ((size W).-1 < size W)%N by rewrite prednK.
pose last := Ordinal hl; pose kept (m : 'I_(size W)) := (m < size V)%N.
have far j : (widen_ord le j == last) = false.
  by apply/negbTE/eqP => /(congr1 val) /= e'; have := leq_ltn_trans (ltn_ord j) lt; rewrite e' prednK // ltnn.
have cK : #|kept| = size V.
  rewrite -[RHS]card_ord -(card_image (f := widen_ord le)); last by move=> x y /(congr1 val) /= /val_inj.
  apply: eq_card => m; apply/idP/imageP => [km|[j _ ->]]; last exact: (ltn_ord j).
  by exists (Ordinal (km : (m < size V)%N)) => //; apply: val_inj.
have := @close_average O [finType of {perm 'I_(size W)}] (size W) (size V) ((size W)%:R + (size V)%:R * (e - 1)) d
  (fun (t : {perm 'I_(size W)}) o => N [ffun j => a (t (widen_ord le j))] o)
  (fun (t : {perm 'I_(size W)}) o => N [ffun j => b (t (widen_ord le j))] o) [finType of {perm 'I_(size W)}]
  (fun g : {perm 'I_(size W)} => g last == i) (fun g m => tperm last m * g)%g n0 d0 (permutations last i).
have -> : ((size W)%:R + (size V)%:R * (e - 1)) / (size W)%:R = 1 - q + q * e by rewrite /q; field; rewrite lt0r_neq0.
apply=> g T /eqP gl.
have out j : g (widen_ord le j) != i by rewrite -gl (inj_eq perm_inj) far.
have same m j : ~~ kept m -> (tperm last m * g)%g (widen_ord le j) = g (widen_ord le j).
  move=> km; rewrite permM tpermD // eq_sym ?far //; apply: contra km => /eqP <-; exact: (ltn_ord j).
have here_ m j : kept m -> val j != val m -> (tperm last m * g)%g (widen_ord le j) = g (widen_ord le j).
  by move=> km jm; rewrite permM tpermD // eq_sym ?far.
pose ev (c : data P L W) (m : 'I_(size W)) := \sum_(o | T o) N [ffun j => c ((tperm last m * g)%g (widen_ord le j))] o.
have := @boxes (size W) kept e d (ev a) (ev b) (ev a) e1 _ _; rewrite cK.
have -> : \sum_m (if kept m then ev a m else ev a m) = \sum_m ev a m by apply: eq_bigr => m _; case: ifP.
have -> : \sum_m (if kept m then ev b m else ev a m) = \sum_m ev b m.
  apply: eq_bigr => m _; case: ifP => // /negbT km; rewrite /ev; apply: eq_bigr => o _; congr (N _ o).
  by apply/ffunP => j; rewrite !ffunE !same //; apply: ab.
apply=> [m km|m m' km km'].
  apply: (events_close _ mp lN); apply: (rel _ _ (Ordinal (km : (m < size V)%N))) => j jm.
  by rewrite !here_ //; apply: ab.
apply: (events_close _ mp lN); apply: (rel _ _ (Ordinal (km : (m < size V)%N))) => j jm.
by rewrite here_ // same.
Qed.

Theorem subsampling_without_replacement_sound :
  sound1 mean mean (@rule_subsampling_without_replacement R A) (@built_subsampling_without_replacement R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} V W O T coins k n ins out rest N kw ow le lN mp inj ouj on off lc away rol lM.
case: w kw ow => k' n' /= kw ow; subst k' n'; rewrite /rule_subsampling_without_replacement.
case: f => [? ? ? ? ? ? ? ?]; case: p mp on off rol => [l d u pt ? ? ? ?] /= mp on off rol; rewrite /privacy_ok /= => ok.
have [sp h] := mean_hides mp; move: sp h; rewrite /= => sp h; have e1 := exp_of_ge1 A sp; have [_ _ d0] := sp.
apart; apply: mean_from => [/= r0|]; first by have := mean_known mp r0; rewrite /known (rol r0).
set e := exp_of A l in e1 *.
have n0 : (0 < n)%N by [].
have np : 0 < n%:R :> R by rewrite ltr0n.
set q : R := k%:R / n%:R.
have q0 : 0 <= q by apply: divr_ge0; apply: ler0n.
have e0 : 0 <= e - 1 by rewrite subr_ge0.
have f1 : 1 <= 1 - q + q * e.
  have -> : 1 - q + q * e = 1 + q * (e - 1) by ring.
  by rewrite ler_addl mulr_ge0.
have s1 : 1 - q + q * e <= short A (1 - q + q * e) by apply/short_up/(le_trans ler01).
have s2 : q * d <= short A (q * d) by apply: short_up; apply: mulr_ge0.
have g1 := le_trans f1 s1; have g2 := le_trans (mulr_ge0 q0 d0) s2.
apply: private1 => // a b [i [pi ab lab]]; rewrite amount_pure.
apply: (close_weaken _ _ s1 s2); first by case: (lM b).
have [i' oi] := off i pi.
apply: close_coins => // t.
pose N' : mech R P L (list_of k) O := fun c => N (filled ins (rest t) b c).
have fillE (c : 'I_k -> P * L) : filled ins (rest t) a c = filled ins (rest t) b c.
  by apply: filled_ext => // v vn; apply: ab; rewrite -oi; apply: away.
have lN' c : law (N' c) by apply: lN.
have mp' : private A l d "record" "all records" 1 N' by apply: filled_private (conj sp h) inj on.
have := @kept_close (list_of k) (list_of n) O N' l d "all records" le [ffun j => a (out j)] [ffun j => b (out j)] i' mp' lN' (fun _ => isT).
have to (c : data P L W) (s : {perm 'I_n}) :
    N' [ffun j => [ffun j0 => c (out j0)] (s (widen_ord le j))] = N (filled ins (rest t) b (fun j => c (out (s (widen_ord le j))))).
  by congr N; apply: filled_ext => // j; rewrite !ffunE.
move=> /(_ _) cl S; have := cl _ S; rewrite !average_event /average.
under eq_bigr do rewrite to -fillE; under [X in _ <= _ * (X / _) + _]eq_bigr do rewrite to.
apply=> j ji; rewrite !ffunE; apply: ab; apply: contra ji; rewrite -oi => /eqP/ouj ->; exact: eqxx.
Qed.
End Sampling.
