/** How well one value of a large column is found. */

import { ceilDivide, integerRoot, ONE, Rational, smaller, ZERO } from "../rational.js";
import { require } from "../refusal.js";
import { type Accuracy, given, goalOf, noPremise, onlyPremise, type Rule, type Step } from "../reading.js";
import { fewAbove, powerAbove, powerAtMost } from "../rounding.js";
import { worseBy } from "./accuracy.js";

const LARGEST = 2 ** 20;
const MOST_PIECES = 4000;
/** Chances are counted in units of 2^-320, weights of a binomial law in units of 2^-1280. */
const FINE = 320n;
const FINER = 1280n;
const ONE_FINE = 1n << FINE;

function goal(step: Step, proper = false): Accuracy {
  const found = goalOf(step, "realizable", proper);
  require(found.error.below(ONE), "the error is out of range");
  return found;
}

/** r^0, r^1, ... in units of 2^-places, rounded up, until they are 1 unit. */
function powers(ratio: Rational, most: bigint, places: bigint): bigint[] {
  const found = [1n << places];
  for (let last = 1n << places; last > 1n && BigInt(found.length) <= most; ) {
    require(found.length <= 1_000_000, "a sum has too many terms");
    last = ceilDivide(last * ratio.numerator, ratio.denominator);
    found.push(last);
  }
  return found;
}

/** What is at or above E[missed(K)], K binomial, for a `missed` that falls; in units of 2^-FINE. */
function meanAbove(n: bigint, chance: Rational, missed: (k: bigint) => bigint): bigint {
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

/** All terms after one of this mass, each of which is at most `step` times the one before it. */
function beyond(mass: bigint, step: Rational): bigint {
  require(step.below(ONE), "a sum has too many terms");
  const share = step.over(ONE.minus(step));
  return ceilDivide(mass * share.numerator, share.denominator);
}

/** P[Binomial(n, chance) = k] in units of 2^-FINER, rounded up. */
function weight(n: bigint, k: bigint, chance: Rational): bigint {
  const few = k < n - k ? k : n - k;
  require(few <= 1_000_000n, "a sum has too many terms");
  let ways = 1n;
  for (let i = 0n; i < few; i += 1n) ways = ways * (n - i) / (i + 1n);
  const found = powerAbove(chance, k).times(powerAbove(ONE.minus(chance), n - k)).times(ways);
  return found.times(1n << FINER).ceil();
}

interface Everywhere {
  readonly goal: Accuracy;
  readonly missed: (k: bigint) => bigint;
  readonly heavy: Rational;
  readonly noise: Rational;
}

/** Whether the failure is at most the promised one whatever the mass p of the value is: shown on pieces. */
function holdsEverywhere({ goal, missed, heavy, noise }: Everywhere): boolean {
  const { error, failure, records } = goal;
  if (!heavy.below(error)) return false;
  const edge = error.minus(heavy).over(ONE.minus(heavy));
  const todo: [Rational, Rational][] = [[ZERO, edge], [edge, error]];
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

/** A place between two masses, near the geometric mean of their distances to the error; any place will do. */
function cut(low: Rational, high: Rational, error: Rational): Rational {
  const product = error.minus(low).times(error.minus(high));
  const scale = 1n << 160n;
  const mean = Rational.of(integerRoot(product.times(scale * scale).floor()), scale);
  const found = error.minus(mean);
  return low.below(found) && found.below(high) ? found : low.plus(high).over(2n);
}

const clippedPointsAccuracy: Rule = (step) => {
  noPremise(step);
  const own = goal(step, true);
  const where = given(step, "domain", "ratio", "threshold", "margin", "records");
  where.records(own);
  const [others, ratio] = [where.whole("domain", 2) - 1n, where.ratio("ratio", true)];
  const [threshold, margin] = [where.count("threshold", 1, LARGEST), where.count("margin", 1)];
  require(margin <= threshold, "a parameter is out of range");
  const more = BigInt(others.toString(2).length); // a long domain must not hide how small a power is
  const table = powers(ratio, margin, FINE + more);
  const missed = (k: bigint): bigint => {
    const score = margin + k - (k > threshold ? k : threshold);
    const at = score < 0n ? 0 : Math.min(Number(score), table.length - 1);
    const x = ceilDivide(others * (table[at] ?? 0n), 1n << more);
    return ceilDivide(x << FINE, x + ONE_FINE);
  };
  require(holdsEverywhere({ goal: own, missed, heavy: Rational.of(1n, others), noise: ZERO }), "the bound fails");
};

const sparseSetsAccuracy: Rule = (step) => {
  noPremise(step);
  const own = goal(step);
  const where = given(step, "flip", "ratio", "records");
  const [n, flip, ratio] = [where.records(own), where.share("flip"), where.ratio("ratio", true)];
  const odds = flip.over(ONE.minus(flip));
  const table = powers(ratio, n, FINE);
  const missed = (k: bigint): bigint => {
    const at = k < BigInt(table.length) ? Number(k) : table.length - 1;
    const x = (table[at] ?? 0n) * odds.denominator;
    return ceilDivide(x << FINE, x + (odds.numerator << FINE));
  };
  require(holdsEverywhere({ goal: own, missed, heavy: flip, noise: flip }), "the bound fails");
};

function isPrime(n: bigint): boolean {
  for (let k = 2n; k * k <= n; k += 1n) if (n % k === 0n) return false;
  return n >= 2n;
}

const reedSolomonPoints: Rule = (step) => {
  noPremise(step);
  const own = goal(step);
  const where = given(step, "domain", "prime", "digits", "tolerated", "ratio", "records");
  const [n, domain, prime] = [where.records(own), where.whole("domain", 1), where.count("prime", 2, LARGEST)];
  const [digits, tolerated] = [where.count("digits", 2, LARGEST), where.share("tolerated")];
  require(isPrime(prime) && reaches(prime, digits, domain), "the code has no room for the domain");
  require(tolerated.below(own.error), "a parameter is out of range");
  const good = Rational.of(prime).minus(Rational.of(digits - 1n).over(tolerated)).ceil();
  require(good >= 1n, "the code has no good sets");
  const base = worseBy("realizable", own.error, where.ratio("ratio", true), tolerated);
  const odds = Rational.of(prime * prime - good, good);
  require(base.below(ONE) && powerAtMost(odds, base, n, own.failure), "the bound fails");
};

/** Whether base^count >= size, without a number much longer than that. */
export function reaches(base: bigint, count: bigint, size: bigint): boolean {
  let reached = 1n;
  for (let i = 0n; i < count && reached < size; i += 1n) reached *= base;
  return reached >= size;
}

const pairwiseCover: Rule = (step) => {
  noPremise(step);
  const own = goal(step);
  const where = given(step, "keys", "share", "good", "ratio", "records");
  const [n, keys, good] = [where.records(own), where.count("keys", 1), where.count("good", 1, LARGEST)];
  const [share, ratio] = [where.share("share"), where.ratio("ratio", true)];
  const tolerated = share.times(2n);
  require(good <= keys && tolerated.below(own.error), "a parameter is out of range");
  const left = own.failure.minus(fewAbove(keys, share.over(2n), good));
  const base = worseBy("realizable", own.error, ratio, tolerated);
  require(left.sign > 0 && base.below(ONE), "the bound fails");
  require(powerAtMost(Rational.of(keys + 1n - good, good), base, n, left), "the bound fails");
};

const sampledPointAccuracy: Rule = (step) => {
  noPremise(step);
  const own = goal(step);
  const where = given(step, "rate", "flip", "fail", "light", "records");
  const [rate, flip] = [where.share("rate", { one: true }), where.share("flip")];
  const [fail, light] = [where.share("fail", { zero: true }), where.share("light")];
  require(light.below(own.error), "the light mass is out of range");
  const left = own.failure.minus(fail).minus(flip).minus(flip.over(own.error.minus(light)));
  require(powerAtMost(ONE, ONE.minus(rate.times(light)), where.records(own), left), "the bound fails");
};

const boostedPoints: Rule = (step) => {
  const [own, old] = [goal(step), goal(onlyPremise(step))];
  const where = given(step, "runs", "selecting", "tolerated", "ratio", "tilt", "records");
  const [runs, last] = [where.count("runs", 1, LARGEST), where.count("selecting", 0)];
  const { tilt } = where.tilted(true);
  const tolerated = where.fraction("tolerated");
  require(where.records(own) === runs * old.records + last, "the numbers of records differ");
  require(old.error.atMost(tolerated) && tolerated.below(own.error), "a parameter is out of range");
  const left = own.failure.minus(powerAbove(old.failure, runs));
  const base = worseBy("realizable", own.error, tilt, tolerated);
  require(base.below(ONE) && powerAtMost(Rational.of(runs - 1n), base, last, left), "the bound fails");
};

export const POINTS: Readonly<Record<string, Rule>> = {
  "clipped-points-accuracy": clippedPointsAccuracy,
  "sparse-sets-accuracy": sparseSetsAccuracy,
  "reed-solomon-points": reedSolomonPoints,
  "pairwise-cover": pairwiseCover,
  "sampled-point-accuracy": sampledPointAccuracy,
  "boosted-points": boostedPoints,
};
