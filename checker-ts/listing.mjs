// Writes src/rules/index.ts: the rules of every file beside it, so that nobody lists them. `npm run build` runs it.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL("src/rules/", import.meta.url);
const families = readdirSync(folder)
  .filter((name) => name !== "index.ts")
  .sort()
  .map((name) => ({
    file: name.replace(/\.ts$/, ".js"),
    rules: /^export const (\w+): Readonly<Record<string, Rule>>/m.exec(readFileSync(new URL(name, folder), "utf8"))[1],
  }));

writeFileSync(
  new URL("index.ts", folder),
  `/** Every rule that this implementation derives again; written by listing.mjs. */

import type { Rule } from "../reading.js";
${families.map(({ file, rules }) => `import { ${rules} } from "./${file}";\n`).join("")}
export const RULES: ReadonlyMap<string, Rule> = new Map(
  [${families.map(({ rules }) => rules).join(", ")}].flatMap((family) =>
    Object.entries(family),
  ),
);
`,
);
