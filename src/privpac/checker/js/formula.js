/** Formulas of the rule book: read once, from left to right, into functions that work them out over exact values. */

import { Rational, ZERO } from "./rational.js";
import { Broken, require } from "./refusal.js";
import { sameLoss } from "./rounding.js";

/** @typedef {any} Value A fraction, truth, text, loss, fact, or a list of these. */
/** @typedef {Map<string, Value>} Names */
/** @typedef {(names: Names) => Value} Work */
/** @typedef {(...values: Value[]) => Value} Act */
/**
 * @typedef {object} Formula
 * @property {string} text
 * @property {Work} work
 * @property {Set<string>} names What it takes from outside.
 * @property {[string, number][]} calls What it calls, with how many arguments.
 * @property {Set<string>} parts What it asks values for.
 */

const LARGEST_POWER = 2n ** 16n;
const TOKEN = /\s*(?:(\d+)|([A-Za-z_]\w*)|"([^"]*)"|(\*\*|\/\/|<=|>=|==|!=|[-+*/()<>,.]))/y;
const WORDS = ["if", "else", "or", "and", "not", "for", "in"];

/** @typedef {(a: Rational, b: Rational) => Rational} Operator */
/** @type {Map<string, Operator>} */
const ARITHMETIC = new Map(/** @type {[string, Operator][]} */ ([
  ["+", (a, b) => a.plus(b)],
  ["-", (a, b) => a.minus(b)],
  ["*", (a, b) => a.times(b)],
  ["/", (a, b) => a.over(b)],
  ["//", (a, b) => Rational.of(a.over(b).floor())],
  ["**", raised],
]));

/** @typedef {(a: Value, b: Value) => boolean} Comparison */
/** @type {Map<string, Comparison>} */
const COMPARISONS = new Map(/** @type {[string, Comparison][]} */ ([
  ["==", same],
  ["!=", (a, b) => !same(a, b)],
  ["<", (a, b) => number(a).below(number(b))],
  ["<=", (a, b) => number(a).atMost(number(b))],
  [">", (a, b) => number(b).below(number(a))],
  [">=", (a, b) => number(b).atMost(number(a))],
]));

/** @param {Rational} a @param {Rational} b @returns {Rational} */
function raised(a, b) {
  require(b.isWhole && b.sign >= 0 && b.numerator <= LARGEST_POWER, "an exponent is out of range");
  return a.power(b.numerator);
}

/** Whether two values are equal; values of two sorts never are. @param {Value} a @param {Value} b @returns {boolean} */
export function same(a, b) {
  if (a instanceof Rational) return b instanceof Rational && a.equals(b);
  if (a?.log) return b?.log !== undefined && sameLoss(a, b);
  return a === b;
}

/** @param {Value} value @returns {Rational} */
function number(value) {
  if (!(value instanceof Rational)) throw new Broken("a number is expected");
  return value;
}

/** @param {Value} value @returns {boolean} */
function truth(value) {
  if (typeof value !== "boolean") throw new Broken("a truth is expected");
  return value;
}

/** A field of a fact, a part of a loss or of a pair. @param {Value} value @param {string} name @returns {Value} */
function part(value, name) {
  const found = value instanceof Map ? value.get(name) : value[name];
  if (found === undefined) throw new SyntaxError(`there is no ${name}`);
  return typeof found === "bigint" ? Rational.of(found) : found;
}

/**
 * Read a formula that may call these functions.
 * @param {string} text @param {ReadonlyMap<string, Act>} functions @returns {Formula}
 */
export function formula(text, functions) {
  const reader = new Reader(text, functions);
  const work = reader.choice();
  if (reader.at < reader.tokens.length) throw new SyntaxError(`something follows a formula: ${text}`);
  return { text, work, names: reader.names, calls: reader.calls, parts: reader.parts };
}

/** Reads what binds loosest first; every method returns what works its part out. */
class Reader {
  /** @param {string} text @param {ReadonlyMap<string, Act>} functions */
  constructor(text, functions) {
    this.text = text;
    this.functions = functions;
    this.tokens = tokensOf(text);
    this.at = 0;
    /** @type {Set<string>} */
    this.names = new Set();
    /** @type {[string, number][]} */
    this.calls = [];
    /** @type {Set<string>} */
    this.parts = new Set();
  }

  /** The sign or word that stands here; empty where it is none. @returns {string} */
  get mark() {
    return this.tokens[this.at]?.mark ?? "";
  }

  /** Whether this mark comes next, which is then behind. @param {string} mark @returns {boolean} */
  takes(mark) {
    if (this.mark !== mark) return false;
    this.at += 1;
    return true;
  }

  /** @param {string} mark */
  expect(mark) {
    if (!this.takes(mark)) throw new SyntaxError(`${mark} is missing: ${this.text}`);
  }

  /** @returns {string} */
  name() {
    const { name } = this.tokens[this.at++] ?? {};
    if (name === undefined || WORDS.includes(name)) throw new SyntaxError(`a name is missing: ${this.text}`);
    return name;
  }

  /** @returns {Work} */
  choice() {
    const body = this.either();
    if (!this.takes("if")) return body;
    const test = this.either();
    this.expect("else");
    const other = this.choice();
    return (names) => (truth(test(names)) ? body(names) : other(names));
  }

  /** @returns {Work} */
  either() {
    const parts = [this.both()];
    while (this.takes("or")) parts.push(this.both());
    return alone(parts) ?? ((names) => parts.some((part) => truth(part(names))));
  }

  /** @returns {Work} */
  both() {
    const parts = [this.negation()];
    while (this.takes("and")) parts.push(this.negation());
    return alone(parts) ?? ((names) => parts.every((part) => truth(part(names))));
  }

  /** @returns {Work} */
  negation() {
    if (!this.takes("not")) return this.comparison();
    const inner = this.negation();
    return (names) => !truth(inner(names));
  }

  /** @returns {Work} */
  comparison() {
    const sides = [this.sum()];
    /** @type {Comparison[]} */
    const tests = [];
    for (let test; (test = COMPARISONS.get(this.mark)); ) {
      this.at += 1;
      tests.push(test);
      sides.push(this.sum());
    }
    const [first = () => undefined, ...others] = sides;
    return alone(sides) ?? ((names) => {
      let left = first(names);
      return tests.every((test, i) => {
        const right = others[i]?.(names);
        const holds = test(left, right);
        left = right;
        return holds;
      });
    });
  }

  /** @returns {Work} */
  sum() {
    let left = this.product();
    while (this.mark === "+" || this.mark === "-") left = joined(left, this.operator(), this.product());
    return left;
  }

  /** @returns {Work} */
  product() {
    let left = this.signed();
    while (this.mark === "*" || this.mark === "/" || this.mark === "//") {
      left = joined(left, this.operator(), this.signed());
    }
    return left;
  }

  /** The operator that stands here. @returns {Operator} */
  operator() {
    const act = ARITHMETIC.get(this.mark);
    if (act === undefined) throw new SyntaxError(`an operator is missing: ${this.text}`);
    this.at += 1;
    return act;
  }

  /** @returns {Work} */
  signed() {
    if (this.takes("-")) {
      const inner = this.signed();
      return (names) => ZERO.minus(number(inner(names)));
    }
    const base = this.member();
    return this.takes("**") ? joined(base, raised, this.signed()) : base;
  }

  /** @returns {Work} */
  member() {
    let inner = this.atom();
    while (this.takes(".")) {
      const [of, name] = [inner, this.name()];
      this.parts.add(name);
      inner = (names) => part(of(names), name);
    }
    return inner;
  }

  /** @returns {Work} */
  atom() {
    if (this.takes("(")) {
      const inner = this.choice();
      this.expect(")");
      return inner;
    }
    const { digits, text } = this.tokens[this.at] ?? {};
    if (digits !== undefined || text !== undefined) {
      this.at += 1;
      const value = text ?? Rational.of(BigInt(digits ?? 0));
      return () => value;
    }
    const name = this.name();
    if (this.takes("(")) return this.call(name);
    this.names.add(name);
    return (names) => names.get(name);
  }

  /** The arguments of a call; or one for every item of a list. @param {string} name @returns {Work} */
  call(name) {
    const { functions } = this;
    /** @param {Value[]} values @returns {Value} */
    const act = (values) => /** @type {Act} */ (functions.get(name))(...values);
    const outside = new Set(this.names);
    const parts = [this.choice()];
    const [each] = parts;
    if (each && this.takes("for")) {
      const item = this.name();
      if (!outside.has(item)) this.names.delete(item);
      this.expect("in");
      const list = this.choice();
      this.expect(")");
      this.calls.push([name, 1]);
      return (names) => {
        const inner = new Map(names);
        return act([list(names).map((/** @type {Value} */ one) => each(inner.set(item, one)))]);
      };
    }
    while (this.takes(",")) parts.push(this.choice());
    this.expect(")");
    this.calls.push([name, parts.length]);
    return (names) => act(parts.map((one) => one(names)));
  }
}

/** @typedef {{ mark: string, name?: string | undefined, digits?: string | undefined, text?: string | undefined }} Token */

/** @param {string} text @returns {Token[]} */
function tokensOf(text) {
  /** @type {Token[]} */
  const found = [];
  TOKEN.lastIndex = 0;
  for (const end = text.trimEnd().length; TOKEN.lastIndex < end; ) {
    const token = TOKEN.exec(text);
    if (token === null) throw new SyntaxError(`a formula that nobody can read: ${text}`);
    const [, digits, name, quoted, sign] = token;
    found.push({ mark: sign ?? name ?? "", name, digits, text: quoted });
  }
  return found;
}

/** @param {Work[]} parts @returns {Work | undefined} */
function alone(parts) {
  return parts.length === 1 ? parts[0] : undefined;
}

/** @param {Work} left @param {Operator} act @param {Work} right @returns {Work} */
function joined(left, act, right) {
  return (names) => act(number(left(names)), number(right(names)));
}
