/** Signatures inside a document: whose key vouches for it, and for which charge. */

import { signatureHolds } from "./ed25519.js";
import { ascii } from "./hashing.js";
import { canonical, type Entries, entriesOf, hasKeys, isCount, type Json } from "./json.js";
import { Refusal, require } from "./refusal.js";

const FORMAT = "privpac-signature/1";
const FIELDS = ["format", "document", "signer", "key", "receipt", "signature"];
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

export interface Receipt {
  readonly ledger: string;
  readonly entry: string;
  readonly head: string;
}

/** A signature that holds. Whose key it is, is the signer's own word. */
export interface Signer {
  readonly signer: string;
  readonly key: string;
  readonly receipt: Receipt | null;
}

/** Everybody who signed the document; refuses if one signature does not hold. */
export function signersOf(rows: Json | undefined, digest: string): Signer[] {
  if (rows === undefined) return [];
  if (!Array.isArray(rows) || rows.length > MOST_SIGNATURES) throw new Refusal("the signatures are no short list");
  return rows.map((row) => signerOf(entriesOf(row, "a signature is malformed"), digest));
}

function signerOf(row: Entries, digest: string): Signer {
  require(hasKeys(row, FIELDS) && row.get("format") === FORMAT, "a signature is malformed");
  require(row.get("document") === digest, "a signature belongs to another document");
  const [signer, key] = [text(row.get("signer")), text(row.get("key"))];
  const shown = Array.from(signer).length;
  require(shown <= LONGEST_NAME && /[^ ]/.test(signer) && !UNSEEN.test(signer), "a signer has no name to show");
  const receipt = receiptOf(row.get("receipt"));
  const statement = new Map([...row].filter(([name]) => name !== "signature"));
  const message = ascii(`${FORMAT}\n${canonical(statement)}`);
  const holds = signatureHolds(bytes(key, 32), message, bytes(text(row.get("signature")), 64));
  require(holds, "a signature is not that of its key");
  return { signer, key, receipt };
}

function text(value: Json | undefined): string {
  if (typeof value !== "string") throw new Refusal("a signature is malformed");
  return value;
}

function receiptOf(value: Json | undefined): Receipt | null {
  if (value === null) return null;
  const entries = entriesOf(value, "a receipt is malformed");
  require(hasKeys(entries, ["ledger", "entry", "head"]), "a receipt is malformed");
  const [ledger, head, entry] = [text(entries.get("ledger")), text(entries.get("head")), entries.get("entry")];
  require(LEDGER.test(ledger) && HEAD.test(head) && isCount(entry, 1n), "a receipt is malformed");
  return { ledger, entry: entry.toString(), head };
}

/** The bytes of base64 with padding, in its one spelling. */
function bytes(written: string, length: number): Uint8Array {
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
