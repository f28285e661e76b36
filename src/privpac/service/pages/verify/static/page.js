// Takes files, hands them to both checkers, each in a worker of its own, and shows what they found.
import { show } from "./shown.js";

const MOST_BYTES = 32 * 1024 * 1024;
const SECONDS = 60;
const $ = (id) => document.getElementById(id);

// A checker in a worker. From a blob, since only then the policy of this page holds inside of it.
class Checker {
  constructor(script) {
    this.script = new URL(script, import.meta.url).href;
    this.waiting = new Map();
    this.last = 0;
    this.start();
  }

  start() {
    const text = `import(${JSON.stringify(this.script)}).catch((problem) => postMessage({ broken: String(problem) }));`;
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    this.worker = new Worker(address, { type: "module" });
    this.ready = new Promise((good, bad) => {
      this.worker.addEventListener("message", ({ data }) => {
        if (data.ready) good();
        else if (data.broken) bad(new Error(data.broken));
        else this.waiting.get(data.id)?.(data);
      });
      this.worker.addEventListener("error", (event) => bad(new Error(event.message)));
    });
    this.ready.catch(() => {});
  }

  // What the checker says; "late" if it takes too long, and then it is stopped and started anew.
  async ask(question) {
    try { await this.ready; } catch (problem) { return { missing: problem.message }; }
    const id = ++this.last;
    const answer = new Promise((done) => this.waiting.set(id, done));
    let clock;
    const late = new Promise((done) => { clock = setTimeout(() => done({ late: SECONDS }), SECONDS * 1000); });
    this.worker.postMessage({ id, ...question });
    const found = await Promise.race([answer, late]);
    clearTimeout(clock);
    this.waiting.delete(id);
    if (found.late || found.fault) { this.worker.terminate(); this.start(); }
    return found;
  }
}

const first = new Checker("worker.js");
const second = new Checker("second.js");
let kept = [];
let queue = Promise.resolve();

first.ready.then(
  () => say("ready", "The checker is ready."),
  () => say("broken", location.protocol === "file:"
    ? "Browsers do not run this page from a file. Serve its folder: python -m http.server"
    : "The checker could not be started in this browser. Use privpac verify FILE instead."),
);

function say(now, text) {
  $("state").dataset.now = now;
  $("state").textContent = text;
}

function bring(files) {
  queue = queue.then(() => check(files)).catch((problem) => {
    say("broken", "Something went wrong on this page; nothing is known about the file.");
    console.error(problem);
  });
}

async function check(files) {
  const large = files.find((file) => file.size > MOST_BYTES);
  if (large) {
    finish({ verdict: "unchecked", reason: `${large.name} has more than ${MOST_BYTES / 1048576} MB, the most that is read here.`, remedy: "Use privpac verify FILE, which reads larger files." });
    return;
  }
  say("working", first.started ? "Checking …" : "Getting the checker ready, then checking …");
  const brought = await Promise.all(files.map(async (file) => ({ name: file.name, content: new Uint8Array(await file.arrayBuffer()) })));
  const all = [...kept, ...brought];
  await first.ready.catch(() => {});
  const began = performance.now();
  const answer = await first.ask({ kept, brought });
  if (answer.missing) { finish({ verdict: "unchecked", reason: "The checker could not be started in this browser.", remedy: "Use privpac verify FILE instead." }); return; }
  first.started = true;
  if (answer.late) { finish({ verdict: "unchecked", reason: `The check took more than ${answer.late} seconds and was stopped.`, remedy: "No file that privpac writes takes that long. Do not rely on it." }); return; }
  if (answer.fault) { finish({ verdict: "unchecked", reason: "The checker itself failed on this file; that is a fault of ours.", remedy: "Do not rely on the file, and please report it." }); return; }
  const { found } = answer;
  kept = found.files.map((file) => all[file.at]);
  list(found.files);
  if (found.verdict === "waiting") {
    say("ready", "Now bring the document that these belong to.");
    $("result").replaceChildren();
    return;
  }
  const document = found.files.find((file) => file.role === "document");
  const other = found.beside ? null : await secondOpinion(all[document.at].content);
  finish({ ...found, second: other }, performance.now() - began);
}

// Of the document alone: signatures that lie beside it are the first checker's affair.
async function secondOpinion(content) {
  let text;
  try { text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content); } catch { return { found: { accepted: false, reason: "The file is not text in UTF-8.", notChecked: [] } }; }
  return second.ask({ text });
}

function finish(found, milliseconds) {
  say("ready", milliseconds === undefined ? "Not checked." : `Checked in ${Math.max(0.1, milliseconds / 1000).toFixed(1)} seconds.`);
  $("drop").classList.add("small");
  $("content").classList.add("done");
  $("again").hidden = false;
  document.querySelector(".here").textContent = "Drop more here";
  const verdict = show($("result"), found);
  verdict.scrollIntoView({ block: "nearest" });
}

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
  document.querySelector(".here").textContent = "Drop a file here";
  say("ready", "The checker is ready.");
  $("choose").focus();
}

function opened(open) {
  $("pasting").hidden = !open;
  $("paste").setAttribute("aria-expanded", String(open));
  if (open) $("text").focus();
}

const textFile = (text) => new File([text], "pasted text", { type: "application/json" });

$("choose").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => { if ($("file").files.length) bring([...$("file").files]); $("file").value = ""; });
$("paste").addEventListener("click", () => opened($("pasting").hidden));
$("check").addEventListener("click", () => { if ($("text").value.trim()) { bring([textFile($("text").value)]); $("text").value = ""; opened(false); } else $("text").focus(); });
$("again").addEventListener("click", () => { queue = queue.then(again); });

// The whole window takes what is dropped: nobody aims well with a file, and a browser would open it instead.
addEventListener("dragover", (event) => { event.preventDefault(); $("drop").classList.add("over"); });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").classList.remove("over"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  if (event.dataTransfer.files.length) bring([...event.dataTransfer.files]);
  else if (event.dataTransfer.getData("text")) bring([textFile(event.dataTransfer.getData("text"))]);
});
addEventListener("paste", (event) => {
  if (event.target.closest?.("textarea, input")) return;
  const { files } = event.clipboardData;
  const text = event.clipboardData.getData("text");
  if (files.length) bring([...files]);
  else if (text.trim()) bring([textFile(text)]);
});

document.querySelector("[data-theme-switch]").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("privpac-theme", root.dataset.theme); } catch { /* for this page only */ }
});
