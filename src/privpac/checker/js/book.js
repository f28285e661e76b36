/** The rule book (rules.txt), and the steps of a derivation checked by it. */

import { formula, same } from "./formula.js";
import { FUNCTIONS } from "./functions.js";
import { entriesOf, hasKeys } from "./json.js";
import { Broken, Refusal, require } from "./refusal.js";
import { TYPES } from "./values.js";

/** @import { Act, Formula, Names, Value } from "./formula.js" */
/** @import { Entries, Json } from "./types.js" */

/** @typedef {{ fields: Map<string, string>, unwritten: Names, holds: Formula[] }} Kind What a fact of a kind holds. */
/**
 * @typedef {object} Rule
 * @property {string} title
 * @property {string} kind
 * @property {string} premise
 * @property {boolean} many
 * @property {string} which
 * @property {Map<string, string>} where
 * @property {[string, Formula][]} body Abbreviations by name, and conditions without one.
 * @property {Map<string, Formula>} instead What must be true in place of what is always.
 * @property {{ text: string, when: Formula } | null} assumes
 * @property {boolean} twoClasses
 */

const DEEPEST = 100;
const STEP = ["rule", "fact", "where", "assumes", "premises"];
const ANY = "any";
const GIVEN = ["which", "fact", "premises", "p"];

export class Book {
  /** @param {string} source */
  constructor(source) {
    /** @type {Map<string, string[]>} */
    this.words = new Map();
    /** @type {Map<string, Kind>} */
    this.kinds = new Map();
    /** @type {Map<string, Formula>} */
    this.always = new Map();
    /** @type {Names} */
    this.constants = new Map([["true", true], ["false", false]]);
    /** @type {Map<string, Act>} */
    this.functions = new Map(FUNCTIONS);
    /** @type {Map<string, Rule[]>} */
    this.rules = new Map();
    /** What facts count as that never write it. @type {Names} */
    this.unwritten = new Map();
    /** Every formula, with the names that it may take. @type {[Formula, string[]][]} */
    this.formulas = [];
    /** @type {(line: string) => void} */
    let add = () => {};
    for (const line of linesOf(source)) {
      if (line.startsWith("  ")) add(line.trim());
      else add = this.entry(line);
    }
    this.resolve();
  }

  /**
   * Read a formula which may take these names.
   * @param {string} text @param {Iterable<string>} names @returns {Formula}
   */
  formula(text, names) {
    const found = formula(text, this.functions);
    this.formulas.push([found, [...names]]);
    return found;
  }

  /**
   * Take an entry into the book; what is returned takes the lines below it.
   * @param {string} line @returns {(line: string) => void}
   */
  entry(line) {
    const [word, rest] = split(line, " ");
    const [name, told] = split(rest, ":");
    if (word === "def") this.define(rest);
    else if (word === "word") this.words.set(name, told.split("|").map((choice) => choice.trim()));
    else if (word === "always") this.always.set(name, this.formula(told, GIVEN));
    else if (word === "fact") {
      const { holds } = this.kind(name, told);
      return (below) => holds.push(this.formula(below, ["fact"]));
    } else if (word === "rule") {
      const forms = namesOf(name).map(([one, which]) => this.rule(one, which, told));
      return (below) => forms.forEach((rule) => this.line(rule, below));
    } else throw new SyntaxError(`an entry that nobody can read: ${line}`);
    return () => {
      throw new SyntaxError(`a line that belongs to nothing, below: ${line}`);
    };
  }

  /** @param {string} text */
  define(text) {
    const [head, body] = split(text, " = ");
    const [name, inner] = split(head, "(");
    if (inner === "") {
      this.constants.set(name, this.formula(body, this.constants.keys()).work(this.constants));
      return;
    }
    const names = inner.replace(")", "").split(",").map((one) => one.trim());
    const { work } = this.formula(body, names);
    /** @type {Act} */
    const act = (...values) => {
      const inside = new Map(this.constants);
      names.forEach((one, i) => inside.set(one, values[i]));
      return work(inside);
    };
    Object.defineProperty(act, "length", { value: names.length });
    this.functions.set(name, act);
  }

  /** @param {string} name @param {string} told @returns {Kind} */
  kind(name, told) {
    /** @type {Kind} */
    const kind = { fields: new Map(), unwritten: new Map(this.unwritten), holds: [] };
    for (const entry of told.split(",")) {
      const [typed, value] = split(entry, " = ");
      const [field, type] = split(typed, " ");
      kind.unwritten.delete(field);
      if (type) kind.fields.set(field, type);
      if (value) kind.unwritten.set(field, this.formula(value, this.constants.keys()).work(this.constants));
    }
    if (name === ANY) this.unwritten = kind.unwritten;
    else this.kinds.set(name, kind);
    return kind;
  }

  /** @param {string} name @param {string} which @param {string} told @returns {Rule} */
  rule(name, which, told) {
    const [kind, premise] = split(told, " from ");
    /** @type {Rule} */
    const rule = {
      title: "", kind, premise: premise.replace("...", ""), many: premise.endsWith("..."), which,
      where: new Map(), body: [], instead: new Map(), assumes: null, twoClasses: false,
    };
    this.rules.set(name, [...(this.rules.get(name) ?? []), rule]);
    return rule;
  }

  /** @param {Rule} rule @param {string} line */
  line(rule, line) {
    const names = [...GIVEN, ...rule.where.keys(), ...rule.body.map(([name]) => name)];
    const [word, rest] = split(line, " ");
    if (word === "title") rule.title = rest;
    else if (word === "where") rule.where = new Map(rest.split(",").map((entry) => split(entry, " ")));
    else if (word === "assumes") {
      const [said, when] = split(rest, " when ");
      rule.assumes = { text: said.replaceAll('"', ""), when: this.formula(when || "true", names) };
    } else if (line === "two classes") rule.twoClasses = true;
    else if (line.startsWith("instead of ")) {
      const [name, told] = split(line.slice("instead of ".length), ":");
      if (!this.always.has(name)) throw new SyntaxError(`there is no ${name} that is always: ${line}`);
      rule.instead.set(name, this.formula(told, names));
    } else if (word === "let") {
      const [name, told] = split(rest, " = ");
      rule.body.push([name, this.formula(told, names)]);
    } else rule.body.push(["", this.formula(word === "limit" ? rest : line, names)]);
  }

  /** Refuse a book in which something is named that there is not. */
  resolve() {
    const types = [...this.kinds.values()].flatMap(({ fields }) => [...fields.values()]);
    const rules = [...this.rules.values()].flat();
    for (const type of [...types, ...rules.flatMap(({ where }) => [...where.values()])]) {
      const [first] = split(type, "|");
      known(TYPES.has(first) || this.words.has(first), type, "a type");
    }
    for (const { kind, premise } of rules) {
      for (const one of [kind, premise]) known(["", ANY].includes(one) || this.kinds.has(one), one, "a kind of fact");
    }
    const fields = [...this.kinds.values()].flatMap((kind) => [...kind.fields.keys(), ...kind.unwritten.keys()]);
    const where = rules.flatMap((rule) => [...rule.where.keys()]);
    const parts = new Set([...fields, ...where, "kind", "rule", "where", "unconditional", "log", "factor", "left", "right"]);
    for (const [{ text, names, calls, parts: asked }, given] of this.formulas) {
      for (const name of names) known(given.includes(name) || this.constants.has(name), name, text);
      for (const name of asked) known(parts.has(name), name, text);
      for (const [name, count] of calls) {
        const act = this.functions.get(name);
        known(act !== undefined, name, text);
        known(act?.length === 0 || act?.length === count, `${name} of ${count}`, text);
      }
    }
  }

  /** A value of this type, as it is written. @param {string} type @param {Json | undefined} written @returns {Value} */
  value(type, written) {
    const [first, word] = split(type, "|");
    if (word !== "" && written === word) return word;
    const read = TYPES.get(first);
    if (read !== undefined) return read(written);
    require(typeof written === "string" && (this.words.get(first) ?? []).includes(written), `there is no such ${first}`);
    return written;
  }

  /**
   * A fact of a kind there is, with the fields of that kind and no others.
   * @param {Json | undefined} tree @returns {Names}
   */
  fact(tree) {
    const name = tree instanceof Map ? tree.get("kind") : undefined;
    const kind = typeof name === "string" ? this.kinds.get(name) : undefined;
    if (kind === undefined || !(tree instanceof Map)) throw new Broken("there is no such kind of fact");
    const { fields, unwritten, holds } = kind;
    const known = [...tree.keys()].every((field) => field === "kind" || fields.has(field));
    const whole = [...fields.keys()].every((field) => tree.has(field) || unwritten.has(field));
    require(known && whole, `a ${name} fact has other fields`);
    /** @type {Names} */
    const fact = new Map([["kind", name], ...unwritten]);
    for (const [field, type] of fields) {
      if (tree.has(field)) fact.set(field, this.value(type, tree.get(field)));
    }
    for (const condition of holds) hold(condition, new Map([...this.constants, ["fact", fact]]));
    return fact;
  }

  /**
   * The fact of a step, every step below it derived again.
   * @param {Json | undefined} tree @param {string} path @param {{ steps: number }} derived @param {number} [depth]
   * @returns {Names}
   */
  derive(tree, path, derived, depth = 0) {
    const rule = tree instanceof Map ? tree.get("rule") : undefined;
    const forms = typeof rule === "string" ? this.rules.get(rule) : undefined;
    if (forms === undefined || !(tree instanceof Map)) {
      throw new Refusal(`${path}: there is no rule named '${String(rule).slice(0, 60)}'.`);
    }
    const place = `${path} > ${rule}`;
    if (depth > DEEPEST) throw new Refusal(`A derivation has more than ${DEEPEST} steps on top of each other.`);
    const [below, assumes] = [tree.get("premises") ?? [], tree.get("assumes") ?? []];
    const known = tree.has("fact") && [...tree.keys()].every((key) => STEP.includes(key));
    if (!known || !Array.isArray(below) || !Array.isArray(assumes) || tree.get("premises") === null || tree.get("assumes") === null) {
      throw new Refusal(`${place}: a step has unknown fields, or lacks some.`);
    }
    const premises = below.map((one, i) => this.derive(one, `${place}[${i}]`, derived, depth + 1));
    try {
      const fact = this.step(forms, tree, premises, assumes);
      derived.steps += 1;
      return fact.set("rule", rule);
    } catch (problem) {
      const reason = reasonOf(problem);
      if (reason === null) throw problem;
      const title = forms[0]?.title;
      throw new Refusal(`${place}: ${title && problem instanceof Unheld ? `${title}: ` : ""}${reason}${problem instanceof Unheld ? "" : "."}`);
    }
  }

  /** @param {Rule[]} forms @param {Entries} tree @param {Names[]} premises @param {Json[]} assumes @returns {Names} */
  step(forms, tree, premises, assumes) {
    const fact = this.fact(tree.get("fact"));
    const where = entriesOf(tree.has("where") ? tree.get("where") : new Map(), "these are not its parameters");
    const rule = fitting(forms, fact, premises);
    require(hasKeys(where, [...rule.where.keys()]), "these are not its parameters");
    /** @type {Names} */
    const names = new Map([...this.constants, ["which", rule.which], ["fact", fact], ["premises", premises], ["p", premises[0]]]);
    for (const [name, type] of rule.where) names.set(name, this.value(type, where.get(name)));
    for (const [name, condition] of this.always) hold(rule.instead.get(name) ?? condition, names);
    for (const [name, line] of rule.body) {
      if (name === "") hold(line, names);
      else names.set(name, line.work(names));
    }
    checkAssumptions(rule, assumes, where, names);
    const certain = assumes.length === 0 && premises.every((premise) => premise.get("unconditional") === true);
    return new Map([...fact, ["where", where], ["unconditional", certain]]);
  }
}

/** A condition that is not true. */
class Unheld extends Broken {}

/** @param {Formula} condition @param {Names} names */
function hold(condition, names) {
  if (!same(condition.work(names), true)) {
    throw new Unheld(`it does not follow, because this does not hold:\n  ${condition.text}`);
  }
}

/** What to say of a problem; null if it is a fault of ours. @param {unknown} problem @returns {string | null} */
export function reasonOf(problem) {
  if (problem instanceof Broken) return problem.message;
  return problem instanceof RangeError ? "a number is out of range" : null;
}

/**
 * The form of a rule for so many premises.
 * @param {Rule[]} forms @param {Names} fact @param {Names[]} premises @returns {Rule}
 */
function fitting(forms, fact, premises) {
  const rule = forms.find(({ many, premise }) => (many ? premises.length >= 1 : premises.length === (premise ? 1 : 0)));
  if (rule === undefined) throw new Broken("another number of premises is expected");
  /** @param {string} kind @param {Names} one */
  const is = (kind, one) => kind === ANY || one.get("kind") === kind;
  require(is(rule.kind, fact), `a ${rule.kind} fact is expected here`);
  require(premises.every((one) => is(rule.premise, one)), `a ${rule.premise} fact is expected as a premise`);
  return rule;
}

/** @param {Rule} rule @param {Json[]} said @param {Entries} where @param {Names} names */
function checkAssumptions(rule, said, where, names) {
  require(said.every((text) => typeof text === "string" && text !== ""), "an assumption has no words");
  if (rule.assumes === null) {
    require(said.length === 0, "this rule assumes nothing");
    return;
  }
  const { text, when } = rule.assumes;
  if (text === "anything") {
    require(said.length === 1, "exactly one assumption is expected");
    return;
  }
  const words = text.replace(/\{(\w+)\}/g, (_, name) => String(where.get(name)));
  const expected = same(when.work(names), true) ? [words] : [];
  require(said.length === expected.length && said.every((one, i) => one === expected[i]), "the assumption is not that of the rule");
}

/** Lines without remarks and blanks, each with what continues it. @param {string} source @returns {string[]} */
function linesOf(source) {
  /** @type {string[]} */
  const found = [];
  for (const line of source.split("\n")) {
    const bare = (line.split("#")[0] ?? "").trimEnd();
    if (bare.startsWith("      ")) found.push(`${found.pop()} ${bare.trim()}`);
    else if (bare !== "") found.push(bare);
  }
  return found;
}

/** A-{b|c} is A-b, where `which` is b, and A-c. @param {string} name @returns {[string, string][]} */
function namesOf(name) {
  const [head, choices] = split(name, "{");
  return choices.replace("}", "").split("|").map((which) => [head + which, which]);
}

/** What stands before the mark, and after it. @param {string} text @param {string} mark @returns {[string, string]} */
function split(text, mark) {
  const [head = "", ...rest] = text.trim().split(mark);
  return [head.trim(), rest.join(mark).trim()];
}

/** @param {boolean} holds @param {string} name @param {string} where @returns {asserts holds} */
function known(holds, name, where) {
  if (!holds) throw new SyntaxError(`the book names ${name}, which there is not: ${where}`);
}
