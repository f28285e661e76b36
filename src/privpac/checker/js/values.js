/** Values of facts and parameters, each in the one way it is written. */

import { entriesOf, hasKeys, isCount } from "./json.js";
import { ONE, Rational } from "./rational.js";
import { Broken, require } from "./refusal.js";

/** @import { Value } from "./formula.js" */
/** @import { Loss } from "./rounding.js" */

const MOST_NUMBERS = 64;
const MOST_CHARACTERS = 4300;
const DECIMAL_PLACES = 20;
const FRACTION = /^(0|-?[1-9][0-9]*)(?:\/([1-9][0-9]*))?$/;
const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]*[1-9]))?$/;
const LONG = /^([1-9][0-9]{0,77})\*2\^([1-9][0-9]{0,6})$/;
const MANTISSA_BITS = 256n;
const LARGEST_SHIFT = 1n << 22n;

/** A fraction, written in lowest terms. @param {Value} written @returns {Rational} */
export function fraction(written) {
  const found = typeof written === "string" ? FRACTION.exec(written) : null;
  if (found === null) throw new Broken("a number is misspelt");
  const [, numerator = "", denominator = "1"] = found;
  require(Math.max(numerator.length, denominator.length) <= MOST_CHARACTERS, "a number is too long");
  const value = Rational.of(BigInt(numerator), BigInt(denominator));
  require(value.toString() === written, "a number is not written in lowest terms");
  return value;
}

/**
 * A decimal of at most twenty places, or a positive fraction where that is not exact.
 * @param {Value} written @returns {Rational}
 */
export function decimal(written) {
  if (typeof written === "string" && written.includes("/")) {
    const value = fraction(written);
    require(value.sign > 0 && !value.times(10n ** BigInt(DECIMAL_PLACES)).isWhole, "a number is misspelt");
    return value;
  }
  const found = typeof written === "string" && written.length <= MOST_CHARACTERS ? DECIMAL.exec(written) : null;
  if (found === null) throw new Broken("a number is misspelt");
  const [, whole = "", places = ""] = found;
  require(places.length <= DECIMAL_PLACES, "a number is misspelt");
  return Rational.of(BigInt(whole + places), 10n ** BigInt(places.length));
}

/** A count: of records, of runs, of steps. @param {Value} written @param {bigint} [least] @returns {Rational} */
export function natural(written, least = 0n) {
  if (!isCount(written, least)) throw new Broken("a whole number is expected, or is out of range");
  return Rational.of(written);
}

/**
 * A whole number of at least 1; one that is too long for its digits is m*2^k, with an odd m of at most 256 bits.
 * @param {Value} written @returns {Rational}
 */
function whole(written) {
  const found = typeof written === "string" ? LONG.exec(written) : null;
  if (found === null) {
    const value = fraction(written);
    require(value.isWhole && value.sign > 0, "a number is out of range");
    return value;
  }
  const [mantissa, shift] = [BigInt(found[1] ?? ""), BigInt(found[2] ?? "")];
  require(shift <= LARGEST_SHIFT, "a number is too long");
  require(mantissa % 2n === 1n && mantissa < 1n << MANTISSA_BITS, "a number is misspelt");
  const value = mantissa << shift;
  require(value >= 10n ** BigInt(MOST_CHARACTERS), "a number is misspelt"); // its digits would be short enough
  return Rational.of(value);
}

/** @param {Value} written @returns {string} */
function text(written) {
  if (typeof written !== "string" || written === "") throw new Broken("a text is expected");
  return written;
}

/** @param {(x: Rational) => boolean} holds @returns {(written: Value) => Rational} */
function within(holds) {
  return (written) => {
    const value = fraction(written);
    require(holds(value), "a number is out of range");
    return value;
  };
}

/** @param {Value} written @returns {Loss} */
function loss(written) {
  const entries = entriesOf(written, "an epsilon is expected");
  require(hasKeys(entries, ["log", "factor"]), "an epsilon has other fields than log and factor");
  const value = { log: fraction(entries.get("log")), factor: fraction(entries.get("factor")) };
  require(value.factor.sign > 0, "a factor is not positive");
  return value;
}

/** @param {(written: Value) => Rational} read @returns {(written: Value) => Rational[]} */
function listed(read) {
  return (written) => {
    const words = text(written).split(" ");
    require(words.length <= MOST_NUMBERS, "a list of numbers is misspelt or too long");
    return words.map(read);
  };
}

/** @param {Value} written @returns {boolean} */
function truth(written) {
  if (typeof written !== "boolean") throw new Broken("yes or no is expected");
  return written;
}

/** How the types that the book names are read. @type {ReadonlyMap<string, (written: Value) => Value>} */
export const TYPES = new Map(/** @type {[string, (written: Value) => Value][]} */ ([
  ["number", fraction],
  ["decimal", decimal],
  ["whole", whole],
  ["ratio", within((x) => x.sign > 0 && x.atMost(ONE))],
  ["inner", within((x) => x.sign > 0 && x.below(ONE))],
  ["natural", (written) => natural(written)],
  ["count", (written) => natural(written, 1n)],
  ["several", (written) => natural(written, 2n)],
  ["numbers", listed(fraction)],
  ["wholes", listed(whole)],
  ["text", text],
  ["truth", truth],
  ["loss", loss],
]));
