/** How numbers of certificates are rounded: "Numbers" of the page on formats. */
import { ceil256, exponential, Interval, logarithm, PRECISIONS, settled } from "./interval.js";
import { bitLength, ceilDivide, floorDivide, integerRoot, larger, ONE, Rational, ZERO } from "./rational.js";
import { Refusal, require } from "./refusal.js";
const WHOLE_BITS = 4096;
const LONGEST = 1 << 18;
const FARTHEST = 1 << 17;
const LARGEST_LOG = Rational.of(1000);
const FAR = Rational.of(20_000);
export const PRECISE = 512;
export function sameLoss(a, b) {
    return a.log.equals(b.log) && a.factor.equals(b.factor);
}
/** Whether a is certainly at most b. */
export function lossAtMost(a, b) {
    const gap = b.log.minus(a.log);
    if (gap.sign === 0)
        return a.factor.atMost(b.factor);
    if (FAR.below(gap))
        return true; // factors of 4,300 digits differ by less than e^20000
    if (gap.below(ZERO.minus(FAR)))
        return false;
    return exponential(gap, PRECISE).certainlyAtLeast(a.factor.over(b.factor));
}
/** Whether a is certainly larger than b. */
export function lossAbove(a, b) {
    const gap = b.log.minus(a.log);
    if (gap.sign === 0)
        return b.factor.below(a.factor);
    if (FAR.below(gap))
        return false;
    if (gap.below(ZERO.minus(FAR)))
        return true;
    const ratio = a.factor.over(b.factor);
    return exponential(gap, PRECISE).certainlyAtMost(ratio);
}
/** As it is while it is short, else rounded up to 256 significant bits. */
export function short(x) {
    return x.bits > WHOLE_BITS ? ceil256(x) : x;
}
/** x^count for x > 0: exact if count times the bits of x is small, else rounded up to 256 significant bits. */
export function pow(x, count) {
    if (count === 0n || x.equals(ONE))
        return ONE;
    if (count * BigInt(x.bits) <= BigInt(WHOLE_BITS))
        return x.power(count);
    const found = settled((bits) => Interval.around(x, bits).power(count));
    const size = bitLength(found.numerator) - bitLength(found.denominator) - 1024;
    require(Math.abs(size) <= FARTHEST, "a power is too large or too small to be written");
    return found;
}
/** The number between these bounds rounded up to `digits` decimals. */
export function roundUp(digits, at) {
    const scale = 10n ** digits;
    for (const bits of PRECISIONS) {
        const [low, high] = at(bits);
        const steps = high.times(scale).ceil();
        if (low.times(scale).ceil() === steps)
            return Rational.of(steps, scale);
    }
    throw new Refusal("a number could not be rounded");
}
/** A fraction rounded up to `digits` decimals. */
export function roundedUp(x, digits) {
    const scale = 10n ** digits;
    return Rational.of(ceilDivide(x.numerator * scale, x.denominator), scale);
}
/** e^x rounded up to 30 decimals. */
export function exp30(x) {
    return x.sign === 0 ? ONE : roundUp(30n, (bits) => exponential(x, bits).ends());
}
/** e^epsilon as a fraction. */
export function expOf(loss) {
    if (loss.log.sign === 0)
        return loss.factor;
    require(loss.log.sign > 0 && loss.log.atMost(LARGEST_LOG), "epsilon is out of range");
    return exp30(loss.log).times(loss.factor);
}
/** ln x rounded up to twelve decimals. */
export function lnUp(x, digits = 12n) {
    require(x.sign > 0, "a logarithm is out of range");
    return x.equals(ONE) ? ZERO : roundUp(digits, (bits) => logarithm(x, bits));
}
/** ln x rounded down to twelve decimals. */
export function lnDown(x, digits = 12n) {
    return ZERO.minus(lnUp(ONE.over(x), digits));
}
/** The root rounded up to twelve decimals. */
export function rootUp(x) {
    const scale = 10n ** 12n;
    const target = x.numerator * scale * scale;
    let root = integerRoot(floorDivide(target, x.denominator));
    if (root * root * x.denominator < target)
        root += 1n;
    return Rational.of(root, scale);
}
/** A decimal at or above epsilon, and not below 0. */
export function up(loss) {
    return larger(ZERO, loss.log.plus(lnUp(loss.factor)));
}
/** Whether odds * base^count is certainly at most the limit. */
export function powerAtMost(odds, base, count, limit) {
    if (limit.sign <= 0)
        return false;
    if (odds.sign === 0)
        return true;
    return Interval.around(odds, PRECISE)
        .times(Interval.around(base, PRECISE).power(count))
        .certainlyAtMost(limit);
}
/** A fraction just above base^count. */
export function powerAbove(base, count) {
    if (count === 0n)
        return ONE;
    return base.sign === 0 ? ZERO : Interval.around(base, PRECISE).power(count).above();
}
/** The most labellings of so many points by a class of this VC dimension. */
export function labellings(points, vc) {
    if (vc >= points) {
        require(points <= BigInt(LONGEST), "there are too many labellings");
        return 1n << points;
    }
    let [ways, total] = [1n, 1n];
    for (let i = 1n; i <= vc; i += 1n) {
        ways = ways * (points - i + 1n) / i;
        total += ways;
        require(bitLength(total) <= LONGEST, "there are too many labellings");
    }
    return total;
}
/** A number just above P[Binomial(n, chance) < hits], 0 < chance <= 1. */
export function fewAbove(n, chance, hits) {
    if (hits > n)
        return ONE;
    require(hits <= 1000000n, "a sum has too many terms");
    if (hits === 0n || chance.equals(ONE))
        return ZERO;
    const odds = Interval.around(chance.over(ONE.minus(chance)), PRECISE);
    let term = Interval.around(ONE.minus(chance), PRECISE).power(n);
    let total = term;
    for (let k = 0n; k < hits - 1n; k += 1n) {
        term = term.times(odds).times(Interval.around(Rational.of(n - k, k + 1n), PRECISE));
        total = total.plus(term);
    }
    return total.above();
}
