// The first checker: privpac's own Python, by Pyodide. Started from a blob, so that the page's policy holds here too.
const here = new URL(".", import.meta.url);

const START = `
import json, sys
sys.path.insert(0, "/checker.zip")
from privpac.service.pages.verify.look import look

def answer(kept, brought, titles):
    files = [[(one.name, one.content.to_bytes()) for one in some] for some in (kept, brought)]
    return json.dumps(look(files[1], json.loads(titles), former=files[0]))

answer
`;

async function ready() {
  const [{ loadPyodide }, sources, titles] = await Promise.all([
    import(new URL("pyodide/pyodide.mjs", here)),
    fetched("checker.zip").then((reply) => reply.arrayBuffer()),
    fetched("rules.json").then((reply) => reply.text()),
  ]);
  const python = await loadPyodide({ indexURL: new URL("pyodide/", here).href });
  python.FS.writeFile("/checker.zip", new Uint8Array(sources));
  const answer = python.runPython(START);
  return (kept, brought) => JSON.parse(answer(kept, brought, titles));
}

async function fetched(name) {
  const reply = await fetch(new URL(name, here));
  if (!reply.ok) throw new Error(`${name}: ${reply.status}`);
  return reply;
}

const starting = ready();
starting.then(() => postMessage({ ready: true }), (problem) => postMessage({ broken: String(problem) }));

addEventListener("message", async ({ data }) => {
  const look = await starting;
  try {
    postMessage({ id: data.id, found: look(data.kept, data.brought) });
  } catch (problem) {
    postMessage({ id: data.id, fault: String(problem).trim().split("\n").pop() });
  }
});
