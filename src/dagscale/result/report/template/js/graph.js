// The picture: cytoscape draws, positions come with the data.
const LARGE = data.nodes.length > 120;
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const edgeWidth = (edge) => (LARGE ? 2.5 : 1.2) + (LARGE ? 7 : 5) * Math.sqrt(Math.max(0, edge.values.strength ?? 0));
// An edge that few resamples have is drawn pale; without a bootstrap all are equal.
const edgeOpacity = (edge) => 0.3 + 0.6 * (edge.values.confidence ?? 1);
const labelWidth = (node) => 7.4 * Math.min(node.name.length || 2, 22) + 20;

function elements() {
  const nodes = data.nodes.map((node, index) => ({
    group: "nodes", data: { id: `n${index}`, label: short(node.name), width: LARGE ? 38 : labelWidth(node) },
    position: { x: node.x, y: node.y },
  }));
  const edges = data.edges.map((edge) => ({
    group: "edges", classes: `${signClass(edge)} ${edge.bends.length ? "bent" : ""} ${edge.values.either_way ? "open" : ""}`,
    data: { id: `e${edge.index}`, source: `n${edge.source}`, target: `n${edge.target}`, width: edgeWidth(edge), opacity: edgeOpacity(edge), ...bends(edge) },
  }));
  return [...nodes, ...edges];
}

// cytoscape wants bends relative to the straight line: how far along it, how far beside it.
function bends(edge) {
  if (!edge.bends.length) return {};
  const from = data.nodes[edge.source], to = data.nodes[edge.target];
  const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy);
  const weights = [], distances = [];
  for (const [x, y] of edge.bends) {
    weights.push(((x - from.x) * dx + (y - from.y) * dy) / length ** 2);
    distances.push((-(x - from.x) * dy + (y - from.y) * dx) / length);
  }
  return { weights, distances };
}

function graphStyle() {
  const sign = (name, dash) => ({
    selector: `edge.${name}`,
    style: { "line-color": css(name), "target-arrow-color": css(name), "mid-target-arrow-color": css(name), "line-style": dash ? "dashed" : "solid", ...(dash ? { "line-dash-pattern": dash } : {}) },
  });
  return [
    { selector: "node", style: {
      label: "data(label)", width: "data(width)", height: LARGE ? 38 : 30, shape: LARGE ? "ellipse" : "round-rectangle",
      "background-color": css(LARGE ? "node-line" : "node"), "border-width": LARGE ? 0 : 1.2, "border-color": css("node-line"), color: css("ink"),
      "font-size": LARGE ? 17 : 13, "text-valign": LARGE ? "bottom" : "center", "text-halign": "center", "min-zoomed-font-size": LARGE ? 7 : 4,
      "font-family": "system-ui, sans-serif",
      ...(LARGE ? { "text-outline-color": css("card"), "text-outline-width": 2, "text-margin-y": 2 } : {}),
    } },
    { selector: "edge", style: {
      width: "data(width)", "curve-style": "straight", "target-arrow-shape": "triangle", "arrow-scale": LARGE ? 0.8 : 1.1, opacity: "data(opacity)",
    } },
    { selector: "edge.bent", style: {
      "curve-style": "round-segments", "segment-weights": "data(weights)", "segment-distances": "data(distances)", "segment-radii": 45, "edge-distances": "node-position",
    } },
    { selector: "edge.open", style: { "target-arrow-shape": "none", "mid-target-arrow-shape": "none" } }, // no direction is claimed
    sign("plus", null), sign("minus", [9, 5]), sign("neither", [2, 4]),
    { selector: "node.amber", style: { "border-width": LARGE ? 5 : 2.5, "border-style": "dashed", "border-color": css("care") } },
    { selector: "node.red", style: { "border-width": LARGE ? 9 : 4, "border-color": css("stop") } },
    { selector: ".gone", style: { display: "none" } },
    { selector: ".faded", style: { opacity: LARGE ? 0.13 : 0.3 } },
    ...(LARGE ? [{ selector: "edge.near", style: { "mid-target-arrow-shape": "triangle" } }] : []), // labels may hide the ends
    { selector: "node.chosen", style: { "border-width": 3, "border-color": css("accent"), "background-color": css("mark") } },
    { selector: "edge.chosen", style: { "underlay-color": css("accent"), "underlay-opacity": 0.3, "underlay-padding": 6 } },
  ];
}

const cy = cytoscape({
  container: $("graph"), elements: elements(), style: graphStyle(), layout: { name: "preset" }, minZoom: 0.02, maxZoom: 4,
  boxSelectionEnabled: false, autounselectify: true,
  hideEdgesOnViewport: data.edges.length > 3000, textureOnViewport: data.edges.length > 3000, pixelRatio: LARGE ? 1 : "auto",
});
const fitGraph = () => { cy.resize(); cy.fit(cy.elements(":visible"), 46); if (cy.zoom() > 1.4) { cy.zoom(1.4); cy.center(); } };

const nodeOf = (index) => cy.getElementById(`n${index}`);
const edgeOf = (index) => cy.getElementById(`e${index}`);

function paintSelection() {
  const chosen = state.selected;
  cy.batch(() => {
    cy.elements().removeClass("chosen faded near");
    if (!chosen) return;
    const core = chosen.kind === "node" ? nodeOf(chosen.index) : edgeOf(chosen.index);
    const near = chosen.kind === "node" ? core.closedNeighborhood(":visible") : core.union(core.connectedNodes());
    cy.elements().difference(near).addClass("faded");
    near.edges().addClass("near");
    core.addClass("chosen");
  });
}

function paintVisible() {
  cy.batch(() => data.edges.forEach((edge) => edgeOf(edge.index).toggleClass("gone", !state.visible.has(edge))));
}

// Bring a selection into view when it is outside it or too small to read.
function reveal() {
  const chosen = state.selected;
  if (!chosen) return;
  const core = chosen.kind === "node" ? nodeOf(chosen.index) : edgeOf(chosen.index).connectedNodes();
  const around = LARGE ? core.union(core.neighborhood(":visible")) : core;
  const seen = cy.extent(), box = core.boundingBox();
  const inside = box.x1 > seen.x1 && box.x2 < seen.x2 && box.y1 > seen.y1 && box.y2 < seen.y2;
  if (!inside || cy.zoom() < 0.45) {
    const before = cy.zoom();
    cy.fit(around, 70);
    if (cy.zoom() > 1.2) { cy.zoom(Math.max(before, 1)); cy.center(core); }
  }
}

cy.on("tap", "node", (event) => select("node", Number(event.target.id().slice(1))));
cy.on("tap", "edge", (event) => select("edge", Number(event.target.id().slice(1))));
cy.on("tap", (event) => { if (event.target === cy) update({ selected: null }); });
const centre = () => ({ x: cy.width() / 2, y: cy.height() / 2 });
const zoomBy = (factor) => cy.zoom({ level: cy.zoom() * factor, renderedPosition: centre() });
$("fit").addEventListener("click", fitGraph);
$("zoom-in").addEventListener("click", () => zoomBy(1.35));
$("zoom-out").addEventListener("click", () => zoomBy(1 / 1.35));
$("graph").addEventListener("keydown", (event) => {
  const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  if (moves[event.key]) cy.panBy({ x: moves[event.key][0], y: moves[event.key][1] });
  else if (event.key === "+" || event.key === "=") zoomBy(1.35);
  else if (event.key === "-") zoomBy(1 / 1.35);
  else return;
  event.preventDefault();
});
$("graph").setAttribute("aria-label", `Graph of ${plural(data.nodes.length, "column")} and ${plural(data.edges.length, "edge")}`);
const repaintGraph = () => cy.style(graphStyle());
onUpdate((change) => {
  if ("kept" in change || "measure" in change) paintVisible();
  paintSelection();
});
