(* What the facts of the book say, and which mechanism each rule speaks of. Written by hand: this file is what a reader must
   believe, beside the definitions of Theory.v (laws, closeness, tables, neighbours, `private`).

   How to read it, if you know differential privacy and not Coq. A table `a : data W` is a list of records with a place each
   (`a i` is the record at place i), and a record is a point with a label: `(a i).1` and `(a i).2`. W says how many places there are and
   which of them a part has: `places part i`. A mechanism `M : mech W O` gives for every table the probabilities of its
   outcomes: `M a o` is that of the outcome o. `replaced unit part a b`: a and b are neighbours. `close k d p q`: p(E) <= k q(E) + d for
   every event E. `private` says that this holds for all neighbours.

   `built_X f w M` says that M is a mechanism of the kind that rule X speaks of, for the fact f and the parameters w of that step;
   `X_ratio w` is the parameter `ratio`. It is one line, or a few: each names everything that may be chosen (`forall`, and what
   stands in brackets after the name), and before each `->` a condition: what the proof pages list under "assumed of the caller".
   Where a rule has premises, m is the meaning of their kind of fact: `m V O p N` says that N has the fact p.

   Signs: x ^+ n is a power, x ^- n one divided by it, n%:R the whole number n as a number of the field, \sum_(i | C i) f i and
   \prod_(i | C i) f i go over all i with C i, #|[pred i | C i]| is how many there are, [exists i, C i] whether there is one,
   \max_i the largest, [ffun i => f i] the table or function with these values, fun a => ... a function, == and && and || as in any
   language, `if (x, y) is (Some u, Some v) then` asks whether both are there. 'I_n are the numbers below n, {ffun A -> B} functions,
   {perm T} orders, option T a T or nothing (None), T * S pairs. `law p`: p is at least 0 and adds up to 1; `normal w`: weights divided
   by their sum; `push p T`: o is drawn by p, then the outcome by T o; `both p T`: the same, and o is told too; W1 and W2 are tables
   of one and two records (in Sanity.v, which shows that no `built_X` is empty). *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum.
From Book Require Import Theory Rules.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Meaning.
Variables (R : realFieldType) (P L : Type) (A : arith R).
Notation mech := (mech R P L).
Notation data := (data P L).
Definition meaning (F : Type) := forall (W : world) (O : finType), F -> mech W O -> Prop.

(* --- What facts say ---------------------------------------------------------------------------------------------------------- *)
(* A table has so many roles, of which the part is one *)
Definition known (W : world) (part : string) (k : nat) := (seq.size (roles W) == k) && (part \in roles W).
(* Differential privacy for a person behind so many records of the part, and numbers that are no gain; where the part is one of several
   roles, how many there are *)
Definition mean_privacy : meaning (privacy R) := fun W O f M =>
  let hides := private A (privacy_epsilon f) (privacy_delta f) (privacy_unit f) (privacy_part f) (privacy_records_per_person f) M in
  if privacy_roles f is k.+1 then known W (privacy_part f) k.+1 /\ hides else hides.
(* The odds of every event change by a factor of at most e^epsilon *)
Definition event (O : finType) (M : O -> R) (S : pred O) := \sum_(o | S o) M o.
Definition mean_bounded_range : meaning (bounded_range R) := fun W O f M =>
  sane (bounded_range_epsilon f) 0 /\ forall a b, replaced (bounded_range_unit f) "all records" a b -> forall S : pred O,
  event (M a) S * event (M b) (predC S) <= amount A (bounded_range_epsilon f) * (event (M b) S * event (M a) (predC S)).
(* The odds of any two outcomes change by a factor of at most e^epsilon *)
Definition mean_range : meaning (range R) := fun W O f M =>
  sane (range_epsilon f) 0 /\ forall a b, replaced (range_unit f) (range_part f) a b -> forall o s,
  M a o * M b s <= amount A (range_epsilon f) * (M b o * M a s).
(* No event's probability moves by more than gamma *)
Definition mean_stability : meaning (stability R) := fun W O f M =>
  forall a b, replaced (stability_unit f) "all records" a b -> close 1 (stability_gamma f) (M a) (M b).

(* --- The form of every statement: what is built as the rule says, has the fact, if the book lets it pass --------------------- *)
Definition sound0 F T (m : meaning F) (rule : F -> T -> bool) (built : F -> T -> forall W O, mech W O -> Prop) :=
  forall f w W O (M : mech W O), (forall a, law (M a)) -> built f w W O M -> rule f w -> m W O f M.
Definition sound1 F Q T (m : meaning F) (m' : meaning Q) (rule : F -> Q -> T -> bool)
    (built : F -> Q -> T -> meaning Q -> forall W O, mech W O -> Prop) :=
  forall f p w W O (M : mech W O), (forall a, law (M a)) -> built f p w m' W O M -> rule f p w -> m W O f M.
Definition soundN F Q T (m : meaning F) (m' : meaning Q) (rule : F -> Q -> seq Q -> T -> bool)
    (built : F -> T -> meaning Q -> seq Q -> forall W O, mech W O -> Prop) :=
  forall f p rest w W O (M : mech W O), (forall a, law (M a)) -> built f w m' (p :: rest) W O M -> rule f p rest w -> m W O f M.

(* Scores that move by at most s when a record is replaced *)
Definition moves (W : world) (unit part : string) (O : Type) (s : nat) (score : data W -> O -> nat) :=
  forall a b, replaced unit part a b -> forall o, (score a o <= score b o + s)%N.
Definition distance (a b : nat) := ((a - b) + (b - a))%N.
Definition least (C : finType) (c0 : C) (s : C -> nat) : nat := s [arg min_(c < c0) s c]%N.

(* --- Draws ------------------------------------------------------------------------------------------------------------------- *)
Inductive built_exponential_mechanism (f : privacy R) (w : where_exponential_mechanism R) : forall W O, mech W O -> Prop :=
| Exponential W (O : finType) (prior : O -> R) (score : data W -> O -> nat) :
    (forall o, 0 < prior o) -> moves (privacy_unit f) (privacy_part f) (exponential_mechanism_sensitivity w) score ->
    @built_exponential_mechanism f w W O (fun a => normal (fun o => prior o * exponential_mechanism_ratio w ^+ score a o)).

Inductive built_bounded_range (f : bounded_range R) (w : where_bounded_range R) : forall W O, mech W O -> Prop :=
| Odds W (O : finType) (prior : O -> R) (score : data W -> O -> nat) :
    (forall o, 0 < prior o) -> moves (bounded_range_unit f) "all records" (bounded_range_sensitivity w) score ->
    @built_bounded_range f w W O (fun a => normal (fun o => prior o * bounded_range_ratio w ^+ score a o)).

(* Permute-and-flip: the next to be looked at is uniform among those that are left; c is accepted with probability `accept c`, and
   otherwise the walk goes on without c. `walk n left h` is the probability that h is accepted, n being how many are left. *)
Fixpoint walk (C : finType) (accept : C -> R) (n : nat) (left : {set C}) (h : C) : R :=
  if n is m.+1 then (\sum_(c in left) (if c == h then accept h else (1 - accept c) * walk accept m (left :\ c) h)) / #|left|%:R else 0.
Inductive built_permute_and_flip (f : privacy R) (w : where_permute_and_flip R) : forall W O, mech W O -> Prop :=
| Walk W (C : finType) (c0 : C) (score : data W -> C -> nat) :
    moves (privacy_unit f) (privacy_part f) (permute_and_flip_sensitivity w) score ->
    @built_permute_and_flip f w W C
      (fun a => walk (fun c => permute_and_flip_ratio w ^+ (score a c - least c0 (score a))) #|C| setT).

(* Models vote for classes; a replaced record changes one vote *)
Definition counted (W : world) (m : nat) (C : finType) (vote : data W -> 'I_m -> C) (a : data W) (c : C) := #|[pred j | vote a j == c]|.
Definition one_vote (W : world) (unit part : string) (m : nat) (C : Type) (vote : data W -> 'I_m -> C) :=
  forall a b, replaced unit part a b -> exists j, forall i, i != j -> vote a i = vote b i.

Inductive built_exponential_vote (f : privacy R) (w : where_exponential_vote R) : forall W O, mech W O -> Prop :=
| ExponentialVote W (C : finType) (vote : data W -> 'I_(exponential_vote_models w) -> C) :
    one_vote (privacy_unit f) (privacy_part f) vote ->
    @built_exponential_vote f w W C (fun a => normal (fun c => exponential_vote_ratio w ^- counted vote a c)).

Inductive built_plurality (f : privacy R) (w : where_plurality R) : forall W O, mech W O -> Prop :=
| Plurality W (C : finType) (vote : data W -> 'I_(plurality_models w) -> C) :
    one_vote (privacy_unit f) (privacy_part f) vote ->
    @built_plurality f w W C
      (fun a => walk (fun c => plurality_ratio w ^+ ((\max_d counted vote a d) - counted vote a c)%N) #|C| setT).

(* The vote between two classes: the chance of class 1 given v votes of r for it *)
Definition vote_law (x : R) (r v : nat) : R :=
  if odd r then if (v <= r./2)%N then x ^+ (r./2 - v).+1 / (1 + x) else 1 - x ^+ (v - r./2) / (1 + x)
  else if (v <= r./2)%N then x ^+ (r./2 - v) / 2%:R else 1 - x ^+ (v - r./2) / 2%:R.
Inductive built_vote (f : privacy R) (w : where_vote R) : forall W O, mech W O -> Prop :=
| Vote W (vote : data W -> 'I_(vote_models w) -> bool) : one_vote (privacy_unit f) (privacy_part f) vote ->
    @built_vote f w W [finType of bool] (fun a o =>
      let p := vote_law (vote_ratio w) (vote_models w) (counted vote a true) in if o then p else 1 - p).

(* Two-sided geometric noise on numbers in a window 0, ..., m + 1, clipped to it: the tails lie on its ends. Windows are arbitrary. *)
Definition noisy (r : R) (m : nat) (v z : 'I_m.+2) : R :=
  (if val z == 0%N then r ^+ v else if val z == m.+1 then r ^+ (m.+1 - v) else (1 - r) * r ^+ distance z v) / (1 + r).
Inductive built_geometric_noise (f : privacy R) (w : where_geometric_noise R) : forall W O, mech W O -> Prop :=
| Noise W (K : finType) (m : nat) (value : data W -> K -> 'I_m.+2) :
    (forall a b, replaced (privacy_unit f) (privacy_part f) a b ->
      (\sum_k distance (value a k) (value b k) <= geometric_noise_change w)%N) ->
    @built_geometric_noise f w W [finType of {ffun K -> 'I_m.+2}] (fun a z => \prod_k noisy (geometric_noise_ratio w) (value a k) (z k)).

(* Rounds of draws, each given the outcomes before it; scores move by at most twice the cap *)
Inductive built_rounds (f : privacy R) (x : R) (s : nat) : nat -> forall W O, mech W O -> Prop :=
| NoRound W : @built_rounds f x s 0 W [finType of unit] (fun _ _ => 1)
| Round n W (O H : finType) (M : mech W O) (score : O -> data W -> H -> nat) :
    (forall a, law (M a)) -> H -> @built_rounds f x s n W O M ->
    (forall o, moves (privacy_unit f) (privacy_part f) s (score o)) ->
    @built_rounds f x s n.+1 W [finType of O * H] (fun a => both (M a) (fun o => normal (fun h => x ^+ score o a h))).
Definition built_weighted_rounds (f : privacy R) (w : where_weighted_rounds R) W O (M : mech W O) :=
  built_rounds f (weighted_rounds_ratio w) (2 * weighted_rounds_cap w) (weighted_rounds_rounds w) M.

(* --- Cuts of a line ---------------------------------------------------------------------------------------------------------- *)
(* Records stand on places of a line; a replaced record leaves one place and another one comes. `on a z`: records on place z *)
Definition one_moves (W : world) (unit part : string) (m : nat) (on : data W -> 'I_m -> nat) :=
  forall a b, replaced unit part a b -> exists x y, forall z, (on a z + (z == y) = on b z + (z == x))%N.
(* The line is cut in ranges, public beforehand: `of_ z` is the range of place z *)
Definition in_range (m : nat) (K : finType) (of_ : 'I_m -> K) (on : 'I_m -> nat) (k : K) (S : pred 'I_m) : nat :=
  (\sum_(z | (of_ z == k) && S z) on z)%N.
Definition below (m : nat) (c : nat) : pred 'I_m := fun z => (z < c)%N.

(* In every range k one of its cuts is drawn, of weight ratio^|2 below - all| *)
Inductive built_leafwise_medians (f : privacy R) (w : where_leafwise_medians R) : forall W O, mech W O -> Prop :=
| Medians W (m : nat) (on : data W -> 'I_m -> nat) (K : finType) (of_ : 'I_m -> K) (cut : K -> pred 'I_m.+1) :
    one_moves (privacy_unit f) (privacy_part f) on ->
    @built_leafwise_medians f w W [finType of {ffun K -> 'I_m.+1}] (fun a h => \prod_k normal (fun c : 'I_m.+1 =>
      if cut k c then leafwise_medians_ratio w ^+ distance (2 * in_range of_ (on a) k (below c)) (in_range of_ (on a) k predT)
      else 0) (h k)).

(* A line of 2^d places is halved again and again: block q of level l holds the places with the same first l bits *)
Definition in_block (d l q z : nat) := (z %/ 2 ^ (d - l) == q)%N.
Definition middle (d l q : nat) := (q * 2 ^ (d - l) + 2 ^ (d - l).-1)%N.
Definition candidate (d : nat) := option (('I_d * 'I_(2 ^ d)) + bool).  (* a block, an end, or the blank *)
(* ratio^cost, with cost = max(2 reach - held, wrong - free) for an occupied block, wrong - free for an end, 2 reach for the blank *)
Definition block_weight (r : R) (reach free held wrong : nat) : R :=
  if held == 0%N then 0 else Num.min (r ^+ (2 * reach) / r ^+ held) (r ^+ wrong / r ^+ free).

Inductive built_occupied_blocks (f : privacy R) (w : where_occupied_blocks R) : forall W O, mech W O -> Prop :=
| Blocks W (O : finType) (d := occupied_blocks_levels w) (r := occupied_blocks_ratio w) (reach cells : nat)
    (place : P -> 'I_(2 ^ d)) (misjudged : P * L -> nat -> bool) (named : candidate d -> O) :
    (0 < reach)%N ->
    @built_occupied_blocks f w W O (fun a =>
      let mistakes c := #|[pred i | misjudged (a i) c]| in
      let held l q := #|[pred i | in_block d l q (place (a i).1)]| in
      push (normal (fun c : candidate d => match c with
        | None => (occupied_blocks_stake w)%:R * r ^+ (2 * reach)
        | Some (inr e) => r ^+ mistakes (if e then cells else 0%N) / r ^+ reach.-1
        | Some (inl (l, q)) => block_weight r reach reach.-1 (held l q) (mistakes (minn cells (middle d l q)))
        end)) (fun c o => (named c == o)%:R)).

(* The same in every range, beside |2 below - all| in place of mistakes; ranges one after the other *)
Definition range_weight (r : R) (stake : nat) (d : nat) (K : finType) (of_ : 'I_(2 ^ d) -> K) (reach : nat)
    (on : 'I_(2 ^ d) -> nat) (k : K) (c : candidate d) : R :=
  let all_ := in_range of_ on k predT in
  match c with
  | None => stake%:R * r ^+ (2 * reach)
  | Some (inr _) => r ^+ all_ / r ^+ (2 * reach).-1
  | Some (inl (l, q)) => block_weight r reach (2 * reach).-1 (in_range of_ on k (fun z => in_block d l q z))
      (distance (2 * in_range of_ on k (below (middle d l q))) all_)
  end.
Inductive range_draws (r : R) (stake d : nat) (K : finType) (of_ : 'I_(2 ^ d) -> K) (reach : nat) W (on : data W -> 'I_(2 ^ d) -> nat) :
    seq K -> forall O, mech W O -> Prop :=
| NoRange : @range_draws r stake d K of_ reach W on [::] [finType of unit] (fun _ _ => 1)
| NextRange k ks (O : finType) (M : mech W O) : @range_draws r stake d K of_ reach W on ks O M ->
    @range_draws r stake d K of_ reach W on (k :: ks) [finType of O * candidate d]
      (fun a => both (M a) (fun _ => normal (range_weight r stake of_ reach (on a) k))).
Inductive built_leafwise_blocks (f : privacy R) (w : where_leafwise_blocks R) : forall W O, mech W O -> Prop :=
| RangeBlocks W (O : finType) (d := leafwise_blocks_bits w) (K : finType) (of_ : 'I_(2 ^ d) -> K) (reach : nat)
    (on : data W -> 'I_(2 ^ d) -> nat) (ks : seq K) (M : mech W O) :
    (0 < reach)%N -> uniq ks -> one_moves (privacy_unit f) (privacy_part f) on ->
    range_draws (leafwise_blocks_ratio w) (leafwise_blocks_stake w) of_ reach on ks M ->
    @built_leafwise_blocks f w W O M.

(* The best member is named if its lead, with noise, is clear: lead + G >= 2 + t, G two-sided geometric. Its chance in closed form *)
Definition clear (r : R) (t lead : nat) : R :=
  if (lead <= t.+2)%N then r ^+ (t.+2 - lead) / (1 + r) else 1 - r ^+ (lead - t.+2).+1 / (1 + r).
Inductive built_stable_choice (f : privacy R) (w : where_stable_choice R) : forall W O, mech W O -> Prop :=
| Choice W (m cap : nat) (score : data W -> 'I_m -> nat) (best : data W -> 'I_m) :
    moves (privacy_unit f) (privacy_part f) 1 score -> (forall a h, score a h <= score a (best a))%N ->
    @built_stable_choice f w W [finType of option 'I_m] (fun a o =>
      let lead := minn cap (score a (best a) - \max_(h | h != best a) score a h) in
      let p := clear (stable_choice_ratio w) (stable_choice_threshold w) lead in
      match o with Some h => if h == best a then p else 0 | None => 1 - p end).

(* --- Points of a column -------------------------------------------------------------------------------------------------------- *)
(* N records are of class 1, n_x of them at x; x has weight ratio^-s_x, s_x = max(0, margin + n_x - max(threshold, N)) *)
Inductive built_clipped_points (f : privacy R) (w : where_clipped_points R) : forall W O, mech W O -> Prop :=
| Clipped W (value : P -> 'I_(clipped_points_domain w)) (positive : L -> bool) :
    @built_clipped_points f w W [finType of 'I_(clipped_points_domain w)] (fun a =>
      let all_ := #|[pred i | positive (a i).2]| in
      let at_ x := #|[pred i | positive (a i).2 && (value (a i).1 == x)]| in
      normal (fun x => clipped_points_ratio w ^- ((clipped_points_margin w + at_ x) - maxn (clipped_points_threshold w) all_)%N)).

(* What is seen: the records at places whose coin fell on "look"; elsewhere is a star *)
Definition seen (W : world) (a : data W) (look : {ffun 'I_(size W) -> bool}) : {ffun 'I_(size W) -> option (P * L)} :=
  [ffun i => if look i then Some (a i) else None].
Definition coins (W : world) (rate : R) (look : {ffun 'I_(size W) -> bool}) := \prod_i (if look i then rate else 1 - rate).
Definition starred (W : world) (s : {ffun 'I_(size W) -> option (P * L)}) (i : 'I_(size W)) := [ffun j => if j == i then None else s j].
(* `spread`: by how much a star for a record, or the reverse, changes what follows *)
Inductive built_star_entries (f : privacy R) (w : where_star_entries R) : forall W O, mech W O -> Prop :=
| Stars W (O : finType) (B : {ffun 'I_(size W) -> option (P * L)} -> O -> R) : (forall s, law (B s)) ->
    (forall s i o, B s o <= star_entries_spread w * B (starred s i) o /\ B (starred s i) o <= star_entries_spread w * B s o) ->
    @built_star_entries f w W O (fun a o => \sum_look coins (star_entries_rate w) look * B (seen a look) o).
(* The printed learner: no answer with probability `fail`, and whenever what is seen fits no point; otherwise an answer that
   depends on the value of class 1 that is seen, if there is one. `spread`: by how much a value makes an answer likelier. *)
Definition clash (X : eqType) (value : P -> X) (positive : L -> bool) (r s : option (P * L)) :=
  if (r, s) is (Some x, Some y) then positive x.2 && (if positive y.2 then value x.1 != value y.1 else value x.1 == value y.1) else false.
Definition shows (X : eqType) (value : P -> X) (positive : L -> bool) (v : X) (r : option (P * L)) :=
  if r is Some x then positive x.2 && (value x.1 == v) else false.
Inductive built_sampled_point (f : privacy R) (w : where_sampled_point R) : forall W O, mech W O -> Prop :=
| Sampled W (X H : finType) (value : P -> X) (positive : L -> bool) (answer : option X -> H -> R) : (forall c, law (answer c)) ->
    (forall v h, answer (Some v) h <= sampled_point_spread w * answer None h) ->
    @built_sampled_point f w W [finType of option H] (fun a o => \sum_look coins (sampled_point_rate w) look *
      let s := seen a look in
      let none := [exists i, exists j, clash value positive (s i) (s j)] in
      match o with
      | None => if none then 1 else sampled_point_fail w
      | Some h => if none then 0 else (1 - sampled_point_fail w) * answer [pick v | [exists i, shows value positive v (s i)]] h
      end).

(* --- What follows for several releases, for a part, for a person --------------------------------------------------------------- *)
Inductive built_post_processing (f p : privacy R) (w : where_post_processing R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| Post W (S O : finType) (N : mech W S) (T : S -> O -> R) : (forall a, law (N a)) -> m W S p N -> (forall s, law (T s)) ->
    @built_post_processing f p w m W O (fun a => push (N a) T).

(* One after the other: each release may depend on the outcomes before it, and has its fact whatever they are *)
Inductive built_sequential (f : privacy R) (w : where_sequential R) (m : meaning (privacy R)) : seq (privacy R) -> forall W O, mech W O -> Prop :=
| Nothing W : @built_sequential f w m [::] W [finType of unit] (fun _ _ => 1)
| Then q qs W (O S : finType) (M : mech W O) (N : O -> mech W S) :
    @built_sequential f w m qs W O M -> O -> (forall a, law (M a)) -> (forall o a, law (N o a)) -> (forall o, m W S q (N o)) ->
    @built_sequential f w m (q :: qs) W [finType of O * S] (fun a => both (M a) (fun o => N o a)).

(* So many releases with one fact, each of which may depend on the outcomes before it *)
Inductive repeated (p : privacy R) (m : meaning (privacy R)) : nat -> forall W O, mech W O -> Prop :=
| Never W : @repeated p m 0 W [finType of unit] (fun _ _ => 1)
| Again n W (O S : finType) (M : mech W O) (N : O -> mech W S) :
    (forall a, law (M a)) -> m W O p M -> (forall o a, law (N o a)) -> (forall o, @repeated p m n W S (N o)) ->
    @repeated p m n.+1 W [finType of O * S] (fun a => both (M a) (fun o => N o a)).
Definition built_k_fold_composition (f p : privacy R) (w : where_k_fold_composition R) m W O (M : mech W O) :=
  repeated p m (k_fold_composition_times w) M.

(* Beside the book: the filter of a ledger with a total of T and D. Which release comes next and what it is charged may depend on all
   outcomes so far; it runs if its charge fits into what is left, and otherwise nothing about the records is told any more *)
Inductive filtered (unit part : string) (n : nat) : R -> R -> forall W O, mech W O -> Prop :=
| Refused T D W (O : finType) (p : O -> R) : 0 <= T -> 0 <= D -> law p -> @filtered unit part n T D W O (fun _ => p)
| Charged T D W (O S : finType) e d (M : mech W O) (N : O -> mech W S) :
    e <= T -> d <= D -> (forall a, law (M a)) -> private A (e, 1) d unit part n M ->
    (forall o, @filtered unit part n (T - e) (D - d) W S (N o)) ->
    @filtered unit part n T D W [finType of O * S] (fun a => both (M a) (fun o => N o a)).

(* What reads a part alone has one law for tables that agree on it *)
Definition reads (W : world) (part : string) (O : finType) (N : mech W O) :=
  forall a b : data W, (forall i, places part i -> a i = b i) -> N a =1 N b.
Inductive composed (m : meaning (privacy R)) : seq (privacy R) -> forall W O, mech W O -> Prop :=
| Empty W : @composed m [::] W [finType of unit] (fun _ _ => 1)
| Beside q qs W (O S : finType) (M : mech W O) (N : O -> mech W S) :
    @composed m qs W O M -> O -> (forall a, law (M a)) -> (forall o a, law (N o a)) -> (forall o, m W S q (N o)) ->
    (forall o, reads (privacy_part q) (N o)) ->
    @composed m (q :: qs) W [finType of O * S] (fun a => both (M a) (fun o => N o a)).
(* Either each release reads its part alone, and parts of different names have no place in common; or there is one release, of which
   something is known for roles. That all of these are there is asked by the rule. *)
Inductive built_disjoint_parts (f : privacy R) (w : where_disjoint_parts R) (m : meaning (privacy R)) (ps : seq (privacy R)) :
    forall W O, mech W O -> Prop :=
| Several W O (M : mech W O) : @composed m ps W O M ->
    (forall q s i, q \in [seq privacy_part p | p <- ps] -> s \in [seq privacy_part p | p <- ps] -> q != s ->
       @places W q i -> ~~ @places W s i) -> @built_disjoint_parts f w m ps W O M
| OneRelease W O (M : mech W O) : (forall q, List.In q ps -> (0 < privacy_roles q)%N /\ m W O q M) ->
    @built_disjoint_parts f w m ps W O M.

(* A run on the records at some places: the part *)
Inductive built_on_part (f p : privacy R) (w : where_on_part R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| OnPart V W (O : finType) (N : mech V O) (at_ : 'I_(size V) -> 'I_(size W)) : (forall a, law (N a)) -> m V O p N ->
    injective at_ -> (forall i, @places W (on_part_part w) i -> exists j, at_ j = i) ->
    @built_on_part f p w m W O (fun a => N [ffun j => a (at_ j)]).

(* The same release. A person stands behind at most so many records: the fact says how many *)
Inductive built_group (f p : privacy R) (w : where_group R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| Persons W (O : finType) (N : mech W O) : m W O p N -> @built_group f p w m W O N.
Inductive built_declared (f p : privacy R) (w : where_declared R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| Same W (O : finType) (N : mech W O) : m W O p N -> @built_declared f p w m W O N.

(* Positions that are told beside the rule, drawn by coins that look at no record. The statement is about every outcome of these
   coins: at_ says where the learner's records come from. A part of the outside is (within) a part of the learner. *)
Inductive built_positions_known (f p : privacy R) (w : where_positions_known R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| Positions V W (O : finType) (N : mech V O) (at_ : 'I_(size V) -> 'I_(size W)) : (forall a, law (N a)) -> m V O p N ->
    injective at_ -> (forall i, @places W (positions_known_part w) i -> exists2 j, at_ j = i & @places V (privacy_part p) j) ->
    ((0 < privacy_roles f)%N -> known W (positions_known_part w) 2) ->
    @built_positions_known f p w m W O (fun a => N [ffun j => a (at_ j)]).

(* --- Sampling: places of the inner table are filled from the outer one, by coins that look at nothing ----------------------------- *)
Definition average (T : finType) (g : T -> R) : R := (\sum_t g t) / #|T|%:R.
(* Some places of the inner table, `inside`, are filled with new records; the others are where they were: `rest` says where *)
Definition filled (V W : world) (k : nat) (inside : 'I_k -> 'I_(size V)) (rest : 'I_(size V) -> 'I_(size W)) (a : data W) (b : 'I_k -> P * L) :
    data V := [ffun v => if [pick j | inside j == v] is Some j then b j else a (rest v)].
(* A uniformly random order of n places, of which the first k are kept. All of the part are among these n places, and the k inside;
   what else the run looks at lies at places that coins may choose (`rest`): they look at no record *)
Inductive built_subsampling_without_replacement (f p : privacy R) (w : where_subsampling_without_replacement R) (m : meaning (privacy R)) :
    forall W O, mech W O -> Prop :=
| Subsample V W (O T : finType) (coins : T -> R) (k n : nat) (inside : 'I_k -> 'I_(size V)) (outside : 'I_n -> 'I_(size W))
    (rest : T -> 'I_(size V) -> 'I_(size W)) (N : mech V O) (kept : k = subsampling_without_replacement_kept w) (of_ : n = subsampling_without_replacement_of w) (le : (k <= n)%N) :
    (forall a, law (N a)) -> m V O p N -> injective inside -> injective outside ->
    (forall j, @places V (privacy_part p) (inside j)) -> (forall i, @places W (privacy_part p) i -> exists j, outside j = i) ->
    law coins -> (forall t v i, v \notin codom inside -> rest t v != outside i) -> ((0 < privacy_roles p)%N -> roles W = roles V) ->
    @built_subsampling_without_replacement f p w m W O (fun a => push coins (fun t o => average (fun s : {perm 'I_n} =>
      N (filled inside (rest t) a (fun j => a (outside (s (widen_ord le j))))) o))).
Inductive built_sampling_with_replacement (f p : privacy R) (w : where_sampling_with_replacement R) (m : meaning (privacy R)) :
    forall W O, mech W O -> Prop :=
| Resample V W (O : finType) (N : mech V O) (draws : size V = sampling_with_replacement_draws w)
    (of_ : size W = sampling_with_replacement_of w) : (forall a, law (N a)) -> m V O p N ->
    (forall j, @places V (privacy_part p) j) ->
    @built_sampling_with_replacement f p w m W O
      (fun a o => average (fun s : {ffun 'I_(size V) -> 'I_(size W)} => N [ffun j => a (s j)] o)).

(* The points of the first records of a random order say which list is drawn from; the draw reads all records *)
Inductive listed (k n : nat) (Q : Type) (p : Q) (m : meaning Q) : forall W O, mech W O -> Prop :=
| Listed W (O : finType) (of_ : size W = n) (le : (k <= size W)%N) (N : ('I_k -> P) -> mech W O) :
    (forall t a, law (N t a)) -> (forall t, m W O p (N t)) -> (forall t u, t =1 u -> N t = N u) ->
    @listed k n Q p m W O (fun a o => average (fun s : {perm 'I_(size W)} => N (fun j => (a (s (widen_ord le j))).1) a o)).
Definition built_listed_from_some (f : privacy R) (p : bounded_range R) (w : where_listed_from_some R) m W O (M : mech W O) :=
  listed (listed_from_some_kept w) (listed_from_some_of w) p m M.
Definition built_stable_from_some (f : stability R) (p : stability R) (w : where_stable_from_some R) m W O (M : mech W O) :=
  listed (stable_from_some_kept w) (stable_from_some_of w) p m M.

(* The same release, said in another way *)
Inductive built_assuming F (f p : F) (w : where_assuming R) (m : meaning F) : forall W O, mech W O -> Prop :=
| Assumed W (O : finType) (N : mech W O) : m W O p N -> @built_assuming F f p w m W O N.
Inductive built_total_variation (f : stability R) (p : bounded_range R) (w : where_total_variation R) (m : meaning (bounded_range R)) :
    forall W O, mech W O -> Prop :=
| SameMoved W (O : finType) (N : mech W O) : m W O p N -> @built_total_variation f p w m W O N.
Inductive built_range_log_odds (f : bounded_range R) (p : range R) (w : where_range_log_odds R) (m : meaning (range R)) :
    forall W O, mech W O -> Prop :=
| SameOdds W (O : finType) (N : mech W O) : m W O p N -> @built_range_log_odds f p w m W O N.

(* Answers among two that are turned round with a public chance *)
Inductive built_delta_removal (f p : privacy R) (w : where_delta_removal R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| Turned W (N : mech W [finType of bool]) : (forall a, law (N a)) -> m W [finType of bool] p N ->
    @built_delta_removal f p w m W [finType of bool]
    (fun a o => (1 - delta_removal_flip w) * N a o + delta_removal_flip w * N a (~~ o)).

(* --- Relabelling: two classes. A labelling of points by concepts is drawn, and a run sees the points with these labels -------------- *)
Definition labelling (k : nat) (H : finType) (says : H -> P -> bool) (t : 'I_k -> P) (z : {ffun 'I_k -> bool}) :=
  [exists h, [forall j, z j == says h (t j)]].
Definition relabelled (V : world) (O H : finType) (says : H -> P -> bool) (tell : bool -> L) (x : R)
    (score : {ffun 'I_(size V) -> bool} -> nat) (t : 'I_(size V) -> P) (N : mech V O) : O -> R :=
  push (normal (fun z => if labelling says t z then x ^+ score z else 0)) (fun z => N [ffun j => (t j, tell (z j))]).

(* LabelBoost: the records with labels choose among the labellings of all k points at hand, by their mistakes. What follows, N, sees these
   points under the chosen labels, at places of its own; later rounds look at other records besides, which lie where they were *)
Definition round (V W : world) (O H : finType) (k : nat) (inside : 'I_k -> 'I_(size V)) (outside : 'I_k -> 'I_(size W))
    (rest : 'I_(size V) -> 'I_(size W)) (labelled : pred 'I_k) (says : H -> P -> bool) (tell : bool -> L) (read : L -> bool) (x : R)
    (N : mech V O) : mech W O := fun a =>
  push (normal (fun z : {ffun 'I_k -> bool} => if labelling says (fun j => (a (outside j)).1) z
      then x ^+ #|[pred j | labelled j && (read (a (outside j)).2 != z j)]| else 0))
    (fun z => N (filled inside rest a (fun j => ((a (outside j)).1, tell (z j))))).
Inductive boost (lab : bool) (part : string) (p : privacy R) (x : R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| Boost V W (O H : finType) (k : nat) (inside : 'I_k -> 'I_(size V)) (outside : 'I_k -> 'I_(size W)) (rest : 'I_(size V) -> 'I_(size W))
    (labelled : pred 'I_k) (says : H -> P -> bool) (tell : bool -> L) (read : L -> bool) (N : mech V O) :
    (forall a, law (N a)) -> m V O p N -> H -> injective inside -> injective outside ->
    (forall i, @places W part i -> exists2 j, outside j = i & labelled j = lab) -> (forall j, @places V (privacy_part p) (inside j)) ->
    (forall v i, v \notin codom inside -> rest v != outside i) ->
    known W part (if privacy_roles p is 0 then 2 else (seq.size (roles V)).+1) ->
    @boost lab part p x m W O (round inside outside rest labelled says tell read x N).
(* A record that this round does not look at, and later ones do: one role more than these have *)
Inductive built_later_round (f p : privacy R) (w : where_later_round R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| Later V W (O H : finType) (k : nat) (inside : 'I_k -> 'I_(size V)) (outside : 'I_k -> 'I_(size W)) (rest : 'I_(size V) -> 'I_(size W))
    (labelled : pred 'I_k) (says : H -> P -> bool) (tell : bool -> L) (read : L -> bool) (x : R) (N : mech V O) :
    0 < x -> (forall a, law (N a)) -> m V O p N -> H -> injective rest ->
    (forall i, @places W (privacy_part p) i -> exists2 v, rest v = i & v \notin codom inside /\ @places V (privacy_part p) v) ->
    (forall v i, v \notin codom inside -> rest v != outside i) -> known W (privacy_part p) (seq.size (roles V)).+1 ->
    @built_later_round f p w m W O (round inside outside rest labelled says tell read x N).
Definition built_label_boost_labelled (f p : privacy R) (w : where_label_boost_labelled R) m W O (M : mech W O) :=
  boost true "labelled part" p (label_boost_labelled_ratio w) m M.
Definition built_label_boost_unlabelled (f p : privacy R) (w : where_label_boost_unlabelled R) m W O (M : mech W O) :=
  exists x : R, 0 < x <= 1 /\ boost false (label_boost_unlabelled_part w) p x m M.

(* Relabelling: the records that are not kept choose. The score of a labelling z: the least, over concepts h, of
   change * (kept points that h labels otherwise than z) + mistake * (other records that h gets wrong) *)
Definition nearest (k n : nat) (H : finType) (h0 : H) (says : H -> P -> bool) (read : L -> bool) (change mistake : nat)
    (a : 'I_n -> P * L) (at_ : 'I_k -> 'I_n) (z : {ffun 'I_k -> bool}) : nat :=
  least h0 (fun h => change * #|[pred j | z j != says h (a (at_ j)).1]|
    + mistake * #|[pred i | (i \notin codom at_) && (read (a i).2 != says h (a i).1)]|)%N.
(* The kept places are fixed, and the part is (within) them *)
Inductive built_relabelling_part (f p : privacy R) (w : where_relabelling_part R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| RelabelPart V W (O H : finType) (N : mech V O) (at_ : 'I_(size V) -> 'I_(size W)) (h0 : H) (mistake : nat)
    (says : H -> P -> bool) (tell : bool -> L) (read : L -> bool) : (forall a, law (N a)) -> m V O p N ->
    injective at_ -> (forall i, @places W (relabelling_part_part w) i -> exists j, at_ j = i) -> known W (relabelling_part_part w) 2 ->
    @built_relabelling_part f p w m W O (fun a => relabelled says tell (relabelling_part_ratio w)
      (nearest h0 says read (relabelling_part_change w) mistake a at_) (fun j => (a (at_ j)).1) N).
(* The same, for a record that votes *)
Inductive built_relabelling_votes (f : privacy R) (w : where_relabelling_votes R) : forall W O, mech W O -> Prop :=
| RelabelVotes V W (O H : finType) (N : mech V O) (at_ : 'I_(size V) -> 'I_(size W)) (h0 : H) (change : nat)
    (says : H -> P -> bool) (tell : bool -> L) (read : L -> bool) : (forall a, law (N a)) ->
    (forall i, @places W (relabelling_votes_part w) i -> i \notin codom at_) -> known W (relabelling_votes_part w) 2 ->
    @built_relabelling_votes f w W O (fun a => relabelled says tell (relabelling_votes_ratio w)
      (nearest h0 says read change (relabelling_votes_mistake w) a at_) (fun j => (a (at_ j)).1) N).
(* The first of a random order are kept *)
Inductive built_relabelling (f p : privacy R) (w : where_relabelling R) (m : meaning (privacy R)) : forall W O, mech W O -> Prop :=
| Relabel V W (O H : finType) (N : mech V O) (kept : size V = relabelling_kept w) (of_ : size W = relabelling_of w)
    (le : (size V <= size W)%N) (h0 : H) (says : H -> P -> bool) (tell : bool -> L) (read : L -> bool) :
    (forall a, law (N a)) -> m V O p N ->
    @built_relabelling f p w m W O (fun a o => average (fun s : {perm 'I_(size W)} =>
      let at_ := fun j => s (widen_ord le j) in
      relabelled says tell (relabelling_ratio w) (nearest h0 says read (relabelling_change w) (relabelling_mistake w) a at_)
        (fun j => (a (at_ j)).1) N o)).
End Meaning.
