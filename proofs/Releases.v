(* Soundness of the rules about several releases, parts, persons, and turned answers. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Releases.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

Lemma allIn T (p : pred T) s q : all p s -> List.In q s -> p q.
Proof. by elim: s => //= x s IH /andP[px ps] [<-|/IH] //; apply. Qed.
Lemma hasIn T (p : pred T) s : has p s -> exists2 q, List.In q s & p q.
Proof. by elim: s => //= x s IH /orP[px|/IH[q qs pq]]; [exists x; [left|] | exists q; [right|]]. Qed.
Lemma largest_ge (s : seq R) x : x \in s -> x <= largest s.
Proof.
rewrite /largest; move: (head 0 s) => h; elim: s => //= y t IH; rewrite inE le_maxr => /orP[/eqP->|/IH->]; rewrite ?lexx ?orbT //.
Qed.

Theorem post_processing_sound : sound1 mean mean (@rule_post_processing R A) (@built_post_processing R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} W S O N T lN mp lT lM.
case: w => t r; rewrite /rule_post_processing; case: f => [? ? ? ? ? ? ? ?]; case: p mp => [? ? ? ? ? ? ? ?].
rewrite /privacy_ok /= => mp ok; apart; apply: (mean_as mp) => //; have [sp h] := mean_hides mp.
by split=> // a b ab; apply: close_push => //; apply: h.
Qed.

Theorem declared_sound : sound1 mean mean (@rule_declared R A) (@built_declared R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} W O N mp lN.
case: w => x y; rewrite /rule_declared; case: f => [? ? ? ? ? ? ? ?]; case: p mp => [? ? ? ? ? ? ? ?].
rewrite /privacy_ok /= => mp ok; apart; apply: (mean_as mp) => //; have [sp h] := mean_hides mp.
split=> // a b ab; apply: close_weaken (h _ _ ab) _ _ => //; first by case: (lN b).
exact: at_most_ok.
Qed.

(* A run on the records at some places *)
Lemma close_at (V W : world) (O : finType) (N : mech R P L V O) l d u pt pt' (at_ : 'I_(size V) -> 'I_(size W)) :
  private A l d u pt 1 N -> injective at_ -> (forall i, @places W pt' i -> exists2 j, at_ j = i & @places V pt j) ->
  private A l d u pt' 1 (fun a : data P L W => N [ffun j => a (at_ j)]).
Proof.
move=> [sp h] inj on; apply: private1 => // a b [i [pi hi lab]].
case: (on _ pi) => j ji pj; apply: h; apply/neighbours1; exists j; split=> // [k kj|v]; rewrite !ffunE.
- by apply: hi; apply: contra kj => /eqP; rewrite -ji => /inj ->.
- by rewrite ji; apply: lab.
Qed.

Theorem on_part_sound : sound1 mean mean (@rule_on_part R A) (@built_on_part R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} V W O N at_ lN mp inj on _.
case: w on => t; rewrite /rule_on_part; case: f => [? ? ? ? ? ? ? ?]; case: p mp => [? ? ? ? ? ? ? ?].
rewrite /mean_privacy /privacy_ok /= => mp on ok; apart.
by apply: close_at mp inj _ => i /on [j ji]; exists j => //; apply: whole.
Qed.

Theorem positions_known_sound : sound1 mean mean (@rule_positions_known R A) (@built_positions_known R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} V W O N at_ lN mp inj on two _.
case: w on two => t r on; rewrite /rule_positions_known; case: f => [? ? ? ? ? ? ? k]; case: p mp on => [? ? ? pt ? ? ? l].
rewrite /privacy_ok /= => mp on two ok; conds; persons.
have kl : k = 0%N \/ k = 2%N.
  match goal with H : is_true ((k%:R == l%:R) && _ || _) |- _ => move: H end.
  rewrite !eqr_nat !pnatr_eq0 => /orP[/andP[/eqP -> /orP[]] /eqP ->|/andP[_ /eqP ->]]; [by left | by right | by right].
subst; apply: mean_from => [k0|]; first by case: kl k0 two => -> // _; apply.
exact: close_at (mean_hides mp) inj on.
Qed.

Lemma geo_bound (k e pw : R) m : 1 <= k -> k <= e -> e ^+ m <= pw ->
  geometric k m <= (if e == 1 then m%:R else (pw - 1) / (e - 1)).
Proof.
move=> k1 ke hp; case: (eqVneq e 1) => [e1|e1].
  have -> : k = 1 by apply/le_anti; rewrite k1 andbT -e1.
  by rewrite geometric1.
have e0 : 0 < e - 1 by rewrite subr_gt0 lt_def e1 (le_trans k1).
apply: (le_trans (geometric_le m (le_trans ler01 k1) ke)); rewrite geometric_closed //.
by rewrite ler_pmul2r ?invr_gt0 // ler_add2r.
Qed.

Theorem group_sound : sound1 mean mean (@rule_group R A) (@built_group R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} V O N mp lN.
case: w => m; rewrite /rule_group; case: f => [? ? ? ? ? ? ? ?]; case: p mp => [l d u pt ? ? ? ?].
rewrite /mean_privacy /privacy_ok /= => mp ok; apart; move: mp => /= mp; have [sp h] := mp.
have k1 := amount_ge1 A sp; have [l0 f1 d0] := sp.
split=> // a b [c [<- <- st]].
have ch : close (amount A l ^+ m) (d * geometric (amount A l) m) (N (c 0%N)) (N (c m)).
  apply: close_chain (fun i => N (c i)) _ _; first exact: le_trans ler01 k1.
  by move=> i im; apply: h; apply/neighbours1; apply: st.
apply: close_weaken (close_min _ _ _ ch) _ _ => //; first by case: (lN (c m)).
- by apply/exprn_ge0/(le_trans ler01).
- by apply: (amount_power A sp (pow_up A m _)); apply: lt_le_trans f1.
set e := (if 0 < d then exp_of A l else 1); set g := (if e == 1 then _ else _).
have hg : d * geometric (amount A l) m <= d * g.
  case: (ltrP 0 d) => [dp|dn]; last by have -> : d = 0; [apply/le_anti; rewrite dn | rewrite !mul0r].
  apply: ler_wpmul2l => //; apply: geo_bound => //; rewrite /e dp; first exact: exp_of_up sp.
  by apply: pow_up; apply: lt_le_trans (exp_of_ge1 A sp).
have p0 : 0 <= d * g by apply: le_trans hg; apply: mulr_ge0 => //; apply/geometric_ge0/(le_trans ler01).
apply: le_trans (short_up A _); last by rewrite le_minr ler01.
by rewrite le_minr !le_minl lexx hg orbT.
Qed.

(* Lists of releases *)
Lemma sequential_close (f : privacy R) w qs W O (M : mech R P L W O) u pt n : built_sequential f w mean qs M ->
  all (fun q => (privacy_unit q == u) && (privacy_part q == pt)) qs -> all (fun q => privacy_records_per_person q == n) qs ->
  (forall q, List.In q qs -> sane (privacy_epsilon q) (privacy_delta q)) /\
  forall a b, neighbours u pt n a b ->
  close (\prod_(q <- qs) amount A (privacy_epsilon q)) (\sum_(q <- qs) privacy_delta q) (M a) (M b).
Proof.
elim=> {qs W O M} [W _ _|q qs W O S M N B IH o0 lM lN mN]; first by split=> // a b _ T; rewrite !big_nil mul1r addr0.
rewrite /= => /andP[/andP[/eqP hu /eqP hp] hq] /andP[/eqP hn hm]; case: (IH hq hm) => sq h.
have sn : sane (privacy_epsilon q) (privacy_delta q) by case: (mean_hides (mN o0)).
split=> [s [<-//|/sq//]|a b ab]; rewrite !big_cons mulrC addrC; apply: close_both => //.
- elim: (qs) sq => [|s ss IHs] sq; first by rewrite big_nil ler01.
  rewrite big_cons; apply: mulr_ge0; last by apply: IHs => t ht; apply: sq; right.
  by apply: ltW; apply: amount_gt0 (sq s _); left.
- exact: ltW (amount_gt0 A sn).
- by case: sn.
- exact: h.
- by move=> o; case: (mean_hides (mN o)) => _; rewrite hu hp hn; apply.
Qed.
Lemma sequential_known (f : privacy R) w p rest W O (M : mech R P L W O) : built_sequential f w mean (p :: rest) M ->
  (0 < privacy_roles p)%N -> known W (privacy_part p) (privacy_roles p).
Proof.
move E: (p :: rest) => qs B; case: B E => // q qs' V X S N K _ o0 _ _ mN [-> _].
exact: mean_known (mN o0).
Qed.

Lemma sane_sums qs : (forall q : privacy R, List.In q qs -> sane (privacy_epsilon q) (privacy_delta q)) ->
  [/\ 0 <= \sum_(q <- qs) (privacy_epsilon q).1, 1 <= \prod_(q <- qs) (privacy_epsilon q).2, 0 <= \sum_(q <- qs) privacy_delta q,
    all (fun x => 0 <= x) [seq (privacy_epsilon q).2 | q <- qs] &
    \prod_(q <- qs) amount A (privacy_epsilon q) = amount A (\sum_(q <- qs) (privacy_epsilon q).1, \prod_(q <- qs) (privacy_epsilon q).2)].
Proof.
elim: qs => [|q qs IH] h; first by split; rewrite ?big_nil ?amount_pure.
have [|h1 h2 h3 h4 h5] := IH; first by move=> s hs; apply: h; right.
have [|l1 l2 l3] := h q; first by left.
rewrite !big_cons; split=> /=.
- exact: addr_ge0.
- by rewrite -[X in X <= _]mulr1; apply: ler_pmul => //; apply: ler01.
- exact: addr_ge0.
- by rewrite (le_trans ler01 l2).
- by rewrite h5 /amount /= ED; ring.
Qed.

Theorem sequential_sound : soundN mean mean (@rule_sequential R A) (@built_sequential R P L).
Proof.
move=> f p rest w W O M lM; rewrite /rule_sequential /privacy_ok.
set ps := p :: rest; move=> B ok; apart.
have hall : all (fun q => (privacy_unit q == privacy_unit f) && (privacy_part q == privacy_part f)) ps by [].
have hn : all (fun q => privacy_records_per_person q == privacy_records_per_person f) ps.
  by match goal with H : is_true (all (fun q => _%:R == _%:R) _) |- _ => apply: sub_all H => q; rewrite eqr_nat end.
have [sq h] := sequential_close B hall hn.
have [h1 h2 h3 h4 h5] := sane_sums sq.
have up : \prod_(q <- ps) (privacy_epsilon q).2 <= short_product A [seq (privacy_epsilon q).2 | q <- ps].
  by apply: le_trans (product_up A h4); rewrite big_map.
have [/eqP pt /eqP rl] : privacy_part p == privacy_part f /\ privacy_roles p == privacy_roles f.
  match goal with H : is_true (all (fun q => (privacy_roles q)%:R == _) ps) |- _ => move: H end.
  by move/andP: hall => [/andP[_ ->] _] /andP[]; rewrite eqr_nat.
apply: mean_from; first by rewrite -pt -rl; apply: sequential_known B.
rewrite /hides; repeat match goal with H : privacy_epsilon f = _ |- _ => rewrite H | H : privacy_delta f = _ |- _ => rewrite H end.
have m0 : 0 <= Num.min 1 (\sum_(q <- ps) privacy_delta q) by rewrite le_minr ler01.
split; first by split=> //=; [apply: le_trans up | apply: le_trans (short_up A m0)].
move=> a b ab; apply: close_weaken (close_min _ _ _ (h _ _ ab)) _ _ => //; first by case: (lM b).
- by rewrite h5; apply: mulr_ge0; [apply/ltW/E_gt0 | apply: le_trans h2].
- by rewrite h5; apply: ler_wpmul2l => //; apply/ltW/E_gt0.
- exact: short_up.
Qed.

(* Parts *)
Lemma composed_sane qs W O (M : mech R P L W O) : composed mean qs M ->
  forall q, List.In q qs -> sane (privacy_epsilon q) (privacy_delta q).
Proof. by elim=> {qs W O M} // q qs W O S M N B IH o0 lM lN mN rN s [<-|/IH//]; case: (mean_hides (mN o0)). Qed.

Lemma composed_close qs W O (M : mech R P L W O) u i : composed mean qs M -> all (fun q => privacy_unit q == u) qs ->
  all (fun q => privacy_records_per_person q == 1%N) qs ->
  (forall q, List.In q qs -> sane (privacy_epsilon q) (privacy_delta q)) /\
  forall a b : data P L W, (forall j, j != i -> a j = b j) -> (u = "label"%string -> (a i).1 = (b i).1) ->
  close (\prod_(q <- qs) if @places W (privacy_part q) i then amount A (privacy_epsilon q) else 1)
    (\sum_(q <- qs) if @places W (privacy_part q) i then privacy_delta q else 0) (M a) (M b).
Proof.
move=> B; elim: B i => {qs W O M} [W i _ _|q qs W O S M N B IH o0 lM lN mN rN i]; first by split=> // a b _ _ T; rewrite !big_nil mul1r addr0.
rewrite /= => /andP[/eqP hu hq] /andP[/eqP hn hm]; case: (IH i hq hm) => sq h.
have sn : sane (privacy_epsilon q) (privacy_delta q) by case: (mean_hides (mN o0)).
split=> [s [<-//|/sq//]|a b ab lab]; rewrite !big_cons mulrC addrC; apply: close_both => //.
- elim: (qs) sq => [|s ss IHs] sq; first by rewrite big_nil ler01.
  rewrite big_cons; apply: mulr_ge0; last by apply: IHs => t ht; apply: sq; right.
  by case: ifP => _; [apply: ltW; apply: amount_gt0 (sq s _); left | exact: ler01].
- by case: ifP => _; [exact: ltW (amount_gt0 A sn) | exact: ler01].
- by case: ifP => _; [case: sn | exact: lexx].
- exact: h.
move=> o; case: ifP => pi; last first.
  apply: (@close_ext _ _ _ _ (N o b) (N o b)) => // [s|T]; last by rewrite mul1r addr0.
  by apply: rN => j pj; rewrite ab //; apply: contraTneq pj => ->; rewrite pi.
by case: (mean_hides (mN o)) => _; rewrite hn; apply; apply/neighbours1; exists i; split=> //; rewrite hu.
Qed.

Lemma one_of (T : Type) (qs : seq T) (c : T -> bool) (name : T -> string) (g : T -> R) (z K : R) (op : R -> R -> R) :
  (forall x, op x z = x) -> (forall x, op z x = x) -> z <= K -> (forall q, List.In q qs -> g q <= K) ->
  uniq [seq name q | q <- qs] ->
  (forall q s, List.In q qs -> List.In s qs -> c q -> c s -> name q = name s) ->
  \big[op/z]_(q <- qs) (if c q then g q else z) <= K.
Proof.
move=> oz zo zK; elim: qs => [|q qs IH] gK; first by rewrite big_nil.
rewrite /= => /andP[nq un] same; rewrite big_cons.
case: ifP => cq; last by rewrite zo; apply: IH => // [s hs|s t hs ht]; [apply: gK; right | apply: same; right].
have -> : \big[op/z]_(q <- qs) (if c q then g q else z) = z.
  have no : forall s, List.In s qs -> c s = false.
    move=> s hs; apply/negP => cs; case/negP: nq; rewrite (same q s) //; [|by left|by right].
    by elim: (qs) hs => //= t ts IHt [->|/IHt ht]; rewrite inE ?eqxx // ht orbT.
  elim: (qs) no => [|t ts IHt] no; first by rewrite big_nil.
  rewrite big_cons no; last by left.
  by rewrite zo; apply: IHt => s hs; apply: no; right.
by rewrite oz; apply: gK; left.
Qed.

Lemma mapIn (T : Type) (name : T -> string) qs q : List.In q qs -> name q \in [seq name s | s <- qs].
Proof. by elim: qs => //= t ts IH [->|/IH h]; rewrite inE ?eqxx // h orbT. Qed.
Lemma mapP' (T : Type) (name : T -> string) qs s : s \in [seq name q | q <- qs] -> exists2 q, List.In q qs & s = name q.
Proof. by elim: qs => //= t ts IH; rewrite inE => /orP[/eqP ->|/IH [q hq ->]]; [exists t; [left|] | exists q; [right|]]. Qed.
Lemma mapInR (T : Type) (g : T -> R) qs q : List.In q qs -> g q \in [seq g s | s <- qs].
Proof. by elim: qs => //= t ts IH [->|/IH h]; rewrite inE ?eqxx // h orbT. Qed.

Theorem disjoint_parts_sound : soundN mean mean (@rule_disjoint_parts R A) (@built_disjoint_parts R P L).
Proof.
move=> f p rest w W O M lM; rewrite /rule_disjoint_parts /privacy_ok.
set ps := p :: rest; move=> B ok; apart.
have hall : all (fun q => privacy_unit q == privacy_unit f) ps.
  by match goal with H : is_true (all (fun q => _ && _) ps) |- _ => apply: sub_all H => q /andP[] end.
have hun : uniq [seq privacy_part q | q <- ps] by [].
have most : all (fun q => at_most A (privacy_epsilon q) (privacy_epsilon f)) ps by [].
have some : has (fun q => privacy_epsilon q == privacy_epsilon f) ps by [].
have hd q : List.In q ps -> privacy_delta q <= privacy_delta f.
  move=> hq; repeat match goal with H : privacy_delta f = _ |- _ => rewrite H end.
  by apply: largest_ge; apply: mapInR.
have fin : (forall q, List.In q ps -> sane (privacy_epsilon q) (privacy_delta q)) -> sane (privacy_epsilon f) (privacy_delta f).
  move=> sq; case/hasIn: some => q hq /eqP e; rewrite -e; case: (sq q hq) => h1 h2 h3.
  by split=> //; apply: le_trans (hd q hq).
have hk q : List.In q ps -> amount A (privacy_epsilon q) <= amount A (privacy_epsilon f).
  by move=> hq; apply: at_most_ok; apply: (allIn most).
have hn : all (fun q => privacy_records_per_person q == 1%N) ps.
  match goal with H : is_true (all (fun q => _%:R == _) ps) |- _ => apply: sub_all H => q end.
  by rewrite -[X in _ == X]/(1%:R) eqr_nat.
have f1 : privacy_records_per_person f = 1%N by persons.
have f0 : privacy_roles f = 0%N by persons.
have every_one : all (fun q => privacy_roles q == 0%N) ps || all (fun q => privacy_roles q == seq.size ps) ps.
  match goal with H : is_true (all (fun q => _%:R == _) ps || _) |- _ => case/orP: H => [H|/andP[H _]]; apply/orP; [left|right]; apply: sub_all H => q end.
    by rewrite pnatr_eq0.
  by rewrite eqr_nat.
apply: mean_from; first by rewrite f0.
case: B lM hall every_one => {W O M} W O M B.
- move=> dis lM hall _.
  have sq := composed_sane B; have sf := fin sq; rewrite /hides f1; apply: private1 => // a b [i [pi ab lab]].
  have same q s : List.In q ps -> List.In s ps -> @places W (privacy_part q) i -> @places W (privacy_part s) i ->
      privacy_part q = privacy_part s.
    move=> hq hs pq ps_; apply/eqP; case: (eqVneq (privacy_part q) (privacy_part s)) => // ne.
    by have := dis _ _ i (mapIn _ hq) (mapIn _ hs) ne pq; rewrite ps_.
  have [_ h] := composed_close i B hall hn; apply: close_weaken (h a b ab lab) _ _; first by case: (lM b).
    exact: (one_of (@mulr1 _) (@mul1r _) (amount_ge1 A sf) hk hun same).
  by apply: (one_of (@addr0 _) (@add0r _) _ hd hun same); case: sf.
- move=> lM hall every_one.
  have roles_ : all (fun q => privacy_roles q == seq.size ps) ps.
    by case/orP: every_one => // none; case: (B p _) => [|]; [left | have /eqP -> := allIn none (or_introl erefl : List.In p ps)].
  have mem : {subset [seq privacy_part q | q <- ps] <= roles W}.
    by move=> s /mapP' [q hq ->]; case: (B q hq) => r0 /mean_known /(_ r0) /andP[].
  have sz : seq.size (roles W) = seq.size [seq privacy_part q | q <- ps].
    case: (B p (or_introl erefl)) => r0 /mean_known /(_ r0) /andP[/eqP -> _].
    by have /eqP -> := allIn roles_ (or_introl erefl : List.In p ps); rewrite size_map.
  have sq q : List.In q ps -> sane (privacy_epsilon q) (privacy_delta q) by move=> hq; case: (B q hq) => _ /mean_hides [].
  have sf := fin sq; rewrite /hides f1; apply: private1 => // a b [i [pi ab lab]].
  have [_ same] := uniq_min_size hun mem (eq_leq sz).
  have [q hq pq] : exists2 q, List.In q ps & @places W (privacy_part q) i.
    by case/hasP: (every i) => s; rewrite -same => /mapP' [q hq ->]; exists q.
  case: (B q hq) => _ /mean_hides [_ h].
  apply: close_weaken (h a b _) (hk q hq) (hd q hq); first by case: (lM b).
  have /eqP -> := allIn hn hq; apply/neighbours1; exists i; split=> //; by have /eqP -> := allIn hall hq.
Qed.

Theorem delta_removal_sound : sound1 mean mean (@rule_delta_removal R A) (@built_delta_removal R P L).
Proof.
move=> f p w W O M lM B; case: B lM => {W O M} W N lN mp lM.
case: w lM => x /= lM; rewrite /rule_delta_removal; case: f => [k e u' pt' ? ? n' rf]; case: p mp => [l d u pt ? ? n ?].
rewrite /privacy_ok /= => mp ok; have [sp h] := mean_hides mp.
apply: mean_from => [/= r0|]; first by conds; persons; subst.
move: sp h; rewrite /hides /= => sp h.
have [l0 f1 d0] := sp.
have {ok} [[x0 x2 e0 [-> -> ->]] sk most lk] : [/\ [/\ 0 < x, 0 <= 1 - 2%:R * x, e = 0 & (u', pt', n') = (u, pt, n)], sane k 0, amount A l <= amount A k
    & 1 + d / x - 2%:R * d <= amount A k].
  conds; persons; subst u' pt' n'.
  have x0 : 0 < x by [].
  have x2 : 0 <= 1 - 2%:R * x by rewrite subr_ge0 mulrC -ler_pdivl_mulr // ltr0n.
  have pos : 1 <= 1 + d / x - 2%:R * d.
    have -> : 1 + d / x - 2%:R * d = 1 + d * ((1 - 2%:R * x) / x) by field; rewrite lt0r_neq0.
    by rewrite ler_addl; apply: mulr_ge0 => //; apply: divr_ge0 => //; apply: ltW.
  split=> //; try exact: at_most_ok.
  match goal with H : is_true (at_most A (0, _) k) |- _ => apply: le_trans (at_most_ok H); rewrite /= E0 mul1r end.
  by apply: short_up; apply: le_trans pos.
rewrite e0; split=> // a b ab; apply: point_close => o.
have other c : N c (~~ o) = 1 - N c o.
  by case: (lN c) => _; rewrite big_bool /= => <-; case: (o) => /=; ring.
have hp := close_point o (h _ _ ab); rewrite !other.
have e1 c : (1 - x) * N c o + x * (1 - N c o) = x + (1 - 2%:R * x) * N c o by ring.
rewrite !e1.
apply: (@le_trans _ _ (x + (1 - 2%:R * x) * (amount A k * N b o + d))).
  rewrite ler_add2l; apply: ler_wpmul2l => //; apply: (le_trans hp); rewrite ler_add2r.
  by apply: ler_wpmul2r => //; case: (lN b).
have -> : x + (1 - 2%:R * x) * (amount A k * N b o + d) = x * (1 + d / x - 2%:R * d) + amount A k * ((1 - 2%:R * x) * N b o).
  by field; rewrite lt0r_neq0.
by rewrite [X in _ <= X]mulrDr ler_add2r [X in X <= _]mulrC; apply: ler_wpmul2r => //; apply: ltW.
Qed.
(* The same fact, whatever is assumed besides *)
Theorem assuming_sound :
  sound1 mean mean (@rule_assuming_privacy R A) (@built_assuming R P L (privacy R)) /\
  sound1 (@mean_bounded_range R P L A) (@mean_bounded_range R P L A) (@rule_assuming_bounded_range R A) (@built_assuming R P L (bounded_range R)) /\
  sound1 (@mean_range R P L A) (@mean_range R P L A) (@rule_assuming_range R A) (@built_assuming R P L (range R)) /\
  sound1 (@mean_stability R P L) (@mean_stability R P L) (@rule_assuming_stability R A) (@built_assuming R P L (stability R)).
Proof.
split; [|split; [|split]] => f p w W O M lM B; case: B lM => {W O M} W O N mp lM.
- by rewrite /rule_assuming_privacy; case: f => [? ? ? ? ? ? ? ?]; case: p mp => [? ? ? ? ? ? ? ?] /= mp ok; conds; persons; subst.
- by rewrite /rule_assuming_bounded_range; case: f => [? ?]; case: p mp => [? ?] /= mp ok; apart.
- by rewrite /rule_assuming_range; case: f => [? ? ? ?]; case: p mp => [? ? ? ?] /= mp ok; apart.
- by rewrite /rule_assuming_stability; case: f => [? ?]; case: p mp => [? ?] /= mp ok; apart.
Qed.
End Releases.
