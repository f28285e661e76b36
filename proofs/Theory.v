(* What facts mean, what the functions of the book promise, and the lemmas that several rules share. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect ssralg ssrnum ring.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Lemma string_eqP : Equality.axiom String.eqb. Proof. exact: String.eqb_spec. Qed.
Canonical string_eqType := EqType string (EqMixin string_eqP).

Section Theory.
Variable R : realFieldType.

(* A loss is log + ln(factor); (log, factor). *)
Definition loss := (R * R)%type.

(* --- What the functions that formulas call promise: the whole interface between the book and its arithmetic. E is e^x. --- *)
Record arith := Arith {
  E : R -> R;
  short : R -> R;
  pow : R -> R -> R;
  short_product : seq R -> R;
  exp_of : loss -> R;
  at_most : loss -> loss -> bool;
  above : loss -> loss -> bool;
  is_whole : R -> bool;
  fold : R -> R -> R -> R;
  E0 : E 0 = 1;
  ED : forall x y, E (x + y) = E x * E y;
  E1 : forall x, 0 <= x -> 1 <= E x;
  short_up : forall x, 0 <= x -> x <= short x;
  pow_up : forall b n, 0 < b -> b ^+ n <= pow b n%:R;
  product_up : forall s, all (fun x => 0 <= x) s -> \prod_(x <- s) x <= short_product s;
  exp_up : forall l : loss, 0 <= l.1 -> 0 < l.2 -> E l.1 * l.2 <= exp_of l;
  exp_pure : forall x, exp_of (0, x) = x;
  at_most_ok : forall l m : loss, at_most l m -> E l.1 * l.2 <= E m.1 * m.2;
  fold_up : forall e n s, 1 <= e -> (2 * s <= n)%N ->
    \sum_(l < s) 'C(n, l)%:R * (e ^+ (n - l) - e ^+ (n - 2 * s + l)) / (1 + e) ^+ n <= fold e n%:R s%:R
}.

(* --- Laws and closeness ------------------------------------------------------------------------------------------------ *)
Definition law (O : finType) (p : O -> R) := (forall o, 0 <= p o) /\ \sum_o p o = 1.
Definition close (O : finType) (k d : R) (p q : O -> R) :=
  forall S : pred O, \sum_(o | S o) p o <= k * (\sum_(o | S o) q o) + d.

Lemma point_close (O : finType) k (p q : O -> R) : (forall o, p o <= k * q o) -> close k 0 p q.
Proof. by move=> h S; rewrite addr0 mulr_sumr; apply: ler_sum => o _. Qed.

Lemma close_point (O : finType) k d (p q : O -> R) o : close k d p q -> p o <= k * q o + d.
Proof. by move=> /(_ (pred1 o)); rewrite !big_pred1_eq. Qed.

Lemma law_event (O : finType) (p : O -> R) (S : pred O) : law p -> 0 <= \sum_(o | S o) p o <= 1.
Proof.
case=> p0 p1; rewrite sumr_ge0 //= -p1 [X in _ <= X](bigID S) /= ler_addl; exact: sumr_ge0.
Qed.

Lemma close_fun (O : finType) k d (p q g : O -> R) : close k d p q -> (forall o, 0 <= g o <= 1) ->
  \sum_o p o * g o <= k * (\sum_o q o * g o) + d.
Proof.
move=> h g01; rewrite -ler_subl_addl mulr_sumr -sumrB.
apply: (@le_trans _ _ (\sum_(o | 0 < p o - k * q o) (p o - k * q o))); last first.
  by rewrite sumrB -mulr_sumr ler_subl_addl.
rewrite [X in X <= _](bigID (fun o => 0 < p o - k * q o)) /= -[X in _ <= X]addr0.
apply: ler_add.
  apply: ler_sum => o po; rewrite mulrA -mulrBl -[X in _ <= X]mulr1.
  by apply: ler_wpmul2l; [apply: ltW | case/andP: (g01 o)].
rewrite -oppr_ge0 -sumrN; apply: sumr_ge0 => o; rewrite -leNgt oppr_ge0 => po; rewrite mulrA -mulrBl.
by apply: mulr_le0_ge0 => //; case/andP: (g01 o).
Qed.

Lemma close_weaken (O : finType) k d k' d' (p q : O -> R) : (forall o, 0 <= q o) -> close k d p q -> k <= k' -> d <= d' ->
  close k' d' p q.
Proof.
move=> q0 h hk hd S; apply: (le_trans (h S)); apply: ler_add => //.
by apply: ler_wpmul2r => //; apply: sumr_ge0.
Qed.

Lemma close_one (O : finType) k d (p q : O -> R) : (forall S : pred O, 0 <= \sum_(o | S o) q o) -> law p -> 0 <= k -> 1 <= d ->
  close k d p q.
Proof.
move=> q0 lp k0 d1 S; have /andP[_ h] := law_event S lp.
by apply: (le_trans h); apply: (le_trans d1); rewrite ler_addr mulr_ge0.
Qed.

Lemma close_min (O : finType) k d (p q : O -> R) : law p -> law q -> 0 <= k -> close k d p q -> close k (Num.min 1 d) p q.
Proof.
move=> lp lq k0 h; case: (lerP 1 d) => d1 //; apply: close_one => // S.
by case/andP: (law_event S lq).
Qed.

Lemma close_ext (O : finType) k d (p q p' q' : O -> R) : p =1 p' -> q =1 q' -> close k d p q -> close k d p' q'.
Proof.
move=> hp hq h S; have := h S.
by rewrite (eq_bigr _ (fun o _ => hp o)) (eq_bigr _ (fun o _ => hq o)).
Qed.

Lemma close_trans (O : finType) k d k' d' (p q r : O -> R) : 0 <= k -> close k d p q -> close k' d' q r ->
  close (k * k') (d + k * d') p r.
Proof.
move=> k0 h h' S; apply: (le_trans (h S)).
apply: (@le_trans _ _ (k * (k' * (\sum_(o | S o) r o) + d') + d)).
  by rewrite ler_add2r; apply: ler_wpmul2l.
by rewrite mulrDr mulrA -addrA [k * d' + d]addrC.
Qed.

(* --- Composition and post-processing -------------------------------------------------------------------------------------- *)
Definition push (O S : finType) (p : O -> R) (T : O -> S -> R) := fun s => \sum_o p o * T o s.
Definition both (O S : finType) (p : O -> R) (M : O -> S -> R) := fun x : O * S => p x.1 * M x.1 x.2.

Lemma push_event (O S : finType) (p : O -> R) (T : O -> S -> R) (B : pred S) :
  \sum_(s | B s) push p T s = \sum_o p o * (\sum_(s | B s) T o s).
Proof. by rewrite /push exchange_big /=; apply: eq_bigr => o _; rewrite mulr_sumr. Qed.

Lemma both_event (O S : finType) (p : O -> R) (M : O -> S -> R) (B : pred (O * S)) :
  \sum_(x | B x) both p M x = \sum_o p o * (\sum_(s | B (o, s)) M o s).
Proof.
rewrite /both big_mkcond (eq_bigr (fun x => if B (x.1, x.2) then p x.1 * M x.1 x.2 else 0)) => [|[] //].
rewrite -(pair_bigA _ (fun o s => if B (o, s) then p o * M o s else 0)) /=.
by apply: eq_bigr => o _; rewrite -big_mkcond mulr_sumr.
Qed.

Lemma close_push (O S : finType) k d (p q : O -> R) (T : O -> S -> R) : (forall o, law (T o)) ->
  close k d p q -> close k d (push p T) (push q T).
Proof. by move=> lT h B; rewrite !push_event; apply: close_fun => // o; apply: law_event. Qed.

(* The same coins, and releases that are close whatever the coins say *)
Lemma close_coins (O S : finType) k d (p : O -> R) (T U : O -> S -> R) : law p -> (forall o, close k d (T o) (U o)) ->
  close k d (push p T) (push p U).
Proof.
move=> [p0 p1] h B; rewrite !push_event mulr_sumr -[d]mul1r -p1 mulr_suml -big_split /=; apply: ler_sum => o _.
by rewrite mulrCA -mulrDr; apply: ler_wpmul2l => //; apply: h.
Qed.

Lemma law_push (O S : finType) (p : O -> R) (T : O -> S -> R) : law p -> (forall o, law (T o)) -> law (push p T).
Proof.
move=> [p0 p1] lT; split=> [s|]; first by apply: sumr_ge0 => o _; apply: mulr_ge0 => //; case: (lT o).
rewrite (push_event p T predT) -p1; apply: eq_bigr => o _; case: (lT o) => _ ->; exact: mulr1.
Qed.

Lemma law_both (O S : finType) (p : O -> R) (M : O -> S -> R) : law p -> (forall o, law (M o)) -> law (both p M).
Proof.
move=> [p0 p1] lM; split=> [x|]; first by apply: mulr_ge0 => //; case: (lM x.1).
rewrite (both_event p M predT) -p1; apply: eq_bigr => o _; case: (lM o) => _ ->; exact: mulr1.
Qed.

Lemma close_both (O S : finType) k d l e (p q : O -> R) (M N : O -> S -> R) :
  0 <= k -> 0 <= l -> 0 <= e -> law p -> law q -> (forall o, law (M o)) -> (forall o, law (N o)) ->
  close k d p q -> (forall o, close l e (M o) (N o)) -> close (k * l) (d + e) (both p M) (both q N).
Proof.
move=> k0 l0 e0 lp lq lM lN h hM B; rewrite !both_event.
pose b o := \sum_(s | B (o, s)) N o s.
pose g o := Num.min 1 (l * b o).
have b0 o : 0 <= b o by have /andP[] := law_event (fun s => B (o, s)) (lN o).
have g01 o : 0 <= g o <= 1 by rewrite /g le_minr ler01 mulr_ge0 //= le_minl lexx.
have step o : \sum_(s | B (o, s)) M o s <= g o + e.
  rewrite /g; case: (lerP 1 (l * b o)) => _; last exact: (hM o (fun s => B (o, s))).
  have /andP[_ le1] := law_event (fun s => B (o, s)) (lM o).
  by apply: (le_trans le1); rewrite ler_addl.
apply: (@le_trans _ _ (\sum_o p o * (g o + e))).
  by apply: ler_sum => o _; apply: ler_wpmul2l => //; case: lp.
have -> : \sum_o p o * (g o + e) = (\sum_o p o * g o) + e.
  rewrite (eq_bigr (fun o => p o * g o + p o * e)) => [|o _]; last exact: mulrDr.
  by rewrite big_split /= -mulr_suml; case: lp => _ ->; rewrite mul1r.
rewrite addrA ler_add2r; apply: (le_trans (close_fun h g01)); rewrite ler_add2r -mulrA.
apply: ler_wpmul2l => //; rewrite mulr_sumr; apply: ler_sum => o _.
by rewrite mulrCA; apply: ler_wpmul2l; [case: lq | rewrite /g le_minl lexx orbT].
Qed.

(* Closeness of pairs whose parts are close given a public choice *)
Lemma close_mixture (O S : finType) k d (c : O -> R) (M N : O -> S -> R) : law c -> (forall o, close k d (M o) (N o)) ->
  close k d (push c M) (push c N).
Proof.
move=> [c0 c1] h B; rewrite !push_event.
apply: (@le_trans _ _ (\sum_o c o * (k * (\sum_(s | B s) N o s) + d))).
  by apply: ler_sum => o _; apply: ler_wpmul2l; [exact: c0 | exact: (h o B)].
rewrite (eq_bigr (fun o => k * (c o * (\sum_(s | B s) N o s)) + c o * d)) => [|o _].
  by rewrite big_split /= -mulr_sumr -mulr_suml c1 mul1r.
by rewrite mulrDr mulrCA.
Qed.

(* A chain of m steps *)
Definition geometric (k : R) (m : nat) := \sum_(i < m) k ^+ i.
Lemma geometricS k m : geometric k m.+1 = 1 + k * geometric k m.
Proof. by rewrite /geometric big_ord_recl expr0 mulr_sumr; congr (_ + _); apply: eq_bigr => i _; rewrite -exprS. Qed.
Lemma geometric_closed k m : k != 1 -> geometric k m = (k ^+ m - 1) / (k - 1).
Proof.
move=> k1; have h : k - 1 != 0 by rewrite subr_eq0.
by apply: (mulIf h); rewrite divfK // mulrC /geometric subrX1.
Qed.
Lemma geometric1 m : geometric 1 m = m%:R.
Proof. by rewrite /geometric (eq_bigr (fun=> 1)) => [|i _]; rewrite ?expr1n // sumr_const card_ord. Qed.
Lemma geometric_ge0 k m : 0 <= k -> 0 <= geometric k m.
Proof. by move=> k0; apply: sumr_ge0 => i _; apply: exprn_ge0. Qed.
Lemma geometric_le k l m : 0 <= k -> k <= l -> geometric k m <= geometric l m.
Proof. by move=> k0 kl; apply: ler_sum => i _; apply: ler_expn2r; rewrite ?nnegrE // (le_trans k0). Qed.

Lemma close_chain (O : finType) k d m (P : nat -> O -> R) : 0 <= k ->
  (forall i, (i < m)%N -> close k d (P i) (P i.+1)) -> close (k ^+ m) (d * geometric k m) (P 0%N) (P m).
Proof.
move=> k0; elim: m P => [|m IH] P h.
  by move=> S; rewrite expr0 mul1r /geometric big_ord0 mulr0 addr0.
rewrite exprS geometricS mulrDr mulr1 mulrCA; apply: close_trans => //; first exact: h.
by apply: (IH (fun i => P i.+1)) => i im; apply: h.
Qed.

(* --- Normalised weights ------------------------------------------------------------------------------------------------------ *)
Definition normal (O : finType) (w : O -> R) := fun o => w o / \sum_x w x.

Lemma sum_pos (O : finType) (w : O -> R) o : (forall o, 0 <= w o) -> 0 < w o -> 0 < \sum_x w x.
Proof. by move=> w0 wo; rewrite (bigD1 o) //=; apply: ltr_paddr => //; apply: sumr_ge0. Qed.
Lemma normal_ge0 (O : finType) (w : O -> R) o : (forall o, 0 <= w o) -> 0 <= normal w o.
Proof. by move=> w0; apply: divr_ge0 => //; apply: sumr_ge0. Qed.
Lemma normal_law (O : finType) (w : O -> R) o : (forall o, 0 <= w o) -> 0 < w o -> law (normal w).
Proof.
move=> w0 wo; split=> [x|]; first exact: normal_ge0.
by rewrite /normal -mulr_suml divff // lt0r_neq0 // (sum_pos w0 wo).
Qed.

Lemma normal_close2 (O : finType) k l (w v : O -> R) o : 0 <= k -> 0 <= l -> (forall o, 0 <= w o) -> (forall o, 0 <= v o) ->
  w o <= k * v o -> (\sum_x v x <= l * (\sum_x w x))%R -> normal w o <= k * l * normal v o.
Proof.
move=> k0 l0 w0 v0 h hs; rewrite /normal.
have [zw|sw] := eqVneq (\sum_x w x) 0.
  rewrite zw invr0 mulr0; apply: mulr_ge0; first exact: mulr_ge0.
  by apply: divr_ge0 => //; apply: sumr_ge0.
have pw : 0 < \sum_x w x by rewrite lt_def sw; apply: sumr_ge0.
have [zv|sv] := eqVneq (\sum_x v x) 0.
  have vo : v o = 0 by apply/le_anti; rewrite v0 andbT -zv (bigD1 o) //= ler_addl; apply: sumr_ge0.
  by move: h; rewrite vo !(mulr0, mul0r) => wo; rewrite mulr_le0_ge0 // invr_ge0 ltW.
have pv : 0 < \sum_x v x by rewrite lt_def sv; apply: sumr_ge0.
rewrite ler_pdivr_mulr //.
have -> : k * l * (v o / (\sum_x v x)) * (\sum_x w x) = (k * v o) * (l * (\sum_x w x)) / (\sum_x v x) by field.
by rewrite ler_pdivl_mulr //; apply: ler_pmul => //; apply: ltW.
Qed.

Lemma normal_close (O : finType) r (w v : O -> R) : 0 <= r -> (forall o, 0 <= w o) -> (forall o, 0 <= v o) ->
  (forall o, w o <= r * v o) -> (forall o, v o <= r * w o) -> forall o, normal w o <= r ^+ 2 * normal v o.
Proof.
move=> r0 w0 v0 h1 h2 o; rewrite expr2; apply: normal_close2 => //.
by rewrite mulr_sumr; apply: ler_sum => x _.
Qed.

(* A draw, then something that may use it. The outcomes are in groups. The weights of a group change by k at most, all
   together by l, and what follows is close for any two outcomes of one group, with r and d. *)
Lemma grouped_close (Z G O : finType) (key : Z -> G) k l r d (w v : Z -> R) (M N : Z -> O -> R) :
  0 <= k -> 0 <= l -> 0 <= r -> 0 <= d -> (forall z, 0 <= w z) -> (forall z, 0 <= v z) -> (forall z, law (M z)) -> (forall z, law (N z)) ->
  (forall g, \sum_(z | key z == g) w z <= k * (\sum_(z | key z == g) v z))%R -> (\sum_z v z <= l * (\sum_z w z))%R ->
  (forall y z, 0 < w y -> 0 < v z -> key y = key z -> close r d (M y) (N z)) ->
  close (k * l * r) d (push (normal w) M) (push (normal v) N).
Proof.
move=> k0 l0 r0 d0 w0 v0 lM lN hg hs hc B; rewrite !push_event.
have mB z : 0 <= \sum_(o | B o) M z o by have /andP[] := law_event B (lM z).
have nB z : 0 <= \sum_(o | B o) N z o by have /andP[] := law_event B (lN z).
have out (u : Z -> R) (K : Z -> O -> R) : \sum_z normal u z * (\sum_(o | B o) K z o) = (\sum_z u z * (\sum_(o | B o) K z o)) / \sum_z u z.
  by rewrite mulr_suml; apply: eq_bigr => z _; rewrite /normal mulrAC.
rewrite !out; have wt : 0 <= \sum_z w z by apply: sumr_ge0.
have vt : 0 <= \sum_z v z by apply: sumr_ge0.
have [zw|sw] := eqVneq (\sum_z w z) 0.
  rewrite zw invr0 mulr0 addr_ge0 // !mulr_ge0 ?invr_ge0 //.
  by apply: sumr_ge0 => z _; apply: mulr_ge0.
have pw : 0 < \sum_z w z by rewrite lt_def sw.
have main : \sum_z w z * (\sum_(o | B o) M z o) <= k * r * (\sum_z v z * (\sum_(o | B o) N z o)) + d * \sum_z w z.
  rewrite !mulr_sumr (partition_big key predT) //= [X in _ <= X + _](partition_big key predT) //=.
  rewrite [X in _ <= _ + X](partition_big key predT) //= -big_split /=; apply: ler_sum => g _.
  rewrite -!mulr_sumr; set gv := \sum_(z | key z == g) v z; set nv := \sum_(z | key z == g) v z * _.
  have gv0 : 0 <= gv by apply: sumr_ge0.
  have [zv|nz] := eqVneq gv 0.
    have wz z : key z == g -> w z = 0.
      move=> kz; apply/le_anti; rewrite w0 andbT; have := hg g; rewrite -/gv zv mulr0; apply: le_trans.
      by rewrite (bigD1 z) //= ler_addl; apply: sumr_ge0.
    rewrite [X in X <= _]big1 => [|z kz]; last by rewrite (wz z kz) mul0r.
    apply: addr_ge0; apply: mulr_ge0 => //; first exact: mulr_ge0.
      by apply: sumr_ge0 => z _; apply: mulr_ge0.
    exact: sumr_ge0.
  have pv : 0 < gv by rewrite lt_def nz.
  have each z : key z == g -> w z * (\sum_(o | B o) M z o) <= w z * (r * (nv / gv) + d).
    move=> /eqP kz; have [->|wz] := eqVneq (w z) 0; first by rewrite !mul0r.
    apply: ler_wpmul2l => //; have wz0 : 0 < w z by rewrite lt_def wz w0.
    rewrite -(ler_pmul2l pv); have -> : gv * (r * (nv / gv) + d) = r * nv + gv * d by field.
    rewrite /gv /nv mulr_suml mulr_sumr mulr_suml -big_split /=; apply: ler_sum => y /eqP ky.
    have [->|vy] := eqVneq (v y) 0; first by rewrite !(mul0r, mulr0) addr0.
    rewrite mulrCA -mulrDr; apply: ler_wpmul2l => //; apply: hc => //; last by rewrite kz ky.
    by rewrite lt_def vy v0.
  apply: le_trans (ler_sum _ each) _; rewrite -mulr_suml mulrDr [_ * d]mulrC ler_add2r.
  apply: le_trans (_ : k * gv * (r * (nv / gv)) <= _).
    by apply: ler_wpmul2r (hg g); rewrite mulr_ge0 // divr_ge0 //; apply: sumr_ge0 => z _; apply: mulr_ge0.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
have [zv|sv] := eqVneq (\sum_z v z) 0.
  have vz z : v z = 0 by apply/le_anti; rewrite v0 andbT -zv (bigD1 z) //= ler_addl; apply: sumr_ge0.
  move: main; rewrite [X in k * r * X]big1 => [|z _]; last by rewrite vz mul0r.
  by rewrite mulr0 add0r zv invr0 !mulr0 add0r ler_pdivr_mulr.
have pv : 0 < \sum_z v z by rewrite lt_def sv.
rewrite ler_pdivr_mulr //; apply: (le_trans main); rewrite mulrDl ler_add2r.
set nv := \sum_z v z * _; set vs := \sum_z v z in hs pv sv *.
have nv0 : 0 <= nv by apply: sumr_ge0 => z _; apply: mulr_ge0.
have -> : k * r * nv = (k * r * (nv / vs)) * vs by field.
have -> : k * l * r * (nv / vs) * (\sum_z w z) = (k * r * (nv / vs)) * (l * \sum_z w z) by ring.
by apply: ler_wpmul2l => //; rewrite !mulr_ge0 // invr_ge0 ltW.
Qed.

(* --- Tables, neighbours, facts ----------------------------------------------------------------------------------------------- *)
Variables P L : Type.                  (* points and labels; a record is a point with its label *)

(* Tables of a size, the names of parts of their places, and which of them are the roles: every place has one *)
Record world := World { size : nat; places : string -> pred 'I_size; whole : forall i, places "all records"%string i;
  roles : seq string; every : forall i, has (fun r => places r i) roles }.
Definition data (W : world) := {ffun 'I_(size W) -> P * L}.
(* One record of a part is replaced; where labels are protected, its label only *)
Definition replaced (W : world) (unit part : string) (a b : data W) :=
  exists i, [/\ places part i, forall j, j != i -> a j = b j & unit = "label"%string -> (a i).1 = (b i).1].
(* Neighbours where a person stands behind n records: n replacements, one after the other *)
Definition neighbours (W : world) (unit part : string) (n : nat) (a b : data W) :=
  exists c : nat -> data W, [/\ c 0%N = a, c n = b & forall i, (i < n)%N -> replaced unit part (c i) (c i.+1)].
Lemma replaced_sym W unit part (a b : data W) : replaced unit part a b -> replaced unit part b a.
Proof. by case=> i [h1 h2 h3]; exists i; split=> // [j ji|u]; [rewrite h2 | rewrite h3]. Qed.
Lemma neighbours1 W unit part (a b : data W) : neighbours unit part 1 a b <-> replaced unit part a b.
Proof.
split=> [[c [<- <- /(_ 0%N isT)] //]|h].
by exists (fun n => if n is 0%N then a else b); split=> // -[].
Qed.
Definition mech (W : world) (O : finType) := data W -> O -> R.

Variable A : arith.
Definition amount (l : loss) := E A l.1 * l.2.

(* The meaning of a privacy fact: the invariant of its numbers, and differential privacy *)
Definition sane (l : loss) (d : R) := [/\ 0 <= l.1, 1 <= l.2 & 0 <= d].
Definition private (l : loss) (d : R) (unit part : string) (n : nat) (W : world) (O : finType) (M : mech W O) :=
  sane l d /\ forall a b, neighbours unit part n a b -> close (amount l) d (M a) (M b).

Lemma private1 l d unit part W O (M : mech W O) : sane l d ->
  (forall a b, replaced unit part a b -> close (amount l) d (M a) (M b)) -> private l d unit part 1 M.
Proof. by move=> s h; split=> // a b /neighbours1 /h. Qed.
Lemma pureP f unit part W O (M : mech W O) : 1 <= f ->
  (forall a b, replaced unit part a b -> forall o, M a o <= f * M b o) -> private (0, f) 0 unit part 1 M.
Proof.
by move=> f1 h; apply: private1 => // a b ab; rewrite /amount E0 mul1r; apply: point_close; exact: h.
Qed.
Lemma E_gt0 x : 0 < E A x.
Proof.
have h : E A x * E A (- x) = 1 by rewrite -ED subrr E0.
case: (lerP 0 x) => [/(E1 A) h1|/ltW]; first exact: lt_le_trans h1.
rewrite -oppr_ge0 => /(E1 A) h1; have p : 0 < E A (- x) by exact: lt_le_trans h1.
by rewrite -(pmulr_lgt0 _ p) h ltr01.
Qed.
Lemma amount_ge1 l d : sane l d -> 1 <= amount l.
Proof. by case=> h1 h2 _; rewrite /amount -[1]mulr1; apply: ler_pmul => //; apply: E1. Qed.
Lemma amount_gt0 l d : sane l d -> 0 < amount l. Proof. by move/amount_ge1; apply: lt_le_trans. Qed.
Lemma amount_pure x : amount (0, x) = x. Proof. by rewrite /amount E0 mul1r. Qed.
Lemma exp_of_up l d : sane l d -> amount l <= exp_of A l.
Proof. by case=> h1 h2 _; apply: exp_up => //; apply: lt_le_trans h2. Qed.
Lemma exp_of_ge1 l d : sane l d -> 1 <= exp_of A l.
Proof. by move=> h; apply: le_trans (amount_ge1 h) (exp_of_up h). Qed.
Lemma pow_ge1 b n : 1 <= b -> 1 <= pow A b n%:R.
Proof.
by move=> b1; apply: le_trans (pow_up A n _); [apply: exprn_ege1 | apply: lt_le_trans b1].
Qed.
Lemma E_le x y : x <= y -> E A x <= E A y.
Proof.
move=> xy; rewrite -[y](subrK x) ED -[X in X <= _]mul1r.
by apply: ler_wpmul2r; [apply: ltW; apply: E_gt0 | apply: E1; rewrite subr_ge0].
Qed.
Lemma EMn x n : E A (n%:R * x) = E A x ^+ n.
Proof.
elim: n => [|n IH]; first by rewrite mul0r E0 expr0.
by rewrite mulrS mulrDl mul1r ED IH exprS.
Qed.
Lemma amount_power l d m pw : sane l d -> l.2 ^+ m <= pw -> amount l ^+ m <= amount (m%:R * l.1, pw).
Proof.
move=> sl h; rewrite /amount exprMn /= EMn; apply: ler_wpmul2l => //.
by apply/exprn_ge0/ltW/E_gt0.
Qed.
End Theory.
