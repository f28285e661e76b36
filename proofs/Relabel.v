(* Soundness of the rules about relabelling: a labelling is drawn, and a run sees the points with these labels. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Relabel.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).
Notation data := (data P L).

Section Lists.
Variables (k : nat) (H : finType) (says : H -> P -> bool).
Notation labels := {ffun 'I_k -> bool}.
(* Labellings are in one group if they agree but for place j *)
Definition but (j : 'I_k) (z : labels) : labels := [ffun i => if i == j then false else z i].
Definition with_ (j : 'I_k) (b : bool) (g : labels) : labels := [ffun i => if i == j then b else g i].
Lemma but_with j (z : labels) : with_ j (z j) (but j z) = z.
Proof. by apply/ffunP => i; rewrite !ffunE; case: (eqVneq i j) => [->|]. Qed.
Lemma butE j (z : labels) i : i != j -> but j z i = z i. Proof. by rewrite ffunE => /negbTE ->. Qed.

(* A group holds two at most *)
Lemma group_le j (w : labels -> R) g (hi : R) : 0 <= hi -> (forall z, but j z = g -> w z <= hi) ->
  \sum_(z | but j z == g) w z <= 2%:R * hi.
Proof.
move=> hi0 h; apply: (@le_trans _ _ (\sum_(z in [set with_ j true g; with_ j false g]) hi)).
  rewrite big_mkcond [X in _ <= X]big_mkcond; apply: ler_sum => z _; rewrite !inE.
  case: ifP => [/eqP e|_]; last by case: ifP.
  have -> : (z == with_ j true g) || (z == with_ j false g).
    by rewrite -(but_with j z) e; case: (z j); rewrite eqxx ?orbT.
  exact: h.
rewrite sumr_const -[_ *+ #|_|]mulr_natl; apply: ler_wpmul2r => //; rewrite ler_nat cards2.
by case: (_ != _).
Qed.
Lemma group_ge j (w : labels -> R) g (lo : R) (z : labels) : (forall z, 0 <= w z) -> but j z = g -> lo <= w z ->
  lo <= \sum_(z | but j z == g) w z.
Proof.
move=> w0 e lw; rewrite (bigD1 z) /= ?e ?eqxx //; apply: (le_trans lw); rewrite ler_addl.
exact: sumr_ge0.
Qed.

(* Two lists of points that differ at place j have the same groups *)
Lemma same_group (t u : 'I_k -> P) j (z : labels) : (forall i, i != j -> t i = u i) -> labelling says t z ->
  exists2 y, labelling says u y & but j y = but j z.
Proof.
move=> tu /existsP [h /forallP hz]; exists [ffun i => says h (u i)].
  by apply/existsP; exists h; apply/forallP => i; rewrite ffunE.
apply/ffunP => i; rewrite !ffunE; case: (eqVneq i j) => // ij; rewrite -tu //.
by rewrite (eqP (hz i)).
Qed.

Definition weights (x : R) (t : 'I_k -> P) (score : labels -> nat) (z : labels) : R := if labelling says t z then x ^+ score z else 0.
Lemma weights_ge0 x t score z : 0 < x -> 0 <= weights x t score z.
Proof. by move=> x0; rewrite /weights; case: ifP => // _; rewrite exprn_ge0 // ltW. Qed.

(* Scores on both lists between s and s + c, s depending on the group: a group's weight moves by 2 x^-c at most *)
Lemma groups_close (x : R) (t u : 'I_k -> P) j (st su s : labels -> nat) c g : 0 < x -> x <= 1 -> (forall i, i != j -> t i = u i) ->
  (forall z, labelling says t z -> s (but j z) <= st z)%N -> (forall z, labelling says u z -> su z <= s (but j z) + c)%N ->
  (\sum_(z | but j z == g) weights x t st z <= (2%:R * (1 / x) ^+ c) * \sum_(z | but j z == g) weights x u su z)%R.
Proof.
move=> x0 x1 tu lo hi; have i0 : 0 <= (1 / x) ^+ c by rewrite exprn_ge0 // ltW // inv_gt0.
have [/existsP [z /andP[tz /eqP gz]]|none] := boolP [exists z, labelling says t z && (but j z == g)]; last first.
  rewrite big1 => [|z gz].
    by rewrite mulr_ge0 ?mulr_ge0 ?ler0n //; apply: sumr_ge0 => z _; apply: weights_ge0.
  rewrite /weights; case: ifP => // tz; case/negP: none; apply/existsP; exists z; exact/andP.
have [y uy yz] := same_group tu tz.
apply: (@le_trans _ _ (2%:R * x ^+ s g)).
  apply: group_le => [|v vg]; first by rewrite exprn_ge0 // ltW.
  rewrite /weights; case: ifP => [tv|_]; last by rewrite exprn_ge0 // ltW.
  by apply: ler_wiexpn2l; [exact: ltW | exact: x1 | rewrite -vg; apply: lo].
rewrite -mulrA; apply: ler_wpmul2l; first exact: ler0n.
apply: (@le_trans _ _ ((1 / x) ^+ c * x ^+ (s g + c))).
  by rewrite exprD mulrCA -exprMn div1r mulVf ?expr1n ?mulr1 // lt0r_neq0.
apply: ler_wpmul2l => //; apply: (@group_ge j (weights x u su) g _ y); [by move=> v; apply: weights_ge0 | by rewrite yz |].
rewrite /weights uy; apply: ler_wiexpn2l; [exact: ltW | exact: x1 | by rewrite -gz -yz; apply: hi].
Qed.
End Lists.

(* --- The whole step, for two lists of points that differ at one place ----------------------------------------------------------- *)
Lemma relabelled_close (V : world) (O H : finType) (says : H -> P -> bool) tell (x : R) st su (t u : 'I_(size V) -> P) j
    (N : mech R P L V O) l d pt k m (h0 : H) : 0 < x -> (forall a, law (N a)) -> private A l d "record" pt 1 N -> @places V pt j ->
  0 <= k -> 0 <= m -> (forall i, i != j -> t i = u i) ->
  (forall g, (\sum_(z | but j z == g) weights says x t st z <= k * \sum_(z | but j z == g) weights says x u su z)%R) ->
  (forall g, (\sum_(z | but j z == g) weights says x u su z <= m * \sum_(z | but j z == g) weights says x t st z)%R) ->
  close (k * m * amount A l) d (relabelled says tell x st t N) (relabelled says tell x su u N).
Proof.
move=> x0 lN [sp h] pj k0 m0 tu gk gm; have [_ _ d0] := sp.
apply: (@grouped_close _ _ _ _ (but j) k m (amount A l) d (weights says x t st) (weights says x u su)) => //.
- exact: ltW (amount_gt0 A sp).
- by move=> z; apply: weights_ge0.
- by move=> z; apply: weights_ge0.
- rewrite (partition_big (but j) predT) //= [X in _ <= m * X](partition_big (but j) predT) //= mulr_sumr.
  by apply: ler_sum => g _; apply: gm.
move=> y z _ _ yz; apply: h; apply/neighbours1; exists j; split=> // i ij; rewrite !ffunE tu //.
by rewrite -(butE y ij) yz butE.
Qed.

Lemma relabelled_law (V : world) (O H : finType) (says : H -> P -> bool) tell (x : R) st (t : 'I_(size V) -> P) (N : mech R P L V O) (h0 : H) :
  0 < x -> (forall a, law (N a)) -> law (relabelled says tell x st t N).
Proof.
move=> x0 lN; apply: law_push => //; apply: (@normal_law _ _ _ [ffun i => says h0 (t i)]) => [z|].
  exact: weights_ge0.
have -> : labelling says t [ffun i => says h0 (t i)].
  by apply/existsP; exists h0; apply/forallP => i; rewrite ffunE.
exact: exprn_gt0.
Qed.

(* A changed record that is not among the points: nothing changes *)
Lemma same_close (O : finType) k d (p q : O -> R) : 1 <= k -> 0 <= d -> (forall o, 0 <= q o) -> p =1 q -> close k d p q.
Proof.
move=> k1 d0 q0 e; apply: (@close_weaken _ _ 1 0) => //; apply: point_close => o; by rewrite mul1r e.
Qed.

(* --- LabelBoost -------------------------------------------------------------------------------------------------------------------- *)
Lemma mistakes_but n (lab : pred 'I_n) (r s : 'I_n -> bool) (z : {ffun 'I_n -> bool}) j : (forall i, i != j -> r i = s i) ->
  let common := #|[pred i | (i != j) && (lab i && (r i != z i))]| in
  #|[pred i | lab i && (r i != z i)]| = (common + (lab j && (r j != z j)))%N /\
  #|[pred i | lab i && (s i != z i)]| = (common + (lab j && (s j != z j)))%N.
Proof.
move=> rs common; have one (q : 'I_n -> bool) : (forall i, i != j -> q i = r i) ->
    #|[pred i | lab i && (q i != z i)]| = (common + (lab j && (q j != z j)))%N.
  move=> qr; rewrite (cardD1 j) inE addnC; congr (_ + _)%N; apply: eq_card => i; rewrite !inE.
  by case: (eqVneq i j) => //= ij; rewrite qr.
by split; apply: one => // i ij; rewrite rs.
Qed.

(* The weight of one or two labels of a changed labelled point *)
Lemma boost_groups n (H : finType) (says : H -> P -> bool) (x : R) (lab : pred 'I_n) (t u : 'I_n -> P) (r s : 'I_n -> bool) j g
    (K : R) : 0 < x -> x <= 1 -> (forall i, i != j -> t i = u i) -> (forall i, i != j -> r i = s i) ->
  K = (if lab j then (x + 1) / x else 2%:R) ->
  (\sum_(z | but j z == g) weights says x t (fun z => #|[pred i | lab i && (r i != z i)]|) z <=
   K * \sum_(z | but j z == g) weights says x u (fun z => #|[pred i | lab i && (s i != z i)]|) z)%R.
Proof.
move=> x0 x1 tu rs ->; set wt := weights _ _ t _; set wu := weights _ _ u _.
have wt0 z : 0 <= wt z by apply: weights_ge0.
have wu0 z : 0 <= wu z by apply: weights_ge0.
pose C := #|[pred i | (i != j) && (lab i && (r i != g i))]|.
have c0 : 0 <= x ^+ C by rewrite exprn_ge0 // ltW.
have score_t z : but j z = g -> #|[pred i | lab i && (r i != z i)]| = (C + (lab j && (r j != z j)))%N.
  move=> zg; have [-> _] := mistakes_but lab z rs; congr (_ + _)%N; rewrite /C; apply: eq_card => i; rewrite !inE.
  by case: (eqVneq i j) => //= ij; rewrite -zg butE.
have score_u z : but j z = g -> #|[pred i | lab i && (s i != z i)]| = (C + (lab j && (s j != z j)))%N.
  move=> zg; have [_ ->] := mistakes_but lab z rs; congr (_ + _)%N; rewrite /C; apply: eq_card => i; rewrite !inE.
  by case: (eqVneq i j) => //= ij; rewrite -zg butE.
have [/existsP [z /andP[tz /eqP gz]]|none] := boolP [exists z, labelling says t z && (but j z == g)]; last first.
  rewrite big1 => [|z gz].
    apply: mulr_ge0; last by apply: sumr_ge0.
    by case: ifP => _; rewrite ?ler0n // divr_ge0 ?addr_ge0 ?ler01 // ltW.
  by rewrite /wt /weights; case: ifP => // tz; case/negP: none; apply/existsP; exists z; apply/andP.
have [y uy yz] := same_group tu tz; rewrite gz in yz.
have wy : wu y = x ^+ (C + (lab j && (s j != y j))) by rewrite /wu /weights uy score_u.
case: ifP => lj; last first.
  apply: (@le_trans _ _ (2%:R * x ^+ C)); last first.
    apply: ler_wpmul2l; first exact: ler0n.
    by apply: (@group_ge _ j wu g _ y) => //; rewrite wy lj addn0.
  apply: group_le => // v vg; rewrite /wt /weights; case: ifP => // _; by rewrite score_t // lj addn0.
apply: (@le_trans _ _ ((1 + x) * x ^+ C)); last first.
  have -> : (1 + x) * x ^+ C = (x + 1) / x * x ^+ C.+1 by rewrite exprS; field; apply: lt0r_neq0.
  apply: ler_wpmul2l; first by rewrite divr_ge0 ?addr_ge0 ?ler01 // ltW.
  apply: (@group_ge _ j wu g _ y) => //; rewrite wy lj /=.
  by apply: ler_wiexpn2l; [exact: ltW | exact: x1 | case: (_ != _); rewrite ?addn0 ?addn1].
rewrite big_mkcond /=; set a := with_ j (r j) g; set b := with_ j (~~ r j) g.
have ab : a != b by apply/eqP => /ffunP /(_ j); rewrite !ffunE eqxx; case: (r j).
rewrite (bigD1 a) //= (bigD1 b) /= 1?eq_sym // big1 => [|v /andP[va vb]]; last first.
  case: ifP => // /eqP vg; have e := but_with j v; rewrite vg in e.
  by move: va vb; rewrite -e /a /b; case: (v j); case: (r j); rewrite eqxx.
rewrite addr0 mulrDl mul1r; apply: ler_add.
  case: ifP => [/eqP ga|_ //]; rewrite /wt /weights; case: ifP => // _.
  by rewrite score_t // /a !ffunE eqxx eqxx andbF addn0.
case: ifP => [/eqP gb|_]; last by rewrite mulr_ge0 // ltW.
rewrite /wt /weights; case: ifP => _; last by rewrite mulr_ge0 // ltW.
by rewrite score_t // /b !ffunE eqxx lj -exprS; case: (r j); rewrite addn1.
Qed.

Lemma round_as (V W : world) (O H : finType) k (ins : 'I_k -> 'I_(size V)) out (rest : 'I_(size V) -> 'I_(size W)) labelled
    (says : H -> P -> bool) tell (read : L -> bool) (x : R) (N : mech R P L V O) (a b : data W) :
  (forall v, v \notin codom ins -> a (rest v) = b (rest v)) ->
  round ins out rest labelled says tell read x N a =1
  @relabelled R P L (list_of k) O H says tell x (fun z => #|[pred j | labelled j && (read (a (out j)).2 != z j)]|) (fun j => (a (out j)).1)
    (fun c => N (filled ins rest b c)).
Proof.
move=> ab o; rewrite /round /relabelled /push; apply: eq_bigr => z _; congr (_ * N _ o); apply: filled_ext => // j.
by rewrite ffunE.
Qed.

Lemma boost_sound lab part (p : privacy R) x W O (M : mech R P L W O) l d n : 0 < x -> x <= 1 ->
  privacy_unit p = "record"%string -> privacy_records_per_person p = 1%N -> privacy_delta p = d ->
  (forall a, law (M a)) -> boost lab part p x mean M ->
  sane l d -> amount A l = n -> (if lab then (x + 1) / x else 2%:R) ^+ 2 * amount A (privacy_epsilon p) <= n ->
  private A l d "record" part 1 M.
Proof.
move=> x0 x1 pu pp pd lM B sf en hn; case: B lM => {W O M} V W O H k ins out rest labelled says tell read N lN mp h0 inj ouj at_ on away _ lM.
have mh := mean_hides mp; move: mh; rewrite /hides pu pp pd => mh; have [sp h] := mh; have [_ _ d0] := sp.
apply: private1 => // a b [i [pi ab _]]; rewrite en.
set K := if lab then _ else _ in hn.
have K1 : 1 <= K.
  rewrite /K; case: (lab); last by rewrite ler1n.
  by rewrite ler_pdivl_mulr // mul1r ler_addl.
have [j ji lj] := at_ i pi.
have diff j' : j' != j -> a (out j') = b (out j') by move=> jj; apply: ab; apply: contra jj => /eqP; rewrite -ji => /ouj ->.
have kK : K = if labelled j then (x + 1) / x else 2%:R by rewrite lj.
have K0 : 0 <= K by apply: le_trans K1.
have rest_ v : v \notin codom ins -> a (rest v) = b (rest v) by move=> vn; apply: ab; rewrite -ji; apply: away.
apply: (@close_ext _ _ _ _ _ _ _ _ (fsym (round_as out labelled says tell read x N rest_))
  (fsym (round_as out labelled says tell read x N (fun _ _ => erefl)))).
apply: (close_weaken _ _ hn (lexx d)).
  move=> o; rewrite -(round_as out labelled says tell read x N (fun _ _ => erefl)); by case: (lM b).
have mp' := filled_private rest b mh inj on.
rewrite expr2; apply: (relabelled_close tell h0 x0 _ mp' (isT : @places (list_of k) "all records" j)) => // [j' jj|g|g]; first by rewrite diff.
- by apply: boost_groups => // j' jj; rewrite diff.
- by apply: boost_groups => // j' jj; rewrite diff.
Qed.
Lemma boost_known lab part (p : privacy R) x W O (M : mech R P L W O) k : boost lab part p x mean M ->
  (k = if privacy_roles p is 0 then 2 else (privacy_roles p).+1)%N -> known W part k.
Proof.
case=> {W O M} V W O H k' ins out rest labelled says tell read N _ mp _ _ _ _ _ _ kn ->.
have := mean_known mp; case: (privacy_roles p) kn => [|r] //= kn /(_ isT) /andP[/eqP sz _].
by move: kn; rewrite sz.
Qed.
Lemma boost_sane lab part (p : privacy R) x W O (M : mech R P L W O) : boost lab part p x mean M -> sane (privacy_epsilon p) (privacy_delta p).
Proof. by case=> {W O M} V W O H k ins out rest labelled says tell read N _ /mean_hides []. Qed.
Lemma one_more (f p : privacy R) (a b : bool) :
  a && ((privacy_roles p)%:R == 0 :> R) && ((privacy_roles f)%:R == 2%:R :> R) ||
  b && ((2%:R : R) <= (privacy_roles p)%:R) && ((privacy_roles f)%:R == (privacy_roles p)%:R + 1 :> R) ->
  (privacy_roles f = if privacy_roles p is 0 then 2 else (privacy_roles p).+1)%N.
Proof.
have e1 : (privacy_roles p)%:R + 1 = ((privacy_roles p).+1)%:R :> R by rewrite mulrS addrC.
rewrite e1 !eqr_nat pnatr_eq0 ler_nat => /orP[/andP[/andP[_ /eqP ->] /eqP ->] //|/andP[/andP[_ p2] /eqP ->]].
by case: (privacy_roles p) p2.
Qed.

Theorem label_boost_labelled_sound : sound1 mean mean (@rule_label_boost_labelled R A) (@built_label_boost_labelled R P L).
Proof.
move=> f p w W O M lM; rewrite /built_label_boost_labelled => B; case: w B => x /= B.
rewrite /rule_label_boost_labelled => ok.
have kn : known W "labelled part" (privacy_roles f).
  by apply: (boost_known B); conds; match goal with H : is_true (_ || _) |- _ => apply: (one_more H) end.
case: f kn ok => [? ? ? ? ? ? ? ?]; rewrite /privacy_ok /= => kn ok; conds; persons; subst; apply: mean_from => //; rewrite /hides /=.
have x0 : 0 < x by []. have x1 : x <= 1 by [].
have up0 : 0 <= (privacy_epsilon p).2 * ((x + 1) / x) ^+ 2.
  by have [_ h1 _] := boost_sane B; rewrite mulr_ge0 ?exprn_ge0 ?divr_ge0 ?addr_ge0 ?ler01 ?(le_trans ler01 h1) // ltW.
have un : privacy_unit p = "record"%string by [].
rewrite -?un; rewrite un.
apply: (boost_sound x0 x1 un _ _ lM B _ erefl) => //.
rewrite /amount /= mulrCA; apply: ler_wpmul2l; first by apply: ltW; apply: E_gt0.
by rewrite mulrC; apply: short_up.
Qed.

Theorem label_boost_unlabelled_sound : sound1 mean mean (@rule_label_boost_unlabelled R A) (@built_label_boost_unlabelled R P L).
Proof.
move=> f p w W O M lM; rewrite /built_label_boost_unlabelled => -[x [/andP[x0 x1] B]]; case: w B => part /= B.
rewrite /rule_label_boost_unlabelled => ok.
have kn : known W part (privacy_roles f).
  by apply: (boost_known B); conds; match goal with H : is_true (_ || _) |- _ => apply: (one_more H) end.
case: f kn ok => [? ? ? ? ? ? ? ?]; rewrite /privacy_ok /= => kn ok; conds; persons; subst; apply: mean_from => //; rewrite /hides /=.
have up0 : 0 <= 4%:R * (privacy_epsilon p).2.
  by have [_ h1 _] := boost_sane B; rewrite mulr_ge0 ?ler0n ?(le_trans ler01 h1).
have un : privacy_unit p = "record"%string by [].
rewrite -?un; rewrite un.
apply: (boost_sound x0 x1 un _ _ lM B _ erefl) => //.
rewrite /amount /= mulrCA; apply: ler_wpmul2l; first by apply: ltW; apply: E_gt0.
apply: le_trans (short_up A up0); rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

(* Later rounds look at a record that this one does not look at *)
Theorem later_round_sound : sound1 mean mean (@rule_later_round R A) (@built_later_round R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} V W O H k ins out rest labelled says tell read x N x0 lN mp h0 rinj on away kn lM.
rewrite /rule_later_round; case: f => [? ? ? ? ? ? ? fr]; case: p mp on kn => [l d u pt ? ? n pr] /= mp on kn.
rewrite /privacy_ok /= => ok; have [sp h] := mean_hides mp; move: sp h; rewrite /= => sp h.
have fp : fr = pr.+1.
  conds; persons; match goal with H : _ = _ + 1 |- _ => move/eqP: H end; rewrite -[X in _ == _ + X]/(1%:R) -natrD eqr_nat addn1; exact/eqP.
have p0 : (0 < pr)%N by conds; match goal with H : is_true (2%:R <= pr%:R) |- _ => move: H end; rewrite ler_nat; apply: ltnW.
have /andP[/eqP sz _] := mean_known mp p0.
apply: mean_from => [_|] /=; first by conds; subst; move: sz kn => /= ->.
rewrite /hides /=; conds; persons; subst.
apply: private1 => // a b [i [pi ab lab]].
have [v vi [vn pv]] := on i pi.
have same j : a (out j) = b (out j) by apply: ab; rewrite -vi eq_sym; apply: contra (away v j vn); rewrite eq_sym.
have e z : round ins out rest labelled says tell read x N a z =
    push (normal (fun z : {ffun 'I_k -> bool} => if labelling says (fun j => (b (out j)).1) z
      then x ^+ #|[pred j | labelled j && (read (b (out j)).2 != z j)]| else 0))
    (fun z => N (filled ins rest a (fun j => ((b (out j)).1, tell (z j))))) z.
  rewrite /round /push; apply: eq_bigr => y _; congr (_ * N _ z); last by apply: filled_ext => // j; rewrite same.
  have w2 y' : (if labelling says (fun j => (a (out j)).1) y' then x ^+ #|[pred j | labelled j && (read (a (out j)).2 != y' j)]| else 0)
      = (if labelling says (fun j => (b (out j)).1) y' then x ^+ #|[pred j | labelled j && (read (b (out j)).2 != y' j)]| else 0).
    congr (if _ then x ^+ _ else _); last by apply: eq_card => j; rewrite !inE same.
    by apply: eq_existsb => h'; apply: eq_forallb => j; rewrite same.
  by rewrite /normal w2; congr (_ / _); apply: eq_bigr.
apply: (@close_ext _ _ _ _ _ _ _ _ (fsym e) (fun _ => erefl)).
apply: close_coins => [|z].
  apply: (@normal_law _ _ _ [ffun j => says h0 (b (out j)).1]) => [z|]; first by case: ifP => // _; rewrite exprn_ge0 // ltW.
  have -> : labelling says (fun j => (b (out j)).1) [ffun j => says h0 (b (out j)).1].
    by apply/existsP; exists h0; apply/forallP => j; rewrite ffunE.
  exact: exprn_gt0.
apply: h; apply/neighbours1; exists v; split=> // [v' vv|ul]; rewrite !ffunE.
  case: pickP => // none; apply: ab; apply: contra vv; rewrite -vi => /eqP/rinj ->; exact: eqxx.
case: pickP => [j /eqP jv|_]; last by rewrite vi; apply: lab.
by move: vn; rewrite -jv codom_f.
Qed.
End Relabel.
