/** The functions that formulas of the rule book may call: roundings, and the few that are more than a formula. */

import { same } from "./formula.js";
import { exponential, Interval, logarithm, settled } from "./interval.js";
import { bitLength, ceilDivide, integerRoot, larger, ONE, Rational, smaller, sum, ZERO } from "./rational.js";
import { Broken, require } from "./refusal.js";
import * as rounding from "./rounding.js";
import { powerAbove, roundUp } from "./rounding.js";

/** @import { Act, Names, Value } from "./formula.js" */
/** @typedef {(wrong: bigint, models: bigint, ratio: Rational) => [bigint, bigint]} Wrong */

const MOST_PIECES = 4000;
const MOST_MODELS = 2 ** 14;
/** Chances are counted in units of 2^-320, weights of a binomial law in units of 2^-1280. */
const FINE = 320n;
const FINER = 1280n;
const ONE_FINE = 1n << FINE;

/** The whole number that a fraction is. @param {Rational} value @returns {bigint} */
function whole(value) {
  require(value.isWhole, "a whole number is expected");
  return value.numerator;
}

/** The same, where it counts something. @param {Rational} value @returns {bigint} */
function natural(value) {
  require(value.sign >= 0, "a number below 0 counts nothing");
  return whole(value);
}

/** e^x between bounds. @param {Rational} x @returns {[Rational, Rational]} */
const ends = (x) => (x.sign === 0 ? [ONE, ONE] : exponential(x, rounding.PRECISE).ends());

/** ln x between bounds. @param {Rational} x @returns {[Rational, Rational]} */
function logs(x) {
  require(x.sign > 0, "a logarithm is out of range");
  return x.equals(ONE) ? [ZERO, ZERO] : logarithm(x, rounding.PRECISE);
}

/**
 * Whether base^count reaches the size; no power is longer than that.
 * @param {bigint} base @param {bigint} count @param {bigint} size @returns {boolean}
 */
function reaches(base, count, size) {
  let power = 1n;
  for (let i = 0n; i < count && power < size; i += 1n) power *= base;
  return power >= size;
}

/** @param {Rational[]} left @param {Rational[]} right */
function pairs(left, right) {
  require(left.length === right.length, "two lists have different lengths");
  return left.map((one, i) => ({ left: one, right: right[i] }));
}

/** Whether two facts are the same, whatever they follow from. @param {Names} a @param {Names} b @returns {boolean} */
function sameFact(a, b) {
  return [...a].every(([name, value]) => same(value, b.get(name)));
}

/** @param {Rational[]} values @param {(x: Rational) => Rational} rounded @returns {Rational} */
function product(values, rounded) {
  return values.reduce((total, value) => rounded(total.times(value)), ONE);
}

/**
 * The mass by which one binomial law of `times` releases exceeds e^((times - 2 saved) eps) times the other.
 * @param {Rational} e @param {bigint} times @param {bigint} saved @returns {Rational}
 */
function fold(e, times, saved) {
  if (e.equals(ONE)) return ZERO;
  if (e.below(ONE)) throw new Broken("epsilon is negative");
  if (times * BigInt(bitLength(e.numerator + e.denominator)) <= 4096n) return exactFold(e, times, saved);
  return settled((bits) => foldInterval(Interval.around(e, bits), times, saved, bits));
}

/** @param {Rational} e @param {bigint} times @param {bigint} saved @returns {Rational} */
function exactFold(e, times, saved) {
  let [total, ways] = [ZERO, 1n];
  for (let i = 0n; i < saved; i += 1n) {
    total = total.plus(e.power(times - i).minus(e.power(times - 2n * saved + i)).times(ways));
    ways = ways * (times - i) / (i + 1n);
  }
  return total.over(ONE.plus(e).power(times));
}

/**
 * The same sum, every term written as C(times, i) e^(times-i) (1 - e^(-2(saved-i))) / (1+e)^times.
 * @param {Interval} e @param {bigint} times @param {bigint} saved @param {number} bits @returns {Interval}
 */
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

/** @param {Rational} each @param {bigint} times @param {Rational} total @returns {Rational} */
function rangeDelta(each, times, total) {
  if (each.sign === 0 || each.times(times).atMost(total)) return ZERO;
  return smaller(ONE, roundUp(30n, (bits) => rangeBounds(each, times, total, bits + 64 * Number(times))));
}

/**
 * @param {Rational} each @param {bigint} times @param {Rational} total @param {number} bits
 * @returns {[Rational, Rational]}
 */
function rangeBounds(each, times, total, bits) {
  let [low, high, ways] = [0n, 0n, 1n];
  for (let j = 0n; j <= times; j += 1n) {
    const left = each.times(times - 2n * j).minus(total);
    if (left.sign <= 0) break;
    const [small, large] = oddTail(left, times, bits);
    if (j % 2n === 0n) [low, high] = [low + small * ways, high + large * ways];
    else [low, high] = [low - large * ways, high - small * ways];
    ways = ways * (times - j) / (j + 1n);
  }
  const alternating = Interval.of(low > 0n ? low : 0n, high, BigInt(-bits), bits);
  const [y, half] = [exponential(each.over(2n), bits), exponential(total.over(2n), bits)];
  const [one, two] = [Interval.of(1n, 1n, 0n, bits), Interval.of(2n, 2n, 0n, bits)];
  const width = two.times(y.minus(one.over(y))).power(times);
  return two.times(half).times(alternating).over(width).ends();
}

/**
 * Bounds of the sum over odd i of 2^-i x^(i+times)/(i+times)!, in units of 2^-bits.
 * @param {Rational} x @param {bigint} times @param {number} bits @returns {[bigint, bigint]}
 */
function oddTail(x, times, bits) {
  const unit = 1n << BigInt(bits);
  let factorial = 1n;
  for (let i = 2n; i <= times + 1n; i += 1n) factorial *= i;
  const first = x.power(times + 1n).over(2n * factorial).times(unit);
  const quarter = x.square().over(4n);
  let [small, large, low, high] = [first.floor(), first.ceil(), 0n, 0n];
  for (let i = 1n;; i += 2n) {
    [low, high] = [low + small, high + large];
    const by = quarter.denominator * (i + times + 1n) * (i + times + 2n);
    if (large <= 1n && 2n * quarter.numerator < by) break;
    small = small * quarter.numerator / by;
    large = (large * quarter.numerator + by - 1n) / by;
  }
  return [low, high + large]; // terms halve from here on
}

/** The chance that a vote is wrong, if so many of the models are. @type {Wrong} */
const voteWrong = (wrong, models, { numerator: a, denominator: b }) => {
  const lead = 2n * wrong - models;
  const size = lead < 0n ? -lead : lead;
  const odd = models % 2n === 1n;
  const k = odd ? (size + 1n) / 2n : size / 2n;
  const [top, bottom] = odd ? [a ** k * b, b ** k * (a + b)] : [a ** k, 2n * b ** k];
  return lead <= 0n ? [top, bottom] : [bottom - top, bottom];
};

/** The same by exponential weights. @type {Wrong} */
const weightedWrong = (wrong, models, { numerator: a, denominator: b }) => {
  const right = models - wrong;
  const [mine, other] = [a ** right * b ** wrong, a ** wrong * b ** right];
  return [mine, mine + other];
};

/**
 * wrong(0) + models * average * the steepest way up from there: ways get steeper up to one beyond half of the models,
 * then flatter.
 * @param {Rational} average @param {bigint} models @param {Rational} ratio @param {Wrong} wrong @returns {Rational}
 */
function voted(average, models, ratio, wrong) {
  require(models <= BigInt(MOST_MODELS), "there are too many models");
  const [none, whole] = wrong(0n, models, ratio);
  /** @param {bigint} w @returns {[bigint, bigint]} */
  const chord = (w) => {
    const [top, bottom] = wrong(w, models, ratio);
    return [top * whole - none * bottom, bottom * whole * w];
  };
  let [low, high] = [models > 1n ? models / 2n : 1n, models];
  while (low < high) {
    const middle = (low + high) / 2n;
    const [[rise, run], [up, over]] = [chord(middle), chord(middle + 1n)];
    if (rise * over < up * run) low = middle + 1n;
    else high = middle;
  }
  const [rise, run] = chord(low);
  return Rational.of(none, whole).plus(Rational.of(rise * models, run).times(average));
}

/**
 * r^0, r^1, ... in units of 2^-places, rounded up, until they are 1 unit.
 * @param {Rational} ratio @param {bigint} most @param {bigint} places @returns {bigint[]}
 */
function powers(ratio, most, places) {
  const found = [1n << places];
  for (let last = 1n << places; last > 1n && BigInt(found.length) <= most;) {
    require(found.length <= 1_000_000, "a sum has too many terms");
    last = ceilDivide(last * ratio.numerator, ratio.denominator);
    found.push(last);
  }
  return found;
}

/**
 * What is at or above E[missed(K)], K binomial, for a `missed` that falls; in units of 2^-FINE.
 * @param {bigint} n @param {Rational} chance @param {(count: bigint) => bigint} missed @returns {bigint}
 */
function meanAbove(n, chance, missed) {
  if (n === 0n || chance.sign === 0) return missed(0n);
  const odds = chance.over(ONE.minus(chance));
  const variance = chance.times(n).times(ONE.minus(chance));
  const [mode, width] = [chance.times(n).floor(), integerRoot(variance.times(600n).floor()) + 200n];
  const low = mode > width ? mode - width : 0n;
  const high = mode + width < n ? mode + width : n;
  const peak = weight(n, mode, chance);
  let [total, mass] = [0n, peak];
  for (let k = mode; k <= high; k += 1n) {
    total += mass * missed(k);
    if (k === high && k < n) total += beyond(mass, Rational.of(n - k, k + 1n).times(odds)) * missed(k);
    mass = ceilDivide(mass * (n - k) * odds.numerator, (k + 1n) * odds.denominator);
  }
  mass = peak;
  for (let k = mode; k > low; k -= 1n) {
    mass = ceilDivide(mass * k * odds.denominator, (n - k + 1n) * odds.numerator);
    total += mass * missed(k - 1n);
  }
  if (low > 0n) total += beyond(mass, Rational.of(low, n - low + 1n).over(odds)) * ONE_FINE;
  return ceilDivide(total, 1n << FINER);
}

/**
 * All terms after one of this mass, each of which is at most `step` times the one before it.
 * @param {bigint} mass @param {Rational} step @returns {bigint}
 */
function beyond(mass, step) {
  require(step.below(ONE), "a sum has too many terms");
  const share = step.over(ONE.minus(step));
  return ceilDivide(mass * share.numerator, share.denominator);
}

/**
 * P[Binomial(n, chance) = k] in units of 2^-FINER, rounded up.
 * @param {bigint} n @param {bigint} k @param {Rational} chance @returns {bigint}
 */
function weight(n, k, chance) {
  const few = k < n - k ? k : n - k;
  require(few <= 1000000n, "a sum has too many terms");
  let ways = 1n;
  for (let i = 0n; i < few; i += 1n) ways = ways * (n - i) / (i + 1n);
  const found = powerAbove(chance, k).times(powerAbove(ONE.minus(chance), n - k)).times(ways);
  return found.times(1n << FINER).ceil();
}

/**
 * @typedef {{
 *   error: Rational, failure: Rational, records: bigint, missed: (count: bigint) => bigint, heavy: Rational,
 *   noise: Rational,
 * }} Promised
 */

/**
 * Whether the failure is at most the promised one whatever the mass p of the value is: shown on pieces.
 * @param {Promised} promised @returns {boolean}
 */
function holdsEverywhere({ error, failure, records, missed, heavy, noise }) {
  if (!heavy.below(error)) return false;
  const edge = error.minus(heavy).over(ONE.minus(heavy));
  /** @type {[Rational, Rational][]} */
  const todo = [[ZERO, edge], [edge, error]];
  for (let pieces = 0; pieces < MOST_PIECES; pieces++) {
    const piece = todo.pop();
    if (piece === undefined) return true;
    const [low, high] = piece;
    const share = edge.atMost(high) ? ONE : smaller(ONE, heavy.times(ONE.minus(high)).over(error.minus(high)));
    const besides = noise.times(ONE.minus(low)).over(error);
    const mean = smaller(ONE, Rational.of(meanAbove(records, low, missed), ONE_FINE));
    if (mean.times(share).plus(ONE.minus(mean).times(besides)).atMost(failure)) continue;
    if (edge.atMost(low)) return false;
    const middle = cut(low, high, error);
    if (!(low.below(middle) && middle.below(high))) return false;
    todo.push([low, middle], [middle, high]);
  }
  return false;
}

/**
 * A place between two masses, near the geometric mean of their distances to the error; any place will do.
 * @param {Rational} low @param {Rational} high @param {Rational} error @returns {Rational}
 */
function cut(low, high, error) {
  const product = error.minus(low).times(error.minus(high));
  const scale = 1n << 160n;
  const mean = Rational.of(integerRoot(product.times(scale * scale).floor()), scale);
  const found = error.minus(mean);
  return low.below(found) && found.below(high) ? found : low.plus(high).over(2n);
}

/** @param {bigint} n @returns {boolean} */
function isPrime(n) {
  for (let k = 2n; k * k <= n; k += 1n)
    if (n % k === 0n) return false;
  return n >= 2n;
}

/**
 * @param {Rational} error @param {Rational} failure @param {Rational} records @param {Rational} domain
 * @param {Rational} ratio @param {Rational} limit @param {Rational} room @returns {boolean}
 */
function clippedHolds(error, failure, records, domain, ratio, limit, room) {
  const [others, threshold, margin] = [whole(domain) - 1n, whole(limit), whole(room)];
  const more = BigInt(others.toString(2).length); // a long domain must not hide how small a power is
  const table = powers(ratio, margin, FINE + more);
  /** @param {bigint} k @returns {bigint} */
  const missed = (k) => {
    const score = margin + k - (k > threshold ? k : threshold);
    const at = score < 0n ? 0 : Math.min(Number(score), table.length - 1);
    const x = ceilDivide(others * (table[at] ?? 1n), 1n << more);
    return ceilDivide(x << FINE, x + ONE_FINE);
  };
  return holdsEverywhere({ error, failure, records: whole(records), missed, heavy: Rational.of(1n, others), noise: ZERO });
}

/**
 * @param {Rational} error @param {Rational} failure @param {Rational} records @param {Rational} flip
 * @param {Rational} ratio @returns {boolean}
 */
function sparseHolds(error, failure, records, flip, ratio) {
  const [n, odds] = [whole(records), flip.over(ONE.minus(flip))];
  const table = powers(ratio, n, FINE);
  /** @param {bigint} k @returns {bigint} */
  const missed = (k) => {
    const x = (table[k < BigInt(table.length) ? Number(k) : table.length - 1] ?? 1n) * odds.denominator;
    return ceilDivide(x << FINE, x + (odds.numerator << FINE));
  };
  return holdsEverywhere({ error, failure, records: n, missed, heavy: flip, noise: flip });
}

/** A list, or the arguments themselves. @param {Value[]} values @returns {Value[]} */
const listed = (values) => values.length === 1 && Array.isArray(values[0]) ? values[0] : values;

/** By the names that formulas call them by. @type {ReadonlyMap<string, Act>} */
export const FUNCTIONS = new Map(/** @type {[string, Act][]} */ ([
  ["all", (values) => values.every((/** @type {Value} */ value) => value === true)],
  ["any", (values) => values.some((/** @type {Value} */ value) => value === true)],
  ["min", (...values) => listed(values).reduce(smaller)],
  ["max", (...values) => listed(values).reduce(larger)],
  ["sum", sum],
  ["product", (values) => product(values, (one) => one)],
  ["short_product", (values) => product(values, rounding.short)],
  ["distinct", (values) => new Set(values).size === values.length],
  ["length", (values) => Rational.of(values.length)],
  ["pairs", pairs],
  ["same", sameFact],
  ["floor", (x) => Rational.of(x.floor())],
  ["ceil", (x) => Rational.of(x.ceil())],
  ["bits", (x) => Rational.of(bitLength(whole(x)))],
  ["is_whole", (x) => x.isWhole],
  ["is_prime", (x) => isPrime(whole(x))],
  ["reaches", (base, count, size) => reaches(whole(base), whole(count), whole(size))],
  ["loss", (log, factor) => ({ log, factor })],
  ["at_most", rounding.lossAtMost],
  ["above", rounding.lossAbove],
  ["up", rounding.up],
  ["exp_of", rounding.expOf],
  ["short", rounding.short],
  ["up12", (x) => rounding.roundedUp(x, 12n)],
  ["up24", (x) => rounding.roundedUp(x, 24n)],
  ["pow", (base, count) => rounding.pow(base, natural(count))],
  ["power_above", (base, count) => powerAbove(base, natural(count))],
  ["power_at_most", (odds, base, count, limit) => rounding.powerAtMost(odds, base, natural(count), limit)],
  ["root_up", rounding.rootUp],
  ["ln_up", (x) => rounding.lnUp(x)],
  ["ln_down", (x) => rounding.lnDown(x)],
  ["ln_above", (x) => logs(x)[1]],
  ["ln_below", (x) => logs(x)[0]],
  ["exp30", rounding.exp30],
  ["exp_ends", ends],
  ["exp_below", (x) => ends(x)[0]],
  ["exp_above", (x) => ends(x)[1]],
  ["labellings", (points, vc) => Rational.of(rounding.labellings(natural(points), natural(vc)))],
  ["few_above", (n, chance, hits) => rounding.fewAbove(whole(n), chance, whole(hits))],
  ["fold", (e, times, saved) => saved.sign === 0 ? ZERO : fold(e, whole(times), whole(saved))],
  ["range_fold", (each, times, total) => rangeDelta(each, whole(times), total)],
  ["vote_error", (average, models, ratio, law) => voted(average, whole(models), ratio, law === "majority" ? voteWrong : weightedWrong)],
  ["clipped_holds", clippedHolds],
  ["sparse_holds", sparseHolds],
]));
