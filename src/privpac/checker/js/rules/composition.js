/** What several releases, groups, parts and samples lose together. */
import { exponential, Interval, settled } from "../interval.js";
import { bitLength, larger, ONE, Rational, smaller, sum, ZERO } from "../rational.js";
import { Refusal, require } from "../refusal.js";
import { ALL, factIs, fraction, given, logOddsOf, onlyPremise, pairOf, privacyOf, requireFactor, sameText, } from "../reading.js";
import { expOf, lossAbove, lossAtMost, pow, roundUp, sameLoss, short, up } from "../rounding.js";
const UNIT = Rational.of(1n, 10n ** 12n);
const LARGEST_LOG = Rational.of(1000);
/** The release of several together: theirs if it is one, else a hypothesis. */
export function jointRelease(releases) {
    const [first = "hypothesis"] = releases;
    return releases.every((release) => release === first) ? first : "hypothesis";
}
/** What `group` and `concentrated-group` assume. */
export function groupAssumption(size) {
    return size > 1n ? [`no person stands behind more than ${size} records`] : [];
}
export function requireAssumption(step, expected) {
    const same = step.assumes.length === expected.length && step.assumes.every((text, i) => text === expected[i]);
    require(same, "the assumption is not that of the rule");
}
const postProcessing = (step) => {
    const where = given(step, "what", "release");
    where.text("what");
    const [own, old] = [privacyOf(step), privacyOf(onlyPremise(step))];
    require(own.unit === old.unit && own.part === old.part, "the scope differs from the premise's");
    require(sameLoss(own.loss, old.loss) && own.delta.equals(old.delta), "the loss differs from the premise's");
    require(own.release === where.get("release"), "the release is not the one named");
};
/** The fact of a step about several releases of one unit, and those releases. */
function several(step) {
    given(step);
    const [own, parts] = [privacyOf(step), step.premises.map(privacyOf)];
    require(parts.length >= 1, "there is nothing to compose");
    require(parts.every((one) => one.unit === own.unit), "the protected units differ");
    require(own.release === jointRelease(parts.map((one) => one.release)), "the joint release is misnamed");
    return [own, parts];
}
const sequential = (step) => {
    const [own, parts] = several(step);
    require(parts.every((one) => one.part === own.part), "the releases speak of different parts");
    const factor = parts.reduce((product, one) => short(product.times(one.loss.factor)), ONE);
    const log = sum(parts.map((one) => one.loss.log));
    require(sameLoss(own.loss, { log, factor }), "the epsilons do not add up");
    const delta = sum(parts.map((one) => one.delta));
    require(own.delta.equals(short(smaller(ONE, delta))), "the deltas do not add up");
};
const disjointParts = (step) => {
    const [own, parts] = several(step);
    const names = parts.map((one) => one.part);
    require(new Set(names).size === names.length && !names.includes(ALL), "the parts are not different parts");
    require(own.part === ALL, "disjoint parts together are all records");
    require(parts.every((one) => lossAtMost(one.loss, own.loss)), "a part loses more than the whole");
    require(parts.some((one) => sameLoss(one.loss, own.loss)), "no part loses as much as the whole");
    const delta = parts.map((one) => one.delta).reduce(larger);
    require(own.delta.equals(delta), "delta is not the largest of the parts");
};
const onPart = (step) => {
    const part = given(step, "part").get("part");
    const [own, old] = [privacyOf(step), privacyOf(onlyPremise(step))];
    require(old.part === ALL, "the premise must speak of all records of its input");
    require(own.part === part && part !== ALL, "the part is not the one named");
    require(own.unit === old.unit && own.release === old.release, "more than the part changed");
    require(sameLoss(own.loss, old.loss) && own.delta.equals(old.delta), "the loss differs from the premise's");
};
const group = (step) => {
    const size = given(step, "size").count("size", 1);
    const [own, old] = pairOf(step);
    const expected = { log: old.loss.log.times(size), factor: pow(old.loss.factor, size) };
    require(sameLoss(own.loss, expected), "epsilon is not size times the premise's");
    requireAssumption(step, groupAssumption(size));
    const delta = old.delta.sign === 0 ? ZERO : old.delta.times(groupGrowth(expOf(old.loss), size));
    require(own.delta.equals(short(smaller(ONE, delta))), "delta is not the group's");
};
/** 1 + e + e^2 + ... with so many terms. */
function groupGrowth(e, size) {
    return e.equals(ONE) ? Rational.of(size) : pow(e, size).minus(ONE).over(e.minus(ONE));
}
const kFold = (step) => {
    const where = given(step, "times", "saved");
    const [times, saved] = [where.count("times", 1, 10_000), where.count("saved", 0)];
    const [own, old] = pairOf(step);
    require(old.delta.sign === 0, "the releases must be pure epsilon");
    require(2n * saved <= times, "times or saved is out of range");
    if (saved === 0n) {
        const loss = { log: old.loss.log.times(times), factor: pow(old.loss.factor, times) };
        require(sameLoss(own.loss, loss) && own.delta.sign === 0, "the epsilons do not add up");
        return;
    }
    const e = expOf(old.loss);
    requireFactor(own.loss, pow(e, times - 2n * saved));
    require(own.delta.equals(fold(e, times, saved)), "delta is not that of the composition");
};
/** The mass by which one binomial law of `times` releases exceeds e^((times - 2 saved) eps) times the other. */
function fold(e, times, saved) {
    if (e.equals(ONE))
        return ZERO;
    if (e.below(ONE))
        throw new Refusal("epsilon is negative");
    if (times * BigInt(bitLength(e.numerator + e.denominator)) <= 4096n)
        return exactFold(e, times, saved);
    return settled((bits) => foldInterval(Interval.around(e, bits), times, saved, bits));
}
function exactFold(e, times, saved) {
    let [total, ways] = [ZERO, 1n];
    for (let i = 0n; i < saved; i += 1n) {
        total = total.plus(e.power(times - i).minus(e.power(times - 2n * saved + i)).times(ways));
        ways = ways * (times - i) / (i + 1n);
    }
    return total.over(ONE.plus(e).power(times));
}
/** The same sum, every term written as C(times, i) e^(times-i) (1 - e^(-2(saved-i))) / (1+e)^times. */
function foldInterval(e, times, saved, bits) {
    const one = Interval.of(1n, 1n, 0n, bits);
    const square = e.times(e);
    let weight = e.over(one.plus(e)).power(times);
    let shrink = one.over(square.power(saved));
    let [total, ways] = [Interval.of(0n, 0n, 0n, bits), 1n];
    for (let i = 0n; i < saved; i += 1n) {
        const count = Interval.of(ways, ways, 0n, bits);
        total = total.plus(count.times(weight).times(one.minus(shrink)));
        [weight, shrink] = [weight.over(e), shrink.times(square)];
        ways = ways * (times - i) / (i + 1n);
    }
    return total;
}
const rangeFold = (step) => {
    const where = given(step, "times", "epsilon", "release");
    const [times, epsilon] = [where.count("times", 1, 64), where.decimal("epsilon")];
    const [own, old] = [privacyOf(step), logOddsOf(onlyPremise(step))];
    const each = up(old.loss);
    require(epsilon.atMost(LARGEST_LOG) && each.times(times).atMost(LARGEST_LOG), "epsilon is out of range");
    require(sameLoss(own.loss, { log: epsilon, factor: ONE }), "epsilon is not the one named");
    const scoped = own.unit === old.unit && own.part === ALL && own.release === where.get("release");
    require(scoped, "the scope is another one");
    require(own.delta.equals(rangeDelta(each, times, epsilon)), "delta is not that of the composition");
};
function rangeDelta(each, times, total) {
    if (each.sign === 0 || each.times(times).atMost(total))
        return ZERO;
    return smaller(ONE, roundUp(30n, (bits) => rangeBounds(each, times, total, bits + 64 * Number(times))));
}
function rangeBounds(each, times, total, bits) {
    let [low, high, ways] = [0n, 0n, 1n];
    for (let j = 0n; j <= times; j += 1n) {
        const left = each.times(times - 2n * j).minus(total);
        if (left.sign <= 0)
            break;
        const [small, large] = oddTail(left, times, bits);
        if (j % 2n === 0n)
            [low, high] = [low + small * ways, high + large * ways];
        else
            [low, high] = [low - large * ways, high - small * ways];
        ways = ways * (times - j) / (j + 1n);
    }
    const alternating = Interval.of(low > 0n ? low : 0n, high, BigInt(-bits), bits);
    const [y, half] = [exponential(each.over(2n), bits), exponential(total.over(2n), bits)];
    const [one, two] = [Interval.of(1n, 1n, 0n, bits), Interval.of(2n, 2n, 0n, bits)];
    const width = two.times(y.minus(one.over(y))).power(times);
    return two.times(half).times(alternating).over(width).ends();
}
/** Bounds of the sum over odd i of 2^-i x^(i+times)/(i+times)!, in units of 2^-bits. */
function oddTail(x, times, bits) {
    const unit = 1n << BigInt(bits);
    let factorial = 1n;
    for (let i = 2n; i <= times + 1n; i += 1n)
        factorial *= i;
    const first = x.power(times + 1n).over(2n * factorial).times(unit);
    const quarter = x.square().over(4n);
    let [small, large, low, high] = [first.floor(), first.ceil(), 0n, 0n];
    for (let i = 1n;; i += 2n) {
        [low, high] = [low + small, high + large];
        const by = quarter.denominator * (i + times + 1n) * (i + times + 2n);
        if (large <= 1n && 2n * quarter.numerator < by)
            break;
        small = small * quarter.numerator / by;
        large = (large * quarter.numerator + by - 1n) / by;
    }
    return [low, high + large]; // terms halve from here on
}
const declared = (step) => {
    const where = given(step, "epsilon", "delta");
    const [epsilon, delta] = [where.decimal("epsilon"), where.decimal("delta")];
    const [own, old] = pairOf(step);
    require(sameLoss(own.loss, { log: epsilon, factor: ONE }), "epsilon is not the declared one");
    require(own.delta.equals(delta), "delta is not the declared one");
    require(lossAtMost(old.loss, own.loss), "the true epsilon is larger than what is declared");
    require(old.delta.atMost(own.delta), "the true delta is larger than what is declared");
};
const assuming = (step) => {
    given(step);
    require(step.assumes.length === 1, "exactly one assumption is expected");
    require(sameText(step.fact, onlyPremise(step).fact), "the fact differs from its premise");
};
const subsampling = (step) => {
    const where = given(step, "kept", "of");
    const [kept, of] = [where.count("kept", 1), where.count("of", 1)];
    require(kept <= of, "more records are kept than there are");
    const [[own, old], share] = [pairOf(step), Rational.of(kept, of)];
    requireFactor(own.loss, short(ONE.minus(share).plus(share.times(expOf(old.loss)))));
    require(own.delta.equals(short(share.times(old.delta))), "delta is not that of subsampling");
};
const withReplacement = (step) => {
    const where = given(step, "draws", "of");
    const [draws, of] = [where.count("draws", 1), where.count("of", 1)];
    const [own, old] = pairOf(step);
    const e = expOf(old.loss);
    const factor = pow(e.plus(Rational.of(of - 1n)).over(of), draws);
    requireFactor(own.loss, factor);
    const growth = e.equals(ONE) ? Rational.of(draws, of) : factor.minus(ONE).over(e.minus(ONE));
    require(own.delta.equals(short(smaller(ONE, old.delta.times(growth)))), "delta is not that of the draws");
};
const totalVariation = (step) => {
    given(step);
    const [old, fact] = [logOddsOf(onlyPremise(step)), factIs(step, "stability")];
    require(fact.get("unit") === old.unit, "the unit differs from the premise's");
    const gamma = fraction(fact.get("gamma"));
    require(gamma.sign >= 0 && gamma.atMost(ONE) && gamma.over(UNIT).isWhole, "gamma is out of range");
    require(gamma.equals(ONE) || lossAtMost(old.loss, moved(gamma)), "gamma is too small");
    require(gamma.sign === 0 || lossAbove(old.loss, moved(gamma.minus(UNIT))), "gamma is not the smallest that holds");
};
/** The log-odds at which probabilities move by gamma at most. */
function moved(gamma) {
    return { log: ZERO, factor: ONE.plus(gamma).over(ONE.minus(gamma)).square() };
}
const deltaRemoval = (step) => {
    const flip = given(step, "flip").fraction("flip");
    require(flip.sign > 0 && flip.times(2n).atMost(ONE), "the flip is out of range");
    const [own, old] = pairOf(step);
    require(old.release === "one answer", "only an answer can be turned round");
    const floor = { log: ZERO, factor: short(ONE.plus(old.delta.over(flip)).minus(old.delta.times(2n))) };
    require(own.delta.sign === 0, "delta is not removed");
    require(sameLoss(own.loss, old.loss) || sameLoss(own.loss, floor), "epsilon is neither of the two");
    require(lossAtMost(old.loss, own.loss) && lossAtMost(floor, own.loss), "epsilon is smaller than one of the two");
};
export const COMPOSITION = {
    "post-processing": postProcessing,
    sequential,
    "disjoint-parts": disjointParts,
    "on-part": onPart,
    group,
    "k-fold-composition": kFold,
    "range-fold": rangeFold,
    declared,
    assuming,
    "subsampling-without-replacement": subsampling,
    "sampling-with-replacement": withReplacement,
    "total-variation": totalVariation,
    "delta-removal": deltaRemoval,
};
