/** What the page shows of the files that were brought to it: the verdict first, then what stands behind it. */

import { Checker, digestOf, read } from "../../../../checker/js/checker.js";
import { listOf, premisesOf } from "../../../../checker/js/certificate.js";
import { entriesOf } from "../../../../checker/js/json.js";
import { Broken, Refusal } from "../../../../checker/js/refusal.js";
import { bytes, isName, SIGNATURE, signersOf } from "../../../../checker/js/signature.js";
import { decimal } from "../../../../checker/js/values.js";
import {
  doesNotMean, factInWords, grouped, guessedAtMost, means, parameter, privacyOf, protectedThing, visible, warnings,
} from "./words.js";

/** @import { Found } from "../../../../checker/js/checker.js" */
/** @import { Entries, Json } from "../../../../checker/js/types.js" */
/** @import { Signer } from "../../../../checker/js/signature.js" */
/** @typedef {{ name: string, content: Uint8Array }} File */
/** @typedef {"document" | "signature" | "keys"} Role */
/**
 * @typedef {{ at: number, name: string, role: Role, value: Json, problem: Refusal | null, keys: Map<string, string> }} Brought
 */
/** @typedef {Readonly<Record<string, [string, string]>>} Titles A title and a source for each rule. */
/**
 * @typedef {{ fact: string, title: string, source: string, where: string[][], assumes: string[], premises: Drawn[], more: number }} Drawn
 */

/** @type {ReadonlyMap<Json | undefined, { released: string, rest: string }>} */
const DOCUMENTS = new Map([
  ["privpac-model/2", {
    released: "a rule that predicts",
    rest: "whether the rule beside it is one that these parameters ever release",
  }],
  ["privpac-table/2", {
    released: "a table of synthetic records",
    rest: "whether the synthetic records beside it are such as these parameters ever release",
  }],
  ["privpac-bundle/2", {
    released: "answers to questions, from a bundle that stays where it is",
    rest: "the secret file that lies beside this description",
  }],
  ["privpac-certificate/2", {
    released: "whatever this certificate was issued for",
    rest: "which release it belongs to: a certificate on its own has no digest",
  }],
]);
// What is shown of a file, which anybody may have written: all of it is checked, and a browser must be able to draw it.
const MOST_COLUMNS = 200;
const MOST_STEPS = 500;
const MOST_PROOFS = 50;
const MOST_SENTENCES = 50;
const MOST_CLASSES = 50;
const BESIDE = "The certificate follows, but what stands beside it in the file is nothing that privpac writes.";

export class Looker {
  /** @param {string} rules The text of the rule book. @param {Titles} titles */
  constructor(rules, titles) {
    this.checker = new Checker(rules);
    this.titles = titles;
  }

  /**
   * What there is to say of files that were brought, beside those that were kept: a document, and what speaks for it. A
   * new document takes the place of the one before, and of its signatures; trusted keys stay. Of several documents the
   * last one counts. `verdict` is "waiting" (for a document), "verified", "caution" or "refused"; `files` says which
   * files to keep, by their place among `kept` and `brought`.
   * @param {File[]} brought @param {File[]} [kept]
   */
  look(brought, kept = []) {
    const found = arranged(kept, brought);
    const files = found.map(({ at, name, role }) => ({ at, name: visible(name), role }));
    if (!found.some(({ role }) => role === "document")) return { files, verdict: "waiting" };
    try {
      return { files, ...this.findings(found) };
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      const [reason = "", formula = ""] = problem.message.split("\n");
      return { files, verdict: "refused", reason: visible(reason), formula: visible(formula.trim()), remedy: problem.remedy };
    }
  }

  /** @param {Brought[]} files */
  findings(files) {
    const document = /** @type {Brought} */ (files.find(({ role }) => role === "document"));
    if (document.problem !== null) throw document.problem;
    const found = this.checker.check(document.value);
    const trusted = new Map(files.flatMap(({ keys }) => [...keys]));
    const beside = files.filter(({ role }) => role === "signature").map(({ value }) => value);
    const signers = [...found.signers, ...signersOf(beside, digestOf(found.tree))];
    try {
      return this.view(found, signers, trusted);
    } catch (problem) {
      throw problem instanceof Broken ? new Refusal(BESIDE) : problem;
    }
  }

  /**
   * A document that was accepted.
   * @param {Found} found @param {Signer[]} signers @param {Map<string, string>} trusted
   */
  view({ kind, tree, certificate, digest, steps }, signers, trusted) {
    const release = certificate.get("coins") === "system";
    const [epsilon, delta] = [String(certificate.get("epsilon")), String(certificate.get("delta"))];
    return {
      verdict: release ? "verified" : "caution",
      kind,
      epsilon: visible(epsilon),
      delta: visible(delta),
      protected: protectedThing(certificate),
      guess: guessedAtMost(decimal(epsilon), decimal(delta)),
      steps,
      sealed: digest !== null,
      warnings: first(warnings(certificate), MOST_SENTENCES),
      privacy: visible(factInWords(privacyOf(certificate))),
      means: first(means(certificate), MOST_SENTENCES),
      does_not_mean: doesNotMean(certificate),
      signers: signers.map((signer) => signature(signer, trusted)),
      derivations: this.derivations(certificate),
      accuracy: first(proofs(certificate, "accuracy").map((proof) => factInWords(factOf(proof))), MOST_PROOFS),
      stated: stated(tree, certificate),
      columns: columns(tree),
      checked: checked(digest !== null, signers.length, steps, this.checker.book.rules.size),
      not_checked: notChecked(tree, signers, trusted),
    };
  }

  /** @param {Entries} certificate */
  derivations(certificate) {
    const also = proofs(certificate, "also");
    const all = /** @type {[string, Entries][]} */ ([
      ["Privacy", certificate.get("privacy")],
      ...also.map((proof) => [`For those who know more: ${String(factOf(proof).get("release"))}`, proof]),
      ...proofs(certificate, "accuracy").map((proof) => ["Accuracy", proof]),
    ]);
    const room = { steps: MOST_STEPS };
    return all.slice(0, MOST_PROOFS).map(([heading, proof]) => (
      { heading, count: count(proof), step: this.drawn(proof, room) }
    ));
  }

  /**
   * The step, with those below it for which there is room; `more` counts the others.
   * @param {Entries} step @param {{ steps: number }} room @returns {Drawn}
   */
  drawn(step, room) {
    room.steps -= 1;
    /** @type {Drawn[]} */
    const premises = [];
    let more = 0;
    for (const premise of premisesOf(step)) {
      if (room.steps > 0) premises.push(this.drawn(premise, room));
      else more += count(premise);
    }
    const rule = String(step.get("rule"));
    const [title, source] = Object.hasOwn(this.titles, rule) ? this.titles[rule] ?? [rule, ""] : [rule.replaceAll("-", " "), ""];
    const where = /** @type {Entries} */ (step.get("where") ?? new Map());
    return {
      fact: visible(factInWords(factOf(step))),
      title,
      source,
      where: [...where].map(([name, value]) => parameter(name, value).map(visible)),
      assumes: listOf(step, "assumes").map(visible),
      premises,
      more,
    };
  }
}

// --- Files -----------------------------------------------------------------------------------------------------------

/** @param {File[]} kept @param {File[]} brought @returns {Brought[]} */
function arranged(kept, brought) {
  const now = brought.map((file, i) => opened(file, kept.length + i));
  let old = kept.map(opened);
  /** @param {Brought[]} files */
  const holdsDocument = (files) => files.some(({ role }) => role === "document");
  if (holdsDocument(old) && holdsDocument(now)) old = old.filter(({ role }) => role === "keys");
  const all = [...old, ...now];
  const last = Math.max(...all.filter(({ role }) => role === "document").map(({ at }) => at));
  return all.filter(({ role, at }) => role !== "document" || at === last);
}

/** @param {File} file @param {number} at @returns {Brought} */
function opened({ name, content }, at) {
  /** @type {Brought} */
  const file = { at, name, role: "document", value: null, problem: null, keys: new Map() };
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    const value = read(text);
    const signature = value instanceof Map && value.get("format") === SIGNATURE;
    return { ...file, value, role: signature ? "signature" : "document" };
  } catch (problem) {
    const keys = listedKeys(text);
    if (keys !== null) return { ...file, role: "keys", keys };
    const unreadable = new Refusal("The file cannot be read as a document of privpac.", "Copy it again from where it was made.");
    return { ...file, problem: problem instanceof Refusal ? problem : unreadable };
  }
}

/**
 * Names of trusted keys, from lines of a public key and a name; null if it is no such list.
 * @param {string} text @returns {Map<string, string> | null}
 */
function listedKeys(text) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const line of text.replace(/^\ufeff/, "").split("\n")) {
    const [, key, rest = ""] = /^(\S+)\s*(.*)$/s.exec((line.split("#")[0] ?? "").trim()) ?? [];
    if (key === undefined) continue;
    const name = rest || key;
    if (!isKey(key) || !isName(name) || (names.get(key) ?? name) !== name) return null;
    names.set(key, name);
  }
  return names.size > 0 ? names : null;
}

/** @param {string} text @returns {boolean} */
function isKey(text) {
  try {
    return bytes(text, 32).length === 32;
  } catch {
    return false;
  }
}

// --- What is said of a document --------------------------------------------------------------------------------------

/** @param {Signer} signer @param {Map<string, string>} trusted */
function signature({ signer, key, receipt, rebuilt }, trusted) {
  const known = trusted.get(key);
  return {
    name: visible(known ?? signer),
    trusted: known !== undefined,
    key,
    rebuilt,
    receipt: receipt && { ...receipt, entry: grouped(BigInt(receipt.entry)) },
  };
}

/**
 * What stands in the file and is not derived from anything: names, sizes, the writer.
 * @param {Entries} tree @param {Entries} certificate @returns {string[][]}
 */
function stated(tree, certificate) {
  const records = BigInt(String(certificate.get("labelled"))) + BigInt(String(certificate.get("unlabelled")));
  const rows = [["Released", releaseInWords(tree)], ["Records it was made from", grouped(records)]];
  if (tree !== certificate) {
    rows.push(["Written by", `privpac ${String(tree.get("version"))}`], ["Digest", String(tree.get("digest"))]);
  }
  return rows.map(([name = "", value]) => [name, visible(value)]);
}

/** @param {Entries} tree @returns {string} */
function releaseInWords(tree) {
  const words = DOCUMENTS.get(tree.get("format"))?.released ?? "";
  if (tree.get("format") !== "privpac-model/2") return words;
  const schema = entriesOf(tree.get("schema"), BESIDE);
  const classes = written(schema, "classes").slice(0, MOST_CLASSES).map(plain);
  return `${words} ${plain(schema.get("label"))} (${classes.join(", ")})`;
}

/** @param {Entries} tree @returns {string[][]} */
function columns(tree) {
  if (!tree.has("schema")) return [];
  const all = written(entriesOf(tree.get("schema"), BESIDE), "columns");
  const rows = all.slice(0, MOST_COLUMNS).map((column) => {
    const entries = entriesOf(column, BESIDE);
    return [visible(plain(entries.get("name"))), visible(plain(entries.get("kind")))];
  });
  const left = all.length - MOST_COLUMNS;
  return left > 0 ? [...rows, [`and ${grouped(left)} more`, ""]] : rows;
}

/** A list that a schema must hold. @param {Entries} schema @param {string} name @returns {Json[]} */
function written(schema, name) {
  if (!schema.has(name)) throw new Broken(BESIDE);
  return listOf(schema, name);
}

/** A name: a text, a number or a truth. @param {Json | undefined} value @returns {string} */
function plain(value) {
  if (value === undefined || value === null || typeof value === "object") throw new Broken(BESIDE);
  return String(value);
}

/**
 * What was looked at.
 * @param {boolean} sealed @param {number} signatures @param {number} steps @param {number} rules @returns {string[]}
 */
function checked(sealed, signatures, steps, rules) {
  return [
    ...(sealed ? ["The digest: nothing in the file was changed since it was written. Its fields are those that privpac writes."] : []),
    `Every step of its derivations (${grouped(steps)}): each follows from the steps below it by one of the ${rules} rules of the `
      + "rule book, with exact arithmetic.",
    "What stands on top of the certificate: epsilon, delta, assumptions and numbers of records are those that were derived.",
    ...(signatures > 0 ? [`Signatures (${signatures}): each is that of its key, for this very document.`] : []),
  ];
}

/**
 * What this page cannot see, and who can.
 * @param {Entries} tree @param {Signer[]} signers @param {Map<string, string>} trusted @returns {string[]}
 */
function notChecked(tree, signers, trusted) {
  const nobody = "Who made the file: nobody signed it. Its digest shows accidents, not authors.";
  const unknown = "Whose key it is: a name inside a signature is only a claim. Drop a list of the keys you trust on this page, "
    + "and it says whose they are.";
  return [
    "Whether the parameters and the schema in the file lead to this very certificate, and "
      + `${DOCUMENTS.get(tree.get("format"))?.rest}. That takes the library: \`privpac verify FILE\`.`,
    "Whether the records were what the schema says, whether the coins were honest, and what else was released from the same "
      + "records. No file can show that; whoever signs it vouches for it.",
    ...(signers.length === 0 ? [nobody] : []),
    ...(signers.some(({ key }) => !trusted.has(key)) ? [unknown] : []),
    ...(signers.some(({ receipt }) => receipt !== null)
      ? ["Whether the ledger has that charge: its owner can say, with `privpac ledger verify LEDGER --receipt FILE`."]
      : []),
  ];
}

/** @param {Entries} certificate @param {string} name @returns {Entries[]} */
function proofs(certificate, name) {
  return /** @type {Entries[]} */ (listOf(certificate, name));
}

/** @param {Entries} step @returns {Entries} */
function factOf(step) {
  return /** @type {Entries} */ (step.get("fact"));
}

/** The number of steps, this one included. @param {Entries} step @returns {number} */
function count(step) {
  return premisesOf(step).reduce((total, premise) => total + count(premise), 1);
}

/**
 * The first of them, and how many there are beside.
 * @param {string[]} texts @param {number} most @returns {string[]}
 */
function first(texts, most) {
  const left = texts.length - most;
  return [...texts.slice(0, most).map(visible), ...(left > 0 ? [`And ${grouped(left)} more.`] : [])];
}
