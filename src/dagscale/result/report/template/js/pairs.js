// Questions about any pair, and the knowledge a reader collects on the way.
const indexOf = new Map(data.nodes.map((node, index) => [node.name, index]));
const sameEdge = (a, b) => a[0] === b[0] && a[1] === b[1];

function knowledgeButtons(source, target) {
  const box = element("div", { class: "pair", role: "group", "aria-label": "Add to the knowledge file" });
  const pair = [source, target];
  for (const [kind, verb, done] of [["required", "Require", "Required"], ["forbidden", "Forbid", "Forbidden"]]) {
    const pressed = state.known[kind].some((known) => sameEdge(known, pair));
    box.append(element("button", { type: "button", "aria-pressed": String(pressed), "data-known": kind, onclick: () => know(kind, pair) }, pressed ? `${done} ✓` : `${verb} this edge`));
  }
  return box;
}

function know(kind, pair) {
  const other = kind === "required" ? "forbidden" : "required";
  const had = state.known[kind].some((known) => sameEdge(known, pair));
  const without = (list) => list.filter((known) => !sameEdge(known, pair));
  const known = { [kind]: had ? without(state.known[kind]) : [...state.known[kind], pair], [other]: without(state.known[other]) };
  update({ known });
}

let asked = null;
function drawAnswer() {
  if (!asked) return;
  const [source, target] = asked;
  const turned = edgeBetween(target, source), edge = edgeBetween(source, target) ?? (turned?.open ? turned : undefined);
  const said = edge?.open ? "is linked, with an open direction." : `${edge ? "is" : "is not"} in the graph.`;
  const title = element("p", {}, element("b", {}, `${nodeName(source)} ${edge?.open ? "—" : "→"} ${nodeName(target)} ${said}`));
  const show = edge ? element("p", {}, element("button", { type: "button", onclick: () => { select("edge", edge.index); showPanel(); $("detail").focus(); } }, "Show the edge")) : null;
  const shared = hasHidden(source, target) ? element("p", {}, "The two seem to share a hidden cause.") : null;
  $("pair-answer").replaceChildren(...[title, shared, reasons(source, target), show, ...effectBox(source, target), knowledgeButtons(source, target)].filter(Boolean));
}

$("pair-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [source, target] = [indexOf.get($("pair-source").value), indexOf.get($("pair-target").value)];
  if (source === undefined || target === undefined || source === target) {
    asked = null;
    $("pair-answer").replaceChildren(element("p", {}, "Choose two different columns from the lists."));
    return;
  }
  asked = [source, target];
  drawAnswer();
});
