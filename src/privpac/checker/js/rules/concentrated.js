/** Concentrated privacy: what releases cost a ledger that adds rho. */
import { exponential, logarithm } from "../interval.js";
import { larger, ONE, Rational, smaller, sum, TWO, ZERO } from "../rational.js";
import { require } from "../refusal.js";
import { ALL, count, factIs, fraction, given, logOddsOf, lossOf, onlyPremise, privacyOf, sameScope, scopeOf, } from "../reading.js";
import { roundedUp, roundUp, sameLoss, short, up } from "../rounding.js";
import { groupAssumption, jointRelease, requireAssumption } from "./composition.js";
const DRAWS = ["exponential-mechanism", "leafwise-exponential", "leafwise-medians", "exponential-vote"];
const FAR = Rational.of(60);
const LARGEST_ORDER = Rational.of(10n ** 9n);
function concentratedOf(step) {
    const fact = factIs(step, "concentrated");
    return { rho: fraction(fact.get("rho")), delta: fraction(fact.get("delta")), ...scopeOf(fact) };
}
function requireIs(step, rho, delta, scope) {
    const own = concentratedOf(step);
    require(own.rho.equals(rho), "rho is not that of the step");
    require(own.delta.equals(delta), "delta is not that of the step");
    require(sameScope(own, scope), "the scope differs from the premise's");
}
function places(x) {
    return roundedUp(x, 24n);
}
/** f(e^x) rounded up to twelve decimals, for an f that rises or falls. */
function curve(x, f) {
    return roundUp(12n, (bits) => {
        const [a, b] = exponential(x, bits).ends();
        const [left, right] = [f(a), f(b)];
        return left.atMost(right) ? [left, right] : [right, left];
    });
}
/** epsilon and scope of a `range` fact. */
function rangeOf(step) {
    const fact = factIs(step, "range");
    return [up(lossOf(fact.get("epsilon"))), scopeOf(fact)];
}
function spread(epsilon) {
    return places(epsilon.square().over(8n));
}
const drawRange = (step) => {
    given(step);
    const premise = onlyPremise(step);
    require(DRAWS.includes(premise.rule), "the premise is no exponential draw");
    const [old, fact] = [privacyOf(premise), factIs(step, "range")];
    require(sameLoss(lossOf(fact.get("epsilon")), old.loss), "the range is not the premise's epsilon");
    require(sameScope(scopeOf(fact), old), "the scope differs from the premise's");
};
const rangeLogOdds = (step) => {
    given(step);
    const [old, own] = [factIs(onlyPremise(step), "range"), logOddsOf(step)];
    require(old.get("part") === ALL, "the range speaks of a part of the records");
    const same = sameLoss(own.loss, lossOf(old.get("epsilon"))) && own.unit === old.get("unit");
    require(same, "the fact differs from its premise");
};
const rangeConcentrated = (step) => {
    given(step);
    const [epsilon, scope] = rangeOf(onlyPremise(step));
    requireIs(step, spread(epsilon), ZERO, scope);
};
const logOddsConcentrated = (step) => {
    const release = given(step, "release").text("release");
    const old = logOddsOf(onlyPremise(step));
    const epsilon = up(old.loss);
    const sixth = places(epsilon.square().over(6n));
    const far = epsilon.sign === 0 || FAR.atMost(epsilon);
    const other = far
        ? places(epsilon)
        : curve(epsilon, (e) => epsilon.times(ONE.plus(TWO.over(e.minus(ONE)))).minus(TWO));
    requireIs(step, smaller(sixth, other), ZERO, { unit: old.unit, part: ALL, release });
};
function pure(epsilon) {
    if (epsilon.sign === 0 || FAR.atMost(epsilon))
        return places(epsilon);
    const bent = curve(epsilon, (e) => epsilon.times(ONE.minus(TWO.over(e.plus(ONE)))));
    return smaller(bent, places(epsilon.square().over(2n)));
}
const pureConcentrated = (step) => {
    given(step);
    const old = privacyOf(onlyPremise(step));
    requireIs(step, pure(up(old.loss)), old.delta, old);
};
const noiseConcentrated = (step) => {
    const largest = given(step, "largest").count("largest", 1);
    const premise = onlyPremise(step);
    require(premise.rule === "geometric-noise", "the premise is no geometric noise");
    const change = count(premise.where.get("change"), 1n);
    require(largest === 1n || (largest === 2n && change === 2n), "there is no price for such a change");
    const old = privacyOf(premise);
    requireIs(step, noise(up(old.loss), change, largest), ZERO, old);
};
function noise(epsilon, change, largest) {
    const far = largest === 1n ? FAR.times(change) : FAR;
    if (epsilon.sign === 0 || far.atMost(epsilon))
        return places(epsilon);
    if (largest === 1n)
        return curve(epsilon.over(change), (e) => epsilon.times(ONE.minus(TWO.over(e.plus(ONE)))));
    return curve(epsilon.over(2n), (e) => epsilon.times(ONE.minus(ONE.over(e))));
}
const subsampledConcentrated = (step) => {
    const where = given(step, "kept", "of");
    const [kept, of] = [where.count("kept", 1), where.count("of", 1)];
    require(kept <= of, "more records are kept than there are");
    const [[epsilon, scope], share] = [rangeOf(onlyPremise(step)), Rational.of(kept, of)];
    const whole = epsilon.sign === 0 || share.equals(ONE) || FAR.atMost(epsilon);
    const range = whole
        ? epsilon
        : curve(epsilon, (e) => share.times(e).times(epsilon).over(ONE.plus(share.times(e.minus(ONE)))));
    requireIs(step, spread(range), ZERO, scope);
};
/** The premises, of one unit, and what is released by all of them. */
function several(step) {
    const parts = step.premises.map(concentratedOf);
    const [first] = parts;
    require(first !== undefined, "there is nothing to compose");
    const unit = concentratedOf(step).unit;
    require(parts.every((one) => one.unit === unit), "the protected units differ");
    return { parts, first, release: jointRelease(parts.map((one) => one.release)) };
}
const concentratedSum = (step) => {
    const times = given(step, "times").count("times", 1);
    const { parts, first, release } = several(step);
    require(parts.every((one) => one.part === first.part), "the releases speak of different parts");
    const [rho, delta] = [sum(parts.map((one) => one.rho)), sum(parts.map((one) => one.delta))];
    requireIs(step, rho.times(times), short(smaller(ONE, delta.times(times))), { ...first, release });
};
const postProcessing = (step) => {
    const where = given(step, "what", "release");
    where.text("what");
    const old = concentratedOf(onlyPremise(step));
    requireIs(step, old.rho, old.delta, { ...old, release: where.text("release") });
};
const onPart = (step) => {
    const part = given(step, "part").text("part");
    const old = concentratedOf(onlyPremise(step));
    require(old.part === ALL && part !== ALL, "the premise must speak of all records of its input");
    requireIs(step, old.rho, old.delta, { ...old, part });
};
function dearest(step, parts, scope) {
    const [rho, delta] = [parts.map((one) => one.rho).reduce(larger), parts.map((one) => one.delta).reduce(larger)];
    requireIs(step, rho, delta, scope);
}
const parts = (step) => {
    given(step);
    const { parts, first, release } = several(step);
    const names = parts.map((one) => one.part);
    require(new Set(names).size === names.length && !names.includes(ALL), "the parts are not different parts");
    dearest(step, parts, { unit: first.unit, part: ALL, release });
};
const mixture = (step) => {
    given(step);
    const { parts, first, release } = several(step);
    require(parts.every((one) => one.part === first.part), "the releases speak of different parts");
    dearest(step, parts, { ...first, release });
};
const group = (step) => {
    const size = given(step, "size").count("size", 1);
    requireAssumption(step, groupAssumption(size));
    const old = concentratedOf(onlyPremise(step));
    require(old.delta.sign === 0, "the release must have no delta");
    requireIs(step, old.rho.times(size * size), ZERO, old);
};
const concentratedPrivacy = (step) => {
    const where = given(step, "delta", "order");
    const [added, order] = [where.share("delta"), where.fraction("order")];
    require(ONE.below(order) && order.atMost(LARGEST_ORDER), "the order is out of range");
    const [own, old] = [privacyOf(step), concentratedOf(onlyPremise(step))];
    const log = larger(ZERO, converted(places(old.rho), added, order));
    require(sameLoss(own.loss, { log, factor: ONE }), "epsilon is not that of the order");
    require(own.delta.equals(short(smaller(ONE, old.delta.plus(added)))), "the deltas do not add up");
    require(sameScope(own, old), "the scope differs from the premise's");
};
function converted(rho, delta, order) {
    const below = order.minus(ONE);
    return roundUp(12n, (bits) => {
        const [a, b, c] = [logarithm(below, bits), logarithm(order, bits), logarithm(delta, bits)];
        const end = (i, j) => order.times(rho).plus(below.times(a[i]).minus(order.times(b[j])).minus(c[j]).over(below));
        return [end(0, 1), end(1, 0)];
    });
}
export const CONCENTRATED = {
    "draw-range": drawRange,
    "range-log-odds": rangeLogOdds,
    "range-concentrated": rangeConcentrated,
    "log-odds-concentrated": logOddsConcentrated,
    "pure-concentrated": pureConcentrated,
    "noise-concentrated": noiseConcentrated,
    "subsampled-concentrated": subsampledConcentrated,
    "concentrated-sum": concentratedSum,
    "concentrated-post-processing": postProcessing,
    "concentrated-on-part": onPart,
    "concentrated-parts": parts,
    "concentrated-mixture": mixture,
    "concentrated-group": group,
    "concentrated-privacy": concentratedPrivacy,
};
