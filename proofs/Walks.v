(* Soundness of permute-and-flip, and of votes by it. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Walks.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).

Lemma counted_le W m (C : finType) (vote : data P L W -> 'I_m -> C) a c : (counted vote a c <= m)%N.
Proof. by rewrite -[X in (_ <= X)%N]card_ord; apply: max_card. Qed.

(* --- Permute-and-flip ----------------------------------------------------------------------------------------------------------- *)
Section Walk.
Variable C : finType.
Implicit Types (p q : C -> R) (left : {set C}) (h c : C).

(* The probability that h is looked at, if it cannot be accepted before: nobody else is *)
Fixpoint reach p n left h : R :=
  if n is m.+1 then (\sum_(c in left) (if c == h then 1 else (1 - p c) * reach p m (left :\ c) h)) / #|left|%:R else 0.
Lemma walk_reach p n left h : walk p n left h = p h * reach p n left h.
Proof.
elim: n left => [|n IH] left /=; first by rewrite mulr0.
rewrite mulrA mulr_sumr; congr (_ / _); apply: eq_bigr => c _; case: ifP => _; first by rewrite mulr1.
by rewrite IH mulrCA.
Qed.
Lemma card_inv_ge0 left : 0 <= (#|left|%:R : R)^-1. Proof. by rewrite invr_ge0 ler0n. Qed.
Lemma reach_ge0 p n left h : (forall c, p c <= 1) -> 0 <= reach p n left h.
Proof.
move=> p1; elim: n left => [|n IH] left //=; apply: mulr_ge0 (card_inv_ge0 _); apply: sumr_ge0 => c _.
by case: ifP => _; [exact: ler01 | apply: mulr_ge0; rewrite ?subr_ge0].
Qed.
(* Others that are likelier to be accepted stand in the way more often *)
Lemma reach_le p q n left h : (forall c, p c <= q c) -> (forall c, q c <= 1) -> reach q n left h <= reach p n left h.
Proof.
move=> pq q1; elim: n left => [|n IH] left //=; apply: ler_wpmul2r (card_inv_ge0 _) _ _ _; apply: ler_sum => c _.
case: ifP => _ //; apply: ler_pmul; rewrite ?subr_ge0 //; first exact: reach_ge0.
by rewrite ler_add2l ler_opp2.
Qed.
(* Somebody is accepted with probability 1 at most *)
Lemma walk_total p n left : (forall c, 0 <= p c <= 1) -> \sum_(h in left) walk p n left h <= 1.
Proof.
move=> p01; elim: n left => [|n IH] left /=; first by rewrite big1_eq ler01.
rewrite -mulr_suml exchange_big /=.
have [->|/set0Pn [c0 c0l]] := eqVneq left set0; first by rewrite big_set0 mul0r ler01.
have pos : 0 < #|left|%:R :> R by rewrite ltr0n; apply/card_gt0P; exists c0.
rewrite ler_pdivr_mulr // mul1r; apply: (@le_trans _ _ (\sum_(c in left) 1)); last by rewrite sumr_const.
apply: ler_sum => c cl; have /andP[pc0 pc1] := p01 c.
rewrite (bigD1 c) //= eqxx (eq_bigr (fun h => (1 - p c) * walk p n (left :\ c) h)) => [|h /andP[_ /negbTE hc]]; last by rewrite eq_sym hc.
rewrite -mulr_sumr (eq_bigl (mem (left :\ c))) => [|h]; last by rewrite !inE andbC.
apply: (@le_trans _ _ (p c + (1 - p c) * 1)); last by rewrite mulr1 addrC subrK.
by rewrite ler_add2l; apply: ler_wpmul2l (IH _); rewrite subr_ge0.
Qed.
(* It does not matter who is looked for: only the others stand in the way *)
Lemma reach_swap p n (S : {set C}) h c : h \notin S -> c \notin S -> reach p n (h |: S) h = reach p n (c |: S) c.
Proof.
elim: n S => [|n IH] S hS cS //=; rewrite !cardsU1 hS cS !big_setU1 //= !eqxx; congr ((1 + _) / _).
apply: eq_bigr => x xS.
have xh : x != h by apply: contra hS => /eqP <-.
have xc : x != c by apply: contra cS => /eqP <-.
rewrite (negbTE xh) (negbTE xc); congr (_ * _).
have e y : x != y -> (y |: S) :\ x = y |: (S :\ x).
  by move=> xy; apply/setP => z; rewrite !inE; case: (eqVneq z x) => [->|]; rewrite ?(negbTE xy).
by rewrite !e // IH // !inE ?(negbTE hS) ?(negbTE cS) andbF.
Qed.
(* Making all less likely, by the same factor, does not make up for that factor *)
Lemma reach_scale p n left h (r : R) : (forall c, 0 <= p c <= 1) -> 0 <= r <= 1 -> h \in left -> #|left| = n ->
  r * reach (fun c => r * p c) n left h <= reach p n left h.
Proof.
move=> p01 /andP[r0 r1]; elim: n left => [|n IH] left hl cl /=; first by rewrite mulr0.
rewrite mulrA; apply: ler_wpmul2r; first exact: card_inv_ge0.
have rp c : 0 <= r * p c <= 1.
  by have /andP[? ?] := p01 c; rewrite mulr_ge0 //= mulr_ile1.
rewrite mulr_sumr (bigD1 h) //= [X in _ <= X](bigD1 h) //= eqxx mulr1.
have other (F G : C -> R) : (\sum_(c in left | c != h) (if c == h then F c else G c)) = \sum_(c in left | c != h) G c.
  by apply: eq_bigr => c /andP[_ /negbTE ->].
rewrite (eq_bigr (fun c => (1 - r * p c) * (r * reach (fun c => r * p c) n (left :\ c) h))) => [|c /andP[_ /negbTE ->]]; last by rewrite mulrCA.
rewrite other.
apply: (@le_trans _ _ (r + \sum_(c in left | c != h) (1 - r * p c) * reach p n (left :\ c) h)).
  rewrite ler_add2l; apply: ler_sum => c /andP[cin ch]; apply: ler_wpmul2l.
    by rewrite subr_ge0; case/andP: (rp c).
  apply: IH; first by rewrite !inE hl andbT eq_sym.
  by move: cl; rewrite (cardsD1 c) cin add1n => -[].
have acc : \sum_(c in left | c != h) p c * reach p n (left :\ c) h <= 1.
  apply: le_trans (walk_total n (left :\ h) p01); rewrite le_eqVlt; apply/orP; left; apply/eqP.
  rewrite [in RHS](eq_bigl (fun c => (c \in left) && (c != h))) => [|c]; last by rewrite !inE andbC.
  apply: eq_bigr => c /andP[cin ch]; rewrite walk_reach; congr (_ * _).
  have e1 : left :\ c = h |: (left :\ c :\ h).
    by apply/setP => y; rewrite !inE; case: (eqVneq y h) => [->|] //; rewrite hl andbT eq_sym.
  have e2 : left :\ h = c |: (left :\ c :\ h).
    by apply/setP => y; rewrite !inE; case: (eqVneq y c) => [->|]; rewrite ?cin ?ch ?andbT //=.
  rewrite [in LHS]e1 e2.
  by apply: reach_swap; rewrite !inE eqxx // andbF.
rewrite -subr_ge0.
have -> : 1 + \sum_(c in left | c != h) (1 - p c) * reach p n (left :\ c) h
    - (r + \sum_(c in left | c != h) (1 - r * p c) * reach p n (left :\ c) h)
    = (1 - r) * (1 - \sum_(c in left | c != h) p c * reach p n (left :\ c) h).
  have -> : \sum_(c in left | c != h) (1 - p c) * reach p n (left :\ c) h
    = \sum_(c in left | c != h) (1 - r * p c) * reach p n (left :\ c) h - (1 - r) * \sum_(c in left | c != h) p c * reach p n (left :\ c) h.
    by rewrite mulr_sumr -sumrB; apply: eq_bigr => c _; ring.
  by ring.
by apply: mulr_ge0; rewrite subr_ge0.
Qed.
(* Two walks: all are at most k times as likely to be accepted in the second, and h is r * k times as likely at least *)
Lemma walk_close p q h (k r : R) : (forall c, 0 <= p c <= 1) -> (forall c, 0 <= q c <= 1) -> 1 <= k -> 0 <= r ->
  (forall c, q c <= k * p c) -> r * (k * p h) <= q h -> r * walk p #|C| setT h <= walk q #|C| setT h.
Proof.
move=> p01 q01 k1 r0 qk rq; have kp : 0 < k by apply: lt_le_trans k1.
have kn : k != 0 by apply: lt0r_neq0.
have i01 : 0 <= k^-1 <= 1 by rewrite invr_ge0 ltW //= invf_le1.
have hT : h \in [set: C] by rewrite inE.
have := @reach_scale q #|C| setT h k^-1 q01 i01 hT (cardsT C).
have le c : k^-1 * q c <= p c by rewrite ler_pdivr_mull.
have := @reach_le (fun c => k^-1 * q c) p #|C| setT h le (fun c => proj2 (andP (p01 c))).
rewrite !walk_reach; move: (reach_ge0 #|C| setT h (fun c => proj2 (andP (p01 c)))).
set u := reach p _ _ _; set v := reach q _ _ _; set s := reach _ _ _ _; move=> u0 us sv.
have step1 : k^-1 * u <= v by apply: le_trans sv; apply: ler_wpmul2l us; case/andP: i01.
apply: (@le_trans _ _ (q h * (k^-1 * u))); last by apply: ler_wpmul2l step1; case/andP: (q01 h).
have -> : r * (p h * u) = (r * (k * p h)) * (k^-1 * u) by field.
by apply: ler_wpmul2r rq; apply: mulr_ge0; case/andP: i01.
Qed.
End Walk.

Lemma leastP (C : finType) (c0 : C) (s : C -> nat) : (forall c, least c0 s <= s c)%N /\ exists c, least c0 s = s c.
Proof. by rewrite /least; case: arg_minnP => // c _ h; split=> [d|]; [apply: h | exists c]. Qed.

(* Acceptance x^i and x^j: up to a common factor x^t the exponents differ by 2s at most, and in one direction *)
Lemma walk_powers (C : finType) (x : R) s t (i j : C -> nat) h : 0 < x -> x <= 1 ->
  (forall c, i c <= j c + t)%N -> (forall c, j c + t <= i c + 2 * s)%N ->
  walk (fun c => x ^+ i c) #|C| setT h <= (1 / x) ^+ (2 * s) * walk (fun c => x ^+ j c) #|C| setT h.
Proof.
move=> x0 x1 ij ji.
have p01 (y : C -> nat) c : 0 <= x ^+ y c <= 1 by rewrite exprn_ge0 ?exprn_ile1 // ltW.
have := @walk_close C (fun c => x ^+ i c) (fun c => x ^+ j c) h ((1 / x) ^+ t) (x ^+ (2 * s)) (p01 _) (p01 _).
rewrite !div1r [(x^-1) ^+ (2 * s)]exprVn => go; rewrite ler_pdivl_mull ?exprn_gt0 //; apply: go.
- by apply: exprn_ege1; rewrite -div1r; apply: inv_ge1.
- by rewrite exprn_ge0 // ltW.
- by move=> c; rewrite -div1r; apply: power_step.
rewrite mulrCA -exprD exprVn ler_pdivr_mull ?exprn_gt0 // -exprD.
by apply: ler_wiexpn2l => //; [exact: ltW | rewrite addnC [X in (_ <= X)%N]addnC].
Qed.
Lemma walk_ge0 (C : finType) (x : R) (i : C -> nat) n left h : 0 < x -> x <= 1 -> 0 <= walk (fun c => x ^+ i c) n left h.
Proof.
move=> x0 x1; rewrite walk_reach; apply: mulr_ge0; first by rewrite exprn_ge0 // ltW.
by apply: reach_ge0 => c; rewrite exprn_ile1 // ltW.
Qed.

(* Whole numbers, apart from everything else *)
Lemma shift_up (la lb sa sb s u v : nat) : (lb = sb -> sa <= sb + s -> la <= sa -> la <= u -> lb <= v ->
  u <= v + s -> u - la <= v - lb + (lb + s - la))%N.
Proof. lia. Qed.
Lemma shift_down (la lb sa sb s u v : nat) : (lb = sb -> sa <= sb + s -> la <= sa -> la <= u -> lb <= v ->
  v <= u + s -> v - lb + (lb + s - la) <= u - la + 2 * s)%N.
Proof. lia. Qed.
Lemma count_up (ta tb u v : nat) : (u <= v + 1 -> v <= u + 1 -> u <= ta -> v <= tb -> ta <= tb + 1 -> tb <= ta + 1 ->
  v <= u + 1 -> u <= v + 1 -> ta - u <= tb - v + (ta + 1 - tb) /\ tb - v + (ta + 1 - tb) <= ta - u + 2 * 1)%N.
Proof. lia. Qed.

Theorem permute_and_flip_sound : sound0 mean (@rule_permute_and_flip R A) (@built_permute_and_flip R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W C c0 score h lM; case: w h lM => x s.
rewrite /rule_permute_and_flip; facts f => h _ ok; apart.
apply: pureP => // a b ab o.
have [la [ca ea]] := leastP c0 (score a); have [lb [cb eb]] := leastP c0 (score b).
have ab' := h _ _ ab; have ba' := h _ _ (replaced_sym ab).
apply: (@le_trans _ _ ((1 / x) ^+ (2 * s) * walk (fun c => x ^+ (score b c - least c0 (score b))) #|C| setT o)).
  apply: (@walk_powers C x s (least c0 (score b) + s - least c0 (score a))) => // c.
    exact: shift_up eb (ab' cb) (la cb) (la c) (lb c) (ab' c).
  exact: shift_down eb (ab' cb) (la cb) (la c) (lb c) (ba' c).
by apply: ler_wpmul2r; [apply: walk_ge0 | apply: powP; [exact: inv_gt0 | whole]].
Qed.

Theorem plurality_sound : sound0 mean (@rule_plurality R A) (@built_plurality R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W C vote h lM; case: w vote h lM => x m k /= vote.
rewrite /rule_plurality; facts f => h _ ok; apart.
apply: pureP => // a b ab o.
have le a' c : (counted vote a' c <= \max_d counted vote a' d)%N by apply: leq_bigmax.
have att a' : exists c, (\max_d counted vote a' d)%N = counted vote a' c.
  by have [|c ?] := @eq_bigmax _ (counted vote a'); [apply/card_gt0P; exists o | exists c].
apply: (@le_trans _ _ ((1 / x) ^+ (2 * 1) * walk (fun c => x ^+ ((\max_d counted vote b d) - counted vote b c)) #|C| setT o)).
  have up c := counted_step c h ab; have down c := counted_step c h (replaced_sym ab).
  have [ca ea] := att a; have [cb eb] := att b.
  have ab1 : (\max_d counted vote a d <= \max_d counted vote b d + 1)%N by rewrite ea; apply: leq_trans (up ca) _; rewrite leq_add2r.
  have ba1 : (\max_d counted vote b d <= \max_d counted vote a d + 1)%N by rewrite eb; apply: leq_trans (down cb) _; rewrite leq_add2r.
  have both c := count_up (up c) (down c) (le a c) (le b c) ab1 ba1 (down c) (up c).
  by apply: (@walk_powers C x 1 ((\max_d counted vote a d) + 1 - \max_d counted vote b d)) => // c; case: (both c).
by apply: ler_wpmul2r; [apply: walk_ge0 | apply: powP => //; apply: inv_gt0].
Qed.
End Walks.
