/* The judging page: everything is put in as text, never as markup. */
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  // By id: as keys of objects, "constructor" and "toString" would be there without anybody's doing.
  const fieldsOf = new Map(Object.entries(data.items)), textOf = new Map(Object.entries(data.queries));
  const words = data.words;
  const $ = (id) => document.getElementById(id);
  // As wording does it in Python: {count}, and {count:row|rows} for the word that fits.
  const fill = (text, values) => text.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) => one === undefined ? values[name] : values[name] === 1 ? one : many);
  const key = "rankmeter judge " + data.digest;
  const empty = () => { // what the pool has grades for is judged, and not asked again
    const marks = Object.fromEntries(data.graded.map(([n, value]) => [n, { grade: value }]));
    const open = data.pairs.findIndex((_, n) => !marks[n]);
    return { judge: data.judge, at: Math.max(0, open), view: "one", marks, past: [], open: false }; // open: not exported yet
  };
  let state = empty();

  function keptIn(text) { // null where nothing was kept, or nothing that can be read
    try {
      const kept = JSON.parse(text || "null");
      return kept && kept.marks ? kept : null;
    } catch {
      return null;
    }
  }

  function tried(action) { // a browser may keep nothing: say so
    let canKeep = true;
    try {
      action();
    } catch {
      canKeep = false;
    }
    $("kept").textContent = canKeep ? words.kept : words.not_kept;
    $("kept").classList.toggle("alarm", !canKeep);
  }

  const keep = () => tried(() => localStorage.setItem(key, JSON.stringify(state)));

  function make(tag, text, name) {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (name) node.className = name;
    return node;
  }

  const mark = (n) => state.marks[n] || {};
  const isDone = (n) => mark(n).grade !== undefined || mark(n).skipped;

  function set(n, change) {
    state.past.push([n, state.marks[n] || null]);
    if (state.past.length > 2000) state.past.shift();
    state.marks[n] = Object.assign({}, mark(n), change, { time: new Date().toISOString() });
    for (const name of Object.keys(state.marks[n])) if (state.marks[n][name] === null) delete state.marks[n][name];
    state.open = true;
    keep();
  }

  function grade(n, value) {
    set(n, { grade: value, skipped: null });
    onward(n);
  }

  function skip(n) {
    set(n, { grade: null, skipped: true });
    onward(n);
  }

  function onward(n) {
    if (state.view === "one") {
      let next = n + 1;
      while (next < data.pairs.length && isDone(next)) next += 1;
      if (next >= data.pairs.length) next = data.pairs.findIndex((_, k) => !isDone(k));
      if (next >= 0) state.at = next;
    } else {
      const [first, last] = ends(n);
      let next = n;
      for (let k = n + 1; k < last; k += 1) if (!isDone(k)) { next = k; break; }
      if (next === n) { // the query is done: go to the first that is not, behind it or from the beginning
        const open = data.pairs.findIndex((_, k) => k >= last && !isDone(k));
        next = open >= 0 ? open : Math.max(0, data.pairs.findIndex((_, k) => !isDone(k)));
        if (open < 0 && isDone(next)) next = first;
      }
      state.at = next;
    }
    keep();
    show();
    if (matchMedia("(max-width: 600px)").matches) { // a phone has little room: the item, not what was read before
      const told = document.querySelector("details");
      if (told && state.past.length === 1) told.open = false;
      if (state.view === "one") $("query").scrollIntoView({ block: "start" });
    }
  }

  function undo() {
    const last = state.past.pop();
    if (!last) return;
    if (last[1]) state.marks[last[0]] = last[1];
    else delete state.marks[last[0]];
    state.at = last[0];
    state.open = true;
    keep();
    show();
  }

  function ends(n) {
    const query = data.pairs[n][0];
    let first = n;
    let last = n + 1;
    while (first > 0 && data.pairs[first - 1][0] === query) first -= 1;
    while (last < data.pairs.length && data.pairs[last][0] === query) last += 1;
    return [first, last];
  }

  function go(step) {
    if (state.view === "one") state.at = Math.min(data.pairs.length - 1, Math.max(0, state.at + step));
    else {
      const [first, last] = ends(state.at);
      if (step > 0 && last < data.pairs.length) state.at = last;
      if (step < 0 && first > 0) state.at = ends(first - 1)[0];
    }
    keep();
    show();
  }

  function card(n) {
    const box = make("article", undefined, "card" + (n === state.at ? " now" : ""));
    box.dataset.pair = n;
    const item = data.pairs[n][1];
    const fields = fieldsOf.get(item) || [];
    const title = fields.length ? fields[0][1] : item;
    box.append(make("h3", title));
    const list = make("dl");
    for (const [name, text] of fields.slice(1)) {
      list.append(make("dt", name), make("dd", text));
    }
    if (fields.length) list.append(make("dt", words.item), make("dd", item));
    box.append(list);
    const row = make("p", undefined, "grades");
    for (const [value, label] of data.grades) {
      const button = make("button", label ? `${value} ${label}` : `${value}`);
      button.dataset.grade = value;
      button.setAttribute("aria-pressed", String(mark(n).grade === value));
      button.addEventListener("click", () => grade(n, value));
      row.append(button);
    }
    const skipping = make("button", words.skip, "skip");
    skipping.setAttribute("aria-pressed", String(Boolean(mark(n).skipped)));
    skipping.addEventListener("click", () => skip(n));
    row.append(skipping);
    box.append(row);
    const comment = make("input");
    comment.placeholder = words.comment;
    comment.setAttribute("aria-label", words.comment);
    comment.value = mark(n).comment || "";
    comment.addEventListener("change", () => set(n, { comment: comment.value || null }));
    box.append(comment);
    box.addEventListener("focusin", () => {
      if (state.at !== n) {
        state.at = n;
        for (const other of document.querySelectorAll(".card")) other.classList.toggle("now", other === box);
      }
    });
    return box;
  }

  function show() {
    const n = state.at;
    const query = data.pairs[n][0];
    const done = data.pairs.reduce((sum, _, k) => sum + (isDone(k) ? 1 : 0), 0);
    const skipped = data.pairs.reduce((sum, _, k) => sum + (mark(k).skipped ? 1 : 0), 0);
    $("query").textContent = textOf.get(query) || query;
    $("query-id").textContent = textOf.get(query) ? query : "";
    $("progress").value = done;
    $("progress").max = data.pairs.length;
    const [first, last] = ends(n);
    $("count").textContent = fill(words.count, { judged: done - skipped, all: data.pairs.length, skipped, place: n - first + 1, of: last - first });
    $("done").hidden = done < data.pairs.length;
    const places = state.view === "one" ? [n] : Array.from({ length: last - first }, (_, k) => first + k);
    $("cards").replaceChildren(...places.map(card));
    $("view").textContent = state.view === "one" ? words.view_query : words.view_one;
    if (state.view !== "one") {
      const now = document.querySelector(".card.now");
      if (now) now.scrollIntoView({ block: "nearest" });
    }
  }

  function cell(value) {
    let text = value === undefined || value === null ? "" : String(value);
    if (/^'*[\s\u200b\ufeff]*[=+\-@\t\r]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function exported() {
    const drawn = Object.keys(data.kept); // the chances of a draw, without which a part is taken for the whole
    const rows = [["query", "item", "grade", "judge", "time", "skipped", "comment", ...drawn]];
    data.pairs.forEach(([query, item], n) => {
      const one = mark(n);
      if (isDone(n) || one.comment)
        rows.push([query, item, one.grade, state.judge, one.time, one.skipped ? "yes" : "", one.comment,
                   ...drawn.map((name) => data.kept[name][n])]);
    });
    return rows.map((row) => row.map(cell).join(",")).join("\n") + "\n";
  }

  function save() {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([exported()], { type: "text/csv" }));
    link.download = `judgments${state.judge ? "-" + state.judge.replace(/[^\w-]+/g, "_") : ""}.csv`;
    link.click();
    state.open = false;
    keep();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function parsed(text) {
    const rows = [[""]];
    let quoted = false;
    for (let i = 0; i < text.length; i += 1) {
      const sign = text[i];
      const row = rows[rows.length - 1];
      if (quoted && sign === '"' && text[i + 1] === '"') { row[row.length - 1] += '"'; i += 1; }
      else if (sign === '"') quoted = !quoted;
      else if (!quoted && sign === ",") row.push("");
      else if (!quoted && (sign === "\n" || sign === "\r")) { if (row.length > 1 || row[0]) rows.push([""]); }
      else row[row.length - 1] += sign;
    }
    return rows.filter((row) => row.length > 1 || row[0])
      .map((row) => row.map((text) => /^'+[\s\u200b\ufeff]*[=+\-@\t\r]/.test(text) ? text.slice(1) : text));
  }

  function read(text) {
    const [head, ...rows] = parsed(text.replace(/^\ufeff/, ""));
    const at = Object.fromEntries((head || []).map((name, place) => [name, place]));
    if (at.query === undefined || at.item === undefined || at.grade === undefined) return words.not_judgments;
    const place = new Map(data.pairs.map(([query, item], n) => [JSON.stringify([query, item]), n]));
    const known = new Set(data.grades.map(([value]) => value));
    let taken = 0;
    let strange = 0;
    for (const row of rows) {
      const n = place.get(JSON.stringify([row[at.query], row[at.item]]));
      const value = row[at.grade] === "" || row[at.grade] === undefined ? undefined : Number(row[at.grade]);
      const skipped = row[at.skipped] === "yes";
      if (n === undefined || (value !== undefined && !known.has(value))) { strange += 1; continue; }
      if (value === undefined && !skipped && !row[at.comment]) continue;
      const one = { time: row[at.time] || new Date().toISOString() };
      if (value !== undefined) one.grade = value;
      else if (skipped) one.skipped = true;
      if (row[at.comment]) one.comment = row[at.comment];
      state.past.push([n, state.marks[n] || null]);
      state.marks[n] = one;
      taken += 1;
    }
    if (taken) state.open = true;
    keep();
    show();
    return fill(words.imported, { taken }) + (strange ? " " + fill(words.strange, { count: strange }) : "");
  }

  $("judge").addEventListener("change", () => { state.judge = $("judge").value; keep(); });
  $("back").addEventListener("click", () => go(-1));
  $("next").addEventListener("click", () => go(1));
  $("undo").addEventListener("click", undo);
  $("export").addEventListener("click", save);
  $("import").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (file) $("said").textContent = read(await file.text());
    event.target.value = "";
  });
  $("view").addEventListener("click", () => {
    state.view = state.view === "one" ? "query" : "one";
    keep();
    show();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (isTyping) {
      if (event.key === "Escape" || event.key === "Enter") event.target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typed = Number(event.key);
    if (/^[0-9]$/.test(event.key) && data.grades.some(([value]) => value === typed)) grade(state.at, typed);
    else if (event.key === "s") skip(state.at);
    else if (event.key === "u" || event.key === "Backspace") undo();
    else if (event.key === "ArrowRight" || event.key === "n") go(1);
    else if (event.key === "ArrowLeft" || event.key === "p") go(-1);
    else if (event.key === "c") {
      const box = document.querySelector(".card.now input");
      if (box) box.focus();
    } else return;
    event.preventDefault();
  });

  // Grades given in another tab, or right before a reload, may arrive when this page is there already: they count. So
  // nothing is written when the page opens. Whoever judges here stays at the item that is shown.
  addEventListener("storage", (event) => {
    const kept = event.key === key && keptIn(event.newValue);
    if (!kept) return;
    state.marks = kept.marks;
    state.open = state.open || Boolean(kept.open);
    if (!/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) show();
  });
  // Some browsers forget what a file kept when it is loaded again, and do not say so: ask whoever leaves.
  addEventListener("beforeunload", (event) => {
    if (state.open) event.preventDefault();
  });
  tried(() => {
    state = Object.assign(state, keptIn(localStorage.getItem(key)));
    localStorage.setItem(key + " tried", "");
    localStorage.removeItem(key + " tried");
  });
  state.at = Math.min(state.at, data.pairs.length - 1);
  $("judge").value = state.judge || "";
  show();
})();
