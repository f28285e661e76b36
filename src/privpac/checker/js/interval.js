/**
 * Non-negative numbers between two bounds with a common power of two: rounding goes outwards, at a chosen precision.
 */

import { bitLength, ceilDivide, floorDivide, Rational } from "./rational.js";
import { Broken, require } from "./refusal.js";

/** Powers of two beyond this are in no certificate: 4,300 digits end long before. */
const FARTHEST = 1n << 17n;
const KEPT = 256;
const LARGEST_POWER_OF_E = Rational.of(1n << 20n);

/** Precisions to try until both bounds are rounded to the same number. */
export const PRECISIONS = [512, 1024, 2048, 4096, 8192, 16384, 65536];

export class Interval {
  /** @param {bigint} low @param {bigint} high @param {bigint} exponent @param {number} bits */
  constructor(low, high, exponent, bits) {
    /** @readonly */
    this.low = low;
    /** @readonly */
    this.high = high;
    /** @readonly */
    this.exponent = exponent;
    /** @readonly */
    this.bits = bits;
  }

  /**
   * low * 2^exponent to high * 2^exponent, cut outwards to `bits` bits.
   * @param {bigint} low @param {bigint} high @param {bigint} exponent @param {number} bits @returns {Interval}
   */
  static of(low, high, exponent, bits) {
    const excess = bitLength(high) - bits;
    if (excess <= 0) return new Interval(low, high, exponent, bits);
    const cut = BigInt(excess);
    return new Interval(low >> cut, -(-high >> cut), exponent + cut, bits);
  }

  /** @param {Rational} x @param {number} bits @returns {Interval} */
  static around(x, bits) {
    if (x.sign < 0) throw new RangeError("an interval holds no negative number");
    const shift = BigInt(bits + 2 + bitLength(x.denominator) - bitLength(x.numerator));
    const [a, b] = shift >= 0n ? [x.numerator << shift, x.denominator] : [x.numerator, x.denominator << -shift];
    return Interval.of(floorDivide(a, b), ceilDivide(a, b), -shift, bits);
  }

  /** @param {Interval} other @returns {Interval} */
  times(other) {
    return Interval.of(
      this.low * other.low,
      this.high * other.high,
      this.exponent + other.exponent,
      this.bits,
    );
  }

  /** @param {Interval} other @returns {Interval} */
  over(other) {
    if (other.low <= 0n) throw new Broken("a number is out of range");
    const room = BigInt(2 * this.bits);
    return Interval.of(
      floorDivide(this.low << room, other.high),
      ceilDivide(this.high << room, other.low),
      this.exponent - other.exponent - room,
      this.bits,
    );
  }

  /** The exponent of a grid fine enough for a sum of both. @param {Interval} other @returns {bigint} */
  grid(other) {
    /** @param {Interval} one @returns {bigint} */
    const top = (one) => one.exponent + BigInt(bitLength(one.high));
    const highest = top(this) > top(other) ? top(this) : top(other);
    const finest = this.exponent < other.exponent ? this.exponent : other.exponent;
    const enough = highest - BigInt(2 * this.bits);
    return finest > enough ? finest : enough;
  }

  /** @param {bigint} grid @returns {[bigint, bigint]} */
  on(grid) {
    const shift = this.exponent - grid;
    return shift >= 0n
      ? [this.low << shift, this.high << shift]
      : [this.low >> -shift, -(-this.high >> -shift)];
  }

  /** @param {Interval} other @returns {Interval} */
  plus(other) {
    const grid = this.grid(other);
    const [[a, b], [c, d]] = [this.on(grid), other.on(grid)];
    return Interval.of(a + c, b + d, grid, this.bits);
  }

  /** The difference, which is known not to be negative. @param {Interval} other @returns {Interval} */
  minus(other) {
    const grid = this.grid(other);
    const [[a, b], [c, d]] = [this.on(grid), other.on(grid)];
    return Interval.of(a > d ? a - d : 0n, b > c ? b - c : 0n, grid, this.bits);
  }

  /** @param {bigint} count @returns {Interval} */
  power(count) {
    let result = Interval.of(1n, 1n, 0n, this.bits);
    /** @type {Interval} */
    let square = this;
    for (let left = count; left > 0n; left >>= 1n) {
      if (left & 1n) result = result.times(square);
      if (left > 1n) square = square.times(square);
    }
    return result;
  }

  /** Both bounds as fractions; for numbers that could stand in a certificate. @returns {[Rational, Rational]} */
  ends() {
    require(this.exponent < FARTHEST && this.exponent > -8n * FARTHEST, "a number is out of range");
    return [Rational.binary(this.low, this.exponent), Rational.binary(this.high, this.exponent)];
  }

  /** A fraction at or above the number, however small that is. @returns {Rational} */
  above() {
    require(this.exponent < FARTHEST, "a number is out of range");
    if (this.exponent > -FARTHEST) return Rational.binary(this.high, this.exponent);
    const top = this.exponent + BigInt(bitLength(this.high));
    return top < -FARTHEST ? Rational.binary(1n, -FARTHEST) : Rational.binary(this.high, this.exponent);
  }

  /** Whether every number in it is at most x > 0. @param {Rational} x @returns {boolean} */
  certainlyAtMost(x) {
    if (x.sign <= 0) return false;
    const [a, b] = [this.high * x.denominator, x.numerator];
    const gap = BigInt(bitLength(a)) + this.exponent - BigInt(bitLength(b));
    if (gap !== 0n) return gap < 0n;
    return this.exponent >= 0n ? a << this.exponent <= b : a <= b << -this.exponent;
  }

  /** Whether every number in it is at least x. @param {Rational} x @returns {boolean} */
  certainlyAtLeast(x) {
    if (x.sign <= 0) return true;
    const [a, b] = [this.low * x.denominator, x.numerator];
    const gap = BigInt(bitLength(a)) + this.exponent - BigInt(bitLength(b));
    if (gap !== 0n) return gap > 0n;
    return this.exponent >= 0n ? a << this.exponent >= b : a >= b << -this.exponent;
  }
}

/** The smallest number of 256 significant bits at or above x > 0. @param {Rational} x @returns {Rational} */
export function ceil256(x) {
  let exponent = BigInt(bitLength(x.numerator) - bitLength(x.denominator) - KEPT - 1);
  for (;;) {
    const steps = exponent >= 0n
      ? ceilDivide(x.numerator, x.denominator << exponent)
      : ceilDivide(x.numerator << -exponent, x.denominator);
    if (steps <= 1n << BigInt(KEPT)) return Rational.binary(steps, exponent);
    exponent += 1n;
  }
}

/**
 * The number that both ends are rounded to, at the first precision where there is one.
 * @param {(bits: number) => Interval} at @returns {Rational}
 */
export function settled(at) {
  for (const bits of PRECISIONS) {
    const found = at(bits);
    if (found.low <= 0n) continue;
    const [low, high] = found.ends();
    const rounded = ceil256(high);
    if (ceil256(low).equals(rounded)) return rounded;
  }
  throw new Broken("a number could not be rounded");
}

/**
 * e^x between bounds: a Taylor sum for x/2^k, and k squarings.
 * @param {Rational} x @param {number} bits @returns {Interval}
 */
export function exponential(x, bits) {
  if (x.sign < 0) return Interval.of(1n, 1n, 0n, bits).over(exponential(Rational.of(0).minus(x), bits));
  require(x.atMost(LARGEST_POWER_OF_E), "an exponential is out of range");
  const halvings = bitLength(x.floor()) + 8;
  const places = bits + halvings + 32;
  const one = 1n << BigInt(places);
  const scaled = x.numerator << BigInt(places);
  const by = x.denominator << BigInt(halvings);
  const [least, most] = [floorDivide(scaled, by), ceilDivide(scaled, by)];
  let [low, high, small, large] = [one, one, one, one];
  for (let i = 1n; large > 1n; i += 1n) {
    small = small * least / (i << BigInt(places));
    large = ceilDivide(large * most, i << BigInt(places));
    low += small;
    high += large;
  }
  let result = Interval.of(low, high + 2n, BigInt(-places), places); // what follows is below the last term
  for (let i = 0; i < halvings; i++) result = result.times(result);
  return Interval.of(result.low, result.high, result.exponent, bits);
}

/**
 * Bounds of z + z^3/3 + z^5/5 + ... in units of 2^-places, for bounds of z between 0 and 1/3.
 * @param {bigint} least @param {bigint} most @param {bigint} places @returns {[bigint, bigint]}
 */
function inverseTangent(least, most, places) {
  const [low, high] = [least * least >> places, -(-(most * most) >> places)];
  let [small, large, below, above] = [least, most, 0n, 0n];
  for (let i = 1n; large > 1n; i += 2n) {
    below += small / i;
    above += ceilDivide(large, i);
    small = small * low >> places;
    large = -(-(large * high) >> places);
  }
  return [below, above + 2n];
}

/**
 * Bounds of ln x, x > 0: x = m * 2^k with 1 <= m < 2, ln m = 2 artanh((m - 1)/(m + 1)), ln 2 = 2 artanh(1/3).
 * @param {Rational} x @param {number} bits @returns {[Rational, Rational]}
 */
export function logarithm(x, bits) {
  let halvings = BigInt(bitLength(x.numerator) - bitLength(x.denominator));
  /** @param {bigint} k @returns {[bigint, bigint]} */
  const scaled = (k) =>
    k >= 0n ? [x.numerator, x.denominator << k] : [x.numerator << -k, x.denominator];
  let [a, b] = scaled(halvings);
  if (a < b) [a, b] = scaled((halvings -= 1n));
  const places = BigInt(bits + 32);
  const numerator = (a - b) << places;
  const [low, high] = inverseTangent(
    floorDivide(numerator, a + b), ceilDivide(numerator, a + b), places,
  );
  const third = (1n << places) / 3n;
  const [two, over] = inverseTangent(third, third + 1n, places);
  const [least, most] = halvings >= 0n ? [two, over] : [over, two];
  const unit = 1n << places;
  return [
    Rational.of(2n * (low + halvings * least), unit),
    Rational.of(2n * (high + halvings * most), unit),
  ];
}
