// The second checker: written in another language, from the page on formats.
let verify = null;
const starting = import(new URL("second/checker.js", import.meta.url)).then((checker) => { verify = checker.verify; });
starting.then(() => postMessage({ ready: true }), () => postMessage({ broken: "missing" }));

addEventListener("message", async ({ data }) => {
  try {
    await starting;
    postMessage({ id: data.id, found: verify(data.text) });
  } catch (problem) {
    postMessage({ id: data.id, fault: String(problem) });
  }
});
