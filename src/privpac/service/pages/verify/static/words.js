/** Facts of a certificate in sentences, and what they mean: the words of privpac's own reports. */

import { exponential } from "../../../../checker/js/interval.js";
import { bitLength, ceilDivide, larger, ONE, Rational, ZERO } from "../../../../checker/js/rational.js";
import { lnUp, roundUp } from "../../../../checker/js/rounding.js";
import { decimal, fraction } from "../../../../checker/js/values.js";

/** @import { Entries, Json } from "../../../../checker/js/types.js" */

const LONGEST = 500;
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const FROM_DATA = "the schema is public; it was read from the data";

/**
 * A text that anybody may have written, without characters that hide or turn it around, and not too long.
 * @param {Json | undefined} text @returns {string}
 */
export function visible(text) {
  const start = Array.from(String(text).slice(0, 2 * LONGEST + 2));
  const excerpt = start.length <= LONGEST ? start.join("") : `${start.slice(0, LONGEST).join("")}…`;
  return HIDDEN.test(excerpt) ? `'${Array.from(excerpt, coded).join("")}'` : excerpt;
}

/** @param {string} character @returns {string} */
function coded(character) {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\\" || character === "'") return `\\${character}`;
  if (code >= 0x20 && code < 0x7f) return character;
  const short = new Map([[9, "\\t"], [10, "\\n"], [13, "\\r"]]).get(code);
  const digits = code.toString(16);
  if (short !== undefined) return short;
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

/** With commas between thousands. @param {bigint | number} count @returns {string} */
export const grouped = (count) => count.toLocaleString("en");

/**
 * A short decimal at or above a number that is not negative: what people are shown is never better than what is true.
 * @param {Rational} value @returns {string}
 */
export function decimalText(value) {
  if (value.sign === 0) return "0";
  if (Rational.of(1n, 1000n).atMost(value)) return withPoint(value.times(10n ** 6n).ceil(), 6);
  let exponent = decimalExponent(value);
  let mantissa = value.times(10n ** BigInt(3 - exponent)).ceil();
  if (mantissa === 10n ** 4n) [mantissa, exponent] = [10n ** 3n, exponent + 1];
  return `${withPoint(mantissa, 3)}e${exponent}`;
}

/** The largest e with 10^e <= value, for a positive value. @param {Rational} value @returns {number} */
function decimalExponent(value) {
  const ten = (/** @type {number} */ e) => (e >= 0 ? Rational.of(10n ** BigInt(e)) : Rational.of(1n, 10n ** BigInt(-e)));
  let guess = Math.trunc((bitLength(value.numerator) - bitLength(value.denominator)) * Math.log10(2));
  while (value.below(ten(guess))) guess -= 1;
  while (ten(guess + 1).atMost(value)) guess += 1;
  return guess;
}

/**
 * number / 10^digits as a decimal without zeros at its end.
 * @param {bigint} number @param {number} digits @returns {string}
 */
function withPoint(number, digits) {
  const scale = 10n ** BigInt(digits);
  const part = String(number % scale).padStart(digits, "0");
  return `${number / scale}.${part}`.replace(/\.?0*$/, "");
}

/** Six digits of a long number; all of them are in the file. @param {Json} value @returns {string} */
function short(value) {
  const text = String(value);
  if (text.length <= 16) return text;
  const [, sign, digits, denominator] = /^(-?)(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (digits === undefined || /^0*$/.test(denominator ?? "1")) return text;
  const number = Rational.of(BigInt(digits), BigInt(denominator ?? 1));
  if (number.sign === 0) return "≈ 0";
  const exponent = decimalExponent(number);
  if (exponent > 307) return `≈ 2^${bitLength(number.floor()) - 1}`;
  return `≈ ${sign}${sixDigits(number, exponent)}`;
}

/** @param {Rational} value @param {number} exponent @returns {string} */
function sixDigits(value, exponent) {
  const places = 5 - exponent;
  const scaled = places >= 0 ? value.times(10n ** BigInt(places)) : value.over(10n ** BigInt(-places));
  const mantissa = scaled.plus(Rational.of(1n, 2n)).floor();
  return mantissa === 10n ** 6n ? power(10n ** 5n, exponent + 1) : power(mantissa, exponent);
}

/**
 * mantissa * 10^(exponent - 5), for a mantissa of six digits.
 * @param {bigint} mantissa @param {number} exponent @returns {string}
 */
function power(mantissa, exponent) {
  if (exponent < -4 || exponent > 5) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${withPoint(mantissa, 5)}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  return withPoint(mantissa, 5 - exponent);
}

// --- Facts -----------------------------------------------------------------------------------------------------------

/** @type {ReadonlyMap<Json | undefined, string>} */
const RELEASED = new Map([
  ["hypothesis", "the rule is released"],
  ["one answer", "one answer is given"],
  ["several answers", "several answers are given"],
  ["noisy numbers", "noisy numbers are released"],
  ["hypothesis and positions asked", "the rule and the positions asked are released"],
  ["hypothesis and positions kept", "the rule and the positions kept are released"],
]);

/** One sentence for a fact of an accepted certificate. @param {Entries} fact @returns {string} */
export function factInWords(fact) {
  /** @param {string} name */
  const number = (name) => decimalText(fraction(fact.get(name)));
  const [unit, against, records, rivals] = ["unit", "against", "records", "rivals"].map((name) => String(fact.get(name)));
  const part = fact.get("part") === "all records" ? "" : ` of the ${String(fact.get("part"))}`;
  const among = fact.has("roles") ? ` (one of ${String(fact.get("roles"))} roles)` : "";
  const many = people(fact) > 1n ? `up to ${people(fact)} ${unit}s of one person` : `one ${unit}`;
  switch (fact.get("kind")) {
    case "privacy":
      return `(${epsilon(fact)}, ${number("delta")})-DP, ${many}${part}${among} replaced, ${RELEASED.get(fact.get("release"))}`;
    case "bounded-range":
      return `log-odds of any event move by at most ${epsilon(fact)}, one ${unit} replaced`;
    case "range":
      return `quotients of chances within a range of ${epsilon(fact)}, one ${unit}${part} replaced`;
    case "concentrated": {
      const but = number("delta") === "0" ? "" : ` but for ${number("delta")}`;
      return `${number("rho")}-zCDP${but}, ${many}${part}${among} replaced`;
    }
    case "stability":
      return `${number("gamma")}-stable, one ${unit} replaced`;
    case "answers":
      return `all ${String(fact.get("queries"))} are answered within ${number("error")} of their share of these ${records} records, `
        + `except with probability ${number("failure")}`;
  }
  if (against === "empirical") {
    return `at most ${number("error")} of ${records} records mistaken if some member mistakes none, `
      + `except with probability ${number("failure")}`;
  }
  const realizable = against === "realizable";
  return `${realizable ? "error" : `error above the best of ${rivals}`} at most ${number("error")}`
    + `${realizable ? ` if one of ${rivals} makes no error` : ""}, except with probability ${number("failure")}, `
    + `from ${records} independent records`;
}

/** @param {Entries} fact @returns {string} */
function epsilon(fact) {
  const loss = /** @type {Entries} */ (fact.get("epsilon"));
  return decimalText(larger(ZERO, fraction(loss.get("log")).plus(lnUp(fraction(loss.get("factor"))))));
}

/**
 * What people call a parameter of a step, and its value.
 * @param {string} name @param {Json} value @returns {[string, string]}
 */
export function parameter(name, value) {
  const said = typeof value === "boolean" ? (value ? "yes" : "no") : short(value);
  const text = name === "release" ? said.replace("hypothesis", "the rule") : said;
  return [name === "ratio" ? "factor per step" : name.replaceAll("_", " "), text];
}

// --- What it means ---------------------------------------------------------------------------------------------------

const CERTAIN = "100 %";
const BEYOND = Rational.of(40n);
const WEAK = Rational.of(5n);

/** e^x, rounded up to this many decimals. @param {Rational} x @param {bigint} digits @returns {Rational} */
function expAbove(x, digits) {
  return x.sign === 0 ? ONE : roundUp(digits, (bits) => exponential(x, bits).ends());
}

/**
 * (e^epsilon + delta)/(1 + e^epsilon), rounded up: the best chance of telling two possibilities apart.
 * @param {Rational} epsilon @param {Rational} delta @returns {string}
 */
export function guessedAtMost(epsilon, delta) {
  if (BEYOND.below(epsilon) || ONE.atMost(delta)) return CERTAIN;
  const factor = expAbove(epsilon, 12n);
  return percent(factor.plus(delta).over(ONE.plus(factor)));
}

/**
 * What a suspicion grows to at most, for a loss without a delta.
 * @param {Rational} epsilon @param {Rational} before @returns {string}
 */
function suspectedAtMost(epsilon, before) {
  const grown = before.times(expAbove(epsilon, 12n));
  return percent(grown.over(ONE.minus(before).plus(grown)));
}

/** One decimal, and more only where fewer would round up to certainty. @param {Rational} share @returns {string} */
function percent(share) {
  for (let digits = 1; digits <= 6; digits++) {
    const scale = 10n ** BigInt(digits);
    const found = ceilDivide(share.numerator * 100n * scale, share.denominator);
    if (found < 100n * scale) return `${found / scale}.${String(found % scale).padStart(digits, "0")} %`;
  }
  return CERTAIN;
}

/** The fact that a certificate ends with. @param {Entries} certificate @returns {Entries} */
export function privacyOf(certificate) {
  return /** @type {Entries} */ (/** @type {Entries} */ (certificate.get("privacy")).get("fact"));
}

/** Records of one person that are protected together. @param {Entries} fact @returns {bigint} */
function people(fact) {
  return BigInt(String(fact.get("records_per_person") ?? 1n));
}

/** @param {Entries} certificate @returns {string} */
export function protectedThing(certificate) {
  const fact = privacyOf(certificate);
  const label = fact.get("unit") === "label";
  if (people(fact) > 1n) return `${label ? "the labels of " : ""}all records of one person (up to ${people(fact)})`;
  return label ? "the label of one record" : "one record";
}

/** What somebody who trusts a certificate may conclude. @param {Entries} certificate @returns {string[]} */
export function means(certificate) {
  const [epsilon, delta] = [decimal(certificate.get("epsilon")), decimal(certificate.get("delta"))];
  const [thing, guess] = [protectedThing(certificate), guessedAtMost(epsilon, delta)];
  const it = people(privacyOf(certificate)) === 1n ? "it" : "them";
  const knows = `Somebody who knows everything except ${thing}`;
  return [
    `If ${thing} had been anything else, every possible outcome (${outcome(certificate)}) would have been almost as likely: `
      + `${factorInWords(certificate, epsilon, delta)}.`,
    guess === CERTAIN
      ? `${knows} may learn from this release which of two possibilities is true: at this epsilon nothing is promised that `
        + "would protect a person."
      : `${knows}, and finds two possibilities for ${it} equally likely, will guess the true one at most ${guess} of the time `
        + "after seeing this release.",
    "This holds whatever else they know, now or later, and whatever they do with it: predicting, publishing and rewriting "
      + "cost nothing more.",
    ...(delta.sign === 0 && guessedAtMost(epsilon, ZERO) !== CERTAIN
      ? ["Whatever somebody held likely before, its odds grow by at most that factor: a suspicion of 1 % to at most "
        + `${suspectedAtMost(epsilon, Rational.of(1n, 100n))}.`]
      : []),
    ...(WEAK.below(epsilon)
      ? ["At an epsilon this large the guarantee is weak: take it as a limit on the worst case, not as a comfort."]
      : []),
  ];
}

/** What the world sees. @param {Entries} certificate @returns {string} */
function outcome(certificate) {
  const release = String(privacyOf(certificate).get("release"));
  if (release.includes("answer")) return release.startsWith("one") ? "the one answer" : "all declared answers together";
  return release === "noisy numbers" ? "everything that was released" : "this rule and all numbers released with it";
}

/** @param {Entries} certificate @param {Rational} epsilon @param {Rational} delta @returns {string} */
function factorInWords(certificate, epsilon, delta) {
  const rest = delta.sign === 0
    ? "; delta 0 means without exception"
    : `, up to a further ${decimalText(delta)}, the delta`;
  return `its probability changes by a factor of at most e^${String(certificate.get("epsilon"))} ≤ ${plainFactor(epsilon)}, `
    + `which is what epsilon says${rest}`;
}

/** @param {Rational} epsilon @returns {string} */
function plainFactor(epsilon) {
  if (BEYOND.below(epsilon)) return `10^${epsilon.times(Rational.of(44n, 100n)).floor() + 1n}`; // 1/ln 10 < 0.44
  if (Rational.of(10n).below(epsilon)) return grouped(expAbove(epsilon, 0n).floor());
  const thousandths = expAbove(epsilon, 3n).times(1000n).floor();
  return `${grouped(thousandths / 1000n)}.${String(thousandths % 1000n).padStart(3, "0")}`;
}

/** What nobody may conclude from it. @param {Entries} certificate @returns {string[]} */
export function doesNotMean(certificate) {
  const several = people(privacyOf(certificate));
  return [
    "It does not hide what is true of people in general. A rule that holds for many also holds for somebody who was never in "
      + "the table.",
    "It does not cover the schema: bounds, categories, classes, a base rate and the number of records are taken to be public.",
    "It does not cover other releases from the same records: losses add up, and a ledger keeps the sum.",
    "It does not cover the table itself, the machine it is on, or errors and timings seen there.",
    several === 1n
      ? "It counts one record per person. Somebody with several records is protected less: two records double the epsilon, "
        + "three make it three times as large, and so on."
      : `It does not hold as it stands for somebody with more than ${several} records.`,
    "It says nothing about cause and effect or fairness, and its accuracy is that of records like these: where the world "
      + "changes, so does the error.",
  ];
}

/**
 * What a reader should know besides: seeded coins, a schema read from data, assumptions.
 * @param {Entries} certificate @returns {string[]}
 */
export function warnings(certificate) {
  const assumptions = /** @type {string[]} */ (certificate.get("assumptions"));
  return [
    ...(certificate.get("coins") === "system" ? [] : ["NOT FOR RELEASE: the coins came from a known seed."]),
    ...(assumptions.includes(FROM_DATA)
      ? ["The schema was read from the data: its bounds, categories and classes are released without protection."]
      : []),
    // Whoever wrote the file chose the words: they must not look like lines of ours.
    ...assumptions.map((text) => `Assumes that ${visible(text)}.`),
  ];
}
