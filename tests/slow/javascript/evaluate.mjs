// What formulas of the rule book come to in JavaScript: per line of stdin {formula, names}, names as fractions or lists of them; what it is per line.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Book, reasonOf } from "../../../src/privpac/checker/js/book.js";
import { Rational } from "../../../src/privpac/checker/js/rational.js";
import { fraction } from "../../../src/privpac/checker/js/values.js";

const book = new Book(readFileSync(new URL("../../../src/privpac/checker/rules.txt", import.meta.url), "utf8"));

// In hexadecimal digits, which are written in no time however long a number is.
const shown = (value) => (
  value instanceof Rational ? `${value.numerator.toString(16)}/${value.denominator.toString(16)}` : String(value)
);

for await (const line of createInterface({ input: process.stdin })) {
  const { formula, names } = JSON.parse(line);
  const read = (value) => (Array.isArray(value) ? value.map(fraction) : fraction(value));
  const given = new Map(Object.entries(names).map(([name, value]) => [name, read(value)]));
  try {
    console.log(shown(book.formula(formula, given.keys()).work(new Map([...book.constants, ...given]))));
  } catch (problem) {
    if (reasonOf(problem) === null) throw problem;
    console.log("refused");
  }
}
