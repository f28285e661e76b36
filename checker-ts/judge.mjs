// What the second checker says of files: a JSON object {kind, text} per line of stdin, a verdict per line of stdout.
import { createInterface } from "node:readline";
import { verify, verifyDerivation } from "../src/privpac/checker/js/checker.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { kind, text } = JSON.parse(line);
  const { accepted, reason, notChecked } = kind === "derivation" ? verifyDerivation(text) : verify(text);
  console.log(JSON.stringify({ accepted, reason, notChecked }));
}
