(* Soundness of relabelling by the vote of the others, where the records that are kept are drawn. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws Sampling Relabel Relabel2.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma least_le (C : finType) (c0 : C) (s : C -> nat) c : (least c0 s <= s c)%N.
Proof. by rewrite /least; case: arg_minnP => // d _; apply. Qed.
Lemma least_at (C : finType) (c0 : C) (s : C -> nat) : exists c, least c0 s = s c.
Proof. by exists [arg min_(c < c0) s c]%N. Qed.

(* Whole numbers *)
Lemma right_label c m b w k (p : bool) : (c * (b + p) + m * (w + 0) <= c * b + m * (w + k) + c)%N.
Proof. by rewrite !mulnDr muln0 addn0; case: p; rewrite ?muln1 ?muln0; lia. Qed.
Lemma wrong_label c m b w k s : (s <= c * b + m * w -> m <= c -> s + m <= c * (b + 1) + m * (w + k))%N.
Proof. by move=> h1 h2; rewrite !mulnDr muln1; lia. Qed.

Section Exchange.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).
Notation data := (data P L).

(* --- The weights of groups, where one point of the list and one voter are exchanged ------------------------------------------------ *)
Section Groups.
Variables (k : nat) (H : finType) (h0 : H) (says : H -> P -> bool) (change mistake : nat) (x : R).
Hypotheses (x0 : 0 < x) (x1 : x <= 1).
Variables (t u : 'I_k -> P) (j : 'I_k) (wrong : H -> nat).
Hypothesis tu : forall i, i != j -> t i = u i.
Notation labels := {ffun 'I_k -> bool}.
(* The score, when besides `wrong` there is one voter more, which h gets wrong if `bit h` *)
Definition scored (q : 'I_k -> P) (bit : H -> bool) (z : labels) :=
  least h0 (fun h => change * #|[pred i | z i != says h (q i)]| + mistake * (wrong h + bit h))%N.
Definition common (g : labels) := without h0 says change mistake t wrong j g.
Lemma common_u g : without h0 says change mistake u wrong j g = common g.
Proof.
have e h : #|[pred i | (i != j) && (g i != says h (u i))]| = #|[pred i | (i != j) && (g i != says h (t i))]|.
  by apply: eq_card => i; rewrite !inE; case: (eqVneq i j) => //= ij; rewrite tu.
by rewrite /common /without; apply/eqP; rewrite eqn_leq -[X in (_ <= X)%N]addn0 -[X in _ && (_ <= X)%N]addn0 !min_le // => h; rewrite addn0 e.
Qed.
Lemma scored_lo q bit z : (without h0 says change mistake q wrong j (but j z) <= scored q bit z)%N.
Proof.
rewrite -[X in (_ <= X)%N]addn0; apply: min_le => h; rewrite addn0 (score_split says q j) leq_add //.
  by rewrite leq_mul2l leq_addr orbT.
by rewrite leq_mul2l leq_addr orbT.
Qed.
Lemma scored_hi q bit z : (scored q bit z <= without h0 says change mistake q wrong j (but j z) + (change + mistake))%N.
Proof.
apply: min_le => h; rewrite (score_split says q j) !mulnDr addnACA leq_add2l leq_add //.
  by case: (_ != _); rewrite ?muln1 ?muln0.
by case: (bit h); rewrite ?muln1 ?muln0.
Qed.

(* In general *)
Lemma exchanged_groups bit bit' g :
  (\sum_(z | but j z == g) weights says x t (scored t bit) z <=
    2%:R * (1 / x) ^+ (change + mistake) * \sum_(z | but j z == g) weights says x u (scored u bit') z)%R.
Proof.
apply: (groups_close (s := common)) => // z _; first exact: scored_lo.
by rewrite -common_u; apply: scored_hi.
Qed.
(* Where a changed label counts as much as a vote. The voter that is there for t alone has label y, at the point that is in u alone *)
Lemma exchanged_back bit (y : bool) g : (mistake <= change)%N ->
  (\sum_(z | but j z == g) weights says x u (scored u bit) z <=
    (1 / x) ^+ change * (1 + (1 / x) ^+ mistake) * \sum_(z | but j z == g) weights says x t (scored t (fun h => y != says h (u j))) z)%R.
Proof.
move=> mc; set wt := weights says x t _; set wu := weights says x u _; set s := common g.
have ge0 (q : 'I_k -> P) f z : 0 <= weights says x q f z by apply: weights_ge0.
have i1 : 1 <= 1 / x by apply: inv_ge1. have i0 : 0 <= 1 / x by apply: le_trans i1.
have f0 : 0 <= (1 / x) ^+ change * (1 + (1 / x) ^+ mistake) by apply: mulr_ge0; [exact: exprn_ge0 | apply: addr_ge0; [exact: ler01 | exact: exprn_ge0]].
have xn n : 0 <= x ^+ n by rewrite exprn_ge0 // ltW.
have dec m n : (m <= n)%N -> x ^+ n <= x ^+ m by move=> mn; apply: ler_wiexpn2l => //; apply: ltW.
have [/existsP [z /andP[uz /eqP gz]]|none] := boolP [exists z, labelling says u z && (but j z == g)]; last first.
  rewrite big1 => [|z gz].
    by apply: mulr_ge0; [exact: f0 | apply: sumr_ge0 => w _; exact: ge0].
  by rewrite /wu /weights; case: ifP => // uz; case/negP: none; apply/existsP; exists z; apply/andP.
have ut i : i != j -> u i = t i by move=> ij; rewrite tu.
have [v tv vz] := same_group ut uz; rewrite gz in vz.
set a := with_ j y g; set b := with_ j (~~ y) g.
have bg c : but j g = g -> but j (with_ j c g) = g.
  by move=> gg; apply/ffunP => i; rewrite -{2}gg !ffunE; case: eqP.
have gg : but j g = g by rewrite -gz; apply/ffunP => i; rewrite !ffunE; case: eqP.
(* At most two labellings *)
have two : \sum_(z | but j z == g) wu z <= wu a + x ^+ s.
  have ab : a != b by apply/eqP => /ffunP /(_ j); rewrite !ffunE eqxx; case: (y).
  rewrite big_mkcond /= (bigD1 a) //= (bigD1 b) /= 1?eq_sym // big1 => [|w /andP[wa wb]]; last first.
    case: ifP => // /eqP wg; have e := but_with j w; rewrite wg in e.
    by move: wa wb; rewrite -e /a /b; case: (w j); case: (y); rewrite eqxx.
  rewrite addr0; apply: ler_add; first by case: ifP => // _; apply: ge0.
  case: ifP => _; last exact: xn.
  rewrite /wu /weights; case: ifP => _; last exact: xn.
  apply: dec.
  by rewrite /s -common_u -{1}(bg (~~ y) gg); apply: scored_lo.
(* It is enough that some m weighs the group from below, and one of its labellings from above *)
suff [m mm [lo hi]] : exists2 m, (m <= mistake)%N & x ^+ (s + change + m) <= \sum_(z | but j z == g) wt z /\ wu a <= x ^+ (s + m).
  apply: (le_trans two); apply: le_trans (ler_wpmul2l f0 lo).
  have alg r : (1 / x) ^+ change * (1 + (1 / x) ^+ mistake) * x ^+ (r + change + m) =
      x ^+ (r + m) + (1 / x) ^+ (mistake - m) * x ^+ r.
    have one n : (1 / x) ^+ n * x ^+ n = 1 by rewrite -exprMn div1r mulVf ?expr1n // lt0r_neq0.
    rewrite -{1}(subnK mm) !exprD; move: (one change) (one m); move: (_ ^+ change) (x ^+ change) (_ ^+ m) (x ^+ m) (_ ^+ (mistake - m)) (x ^+ r).
    move=> pc xc pm xm q y1 hc hm; transitivity ((pc * xc) * (y1 * xm) + (pc * xc) * (pm * xm) * (q * y1)); first by ring.
    by rewrite hc hm !mul1r.
  rewrite alg; apply: (ler_add hi); apply: ler_pemull; [exact: xn | apply: exprn_ege1; exact: i1].
have weigh q w (f : labels -> nat) n : labelling says q w -> but j w = g -> (f w <= n)%N -> x ^+ n <= \sum_(z | but j z == g) weights says x q f z.
  by move=> qw wg fn; apply: (group_ge (z := w)) => [z'||]; [exact: ge0 | exact: wg | rewrite /weights qw; apply: dec].
have base : x ^+ (s + change + mistake) <= \sum_(z | but j z == g) wt z.
  by apply: (weigh t v) => //; rewrite -addnA /s -vz; apply: scored_hi.
have ag : but j a = g by apply: bg.
have [ua|nua] := boolP (labelling says u a); last by exists mistake; [exact: leqnn | split; [exact: base | rewrite /wu /weights (negbTE nua); exact: xn]].
have wua : wu a = x ^+ scored u bit a by rewrite /wu /weights ua.
have sS : (s <= scored u bit a)%N by rewrite /s -common_u -ag; apply: scored_lo.
have [f ef] := least_at h0 (fun h => change * #|[pred i | a i != says h (u i)]| + mistake * (wrong h + bit h))%N.
have aj : a j = y by rewrite ffunE eqxx.
pose both := #|[pred i | (i != j) && (g i != says f (t i))]|.
have eu : #|[pred i | a i != says f (u i)]| = (both + (y != says f (u j)))%N.
  rewrite (score_split says u j) ag aj; congr (_ + _)%N; apply: eq_card => i; rewrite !inE.
  by case: (eqVneq i j) => //= ij; rewrite tu.
have et : #|[pred i | v i != says f (t i)]| = (both + (v j != says f (t j)))%N by rewrite (score_split says t j) vz.
have lower : (s <= change * both + mistake * wrong f)%N by apply: (least_le h0 (fun h => change * #|[pred i | (i != j) && (g i != says h (t i))]| + mistake * wrong h)%N).
rewrite /scored eu in ef; case: (eqVneq y (says f (u j))) ef => [yf|yf] /= ef.
  have sv : (scored t (fun h => y != says h (u j)) v <= scored u bit a + change)%N.
    apply: leq_trans (least_le h0 _ f) _; rewrite /scored ef et -yf eqxx addn0.
    exact: right_label.
  exists (minn (scored u bit a - s) mistake); first exact: geq_minr.
  split; last by rewrite wua; apply: dec; rewrite -{2}(subnKC sS) leq_add2l geq_minl.
  have [le|gt] := leqP (scored u bit a - s) mistake; last exact: base.
  by apply: (weigh t v) => //; rewrite addnAC subnKC.
exists mistake; first exact: leqnn.
split; first exact: base.
rewrite wua; apply: dec; rewrite /scored ef; apply: wrong_label lower mc.
Qed.
End Groups.

(* --- Not kept, and kept against not kept ------------------------------------------------------------------------------------------ *)
Section Places.
Variables (V W : world) (O H : finType) (N : mech R P L V O) (h0 : H) (says : H -> P -> bool) (tell : bool -> L) (read : L -> bool).
Variables (x : R) (change mistake : nat).
Hypotheses (x0 : 0 < x) (x1 : x <= 1) (lN : forall a, law (N a)).
Notation run := (run N h0 says tell read x change mistake).
Notation places := ('I_(size V) -> 'I_(size W)).

Lemma least_ext (s t : H -> nat) : s =1 t -> least h0 s = least h0 t.
Proof.
move=> st; apply/eqP; rewrite eqn_leq -[X in (_ <= X)%N]addn0 -[X in _ && (_ <= X)%N]addn0.
by rewrite !min_le // => h; rewrite st addn0.
Qed.
Lemma relabelled_ext (st su : {ffun 'I_(size V) -> bool} -> nat) (t u : 'I_(size V) -> P) : st =1 su -> t =1 u ->
  relabelled says tell x st t N =1 relabelled says tell x su u N.
Proof.
move=> ss tu o; rewrite /relabelled /push; apply: eq_bigr => z _; congr (_ * _); last first.
  by congr (N _ o); apply/ffunP => j; rewrite !ffunE tu.
have e y : (if labelling says t y then x ^+ st y else 0) = (if labelling says u y then x ^+ su y else 0).
  by rewrite ss; congr (if _ then _ else _); apply: eq_existsb => h; apply: eq_forallb => j; rewrite tu.
by rewrite /normal e; congr (_ / _); apply: eq_bigr => y _; rewrite e.
Qed.
Lemma run_ext (at1 at2 : places) (a : data W) : at1 =1 at2 -> run at1 a =1 run at2 a.
Proof.
move=> e; apply: relabelled_ext => [z|j]; last by rewrite e.
apply: least_ext => h; congr (_ * _ + _ * _)%N; apply: eq_card => v; rewrite !inE; first by rewrite e.
by rewrite (eq_codom e).
Qed.
Lemma run_law at_ (a : data W) : law (run at_ a).
Proof. exact: relabelled_law. Qed.

Variables (a b : data W) (i : 'I_(size W)).
Hypothesis ab : forall v, v != i -> a v = b v.

Lemma voted_close (at_ : places) : i \notin codom at_ -> close (((1 / x) ^+ mistake) ^+ 2) 0 (run at_ a) (run at_ b).
Proof.
move=> out; have same j : a (at_ j) = b (at_ j) by apply: ab; apply: contra out => /eqP <-; apply: codom_f.
have r0 : 0 <= (1 / x) ^+ mistake by rewrite exprn_ge0 // ltW // inv_gt0.
apply: (@close_ext _ _ _ _ (run at_ a) (relabelled says tell x (nearest h0 says read change mistake b at_) (fun j => (a (at_ j)).1) N)) => //.
  by apply: relabelled_ext => // j; rewrite same.
apply: close_push => //; apply: point_close => z.
have moved (c c' : data W) y : (forall v, v != i -> c v = c' v) -> (forall j, c (at_ j) = c' (at_ j)) ->
    (nearest h0 says read change mistake c at_ y <= nearest h0 says read change mistake c' at_ y + mistake)%N.
  move=> cc cs; apply: min_le => h; rewrite -addnA leq_add //.
    by rewrite leq_mul2l; apply/orP; right; apply: eq_leq; apply: eq_card => j; rewrite !inE cs.
  rewrite -{3}[mistake]muln1 -mulnDr leq_mul2l; apply/orP; right.
  rewrite (cardD1 i) [X in (_ <= X + _)%N](cardD1 i) addnC -[X in (_ <= X)%N]addnA [X in (_ <= X)%N]addnC -addnA.
  rewrite (eq_card (_ : _ =i [predD1 [pred v | (v \notin codom at_) && (read (c' v).2 != says h (c' v).1)] & i])).
    by apply: leq_add => //; rewrite (leq_trans (leq_b1 _)) // leq_addr.
  by move=> v; rewrite !inE; case: eqP => //= /eqP vi; rewrite cc.
have ba v : v != i -> b v = a v by move=> vi; rewrite ab.
apply: normal_close => // y; try exact: weights_ge0.
- case: ifP => _; last by rewrite mulr0.
  by apply: power_step => //; apply: moved.
- case: ifP => _; last by rewrite mulr0.
  by apply: power_step => //; apply: moved.
Qed.

Variables (l : loss R) (d : R).
Hypothesis mp : private A l d "record" "all records" 1 N.
Definition exchange_factor := if (mistake <= change)%N
  then 2%:R * (1 / x) ^+ (change + mistake) * ((1 / x) ^+ change * (1 + (1 / x) ^+ mistake))
  else 2%:R * (1 / x) ^+ (change + mistake) * (2%:R * (1 / x) ^+ (change + mistake)).
(* i is at place j of the list of a, and in its stead another record in that of b *)
Lemma cross_close (at1 at2 : places) j : i \notin codom at2 -> injective at2 -> at1 j = i -> (forall j', j' != j -> at1 j' = at2 j') ->
  close (exchange_factor * amount A l) d (run at1 a) (run at2 b).
Proof.
move=> out inj ji same; have [_ _ d0] := mp.1; pose w := at2 j.
have wi : w != i by apply: contra out => /eqP <-; apply: codom_f.
have bw : b w = a w by rewrite ab.
pose wrong h := #|[pred v | [&& v \notin codom at2, v != i & read (a v).2 != says h (a v).1]]|.
pose t k := (a (at1 k)).1; pose u k := (b (at2 k)).1.
have tu k : k != j -> t k = u k.
  move=> kj; rewrite /t /u same //; congr (fst _); apply: ab; apply: contra out => /eqP <-; exact: codom_f.
have ea z : nearest h0 says read change mistake a at1 z =
    scored h0 says change mistake wrong t (fun h => (read (a w).2) != says h (u j)) z.
  apply: least_ext => h; congr (_ * _ + _ * _)%N; rewrite (cardD1 w) inE addnC; congr (_ + _)%N; last first.
    rewrite /u -/w bw; congr (nat_of_bool _); rewrite -[RHS]andTb; congr (_ && _).
    apply/codomP => -[k wk]; have [kj|kj] := eqVneq k j; first by move: wi; rewrite wk kj ji eqxx.
    by have e := same _ kj; move: kj; rewrite -(inj_eq inj) -e -wk /w eqxx.
  apply: eq_card => v; rewrite !inE; have [->|vw] /= := eqVneq v w; first by rewrite codom_f.
  rewrite andbA; congr (_ && _); have [->|vi] := eqVneq v i.
    by rewrite andbF -ji codom_f.
  rewrite andbT; congr (~~ _); apply/codomP/codomP => -[k vk]; exists k; rewrite vk.
    by apply: same; apply: contra vi => /eqP kj; rewrite vk kj ji.
  by rewrite same //; apply: contra vw => /eqP kj; rewrite vk kj.
have eb z : nearest h0 says read change mistake b at2 z =
    scored h0 says change mistake wrong u (fun h => read (b i).2 != says h (b i).1) z.
  apply: least_ext => h; congr (_ * _ + _ * _)%N; rewrite (cardD1 i) inE out addnC; congr (_ + _)%N.
  apply: eq_card => v; rewrite !inE; case: (eqVneq v i) => [->|vi] /=; first by rewrite andbF.
  by rewrite ab.
apply: (@close_ext _ _ _ _ (relabelled says tell x (scored h0 says change mistake wrong t (fun h => (read (a w).2) != says h (u j))) t N)
  (relabelled says tell x (scored h0 says change mistake wrong u (fun h => read (b i).2 != says h (b i).1)) u N)).
- by apply: relabelled_ext => // z; rewrite ea.
- by apply: relabelled_ext => // z; rewrite eb.
have pj : @Theory.places V "all records"%string j by apply: whole.
have i1 : 1 <= 1 / x by apply: inv_ge1. have i0 : 0 <= 1 / x by apply: le_trans i1.
have k0 : 0 <= 2%:R * (1 / x) ^+ (change + mistake) by rewrite mulr_ge0 ?ler0n // exprn_ge0.
have ut k : k != j -> u k = t k by move=> kj; rewrite tu.
rewrite /exchange_factor; case: ifP => mc.
  have m0 : 0 <= (1 / x) ^+ change * (1 + (1 / x) ^+ mistake).
    by apply: mulr_ge0; [exact: exprn_ge0 | apply: addr_ge0; [exact: ler01 | exact: exprn_ge0]].
  apply: (relabelled_close tell h0 x0 lN mp pj k0 m0 tu) => g; first exact: exchanged_groups.
  exact: exchanged_back.
apply: (relabelled_close tell h0 x0 lN mp pj k0 k0 tu) => g; exact: exchanged_groups.
Qed.
End Places.

(* --- The mixture ------------------------------------------------------------------------------------------------------------------ *)
Definition mixture (n k : nat) (f y h : R) := if y <= f then f else ((n%:R - k%:R) * f + k%:R * h * y) / (n%:R - k%:R + k%:R * h).
Lemma mixed n (kept : pred 'I_n) (f y h d : R) (u v : 'I_n -> R) (z z' : R) : (#|kept| < n)%N -> 0 <= f -> 0 <= y -> 0 <= h -> 0 <= z' ->
  (forall l, 0 <= v l) -> z <= f * z' -> (forall l, kept l -> u l <= y * v l + d) -> (forall l, kept l -> u l <= h * y * z' + d) ->
  \sum_l (if kept l then u l else z) <= mixture n #|kept| f y h * (\sum_l (if kept l then v l else z')) + #|kept|%:R * d.
Proof.
move=> kn f0 y0 h0 z0 v0 hz hu hx.
have sums (g : 'I_n -> R) c : \sum_l (if kept l then g l else c) = \sum_(l | kept l) g l + (n%:R - #|kept|%:R) * c.
  rewrite (bigID kept) /=; congr (_ + _); first by apply: eq_bigr => l ->.
  rewrite (eq_bigr (fun=> c)) => [|l /negbTE -> //]; rewrite sumr_const -natrB; last exact: ltnW.
  rewrite mulr_natl; congr (_ *+ _).
  have tot := cardC kept; rewrite card_ord in tot; apply: (@addnI #|kept|); rewrite subnKC; last exact: ltnW.
  by apply: etrans tot; congr (_ + _)%N; apply: eq_card => l; rewrite !inE.
have w0 : 0 < n%:R - #|kept|%:R :> R by rewrite subr_gt0 ltr_nat.
rewrite !sums /mixture; case: (lerP y f) => yf.
  rewrite mulrDr addrAC; apply: ler_add; last first.
    by rewrite mulrCA; apply: ler_wpmul2l => //; apply: ltW.
  rewrite mulr_sumr mulr_natl -sumr_const -big_split /=; apply: ler_sum => l kl; apply: (le_trans (hu l kl)).
  by rewrite ler_add2r; apply: ler_wpmul2r.
set w := n%:R - _ in w0 *; set k := #|kept|%:R; have k0 : 0 <= k by apply: ler0n.
have b0 : 0 < w + k * h by apply: ltr_paddr => //; apply: mulr_ge0.
set e := _ / _; have yp : 0 < y by apply: le_lt_trans yf.
have e0 : 0 <= e.
  by apply: divr_ge0; [apply: addr_ge0; apply: mulr_ge0 => //; [exact: ltW | exact: mulr_ge0] | exact: ltW].
have ee : e * (w + k * h) = w * f + k * h * y by rewrite /e divfK // lt0r_neq0.
have ey : e <= y.
  rewrite /e ler_pdivr_mulr // mulrDr [y * w]mulrC [y * (k * h)]mulrC ler_add2r.
  by apply: ler_wpmul2l; apply: ltW.
have each l : kept l -> u l <= (y - e) * h * z' + e * v l + d.
  move=> kl; have -> : u l = (1 - e / y) * u l + e / y * u l by rewrite -mulrDl subrK mul1r.
  have t0 : 0 <= e / y by rewrite divr_ge0. have t1 : 0 <= 1 - e / y by rewrite subr_ge0 ler_pdivr_mulr // mul1r.
  apply: le_trans (ler_add (ler_wpmul2l t1 (hx l kl)) (ler_wpmul2l t0 (hu l kl))) _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; apply: lt0r_neq0.
apply: le_trans (ler_add (ler_sum _ each) (ler_wpmul2l (ltW w0) hz)) _.
rewrite !big_split /= -mulr_sumr !sumr_const -[_ *+ _]mulr_natl -[d *+ _]mulr_natl -/k.
move: ee; rewrite mulrDr => ee; have ez : w * f = e * w + e * (k * h) - k * h * y by rewrite ee addrK.
rewrite [w * (f * z')]mulrA ez le_eqVlt; apply/orP; left; apply/eqP; rewrite -mulr_sumr; move: (e) (k) (w) (\sum_(l | kept l) v l) => ? ? ? ?; ring.
Qed.

Theorem relabelling_sound : sound1 mean mean (@rule_relabelling R A) (@built_relabelling R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} V W O H N kw ow le h0 says tell read lN mp lM.
case: w kw ow lM => x kk nn c m /= kw ow lM; rewrite /rule_relabelling.
case: f => [? ? ? ? ? ? ? ?]; case: p mp => [l d uu pt ? ? ? ?]; rewrite /mean_privacy /privacy_ok /= => mp ok; apart.
have x0 : 0 < x by []. have x1 : x <= 1 by [].
have lt : (size V < size W)%N by rewrite -(ltr_nat R).
have [sp _] := mp; have [_ _ d0] := sp; have e1 := exp_of_ge1 A sp; have ae := exp_of_up A sp.
have i1 : 1 <= 1 / x by apply: inv_ge1. have i0 : 0 < 1 / x by apply: inv_gt0.
have p1 q : 1 <= (1 / x) ^+ q by apply: exprn_ege1.
have p0 q : 0 <= (1 / x) ^+ q by apply: le_trans (p1 q).
set one := pow A (1 / x) m%:R; have o1 : (1 / x) ^+ m <= one by apply: pow_up.
have o0 : 1 <= one by apply: le_trans o1.
set two := pow A (1 / x) (2%:R * c%:R); have w1 : (1 / x) ^+ (2 * c) <= two by apply: powP; rewrite ?natrM.
have w0 : 0 <= two by apply: le_trans w1.
set inside := 4%:R * two * exp_of A l; set heavy := if _ then _ else one ^+ 2.
have in0 : 0 <= inside by rewrite !mulr_ge0 ?ler0n // (le_trans ler01 e1).
have h0' : 0 <= heavy.
  have oo : 0 <= one by apply: le_trans o0.
  by rewrite /heavy; case: ifP => _; [apply: divr_ge0; [apply: addr_ge0 => //; exact: exprn_ge0 | exact: ler0n] | exact: exprn_ge0].
have a0 : 0 <= amount A l by apply: ltW; apply: amount_gt0 sp.
have two_c : (1 / x) ^+ (2 * c) * amount A l <= two * exp_of A l by apply: ler_pmul.
have near : 2%:R * (1 / x) ^+ c * (2%:R * (1 / x) ^+ c) * amount A l <= inside.
  have -> : 2%:R * (1 / x) ^+ c * (2%:R * (1 / x) ^+ c) * amount A l = 4%:R * ((1 / x) ^+ (2 * c) * amount A l).
    by rewrite mul2n -addnn exprD; ring.
  by rewrite /inside -mulrA; apply: ler_wpmul2l; rewrite ?ler0n.
have cross : exchange_factor x c m * amount A l <= heavy * inside.
  rewrite /exchange_factor /heavy ler_nat; case: ifP => mc.
    have -> : 2%:R * (1 / x) ^+ (c + m) * ((1 / x) ^+ c * (1 + (1 / x) ^+ m)) * amount A l =
        2%:R * ((1 / x) ^+ m + (1 / x) ^+ m ^+ 2) * ((1 / x) ^+ (2 * c) * amount A l).
      by rewrite mul2n -addnn !exprD; ring.
    have -> : (one + one ^+ 2) / 2%:R * inside = 2%:R * (one + one ^+ 2) * (two * exp_of A l) by rewrite /inside; field.
    apply: ler_pmul => //; [by rewrite mulr_ge0 ?ler0n // addr_ge0 // exprn_ge0 | exact: mulr_ge0 |].
    by apply: ler_wpmul2l; rewrite ?ler0n //; apply: ler_add => //; apply: ler_expn2r; rewrite ?nnegrE // (le_trans ler01 o0).
  have -> : 2%:R * (1 / x) ^+ (c + m) * (2%:R * (1 / x) ^+ (c + m)) * amount A l =
      ((1 / x) ^+ m) ^+ 2 * (4%:R * ((1 / x) ^+ (2 * c) * amount A l)) by rewrite mul2n -addnn !exprD; ring.
  apply: ler_pmul; [exact: exprn_ge0 | by rewrite mulr_ge0 ?ler0n // mulr_ge0 | |].
    by apply: ler_expn2r; rewrite ?nnegrE // (le_trans ler01 o0).
  by rewrite /inside -mulrA; apply: ler_wpmul2l; rewrite ?ler0n.
have n0 : (0 < size W)%N by apply: leq_ltn_trans lt.
have np : 0 < (size W)%:R :> R by rewrite ltr0n.
pose d' := Num.min 1 d; have d'0 : 0 <= d' by rewrite /d' le_minr ler01.
set E := if _ then _ else _; set D := short A _.
have kD : (size V)%:R / (size W)%:R * d' <= D by apply: short_up; apply: mulr_ge0 => //; apply: divr_ge0; apply: ler0n.
have D0 : 0 <= D by apply: le_trans kD; apply: mulr_ge0 => //; apply: divr_ge0; apply: ler0n.
have E1 : 1 <= E by [].
have kE : mixture (size W) (size V) (one ^+ 2) inside heavy <= E.
  rewrite /mixture /E; case: ifP => // _; apply: short_up; apply: divr_ge0.
    apply: addr_ge0; last by rewrite mulr_ge0 // mulr_ge0 ?ler0n.
    by apply: mulr_ge0; [rewrite subr_ge0 ler_nat ltnW | rewrite exprn_ge0 // (le_trans ler01 o0)].
  by apply: addr_ge0; [rewrite subr_ge0 ler_nat ltnW | rewrite mulr_ge0 ?ler0n].
apply: private1 => // a b [i [pi ab _]]; rewrite amount_pure; apply: (close_weaken _ _ kE kD); first by case: (lM b).
pose at_ (s : {perm 'I_(size W)}) := fun j : 'I_(size V) => s (widen_ord le j).
pose go (s : {perm 'I_(size W)}) (r : data W) := run N h0 says tell read x c m (at_ s) r.
have inj s : injective (at_ s) by move=> j j' /perm_inj/(congr1 val) /= /val_inj.
have goL s r : law (go s r) by apply: run_law.
have hl : ((size W).-1 < size W)%N by rewrite prednK.
pose last := Ordinal hl; pose kept (q : 'I_(size W)) := (q < size V)%N.
have far j : (widen_ord le j == last) = false.
  by apply/negbTE/eqP => /(congr1 val) /= e'; have := leq_ltn_trans (ltn_ord j) lt; rewrite e' prednK // ltnn.
have cK : #|kept| = size V.
  rewrite -[RHS]card_ord -(card_image (f := widen_ord le)); last by move=> q y /(congr1 val) /= /val_inj.
  apply: eq_card => q; apply/idP/imageP => [km|[j _ ->]]; last exact: (ltn_ord j).
  by exists (Ordinal (km : (q < size V)%N)) => //; apply: val_inj.
have := @close_average R O [finType of {perm 'I_(size W)}] (size W) (size V) ((size W)%:R * mixture (size W) (size V) (one ^+ 2) inside heavy) d'
  (fun t => go t a) (fun t => go t b) [finType of {perm 'I_(size W)}]
  (fun g : {perm 'I_(size W)} => g last == i) (fun g q => tperm last q * g)%g n0 d'0 (permutations last i).
rewrite mulrAC divff ?lt0r_neq0 // mul1r; apply=> g T /eqP gl.
have out : i \notin codom (at_ g) by apply/codomP => -[j]; rewrite -gl => /perm_inj/eqP; rewrite eq_sym far.
have stay q : ~~ kept q -> at_ (tperm last q * g)%g =1 at_ g.
  move=> kq j; rewrite /at_ permM tpermD // eq_sym ?far //; apply: contra kq => /eqP <-; exact: (ltn_ord j).
have here_ q (kq : kept q) : at_ (tperm last q * g)%g (Ordinal (kq : (q < size V)%N)) = i.
  by rewrite /at_ permM -gl; congr (g _); rewrite (_ : widen_ord _ _ = q) ?tpermR //; apply: val_inj.
have else_ q (kq : kept q) j : j != Ordinal (kq : (q < size V)%N) -> at_ (tperm last q * g)%g j = at_ g j.
  by move=> jq; rewrite /at_ permM tpermD // eq_sym ?far //; apply: contra jq => /eqP e; apply/eqP/val_inj; rewrite /= -e.
pose ev (r : data W) (q : 'I_(size W)) := \sum_(o | T o) go (tperm last q * g)%g r o.
pose z (r : data W) := \sum_(o | T o) go g r o.
have evz r : \sum_q ev r q = \sum_q (if kept q then ev r q else z r).
  apply: eq_bigr => q _; case: ifP => // /negbT kq; apply: eq_bigr => o _.
  by apply: run_ext; apply: stay.
rewrite -/(ev a) -/(ev b) !evz -mulrA -mulrDr; apply: ler_wpmul2l; first exact: ltW.
have ge0 r q : 0 <= ev r q by apply: sumr_ge0 => o _; case: (goL (tperm last q * g)%g r).
have low (C : R) (u v : O -> R) : close C d u v -> law u -> law v -> 0 <= C ->
    \sum_(o | T o) u o <= C * (\sum_(o | T o) v o) + d'.
  by move=> h lu lv C0; apply: (close_min lu lv C0 h).
rewrite -cK; apply: mixed => //.
- by rewrite cK.
- by rewrite exprn_ge0 // (le_trans ler01 o0).
- by apply: sumr_ge0 => o _; case: (goL g b).
- have := voted_close h0 says tell read c m x0 x1 lN ab out T; rewrite addr0 => h; apply: (le_trans h).
  apply: ler_wpmul2r; first by apply: sumr_ge0 => o _; apply: (proj1 (goL g b)).
  by apply: ler_expn2r => //; rewrite nnegrE ?p0 // (le_trans ler01 o0).
- move=> q kq; apply: low => //; apply: (close_weaken _ _ near (lexx d)); first exact: (proj1 (goL (tperm last q * g)%g b)).
  exact: (kept_close h0 says tell read c m x0 x1 lN mp (inj _) (here_ q kq) ab).
- move=> q kq; apply: low => //; last exact: mulr_ge0.
  apply: (close_weaken _ _ cross (lexx d)); first exact: (proj1 (goL g b)).
  exact: (cross_close h0 says tell read c m x0 x1 lN ab mp out (inj _) (here_ q kq) (@else_ q kq)).
Qed.
End Exchange.
