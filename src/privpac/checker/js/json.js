/** JSON as documents are written: read strictly, within public limits, and written in one canonical form. */

import { bitLength } from "./rational.js";
import { Broken, require } from "./refusal.js";

/** A number with a fraction or an exponent: never the same as a whole number. */
export class Float {
  /** @param {number} value */
  constructor(value) {
    /** @readonly */
    this.value = value;
  }
}

/** @import { Entries, Json } from "./types.js" */

const MOST_BYTES = 2 ** 28;
const MOST_VALUES = 2 ** 23;
const MOST_CHARACTERS = 4300;
const DEEPEST = 256;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
/** @type {Readonly<Record<string, string>>} */
const ESCAPES = {
  '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
};
/** @type {Readonly<Record<string, string>>} */
const SHORT = {
  '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
};

/** The value of a JSON text; refused where it is none, or beyond the limits. @param {string} text @returns {Json} */
export function parse(text) {
  const marks = limits(text);
  require(marks < MOST_VALUES, "there are too many values");
  const reader = new Reader(text);
  return reader.document();
}

/**
 * Refuses a text of too many bytes; returns how many commas and opening brackets it has.
 * @param {string} text @returns {number}
 */
function limits(text) {
  let [bytes, marks] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x2c || code === 0x5b || code === 0x7b) marks++;
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  require(bytes <= MOST_BYTES, "the file is too large");
  return marks;
}

class Reader {
  at = 0;
  count = 0;

  /** @param {string} text */
  constructor(text) {
    /** @readonly */
    this.text = text;
  }

  /** @returns {Json} */
  document() {
    const value = this.value(1);
    this.blanks();
    require(this.at === this.text.length, "something follows the JSON value");
    return value;
  }

  blanks() {
    while (" \t\n\r".includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at++;
  }

  /** @param {string} mark @returns {boolean} */
  takes(mark) {
    this.blanks();
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  /** @param {string} mark */
  expect(mark) {
    require(this.takes(mark), "it cannot be read as JSON");
  }

  /** @param {number} depth @returns {Json} */
  value(depth) {
    require(depth <= DEEPEST, "values are nested too deeply");
    require(++this.count <= MOST_VALUES, "there are too many values");
    if (this.takes("{")) return this.entries(depth + 1);
    if (this.takes("[")) return this.list(depth + 1);
    if (this.takes('"')) return this.string();
    if (this.takes("true")) return true;
    if (this.takes("false")) return false;
    if (this.takes("null")) return null;
    return this.number();
  }

  /** @param {number} depth @returns {Json[]} */
  list(depth) {
    /** @type {Json[]} */
    const values = [];
    if (this.takes("]")) return values;
    do values.push(this.value(depth));
    while (this.takes(","));
    this.expect("]");
    return values;
  }

  /** @param {number} depth @returns {Entries} */
  entries(depth) {
    /** @type {Entries} */
    const entries = new Map();
    if (this.takes("}")) return entries;
    do {
      this.expect('"');
      const key = this.string();
      require(!entries.has(key), "an object has the same key twice");
      this.expect(":");
      entries.set(key, this.value(depth));
    } while (this.takes(","));
    this.expect("}");
    return entries;
  }

  /** @returns {bigint | Float} */
  number() {
    NUMBER.lastIndex = this.at;
    const found = NUMBER.exec(this.text);
    require(found !== null, "it cannot be read as JSON");
    const [digits, fraction, power] = found;
    this.at += digits.length;
    if (fraction === undefined && power === undefined) {
      require(digits.length <= MOST_CHARACTERS, "an integer is too long");
      return BigInt(digits);
    }
    const value = Number(digits);
    require(Number.isFinite(value), "a number is out of range");
    return new Float(value);
  }

  /** @returns {string} */
  string() {
    let found = "";
    for (;;) {
      const start = this.at;
      while (this.at < this.text.length && !this.stops(this.text.charCodeAt(this.at))) this.at++;
      found += this.text.slice(start, this.at);
      const mark = this.text.charAt(this.at++);
      if (mark === '"') return found;
      require(mark === "\\", "it cannot be read as JSON");
      found += this.escape();
    }
  }

  /** @param {number} code @returns {boolean} */
  stops(code) {
    return code === 0x22 || code === 0x5c || code < 0x20;
  }

  /** @returns {string} */
  escape() {
    const mark = this.text.charAt(this.at++);
    if (mark !== "u") {
      const character = ESCAPES[mark];
      if (character === undefined) throw new Broken("it cannot be read as JSON");
      return character;
    }
    const digits = this.text.slice(this.at, this.at + 4);
    require(/^[0-9a-fA-F]{4}$/.test(digits), "it cannot be read as JSON");
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }
}

/** The one text of a value. @param {Json} value @returns {string} */
export function canonical(value) {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return quoted(value);
  if (value instanceof Float) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = [...value.keys()].sort(byCodePoints);
  return `{${keys.map((key) => `${quoted(key)}:${canonical(value.get(key) ?? null)}`).join(",")}}`;
}

/** @param {string} a @param {string} b @returns {number} */
function byCodePoints(a, b) {
  let i = 0;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  // The second half of a pair of surrogates belongs to the character before it, if that is a pair in both.
  /** @param {number} j @returns {number} */
  const at = (j) => (a.codePointAt(j) ?? 0) - (b.codePointAt(j) ?? 0);
  return (i > 0 ? at(i - 1) : 0) || at(i);
}

/** @param {string} text @returns {string} */
function quoted(text) {
  let result = '"';
  for (let i = 0; i < text.length; i++) {
    const [character, code] = [text.charAt(i), text.charCodeAt(i)];
    const short = SHORT[character];
    if (short !== undefined) result += short;
    else if (code >= 0x20 && code <= 0x7e) result += character;
    else result += `\\u${code.toString(16).padStart(4, "0")}`;
  }
  return `${result}"`;
}

/**
 * Shortest digits; positional from 10^-4 up to 10^16, with an exponent of two digits otherwise.
 * @param {number} value @returns {string}
 */
function floatText(value) {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0.0`;
  const [mantissa = "", power = "0"] = Math.abs(value).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const rest = digits.length > 1 ? `.${digits.slice(1)}` : "";
    const written = Math.abs(exponent).toString().padStart(2, "0");
    return `${sign}${digits.charAt(0)}${rest}e${exponent < 0 ? "-" : "+"}${written}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}

/** The object that this is, or a refusal. @param {Json | undefined} value @param {string} reason @returns {Entries} */
export function entriesOf(value, reason) {
  if (!(value instanceof Map)) throw new Broken(reason);
  return value;
}

/** Whether the keys are exactly these. @param {Entries} entries @param {readonly string[]} keys @returns {boolean} */
export function hasKeys(entries, keys) {
  return entries.size === keys.length && keys.every((key) => entries.has(key));
}

/**
 * Whether the value is a whole number of at most 64 bits, and not smaller than this.
 * @param {Json | undefined} value @param {bigint} least @returns {value is bigint}
 */
export function isCount(value, least) {
  return typeof value === "bigint" && value >= least && bitLength(value) <= 64 && value <= 1n << 63n;
}
