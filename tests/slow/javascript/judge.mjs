// What this checker says of files: a JSON object {kind, text} per line of stdin, a verdict per line of stdout.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Checker } from "../../../src/privpac/checker/js/checker.js";

const checker = new Checker(readFileSync(new URL("../../../src/privpac/checker/rules.txt", import.meta.url), "utf8"));
for await (const line of createInterface({ input: process.stdin })) {
  const { kind, text } = JSON.parse(line);
  const { accepted, reason } = kind === "derivation" ? checker.verifyDerivation(text) : checker.verify(text);
  console.log(JSON.stringify({ accepted, reason }));
}
