// The edge table: the same edges as text, sorted and filtered.
const PAGE = 300; // rows shown at first; thousands of rows make a page slow
const table = { column: state.measure.name, down: !state.measure.smallerIsBetter, filter: "", rows: PAGE };
const OWN = ["sign", "strength", "probability"];
const anyDoubt = data.edges.some((edge) => edge.doubts), anyDirection = data.told || data.edges.some((edge) => edge.open);
const columns = [
  "source", "target", "strength", "sign", ...(data.told ? ["linked"] : []), ...(anyDirection ? ["direction"] : []),
  ...Object.keys(data.edges[0]?.values ?? {}).filter((name) => !OWN.includes(name) && !INNER[name]), ...(anyDoubt ? ["doubts"] : []),
];
const worstDoubt = (edge) => (edge.doubts ?? []).reduce((worst, doubt) => (doubt.light === "red" ? "red" : worst ?? doubt.light), null);

function cellValue(edge, column) {
  if (column === "source" || column === "target") return nodeName(edge[column]);
  if (column === "linked") return edge.linked;
  if (column === "direction") return edge.open ? 0.5 * edge.direction : edge.direction; // open ones below all others
  if (column === "doubts") return { red: 1000, amber: 0 }[worstDoubt(edge)] + edge.doubts?.length || 0;
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
  const row = element("tr", { "data-edge": edge.index, onclick: () => { select("edge", edge.index); showPanel(); } });
  for (const column of columns) row.append(drawCell(edge, column));
  return row;
}

function barCell(column, value) {
  const bar = element("span", { class: `bar ${column}`, "aria-hidden": "true" });
  bar.style.width = `${Math.max(1, 60 * value)}px`;
  const text = column === "strength" ? `${(100 * value).toFixed(1)}\u00a0%` : column === "linked" ? sureness(value) : percent(value);
  return element("td", { "data-label": spoken(column), class: "number" }, element("span", { class: "track", "aria-hidden": "true" }, bar), text);
}

const directionText = (edge) => (edge.open ? (edge.because ? `open: ${edge.because}` : "open") : isKnown(edge) ? "known" : data.told ? sureness(edge.direction) : "claimed");

function drawCell(edge, column) {
  const value = cellValue(edge, column), label = { "data-label": spoken(column) };
  if (column === "source") {
    const said = `${nodeName(edge.source)} to ${nodeName(edge.target)}`;
    return element("td", { class: "name", title: value }, element("button", { type: "button", class: "link", "aria-label": said }, short(value, 40)));
  }
  if (column === "target") return element("td", { class: "name", title: value }, element("span", { class: "arrow" }, `${arrow(edge)} `), short(value, 40));
  if (column === "sign") return element("td", label, signText(edge));
  if (column === "direction") return element("td", { ...label, class: "number" }, directionText(edge));
  if (column === "doubts") return element("td", label, value ? lampOf(worstDoubt(edge), String(edge.doubts.length)) : "–");
  if (["strength", "confidence", "linked"].includes(column) && value !== null) return barCell(column, value);
  return element("td", { ...label, class: "number" }, shownValue(column, value));
}

function markRow() {
  const chosen = state.selected?.kind === "edge" ? String(state.selected.index) : null;
  for (const row of document.querySelectorAll("#edge-table tbody tr")) row.classList.toggle("selected", row.dataset.edge === chosen);
}

$("filter").addEventListener("input", (event) => { table.filter = event.target.value; table.rows = PAGE; drawRows(); });
$("more").addEventListener("click", () => { table.rows += PAGE; drawRows(); });
onUpdate((change) => {
  if ("kept" in change || "measure" in change) drawRows();
  else if ("selected" in change) markRow();
});
