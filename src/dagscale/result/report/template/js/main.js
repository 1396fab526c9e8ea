// The parts put to work.
function fill(id, pairs) {
  for (const [name, value] of pairs) $(id).append(element("dt", {}, spoken(name)), element("dd", {}, value));
}

const TILES = [["links", "link", "links"], ["directed", "direction supported", "directions supported"], ["open", "direction open", "directions open"], ["hidden", "hidden common cause", "hidden common causes"]];

function drawHeader() {
  const { title, sentence, counts } = data.answer;
  $("headline").textContent = title || "Causal graph";
  $("conclusion").textContent = sentence;
  document.title = `${title || "Causal graph"}: ${plural(counts.links, "link")} between ${plural(counts.columns, "column")}`;
  const by = !data.told && !counts.open ? "claimed" : data.knowledge.length ? "supported or known" : "supported", worded = (key, text) => (key === "directed" ? text.replace("supported", by) : text);
  const tiles = TILES.filter(([key]) => counts[key] || key === "links").map(([key, one, many]) => element("li", { class: key }, element("b", {}, String(counts[key])), ` ${worded(key, counts[key] === 1 ? one : many)}`));
  $("counts").append(...tiles);
  const seconds = data.timings.reduce((sum, [, value]) => sum + Number(value), 0);
  $("subline").textContent = `${plural(data.rows, "row")}, ${plural(data.nodes.length, "column")}; method ${data.method}${seconds ? `, ${format(seconds)} s` : ""}. `;
  $("notes-section").hidden = !data.notes.length;
  if (data.notes.length) $("subline").append(element("a", { href: "#notes-section", id: "notes-link" }, `${plural(data.notes.length, "note")} on this run`));
  $("notes").append(...data.notes.map((note) => element("li", {}, note)));
}

const PLACES = 300; // buttons of the order shown at first
function drawOrder() {
  const ordered = data.nodes.map((node, index) => ({ node, index })).sort((a, b) => a.node.place - b.node.place);
  const more = () => {
    const from = $("order").children.length;
    $("order").append(...ordered.slice(from, from + PLACES).map(({ node, index }) => {
      const button = element("button", { type: "button", title: node.name, "aria-pressed": "false", "data-node": index, onclick: () => { select("node", index); showPanel(); } });
      button.append(element("small", {}, String(node.place + 1)), short(node.name, 30));
      return element("li", {}, button);
    }));
    const left = ordered.length - $("order").children.length;
    $("more-order").hidden = left <= 0;
    $("more-order").textContent = `Show ${Math.min(left, PLACES)} more of ${left}`;
  };
  $("order-open").hidden = !data.edges.some((edge) => edge.open);
  $("more-order").addEventListener("click", more);
  more();
  onUpdate((change) => {
    if (!("selected" in change)) return;
    const chosen = state.selected?.kind === "node" ? String(state.selected.index) : null;
    for (const button of $("order").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.node === chosen));
  });
}

function drawLegend() {
  $("legend-open").hidden = !data.edges.some((edge) => edge.open);
  $("legend-hidden").hidden = !data.hidden.length;
  $("legend-neither").hidden = !data.edges.some((edge) => signClass(edge) === "neither");
  $("legend-sure").hidden = $("assumes-density").hidden = !data.told;
  $("assumes-additive").hidden = data.told;
  $("legend-confidence").hidden = data.told || data.edges[0]?.values.confidence === undefined;
}

const worthKeeping = (value, bound) => value !== null && value !== undefined && (state.measure.smallerIsBetter ? value <= bound : value >= bound);

function describeThreshold() {
  const { name, smallerIsBetter } = state.measure;
  const worst = state.ranked[state.kept - 1]?.values[name];
  $("threshold").value = state.kept;
  $("bound-name").textContent = `${spoken(name)} ${smallerIsBetter ? "≤" : "≥"}`;
  if (document.activeElement !== $("bound")) $("bound").value = worst === undefined || worst === null ? "" : Number(worst.toPrecision(3));
  $("shown").textContent = `${state.kept} of ${plural(data.edges.length, "link")}`;
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
  $("threshold").max = data.edges.length;
  $("threshold").value = state.kept;
  $("threshold").addEventListener("input", (event) => update({ kept: Number(event.target.value) }));
  $("names").append(...data.nodes.map((node) => element("option", { value: node.name })));
  const find = () => {
    const text = $("search").value;
    const near = data.nodes.findIndex((node) => node.name.toLocaleLowerCase().startsWith(text.toLocaleLowerCase()));
    const found = indexOf.get(text) ?? (near < 0 ? undefined : near);
    if (text && found !== undefined) { select("node", found); if (matchMedia("(max-width: 980px)").matches) showPanel(); }
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

// However many lines they have: what is scrolled to stops below the bar, and the legend stays in the first window.
const bar = document.querySelector(".controls"), sized = new ResizeObserver(() => {
  document.documentElement.style.setProperty("--bar", `${bar.offsetHeight + 12}px`);
  document.documentElement.style.setProperty("--above", `${document.querySelector("main").offsetTop + 14}px`);
});
for (const part of [bar, document.querySelector("header")]) sized.observe(part);

drawHeader();
drawOrder();
drawLegend();
drawControls();
drawTheme();
drawHead();
drawChecks();
drawQuestions();
drawConditions();
for (const id of ["settings", "timings", "versions", "knowledge"]) fill(id, data[id]);
$("knowledge-box").hidden = !data.knowledge.length;
$("stages").append(...data.stages.map((stage) => element("li", {}, stage)));
update({ kept: state.kept, measure: data.measures[0], selected: null });
drawOverlay();
firstView();
cy.ready(() => document.documentElement.setAttribute("data-ready", "true"));
