// Small conveniences: the theme switch, copying, fields that belong to a choice. Every page works without them.
(() => {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

  document.addEventListener("click", async (event) => {
    const theme = event.target.closest("[data-theme-switch]");
    if (theme) {
      root.dataset.theme = dark() ? "light" : "dark";
      try { localStorage.setItem("privpac-theme", root.dataset.theme); } catch { /* for this page only */ }
      return;
    }
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      const text = document.getElementById(copy.dataset.copy).textContent;
      let done = true;
      try { await navigator.clipboard.writeText(text); } catch { done = selected(copy.dataset.copy); }
      copy.textContent = done ? "Copied" : "Selected";
      setTimeout(() => { copy.textContent = "Copy"; }, 1500);
      return;
    }
    const fold = event.target.closest("[data-fold]");
    if (fold) {
      const open = fold.dataset.fold === "open";
      for (const item of document.querySelectorAll("details.proof")) item.open = open;
    }
  });

  // Where the clipboard is closed to pages: mark the text, so that a person can copy it.
  function selected(id) {
    getSelection().selectAllChildren(document.getElementById(id));
    return false;
  }

  // A field is shown, and sent, if the choice it belongs to is made: data-when="name=value value".
  function fit(scope) {
    for (const piece of scope.querySelectorAll("[data-when]")) {
      const [name, values] = piece.dataset.when.split("=");
      const form = piece.closest("form");
      const control = form.elements[name];
      const chosen = control instanceof RadioNodeList ? control.value : control.type === "checkbox" ? String(control.checked) : control.value;
      const inside = piece.parentElement.closest("[data-when]");
      const wanted = !(inside && inside.hidden) && values.trim().split(/\s+/).includes(chosen);
      piece.hidden = !wanted;
      for (const field of piece.querySelectorAll("input, select, textarea")) field.disabled = !wanted;
    }
  }
  document.addEventListener("change", (event) => { if (event.target.form) fit(event.target.form); }, true);
  document.addEventListener("htmx:after:swap", () => fit(document));
  fit(document);

  // What a person changed before anything listened (a slow line, or a browser that fills a form in again) is asked for now.
  function differs(field) {
    if (field instanceof HTMLSelectElement) {
      const written = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
      return Boolean(written) && field.value !== written.value;
    }
    return ["checkbox", "radio"].includes(field.type) ? field.checked !== field.defaultChecked : field.type !== "file" && field.value !== field.defaultValue;
  }
  function catchUp() {
    for (const form of document.querySelectorAll("form[hx-trigger^=input]")) { // those that ask by themselves on load need no help
      if ([...form.elements].some(differs)) form.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
  addEventListener("load", () => setTimeout(catchUp));

  // What scrolls sideways can be reached by the keyboard; what fits needs no stop.
  function reach() {
    for (const box of document.querySelectorAll(".scroll, .rule > figure, figure.rule, pre")) {
      const scrolls = box.scrollWidth > box.clientWidth + 1;
      if (scrolls && !box.hasAttribute("tabindex")) { box.tabIndex = 0; box.setAttribute("role", "group"); if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", "Scrolls sideways"); }
      if (!scrolls && box.tabIndex === 0) box.removeAttribute("tabindex");
    }
  }
  addEventListener("resize", reach);
  document.addEventListener("htmx:after:swap", reach);
  document.addEventListener("toggle", reach, true);
  reach();

  // A drop zone is a file field that covers it; what is added is its look and the name of the file.
  for (const zone of document.querySelectorAll("[data-drop]")) {
    const field = zone.querySelector("input");
    const name = zone.querySelector("[data-drop-name]");
    for (const kind of ["dragenter", "dragover"]) zone.addEventListener(kind, () => zone.classList.add("over"));
    for (const kind of ["dragleave", "drop"]) zone.addEventListener(kind, () => zone.classList.remove("over"));
    const show = () => {
      const file = field.files[0];
      zone.classList.toggle("full", Boolean(file));
      if (file) name.textContent = `${file.name} · ${file.size < 1 << 20 ? `${Math.max(1, Math.round(file.size / 1024))} kB` : `${(file.size / (1 << 20)).toFixed(1)} MB`}`;
    };
    field.addEventListener("change", show);
    show();
  }
})();
