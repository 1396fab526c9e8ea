// The edge table: the same edges as text, sorted and filtered.
const PAGE = 300; // rows shown at first; thousands of rows make a page slow
const table = { column: state.measure.name, down: !state.measure.smallerIsBetter, filter: "", rows: PAGE };
const columns = ["source", "target", ...Object.keys(data.edges[0]?.values ?? { strength: 0, sign: 0 })];

function cellValue(edge, column) {
  if (column === "source" || column === "target") return nodeName(edge[column]);
  return edge.values[column];
}

function compare(a, b) {
  const x = cellValue(a, table.column), y = cellValue(b, table.column);
  if (x === null || y === null) return (x === null) - (y === null); // no value: always last
  const order = typeof x === "string" ? x.localeCompare(y, undefined, { numeric: true }) : x - y;
  return (table.down ? -order : order) || a.index - b.index;
}

function drawHead() {
  const row = element("tr");
  for (const column of columns) {
    const sorted = column === table.column ? (table.down ? "descending" : "ascending") : "none";
    const button = element("button", { type: "button", onclick: () => sortBy(column) }, spoken(column));
    row.append(element("th", { scope: "col", "aria-sort": sorted, "data-column": column }, button));
  }
  document.querySelector("#edge-table thead").replaceChildren(row);
}

function sortBy(column) {
  const text = column === "source" || column === "target";
  table.down = column === table.column ? !table.down : !text;
  table.column = column;
  drawHead();
  drawRows();
}

function drawRows() {
  const wanted = table.filter.toLocaleLowerCase();
  const matches = (edge) => `${nodeName(edge.source)}\n${nodeName(edge.target)}`.toLocaleLowerCase().includes(wanted);
  const found = [...state.visible].filter(matches).sort(compare);
  document.querySelector("#edge-table tbody").replaceChildren(...found.slice(0, table.rows).map(drawRow));
  const more = found.length - table.rows;
  $("more").hidden = more <= 0;
  $("more").textContent = `Show ${Math.min(more, PAGE)} more of ${more}`;
  markRow();
}

function drawRow(edge) {
  const row = element("tr", { "data-edge": edge.index, onclick: () => select("edge", edge.index) });
  for (const column of columns) row.append(drawCell(edge, column));
  return row;
}

function drawCell(edge, column) {
  const value = cellValue(edge, column);
  if (column === "source") {
    const label = `${nodeName(edge.source)} to ${nodeName(edge.target)}`;
    return element("td", { class: "name", title: value }, element("button", { type: "button", class: "link", "aria-label": label }, short(value, 40)));
  }
  if (column === "target") return element("td", { class: "name", title: value }, short(value, 40));
  if (column === "sign") return element("td", {}, signText(edge));
  if ((column === "strength" || column === "confidence") && value !== null) {
    const bar = element("span", { class: `bar ${column}`, "aria-hidden": "true" });
    bar.style.width = `${Math.max(1, 60 * value)}px`;
    return element("td", {}, element("span", { class: "track", "aria-hidden": "true" }, bar), column === "strength" ? `${(100 * value).toFixed(1)} %` : percent(value));
  }
  return element("td", {}, shownValue(column, value));
}

function markRow() {
  const chosen = state.selected?.kind === "edge" ? String(state.selected.index) : null;
  for (const row of document.querySelectorAll("#edge-table tbody tr")) row.classList.toggle("selected", row.dataset.edge === chosen);
}

$("filter").addEventListener("input", (event) => { table.filter = event.target.value; table.rows = PAGE; drawRows(); });
$("more").addEventListener("click", () => { table.rows += PAGE; drawRows(); });
onUpdate((change) => ("kept" in change || "measure" in change ? drawRows() : markRow()));
