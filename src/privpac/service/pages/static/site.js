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
      const wanted = values.trim().split(/\s+/).includes(chosen);
      piece.hidden = !wanted;
      for (const field of piece.querySelectorAll("input, select, textarea")) field.disabled = !wanted;
    }
    // The label has classes, not bounds.
    for (const row of scope.querySelectorAll("[data-unless-label]")) {
      row.hidden = row.closest("form").elements.label.value === row.dataset.unlessLabel;
    }
  }
  document.addEventListener("change", (event) => { if (event.target.form) fit(event.target.form); }, true);
  document.addEventListener("htmx:after:swap", () => fit(document));
  fit(document);
})();
