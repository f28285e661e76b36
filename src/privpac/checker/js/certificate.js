/** A certificate: every step is derived again, and what stands on top is what they end with. */

import { reasonOf } from "./book.js";
import { ONE, Rational } from "./rational.js";
import { Broken, Refusal, require } from "./refusal.js";
import { lossAbove, lossAtMost } from "./rounding.js";
import { decimal, natural } from "./values.js";

/** @import { Book } from "./book.js" */
/** @import { Names } from "./formula.js" */
/** @import { Entries, Json } from "./types.js" */

export const CERTIFICATE = "privpac-certificate/2";
const FIELDS = [
  "format", "epsilon", "delta", "assumptions", "coins", "labelled", "unlabelled", "request", "learner", "privacy",
  "accuracy",
];
const COINS = ["system", "seeded", "enumerated"];
const ALL = "all records";
const UNIT = Rational.of(1n, 10n ** 12n);
const LAST_READER = "0.2.0";

/**
 * Refuse what an earlier version wrote, and name the last version that reads it.
 * @param {Json | undefined} format @param {string} name
 */
export function refuseEarlier(format, name) {
  if (typeof format === "string" && /^privpac-[a-z-]+\/1$/.test(format)) {
    throw new Refusal(
      `${name} has the format ${format} of an earlier version, which privpac ${LAST_READER} reads.`,
      `Make it anew with this version, or read it with: pip install privpac==${LAST_READER}.`,
    );
  }
}

/**
 * Derive the certificate again; refuses the first thing that does not follow. Returns the certificate.
 * @param {Book} book @param {Json | undefined} value @param {{ steps: number }} derived @returns {Entries}
 */
export function checkCertificate(book, value, derived) {
  const tree = value instanceof Map ? value : new Map();
  refuseEarlier(tree.get("format"), "The certificate");
  if (tree.get("format") !== CERTIFICATE) {
    throw new Refusal(`This is not a certificate of a format this version knows (${CERTIFICATE}).`);
  }
  try {
    const known = [...tree.keys()].every((key) => FIELDS.includes(key) || key === "also");
    require(known && FIELDS.every((key) => tree.has(key)), "fields are missing or unknown");
    for (const name of ["accuracy", "assumptions", "also"]) listOf(tree, name);
    const privacy = book.derive(tree.get("privacy"), "privacy", derived);
    const also = listOf(tree, "also").map((step, i) => book.derive(step, `also[${i}]`, derived));
    const accuracy = listOf(tree, "accuracy").map((step, i) => book.derive(step, `accuracy[${i}]`, derived));
    for (const fact of [privacy, ...also]) {
      const whole = fact.get("kind") === "privacy" && fact.get("part") === ALL;
      require(whole, "the privacy derived is none, or that of a part of the records");
    }
    checkHeadline(tree, privacy);
    checkRecords(tree, accuracy);
  } catch (problem) {
    const reason = reasonOf(problem);
    throw reason === null ? problem : new Refusal(`The certificate does not follow: ${reason}.`);
  }
  return tree;
}

/**
 * A list in a certificate or a step; an empty one where there is none.
 * @param {Entries} tree @param {string} name @returns {Json[]}
 */
export function listOf(tree, name) {
  const found = tree.has(name) ? tree.get(name) : [];
  if (!Array.isArray(found)) throw new Broken("a list is expected");
  return found;
}

/** The steps that a step of an accepted certificate rests on. @param {Entries} step @returns {Entries[]} */
export function premisesOf(step) {
  return /** @type {Entries[]} */ (listOf(step, "premises"));
}

/** @param {Entries} tree @param {Names} privacy */
function checkHeadline(tree, privacy) {
  const loss = privacy.get("epsilon");
  const epsilon = decimal(tree.get("epsilon"));
  const charged = { log: epsilon, factor: ONE };
  require(lossAtMost(loss, charged), "the headline epsilon is smaller than the one derived");
  const rounded = loss.factor.equals(ONE)
    ? epsilon.equals(loss.log)
    : epsilon.minus(loss.log).over(UNIT).isWhole && lossAbove(loss, { log: epsilon.minus(UNIT), factor: ONE });
  require(rounded, "the headline epsilon is not the one derived, rounded up");
  require(decimal(tree.get("delta")).equals(privacy.get("delta")), "the headline delta is not the one derived");
  const assumed = [...new Set(assumptionsOf(/** @type {Entries} */ (tree.get("privacy"))))];
  const said = listOf(tree, "assumptions");
  const same = said.length === assumed.length && said.every((text, i) => text === assumed[i]);
  require(same, "the assumptions are not the derivation's");
}

/** @param {Entries} step @returns {Json[]} */
function assumptionsOf(step) {
  return [...listOf(step, "assumes"), ...premisesOf(step).flatMap(assumptionsOf)];
}

/** @param {Entries} tree @param {Names[]} accuracy */
function checkRecords(tree, accuracy) {
  const [labelled, unlabelled] = [natural(tree.get("labelled")), natural(tree.get("unlabelled"))];
  // Whether a prediction is right can be told from labelled records only; a released table speaks of all of them.
  const speaksOf = new Map([["accuracy", labelled], ["answers", labelled.plus(unlabelled)]]);
  for (const fact of accuracy) {
    const records = speaksOf.get(fact.get("kind"));
    require(records !== undefined, "there is no such kind of accuracy");
    require(records.equals(fact.get("records")), "an accuracy statement speaks of another number of records");
  }
  require(COINS.some((coins) => coins === tree.get("coins")), "there are no such coins");
  require(tree.get("learner") instanceof Map, "the learner is not described");
  require(tree.get("request") === null || tree.get("request") instanceof Map, "the request is malformed");
}

/**
 * Refuse a derivation for two classes beside a schema of any other number of them.
 * @param {Book} book @param {Entries} certificate @param {Json | undefined} schema
 */
export function checkClasses(book, certificate, schema) {
  const proofs = [certificate.get("privacy"), ...listOf(certificate, "also"), ...listOf(certificate, "accuracy")];
  const classes = schema instanceof Map ? schema.get("classes") : undefined;
  const two = Array.isArray(classes) && classes.length === 2;
  if (!two && proofs.some((step) => isForTwoClasses(book, /** @type {Entries} */ (step)))) {
    throw new Refusal("The certificate does not follow: a rule of it is proved for two classes only.");
  }
}

/** @param {Book} book @param {Entries} step @returns {boolean} */
function isForTwoClasses(book, step) {
  const forms = book.rules.get(String(step.get("rule"))) ?? [];
  return forms.some((rule) => rule.twoClasses) || premisesOf(step).some((one) => isForTwoClasses(book, one));
}
