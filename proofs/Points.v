(* Soundness of the rules about points of a column: learners that look at some records only, and the clipped choice. *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum ring zify.
From Book Require Import Theory Rules Meaning Draws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Points.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mean := (@mean_privacy R P L A).
Notation data := (data P L).

(* --- Coins: every record is looked at with probability p --------------------------------------------------------------------- *)
Section Coins.
Variables (W : world) (p : R).
Hypotheses (p0 : 0 <= p) (p1 : p <= 1).
Notation look := {ffun 'I_(size W) -> bool}.
Definition turned (i : 'I_(size W)) (k : look) : look := [ffun j => if j == i then ~~ k j else k j].
Lemma turnedK i : involutive (turned i).
Proof. by move=> k; apply/ffunP => j; rewrite !ffunE; case: (j == i); rewrite ?negbK. Qed.
Definition others (i : 'I_(size W)) (k : look) := \prod_(j | j != i) (if k j then p else 1 - p).
Lemma others_ge0 i k : 0 <= others i k.
Proof. by apply: prodr_ge0 => j _; case: ifP => _; rewrite ?subr_ge0. Qed.
Lemma coins_split i (g : look -> R) :
  \sum_k coins p k * g k = \sum_(k : look | ~~ k i) others i k * ((1 - p) * g k + p * g (turned i k)).
Proof.
have one k : coins p k = others i k * (if k i then p else 1 - p) by rewrite /coins (bigD1 i) //= mulrC.
rewrite (bigID (fun k : look => k i)) /= addrC.
rewrite [X in _ + X](reindex_inj (inv_inj (turnedK i))) /=.
rewrite [X in _ + X](eq_bigl (fun k : look => ~~ k i)) => [|k]; last by rewrite ffunE eqxx.
rewrite -big_split /=; apply: eq_bigr => k ki; rewrite !one (negbTE ki) ffunE eqxx ki.
have -> : others i (turned i k) = others i k.
  by apply: eq_bigr => j /negbTE ji; rewrite ffunE ji.
by rewrite -!mulrA -mulrDr.
Qed.
(* Two tables that differ at place i, and what is seen of them: it is enough to compare where i is not looked at, and then is *)
Lemma coins_close (f : R) (i : 'I_(size W)) (a b : data W) (g : {ffun 'I_(size W) -> option (P * L)} -> R) : 0 <= f -> (forall j, j != i -> a j = b j) ->
  (forall s : {ffun 'I_(size W) -> option (P * L)}, s i = None -> (1 - p) * g s + p * g [ffun j => if j == i then Some (a i) else s j] <=
     f * ((1 - p) * g s + p * g [ffun j => if j == i then Some (b i) else s j])) ->
  (\sum_k coins p k * g (seen a k) <= f * (\sum_k coins p k * g (seen b k)))%R.
Proof.
move=> f0 ab h; rewrite !(coins_split i) mulr_sumr; apply: ler_sum => k ki.
rewrite mulrCA; apply: ler_wpmul2l; first exact: others_ge0.
have st (c : data W) : seen c (turned i k) = [ffun j => if j == i then Some (c i) else seen c k j].
  by apply/ffunP => j; rewrite !ffunE; case: (eqVneq j i) => [->|]; rewrite ?ki.
have -> : seen b k = seen a k.
  by apply/ffunP => j; rewrite !ffunE; case: (eqVneq j i) => [->|/ab ->] //; rewrite (negbTE ki).
have -> : seen b (turned i k) = [ffun j => if j == i then Some (b i) else seen a k j].
  by rewrite st; apply/ffunP => j; rewrite !ffunE; case: (eqVneq j i) => // /ab ->.
by rewrite st; apply: h; rewrite ffunE (negbTE ki).
Qed.
Lemma coins_ge0 (k : look) : 0 <= coins p k.
Proof. by apply: prodr_ge0 => j _; case: ifP => _; rewrite ?subr_ge0. Qed.
End Coins.

Lemma star_back (W : world) (s : {ffun 'I_(size W) -> option (P * L)}) i r : s i = None ->
  starred [ffun j => if j == i then r else s j] i = s.
Proof. by move=> si; apply/ffunP => j; rewrite !ffunE; case: (eqVneq j i) => [->|]. Qed.

Theorem star_entries_sound : sound0 mean (@rule_star_entries R A) (@built_star_entries R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W O B lB hB lM; case: w hB lM => p c /= hB _.
rewrite /rule_star_entries; facts f => ok; apart.
have p0 : 0 <= p by []. have p1 : p <= 1 by []. have c1 : 1 <= c by [].
have c0 : 0 < c by apply: lt_le_trans c1.
have q0 : 0 <= 1 - p by rewrite subr_ge0.
set F := _ / _; have den : 0 < 1 + p * (1 / c - 1).
  have -> : 1 + p * (1 / c - 1) = (1 - p) + p / c by ring.
  have [p1e|pn] := eqVneq p 1; first by rewrite p1e subrr add0r mul1r invr_gt0.
  by apply: ltr_paddr; [rewrite divr_ge0 // ltW | rewrite subr_gt0 lt_def eq_sym pn].
have F0 : 0 <= F by apply: (@le_trans _ _ 1).
apply: pureP => // a b [i [_ ab _]] o.
apply: (@coins_close W p p0 p1 F i a b (fun s => B s o)) => // s si.
set x := B s o; set y := B _ o; set y' := B _ o.
have x0 : 0 <= x by have [h _] := lB s; apply: h.
have hy : y <= c * x by have [] := hB [ffun j => if j == i then Some (a i) else s j] i o; rewrite star_back.
have hx : x <= c * y' by have [_] := hB [ffun j => if j == i then Some (b i) else s j] i o; rewrite star_back.
rewrite /F mulrAC ler_pdivl_mulr //.
apply: (@le_trans _ _ (((1 - p) * x + p * (c * x)) * (1 + p * (1 / c - 1)))).
  by apply: ler_wpmul2r; [apply: ltW | rewrite ler_add2l; apply: ler_wpmul2l].
have -> : ((1 - p) * x + p * (c * x)) * (1 + p * (1 / c - 1)) = (1 + p * (c - 1)) * ((1 - p) * x + p * (x / c)) by field; rewrite lt0r_neq0.
apply: ler_wpmul2l; first by apply: addr_ge0; [exact: ler01 | apply: mulr_ge0; rewrite ?subr_ge0].
by rewrite ler_add2l; apply: ler_wpmul2l => //; rewrite ler_pdivr_mulr // mulrC.
Qed.

Lemma silent_case (p g F x y y' : R) : 0 < p -> p < 1 -> 0 < g -> g < 1 -> 0 <= F -> (g + p * (1 - g)) / g <= F ->
  y <= 1 -> g <= x -> x <= y' -> (1 - p) * x + p * y <= F * ((1 - p) * x + p * y').
Proof.
move=> p0 p1 g0 g1 F0 Fn y1 xg yx; have g1' : 0 <= 1 - g by rewrite subr_ge0 ltW.
apply: (@le_trans _ _ (F * x)); last first.
  apply: ler_wpmul2l => //; apply: (@le_trans _ _ ((1 - p) * x + p * x)); first by rewrite -mulrDl subrK mul1r.
  by rewrite ler_add2l; apply: ler_wpmul2l => //; apply: ltW.
apply: (@le_trans _ _ ((g + p * (1 - g)) / g * x)); last by apply: ler_wpmul2r => //; apply: le_trans xg; apply: ltW.
apply: (@le_trans _ _ (x + p * (1 - x))).
  have -> : x + p * (1 - x) = (1 - p) * x + p * 1 by ring.
  by rewrite ler_add2l; apply: ler_wpmul2l => //; apply: ltW.
have -> : (g + p * (1 - g)) / g * x = x + p * ((1 - g) * (x / g)) by field; apply: lt0r_neq0.
rewrite ler_add2l; apply: ler_wpmul2l; first exact: ltW.
apply: (@le_trans _ _ (1 - g)); first by rewrite ler_add2l ler_opp2.
by rewrite ler_pemulr // ler_pdivl_mulr // mul1r.
Qed.
Lemma answer_case (p c F x y y' : R) : 0 < p -> p < 1 -> 0 <= F -> (1 - p + p * c) / (1 - p) <= F -> 0 <= x -> y <= c * x -> 0 <= y' ->
  (1 - p) * x + p * y <= F * ((1 - p) * x + p * y').
Proof.
move=> p0 p1 F0 Fs x0 yx y0; have q0 : 0 < 1 - p by rewrite subr_gt0.
apply: (@le_trans _ _ (F * ((1 - p) * x))); last first.
  by apply: ler_wpmul2l => //; rewrite ler_addl mulr_ge0 // ltW.
apply: (@le_trans _ _ ((1 - p + p * c) / (1 - p) * ((1 - p) * x))); last first.
  by apply: ler_wpmul2r => //; rewrite mulr_ge0 // ltW.
have -> : (1 - p + p * c) / (1 - p) * ((1 - p) * x) = (1 - p) * x + p * (c * x) by field; apply: lt0r_neq0.
by rewrite ler_add2l; apply: ler_wpmul2l => //; apply: ltW.
Qed.

Theorem sampled_point_sound : sound0 mean (@rule_sampled_point R A) (@built_sampled_point R P L).
Proof.
move=> f w W O M lM B; case: B lM => {W O M} W X H value pos answer lA hA lM; case: w hA lM => p g c /= hA _.
rewrite /rule_sampled_point; facts f => ok; apart.
have p0 : 0 < p by []. have p1 : p < 1 by []. have g0 : 0 < g by []. have g1 : g < 1 by []. have c1 : 1 <= c by [].
set F := Num.max _ _; have F1 : 1 <= F by [].
have q0 : 0 < 1 - p by rewrite subr_gt0.
have F_none : (g + p * (1 - g)) / g <= F by rewrite le_maxr lexx.
have F_some : (1 - p + p * c) / (1 - p) <= F by rewrite le_maxr lexx orbT.
apply: pureP => // a b [i [_ ab _]] o.
pose none (s : {ffun 'I_(size W) -> option (P * L)}) := [exists i, exists j, clash value pos (s i) (s j)].
pose found (s : {ffun 'I_(size W) -> option (P * L)}) := [pick v | [exists i, shows value pos v (s i)]].
pose G (s : {ffun 'I_(size W) -> option (P * L)}) := match o with
  | None => if none s then 1 else g
  | Some h => if none s then 0 else (1 - g) * answer (found s) h end.
apply: (@coins_close W p (ltW p0) (ltW p1) F i a b G) => [||s si]; [by apply: le_trans F1 | by [] |].
have g0' : 0 <= 1 - g by rewrite subr_ge0 ltW.
have x0 t : 0 <= G t.
  rewrite /G; case: (o) => [h|]; case: ifP => _; [exact: lexx | | exact: ler01 | exact: ltW].
  by apply: mulr_ge0 => //; have [k _] := lA (found t); apply: k.
(* what clashes without the record clashes with it *)
have grows r : none s -> none [ffun j => if j == i then Some r else s j].
  case/existsP => j /existsP [k jk]; apply/existsP; exists j; apply/existsP; exists k; rewrite !ffunE.
  by move: jk; case: (eqVneq j i) => [->|_]; case: (eqVneq k i) => [->|_]; rewrite ?si //; case: (s _) => [[? ?]|].
have grows' r : ~~ none [ffun j => if j == i then Some r else s j] -> ~~ none s by apply: contra; apply: grows.
have F0 : 0 <= F by apply: le_trans F1.
move: x0; rewrite /G {G}; case: o => [h|] x0; last first.
  apply: (@silent_case p g F) => //; [by case: ifP => _; rewrite ?lexx // ltW | by case: ifP => _; rewrite ?lexx // ltW |].
  by case: ifP => [/(grows (b i)) -> //|_]; case: ifP => _; rewrite ?lexx // ltW.
have a0 k : 0 <= (1 - g) * answer k h by have [k0 _] := lA k; apply: mulr_ge0.
apply: (@answer_case p c F) => //.
set s' := [ffun j => if j == i then Some (a i) else s j].
case: ifP => [_|/negbT ns']; first by case: ifP => _; rewrite ?mulr0 // mulr_ge0 // (le_trans ler01).
rewrite (negbTE (grows' _ ns')) mulrCA; apply: ler_wpmul2l => //.
have up k : answer k h <= c * answer k h by have [k0 _] := lA k; rewrite ler_pemull.
case fs: (found s) => [v|]; last by case: (found s') => [v|]; [apply: hA | apply: up].
have -> : found s' = Some v; last exact: up.
move: fs; rewrite {1}/found; case: pickP => // v' /existsP [k kv] [ev]; subst v'.
have ki : k != i by apply: contraTneq kv => ->; rewrite si.
have kv' : shows value pos v (s' k) by rewrite ffunE (negbTE ki).
rewrite /found; case: pickP => [u /existsP [l lu]|/(_ v) /existsP []]; last by exists k.
congr Some; apply/eqP; apply: contraNT ns' => uv; apply/existsP; exists l; apply/existsP; exists k.
move: lu kv'; rewrite /clash /shows; case: (s' l) => [r|//]; case: (s' k) => [r'|//] /andP[pr /eqP er] /andP[pr' /eqP er'].
by rewrite pr pr' er er'.
Qed.
End Points.
