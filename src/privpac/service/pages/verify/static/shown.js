// What was found, as a page: the verdict first, then what stands behind it. Every text goes in as text, never as HTML.
const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  verified: ["M24 4a20 20 0 1 0 0 40 20 20 0 0 0 0-40z", "m15 25 6.5 6.5L34 18"],
  caution: ["M24 5 45 42H3z", "M24 19v11m0 6v.2"],
  refused: ["M24 4a20 20 0 1 0 0 40 20 20 0 0 0 0-40z", "m17 17 14 14m0-14L17 31"],
  unchecked: ["M24 4a20 20 0 1 0 0 40 20 20 0 0 0 0-40z", "M24 14v13m0 7v.2"],
};
const WORDS = {
  verified: "Verified",
  caution: "Verified, with a warning",
  refused: "Refused",
  disagreed: "Do not rely on it",
  unchecked: "Not checked",
};

function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

function icon(verdict) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 48 48");
  svg.setAttribute("aria-hidden", "true");
  for (const d of ICONS[verdict] || ICONS.refused) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

// Words of the second checker, in which names from the file may stand.
const plain = (text) => text.replaceAll(/[^ -~]/g, "?").slice(0, 600);
const items = (texts, kind = "plain") => el("ul", { class: kind }, ...texts.map((text) => el("li", {}, text)));
// Sentences of our own, in which `commands` stand between such marks.
const marked = (text) => text.split("`").map((part, index) => (index % 2 ? el("code", {}, part) : part));
const card = (title, ...parts) => el("section", { class: "card" }, el("h2", {}, title), ...parts);
const pairs = (rows) => el("dl", { class: "pairs" }, ...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

// Fills the place with what was found, and returns the verdict.
export function show(place, found) {
  const settled = agreed(found);
  const verdict = verdictOf(found, settled);
  const accepted = found.verdict === "verified" || found.verdict === "caution";
  const parts = [verdict];
  if (accepted) parts.push(signed(found), unseen(found));
  if (found.second) parts.push(checkers(found));
  if (accepted) parts.push(...meaning(found), why(found), stated(found));
  place.replaceChildren(...parts);
  return verdict;
}

// The first checker's verdict, unless the second one contradicts it.
function agreed(found) {
  const second = found.second?.found;
  if (!second || second.accepted === null) return found.verdict;
  const accepted = found.verdict === "verified" || found.verdict === "caution";
  return second.accepted === accepted || !accepted ? found.verdict : "disagreed";
}

function verdictOf(found, settled) {
  const words = el("div", {}, el("h2", {}, settled === "caution" ? found.title : WORDS[settled]), el("p", { class: "said" }, sentence(found, settled)));
  const refused = settled === "refused" || settled === "disagreed";
  const remedy = found.remedy || (refused ? "Do not rely on it. Ask whoever sent it for the file as it was made." : "");
  if (remedy) words.append(el("p", { class: "remedy" }, remedy));
  if (found.warnings?.length) words.append(items(found.warnings));
  const verdict = el("section", { class: `verdict ${settled}`, "aria-label": "Verdict" }, icon(settled), words);
  if (found.epsilon) verdict.append(el("p", { class: "released" }, el("span", {}, "Released"), el("strong", {}, found.stated[0][1])), facts(found));
  return verdict;
}

function sentence(found, settled) {
  if (settled === "disagreed") return `The two checkers disagree. The second one refuses the file: ${plain(found.second.found.reason)}`;
  if (found.reason) return found.reason;
  const both = found.second?.found?.accepted ? ", by two checkers in two languages" : "";
  const same = found.sealed ? ", and the digest fits the file" : "";
  return `What this ${found.kind} promises follows: all ${found.steps} steps of its derivation were derived again${both}${same}. ${signedInShort(found)}`;
}

function signedInShort(found) {
  const known = found.signers.filter((signer) => signer.trusted);
  if (known.length) {
    const named = (one) => one.name + (one.receipt ? `, charged as entry ${one.receipt.entry} of ledger ${one.receipt.ledger}` : "");
    return `Signed by ${known.map(named).join("; and by ")}.`;
  }
  if (found.signers.length) return "It is signed, with a key that is not on a list of yours.";
  return "Nobody has signed it.";
}

function facts(found) {
  const rows = [
    ["Privacy loss ε", found.epsilon],
    ["Slack δ", found.delta],
    ["Protected", found.protected],
    ["Right guesses, not 50 %", `≤ ${found.guess}`.replaceAll(" ", "\u00a0")],
  ];
  return el("ul", { class: "facts" }, ...rows.map(([name, value]) => el("li", {}, el("span", {}, name), el("strong", {}, value))));
}

function signed(found) {
  if (!found.signers.length) {
    return card("Who signed it", el("p", { class: "soft" }, "Nobody. The digest shows that the file was not changed by accident; it does not show who made it."));
  }
  return card("Who signed it", el("ul", { class: "who-signed" }, ...found.signers.map((signer) => el(
    "li", {},
    el("p", {}, el("strong", {}, signer.name), el("span", { class: signer.trusted ? "badge" : "badge open" }, signer.trusted ? "a key you trust" : "not on a list of yours")),
    signer.receipt ? el("p", {}, `Charged as entry ${signer.receipt.entry} of ledger `, el("code", {}, signer.receipt.ledger), "; the chain then ended with ", el("code", {}, signer.receipt.head), ".") : el("p", { class: "soft" }, "Without a receipt of a charge."),
    el("p", { class: "soft" }, "Key ", el("code", {}, signer.key)),
  ))));
}

function unseen(found) {
  const section = card("What was not checked here", el("ul", { class: "plain" }, ...found.not_checked.map((text) => el("li", {}, ...marked(text)))));
  section.classList.add("unseen");
  return section;
}

function checkers(found) {
  const accepted = found.verdict === "verified" || found.verdict === "caution";
  const { title, rows, note } = compared(found, accepted);
  return card(
    title,
    el("ul", { class: "checkers" }, ...rows.map(([name, badge, kind]) => el("li", {}, el("span", {}, name), el("span", { class: kind }, badge)))),
    note ? el("p", { class: "soft" }, note) : null,
  );
}

function compared(found, accepted) {
  const mine = ["The checker of privpac, in Python", accepted ? "accepts" : "refuses", accepted ? "badge" : "badge bad"];
  const name = "A second checker, in TypeScript, written from the format's description";
  const { second } = found;
  if (!second.found) {
    const why = second.missing ? "is not part of this copy" : second.late ? "took too long" : "failed";
    return { title: "One checker looked", rows: [mine, [name, why, "badge plainly"]], note: "" };
  }
  const { accepted: theirs, reason, notChecked } = second.found;
  if (theirs === null) {
    const rules = notChecked.slice(0, 20).map((rule) => plain(rule).replaceAll("-", " ")).join(", ");
    return { title: "One checker looked at all of it", rows: [mine, [name, "could not check all", "badge plainly"]], note: `The second checker finds nothing wrong, and does not know: ${rules}.` };
  }
  const row = [name, theirs ? "accepts" : "refuses", theirs ? "badge" : "badge bad"];
  const note = theirs ? "" : plain(reason);
  if (theirs === accepted) return { title: "Both checkers agree", rows: [mine, row], note };
  return { title: "The two checkers disagree", rows: [mine, row], note };
}

function meaning(found) {
  return [el(
    "div", { class: "grid" },
    card("What it means", items(found.means)),
    card("What it does not mean", items(found.does_not_mean, "plain soft")),
  )];
}

function why(found) {
  const titled = el("div", { class: "titled" }, el("h2", {}, "Why it holds"), el("div", { class: "actions" }, fold("Unfold all", true), fold("Fold all", false)));
  const section = el("section", { class: "card" }, titled, el("p", { class: "soft" }, "The fact on top follows from those below it, each by a theorem whose proof is published."));
  for (const { heading, count, step } of found.derivations) {
    section.append(el("h3", {}, `${heading}, ${count} ${count === 1 ? "step" : "steps"}`), drawn(step, 0));
  }
  if (!found.accuracy.length) section.append(el("p", { class: "soft" }, "About accuracy nothing is proved; privacy holds all the same."));
  return section;
}

function fold(words, open) {
  const button = el("button", { type: "button", class: "small" }, words);
  button.addEventListener("click", () => { for (const item of document.querySelectorAll("details.proof")) item.open = open; });
  return button;
}

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

function stated(found) {
  const section = card("What the file says", el("p", { class: "soft" }, "Names and sizes as they stand in the file. They are declared, not proved."), pairs(found.stated));
  if (found.columns.length) {
    const rows = found.columns.map(([name, kind]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, kind)));
    const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Column"), el("th", { scope: "col" }, "Kind")));
    section.append(el("details", {}, el("summary", {}, `Columns of the table (${found.columns.length})`), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Columns of the table" }, el("table", { class: "fit" }, head, el("tbody", {}, ...rows)))));
  }
  return section;
}
