/** JSON as documents are written: read strictly, within public limits, and written in one canonical form. */

import { bitLength } from "./rational.js";
import { Refusal, require } from "./refusal.js";

/** A number with a fraction or an exponent: never the same as a whole number. */
export class Float {
  constructor(readonly value: number) {}
}

export type Entries = Map<string, Json>;
export type Json = null | boolean | bigint | Float | string | Json[] | Entries;

const MOST_BYTES = 2 ** 28;
const MOST_VALUES = 2 ** 23;
const MOST_CHARACTERS = 4300;
const DEEPEST = 256;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t",
};
const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
};

/** The value of a JSON text; refused where it is none, or beyond the limits. */
export function parse(text: string): Json {
  const marks = limits(text);
  require(marks < MOST_VALUES, "there are too many values");
  const reader = new Reader(text);
  return reader.document();
}

/** Refuses a text of too many bytes; returns how many commas and opening brackets it has. */
function limits(text: string): number {
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
  private at = 0;
  private count = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value(1);
    this.blanks();
    require(this.at === this.text.length, "something follows the JSON value");
    return value;
  }

  private blanks(): void {
    while (" \t\n\r".includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at++;
  }

  private takes(mark: string): boolean {
    this.blanks();
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  private expect(mark: string): void {
    require(this.takes(mark), "it cannot be read as JSON");
  }

  private value(depth: number): Json {
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

  private list(depth: number): Json[] {
    const values: Json[] = [];
    if (this.takes("]")) return values;
    do values.push(this.value(depth));
    while (this.takes(","));
    this.expect("]");
    return values;
  }

  private entries(depth: number): Entries {
    const entries: Entries = new Map();
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

  private number(): bigint | Float {
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

  private string(): string {
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

  private stops(code: number): boolean {
    return code === 0x22 || code === 0x5c || code < 0x20;
  }

  private escape(): string {
    const mark = this.text.charAt(this.at++);
    if (mark !== "u") {
      const character = ESCAPES[mark];
      if (character === undefined) throw new Refusal("it cannot be read as JSON");
      return character;
    }
    const digits = this.text.slice(this.at, this.at + 4);
    require(/^[0-9a-fA-F]{4}$/.test(digits), "it cannot be read as JSON");
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }
}

/** The one text of a value. */
export function canonical(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return quoted(value);
  if (value instanceof Float) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = [...value.keys()].sort(byCodePoints);
  return `{${keys.map((key) => `${quoted(key)}:${canonical(value.get(key) ?? null)}`).join(",")}}`;
}

function byCodePoints(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === a.length || i === b.length) return a.length - b.length;
  // The second half of a pair of surrogates belongs to the character before it, if that is a pair in both.
  const at = (j: number): number => (a.codePointAt(j) ?? 0) - (b.codePointAt(j) ?? 0);
  return (i > 0 ? at(i - 1) : 0) || at(i);
}

function quoted(text: string): string {
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

/** Shortest digits; positional from 10^-4 up to 10^16, with an exponent of two digits otherwise. */
function floatText(value: number): string {
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

/** The object that this is, or a refusal. */
export function entriesOf(value: Json | undefined, reason: string): Entries {
  if (!(value instanceof Map)) throw new Refusal(reason);
  return value;
}

/** Whether the keys are exactly these. */
export function hasKeys(entries: Entries, keys: readonly string[]): boolean {
  return entries.size === keys.length && keys.every((key) => entries.has(key));
}

/** Whether the value is a whole number of at most 64 bits, and not smaller than this. */
export function isCount(value: Json | undefined, least: bigint): value is bigint {
  return typeof value === "bigint" && value >= least && bitLength(value) <= 64 && value <= 1n << 63n;
}
