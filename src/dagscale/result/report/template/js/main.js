// The parts put to work.
function fill(id, pairs) {
  for (const [name, value] of pairs) $(id).append(element("dt", {}, spoken(name)), element("dd", {}, value));
}

function drawHeader() {
  const size = `${plural(data.nodes.length, "column")}, ${plural(data.edges.length, "edge")}`;
  const seconds = data.timings.reduce((sum, [, value]) => sum + Number(value), 0);
  $("headline").textContent = `Causal graph: ${size}`;
  $("subline").textContent = `found by ${data.method} in ${plural(data.rows, "row")}${seconds ? `, ${format(seconds)} s` : ""}`;
  document.title = `dagscale: ${size}`;
  $("notes").hidden = !data.notes.length;
  $("notes").append(...data.notes.map((note) => element("li", {}, note)));
}

function drawOrder() {
  const ordered = data.nodes.map((node, index) => ({ node, index })).sort((a, b) => a.node.place - b.node.place);
  $("order").append(...ordered.map(({ node, index }) => {
    const button = element("button", { type: "button", title: node.name, "aria-pressed": "false", "data-node": index, onclick: () => select("node", index) });
    button.append(element("small", {}, String(node.place + 1)), short(node.name, 30));
    return element("li", {}, button);
  }));
  onUpdate(() => {
    const chosen = state.selected?.kind === "node" ? String(state.selected.index) : null;
    for (const button of $("order").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.node === chosen));
  });
}

const worthKeeping = (value, bound) => value !== null && value !== undefined && (state.measure.smallerIsBetter ? value <= bound : value >= bound);

function describeThreshold() {
  const { name, smallerIsBetter } = state.measure;
  const worst = state.ranked[state.kept - 1]?.values[name];
  $("threshold").value = state.kept;
  $("bound-name").textContent = `${spoken(name)} ${smallerIsBetter ? "≤" : "≥"}`;
  if (document.activeElement !== $("bound")) $("bound").value = worst === undefined || worst === null ? "" : Number(worst.toPrecision(3));
  $("shown").textContent = `${state.kept} of ${plural(data.edges.length, "edge")}`;
}

function drawControls() {
  $("measure").append(...data.measures.map((measure, index) => element("option", { value: index }, spoken(measure.name))));
  $("measure").addEventListener("change", (event) => update({ measure: data.measures[Number(event.target.value)] }));
  $("bound").addEventListener("input", (event) => {
    if (event.target.value === "") return;
    const bound = Number(event.target.value), { name } = state.measure;
    update({ kept: data.edges.filter((edge) => worthKeeping(edge.values[name], bound)).length });
  });
  $("bound").addEventListener("change", describeThreshold);
  $("legend-confidence").hidden = data.edges[0]?.values.confidence === undefined;
  $("threshold").max = data.edges.length;
  $("threshold").value = data.edges.length;
  $("threshold").addEventListener("input", (event) => update({ kept: Number(event.target.value) }));
  $("names").append(...data.nodes.map((node) => element("option", { value: node.name })));
  const find = () => {
    const text = $("search").value;
    const near = data.nodes.findIndex((node) => node.name.toLocaleLowerCase().startsWith(text.toLocaleLowerCase()));
    const found = indexOf.get(text) ?? (near < 0 ? undefined : near);
    if (text && found !== undefined) select("node", found);
  };
  $("search").addEventListener("change", find);
  $("search").addEventListener("keydown", (event) => { if (event.key === "Enter") find(); });
  onUpdate(describeThreshold);
}

function drawTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  $("theme").addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; repaintGraph(); });
  dark.addEventListener("change", repaintGraph);
  const print = matchMedia("print");
  print.addEventListener("change", () => { repaintGraph(); fitGraph(); });
}

document.addEventListener("keydown", (event) => {
  const typing = /INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName);
  if (event.key === "/" && !typing) { event.preventDefault(); $("search").focus(); }
  if (event.key === "Escape") { $("export-menu").open = false; if (!typing) update({ selected: null }); }
});
document.addEventListener("click", (event) => { if (!$("export-menu").contains(event.target)) $("export-menu").open = false; });

drawHeader();
drawOrder();
drawControls();
drawTheme();
drawHead();
drawChecks();
for (const id of ["settings", "timings", "versions", "knowledge"]) fill(id, data[id]);
$("knowledge-box").hidden = !data.knowledge.length;
$("stages").append(...data.stages.map((stage) => element("li", {}, stage)));
update({ kept: data.edges.length, measure: data.measures[0], selected: null });
fitGraph();
cy.ready(() => document.documentElement.setAttribute("data-ready", "true"));
