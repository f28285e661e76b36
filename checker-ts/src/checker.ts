/** A second checker of privpac's documents, written from docs/reference/formats.md and the pages of proofs. */

import { CERTIFICATE, checkCertificate, derive, type Derived } from "./certificate.js";
import { ascii, hexadecimal, sha256 } from "./hashing.js";
import { canonical, type Entries, entriesOf, parse } from "./json.js";
import { stepOf } from "./reading.js";
import { Refusal, require } from "./refusal.js";
import { RULES } from "./rules/index.js";
import { type Signer, signersOf } from "./signature.js";

const SEALED = ["format", "version", "schema", "certificate", "digest"];
const KINDS: ReadonlyMap<string, { name: string; fields: readonly string[] }> = new Map([
  ["privpac-model/1", { name: "model file", fields: [...SEALED, "hypothesis", "leaf_counts", "estimate"] }],
  ["privpac-table/1", { name: "released table", fields: [...SEALED, "table"] }],
  ["privpac-bundle/2", { name: "description of a bundle", fields: [...SEALED, "id"] }],
  ["privpac-bundle/1", { name: "description of a bundle", fields: [...SEALED, "files", "types"] }],
]);
const VERSION = /^[0-9A-Za-z.+!_-]{1,64}$/;

/** What a document promises, as it says; believe it only if it was accepted. */
export interface Promised {
  readonly kind: string;
  readonly version: string | null;
  readonly epsilon: string;
  readonly delta: string;
  readonly unit: string;
  readonly coins: string;
  readonly assumptions: readonly string[];
}

export interface Verdict {
  /** true: it follows; false: it does not; null: nothing is wrong, but some steps are not checked here. */
  readonly accepted: boolean | null;
  /** Why it was not accepted; empty if it was. */
  readonly reason: string;
  /** How many steps were derived again. */
  readonly steps: number;
  /** Rules that this implementation does not know. */
  readonly notChecked: readonly string[];
  readonly promise: Promised | null;
  /** Whose signatures hold. */
  readonly signers: readonly Signer[];
}

/** The rules that are derived again here. */
export const CHECKED: readonly string[] = [...RULES.keys()];

/** Check the text of a model file, released table, `bundle.json` or certificate. Never throws. */
export function verify(text: string): Verdict {
  return judged(text, (tree, derived) => {
    const signers = tree.get("format") === CERTIFICATE ? bare(tree, derived) : sealed(tree, derived);
    return { promise: promised(tree), signers };
  });
}

/** Check a derivation on its own: a step with its premises, whatever fact it ends with. Never throws. */
export function verifyDerivation(text: string): Verdict {
  return judged(text, (tree, derived) => {
    derive(stepOf(tree), "derivation", derived);
    return { promise: null, signers: [] };
  });
}

type Found = Pick<Verdict, "promise" | "signers">;

function judged(text: string, look: (tree: Entries, derived: Derived) => Found): Verdict {
  const derived: Derived = { steps: 0, unknown: new Set() };
  const nothing: Found = { promise: null, signers: [] };
  const verdict = (accepted: boolean | null, reason: string, found: Found): Verdict =>
    ({ accepted, reason, steps: derived.steps, notChecked: [...derived.unknown], ...found });
  try {
    const found = look(entriesOf(parse(text), "it is no document"), derived);
    if (derived.unknown.size === 0) return verdict(true, "", found);
    return verdict(null, `not checked by this implementation: ${[...derived.unknown].join(", ")}`, found);
  } catch (problem) {
    if (problem instanceof Refusal) return verdict(false, problem.message, nothing);
    if (problem instanceof RangeError) return verdict(false, "a number is out of range", nothing);
    return verdict(false, `a fault of the checker: ${String(problem)}`, nothing);
  }
}

function bare(tree: Entries, derived: Derived): Signer[] {
  checkCertificate(tree, derived, undefined);
  return [];
}

function sealed(tree: Entries, derived: Derived): Signer[] {
  const format = tree.get("format");
  const kind = typeof format === "string" ? KINDS.get(format) : undefined;
  if (kind === undefined) throw new Refusal("the format is not one that is known");
  const digest = digestOf(tree);
  require(tree.get("digest") === digest, "it was changed after it was written: its digest does not match");
  const fields = [...tree.keys()].filter((key) => key !== "signatures");
  const known = fields.length === kind.fields.length && kind.fields.every((field) => tree.has(field));
  const version = tree.get("version");
  require(known && typeof version === "string" && VERSION.test(version), "it holds something that nobody writes");
  const signers = signersOf(tree.get("signatures"), digest);
  checkCertificate(tree.get("certificate"), derived, tree.get("schema") ?? null);
  return signers;
}

function digestOf(tree: Entries): string {
  const covered = new Map([...tree].filter(([key]) => key !== "digest" && key !== "signatures"));
  return `sha256:${hexadecimal(sha256(ascii(canonical(covered))))}`;
}

function promised(tree: Entries): Promised {
  const alone = tree.get("format") === CERTIFICATE;
  const certificate = alone ? tree : entriesOf(tree.get("certificate"), "a certificate is expected");
  const fact = entriesOf(entriesOf(certificate.get("privacy"), "a step").get("fact"), "a fact");
  const assumptions = certificate.get("assumptions");
  return {
    kind: alone ? "certificate" : (KINDS.get(String(tree.get("format")))?.name ?? ""),
    version: alone ? null : String(tree.get("version")),
    epsilon: String(certificate.get("epsilon")),
    delta: String(certificate.get("delta")),
    unit: String(fact.get("unit")),
    coins: String(certificate.get("coins")),
    assumptions: Array.isArray(assumptions) ? assumptions.map(String) : [],
  };
}
