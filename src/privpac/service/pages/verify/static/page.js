/** Takes files, hands them to the checker in its worker, and shows what it found. */

import { show } from "./shown.js";

/** @import { File as Brought } from "./look.js" */
/** @typedef {{ ready?: boolean, id?: number, found?: any, fault?: string, late?: number, missing?: boolean }} Answer */

const MOST_BYTES = 32 * 1024 * 1024;
const SECONDS = 60;
/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/**
 * The checker. Its script comes as text, for a worker from a blob: only there does the policy of this page hold, and
 * only such a worker runs where the page is a file.
 */
class Checker {
  /** @param {string} script */
  constructor(script) {
    this.address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    /** @type {Map<number, (answer: Answer) => void>} */
    this.waiting = new Map();
    this.last = 0;
    this.start();
  }

  start() {
    this.worker = new Worker(this.address);
    /** @type {Promise<void>} */
    this.ready = new Promise((good, bad) => {
      this.worker?.addEventListener("message", ({ data }) => {
        if (data.ready) good();
        else this.waiting.get(data.id)?.(data);
      });
      this.worker?.addEventListener("error", (event) => bad(new Error(event.message)));
    });
    this.ready.catch(() => {});
  }

  /**
   * What the checker says; `late` if it takes too long, and then it is stopped and started anew.
   * @param {{ brought: Brought[], kept: Brought[] }} question @returns {Promise<Answer>}
   */
  async ask(question) {
    try { await this.ready; } catch { return { missing: true }; }
    const id = ++this.last;
    /** @type {Promise<Answer>} */
    const answer = new Promise((done) => this.waiting.set(id, done));
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let clock;
    /** @type {Promise<Answer>} */
    const late = new Promise((done) => { clock = setTimeout(() => done({ late: SECONDS }), SECONDS * 1000); });
    this.worker?.postMessage({ id, ...question });
    const found = await Promise.race([answer, late]);
    clearTimeout(clock);
    this.waiting.delete(id);
    if (found.late || found.fault) { this.worker?.terminate(); this.start(); }
    return found;
  }
}

/** @type {Checker} */
let checker;
/** @type {Brought[]} */
let kept = [];
let queue = Promise.resolve();

/** Start the page, with the script of the checker. @param {string} script */
export function start(script) {
  checker = new Checker(script);
  checker.ready?.then(
    () => {
      performance.mark("ready");
      say("ready", "The checker is ready.");
    },
    () => say("broken", "The checker could not be started in this browser. Use privpac verify FILE instead."),
  );
  listen();
}

/** @param {string} now @param {string} text */
function say(now, text) {
  $("state").dataset.now = now;
  $("state").textContent = text;
}

/** @param {File[]} files */
function bring(files) {
  queue = queue.then(() => check(files)).catch((problem) => {
    say("broken", "Something went wrong on this page; nothing is known about the file.");
    console.error(problem);
  });
}

/** @param {File[]} files */
async function check(files) {
  const large = files.find((file) => file.size > MOST_BYTES);
  if (large) {
    finish({ verdict: "unchecked", reason: `${large.name} has more than ${MOST_BYTES / 1048576} MB, the most that is read here.`, remedy: "Use privpac verify FILE, which reads larger files." });
    return;
  }
  say("working", "Checking …");
  const brought = await Promise.all(files.map(async (file) => ({ name: file.name, content: new Uint8Array(await file.arrayBuffer()) })));
  const all = [...kept, ...brought];
  const began = performance.now();
  const answer = await checker.ask({ kept, brought });
  if (answer.missing) { finish({ verdict: "unchecked", reason: "The checker could not be started in this browser.", remedy: "Use privpac verify FILE instead." }); return; }
  if (answer.late) { finish({ verdict: "unchecked", reason: `The check took more than ${answer.late} seconds and was stopped.`, remedy: "No file that privpac writes takes that long. Do not rely on it." }); return; }
  if (answer.fault) { finish({ verdict: "unchecked", reason: "The checker itself failed on this file; that is a fault of ours.", remedy: "Do not rely on the file, and please report it." }); return; }
  const { found } = answer;
  kept = found.files.map((/** @type {{ at: number }} */ file) => all[file.at]);
  list(found.files);
  if (found.verdict === "waiting") {
    say("ready", "Now bring the document that these belong to.");
    $("result").replaceChildren();
    return;
  }
  finish(found, performance.now() - began);
}

/** @param {any} found @param {number} [milliseconds] */
function finish(found, milliseconds) {
  say("ready", milliseconds === undefined ? "Not checked." : `Checked in ${Math.max(0.1, milliseconds / 1000).toFixed(1)} seconds.`);
  $("drop").classList.add("small");
  $("content").classList.add("done");
  $("again").hidden = false;
  $("here").textContent = "Drop more here";
  const verdict = show($("result"), found);
  verdict.scrollIntoView({ block: "nearest" });
}

/** @param {{ name: string, role: "document" | "signature" | "keys" }[]} files */
function list(files) {
  const roles = { document: "document", signature: "signature", keys: "trusted keys" };
  $("brought").hidden = files.length === 0;
  $("brought").replaceChildren(...files.map((file) => {
    const item = document.createElement("li");
    const role = document.createElement("small");
    role.textContent = ` ${roles[file.role]}`;
    item.append(file.name, role);
    return item;
  }));
}

function again() {
  kept = [];
  list([]);
  $("result").replaceChildren();
  $("drop").classList.remove("small");
  $("content").classList.remove("done");
  $("again").hidden = true;
  $("here").textContent = "Drop a file here";
  say("ready", "The checker is ready.");
  $("choose").focus();
}

/** @param {boolean} open */
function opened(open) {
  $("pasting").hidden = !open;
  $("paste").setAttribute("aria-expanded", String(open));
  if (open) $("text").focus();
}

/** @param {string} text @returns {File} */
const textFile = (text) => new File([text], "pasted text", { type: "application/json" });

/** Take what is chosen, pasted and dropped. */
function listen() {
  $("choose").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", () => { if ($("file").files.length) bring([...$("file").files]); $("file").value = ""; });
  $("paste").addEventListener("click", () => opened($("pasting").hidden));
  $("check").addEventListener("click", () => { if ($("text").value.trim()) { bring([textFile($("text").value)]); $("text").value = ""; opened(false); } else $("text").focus(); });
  $("again").addEventListener("click", () => { queue = queue.then(again); });
  $("theme").addEventListener("click", switchTheme);

  // The whole window takes what is dropped: nobody aims well with a file, and a browser would open it instead.
  addEventListener("dragover", (event) => { event.preventDefault(); $("drop").classList.add("over"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").classList.remove("over"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    $("drop").classList.remove("over");
    handed(event.dataTransfer);
  });
  addEventListener("paste", (event) => {
    if (event.target instanceof Element && event.target.closest("textarea, input")) return;
    handed(event.clipboardData);
  });
}

/** Take the files of what was dropped or pasted, or its text. @param {DataTransfer | null} data */
function handed(data) {
  const [files, text] = [[...(data?.files ?? [])], data?.getData("text") ?? ""];
  if (files.length) bring(files);
  else if (text.trim()) bring([textFile(text)]);
}

function switchTheme() {
  const root = document.documentElement;
  const dark = (root.dataset["theme"] || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const theme = dark ? "light" : "dark";
  root.dataset["theme"] = theme;
  try { localStorage.setItem("privpac-theme", theme); } catch { /* for this page only */ }
}
