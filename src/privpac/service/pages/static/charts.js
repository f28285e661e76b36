// Charts, drawn by Observable Plot from data that the server put beside them. Colours are those of the page, so that
// a change of theme needs no new drawing.
(() => {
  const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
  const words = { proved: "proved", floor: "impossible below" };
  const colour = { proved: "var(--proved)", floor: "var(--floor)" };

  // Places of labels at the ends of lines, pushed apart where they would touch.
  function spread(labels, gap, top, bottom) {
    labels.sort((a, b) => a.y - b.y);
    for (let i = 1; i < labels.length; i += 1) labels[i].y = Math.max(labels[i].y, labels[i - 1].y + gap);
    const over = labels.length ? labels[labels.length - 1].y - bottom : 0;
    if (over > 0) for (let i = labels.length - 1; i >= 0; i -= 1) {
      labels[i].y = Math.min(labels[i].y, i === labels.length - 1 ? bottom : labels[i + 1].y - gap);
    }
    return labels;
  }

  // Round numbers on a logarithmic axis, as many as there is room for.
  function round(low, high, most) {
    for (const steps of [[1, 2, 5], [1, 3], [1]]) {
      const found = [];
      for (let k = Math.floor(Math.log10(low)); k <= Math.ceil(Math.log10(high)); k += 1) {
        for (const step of steps) {
          const value = +(step * 10 ** k).toPrecision(6);
          if (value >= low * 0.999 && value <= high * 1.001) found.push(value);
        }
      }
      if (found.length <= most && found.length > 1) return found;
      if (steps.length === 1 && found.length > most) return found.filter((_, i) => i % Math.ceil(found.length / most) === 0);
    }
    return [low, high];
  }

  function plan(box, data) {
    const width = Math.max(320, box.clientWidth);
    const narrow = width < 560;
    const height = narrow ? 320 : 380;
    const margin = { top: 26, right: narrow ? 118 : 160, bottom: 42, left: 54 };
    const first = data.series.some((s) => s.option === data.main) ? data.main : data.series[0].option;
    const mine = data.series.filter((s) => s.option === first || s.what !== "proved");
    const others = data.series.filter((s) => s.option !== first && s.what === "proved");
    const shown = [...mine.filter((s) => s.option === first), ...others, ...mine.filter((s) => s.option !== first)];
    const values = shown.flatMap((s) => s.points.map((p) => p[1]));
    if (data.here) values.push(data.here.y, ...(data.here.have ? [data.here.have] : []));
    const domain = [Math.min(...values) * 0.8, Math.max(...values) * 1.25];
    const xs = shown.flatMap((s) => s.points.map((p) => p[0]));
    const across = data.ticks.length ? data.ticks : round(Math.min(...xs), Math.max(...xs), narrow ? 5 : 9);
    const up = round(domain[0], domain[1], 7);
    const marks = [Plot.axisX(across, { text: (d) => String(+d.toPrecision(3)), tickSize: 0, label: data.x, labelAnchor: "center", labelArrow: "none" }), Plot.axisY(up, { text: (d) => short.format(d), tickSize: 0, label: data.y, labelArrow: "none" }), Plot.gridY(up, { stroke: "var(--line)", strokeOpacity: 1 }), Plot.gridX(across, { stroke: "var(--line)", strokeOpacity: 0.7 })];
    const y = d3.scaleLog(domain, [height - margin.bottom, margin.top]);
    const labels = [];
    for (const series of shown) {
      const own = series.option === first;
      const last = series.points[series.points.length - 1];
      const rows = series.points.map(([a, b]) => ({ a, b }));
      const tint = own ? colour[series.what] : series.what === "proved" ? "var(--other)" : colour[series.what];
      marks.push(Plot.line(rows, { x: "a", y: "b", stroke: tint, strokeWidth: own ? 2.6 : 1.3, strokeOpacity: own || series.what === "proved" ? 1 : 0.5, strokeDasharray: series.what === "floor" ? "5 4" : null, curve: "monotone-x" }));
      const name = own ? words[series.what] : series.what === "proved" ? series.option.replace(", ", " · ") : null;
      if (name && !(narrow && !own)) labels.push({ x: d3.max(xs), y: y(last[1]), text: name, tint, own });
    }
    for (const label of spread(labels, 15, margin.top, height - margin.bottom)) {
      marks.push(Plot.text([label], { x: "x", y: () => y.invert(label.y), text: "text", dx: 8, textAnchor: "start", fill: label.tint, fontWeight: label.own ? 650 : 450, fontSize: label.own ? 13 : 11.5, clip: false }));
    }
    if (data.here) {
      if (data.here.have) {
        marks.push(Plot.ruleY([data.here.have], { stroke: "var(--ink)", strokeOpacity: 0.45, strokeDasharray: "2 3" }));
        marks.push(Plot.text([data.here.have], { x: () => d3.min(xs), y: (d) => d, text: (d) => `${whole.format(d)} at hand`, dy: -8, dx: 4, textAnchor: "start", fill: "var(--soft)" }));
      }
      marks.push(Plot.dot([data.here], { x: "x", y: "y", r: 6, fill: "var(--sheet)", stroke: "var(--ink)", strokeWidth: 2 }));
      marks.push(Plot.text([data.here], { x: "x", y: "y", text: (d) => whole.format(d.y), dy: -14, fill: "var(--ink)", stroke: "var(--sheet)", strokeWidth: 4, fontWeight: 650, fontSize: 13 }));
    }
    const points = shown.flatMap((s) => s.points.map(([a, b]) => ({ a, b, name: `${s.option}: ${words[s.what]}` })));
    marks.push(Plot.tip(points, Plot.pointer({ x: "a", y: "b", fill: "var(--sheet)", stroke: "var(--edge)", title: (d) => `${d.name}\n${whole.format(d.b)} records at ${d.a}` })));
    box.replaceChildren(Plot.plot({
      width, height, marginTop: margin.top, marginRight: margin.right, marginBottom: margin.bottom, marginLeft: margin.left,
      x: { type: "log", axis: null },
      y: { type: "log", domain, axis: null },
      ariaLabel: `${data.y} against ${data.x}`, marks, style: { background: "none" },
    }));
    box.dataset.drawn = String(data.here ? data.here.y : values.length);
  }

  function spending(box, data) {
    const width = Math.max(320, box.clientWidth);
    const rows = data.points.map((p) => ({ t: new Date(p.time), s: p.spent, note: p.note, cost: p.cost }));
    const last = rows[rows.length - 1];
    box.replaceChildren(Plot.plot({
      width, height: 280, marginLeft: 54, marginRight: 24, marginTop: 30, marginBottom: 36,
      x: { type: "utc", label: null, tickSize: 0, ticks: width < 560 ? 4 : 7 },
      y: { label: `${data.unit} spent`, labelArrow: "none", domain: [0, Math.max(data.total, last.s) * 1.12], ticks: 5, tickSize: 0 },
      ariaLabel: `${data.unit} spent over time`, style: { background: "none" },
      marks: [
        Plot.gridY({ stroke: "var(--line)", strokeOpacity: 1 }),
        Plot.ruleY([data.total], { stroke: "var(--floor)", strokeDasharray: "5 4", strokeWidth: 1.8 }),
        Plot.text([data.total], { x: () => rows[0].t, y: (d) => d, text: (d) => `total ${+d.toPrecision(6)}`, dy: -9, textAnchor: "start", fill: "var(--floor)", fontWeight: 650, fontSize: 13 }),
        Plot.areaY(rows, { x: "t", y: "s", curve: "step-after", fill: "var(--proved)", fillOpacity: 0.12 }),
        Plot.lineY(rows, { x: "t", y: "s", curve: "step-after", stroke: "var(--proved)", strokeWidth: 2.4 }),
        Plot.dot(rows.slice(1, -1), { x: "t", y: "s", r: rows.length > 60 ? 1.5 : 3.5, fill: "var(--proved)" }),
        Plot.tip(rows, Plot.pointerX({ x: "t", y: "s", fill: "var(--sheet)", stroke: "var(--edge)", title: (d) => (d.cost ? `${d.note}\nepsilon ${d.cost}` : `${data.unit} ${d.s} spent`) })),
      ],
    }));
    box.dataset.drawn = String(last.s);
  }

  const kinds = { plan, spending };
  function draw(box) {
    try { // parts of a chart are named, and what has a name needs a role
      kinds[box.dataset.chart](box, JSON.parse(box.dataset.values));
      for (const part of box.querySelectorAll("g[aria-label]")) part.setAttribute("role", "group");
    } catch (problem) { box.textContent = "This browser cannot draw the curves; the numbers are below."; }
  }
  const all = () => document.querySelectorAll("[data-chart]").forEach(draw);
  document.addEventListener("htmx:after:swap", () => document.querySelectorAll("[data-chart]:not([data-drawn])").forEach(draw));
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; all(); } });
  all();
})();
