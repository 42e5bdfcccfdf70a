// The report's behaviour. All texts go in as textContent: nothing of the data is ever read as HTML.
const { data, specs, words } = JSON.parse(document.getElementById("payload").textContent);
const byId = (id) => document.getElementById(id);
const state = { measure: 0, system: Number(byId("system").value || 0), order: "changed", search: "", query: null };
const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
const dark = window.matchMedia("(prefers-color-scheme: dark)");
document.documentElement.classList.add("js");

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.map((child) => (child instanceof Node ? child : document.createTextNode(String(child)))));
  return made;
}

const shown = (value) => (value === null || value === undefined ? "–" : value.toFixed(4));
const name = (place) => data.systems[place];
// A title becomes part of an expression, in which a line separator would end a string.
const oneLine = (text) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ");
// Names differ at their beginning or at their end.
const brief = (text, most = 20) => (text.length <= most ? text : `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(-Math.floor(most / 2))}`);
// A name that is cut: pointing at it, or a tap, shows all of it.
function cut(text, most) {
  const short = brief(text, most);
  return short === text ? text : element("span", { class: "cut-name", tabindex: 0, title: text, "data-brief": short }, element("span", { class: "full" }, short));
}
// As wording does it in Python: {count}, and {count:query|queries} for the word that fits.
const fill = (text, values) => text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, key, one, many) => one === undefined ? values[key] : values[key] === 1 ? one : many);

// Charts ---------------------------------------------------------------------------------------------------------

function theme() {
  const ink = dark.matches ? "#c9d2db" : "#3b4753";
  const line = dark.matches ? "#303a45" : "#e3e7ec";
  const axis = { labelColor: ink, titleColor: ink, gridColor: line, domainColor: line, tickColor: line, titleFontWeight: 500, titleLimit: 240, labelOverlap: "greedy", labelSeparation: 4 };
  return { background: "transparent", axis, axisXQuantitative: { tickCount: 8 }, legend: { labelColor: ink }, view: { stroke: null }, font: "system-ui, sans-serif" };
}

async function draw(chart, datasets, titles = {}, at = chart) {
  const place = byId(`chart-${at}`);
  if (!place) return;
  // A drawing that is overtaken by the next one ends in an element that is no longer shown.
  const canvas = element("div");
  place.replaceChildren(canvas);
  if (!datasets.rows.length) {
    canvas.append(element("p", { class: "hint" }, words.no_data));
    return;
  }
  const spec = structuredClone(specs[chart]);
  if (["cutoffs", "distribution", "trade_off", "recall", "firsts"].includes(chart)) {
    const systems = drawn();
    datasets = { ...datasets, rows: datasets.rows.filter((row) => systems.includes(row.s)) };
    for (const layer of spec.layer ?? [spec])
      if (layer.encoding?.color?.scale) layer.encoding.color.scale = { domain: systems, range: systems.map((_, at) => data.colours[at]) };
  }
  const narrow = place.clientWidth < 400;
  for (const named of spec.params ?? []) if (named.name === "names") named.value = named.value.map((one) => brief(one, 22));
  for (const layer of spec.layer ?? [spec]) {
    if (narrow && layer.encoding?.color?.legend) Object.assign(layer.encoding.color.legend, { columns: 2, labelLimit: 110 });
    for (const [channel, title] of Object.entries(titles)) if (layer.encoding?.[channel]) layer.encoding[channel].title = oneLine(title);
  }
  const options = { actions: false, renderer: "svg", config: theme(), tooltip: { theme: dark.matches ? "dark" : "light" } };
  const made = await window.vegaEmbed(canvas, { ...spec, datasets }, options);
  made.view.addEventListener("click", (_, item) => {
    if (item?.datum?.q !== undefined) choose(item.datum.q, true);
  });
}

// Query, value of the baseline and of the chosen system, the largest loss first.
function pairs() {
  if (data.pairs) return data.pairs[state.measure][state.system];
  const rows = Object.entries(data.values).map(([q, values]) => [Number(q), values[state.measure]]).filter(([, values]) => !values.includes(null));
  const both = rows.map(([q, values]) => [q, values[data.reference], values[state.system]]);
  return both.sort((a, b) => a[2] - a[1] - (b[2] - b[1]) || a[0] - b[0]);
}

function pairRows() {
  const sign = data.measures[state.measure].higher ? 1 : -1;
  return pairs().map(([q, x, y], at) => {
    const delta = y - x;
    const kind = delta === 0 ? "equal" : delta * sign > 0 ? "better" : "worse";
    return { at, q, x, y, delta, kind, query: data.queries[q][0], text: data.queries[q][1] };
  });
}

function drawPairs() {
  const rows = pairRows();
  const every = rows.flatMap((row) => [row.x, row.y]);
  const ends = [Math.min(0, ...every), Math.max(0, ...every)].map((end) => ({ x: end, y: end }));
  const reference = name(data.reference);
  const system = name(state.system);
  draw("differences", { rows }, { y: `${brief(system, 15)} − ${brief(reference, 15)}` });
  draw("scatter", { rows, ends }, { x: brief(reference, 40), y: brief(system, 32) });
  const all = data.paired[state.measure];
  const thinned = rows.length < all ? fill(words.thinned, { shown: rows.length, all }) : "";
  byId("thinned").textContent = all ? thinned : words.no_queries;
}

function drawMeasure() {
  if (byId("chart-cutoffs")) {
    const curve = data.curves[data.curve_of[state.measure]] ?? Object.values(data.curves)[0];
    byId("curve-name").textContent = curve.name;
    const points = drawn().flatMap((s) => curve.k.map((k, at) => ({ s, system: name(s), k, value: curve.value[s][at], low: curve.low[s][at], high: curve.high[s][at] })));
    draw("cutoffs", { rows: points.filter((row) => row.value !== null) });
  }
  const rows = data.distributions[state.measure].flatMap((steps, place) =>
    steps.map(([value, share]) => ({ s: place, system: name(place), value, share })),
  );
  draw("distribution", { rows });
}

function drawShapes() {
  if (!byId("chart-recall")) return;
  const { points, ranks, recall, firsts } = data.pictures;
  const labels = [...ranks, words.no_hit];
  const rows = (table, told) => drawn().flatMap((s) => table[s].map((value, at) => ({ s, system: name(s), ...told(value, at) })));
  draw("recall", { rows: rows(recall, (value, at) => ({ at: points[at], value })) });
  draw("firsts", { rows: rows(firsts, (share, at) => ({ ranks: labels[at], share })) });
}

function drawScores() {
  if (!byId("chart-scores-chosen")) return;
  for (const [side, place] of [["reference", data.reference], ["chosen", state.system]]) {
    const scores = data.pictures.scores[place];
    const rows = (scores?.boxes ?? []).map(([grade, count, low, lower, median, upper, high]) => ({ grade, count, low, lower, median, upper, high }));
    const separated = scores?.above == null ? "" : fill(words.scores_above, { share: `${(100 * scores.above).toFixed(1)}%` });
    byId(`scores-said-${side}`).textContent = [brief(name(place), 24), separated].filter(Boolean).join(words.colon);
    draw("scores", { rows }, {}, `scores-${side}`);
  }
}

function square(table, names) {
  const rows = table.flatMap((row, a) => row.map((value, b) => ({ a, b, value, first: names[a], second: names[b] })));
  return rows.filter((row) => row.value !== null);
}

function drawSquares() {
  draw("correlation", { rows: square(data.correlation, data.measures.map((one) => one.name)) });
  if (data.similarity.length) draw("similarity", { rows: square(data.similarity, data.systems) });
}

function drawTradeOff() {
  if (!byId("trade-x")) return;
  const [x, y] = [Number(byId("trade-x").value), Number(byId("trade-y").value)];
  const front = data.trade_off.fronts[`${x},${y}`] ?? [];
  const rows = data.systems.map((system, place) => ({
    s: place, system, x: data.trade_off.values[x][place], y: data.trade_off.values[y][place], front: front.includes(place),
  }));
  draw("trade_off", { rows: labelled(rows.filter((row) => row.x !== null && row.y !== null)) }, { x: data.measures[x].name, y: data.measures[y].name });
}

// Points with a label where it covers no other; the names of the rest are there for who points at them.
function labelled(rows) {
  const systems = drawn();
  const seen = rows.filter((row) => systems.includes(row.s)).sort((a, b) => b.front - a.front || b.y - a.y);
  const span = (key) => Math.max(...seen.map((row) => row[key])) - Math.min(...seen.map((row) => row[key])) || 1;
  const [wide, high] = [span("x"), span("y")];
  const taken = [];
  return seen.map((row) => {
    const isFree = taken.every((other) => Math.abs(other.x - row.x) / wide > 0.36 || Math.abs(other.y - row.y) / high > 0.09);
    if (isFree) taken.push(row);
    return { ...row, label: isFree ? brief(row.system, 18) : "" };
  });
}

// Tables ---------------------------------------------------------------------------------------------------------

function sortable(table) {
  table.querySelector("thead").addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (!head?.querySelector("button")) return;
    const falling = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const at = head.cellIndex;
    const rows = [...table.tBodies[0].rows];
    const number = (row) => Number(row.cells[at].dataset.sort ?? Number.NEGATIVE_INFINITY);
    const isNumeric = rows.some((row) => row.cells[at].dataset.sort !== undefined);
    const text = (row) => row.cells[at].textContent;
    const compare = isNumeric
      ? (a, b) => number(a) - number(b) || 0
      : (a, b) => text(a).localeCompare(text(b), undefined, { numeric: true });
    rows.sort((a, b) => (falling ? -compare(a, b) : compare(a, b)));
    table.tBodies[0].append(...rows);
  });
}

// The systems that are drawn: of many the baseline, the chosen one and the best.
function drawn() {
  return [...new Set([...data.kept, data.reference, state.system])].sort((a, b) => a - b);
}

// The same beside each other in tables and lists: the baseline and the chosen system come first.
function columns() {
  return [...new Set([data.reference, state.system, ...drawn()])];
}

function queryRows() {
  const systems = drawn();
  const rows = Object.entries(data.values).map(([q, values]) => {
    const known = systems.map((place) => values[state.measure][place]).filter((value) => value !== null);
    const spread = known.length ? Math.max(...known) - Math.min(...known) : 0;
    const mean = known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : Number.NaN;
    return { q: Number(q), values: values[state.measure], spread, mean, id: data.queries[q][0], text: data.queries[q][1] };
  });
  const sign = data.measures[state.measure].higher ? 1 : -1;
  const wanted = state.search.toLowerCase();
  const kept = rows.filter((row) => !Number.isNaN(row.mean) && `${row.id} ${row.text}`.toLowerCase().includes(wanted));
  kept.sort((a, b) => (state.order === "changed" ? b.spread - a.spread : sign * (a.mean - b.mean)) || a.q - b.q);
  return kept;
}

function drawQueries() {
  const table = byId("query-table");
  const rows = queryRows();
  const hasTexts = rows.some((row) => row.text);
  const heads = [["name", words.query]].concat(hasTexts ? [["text", words.text]] : []);
  const head = element("tr");
  const shownSystems = columns();
  for (const [, label] of heads) head.append(element("th", {}, element("button", {}, label)));
  for (const place of shownSystems) head.append(element("th", { class: "number name", title: name(place) }, element("button", {}, cut(name(place), 12))));
  head.append(element("th", { class: "number" }, element("button", {}, words.spread)));
  table.tHead.replaceChildren(head);
  const top = Math.max(...rows.flatMap((row) => row.values.filter((value) => value !== null)), 1e-9);
  table.tBodies[0].replaceChildren(
    ...rows.slice(0, 200).map((row) => {
      const made = element("tr", { "data-q": row.q, "data-name": row.id, tabindex: 0 });
      if (row.q === state.query) made.classList.add("chosen");
      made.append(element("td", {}, row.id));
      if (hasTexts) made.append(element("td", { class: "text", title: row.text }, element("span", {}, row.text)));
      for (const place of shownSystems) {
        const value = row.values[place];
        const share = Math.max(0, Math.min(100, (100 * (value ?? 0)) / top));
        made.append(element("td", { class: "number heat", style: `--share:${share.toFixed(1)}`, "data-sort": value ?? -1 }, shown(value)));
      }
      made.append(element("td", { class: "number", "data-sort": row.spread }, shown(row.spread)));
      return made;
    }),
  );
}

// One query ------------------------------------------------------------------------------------------------------

function choose(q, scroll) {
  state.query = q;
  if (scroll) remember();
  for (const row of byId("query-table").tBodies[0].rows) row.classList.toggle("chosen", Number(row.dataset.q) === q);
  const [id, text] = data.queries[q];
  const body = [element("h3", { id: "detail-title" }, text ? `${id}: ${text}` : id), valuesTable(q)];
  const lists = data.lists.queries[q];
  if (lists) body.push(...history_of(lists), element("h3", {}, `${words.lists} · ${lists.relevant} ${words.relevant_items}`), legend(), sides(lists, terms(text)), element("p", { class: "hint" }, fill(words.moves, { depth: data.lists.depth }), text ? words.terms_marked : ""), ...missed(lists));
  if (lists) body.push(...sums(lists));
  else if (data.lists.items.length) body.push(element("p", { class: "hint" }, words.no_lists));
  byId("detail-body").replaceChildren(...body);
  if (scroll) byId("detail").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth", block: "start" });
}

function valuesTable(q) {
  const all = data.values[q];
  const places = all ? columns() : [data.reference, state.system];
  const found = pairRows().find((row) => row.q === q);
  const head = element("tr", {}, element("th", {}, words.measure), ...places.map((place) => element("th", { class: "number name", title: name(place) }, cut(name(place), 12))));
  // A measure of all lists together has no value for one query.
  const known = (measure) => all[measure].some((value) => value !== null);
  const measures = all ? data.measures.map((_, measure) => measure).filter(known) : [state.measure];
  const rows = measures.map((measure) => {
    const values = all ? places.map((place) => all[measure][place]) : found ? [found.x, found.y] : [null, null];
    return element("tr", {}, element("td", { class: "measure" }, data.measures[measure].name), ...values.map((value) => element("td", { class: "number" }, shown(value))));
  });
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  const wide = element("div", { class: "wide" }, table);
  return all ? wide : element("div", {}, wide, element("p", { class: "hint" }, words.no_values));
}

function shade(grade) {
  if (grade === undefined || grade < 0) return data.users ? "g0" : "unjudged";
  if (grade === 0) return "g0";
  return `g${Math.max(1, Math.ceil((4 * grade) / Math.max(data.lists.top, 1)))}`;
}

function legend() {
  const grades = [...new Set(Object.values(data.lists.queries).flatMap((one) => Object.values(one.grades)))].filter((grade) => grade >= 0);
  const entries = grades.sort((a, b) => a - b).map((grade) => element("span", { class: `item ${shade(grade)}` }, `${words.grade} ${grade}`));
  const rest = data.users ? element("span", { class: "item g0" }, words.not_taken) : element("span", { class: "item unjudged" }, words.unjudged);
  return element("div", { class: "legend" }, ...entries, rest);
}

// What the query asks for: words of three letters and more, and every Chinese character but the commonest.
function terms(text) {
  const found = text.toLowerCase().match(/[\p{Script=Han}]|[\p{L}\p{N}]{3,}/gu) ?? [];
  return new Set(found.filter((term) => !"的了是在和与有之the and for".split(" ").includes(term) && !"的了是在和与有之".includes(term)));
}

// A text in which what the query asks for is marked.
function marked(text, wanted, attributes) {
  const made = element("span", attributes);
  for (const part of text.split(/([\p{Script=Han}]|[\p{L}\p{N}]+)/gu))
    if (part) made.append(wanted.has(part.toLowerCase()) ? element("mark", {}, part) : part);
  return made;
}

// What a user took before, the last things first.
function history_of(lists) {
  if (!lists.taken?.length) return [];
  const items = lists.taken.map((at) => element("span", { class: "item", tabindex: 0, title: data.lists.items[at].slice(0, 2).filter(Boolean).join(": ") }, data.lists.items[at][1] || data.lists.items[at][0]));
  return [element("h3", {}, words.taken), element("div", { class: "legend taken" }, ...items)];
}

function sides(lists, wanted) {
  const listed = columns().map((place) => {
    const items = lists.systems[place];
    const rows = items.map((at, rank) => listItem(at, rank, lists.grades[at], place === data.reference ? null : lists.before, wanted));
    const note = place === data.reference ? element("small", {}, ` ${words.reference}`) : "";
    return element("div", {}, element("h4", { title: name(place) }, cut(name(place), 24), note), rows.length ? element("ol", {}, ...rows) : element("p", { class: "hint" }, words.returned_nothing));
  });
  const made = element("div", { class: "lists" }, ...listed);
  const mark = (event, on) => {
    const item = event.target.closest?.(".item")?.dataset.item;
    for (const one of made.querySelectorAll(".item")) one.classList.toggle("same", on && item !== undefined && one.dataset.item === item);
  };
  made.addEventListener("mouseover", (event) => mark(event, true));
  made.addEventListener("mouseleave", (event) => mark(event, false));
  made.addEventListener("focusin", (event) => mark(event, true));
  return made;
}

// How the values of the baseline and the chosen system come about, row by row, where they are sums over the rows.
function sums(lists) {
  const several = lists.sums[state.measure];
  if (!several?.some(Boolean)) return [];
  const number = (value) => (value === null ? "–" : String(Number(value.toPrecision(5))));
  const tables = [data.reference, state.system].filter((place) => several[place]).map((place) => {
    const { rows, above, below, value, rest, policy } = several[place];
    const isPrecise = rows.some((row) => row[5] !== null);
    const heads = [words.rank, words.item, words.grade, ...(isPrecise ? [words.precision] : [words.gain, words.discount]), words.adds];
    const head = element("tr", {}, ...heads.map((text, at) => element("th", at === 1 ? {} : { class: "number" }, text)));
    const body = rows.map(([rank, at, grade, gain, discount, precision, adds]) => {
      const [id, title] = data.lists.items[at];
      const numbers = isPrecise ? [precision, adds] : [gain, discount, adds];
      const cells = numbers.map((one) => element("td", { class: "number" }, number(one)));
      return element("tr", {}, element("td", { class: "number" }, rank), element("td", { class: "what", tabindex: 0, title: title ? `${id}: ${title}` : id }, title || id), element("td", { class: `number ${shade(grade ?? undefined)}` }, grade ?? "?"), ...cells);
    });
    const told = data.measures[state.measure].name;
    const quotient = value === null ? words.not_counted : policy ? `${told} = ${number(value)} (${policy})` : below === 1 ? `${told} = ${number(value)}` : `${told} = ${number(above)} / ${number(below)} = ${number(value)}`;
    const further = rest ? [element("p", { class: "hint" }, fill(words.further_rows, { adds: number(rest) }))] : [];
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
    return element("div", {}, element("h4", {}, cut(name(place), 24)), element("div", { class: "wide", tabindex: 0 }, table), ...further, element("p", { class: "sum" }, quotient));
  });
  return [element("h3", {}, `${words.row_by_row} · ${data.measures[state.measure].name}`), element("div", { class: "sums" }, ...tables)];
}

// What is relevant and in no list's first places: who looks at one query wants to see what was missed.
function missed(lists) {
  if (!lists.missed.length) return [];
  const places = columns();
  const head = element("tr", {}, element("th", {}, words.item), element("th", { class: "number" }, words.grade), ...places.map((place) => element("th", { class: "number name", title: name(place) }, cut(name(place), 12))));
  const rows = lists.missed.map(([at, grade, ranks]) => {
    const [id, title] = data.lists.items[at];
    const item = element("td", {}, element("span", { class: `item ${shade(grade)}` }, title || id));
    return element("tr", { title: title ? `${id}: ${title}` : id }, item, element("td", { class: "number" }, grade), ...places.map((place) => element("td", { class: "number" }, ranks[place] ?? "–")));
  });
  const table = element("table", { id: "missed" }, element("thead", {}, head), element("tbody", {}, ...rows));
  return [element("h3", {}, fill(words.missed, { depth: 10 })), element("div", { class: "wide tall", tabindex: 0 }, table), element("p", { class: "hint" }, fill(words.not_returned, { depth: data.lists.depth }))];
}

function listItem(at, rank, grade, before, wanted) {
  const [id, title, ...more] = data.lists.items[at];
  const known = more.map((text, column) => [data.lists.columns[column], text]).filter(([, text]) => text);
  const hover = [title ? `${id}: ${title}` : id, ...known.map(([column, text]) => (column ? `${column}: ${text}` : text))].join("\n");
  const row = element("li", { class: `item ${shade(grade)}`, "data-item": at, title: hover, tabindex: 0 });
  const what = marked(title || id, wanted, { class: "what" });
  if (known.length) what.append(element("br"), marked(known.map(([, text]) => text).join(" · "), wanted, { class: "snippet" }));
  row.append(element("span", { class: "place" }, rank + 1), what);
  if (before) {
    const moved = before[at] - rank - 1;
    const text = before[at] === undefined ? words.new : moved > 0 ? `▲${moved}` : moved < 0 ? `▼${-moved}` : "=";
    row.append(element("span", { class: "move" }, text));
  }
  row.append(element("span", { class: "grade" }, grade !== undefined ? grade : data.users ? "" : "?"));
  return row;
}

// All together ---------------------------------------------------------------------------------------------------

// A link leads to what is on the screen: #measure=RR&system=new&query=q7, or to a section: #leaderboard.
function remember() {
  const link = new URLSearchParams({ measure: data.measures[state.measure].name, system: name(state.system) });
  if (state.query !== null) link.set("query", data.queries[state.query][0]);
  history.replaceState(null, "", `#${link}`);
}

function follow() {
  if (!location.hash.includes("=")) return false;
  const link = new URLSearchParams(location.hash.slice(1));
  const find = (names, wanted) => (wanted === null ? -1 : names.indexOf(wanted));
  const measure = find(data.measures.map((one) => one.name), link.get("measure"));
  const system = find(data.systems, link.get("system"));
  const query = find(data.queries.map(([id]) => id), link.get("query"));
  if (measure >= 0) byId("measure").value = String((state.measure = measure));
  if (system >= 0 && system !== data.reference) byId("system").value = String((state.system = system));
  return query >= 0 ? query : false;
}

function showMeasure() {
  for (const board of document.querySelectorAll(".board")) board.classList.toggle("shown", Number(board.dataset.measure) === state.measure);
  drawPairs();
  drawMeasure();
  drawScores();
  drawQueries();
  if (state.query !== null) choose(state.query, false);
}

function start() {
  for (const table of document.querySelectorAll("table.sortable")) sortable(table);
  byId("measure").addEventListener("change", (event) => { state.measure = Number(event.target.value); remember(); showMeasure(); });
  byId("system").addEventListener("change", (event) => { state.system = Number(event.target.value); remember(); showMeasure(); });
  byId("search").addEventListener("input", (event) => { state.search = event.target.value; drawQueries(); });
  for (const tab of document.querySelectorAll(".tab"))
    tab.addEventListener("click", () => {
      state.order = tab.dataset.order;
      for (const other of document.querySelectorAll(".tab")) other.setAttribute("aria-pressed", String(other === tab));
      drawQueries();
    });
  const body = byId("query-table").tBodies[0];
  const open = (event) => { const row = event.target.closest("tr"); if (row) choose(Number(row.dataset.q), true); };
  body.addEventListener("click", open);
  body.addEventListener("keydown", (event) => { if (event.key === "Enter") open(event); });
  for (const [id, chosen] of [["trade-x", 0], ["trade-y", 1]]) {
    const select = byId(id);
    if (!select) continue;
    data.measures.forEach((measure, place) => select.append(element("option", { value: place }, measure.name)));
    select.value = String(chosen);
    select.addEventListener("change", drawTradeOff);
  }
  // Paper cannot be clicked: every definition is printed, then folded again.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const one of folded) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of folded) one.open = false; });
  const everything = () => { showMeasure(); drawShapes(); drawSquares(); drawTradeOff(); };
  dark.addEventListener("change", everything);
  for (const button of document.querySelectorAll("button.all"))
    button.addEventListener("click", () => { button.previousElementSibling.classList.add("every"); button.remove(); });
  const wanted = follow();
  everything();
  window.addEventListener("hashchange", () => { const query = follow(); showMeasure(); if (query !== false) choose(query, true); });
  const first = queryRows()[0];
  if (wanted !== false) choose(wanted, true);
  else if (first) choose(first.q, false);
}

start();
