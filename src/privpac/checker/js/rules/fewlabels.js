/** Few labels and many records without: what labelling the others costs, and how good it is. */
import { exponential } from "../interval.js";
import { ONE, Rational, smaller, sum } from "../rational.js";
import { Refusal, require } from "../refusal.js";
import { accuracyOf, ALL, assumesNothing, factIs, fraction, given, goalOf, logOddsOf, noPremise, onlyPremise, pairOf, privacyOf, requireFactor, } from "../reading.js";
import { expOf, fewAbove, labellings, pow, powerAbove, powerAtMost, PRECISE, sameLoss, short } from "../rounding.js";
import { worseBy } from "./accuracy.js";
import { answersOf } from "./tables.js";
const LABELLED = "labelled part";
const ROLES = { "queried part": LABELLED, "unqueried part": "unlabelled part" };
const WIDER = ["hypothesis and positions asked", "hypothesis and positions kept"];
const DRAW = ["odds", "ratio", "most", "failure"];
const CARRY = ["points", "basis", "failure", "of", "square", "uniform", "single"];
const FAR = Rational.of(1n << 18n);
const LARGEST_VC = 100000n;
function labelBoost(step, cost) {
    const [own, old] = [privacyOf(step), privacyOf(onlyPremise(step))];
    require(old.part === ALL || old.part === LABELLED, "the premise speaks of other records");
    require(own.part === step.where.get("part") && own.part !== ALL, "the part is not the one named");
    require(own.unit === old.unit && own.release === old.release, "more than epsilon changed");
    require(own.delta.equals(old.delta), "more than epsilon changed");
    const expected = { log: old.loss.log, factor: short(old.loss.factor.times(cost)) };
    require(sameLoss(own.loss, expected), "epsilon is not that of relabelling");
}
const labelBoostLabelled = (step) => {
    const ratio = given(step, "ratio", "part").ratio();
    labelBoost(step, ratio.plus(ONE).over(ratio).square());
};
const labelBoostUnlabelled = (step) => {
    given(step, "part");
    labelBoost(step, Rational.of(4));
};
const positionsKnown = (step) => {
    const where = given(step, "part", "release");
    const [part, release] = [where.text("part"), where.text("release")];
    const role = Object.hasOwn(ROLES, part) ? ROLES[part] : undefined;
    const [own, old] = [privacyOf(step), privacyOf(onlyPremise(step))];
    require(WIDER.includes(release) && old.release === "hypothesis", "the releases are not those of this rule");
    require(role !== undefined && own.part === part && own.release === release, "the part or release is another one");
    require(old.part === ALL || old.part === role, "the premise speaks of people in another role");
    require(own.unit === old.unit && own.delta.equals(old.delta), "more than the scope changed");
    require(sameLoss(own.loss, old.loss), "more than the scope changed");
};
function relabelling(ranks) {
    return (step) => {
        const where = given(step, "ratio", "kept", "of", "change", "mistake");
        const [own, old] = pairOf(step);
        require(own.unit === "record" && own.part === ALL, "whole records must be protected, all of them");
        const [kept, of] = [where.count("kept", 1), where.count("of", 1)];
        const [change, mistake] = [where.count("change", 1), where.count("mistake", 1)];
        require(kept < of, "nobody is left to vote");
        const worth = ONE.over(where.ratio());
        const [one, moved, e] = [pow(worth, mistake), pow(worth, 2n * change), expOf(old.loss)];
        const vote = one.square();
        const heavy = !ranks && change >= mistake ? one.plus(vote).over(2n) : vote;
        const inside = ranks ? moved.times(e.square()) : moved.times(e).times(4n);
        const delta = ranks ? old.delta.plus(e.times(old.delta)) : old.delta;
        requireFactor(own.loss, inside.atMost(vote) ? vote : mixture(kept, of, heavy, vote, inside));
        const expected = short(Rational.of(kept, of).times(smaller(ONE, delta)));
        require(own.delta.equals(expected), "delta is not that of relabelling");
    };
}
function mixture(kept, of, heavy, vote, inside) {
    const [votes, relabelled] = [Rational.of(of - kept, of), Rational.of(kept, of).times(heavy)];
    return short(votes.times(vote).plus(relabelled.times(inside)).over(votes.plus(relabelled)));
}
const relabellingPart = (step) => {
    const where = given(step, "ratio", "change");
    const [own, old] = pairOf(step);
    require(own.unit === "record", "whole records must be protected");
    const moved = pow(ONE.over(where.ratio()), 2n * where.count("change", 1));
    const expected = { log: old.loss.log, factor: short(moved.times(4n).times(old.loss.factor)) };
    require(sameLoss(own.loss, expected), "epsilon is not that of relabelled records");
    require(own.delta.equals(old.delta), "delta is not the premise's");
};
function keptShare(step) {
    const where = given(step, "kept", "of");
    const [kept, of] = [where.count("kept", 1), where.count("of", 1)];
    require(kept <= of, "more records are kept than there are");
    return Rational.of(kept, of);
}
const listedFromSome = (step) => {
    const [own, old, share] = [privacyOf(step), logOddsOf(onlyPremise(step)), keptShare(step)];
    require(own.unit === old.unit && own.part === ALL, "the scope differs from the premise's");
    require(own.release === "hypothesis", "the release is not what this draw gives");
    require(sameLoss(own.loss, old.loss), "epsilon is not the draw's");
    require(own.delta.equals(share), "delta is not the share that is kept");
};
const stableFromSome = (step) => {
    const [own, old] = [factIs(step, "stability"), factIs(onlyPremise(step), "stability")];
    require(own.get("unit") === old.get("unit"), "the unit differs from the premise's");
    const [share, gamma] = [keptShare(step), fraction(old.get("gamma"))];
    const expected = gamma.plus(share).minus(share.times(gamma));
    require(fraction(own.get("gamma")).equals(expected), "gamma is not that of the mixture");
};
function named(name, fields) {
    return fields.map((field) => `${name}_${field}`);
}
/** The most mistakes of a draw, and how likely more are. */
function drawOf(where, name) {
    const [odds, failure] = [where.fraction(`${name}_odds`), where.fraction(`${name}_failure`)];
    const [ratio, most] = [where.ratio(`${name}_ratio`), where.count(`${name}_most`, 0)];
    require(odds.sign >= 0 && failure.sign > 0, "a draw is out of range");
    require(powerAtMost(odds, ratio, most + 1n, failure), "more mistakes are too likely");
    return { most, failure };
}
/** Whether odds * e^-exponent <= limit. */
function unlikely(odds, exponent, limit) {
    if (exponent.sign < 0 || limit.sign <= 0)
        return false;
    return exponential(smaller(exponent, FAR), PRECISE).certainlyAtLeast(Rational.of(odds).over(limit));
}
/** What the deviation counts: labellings of points, or concepts. */
function ways({ where, name }, points) {
    const of = where.whole(`${name}_of`, 0);
    const basis = where.get(`${name}_basis`);
    if (basis === "size")
        return of;
    require(basis === "growth" && of <= LARGEST_VC, "there is no such basis");
    return labellings(points, of);
}
function bySquare(carried, power = 1n) {
    const { where, name, rate, error } = carried;
    const [points, failure] = [where.count(`${name}_points`, 1), where.fraction(`${name}_failure`)];
    const square = where.fraction(`${name}_square`);
    const unused = where.get(`${name}_uniform`) === "0" && where.get(`${name}_single`) === "0";
    require(unused, "a field has no meaning here");
    const fits = where.get(`${name}_basis`) === "growth"
        ? unlikely(4n * ways(carried, 2n * points) ** power, square.times(points).over(4n), failure)
        : unlikely(ways(carried, 0n) ** power, square.times(points).over(2n), failure);
    require(fits, "larger deviations are too likely");
    const room = error.minus(rate).minus(square.over(2n));
    const needed = square.times(rate).plus(square.square().over(4n));
    require(room.sign >= 0 && needed.atMost(room.square()), "the error is too small");
    return failure;
}
function bySpread(carried) {
    const { where, name, rate, error } = carried;
    const [points, failure] = [where.count(`${name}_points`, 1), where.fraction(`${name}_failure`)];
    const [uniform, single] = [where.fraction(`${name}_uniform`), where.fraction(`${name}_single`)];
    require(where.get(`${name}_square`) === "0", "a field has no meaning here");
    const half = failure.over(2n);
    require(unlikely(1n, single.square().times(2n * points), half), "larger deviations are too likely");
    const mean = uniform.minus(single);
    const fits = where.get(`${name}_basis`) === "size"
        ? uniform.sign >= 0 && unlikely(ways(carried, 0n), uniform.square().times(2n * points), half)
        : mean.sign >= 0 && unlikely(ways(carried, points), mean.square().times(points).over(2n), ONE);
    require(fits, "larger deviations are too likely");
    require(rate.plus(uniform).plus(single).atMost(error), "the error is too small");
    return failure;
}
function goal(step, against) {
    const found = goalOf(step, against);
    require(found.records >= 1n, "there are no records");
    return found;
}
function labelBoostAccuracy(against) {
    return (step) => {
        const own = goal(step, against);
        const premised = step.premises.length > 0;
        const names = ["kept", "odds", "ratio", "tilt", "drawn", "draw_failure", ...named("carried", CARRY)];
        const where = given(step, ...names, ...(premised ? [] : named("base", DRAW)));
        const [kept, drawn, first] = [where.count("kept", 1), where.share("drawn"), where.fraction("draw_failure")];
        const { tilt } = where.tilted();
        require(kept <= own.records, "more labelled records are kept than there are");
        const base = worseBy(against, drawn, tilt);
        require(powerAtMost(where.odds(), base, kept, first), "wrong labels are too likely");
        const points = where.count("carried_points", 1);
        const { rate, failure } = premised ? ofPremise(step, points, true) : ofDraw(where, points);
        const carry = { where, name: "carried", rate: drawn.plus(rate), error: own.error };
        const third = against === "realizable" ? bySquare(carry) : bySpread(carry);
        require(first.plus(failure).plus(third).atMost(own.failure), "the failure probabilities add up to more");
    };
}
/** What is proved of the base: on these very points, or for whatever draws from them follow, if it gets draws. */
function ofPremise(step, points, draws) {
    const premise = onlyPremise(step);
    const base = accuracyOf(premise);
    const onPoints = base.against === "empirical" && base.records === points;
    const onDraws = draws && base.against === "realizable" && assumesNothing(premise);
    require((onPoints || onDraws) && base.proper, "the base is not accurate enough");
    return { rate: base.error, failure: base.failure };
}
function ofDraw(where, points) {
    const { most, failure } = drawOf(where, "base");
    return { rate: Rational.of(most, points), failure };
}
const sslRelabelAccuracy = (step) => {
    const own = goal(step, "realizable");
    const premised = step.premises.length > 0;
    const groups = [...named("draw", DRAW), ...named("near", CARRY), ...named("apart", CARRY)];
    const where = given(step, "change", "mistake", "near", "apart", ...groups, ...(premised ? [] : named("base", DRAW)));
    const [near, apart] = [where.fraction("near"), where.fraction("apart")];
    require(near.plus(apart).equals(own.error), "the error is not the sum of its parts");
    const [labels, points] = [drawOf(where, "draw"), where.count("apart_points", 1)];
    const base = premised ? ofPremise(step, points, false) : ofDraw(where, points);
    require(where.count("near_points", 1) === own.records, "the points are not the labelled records");
    const seen = Rational.of(labels.most / where.count("mistake", 1), own.records);
    const rate = Rational.of(labels.most / where.count("change", 1), points).plus(base.rate);
    const failures = [
        labels.failure, base.failure,
        bySquare({ where, name: "near", rate: seen, error: near }),
        bySquare({ where, name: "apart", rate, error: apart }, 2n),
    ];
    require(sum(failures).atMost(own.failure), "the failure probabilities add up to more");
};
const genericLearner = (step) => {
    const own = accuracyOf(step);
    const where = given(step, "gap", "slabs", "vc", "hypotheses", "ratio", "tilt", "tolerated", "deviation");
    const [slabs, vc, hypotheses] = [where.count("slabs", 1), where.count("vc", 1), where.whole("hypotheses", 1)];
    const [gap, tolerated, deviation] = [where.fraction("gap"), where.fraction("tolerated"), where.fraction("deviation")];
    const { tilt } = where.tilted();
    require(own.against === "realizable" && own.proper, "another kind of accuracy");
    const { error, failure, records } = worst(step);
    const seen = error.plus(gap).times(slabs);
    require(gap.sign >= 0 && deviation.sign > 0, "a parameter is out of range");
    require(seen.below(tolerated) && tolerated.below(own.error), "the errors do not grow");
    const exponent = tolerated.minus(seen).square().times(records).over(tolerated.times(4n));
    const odds = 4n * labellings(2n * records, vc);
    require(unlikelyFar(odds, exponent, deviation), "too few unlabelled records");
    const base = worseBy("realizable", own.error, tilt, tolerated);
    const left = own.failure.minus(failure).minus(deviation);
    require(powerAtMost(Rational.of(hypotheses - 1n), base, own.records, left) && left.sign > 0, "too few labelled records");
};
function unlikelyFar(odds, exponent, limit) {
    return unlikely(odds, smaller(exponent, Rational.of(2000)), limit);
}
/** The largest error of several answers about differences, the sum of their failures, and their records. */
function worst(step) {
    const answers = step.premises.map((premise) => answersOf(premise, "ranges", "listed queries"));
    const [first] = answers;
    if (first === undefined)
        throw new Refusal("there are no answers");
    require(answers.every((one) => one.records === first.records), "the answers speak of different records");
    const error = answers.map((one) => one.error).reduce((a, b) => (a.atMost(b) ? b : a));
    return { error, failure: sum(answers.map((one) => one.failure)), records: first.records };
}
const recConcave = (step) => {
    noPremise(step);
    const own = goalOf(step, "realizable");
    const counts = ["widths", "slack", "threshold", "margin", "last", "blocks"];
    const where = given(step, ...counts, "records", "width_ratio", "block_ratio", "cut_ratio");
    const [widths, slack, threshold] = [where.count("widths", 0), where.count("slack", 0), where.count("threshold", 0)];
    const [margin, last, blocks] = [where.count("margin", 0), where.count("last", 0), where.count("blocks", 1)];
    const [first, second] = [where.ratio("width_ratio", true), where.ratio("block_ratio", true)];
    const third = where.ratio("cut_ratio", true);
    const hits = 2n * slack + last + margin + threshold + 2n;
    const total = sum([
        powerAbove(first, slack + 1n).times(widths),
        Rational.of(1n, blocks),
        powerAbove(second, margin).over(ONE.plus(second)),
        powerAbove(third, last + 1n).times(2n * blocks + 1n),
        fewAbove(where.records(own), own.error, hits).times(2n),
    ]);
    require(total.atMost(own.failure), "the bound fails");
};
const LONGEST = 1n << 24n;
/** Among occupied blocks: the ratio, the failure that no answer leaves, and how much all bad cuts weigh at most. */
function blocks(where, failure) {
    const [ratio, levels, stake] = [where.ratio("ratio", true), where.count("levels", 1), where.whole("stake", 1)];
    const [reach, inverse] = [where.count("reach", 1), ONE.over(ratio)];
    const bits = BigInt((inverse.numerator / inverse.denominator).toString(2).length);
    require((reach - 1n) * bits <= LONGEST, "the reach is out of range");
    const left = failure.minus(pow(ratio, 2n * reach).times(stake));
    require(left.sign > 0, "no answer is too likely");
    const rivals = Rational.of(4n * levels).over(ONE.minus(ratio)).plus(Rational.of(2)).times(pow(inverse, reach - 1n));
    return { ratio, left, rivals };
}
const occupiedBlocksAccuracy = (step) => {
    noPremise(step);
    const own = goalOf(step, "realizable");
    const where = given(step, "ratio", "levels", "stake", "reach", "records");
    const { ratio, left, rivals } = blocks(where, own.failure);
    const base = ONE.minus(own.error.times(ONE.minus(ratio)));
    require(powerAtMost(rivals, base, where.records(own), left), "the bound fails");
};
const occupiedBlocksEmpirical = (step) => {
    noPremise(step);
    const own = accuracyOf(step);
    require(own.against === "empirical" && own.proper && own.error.below(ONE), "another kind of accuracy");
    const { ratio, left, rivals } = blocks(given(step, "ratio", "levels", "stake", "reach"), own.failure);
    require(powerAtMost(rivals, ratio, own.error.times(own.records).floor() + 1n, left), "the bound fails");
};
export const FEW_LABELS = {
    "label-boost-labelled": labelBoostLabelled,
    "label-boost-unlabelled": labelBoostUnlabelled,
    "positions-known": positionsKnown,
    relabelling: relabelling(false),
    "rank-relabelling": relabelling(true),
    "relabelling-part": relabellingPart,
    "listed-from-some": listedFromSome,
    "stable-from-some": stableFromSome,
    "label-boost-realizable": labelBoostAccuracy("realizable"),
    "label-boost-agnostic": labelBoostAccuracy("agnostic"),
    "ssl-relabel-accuracy": sslRelabelAccuracy,
    "generic-learner": genericLearner,
    "rec-concave": recConcave,
    "occupied-blocks-accuracy": occupiedBlocksAccuracy,
    "occupied-blocks-empirical": occupiedBlocksEmpirical,
};
