// The table of columns on the Learn page. Only rows in sight exist, so two thousand columns are as quick as five; what a
// person changes is kept here and sent as differences. Arrow keys go from cell to cell, so Tab passes the table in one step.
(() => {
  const sheet = document.querySelector("[data-sheet]");
  if (!sheet) return;
  const form = sheet.closest("form");
  const kinds = JSON.parse(sheet.dataset.kinds);
  const first = JSON.parse(sheet.dataset.values);
  const columns = first.map((column) => ({ ...column }));
  const view = sheet.querySelector(".sheet-view");
  const space = document.createElement("div");
  const dialog = document.getElementById("column-dialog");
  const rows = new Map(); // by position in `shown`
  let shown = columns.map((_, index) => index);
  let problems = new Map(); // by column
  let active = { row: 0, cell: 0 };
  space.className = "sheet-space";
  space.setAttribute("role", "presentation");
  view.append(space);
  const whole = new Intl.NumberFormat("en-US");

  const bounded = (column) => ["whole", "numeric", "date"].includes(column.kind);
  const blank = (column) => (bounded(column) ? !column.lower.trim() || !column.upper.trim() : column.kind === "categorical" && !column.categories.trim());
  const isLabel = (column) => form.elements.label.value === column.name;
  const height = () => parseFloat(getComputedStyle(sheet).getPropertyValue("--row"));

  function changes() {
    const found = {};
    columns.forEach((column, index) => {
      const own = Object.entries(column).filter(([key, value]) => value !== first[index][key]);
      if (own.length) found[index] = Object.fromEntries(own);
    });
    return found;
  }
  function changed() {
    form.elements.changes.value = JSON.stringify(changes());
    summary();
  }
  function summary() {
    const others = columns.filter((column) => !isLabel(column));
    const used = others.filter((column) => column.used);
    const open = used.filter(blank).length;
    document.getElementById("sheet-state").textContent = `${whole.format(used.length)} of ${whole.format(others.length)} used` + (open ? `, ${whole.format(open)} to fill in` : "");
    for (const place of document.querySelectorAll("[data-shown]")) place.textContent = whole.format(shown.length);
  }

  function input(index, key, label, extra = {}) {
    const field = document.createElement("input");
    Object.assign(field, { value: columns[index][key], spellcheck: false, ...extra });
    field.setAttribute("aria-label", `${label} of ${columns[index].name}`);
    field.dataset.key = key;
    return field;
  }
  function cell(row, name, ...content) {
    const box = document.createElement("div");
    box.setAttribute("role", "gridcell");
    box.className = `sheet-${name}`;
    box.append(...content);
    row.append(box);
    return box;
  }
  // What is wrong with a column stands beside its fields; a row that is being edited keeps the focus meanwhile.
  function remark(row, index) {
    const values = row.querySelector(".sheet-values");
    values.querySelector(".wrong")?.remove();
    const fields = [...values.querySelectorAll("input")];
    for (const field of fields) { field.removeAttribute("aria-invalid"); field.removeAttribute("aria-describedby"); }
    const problem = columns[index].used && problems.get(index);
    if (!problem) return;
    const text = Object.assign(document.createElement("span"), { className: "wrong", id: `wrong-c${index}`, textContent: problem.text });
    values.append(text);
    for (const field of fields.filter((one) => !problem.field || one.dataset.key === problem.field || !one.value.trim())) {
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", text.id);
    }
  }
  function build(place) {
    const index = shown[place];
    const column = columns[index];
    const row = document.createElement("div");
    row.className = "sheet-row";
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", place + 2);
    row.dataset.place = place;
    row.style.transform = `translateY(${place * height()}px)`;
    row.classList.toggle("off", !column.used);
    const used = Object.assign(document.createElement("input"), { type: "checkbox", checked: column.used });
    used.setAttribute("aria-label", `Use ${column.name}`);
    used.dataset.key = "used";
    cell(row, "used", used);
    const name = cell(row, "name", column.name);
    name.title = column.name;
    const kind = document.createElement("select");
    for (const [word, text] of Object.entries(kinds)) kind.append(Object.assign(new Option(word, word, false, word === column.kind), { title: text }));
    kind.setAttribute("aria-label", `Kind of ${column.name}`);
    kind.dataset.key = "kind";
    cell(row, "kind", kind);
    const values = cell(row, "values");
    if (bounded(column)) {
      const mode = column.kind === "date" ? { placeholder: "2020-01-01" } : { inputMode: "decimal" };
      values.append(input(index, "lower", "Lower bound", { placeholder: "from", ...mode }), input(index, "upper", "Upper bound", { placeholder: "to", ...mode }));
    } else if (column.kind === "categorical") values.append(input(index, "categories", "Categories", { placeholder: "low, middle, high" }));
    else values.append(Object.assign(document.createElement("span"), { className: "soft", textContent: "true or false" }));
    remark(row, index);
    const more = Object.assign(document.createElement("button"), { type: "button", className: "quiet icon", textContent: "⋯", title: "Title, unit, empty cells, time zones and the like" });
    more.setAttribute("aria-label", `More about ${column.name}`);
    more.dataset.more = index;
    cell(row, "more", more);
    rove(row, place);
    return row;
  }
  const fieldsOf = (row) => [...row.querySelectorAll("input, select, button")];
  function rove(row, place) {
    fieldsOf(row).forEach((field, number, all) => { field.tabIndex = place === active.row && number === Math.min(active.cell, all.length - 1) ? 0 : -1; });
  }
  function draw(anew = false) {
    const step = height();
    space.style.height = `${shown.length * step}px`;
    sheet.setAttribute("aria-rowcount", shown.length + 1);
    const from = Math.max(0, Math.floor(view.scrollTop / step) - 4);
    const to = Math.min(shown.length, Math.ceil((view.scrollTop + view.clientHeight) / step) + 4);
    for (const [place, row] of rows) {
      const here = place >= from && place < to;
      if (anew ? !row.contains(document.activeElement) || !here : !here && !row.contains(document.activeElement)) { row.remove(); rows.delete(place); }
    }
    for (let place = from; place < to; place += 1) {
      if (!rows.has(place)) { const row = build(place); rows.set(place, row); space.append(row); }
      else if (anew) remark(rows.get(place), shown[place]);
    }
    if (active.row < from || active.row >= to) { // somewhere in sight must be reachable by Tab
      if (!rows.get(active.row)?.contains(document.activeElement)) { active = { row: Math.min(from + (from ? 4 : 0), Math.max(0, shown.length - 1)), cell: 0 }; for (const [place, row] of rows) rove(row, place); }
    }
    summary();
  }
  function redraw() { for (const [place, row] of rows) { row.remove(); rows.delete(place); } draw(true); }

  function sift() {
    const text = document.querySelector("[data-sift=text]").value.trim().toLowerCase();
    const which = document.querySelector("[data-sift=which]").value;
    const wanted = (column, index) => {
      if (isLabel(column) || !column.name.toLowerCase().includes(text)) return false;
      if (which === "open") return column.used && (blank(column) || problems.has(index));
      if (which === "used" || which === "left") return column.used === (which === "used");
      return !which || column.kind === which.slice(5);
    };
    shown = columns.map((_, index) => index).filter((index) => wanted(columns[index], index));
    active = { row: 0, cell: 0 };
    view.scrollTop = 0;
    redraw();
  }
  for (const field of document.querySelectorAll("[data-sift]")) field.addEventListener("input", (event) => { event.stopPropagation(); sift(); });

  document.querySelector("[data-bulk-apply]").addEventListener("click", () => {
    const wish = Object.fromEntries([...document.querySelectorAll("[data-bulk]")].map((field) => [field.dataset.bulk, field.value.trim()]));
    for (const index of shown) {
      const column = columns[index];
      if (wish.kind) column.kind = wish.kind;
      if (wish.used) column.used = wish.used === "yes";
      for (const key of ["lower", "upper"]) if (wish[key] && bounded(column)) column[key] = wish[key];
    }
    send();
    redraw();
  });
  for (const field of document.querySelectorAll("[data-bulk]")) field.addEventListener("input", (event) => event.stopPropagation());
  function send() { changed(); form.elements.changes.dispatchEvent(new Event("input", { bubbles: true })); }

  view.addEventListener("input", (event) => {
    const row = event.target.closest(".sheet-row");
    const { key } = event.target.dataset;
    if (!row || !key) return;
    const place = Number(row.dataset.place);
    const column = columns[shown[place]];
    column[key] = key === "used" ? event.target.checked : event.target.value;
    changed();
    if (key === "used") row.classList.toggle("off", !column.used);
    if (key === "kind") { // another kind has other cells
      const fresh = build(place);
      rows.set(place, fresh);
      row.replaceWith(fresh);
      fresh.querySelector("select").focus();
    }
  });
  view.addEventListener("focusin", (event) => {
    const row = event.target.closest(".sheet-row");
    if (!row) return;
    active = { row: Number(row.dataset.place), cell: fieldsOf(row).indexOf(event.target) };
    for (const [place, other] of rows) rove(other, place);
  });
  function go(place, number) {
    const target = Math.max(0, Math.min(shown.length - 1, place));
    const step = height();
    if (target * step < view.scrollTop) view.scrollTop = target * step;
    if ((target + 1) * step > view.scrollTop + view.clientHeight) view.scrollTop = (target + 1) * step - view.clientHeight;
    active = { row: target, cell: number };
    draw();
    const all = fieldsOf(rows.get(target));
    const field = all[Math.max(0, Math.min(all.length - 1, number))];
    field.focus();
    if (field.select && field.type !== "checkbox") field.select();
  }
  view.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const row = target.closest(".sheet-row");
    if (!row || event.altKey || event.metaKey) return;
    const place = Number(row.dataset.place);
    const number = fieldsOf(row).indexOf(target);
    const text = target.tagName === "INPUT" && target.type !== "checkbox";
    const edge = !text || (key === "ArrowLeft" ? target.selectionEnd === 0 || target.selectionStart === 0 && target.selectionEnd === target.value.length : target.selectionStart === target.value.length || target.selectionStart === 0 && target.selectionEnd === target.value.length);
    const page = Math.max(1, Math.floor(view.clientHeight / height()) - 1);
    const moves = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page };
    if (key === "Enter" && target.tagName !== "BUTTON") { event.preventDefault(); go(place + (event.shiftKey ? -1 : 1), number); }
    else if (event.ctrlKey && (key === "Home" || key === "End")) { event.preventDefault(); go(key === "Home" ? 0 : shown.length - 1, number); }
    else if (key in moves && !(target.tagName === "SELECT" && event.altKey)) { event.preventDefault(); go(place + moves[key], number); }
    else if ((key === "ArrowLeft" || key === "ArrowRight") && edge) {
      const next = number + (key === "ArrowLeft" ? -1 : 1);
      if (next >= 0 && next < fieldsOf(row).length) { event.preventDefault(); go(place, next); }
    }
  });
  // Rows of a spreadsheet: two columns are bounds, one column goes where the pointer is.
  view.addEventListener("paste", (event) => {
    const row = event.target.closest(".sheet-row");
    const text = event.clipboardData.getData("text").replace(/\r?\n$/, "");
    if (!row || !event.target.dataset.key || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    const start = Number(row.dataset.place);
    const keys = event.target.dataset.key === "lower" ? ["lower", "upper"] : [event.target.dataset.key];
    text.split(/\r?\n/).forEach((line, offset) => {
      const column = columns[shown[start + offset]];
      if (column) line.split("\t").slice(0, keys.length).forEach((value, number) => { column[keys[number]] = value.trim(); });
    });
    send();
    redraw();
  });

  // What does not fit into a row is asked in a window of its own.
  view.addEventListener("click", (event) => {
    const button = event.target.closest("[data-more]");
    if (!button) return;
    const column = columns[Number(button.dataset.more)];
    document.getElementById("column-dialog-name").textContent = column.name;
    for (const field of dialog.querySelectorAll("[data-more]")) {
      field.value = column[field.dataset.more];
      const box = field.closest("[data-for]");
      if (box) box.hidden = !box.dataset.for.split(" ").includes(column.kind);
    }
    dialog.dataset.column = button.dataset.more;
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    const column = columns[Number(dialog.dataset.column)];
    for (const field of dialog.querySelectorAll("[data-more]")) if (!field.closest("[data-for][hidden]")) column[field.dataset.more] = field.value;
    send();
    redraw();
    go(shown.indexOf(Number(dialog.dataset.column)), 99);
  });

  // Errors stand beside their field, and only once somebody has tried to go on.
  let attempted = false;
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-attempt]")) return;
    form.elements.attempted.value = "yes";
    attempted = true;
    form.elements.changes.dispatchEvent(new Event("input", { bubbles: true }));
  }, true);
  function mark() {
    const told = document.getElementById("problems");
    if (!told) return;
    const all = JSON.parse(told.dataset.values);
    problems = new Map(all.filter((one) => one.column !== null).map((one) => [one.column, one]));
    for (const old of form.querySelectorAll(".field > .wrong")) old.remove();
    for (const field of form.querySelectorAll(".field [aria-invalid]")) { field.removeAttribute("aria-invalid"); field.removeAttribute("aria-describedby"); }
    for (const one of all.filter((other) => other.column === null && other.field)) {
      const field = form.querySelector(`[name="${one.field}"]:not([disabled])`);
      if (!field) continue;
      const text = Object.assign(document.createElement("span"), { className: "wrong", id: `wrong-${one.field}`, textContent: one.text });
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", text.id);
      field.after(text);
      const fold = field.closest("details");
      if (fold) fold.open = true;
      for (const twice of document.querySelectorAll(`#price .problem [data-field="${one.field}"]`)) twice.remove();
    }
    document.querySelector("#price .problem:empty")?.remove(); // all of it stands beside the fields
    draw(true);
    if (attempted && all.length) { // to the first of them
      attempted = false;
      const field = form.querySelector(".field [aria-invalid]");
      if (field) field.focus();
      else if (problems.size) {
        const place = shown.findIndex((index) => problems.has(index));
        if (place >= 0) go(place, 2);
      }
    }
  }
  document.addEventListener("htmx:after:swap", mark);
  form.addEventListener("input", (event) => { // a person goes on: what was said about the last attempt is over
    if (event.target.name === "changes") return;
    attempted = false;
    document.querySelector("#working > :is(.problem, .note)")?.remove();
  });
  form.elements.label.addEventListener("input", sift);
  view.addEventListener("scroll", () => draw(), { passive: true });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
  new ResizeObserver(() => draw()).observe(view); // it may have been hidden
  sift();
})();
