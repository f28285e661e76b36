// What the Verify page says of files: per line of stdin {kept, brought}, lists of [name, content in base64]; a report per line.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Looker } from "../../../src/privpac/service/pages/verify/static/look.js";

const looker = new Looker(
  readFileSync(new URL("../../../src/privpac/checker/rules.txt", import.meta.url), "utf8"), JSON.parse(process.argv[2]),
);
const files = (pairs) => pairs.map(([name, content]) => ({ name, content: Buffer.from(content, "base64") }));
for await (const line of createInterface({ input: process.stdin })) {
  const { kept, brought } = JSON.parse(line);
  console.log(JSON.stringify(looker.look(files(brought), files(kept))));
}
