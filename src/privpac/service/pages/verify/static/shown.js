/**
 * What was found, as a page: the verdict first, then what stands behind it. Every text goes in as text, never as HTML.
 */

/** @import { Drawn } from "./look.js" */
/**
 * @typedef {ReturnType<import("./look.js").Looker["view"]> & { reason?: string, formula?: string, remedy?: string }} Found
 */
/** @typedef {string | Node | null | undefined} Child */

const SVG = "http://www.w3.org/2000/svg";
const ICONS = new Map([
  ["verified", ["M24 4a20 20 0 1 0 0 40 20 20 0 0 0 0-40z", "m15 25 6.5 6.5L34 18"]],
  ["caution", ["M24 5 45 42H3z", "M24 19v11m0 6v.2"]],
  ["refused", ["M24 4a20 20 0 1 0 0 40 20 20 0 0 0 0-40z", "m17 17 14 14m0-14L17 31"]],
  ["unchecked", ["M24 4a20 20 0 1 0 0 40 20 20 0 0 0 0-40z", "M24 14v13m0 7v.2"]],
]);
const WORDS = new Map([
  ["verified", "Verified"],
  ["caution", "Verified, but not for release"],
  ["refused", "Refused"],
  ["unchecked", "Not checked"],
]);

/**
 * @param {string} tag @param {Record<string, string | boolean>} props @param {...Child} children @returns {HTMLElement}
 */
function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false) made.setAttribute(name, value);
  }
  for (const child of children) if (child) made.append(child);
  return made;
}

/** @param {string} verdict @returns {SVGElement} */
function icon(verdict) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 48 48");
  svg.setAttribute("aria-hidden", "true");
  for (const d of ICONS.get(verdict) ?? []) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** @param {string[]} texts @param {string} [kind] */
const items = (texts, kind = "plain") => el("ul", { class: kind }, ...texts.map((text) => el("li", {}, text)));
/** Sentences of our own, in which `commands` stand between such marks. @param {string} text @returns {Child[]} */
const marked = (text) => text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
/** @param {string} title @param {...Child} parts */
const card = (title, ...parts) => el("section", { class: "card" }, el("h2", {}, title), ...parts);
/** @param {string[][]} rows */
const pairs = (rows) => el("dl", { class: "pairs" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

/**
 * Fill the place with what was found; the verdict of it.
 * @param {HTMLElement} place @param {Found} found @returns {HTMLElement}
 */
export function show(place, found) {
  const verdict = verdictOf(found);
  const accepted = found.verdict === "verified" || found.verdict === "caution";
  place.replaceChildren(verdict, ...(accepted ? [signed(found), looked(found), ...meaning(found), why(found), stated(found)] : []));
  return verdict;
}

/** @param {Found} found @returns {HTMLElement} */
function verdictOf(found) {
  const words = el("div", {}, el("h2", {}, WORDS.get(found.verdict) ?? ""), el("p", { class: "said" }, sentence(found)));
  if (found.formula) words.append(el("pre", { class: "unheld" }, el("code", {}, found.formula)));
  const remedy = found.remedy || (found.verdict === "refused" ? "Do not rely on it. Ask whoever sent it for the file as it was made." : "");
  if (remedy) words.append(el("p", { class: "remedy" }, remedy));
  if (found.warnings?.length) words.append(items(found.warnings));
  const verdict = el("section", { class: `verdict ${found.verdict}`, "aria-label": "Verdict" }, icon(found.verdict), words);
  if (found.epsilon) verdict.append(el("p", { class: "released" }, el("span", {}, "Released"), el("strong", {}, found.stated[0]?.[1])), facts(found));
  return verdict;
}

/** @param {Found} found @returns {string} */
function sentence(found) {
  if (found.reason) return found.reason;
  const same = found.sealed ? ", and the digest fits the file" : "";
  return `What this ${found.kind} promises follows: ${found.steps === 1 ? "the one step of its derivation was" : `all ${found.steps.toLocaleString("en")} steps of its derivation were`} derived again${same}. ${signedInShort(found)}`;
}

/** @param {Found} found @returns {string} */
function signedInShort(found) {
  const known = found.signers.filter((signer) => signer.trusted);
  if (known.length) {
    /** @param {Found["signers"][number]} one */
    const named = (one) => one.name + (one.receipt ? `, charged as entry ${one.receipt.entry} of ledger ${one.receipt.ledger}` : "");
    return `Signed by ${known.map(named).join("; and by ")}.`;
  }
  if (found.signers.length) return "It is signed, with a key that is not on a list of yours.";
  return "Nobody has signed it.";
}

/** @param {Found} found @returns {HTMLElement} */
function facts(found) {
  const rows = [
    ["Privacy loss ε", found.epsilon],
    ["Slack δ", found.delta],
    ["Protected", found.protected],
    ["Right guesses, not 50 %", `≤ ${found.guess}`.replaceAll(" ", "\u00a0")],
  ];
  return el("ul", { class: "facts" }, ...rows.map(([name, value]) => el("li", {}, el("span", {}, name), el("strong", {}, value))));
}

/** @param {Found} found @returns {HTMLElement} */
function signed(found) {
  if (!found.signers.length) {
    return card("Who signed it", el("p", { class: "soft" }, "Nobody. The digest shows that the file was not changed by accident; it does not show who made it."));
  }
  return card("Who signed it", el("ul", { class: "who-signed" }, ...found.signers.map((signer) => el(
    "li", {},
    el("p", {}, el("strong", {}, signer.name), el("span", { class: signer.trusted ? "badge" : "badge open" }, signer.trusted ? "a key you trust" : "not on a list of yours")),
    signer.receipt ? el("p", {}, `Charged as entry ${signer.receipt.entry} of ledger `, el("code", {}, signer.receipt.ledger), "; the chain then ended with ", el("code", {}, signer.receipt.head), ".") : el("p", { class: "soft" }, "Without a receipt of a charge."),
    signer.rebuilt ? null : el("p", { class: "soft" }, "It was not rebuilt by the version that signed it."),
    el("p", { class: "soft" }, "Key ", el("code", {}, signer.key)),
  ))));
}

/** @param {Found} found @returns {HTMLElement} */
function looked(found) {
  const section = card("What was not checked here", el("ul", { class: "plain" }, ...found.not_checked.map((text) => el("li", {}, ...marked(text)))));
  section.classList.add("unseen");
  return el("div", { class: "grid" }, section, card("What was checked", items(found.checked)));
}

/** @param {Found} found @returns {HTMLElement[]} */
function meaning(found) {
  return [el(
    "div", { class: "grid" },
    card("What it means", items(found.means)),
    card("What it does not mean", items(found.does_not_mean, "plain soft")),
  )];
}

/** @param {Found} found @returns {HTMLElement} */
function why(found) {
  const titled = el("div", { class: "titled" }, el("h2", {}, "Why it holds"), el("div", { class: "actions" }, fold("Unfold all", true), fold("Fold all", false)));
  const section = el("section", { class: "card" }, titled, el("p", { class: "soft" }, "The fact on top follows from those below it, each by a theorem whose proof is published."));
  for (const { heading, count, step } of found.derivations) {
    section.append(el("h3", {}, `${heading}, ${count} ${count === 1 ? "step" : "steps"}`), drawn(step, 0));
  }
  if (!found.accuracy.length) section.append(el("p", { class: "soft" }, "About accuracy nothing is proved; privacy holds all the same."));
  return section;
}

/** @param {string} words @param {boolean} open @returns {HTMLElement} */
function fold(words, open) {
  const button = el("button", { type: "button", class: "small" }, words);
  button.addEventListener("click", () => {
    for (const item of document.querySelectorAll("details.proof")) /** @type {HTMLDetailsElement} */ (item).open = open;
  });
  return button;
}

/** @param {Drawn} step @param {number} depth @returns {HTMLElement} */
function drawn(step, depth) {
  const reason = `by ${step.title}${step.source ? ` (${step.source})` : ""}`;
  const summary = el("summary", {}, step.fact, el("span", { class: "why" }, reason), ...step.assumes.map((text) => el("span", { class: "assumed" }, `assuming that ${text}`)));
  const leaf = !step.premises.length && !step.where.length;
  const item = el("details", { class: leaf ? "proof leaf" : "proof", open: depth < 1 }, summary);
  if (step.where.length) item.append(el("ul", { class: "where" }, ...step.where.map(([name, value]) => el("li", {}, `${name} `, el("b", {}, value)))));
  if (step.premises.length) item.append(el("div", { class: "below" }, ...step.premises.map((below) => drawn(below, depth + 1))));
  if (step.more) item.append(el("p", { class: "soft" }, `${step.more.toLocaleString("en")} more steps below were derived again and are not drawn.`));
  return item;
}

/** @param {Found} found @returns {HTMLElement} */
function stated(found) {
  const section = card("What the file says", el("p", { class: "soft" }, "Names and sizes as they stand in the file. They are declared, not proved."), pairs(found.stated));
  if (found.columns.length) {
    const rows = found.columns.map(([name, kind]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, kind)));
    const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Column"), el("th", { scope: "col" }, "Kind")));
    section.append(el("details", {}, el("summary", {}, `Columns of the table (${found.columns.length})`), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Columns of the table" }, el("table", { class: "fit" }, head, el("tbody", {}, ...rows)))));
  }
  return section;
}
