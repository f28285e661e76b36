/** The checker in a worker of its own: a hostile file keeps neither the page nor its time limit waiting. */

import { Looker } from "./look.js";

/** @import { Titles } from "./look.js" */

/** Answer what the page asks, by this rule book. @param {string} rules @param {Titles} titles */
export function serve(rules, titles) {
  const looker = new Looker(rules, titles);
  addEventListener("message", ({ data: { id, brought, kept } }) => {
    try {
      postMessage({ id, found: looker.look(brought, kept) });
    } catch (problem) {
      postMessage({ id, fault: String(problem) });
    }
  });
  postMessage({ ready: true });
}
