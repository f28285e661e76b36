/**
 * The checker of privpac's documents in JavaScript: what `privpac.checker` checks, with a reader, an evaluator and an
 * arithmetic of its own.
 */

import { Book, reasonOf } from "./book.js";
import { CERTIFICATE, checkCertificate, checkClasses, refuseEarlier } from "./certificate.js";
import { ascii, hexadecimal, sha256 } from "./hashing.js";
import { canonical, parse } from "./json.js";
import { Broken, Refusal } from "./refusal.js";
import { areSignatures, signersOf } from "./signature.js";

/** @import { Entries, Json } from "./types.js" */
/** @import { Signer } from "./signature.js" */
/** @typedef {{ name: string, asks: string, fields: string[] }} Kind */
/** @typedef {{ accepted: boolean, reason: string, steps: number }} Verdict */
/**
 * What was established of a document.
 * @typedef {object} Found
 * @property {string} kind For people: "model file", "certificate".
 * @property {Entries} tree
 * @property {Entries} certificate
 * @property {string | null} digest A bare certificate has none.
 * @property {number} steps How many were derived again.
 * @property {Signer[]} signers
 */

const SEALED = ["format", "version", "schema", "certificate", "digest"];
/** @type {ReadonlyMap<string, Kind>} */
const KINDS = new Map([
  ["privpac-model/2", { name: "model file", asks: "concepts", fields: [...SEALED, "hypothesis", "leaf_counts", "estimate"] }],
  ["privpac-table/2", { name: "released table", asks: "columns", fields: [...SEALED, "table"] }],
  ["privpac-bundle/2", { name: "description of a bundle", asks: "predictor", fields: [...SEALED, "id"] }],
]);
const VERSION = /^[0-9A-Za-z.+!_-]{1,64}$/;
const AGAIN = "Copy it again from where it was made.";

/** A checker by this rule book: the text of rules.txt. */
export class Checker {
  /** @param {string} rules */
  constructor(rules) {
    this.book = new Book(rules);
  }

  /**
   * Check the text of a model file, released table, `bundle.json` or certificate. Never throws.
   * @param {string} text @returns {Verdict}
   */
  verify(text) {
    return judged((derived) => this.check(read(text), derived));
  }

  /**
   * Check a derivation on its own: a step with its premises, whatever fact it ends with. Never throws.
   * @param {string} text @returns {Verdict}
   */
  verifyDerivation(text) {
    return judged((derived) => this.book.derive(read(text), "derivation", derived));
  }

  /**
   * Check a document that was read; a `Refusal` if it is none, or does not follow.
   * @param {Json} value @param {{ steps: number }} [derived] @returns {Found}
   */
  check(value, derived = { steps: 0 }) {
    const format = value instanceof Map ? value.get("format") : undefined;
    refuseEarlier(format, "The file");
    const kind = KINDS.get(String(format));
    if (!(value instanceof Map) || typeof format !== "string" || (kind === undefined && format !== CERTIFICATE)) {
      const names = [...[...KINDS.values()].map(({ name }) => name), "certificate"].join(" or ");
      throw new Refusal(`The file is not a ${names} of format ${[...KINDS.keys(), CERTIFICATE].join(" or ")}.`);
    }
    if (kind === undefined) {
      const certificate = checkCertificate(this.book, value, derived);
      return { kind: "certificate", tree: value, certificate, digest: null, steps: derived.steps, signers: [] };
    }
    const digest = sealOf(value, kind);
    const certificate = checkCertificate(this.book, value.get("certificate"), derived);
    const signers = signersOf(value.get("signatures"), digest);
    const request = certificate.get("request");
    if (!(request instanceof Map && request.has(kind.asks))) {
      throw new Refusal(`The certificate is not that of a ${kind.name}.`);
    }
    checkClasses(this.book, certificate, value.get("schema"));
    return { kind: kind.name, tree: value, certificate, digest, steps: derived.steps, signers };
  }
}

/**
 * The value of the text of a file; a `Refusal` where it is no JSON, or beyond the limits.
 * @param {string} text @returns {Json}
 */
export function read(text) {
  try {
    return parse(text);
  } catch (problem) {
    const reason = problem instanceof Broken ? problem.message : reasonOf(problem);
    if (reason === null) throw problem;
    throw new Refusal(`The file cannot be read as a document of privpac: ${reason}.`, AGAIN);
  }
}

/**
 * The digest of a document; a `Refusal` if it is not the one it holds, or the document holds what is never written.
 * @param {Entries} tree @param {Kind} kind @returns {string}
 */
function sealOf(tree, kind) {
  if (!tree.has("digest")) {
    throw new Refusal(
      `The file has no digest, which every ${kind.name} is written with: part of it was taken out.`, AGAIN);
  }
  const digest = digestOf(tree);
  if (tree.get("digest") !== digest) {
    throw new Refusal("The file was changed after it was written: its digest does not match.", AGAIN);
  }
  const fields = [...tree.keys()].filter((key) => key !== "signatures");
  const known = fields.length === kind.fields.length && kind.fields.every((field) => tree.has(field));
  const version = tree.get("version");
  const named = typeof version === "string" && VERSION.test(version);
  if (!known || !named || !areSignatures(tree.get("signatures"), digest)) {
    throw new Refusal(`The ${kind.name} holds something that this version does not write.`);
  }
  return digest;
}

/**
 * Of the content without the digest itself, and without signatures, which vouch for it.
 * @param {Entries} tree @returns {string}
 */
export function digestOf(tree) {
  const covered = new Map([...tree].filter(([key]) => key !== "digest" && key !== "signatures"));
  return `sha256:${hexadecimal(sha256(ascii(canonical(covered))))}`;
}

/** @param {(derived: { steps: number }) => unknown} look @returns {Verdict} */
function judged(look) {
  const derived = { steps: 0 };
  try {
    look(derived);
    return { accepted: true, reason: "", steps: derived.steps };
  } catch (problem) {
    if (problem instanceof Refusal) return { accepted: false, reason: problem.message, steps: derived.steps };
    const reason = reasonOf(problem) ?? `a fault of the checker: ${String(problem)}`;
    return { accepted: false, reason, steps: derived.steps };
  }
}
