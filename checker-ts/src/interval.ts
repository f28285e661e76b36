/** Non-negative numbers between two bounds with a common power of two: rounding goes outwards, at a chosen precision. */

import { bitLength, ceilDivide, floorDivide, Rational } from "./rational.js";
import { Refusal, require } from "./refusal.js";

/** Powers of two beyond this are in no certificate: 4,300 digits end long before. */
const FARTHEST = 1n << 17n;
const KEPT = 256;
const LARGEST_POWER_OF_E = Rational.of(1n << 20n);

/** Precisions to try until both bounds are rounded to the same number. */
export const PRECISIONS = [512, 1024, 2048, 4096, 8192, 16384, 65536] as const;

export class Interval {
  private constructor(
    readonly low: bigint,
    readonly high: bigint,
    readonly exponent: bigint,
    readonly bits: number,
  ) {}

  /** low * 2^exponent to high * 2^exponent, cut outwards to `bits` bits. */
  static of(low: bigint, high: bigint, exponent: bigint, bits: number): Interval {
    const excess = bitLength(high) - bits;
    if (excess <= 0) return new Interval(low, high, exponent, bits);
    const cut = BigInt(excess);
    return new Interval(low >> cut, -(-high >> cut), exponent + cut, bits);
  }

  static around(x: Rational, bits: number): Interval {
    if (x.sign < 0) throw new RangeError("an interval holds no negative number");
    const shift = BigInt(bits + 2 + bitLength(x.denominator) - bitLength(x.numerator));
    const [a, b] = shift >= 0n ? [x.numerator << shift, x.denominator] : [x.numerator, x.denominator << -shift];
    return Interval.of(floorDivide(a, b), ceilDivide(a, b), -shift, bits);
  }

  times(other: Interval): Interval {
    return Interval.of(
      this.low * other.low,
      this.high * other.high,
      this.exponent + other.exponent,
      this.bits,
    );
  }

  over(other: Interval): Interval {
    if (other.low <= 0n) throw new Refusal("a number is out of range");
    const room = BigInt(2 * this.bits);
    return Interval.of(
      floorDivide(this.low << room, other.high),
      ceilDivide(this.high << room, other.low),
      this.exponent - other.exponent - room,
      this.bits,
    );
  }

  /** The exponent of a grid fine enough for a sum of both. */
  private grid(other: Interval): bigint {
    const top = (one: Interval): bigint => one.exponent + BigInt(bitLength(one.high));
    const highest = top(this) > top(other) ? top(this) : top(other);
    const finest = this.exponent < other.exponent ? this.exponent : other.exponent;
    const enough = highest - BigInt(2 * this.bits);
    return finest > enough ? finest : enough;
  }

  private on(grid: bigint): [bigint, bigint] {
    const shift = this.exponent - grid;
    return shift >= 0n
      ? [this.low << shift, this.high << shift]
      : [this.low >> -shift, -(-this.high >> -shift)];
  }

  plus(other: Interval): Interval {
    const grid = this.grid(other);
    const [[a, b], [c, d]] = [this.on(grid), other.on(grid)];
    return Interval.of(a + c, b + d, grid, this.bits);
  }

  /** The difference, which is known not to be negative. */
  minus(other: Interval): Interval {
    const grid = this.grid(other);
    const [[a, b], [c, d]] = [this.on(grid), other.on(grid)];
    return Interval.of(a > d ? a - d : 0n, b > c ? b - c : 0n, grid, this.bits);
  }

  power(count: bigint): Interval {
    let result = Interval.of(1n, 1n, 0n, this.bits);
    let square: Interval = this;
    for (let left = count; left > 0n; left >>= 1n) {
      if (left & 1n) result = result.times(square);
      if (left > 1n) square = square.times(square);
    }
    return result;
  }

  /** Both bounds as fractions; for numbers that could stand in a certificate. */
  ends(): [Rational, Rational] {
    require(this.exponent < FARTHEST && this.exponent > -8n * FARTHEST, "a number is out of range");
    return [Rational.binary(this.low, this.exponent), Rational.binary(this.high, this.exponent)];
  }

  /** A fraction at or above the number, however small that is. */
  above(): Rational {
    require(this.exponent < FARTHEST, "a number is out of range");
    if (this.exponent > -FARTHEST) return Rational.binary(this.high, this.exponent);
    const top = this.exponent + BigInt(bitLength(this.high));
    return top < -FARTHEST ? Rational.binary(1n, -FARTHEST) : Rational.binary(this.high, this.exponent);
  }

  /** Whether every number in it is at most x > 0. */
  certainlyAtMost(x: Rational): boolean {
    if (x.sign <= 0) return false;
    const [a, b] = [this.high * x.denominator, x.numerator];
    const gap = BigInt(bitLength(a)) + this.exponent - BigInt(bitLength(b));
    if (gap !== 0n) return gap < 0n;
    return this.exponent >= 0n ? a << this.exponent <= b : a <= b << -this.exponent;
  }

  /** Whether every number in it is at least x. */
  certainlyAtLeast(x: Rational): boolean {
    if (x.sign <= 0) return true;
    const [a, b] = [this.low * x.denominator, x.numerator];
    const gap = BigInt(bitLength(a)) + this.exponent - BigInt(bitLength(b));
    if (gap !== 0n) return gap > 0n;
    return this.exponent >= 0n ? a << this.exponent >= b : a >= b << -this.exponent;
  }
}

/** The smallest number of 256 significant bits at or above x > 0. */
export function ceil256(x: Rational): Rational {
  let exponent = BigInt(bitLength(x.numerator) - bitLength(x.denominator) - KEPT - 1);
  for (;;) {
    const steps = exponent >= 0n
      ? ceilDivide(x.numerator, x.denominator << exponent)
      : ceilDivide(x.numerator << -exponent, x.denominator);
    if (steps <= 1n << BigInt(KEPT)) return Rational.binary(steps, exponent);
    exponent += 1n;
  }
}

/** The number that both ends are rounded to, at the first precision where there is one. */
export function settled(at: (bits: number) => Interval): Rational {
  for (const bits of PRECISIONS) {
    const found = at(bits);
    if (found.low <= 0n) continue;
    const [low, high] = found.ends();
    const rounded = ceil256(high);
    if (ceil256(low).equals(rounded)) return rounded;
  }
  throw new Refusal("a number could not be rounded");
}

/** e^x between bounds: a Taylor sum for x/2^k, and k squarings. */
export function exponential(x: Rational, bits: number): Interval {
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

/** Bounds of z + z^3/3 + z^5/5 + ... in units of 2^-places, for bounds of z between 0 and 1/3. */
function inverseTangent(least: bigint, most: bigint, places: bigint): [bigint, bigint] {
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

/** Bounds of ln x, x > 0: x = m * 2^k with 1 <= m < 2, ln m = 2 artanh((m - 1)/(m + 1)), ln 2 = 2 artanh(1/3). */
export function logarithm(x: Rational, bits: number): [Rational, Rational] {
  let halvings = BigInt(bitLength(x.numerator) - bitLength(x.denominator));
  const scaled = (k: bigint): [bigint, bigint] =>
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
