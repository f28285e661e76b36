/** A second checker of privpac's documents, written from docs/reference/formats.md and the pages of proofs. */
import { CERTIFICATE, checkCertificate, derive } from "./certificate.js";
import { ascii, hexadecimal, sha256 } from "./hashing.js";
import { canonical, entriesOf, parse } from "./json.js";
import { stepOf } from "./reading.js";
import { Refusal, require } from "./refusal.js";
import { RULES } from "./rules/index.js";
import { signersOf } from "./signature.js";
const SEALED = ["format", "version", "schema", "certificate", "digest"];
const KINDS = new Map([
    ["privpac-model/1", { name: "model file", fields: [...SEALED, "hypothesis", "leaf_counts", "estimate"] }],
    ["privpac-table/1", { name: "released table", fields: [...SEALED, "table"] }],
    ["privpac-bundle/2", { name: "description of a bundle", fields: [...SEALED, "id"] }],
    ["privpac-bundle/1", { name: "description of a bundle", fields: [...SEALED, "files", "types"] }],
]);
const VERSION = /^[0-9A-Za-z.+!_-]{1,64}$/;
/** The rules that are derived again here. */
export const CHECKED = [...RULES.keys()];
/** Check the text of a model file, released table, `bundle.json` or certificate. Never throws. */
export function verify(text) {
    return judged(text, (tree, derived) => {
        const signers = tree.get("format") === CERTIFICATE ? bare(tree, derived) : sealed(tree, derived);
        return { promise: promised(tree), signers };
    });
}
/** Check a derivation on its own: a step with its premises, whatever fact it ends with. Never throws. */
export function verifyDerivation(text) {
    return judged(text, (tree, derived) => {
        derive(stepOf(tree), "derivation", derived);
        return { promise: null, signers: [] };
    });
}
function judged(text, look) {
    const derived = { steps: 0, unknown: new Set() };
    const nothing = { promise: null, signers: [] };
    const verdict = (accepted, reason, found) => ({ accepted, reason, steps: derived.steps, notChecked: [...derived.unknown], ...found });
    try {
        const found = look(entriesOf(parse(text), "it is no document"), derived);
        if (derived.unknown.size === 0)
            return verdict(true, "", found);
        return verdict(null, `not checked by this implementation: ${[...derived.unknown].join(", ")}`, found);
    }
    catch (problem) {
        if (problem instanceof Refusal)
            return verdict(false, problem.message, nothing);
        if (problem instanceof RangeError)
            return verdict(false, "a number is out of range", nothing);
        return verdict(false, `a fault of the checker: ${String(problem)}`, nothing);
    }
}
function bare(tree, derived) {
    checkCertificate(tree, derived, undefined);
    return [];
}
function sealed(tree, derived) {
    const format = tree.get("format");
    const kind = typeof format === "string" ? KINDS.get(format) : undefined;
    if (kind === undefined)
        throw new Refusal("the format is not one that is known");
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
function digestOf(tree) {
    const covered = new Map([...tree].filter(([key]) => key !== "digest" && key !== "signatures"));
    return `sha256:${hexadecimal(sha256(ascii(canonical(covered))))}`;
}
function promised(tree) {
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
