/** Fractions of integers of any length, always in lowest terms. */

/** How many binary digits |x| has; 0 has none. */
export function bitLength(x: bigint): number {
  const digits = (x < 0n ? -x : x).toString(16);
  return digits === "0" ? 0 : 4 * digits.length - Math.clz32(parseInt(digits.charAt(0), 16)) + 28;
}

/** The quotient rounded down, for a positive divisor. */
export function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** The quotient rounded up, for a positive divisor. */
export function ceilDivide(a: bigint, b: bigint): bigint {
  return -floorDivide(-a, b);
}

/** The root of x >= 0, rounded down, by Newton's method from above. */
export function integerRoot(x: bigint): bigint {
  if (x < 2n) return x;
  let root = 1n << BigInt((bitLength(x) + 1) >> 1);
  for (;;) {
    const next = (root + x / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export class Rational {
  private constructor(
    readonly numerator: bigint,
    readonly denominator: bigint,
  ) {}

  /** numerator/denominator, for a positive denominator. */
  static of(numerator: bigint | number, denominator: bigint | number = 1n): Rational {
    const [a, b] = [BigInt(numerator), BigInt(denominator)];
    if (b <= 0n) throw new RangeError("a denominator must be positive");
    if (b === 1n) return new Rational(a, b);
    const common = commonDivisor(a, b);
    return new Rational(a / common, b / common);
  }

  /** mantissa * 2^exponent. */
  static binary(mantissa: bigint, exponent: bigint): Rational {
    return exponent >= 0n ? Rational.of(mantissa << exponent) : Rational.of(mantissa, 1n << -exponent);
  }

  plus(other: Rational): Rational {
    if (this.denominator === other.denominator) {
      return Rational.of(this.numerator + other.numerator, this.denominator);
    }
    return Rational.of(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    );
  }

  minus(other: Rational): Rational {
    return this.plus(new Rational(-other.numerator, other.denominator));
  }

  times(other: Rational | bigint): Rational {
    const factor = typeof other === "bigint" ? new Rational(other, 1n) : other;
    return Rational.of(this.numerator * factor.numerator, this.denominator * factor.denominator);
  }

  over(other: Rational | bigint): Rational {
    const by = typeof other === "bigint" ? new Rational(other, 1n) : other;
    if (by.numerator === 0n) throw new RangeError("division by zero");
    return by.numerator > 0n
      ? Rational.of(this.numerator * by.denominator, this.denominator * by.numerator)
      : Rational.of(-this.numerator * by.denominator, this.denominator * -by.numerator);
  }

  square(): Rational {
    return new Rational(this.numerator ** 2n, this.denominator ** 2n);
  }

  power(count: bigint): Rational {
    return new Rational(this.numerator ** count, this.denominator ** count);
  }

  /** -1, 0 or 1 as this is below, equal to or above the other. */
  compare(other: Rational): number {
    const [a, b] = [this.numerator * other.denominator, other.numerator * this.denominator];
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Rational): boolean {
    return this.numerator === other.numerator && this.denominator === other.denominator;
  }

  below(other: Rational): boolean {
    return this.compare(other) < 0;
  }

  atMost(other: Rational): boolean {
    return this.compare(other) <= 0;
  }

  get sign(): number {
    return this.numerator < 0n ? -1 : this.numerator > 0n ? 1 : 0;
  }

  get isWhole(): boolean {
    return this.denominator === 1n;
  }

  /** The longer of numerator and denominator, in bits. */
  get bits(): number {
    return Math.max(bitLength(this.numerator), bitLength(this.denominator));
  }

  floor(): bigint {
    return floorDivide(this.numerator, this.denominator);
  }

  ceil(): bigint {
    return ceilDivide(this.numerator, this.denominator);
  }

  toString(): string {
    return this.isWhole ? `${this.numerator}` : `${this.numerator}/${this.denominator}`;
  }
}

export const ZERO = Rational.of(0);
export const ONE = Rational.of(1);
export const TWO = Rational.of(2);

export function smaller(a: Rational, b: Rational): Rational {
  return a.atMost(b) ? a : b;
}

export function larger(a: Rational, b: Rational): Rational {
  return a.atMost(b) ? b : a;
}

export function sum(values: readonly Rational[]): Rational {
  return values.reduce((total, value) => total.plus(value), ZERO);
}
