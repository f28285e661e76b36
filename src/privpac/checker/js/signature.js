/** Signatures inside a document: whose key vouches for it, and for which charge. */

import { signatureHolds } from "./ed25519.js";
import { ascii } from "./hashing.js";
import { canonical, entriesOf, hasKeys, isCount } from "./json.js";
import { Broken, Refusal, require } from "./refusal.js";

export const SIGNATURE = "privpac-signature/2";
const FIELDS = ["format", "document", "signer", "key", "receipt", "rebuilt", "signature"];
const MOST_SIGNATURES = 100;
const LONGEST_NAME = 200;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Characters that show nothing: the list on the page of formats, and not Unicode's categories, which grow. */
const UNSEEN = new RegExp(
  "[\\u{0}-\\u{1f}\\u{7f}-\\u{a0}\\u{ad}\\u{34f}\\u{600}-\\u{605}\\u{61c}\\u{6dd}\\u{70f}\\u{890}\\u{891}\\u{8e2}" +
  "\\u{115f}\\u{1160}\\u{1680}\\u{17b4}\\u{17b5}\\u{180b}-\\u{180f}\\u{2000}-\\u{200f}\\u{2028}-\\u{202f}" +
  "\\u{205f}-\\u{206f}\\u{2800}\\u{3000}\\u{3164}\\u{d800}-\\u{f8ff}\\u{fdd0}-\\u{fdef}\\u{fe00}-\\u{fe0f}\\u{feff}" +
  "\\u{ffa0}\\u{fff0}-\\u{ffff}\\u{110bd}\\u{110cd}\\u{13430}-\\u{1345f}\\u{1bca0}-\\u{1bcaf}" +
  "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{10ffff}]",
  "u",
);
const LEDGER = /^[0-9a-f]{32}$/;
const HEAD = /^[0-9a-f]{64}$/;

/** @import { Entries, Json } from "./types.js" */
/** @typedef {{ ledger: string, entry: string, head: string }} Receipt  */

/**
 * @typedef {{ signer: string, key: string, receipt: Receipt | null, rebuilt: boolean }} Signer A signature that holds. Whose key it is, is the signer's own word.
 */

/**
 * Whether they have the form of signatures of this document.
 * @param {Json | undefined} rows @param {string} digest @returns {boolean}
 */
export function areSignatures(rows, digest) {
  /** @param {Json} row */
  const fits = (row) => row instanceof Map && hasKeys(row, FIELDS)
    && row.get("format") === SIGNATURE && row.get("document") === digest;
  return rows === undefined || (Array.isArray(rows) && rows.length <= MOST_SIGNATURES && rows.every(fits));
}

/**
 * Everybody who signed a document of this digest; a `Refusal` if one signature does not hold.
 * @param {Json | undefined} rows @param {string} digest @returns {Signer[]}
 */
export function signersOf(rows, digest) {
  return rows === undefined ? [] : /** @type {Json[]} */ (rows).map((row) => signerOf(row, digest));
}

/** @param {Json} value @param {string} digest @returns {Signer} */
function signerOf(value, digest) {
  const { row, signer, key, receipt, rebuilt } = signed(value);
  if (row.get("document") !== digest) {
    throw new Refusal(`The signature of '${signer}' belongs to another document.`, "Ask the signer for the document that was signed.");
  }
  const statement = new Map([...row].filter(([name]) => name !== "signature"));
  const message = ascii(`${SIGNATURE}\n${canonical(statement)}`);
  if (!signatureHolds(bytes(key, 32), message, bytes(text(row.get("signature")), 64))) {
    throw new Refusal(`The signature of '${signer}' is not that of its key.`, "Do not trust the document; ask the signer for another copy.");
  }
  return { signer, key, receipt, rebuilt };
}

/**
 * What a signature says, none of it checked against the document; a `Refusal` if it is malformed.
 * @param {Json} row @returns {Signer & { row: Entries }}
 */
function signed(row) {
  try {
    if (!(row instanceof Map) || !hasKeys(row, FIELDS) || row.get("format") !== SIGNATURE) {
      throw new Broken("it has other fields, or another format");
    }
    const [signer, key, rebuilt] = [text(row.get("signer")), text(row.get("key")), row.get("rebuilt")];
    require(isName(signer), "the signer has no name to show");
    const receipt = receiptOf(row.get("receipt"));
    bytes(key, 32);
    bytes(text(row.get("signature")), 64);
    if (typeof rebuilt !== "boolean") throw new Broken("it does not say whether the document was rebuilt");
    return { row, signer, key, receipt, rebuilt };
  } catch (problem) {
    if (!(problem instanceof Broken)) throw problem;
    throw new Refusal(`A signature is incomplete or malformed: ${problem.message}.`);
  }
}

/**
 * Whether somebody can be shown under this name: not empty, not long, every character visible.
 * @param {string} name @returns {boolean}
 */
export function isName(name) {
  return Array.from(name).length <= LONGEST_NAME && /[^ ]/.test(name) && !UNSEEN.test(name);
}

/** @param {Json | undefined} value @returns {string} */
function text(value) {
  if (typeof value !== "string") throw new Broken("text is expected");
  return value;
}

/** @param {Json | undefined} value @returns {Receipt | null} */
function receiptOf(value) {
  if (value === null) return null;
  const entries = entriesOf(value, "a receipt is malformed");
  require(hasKeys(entries, ["ledger", "entry", "head"]), "a receipt is malformed");
  const [ledger, head, entry] = [text(entries.get("ledger")), text(entries.get("head")), entries.get("entry")];
  require(LEDGER.test(ledger) && HEAD.test(head) && isCount(entry, 1n), "a receipt is malformed");
  return { ledger, entry: entry.toString(), head };
}

/**
 * The bytes of base64 with padding, in its one spelling.
 * @param {string} written @param {number} length @returns {Uint8Array}
 */
export function bytes(written, length) {
  const padding = (3 - (length % 3)) % 3;
  const digits = written.slice(0, written.length - padding);
  require(written.length === 4 * Math.ceil(length / 3) && written.endsWith("=".repeat(padding)), "it is not base64");
  let [value, found] = [0n, true];
  for (const digit of digits) {
    found &&= ALPHABET.includes(digit);
    value = (value << 6n) | BigInt(Math.max(0, ALPHABET.indexOf(digit)));
  }
  const spare = BigInt(2 * padding);
  require(found && BigInt.asUintN(Number(spare), value) === 0n, "it is not base64");
  const result = new Uint8Array(length);
  value >>= spare;
  for (let i = length - 1; i >= 0; i--, value >>= 8n) result[i] = Number(value & 255n);
  return result;
}
