/** How numbers of certificates are rounded: "Numbers" of the page on formats. */

import { ceil256, exponential, Interval, logarithm, PRECISIONS, settled } from "./interval.js";
import { bitLength, ceilDivide, floorDivide, integerRoot, larger, ONE, Rational, ZERO } from "./rational.js";
import { Broken, require } from "./refusal.js";

const WHOLE_BITS = 4096;
const LONGEST = 1 << 18;
const FARTHEST = 1 << 17;
const LARGEST_LOG = Rational.of(1000);
const FAR = Rational.of(20_000);
export const PRECISE = 512;

/** @typedef {{ log: Rational, factor: Rational }} Loss epsilon = log + ln(factor). */

/** @param {Loss} a @param {Loss} b @returns {boolean} */
export function sameLoss(a, b) {
  return a.log.equals(b.log) && a.factor.equals(b.factor);
}

/** Whether a is certainly at most b. @param {Loss} a @param {Loss} b @returns {boolean} */
export function lossAtMost(a, b) {
  const gap = b.log.minus(a.log);
  if (gap.sign === 0) return a.factor.atMost(b.factor);
  if (FAR.below(gap)) return a.factor.atMost(b.factor.times(1n << 20_000n)); // e^gap is more than that
  if (gap.below(ZERO.minus(FAR))) return false;
  return exponential(gap, PRECISE).certainlyAtLeast(a.factor.over(b.factor));
}

/** Whether a is certainly larger than b. @param {Loss} a @param {Loss} b @returns {boolean} */
export function lossAbove(a, b) {
  const gap = b.log.minus(a.log);
  if (gap.sign === 0) return b.factor.below(a.factor);
  if (FAR.below(gap) || gap.below(ZERO.minus(FAR))) return false; // nothing is certain so far apart
  const ratio = a.factor.over(b.factor);
  return exponential(gap, PRECISE).certainlyAtMost(ratio);
}

/** As it is while it is short, else rounded up to 256 significant bits. @param {Rational} x @returns {Rational} */
export function short(x) {
  return x.bits > WHOLE_BITS ? ceil256(x) : x;
}

/**
 * x^count for x > 0: exact if count times the bits of x is small, else rounded up to 256 significant bits.
 * @param {Rational} x @param {bigint} count @returns {Rational}
 */
export function pow(x, count) {
  if (count === 0n || x.equals(ONE)) return ONE;
  if (count * BigInt(x.bits) <= BigInt(WHOLE_BITS)) return x.power(count);
  const found = settled((bits) => Interval.around(x, bits).power(count));
  const size = bitLength(found.numerator) - bitLength(found.denominator) - 1024;
  require(Math.abs(size) <= FARTHEST, "a power is too large or too small to be written");
  return found;
}

/**
 * The number between these bounds rounded up to `digits` decimals.
 * @param {bigint} digits @param {(bits: number) => readonly [Rational, Rational]} at @returns {Rational}
 */
export function roundUp(digits, at) {
  const scale = 10n ** digits;
  for (const bits of PRECISIONS) {
    const [low, high] = at(bits);
    const steps = high.times(scale).ceil();
    if (low.times(scale).ceil() === steps) return Rational.of(steps, scale);
  }
  throw new Broken("a number could not be rounded");
}

/** A fraction rounded up to `digits` decimals. @param {Rational} x @param {bigint} digits @returns {Rational} */
export function roundedUp(x, digits) {
  const scale = 10n ** digits;
  return Rational.of(ceilDivide(x.numerator * scale, x.denominator), scale);
}

/** e^x rounded up to 30 decimals. @param {Rational} x @returns {Rational} */
export function exp30(x) {
  return x.sign === 0 ? ONE : roundUp(30n, (bits) => exponential(x, bits).ends());
}

/** e^epsilon as a fraction. @param {Loss} loss @returns {Rational} */
export function expOf(loss) {
  if (loss.log.sign === 0) return loss.factor;
  require(loss.log.sign > 0 && loss.log.atMost(LARGEST_LOG), "epsilon is out of range");
  return exp30(loss.log).times(loss.factor);
}

/** ln x rounded up to twelve decimals. @param {Rational} x @returns {Rational} */
export function lnUp(x, digits = 12n) {
  require(x.sign > 0, "a logarithm is out of range");
  return x.equals(ONE) ? ZERO : roundUp(digits, (bits) => logarithm(x, bits));
}

/** ln x rounded down to twelve decimals. @param {Rational} x @returns {Rational} */
export function lnDown(x, digits = 12n) {
  return ZERO.minus(lnUp(ONE.over(x), digits));
}

/** The root rounded up to twelve decimals. @param {Rational} x @returns {Rational} */
export function rootUp(x) {
  const scale = 10n ** 12n;
  const target = x.numerator * scale * scale;
  let root = integerRoot(floorDivide(target, x.denominator));
  if (root * root * x.denominator < target) root += 1n;
  return Rational.of(root, scale);
}

/** A decimal at or above epsilon, and not below 0. @param {Loss} loss @returns {Rational} */
export function up(loss) {
  return larger(ZERO, loss.log.plus(lnUp(loss.factor)));
}

/**
 * Whether odds * base^count is certainly at most the limit.
 * @param {Rational} odds @param {Rational} base @param {bigint} count @param {Rational} limit @returns {boolean}
 */
export function powerAtMost(odds, base, count, limit) {
  if (limit.sign <= 0) return false;
  if (odds.sign === 0) return true;
  return Interval.around(odds, PRECISE)
    .times(Interval.around(base, PRECISE).power(count))
    .certainlyAtMost(limit);
}

/** A fraction just above base^count. @param {Rational} base @param {bigint} count @returns {Rational} */
export function powerAbove(base, count) {
  if (count === 0n) return ONE;
  return base.sign === 0 ? ZERO : Interval.around(base, PRECISE).power(count).above();
}

/**
 * The most labellings of so many points by a class of this VC dimension.
 * @param {bigint} points @param {bigint} vc @returns {bigint}
 */
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

/**
 * A number just above P[Binomial(n, chance) < hits], 0 < chance <= 1.
 * @param {bigint} n @param {Rational} chance @param {bigint} hits @returns {Rational}
 */
export function fewAbove(n, chance, hits) {
  if (hits > n) return ONE;
  require(hits <= 1_000_000n, "a sum has too many terms");
  if (hits === 0n || chance.equals(ONE)) return ZERO;
  const odds = Interval.around(chance.over(ONE.minus(chance)), PRECISE);
  let term = Interval.around(ONE.minus(chance), PRECISE).power(n);
  let total = term;
  for (let k = 0n; k < hits - 1n; k += 1n) {
    term = term.times(odds).times(Interval.around(Rational.of(n - k, k + 1n), PRECISE));
    total = total.plus(term);
  }
  return total.above();
}
