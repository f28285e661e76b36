// Writes the rules of the book as Coq definitions a second time: `node book_to_coq.mjs rules.txt` prints Rules.v.
//
// Kinds, rules and their lines come from the reader of the second checker (../src/privpac/checker/js/book.js), which keeps no tree
// of a formula; formulas are read here. That both read them alike is checked whenever this runs: every formula, written again with
// all its brackets, must have the names, calls and values that the checker's reader gives the formula of the book.
// tests/slow/test_second_translator.py compares what is printed with what book_to_coq.py writes.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Book } from "../src/privpac/checker/js/book.js";
import { formula as readByChecker } from "../src/privpac/checker/js/formula.js";
import { Rational } from "../src/privpac/checker/js/rational.js";

const [NUMBER, TRUTH, TEXT, LOSS, NOTHING] = ["R", "bool", "string", "loss R", "no premises"];
const TYPES = new Map([
  ["number", [NUMBER, () => ""]],
  ["decimal", [NUMBER, (x) => `(0 <= ${x})`]],
  ["ratio", [NUMBER, (x) => `(0 < ${x} <= 1)`]],
  ["inner", [NUMBER, (x) => `(0 < ${x} < 1)`]],
  ["natural", ["nat", () => ""]],
  ["count", ["nat", (x) => `(0 < ${x})%N`]],
  ["whole", ["nat", (x) => `(0 < ${x})%N`]],
  ["several", ["nat", (x) => `(1 < ${x})%N`]],
  ["text", [TEXT, () => ""]],
  ["truth", [TRUTH, () => ""]],
  ["loss", [LOSS, (x) => `(0 < (${x}).2)`]],
]);
const PROMISED = new Map([
  ["short", NUMBER], ["pow", NUMBER], ["exp_of", NUMBER], ["short_product", NUMBER], ["fold", NUMBER],
  ["at_most", TRUTH], ["above", TRUTH], ["is_whole", TRUTH],
]);
const LOOPS = new Map([
  ["all", [(x, e, s) => `all (fun ${x} => ${e}) ${s}`, TRUTH]],
  ["any", [(x, e, s) => `has (fun ${x} => ${e}) ${s}`, TRUTH]],
  ["sum", [(x, e, s) => `(\\sum_(${x} <- ${s}) ${e})`, NUMBER]],
  ["max", [(x, e, s) => `(largest [seq ${e} | ${x} <- ${s}])`, NUMBER]],
  ["short_product", [(x, e, s) => `(short_product A [seq ${e} | ${x} <- ${s}])`, NUMBER]],
  ["distinct", [(x, e, s) => `uniq [seq ${e} | ${x} <- ${s}]`, TRUTH]],
]);
const MEANT = ["privacy", "bounded-range", "range", "stability"];
const COMPARED = ["<", "<=", ">", ">=", "==", "!="];

/** A formula that calls what Theory.v promises nothing about. */
class Beyond extends Error {}

// --- Reading formulas ------------------------------------------------------------------------------------------------

class Formula {
  constructor(text) {
    this.tokens = text.match(/\d+|[A-Za-z_]\w*|"[^"]*"|\*\*|\/\/|[<>=!]=|[-+*/()<>,.]/g) ?? [];
    if (this.tokens.join("").replaceAll(/\s/g, "") !== text.replaceAll(/\s/g, "")) throw new SyntaxError(text);
    this.at = 0;
    this.tree = this.choice();
    if (this.at < this.tokens.length) throw new SyntaxError(text);
  }

  get next() {
    return this.tokens[this.at];
  }

  took(...marks) {
    return marks.includes(this.next) ? this.tokens[this.at++] : undefined;
  }

  must(mark) {
    if (!this.took(mark)) throw new SyntaxError(`${mark} is missing before ${this.next}`);
  }

  choice() {
    const yes = this.joined("or", () => this.joined("and", () => this.negation()));
    if (!this.took("if")) return yes;
    const test = this.joined("or", () => this.joined("and", () => this.negation()));
    this.must("else");
    return { is: "choice", test, yes, no: this.choice() };
  }

  joined(sign, read) {
    const parts = [read()];
    while (this.took(sign)) parts.push(read());
    return parts.length === 1 ? parts[0] : { is: sign, parts };
  }

  negation() {
    return this.took("not") ? { is: "not", inner: this.negation() } : this.comparison();
  }

  comparison() {
    const [sides, signs] = [[this.sum()], []];
    for (let sign; (sign = this.took(...COMPARED)); sides.push(this.sum())) signs.push(sign);
    return signs.length === 0 ? sides[0] : { is: "comparison", sides, signs };
  }

  sum() {
    return this.leftwards(["+", "-"], () => this.leftwards(["*", "/", "//"], () => this.signed()));
  }

  leftwards(signs, read) {
    let left = read();
    for (let sign; (sign = this.took(...signs)); ) left = { is: "reckoned", sign, left, right: read() };
    return left;
  }

  signed() {
    if (this.took("-")) return { is: "minus", inner: this.signed() };
    const left = this.member();
    return this.took("**") ? { is: "reckoned", sign: "**", left, right: this.signed() } : left;
  }

  member() {
    let inner = this.atom();
    while (this.took(".")) inner = { is: "part", of: inner, name: this.tokens[this.at++] };
    return inner;
  }

  atom() {
    const token = this.tokens[this.at++];
    if (token === "(") {
      const inner = this.choice();
      this.must(")");
      return inner;
    }
    if (/^\d/.test(token)) return { is: "whole", value: BigInt(token) };
    if (token.startsWith('"')) return { is: "text", value: token.slice(1, -1) };
    if (!/^[A-Za-z_]/.test(token)) throw new SyntaxError(`${token} stands where a value is expected`);
    if (!this.took("(")) return { is: "name", name: token };
    const first = this.choice();
    if (this.took("for")) {
      const item = this.tokens[this.at++];
      this.must("in");
      const list = this.choice();
      this.must(")");
      return { is: "loop", name: token, each: first, item, list };
    }
    const given = [first];
    while (this.took(",")) given.push(this.choice());
    this.must(")");
    return { is: "call", name: token, given };
  }
}

/** The formula with all its brackets. */
function bracketed(tree) {
  switch (tree.is) {
    case "whole": return String(tree.value);
    case "text": return `"${tree.value}"`;
    case "name": return tree.name;
    case "part": return `${bracketed(tree.of)}.${tree.name}`;
    case "minus": return `(-${bracketed(tree.inner)})`;
    case "not": return `(not ${bracketed(tree.inner)})`;
    case "choice": return `(${bracketed(tree.yes)} if ${bracketed(tree.test)} else ${bracketed(tree.no)})`;
    case "reckoned": return `(${bracketed(tree.left)} ${tree.sign} ${bracketed(tree.right)})`;
    case "comparison":
      return `(${tree.signs.map((sign, i) => `${bracketed(tree.sides[i])} ${sign} ${bracketed(tree.sides[i + 1])}`).join(" and ")})`;
    case "call": return `${tree.name}(${tree.given.map(bracketed).join(", ")})`;
    case "loop": return `${tree.name}(${bracketed(tree.each)} for ${tree.item} in ${bracketed(tree.list)})`;
    default: return `(${tree.parts.map(bracketed).join(` ${tree.is} `)})`;
  }
}

// --- The book --------------------------------------------------------------------------------------------------------

class Written extends Book {
  define(text) {
    const [head, body] = [text.slice(0, text.indexOf(" = ")), text.slice(text.indexOf(" = ") + 3)];
    const [name, inner] = head.split("(");
    this.defs ??= new Map();
    this.defs.set(name.trim(), [inner?.replace(")", "").split(",").map((one) => one.trim()) ?? [], body.trim()]);
    super.define(text);
  }

  rule(name, which, told) {
    const rule = super.rule(name, which, told);
    (this.order ??= []).push([name, rule]);
    return rule;
  }
}

const coq = (name) => name.replaceAll("-", "_");
const quoted = (text) => `"${text}"%string`;

function wholeText(n) {
  if (n <= 100n) return n < 2n ? `(${n} : R)` : `(${n}%:R : R)`;
  return `(${wholeText(n / 10n)} * 10%:R + ${wholeText(n % 10n)})`;
}

const constant = (value) => (value instanceof Rational ? wholeText(value.numerator) : quoted(value));
const fieldsOf = (book, kind) => book.kinds.get(kind)?.fields;

function typeOf(book, type) {
  if (book.words.has(type)) return TEXT;
  if (!TYPES.has(type)) throw new Beyond(type);
  return TYPES.get(type)[0];
}

function reading(book, type, text) {
  const words = book.words.get(type);
  return words ? `(${text} \\in [:: ${words.map(quoted).join("; ")}])` : TYPES.get(type)[1](text);
}

class Translator {
  constructor(book) {
    this.book = book;
  }

  formula(text, names) {
    return this.value(new Formula(text).tree, names);
  }

  text(tree, names) {
    return this.value(tree, names)[0];
  }

  value(tree, names) {
    const { book } = this;
    switch (tree.is) {
      case "whole": return [wholeText(tree.value), NUMBER];
      case "text": return [quoted(tree.value), TEXT];
      case "name":
        if (tree.name === "true" || tree.name === "false") return [tree.name, TRUTH];
        if (names.has(tree.name)) return names.get(tree.name);
        if (book.defs.has(tree.name)) return this.formula(book.defs.get(tree.name)[1], new Map());
        throw new Beyond(tree.name);
      case "part": return this.part(...this.value(tree.of, names), tree.name);
      case "minus": return [`(- ${this.text(tree.inner, names)})`, NUMBER];
      case "not": return [`(~~ ${this.text(tree.inner, names)})`, TRUTH];
      case "and": return [`(${tree.parts.map((one) => this.text(one, names)).join(" && ")})`, TRUTH];
      case "or": return [`(${tree.parts.map((one) => this.text(one, names)).join(" || ")})`, TRUTH];
      case "choice": {
        const [yes, kind] = this.value(tree.yes, names);
        return [`(if ${this.text(tree.test, names)} then ${yes} else ${this.text(tree.no, names)})`, kind];
      }
      case "reckoned": return this.reckoned(tree, names);
      case "comparison": {
        const sides = tree.sides.map((side) => this.text(side, names));
        const each = tree.signs.map((sign, i) => {
          const [a, b] = sign.startsWith(">") ? [sides[i + 1], sides[i]] : [sides[i], sides[i + 1]];
          return `(${a} ${sign.replace(">", "<")} ${b})`;
        });
        return [`(${each.join(" && ")})`, TRUTH];
      }
      case "loop": return this.loop(tree, names);
      default: return this.call(tree, names);
    }
  }

  part(text, kind, field) {
    const { book } = this;
    if (kind === LOSS) return [`${text}.${["log", "factor"].indexOf(field) + 1}`, NUMBER];
    const fields = fieldsOf(book, kind);
    if (fields && !fields.has(field) && book.unwritten.has(field)) {
      const value = book.unwritten.get(field);
      return [constant(value), value instanceof Rational ? NUMBER : TEXT];
    }
    if (!fields?.has(field)) throw new Beyond(`.${field}`);
    const of = typeOf(book, fields.get(field));
    const got = `(${coq(kind)}_${field} ${text})`;
    return of === "nat" ? [`(${got}%:R : R)`, NUMBER] : [got, of];
  }

  reckoned({ sign, left, right }, names) {
    if (sign === "**" && right.is === "whole") return [`(${this.text(left, names)} ^+ ${right.value})`, NUMBER];
    if (!["+", "-", "*", "/"].includes(sign)) throw new Beyond(sign);
    return [`(${this.text(left, names)} ${sign} ${this.text(right, names)})`, NUMBER];
  }

  loop({ name, each, item, list }, names) {
    if (!LOOPS.has(name)) throw new Beyond(name);
    const [items, kind] = this.value(list, names);
    if (kind === NOTHING) return [{ all: "true", any: "false" }[name], TRUTH];
    const inner = this.text(each, new Map(names).set(item, [item, kind.replace("seq ", "")]));
    const [form, result] = LOOPS.get(name);
    return [`(${form(item, inner, items)})`, result];
  }

  call({ name, given }, names) {
    const { book } = this;
    if (name === "length") {
      const [items, kind] = this.value(given[0], names);
      return kind === NOTHING ? ["(0 : R)", NUMBER] : [`((seq.size ${items})%:R : R)`, NUMBER];
    }
    const values = given.map((one) => this.value(one, names));
    if (book.defs.has(name)) {
      const [parameters, body] = book.defs.get(name);
      const inside = new Map(names.has("which") ? [["which", names.get("which")]] : []);
      parameters.forEach((one, i) => inside.set(one, values[i]));
      return this.formula(body, inside);
    }
    const texts = values.map(([text]) => text);
    if (name === "same") {
      const kind = values[0][1];
      const each = [...fieldsOf(book, kind).keys()].map((field) => `(${texts.map((text) => `${coq(kind)}_${field} ${text}`).join(" == ")})`);
      return [`(${each.join(" && ")})`, TRUTH];
    }
    if (name === "loss") return [`(${texts.join(", ")})`, LOSS];
    if ((name === "min" || name === "max") && given.length === 2) return [`(Num.${name} ${texts.join(" ")})`, NUMBER];
    if (PROMISED.has(name)) return [`(${name} A ${texts.join(" ")})`, PROMISED.get(name)];
    throw new Beyond(name);
  }

  // --- Kinds and rules -----------------------------------------------------------------------------------------------

  kind(name) {
    const { book } = this;
    const [own, { fields, unwritten, holds }] = [coq(name), book.kinds.get(name)];
    const conditions = [...fields].map(([field, type]) => {
      const read = reading(book, type, `(${own}_${field} fact)`);
      return unwritten.has(field) ? `(((${own}_${field} fact) == ${unwritten.get(field).numerator})%N || ${read})` : read;
    });
    for (const { text } of holds) conditions.push(this.formula(text, new Map([["fact", ["fact", name]]]))[0]);
    const declared = [...fields].map(([field, type]) => `${own}_${field} : ${typeOf(book, type)}`).join("; ");
    return `Record ${own} (R : realFieldType) := ${own[0].toUpperCase()}${own.slice(1)} { ${declared} }.\n`
      + `Definition ${own}_ok (R : realFieldType) (fact : ${own} R) : bool :=\n  ${conditions.filter(Boolean).join(" && ") || "true"}.\n`;
  }

  rule(name, rule) {
    const own = coq(name);
    const fields = [...rule.where].map(([field, type]) => `${own}_${field} : ${typeOf(this.book, type)}`).join("; ");
    const head = `Record where_${own} (R : realFieldType) := Where_${own} { ${fields} }.\n`
      + `Definition two_classes_${own} : bool := ${rule.twoClasses}.\n`;
    if (rule.kind !== "any") return head + this.sound(own, own, rule, rule.kind, rule.premise);
    return head + MEANT.map((kind) => this.sound(own, `${own}_${coq(kind)}`, rule, kind, kind)).join("");
  }

  sound(own, called, rule, kind, premise) {
    const { book } = this;
    if (!book.kinds.has(kind)) throw new Beyond(kind);
    const names = new Map([["fact", ["fact", kind]], ["which", [quoted(rule.which), TEXT]], ["premises", ["[::]", NOTHING]]]);
    if (premise) names.set("p", ["p", premise]).set("premises", [rule.many ? "(p :: rest)" : "[:: p]", `seq ${premise}`]);
    const read = [`${coq(kind)}_ok fact`];
    for (const [field, type] of rule.where) {
      const [text, of] = [`(${own}_${field} w)`, typeOf(book, type)];
      read.push(reading(book, type, text));
      names.set(field, of === "nat" ? [`(${text}%:R : R)`, NUMBER] : [text, of]);
    }
    for (const [always, condition] of book.always) read.push(this.formula((rule.instead.get(always) ?? condition).text, names)[0]);
    let [body, closing] = [read.filter(Boolean).join(" &&\n  "), ""];
    for (const [let_, { text }] of rule.body) {
      const [value, of] = this.formula(text, names);
      if (let_ === "") body += ` &&\n  ${value}`;
      else {
        body += ` &&\n  (let l_${let_} := ${value} in true`;
        closing += ")";
        names.set(let_, [`l_${let_}`, of]);
      }
    }
    const given = `(R : realFieldType) (A : arith R) (fact : ${coq(kind)} R)`
      + (premise ? ` (p : ${coq(premise)} R)` : "") + (rule.many ? ` (rest : seq (${coq(premise)} R))` : "");
    return `Definition rule_${called} ${given} (w : where_${own} R) : bool :=\n  ${body}${closing}.\n`;
  }
}

// --- Both read formulas alike ----------------------------------------------------------------------------------------

/** Any value, of the sort that a formula asks for where it stands: what has none of them refuses in both readings alike. */
function tried(found, given, draw) {
  const stub = (...values) => values.flat().reduce((sum, one) => (one instanceof Rational ? sum.plus(one.times(Rational.of(3n))) : sum), Rational.of(1n));
  const functions = new Map(found.calls.map(([name]) => [name, stub]));
  const number = () => Rational.of(BigInt(draw(9) + 1)).over(Rational.of(BigInt(draw(4) + 1)));
  const some = () => [number, number, () => draw(2) === 0, () => ["record", "label", "size"][draw(3)]][draw(4)]();
  const fact = () => new Map([...found.parts].map((name) => [name, name === "epsilon" ? { log: number(), factor: number() } : some()]));
  const names = new Map([...found.names].map((name) => [name, ["fact", "p", "q", "a", "b"].includes(name) ? fact() : name === "premises" ? [fact(), fact()] : some()]));
  return [functions, names];
}

function shown(work) {
  try {
    const value = work();
    return value instanceof Rational ? `${value.numerator}/${value.denominator}` : JSON.stringify(value, (_, one) => (typeof one === "bigint" ? String(one) : one));
  } catch (problem) {
    return `refused: ${problem.constructor.name}`;
  }
}

function readAlike(book) {
  let seed = 1;
  const draw = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (const [found] of book.formulas) {
    const again = bracketed(new Formula(found.text).tree);
    for (let i = 0; i < 40; i += 1) {
      const [functions, names] = tried(found, [], draw);
      const [one, two] = [found.text, again].map((text) => readByChecker(text, functions));
      const sets = [one, two].map(({ names: of, calls, parts }) => JSON.stringify([[...of].sort(), calls.map(([name, n]) => `${name} ${n}`).sort(), [...parts].sort()]));
      if (sets[0] !== sets[1] || shown(() => one.work(names)) !== shown(() => two.work(names))) {
        throw new Error(`This is not what the checker reads: ${found.text}\n  ${again}`);
      }
    }
  }
}

function main() {
  const source = readFileSync(process.argv[2], "utf-8");
  const book = new Written(source);
  readAlike(book);
  const translator = new Translator(book);
  const rules = [...book.kinds.keys()].map((kind) => translator.kind(kind));
  const seen = new Set();
  for (const [name, rule] of book.order) {
    if (seen.has(name)) continue;
    try {
      rules.push(translator.rule(name, rule));
      seen.add(name);
    } catch (problem) {
      if (!(problem instanceof Beyond)) throw problem;
    }
  }
  const mark = createHash("sha256").update(source).digest("hex");
  process.stdout.write(`(* Made from the rule book by book_to_coq.py; do not edit. sha256 of the book: ${mark} *)
From Coq Require Import String.
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From Book Require Import Theory.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition largest (R : realFieldType) (s : seq R) := foldr Num.max (head 0 s) s.

${rules.join("\n")}`);
}

main();
