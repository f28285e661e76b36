(* Soundness of sampling with replacement, and of lists that some of the records decide. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws Releases Sampling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Lists.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).
Notation data := (data P L).

(* --- Lists that some of the records decide ------------------------------------------------------------------------------------- *)
(* Record i is among the first k of a random order of n with chance k / n; if not, laws are close, and otherwise anything may happen *)
Lemma listed_close (O : finType) n k (i : 'I_n) (e d : R) (M N : {perm 'I_n} -> O -> R) (le : (k <= n)%N) :
  0 <= e -> 0 <= d -> (forall s, law (M s)) -> (forall s, law (N s)) ->
  (forall s : {perm 'I_n}, (forall j : 'I_k, s (widen_ord le j) != i) -> close e d (M s) (N s)) ->
  close e ((1 - k%:R / n%:R) * d + k%:R / n%:R) (fun o => average (fun s => M s o)) (fun o => average (fun s => N s o)).
Proof.
move=> e0 d0 lM lN h T; rewrite !average_event /average.
have n0 : (0 < n)%N by apply: leq_ltn_trans (ltn_ord i).
have hl : (n.-1 < n)%N by rewrite prednK.
pose last := Ordinal hl.
have np : 0 < n%:R :> R by rewrite ltr0n.
rewrite !(permutations last i).
set c := fun g : {perm 'I_n} => g last == i.
have cardT : #|{perm 'I_n}|%:R = #|c|%:R * n%:R :> R.
  have := permutations last i (fun=> 1 : R); rewrite sumr_const (eq_bigr (fun=> n%:R)) => [|g _]; last by rewrite sumr_const card_ord.
  by rewrite sumr_const => ->; rewrite mulr_natl.
have tp : 0 < #|{perm 'I_n}|%:R :> R by rewrite ltr0n; apply/card_gt0P; exists 1%g.
have cp : 0 < #|c|%:R :> R by move: tp; rewrite cardT pmulr_lgt0.
have place g (l : 'I_n) (j : 'I_n) : c g -> ((tperm last l * g)%g j == i) = (j == l).
  by move=> /eqP gi; rewrite -gi permM (inj_eq perm_inj) -{2}(tpermR last l) (inj_eq perm_inj).
have each g : c g -> \sum_l \sum_(o | T o) M (tperm last l * g)%g o <=
    e * (\sum_l \sum_(o | T o) N (tperm last l * g)%g o) + ((n - k)%:R * d + k%:R).
  move=> cg; have card_k : #|[pred l : 'I_n | (l < k)%N]| = k.
    rewrite -[RHS]card_ord -(card_image (f := widen_ord le)); last by move=> x y /(congr1 val) /= /val_inj.
    apply: eq_card => l; apply/idP/imageP => [kl|[j _ ->]]; last exact: (ltn_ord j).
    by exists (Ordinal (kl : (l < k)%N)) => //; apply: val_inj.
  have card_nk : #|[pred l : 'I_n | ~~ (l < k)%N]| = (n - k)%N.
    have ec := cardC [pred l : 'I_n | (l < k)%N]; rewrite card_ord card_k in ec.
    by apply/eqP; rewrite -(eqn_add2l k) subnKC //; apply/eqP; rewrite -[RHS]ec.
  apply: (@le_trans _ _ (\sum_(l < n) (e * (\sum_(o | T o) N (tperm last l * g)%g o) + (if (l < k)%N then 1 else d)))).
    apply: ler_sum => l _; case: ifP => [lk|/negbT lk].
      have /andP[_ h1] := law_event T (lM (tperm last l * g)%g); apply: (le_trans h1); rewrite ler_addr mulr_ge0 //.
      by have /andP[] := law_event T (lN (tperm last l * g)%g).
    apply: h => j; rewrite place //; apply: contra lk => /eqP <-; exact: (ltn_ord j).
  rewrite big_split /= -mulr_sumr ler_add2l (bigID (fun l : 'I_n => (l < k)%N)) /= addrC.
  rewrite (eq_bigr (fun=> d)) => [|l /negbTE -> //]; rewrite [X in _ + X](eq_bigr (fun=> 1)) => [|l -> //].
  by rewrite !sumr_const card_k card_nk mulr_natl.
rewrite ler_pdivr_mulr //; apply: le_trans (ler_sum _ each) _.
rewrite big_split /= -mulr_sumr [X in _ + X <= _](_ : _ = #|c|%:R * ((n - k)%:R * d + k%:R)); last by rewrite sumr_const [RHS]mulr_natl.
rewrite [X in _ <= X]mulrDl -[e * (_ / _) * _]mulrA divfK ?lt0r_neq0 // ler_add2l.
rewrite cardT natrB // le_eqVlt; apply/orP; left; apply/eqP.
by move: (k%:R : R) (#|c|%:R : R) => K C; field; apply: lt0r_neq0.
Qed.

Lemma same_points (W : world) k (le : (k <= size W)%N) (a b : data W) i (s : {perm 'I_(size W)}) :
  (forall j, j != i -> a j = b j) -> (forall j : 'I_k, s (widen_ord le j) != i) ->
  (fun j : 'I_k => (a (s (widen_ord le j))).1) =1 (fun j => (b (s (widen_ord le j))).1).
Proof. by move=> ab h j; rewrite ab. Qed.

Theorem listed_from_some_sound : sound1 mean (@mean_bounded_range R P L A) (@rule_listed_from_some R A) (@built_listed_from_some R P L).
Proof.
move=> f p w W O M lM; rewrite /built_listed_from_some; case: w => k n /= B; case: B lM => {W O M} W O of_ le N lN mN ext _.
rewrite /rule_listed_from_some; case: f => [? d u ? ? ? ? ?]; case: p mN => [l v] mN; rewrite /mean_privacy /privacy_ok /= => ok; apart.
have n0 : (0 < size W)%N by [].
have l0 : 0 <= amount A l by apply: mulr_ge0; [apply: ltW; apply: E_gt0 | apply: ltW].
have sl : sane l 0 by [].
have l1 := amount_ge1 A sl.
apply: private1 => // a b ab; have [i [pi hi lab]] := ab.
rewrite -[X in close _ X]add0r -[X in close _ (X + _)](mulr0 (1 - k%:R / (size W)%:R)).
apply: (@listed_close O (size W) k i (amount A l) 0 (fun s => N (fun j => (a (s (widen_ord le j))).1) a)
  (fun s => N (fun j => (b (s (widen_ord le j))).1) b) le) => // s far.
rewrite (ext _ _ (same_points hi far)); set t := fun j => _.
have [_ h] := mN t => S; rewrite addr0.
have := h a b ab S; rewrite /event.
have ea := law_event S (lN t a); have eb := law_event S (lN t b).
have pa : \sum_(o | predC S o) N t a o = 1 - \sum_(o | S o) N t a o.
  by case: (lN t a) => _ <-; rewrite [in RHS](bigID S) /= addrAC subrr add0r.
have pb : \sum_(o | predC S o) N t b o = 1 - \sum_(o | S o) N t b o.
  by case: (lN t b) => _ <-; rewrite [in RHS](bigID S) /= addrAC subrr add0r.
rewrite pa pb; move: ea eb; move: (\sum_(o | S o) N t a o) (\sum_(o | S o) N t b o) => x y /andP[x0 x1] /andP[y0 y1] hxy.
rewrite -subr_ge0; have -> : amount A l * y - x = (amount A l * (y * (1 - x)) - x * (1 - y)) + (amount A l - 1) * (x * y) by ring.
by apply: addr_ge0; rewrite ?subr_ge0 // !mulr_ge0 // subr_ge0.
Qed.

Theorem stable_from_some_sound : sound1 (@mean_stability R P L) (@mean_stability R P L) (@rule_stable_from_some R A) (@built_stable_from_some R P L).
Proof.
move=> f p w W O M lM; rewrite /built_stable_from_some; case: w => k n /= B; case: B lM => {W O M} W O of_ le N lN mN ext _.
rewrite /rule_stable_from_some; case: f => [d u]; case: p mN => [g v] mN; rewrite /mean_stability /stability_ok /= in mN * => ok; apart.
have n0 : (0 < size W)%N by [].
have q1 : k%:R / (size W)%:R <= 1 :> R by rewrite ler_pdivr_mulr ?ltr0n // mul1r ler_nat.
have q0 : 0 <= k%:R / (size W)%:R :> R by apply: divr_ge0; apply: ler0n.
have e : g + k%:R / (size W)%:R - k%:R / (size W)%:R * g = (1 - k%:R / (size W)%:R) * g + k%:R / (size W)%:R by ring.
rewrite e => a b ab; have [i [pi hi lab]] := ab.
have one0 : 0 <= 1 :> R by apply: ler01.
have g0 : 0 <= g.
  by have := mN (fun j => (b (widen_ord le j)).1) a b ab pred0; rewrite !big_pred0_eq mulr0 add0r.
apply: (@listed_close O (size W) k i 1 g (fun s => N (fun j => (a (s (widen_ord le j))).1) a)
  (fun s => N (fun j => (b (s (widen_ord le j))).1) b) le) => // s far.
rewrite (ext _ _ (same_points hi far)).
exact: mN.
Qed.

(* --- Sampling with replacement: one draw after the other takes its record from the other table ------------------------------------- *)
Lemma functions (m n : nat) (j : 'I_m) (i0 : 'I_n) (f : {ffun 'I_m -> 'I_n} -> R) :
  \sum_s f s = \sum_(g : {ffun 'I_m -> 'I_n} | g j == i0) \sum_l f [ffun x => if x == j then l else g x].
Proof.
rewrite exchange_big /= (partition_big (fun s : {ffun 'I_m -> 'I_n} => s j) predT) //=; apply: eq_bigr => l _.
rewrite (reindex_onto (fun g : {ffun 'I_m -> 'I_n} => [ffun x => if x == j then l else g x])
  (fun s => [ffun x => if x == j then i0 else s x])) /= => [|s /eqP sl].
  apply: eq_bigl => g; rewrite ffunE eqxx eqxx /=; apply/eqP/eqP => [<-|gi]; first by rewrite ffunE eqxx.
  by apply/ffunP => x; rewrite !ffunE; case: (eqVneq x j) => [->|].
by apply/ffunP => x; rewrite !ffunE; case: (eqVneq x j) => [->|].
Qed.

Theorem sampling_with_replacement_sound :
  sound1 mean mean (@rule_sampling_with_replacement R A) (@built_sampling_with_replacement R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} V W O N dw ow lN mp all_ lM.
case: w dw ow => m n /= dw ow; rewrite /rule_sampling_with_replacement.
case: f => [? ? ? ? ? ? ? ?]; case: p mp all_ => [l d u pt ? ? ? ?] /= mp all_.
rewrite /mean_privacy /privacy_ok /= in mp * => ok; apart; have [sp h] := mp; have e1 := exp_of_ge1 A sp; have [_ _ d0] := sp.
set e := exp_of A l in e1 *.
have n0 : (0 < size W)%N by [].
have np : 0 < (size W)%:R :> R by rewrite ltr0n.
set k := (e + (size W)%:R - 1) / (size W)%:R.
have k1 : 1 <= k.
  rewrite ler_pdivl_mulr // mul1r -subr_ge0; have -> : e + (size W)%:R - 1 - (size W)%:R = e - 1 by ring.
  by rewrite subr_ge0.
have k0 : 0 < k by apply: lt_le_trans k1.
apply: private1 => // a b [i [pi ab lab]]; rewrite amount_pure.
pose mix (t : nat) (s : {ffun 'I_(size V) -> 'I_(size W)}) : data V := [ffun j : 'I_(size V) => if (j < t)%N then b (s j) else a (s j)].
pose Q t o := average (fun s => N (mix t s) o).
have lQ t : law (Q t).
  have cT : 0 < #|{ffun 'I_(size V) -> 'I_(size W)}|%:R :> R by rewrite ltr0n; apply/card_gt0P; exists [ffun=> Ordinal n0].
  split=> [o|]; first by apply: divr_ge0; rewrite ?ler0n //; apply: sumr_ge0 => s _; case: (lN (mix t s)).
  rewrite average_event /average (eq_bigr (fun=> 1)) => [|s _]; last by case: (lN (mix t s)).
  by rewrite sumr_const divff // lt0r_neq0.
have step t : (t < size V)%N -> close k (d / (size W)%:R) (Q t) (Q t.+1).
  move=> tv; pose j := Ordinal tv.
  pose set_ (g : {ffun 'I_(size V) -> 'I_(size W)}) l := [ffun x => if x == j then l else g x] : {ffun 'I_(size V) -> 'I_(size W)}.
  have := @close_average R O [finType of {ffun 'I_(size V) -> 'I_(size W)}] (size W) 1 ((size W)%:R + 1%:R * (e - 1)) d
    (fun s => N (mix t s)) (fun s => N (mix t.+1 s)) [finType of {ffun 'I_(size V) -> 'I_(size W)}]
    (fun g : {ffun 'I_(size V) -> 'I_(size W)} => g j == i) set_ n0 d0 (functions j i).
  have -> : ((size W)%:R + 1%:R * (e - 1)) / (size W)%:R = k by rewrite /k; congr (_ / _); ring.
  rewrite [1%:R / _ * d]mulrAC !mul1r => go; refine (go _) => g T _.
  have c1 : #|pred1 i| = 1%N by apply: card1.
  have late x v : x != j -> (mix t.+1 (set_ g v)) x = (mix t (set_ g v)) x.
    by move=> xj; rewrite !ffunE ltnS leq_eqVlt -[val x == t]/(x == j) (negbTE xj).
  have away v v' x : x != j -> mix t (set_ g v) x = mix t (set_ g v') x.
    by move=> xj; rewrite !ffunE (negbTE xj).
  have at_t v : mix t (set_ g v) j = a v by rewrite !ffunE ltnn eqxx.
  have at_t' v : mix t.+1 (set_ g v) j = b v by rewrite !ffunE ltnS leqnn eqxx.
  have bound (x y : data V) : (forall z, z != j -> x z = y z) ->
      \sum_(o | T o) N x o <= e * (\sum_(o | T o) N y o) + d.
    move=> xy; have rel : replaced "record" pt x y by exists j; split.
    exact: events_close mp lN rel.
  pose ev (c : data V) := \sum_(o | T o) N c o.
  have := @boxes R (size W) (pred1 i) e d (fun l => ev (mix t (set_ g l))) (fun l => ev (mix t.+1 (set_ g l)))
    (fun l => ev (mix t (set_ g l))) e1 _ _; rewrite c1 !mul1r.
  have -> : \sum_l (if pred1 i l then ev (mix t (set_ g l)) else ev (mix t (set_ g l))) = \sum_l ev (mix t (set_ g l)).
    by apply: eq_bigr => v _; case: ifP.
  have -> : \sum_l (if pred1 i l then ev (mix t.+1 (set_ g l)) else ev (mix t (set_ g l))) = \sum_l ev (mix t.+1 (set_ g l)).
    apply: eq_bigr => v _; case: ifP => //= li; congr ev; apply/ffunP => x.
    have [->|xj] := eqVneq x j; last by rewrite late.
    by rewrite at_t at_t' ab ?li.
  by apply=> [v _|v v' _ _]; apply: bound => z zj; rewrite ?late //; apply: away.
have ch : close (k ^+ size V) (d / (size W)%:R * geometric k (size V)) (Q 0%N) (Q (size V)).
  by apply: close_chain => //; apply: ltW.
have ea : Q 0%N =1 (fun o => average (fun s : {ffun 'I_(size V) -> 'I_(size W)} => N [ffun j => a (s j)] o)).
  by move=> o; rewrite /Q /average; congr (_ / _); apply: eq_bigr => s _; congr (N _ o); apply/ffunP => j; rewrite !ffunE.
have eb : Q (size V) =1 (fun o => average (fun s : {ffun 'I_(size V) -> 'I_(size W)} => N [ffun j => b (s j)] o)).
  by move=> o; rewrite /Q /average; congr (_ / _); apply: eq_bigr => s _; congr (N _ o); apply/ffunP => j; rewrite !ffunE ltn_ord.
apply: (close_ext ea eb); apply: close_weaken (close_min (lQ _) (lQ _) _ ch) _ _; first by case: (lQ (size V)).
- by rewrite exprn_ge0 // ltW.
- exact: pow_up.
set pw := pow A _ _; have hp : k ^+ size V <= pw by apply: pow_up.
set g := (if e == 1 then _ else _).
have hg : d / (size W)%:R * geometric k (size V) <= d * g.
  rewrite -mulrA; apply: ler_wpmul2l => //; rewrite /g; case: eqP => [ee|/eqP en].
    have -> : k = 1 by rewrite /k ee addrAC subrr add0r divff // lt0r_neq0.
    by rewrite geometric1 mulrC.
  have ep : 0 < e - 1 by rewrite subr_gt0 lt_def en.
  have kn : k != 1.
    rewrite -subr_eq0; have -> : k - 1 = (e - 1) / (size W)%:R by rewrite /k; field; rewrite lt0r_neq0.
    by rewrite mulf_neq0 ?invr_neq0 // lt0r_neq0.
  rewrite geometric_closed // ler_pdivl_mulr //.
  have -> : (size W)%:R^-1 * ((k ^+ size V - 1) / (k - 1)) * (e - 1) = k ^+ size V - 1.
    have -> : e - 1 = (k - 1) * (size W)%:R by rewrite /k; field; rewrite lt0r_neq0.
    by field; rewrite subr_eq0 kn lt0r_neq0.
  by rewrite ler_add2r.
have p0 : 0 <= d * g by apply: le_trans hg; rewrite !mulr_ge0 ?invr_ge0 ?geometric_ge0 // ltW.
apply: le_trans (short_up A _); last by rewrite le_minr ler01.
by rewrite le_minr !le_minl lexx hg orbT.
Qed.
End Lists.
