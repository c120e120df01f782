// What moves on the page: the slider, the table of columns, downloads, pictures.
// All data stand in the page as JSON; nothing is ever turned into markup, only into text.
(() => {
  "use strict";

  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);
  const front = read("tradeoff-data");
  const table = read("columns-data");
  const whole = new Intl.NumberFormat("en-US");
  const columns = (count) => `${whole.format(count)} column${count === 1 ? "" : "s"}`;

  document.documentElement.classList.add("scripted");

  // --- the trade-off -----------------------------------------------------------------------------

  // The size of least cost: the sums, and the ties, of svsieve.rules.Scalarised.
  function chosenSize(weightOfScore, weightOfSize) {
    const costs = front.sizes.map(
      (size, at) =>
        weightOfScore * (1.0 - front.means[at]) + weightOfSize * (size / front.n_columns),
    );
    const least = Math.min(...costs);
    const rounding = front.tie * Math.max(...costs.map(Math.abs));
    return costs.findIndex((cost) => -cost >= -least - rounding);
  }

  const shown = { size: front.chosen };
  const views = [];

  const scoreText = (value) => (front.percent ? `${(100 * value).toFixed(1)}%` : value.toFixed(3));

  function describe(at) {
    const error = front.errors[at];
    const spread = error === null ? "" : ` ±\u00a0${scoreText(error)}`;
    return `${columns(front.sizes[at])}, ${front.metric} ${scoreText(front.means[at])}${spread}`;
  }

  function priceText(weightOfScore, weightOfSize) {
    if (weightOfScore === 0) return "Only the number of columns counts.";
    const price = weightOfSize / weightOfScore / front.n_columns;
    const amount = front.percent
      ? `${Number((100 * price).toPrecision(2))} percentage points`
      : `${Number(price.toPrecision(2))}`;
    return `Another column is kept only if it raises the ${front.metric} by ${amount} or more. In Python: `;
  }

  function show(size) {
    shown.size = size;
    views.forEach((view) => view.signal("shown_size", size).run());
    fillTable();
  }

  function slide() {
    const [score, size] = front.stops[byId("weight").valueAsNumber];
    const at = chosenSize(score, size);
    byId("choice").textContent = describe(at);
    byId("weight").setAttribute("aria-valuetext", describe(at));
    const code = document.createElement("code");
    code.textContent = `rules.Scalarised(${score}, ${size})`;
    byId("price").replaceChildren(priceText(score, size), code);
    byId("reset").hidden = front.sizes[at] === front.chosen;
    show(front.sizes[at]);
  }

  function backToChosen() {
    byId("weight").value = front.start;
    const at = front.sizes.indexOf(front.chosen);
    const text = at < 0 ? columns(front.chosen) : describe(at);
    byId("choice").textContent = text;
    byId("weight").setAttribute("aria-valuetext", text);
    byId("price").textContent = "This is what the rule of this report chooses. Move the slider to weigh it otherwise.";
    byId("reset").hidden = true;
    show(front.chosen);
  }

  // --- the table -----------------------------------------------------------------------------------

  const PAGE = 300;
  const sorting = { key: "rank", falling: false };
  let limit = 60;

  const isKept = (at) => at < shown.size;
  const keys = {
    rank: (at) => at,
    name: (at) => table.names[at],
    kept: (at) => (isKept(at) ? 0 : 1),
    score: (at) => table.scores[at],
    frequency: (at) => table.frequencies[at],
  };
  table.others.forEach((other, k) => (keys[`other-${k}`] = (at) => other.ranks[at]));
  const lowered = table.names.map((name) => name.toLowerCase());
  const alphabet = new Intl.Collator("en", { numeric: true });

  // Positions to be listed, in order; missing numbers last, equals by rank.
  function listed() {
    const wanted = byId("search").value.trim().toLowerCase();
    const onlyKept = byId("only-kept").checked;
    const places = [];
    for (let at = 0; at < lowered.length; at += 1) {
      if ((!wanted || lowered[at].includes(wanted)) && (!onlyKept || isKept(at))) places.push(at);
    }
    const key = keys[sorting.key];
    const sign = sorting.falling ? -1 : 1;
    const compare = sorting.key === "name" ? alphabet.compare : (a, b) => a - b;
    if (sorting.key !== "rank" || sorting.falling) {
      places.sort((a, b) => {
        const [first, second] = [key(a), key(b)];
        if (first === null || second === null) return (first === null) - (second === null) || a - b;
        return sign * compare(first, second) || a - b;
      });
    }
    return places;
  }

  function cell(row, content, kind) {
    const made = row.insertCell();
    if (kind) made.className = kind;
    made.append(content);
  }

  function nameNode(name) {
    const node = document.createElement("bdi");
    node.title = name.slice(0, 1000);
    if (name.trim()) node.textContent = name.length > 400 ? `${name.slice(0, 399)}…` : name;
    else node.append(Object.assign(document.createElement("i"), { textContent: "no name" }));
    return node;
  }

  function shareNode(share) {
    const node = document.createElement("span");
    node.className = "share";
    node.style.setProperty("--share", share);
    const bar = document.createElement("span");
    bar.className = "bar";
    node.append(bar, `${Math.round(100 * share)}%`);
    return node;
  }

  function fillTable() {
    const places = listed();
    const body = document.createElement("tbody");
    places.slice(0, limit).forEach((at) => {
      const row = body.insertRow();
      if (isKept(at)) row.className = "kept";
      const score = table.scores[at];
      cell(row, whole.format(at + 1), "number");
      cell(row, nameNode(table.names[at]), "name");
      cell(row, isKept(at) ? "kept" : "");
      cell(row, score === null ? "" : String(Number(score.toPrecision(4))), "number");
      cell(row, shareNode(table.frequencies[at]));
      table.others.forEach((other) => cell(row, whole.format(other.ranks[at]), "number"));
    });
    byId("ranking").tBodies[0].replaceWith(body);
    const count = Math.min(limit, places.length);
    const all = places.length === lowered.length ? columns(places.length) : `${columns(places.length)} found`;
    byId("shown").textContent = places.length
      ? `${count < places.length ? `The first ${whole.format(count)} of ${all}.` : `${all}.`}`
      : "No column has such a name.";
    byId("more").hidden = count === places.length;
  }

  function sortBy(head) {
    const key = head.dataset.key;
    // Scores and frequencies are wanted large first, names and ranks from the start.
    const first = key === "score" || key === "frequency";
    sorting.falling = sorting.key === key ? !sorting.falling : first;
    sorting.key = key;
    document.querySelectorAll("#ranking th").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", sorting.falling ? "descending" : "ascending");
    fillTable();
  }

  // --- download --------------------------------------------------------------------------------------

  // A spreadsheet would run a text that begins like a formula: an apostrophe keeps it text.
  const isFormula = (text) => table.formula_signs.some((sign) => text.startsWith(sign));
  const harmless = (text) => (isFormula(text) ? `'${text}` : text);
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const field = (text) => quoted(harmless(text));

  function csv() {
    const heads = ["rank", "name", "column", "score", "frequency", "kept"];
    table.others.forEach((other) => heads.push(`rank_${other.label}`));
    const lines = [heads.map(field).join(",")];
    table.names.forEach((name, at) => {
      const numbers = [table.columns[at], table.scores[at] ?? "", table.frequencies[at], Number(isKept(at))];
      const ranks = table.others.map((other) => other.ranks[at]);
      lines.push([at + 1, field(name), ...numbers, ...ranks].join(","));
    });
    return `${lines.join("\n")}\n`;
  }

  function download() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv;charset=utf-8" }));
    link.download = "ranking.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  // --- methods -----------------------------------------------------------------------------------------

  async function copyMethods() {
    const sentences = [...byId("methods-text").querySelectorAll("span")].map((node) => node.textContent);
    const references = [...document.querySelectorAll("#citations li")].map((node) => node.textContent);
    try {
      await navigator.clipboard.writeText([sentences.join(" "), ...references].join("\n\n"));
      byId("copied").textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(byId("methods-text"));
      byId("copied").textContent = "Selected: copy it with the keyboard.";
    }
  }

  // --- setting up ----------------------------------------------------------------------------------------

  document.querySelectorAll("#ranking th").forEach((head) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(head));
  });
  byId("weight").addEventListener("input", slide);
  byId("reset").addEventListener("click", backToChosen);
  const search = () => {
    limit = PAGE;
    fillTable();
  };
  byId("search").addEventListener("input", search);
  byId("only-kept").addEventListener("change", search);
  byId("more").addEventListener("click", () => {
    limit += PAGE;
    fillTable();
  });
  byId("download").addEventListener("click", download);
  byId("copy")?.addEventListener("click", copyMethods);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
  backToChosen();

  // Expressions are interpreted (ast), not compiled: the page forbids code made from text.
  const options = { renderer: "svg", actions: false, ast: true, mode: "vega-lite" };
  Object.entries(read("charts-data")).forEach(async ([name, spec]) => {
    const { view } = await window.vegaEmbed(byId(`chart-${name}`), spec, options);
    views.push(view);
    view.signal("shown_size", shown.size).run();
    byId(`chart-${name}`).dataset.ready = "yes";
    performance.mark(`chart-${name}`);
  });
})();
