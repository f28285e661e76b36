/** Fractions of integers of any length, always in lowest terms. */

/** How many binary digits |x| has; 0 has none. @param {bigint} x @returns {number} */
export function bitLength(x) {
  const digits = (x < 0n ? -x : x).toString(16);
  return digits === "0" ? 0 : 4 * digits.length - Math.clz32(parseInt(digits.charAt(0), 16)) + 28;
}

/** The quotient rounded down, for a positive divisor. @param {bigint} a @param {bigint} b @returns {bigint} */
export function floorDivide(a, b) {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** The quotient rounded up, for a positive divisor. @param {bigint} a @param {bigint} b @returns {bigint} */
export function ceilDivide(a, b) {
  return -floorDivide(-a, b);
}

/** The root of x >= 0, rounded down, by Newton's method from above. @param {bigint} x @returns {bigint} */
export function integerRoot(x) {
  if (x < 2n) return x;
  let root = 1n << BigInt((bitLength(x) + 1) >> 1);
  for (;;) {
    const next = (root + x / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** @param {bigint} a @param {bigint} b @returns {bigint} */
function commonDivisor(a, b) {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export class Rational {
  /** @param {bigint} numerator @param {bigint} denominator */
  constructor(numerator, denominator) {
    /** @readonly */
    this.numerator = numerator;
    /** @readonly */
    this.denominator = denominator;
  }

  /**
   * numerator/denominator, for a positive denominator.
   * @param {bigint | number} numerator @param {bigint | number} [denominator] @returns {Rational}
   */
  static of(numerator, denominator = 1n) {
    const [a, b] = [BigInt(numerator), BigInt(denominator)];
    if (b <= 0n) throw new RangeError("a denominator must be positive");
    if (b === 1n) return new Rational(a, b);
    const common = commonDivisor(a, b);
    return new Rational(a / common, b / common);
  }

  /** mantissa * 2^exponent. @param {bigint} mantissa @param {bigint} exponent @returns {Rational} */
  static binary(mantissa, exponent) {
    return exponent >= 0n ? Rational.of(mantissa << exponent) : Rational.of(mantissa, 1n << -exponent);
  }

  /** @param {Rational} other @returns {Rational} */
  plus(other) {
    if (this.denominator === other.denominator) {
      return Rational.of(this.numerator + other.numerator, this.denominator);
    }
    return Rational.of(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  /** @param {Rational} other @returns {Rational} */
  minus(other) {
    return this.plus(new Rational(-other.numerator, other.denominator));
  }

  /** @param {Rational | bigint} other @returns {Rational} */
  times(other) {
    const factor = typeof other === "bigint" ? new Rational(other, 1n) : other;
    return Rational.of(this.numerator * factor.numerator, this.denominator * factor.denominator);
  }

  /** @param {Rational | bigint} other @returns {Rational} */
  over(other) {
    const by = typeof other === "bigint" ? new Rational(other, 1n) : other;
    if (by.numerator === 0n) throw new RangeError("division by zero");
    return by.numerator > 0n
      ? Rational.of(this.numerator * by.denominator, this.denominator * by.numerator)
      : Rational.of(-this.numerator * by.denominator, this.denominator * -by.numerator);
  }

  /** @returns {Rational} */
  square() {
    return new Rational(this.numerator ** 2n, this.denominator ** 2n);
  }

  /** @param {bigint} count @returns {Rational} */
  power(count) {
    return new Rational(this.numerator ** count, this.denominator ** count);
  }

  /** -1, 0 or 1 as this is below, equal to or above the other. @param {Rational} other @returns {number} */
  compare(other) {
    const [a, b] = [this.numerator * other.denominator, other.numerator * this.denominator];
    return a < b ? -1 : a > b ? 1 : 0;
  }

  /** @param {Rational} other @returns {boolean} */
  equals(other) {
    return this.numerator === other.numerator && this.denominator === other.denominator;
  }

  /** @param {Rational} other @returns {boolean} */
  below(other) {
    return this.compare(other) < 0;
  }

  /** @param {Rational} other @returns {boolean} */
  atMost(other) {
    return this.compare(other) <= 0;
  }

  /** @returns {number} */
  get sign() {
    return this.numerator < 0n ? -1 : this.numerator > 0n ? 1 : 0;
  }

  /** @returns {boolean} */
  get isWhole() {
    return this.denominator === 1n;
  }

  /** The longer of numerator and denominator, in bits. @returns {number} */
  get bits() {
    return Math.max(bitLength(this.numerator), bitLength(this.denominator));
  }

  /** @returns {bigint} */
  floor() {
    return floorDivide(this.numerator, this.denominator);
  }

  /** @returns {bigint} */
  ceil() {
    return ceilDivide(this.numerator, this.denominator);
  }

  /** @returns {string} */
  toString() {
    return this.isWhole ? `${this.numerator}` : `${this.numerator}/${this.denominator}`;
  }
}

export const ZERO = Rational.of(0);
export const ONE = Rational.of(1);
export const TWO = Rational.of(2);

/** @param {Rational} a @param {Rational} b @returns {Rational} */
export function smaller(a, b) {
  return a.atMost(b) ? a : b;
}

/** @param {Rational} a @param {Rational} b @returns {Rational} */
export function larger(a, b) {
  return a.atMost(b) ? b : a;
}

/** @param {readonly Rational[]} values @returns {Rational} */
export function sum(values) {
  return values.reduce((total, value) => total.plus(value), ZERO);
}
