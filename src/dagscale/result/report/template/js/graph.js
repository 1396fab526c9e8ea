// The picture: cytoscape draws, positions come with the data. A solid arrow is claimed, a plain line has an open
// direction, a dashed line with two heads is a hidden common cause; width is strength, opacity probability.
const LARGE = data.nodes.length > 120;
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const edgeWidth = (edge) => (LARGE ? 2.5 : 1.4) + (LARGE ? 7 : 5) * Math.sqrt(Math.max(0, edge.values.strength ?? 0));
const edgeOpacity = (edge) => 0.22 + 0.73 * certainty(edge);
const letters = (text) => text.length + (text.match(/[\u1100-\u11ff\u2e80-\uffdc]/g) ?? []).length; // wide ones count twice
const labelWidth = (node) => 7.9 * Math.min(letters(node.name) || 2, 22) + 20;

const edgeElement = (id, edge, classes, more) => ({
  group: "edges", classes: `${classes} ${edge.bends?.length ? "bent" : ""}`,
  data: { id, source: `n${edge.source}`, target: `n${edge.target}`, ...more, ...bends(edge) },
});
const linkElement = (edge) => edgeElement(`e${edge.index}`, edge, `${signClass(edge)} ${edge.open ? "open" : ""}`, { width: edgeWidth(edge), opacity: edgeOpacity(edge) });
const hiddenElement = (pair, k) => {
  const beside = !pair.bends.length && (edgeBetween(pair.source, pair.target) || edgeBetween(pair.target, pair.source));
  return edgeElement(`h${k}`, pair, `hidden-cause ${beside ? "beside" : ""}`, { width: LARGE ? 4 : 2.2, opacity: 0.9, bow: beside ? bow(pair) : 0 });
};

// To which side an arc beside a straight link bends: the one with more room to the nearest other node.
const BOW = 46;
function bow({ source, target }) {
  const from = data.nodes[source], to = data.nodes[target], dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy) || 1;
  const room = (side) => {
    const x = (from.x + to.x) / 2 - (side * dy) / length, y = (from.y + to.y) / 2 + (side * dx) / length;
    const away = (node, index) => (index === source || index === target ? Infinity : Math.max((Math.abs(node.x - x) - labelWidth(node) / 2), Math.abs(node.y - y) - 15));
    return data.nodes.reduce((least, node, index) => Math.min(least, away(node, index)), Infinity);
  };
  return room(BOW) >= room(-BOW) ? BOW : -BOW;
}

const nodeElement = (node, index) => ({
  group: "nodes", data: { id: `n${index}`, label: short(node.name), width: LARGE ? 38 : labelWidth(node) }, position: { x: node.x, y: node.y },
});

const drawn = new Set(); // ids in the picture
function wanted(edges, indices) {
  const ends = new Set([...indices, ...edges.flatMap((edge) => [edge.source, edge.target])]);
  const nodes = [...ends].filter((index) => !drawn.has(`n${index}`)).map((index) => nodeElement(data.nodes[index], index));
  const links = edges.filter((edge) => !drawn.has(`e${edge.index}`)).map(linkElement);
  for (const made of [...nodes, ...links]) drawn.add(made.data.id);
  return [...nodes, ...links];
}

function elements() {
  const first = HUGE ? [...state.visible] : data.edges, ends = data.hidden.flatMap((pair) => [pair.source, pair.target]);
  return [...wanted(first, HUGE ? ends : data.nodes.keys()), ...data.hidden.map(hiddenElement)];
}

// Put into a huge picture what is looked at, with its neighbours.
function ensureDrawn(chosen) {
  if (!HUGE || !chosen || chosen.kind === "hidden") return;
  const edges = chosen.kind === "edge" ? [data.edges[chosen.index]] : [...edgesInto[chosen.index], ...edgesFrom[chosen.index]];
  cy.add(wanted(edges, chosen.kind === "node" ? [chosen.index] : []));
}

// cytoscape wants bends relative to the straight line: how far along it, how far beside it.
function bends(edge) {
  if (!edge.bends?.length) return {};
  const from = data.nodes[edge.source], to = data.nodes[edge.target];
  const dx = to.x - from.x, dy = to.y - from.y, length = Math.hypot(dx, dy);
  const weights = [], distances = [];
  for (const [x, y] of edge.bends) {
    weights.push(((x - from.x) * dx + (y - from.y) * dy) / length ** 2);
    distances.push((-(x - from.x) * dy + (y - from.y) * dx) / length);
  }
  return { weights, distances };
}

const coloured = (selector, colour) => ({
  selector, style: { "line-color": css(colour), "target-arrow-color": css(colour), "source-arrow-color": css(colour), "mid-target-arrow-color": css(colour) },
});

function nodeStyle() {
  return { selector: "node", style: {
    label: "data(label)", width: "data(width)", height: LARGE ? 38 : 30, shape: LARGE ? "ellipse" : "round-rectangle",
    "background-color": css(LARGE ? "node-line" : "node"), "border-width": LARGE ? 0 : 1.2, "border-color": css("node-line"), color: css("ink"),
    "font-size": LARGE ? 17 : 14.5, "text-valign": LARGE ? "bottom" : "center", "text-halign": "center", "min-zoomed-font-size": LARGE ? 7 : 4,
    "font-family": "system-ui, sans-serif",
    ...(LARGE ? { "text-outline-color": css("card"), "text-outline-width": 2, "text-margin-y": 2 } : {}),
  } };
}

function graphStyle() {
  return [
    nodeStyle(),
    { selector: "edge", style: {
      width: "data(width)", "curve-style": "straight", "target-arrow-shape": "triangle", "arrow-scale": LARGE ? 0.8 : 1.1, opacity: "data(opacity)",
    } },
    { selector: "edge.bent", style: {
      "curve-style": "round-segments", "segment-weights": "data(weights)", "segment-distances": "data(distances)", "segment-radii": 25, "edge-distances": "node-position",
    } },
    { selector: "edge.hidden-cause", style: { "line-style": "dashed", "line-dash-pattern": [8, 6], "source-arrow-shape": "triangle" } },
    { selector: "edge.beside", style: { "curve-style": "unbundled-bezier", "control-point-distances": "data(bow)", "control-point-weights": 0.5 } },
    { selector: "edge.lost", style: { "line-style": "dotted" } },
    coloured("edge.plus", "plus"), coloured("edge.minus", "minus"), coloured("edge.neither", "neither"), coloured("edge.hidden-cause", "hidden"),
    ...["shared", "reversed", "undirected", "added", "missing"].map((name) => coloured(`edge.is-${name}`, `is-${name}`)),
    ...[["amber", "care"], ["red", "stop"]].map(([light, colour]) => ({ selector: `edge.${light}`, style: { "underlay-color": css(colour), "underlay-opacity": 0.28, "underlay-padding": LARGE ? 9 : 5 } })),
    { selector: "node.named", style: { "font-size": "data(letters)" } },
    { selector: ".gone", style: { display: "none" } },
    { selector: ".faded", style: { opacity: LARGE ? 0.13 : 0.3 } },
    ...(LARGE ? [{ selector: "edge.near", style: { "mid-target-arrow-shape": "triangle" } }] : []), // labels may hide the ends
    { selector: "edge.open", style: { "target-arrow-shape": "none", "mid-target-arrow-shape": "none" } }, // no direction is claimed
    { selector: "node.chosen", style: { "border-width": 3, "border-color": css("accent"), "background-color": css("mark") } },
    { selector: "edge.chosen", style: { "underlay-color": css("accent"), "underlay-opacity": 0.3, "underlay-padding": 6 } },
  ];
}

const cy = cytoscape({
  container: $("graph"), elements: elements(), style: graphStyle(), layout: { name: "preset" }, minZoom: 0.02, maxZoom: 4,
  boxSelectionEnabled: false, autounselectify: true,
  hideEdgesOnViewport: data.edges.length > 3000, textureOnViewport: data.edges.length > 3000, pixelRatio: LARGE ? 1 : "auto",
});
const fitGraph = () => { cy.resize(); cy.fit(cy.elements(":visible"), 20); if (cy.zoom() > 1.4) { cy.zoom(1.4); cy.center(); } };

// Begin with the whole. Where names would be specks, begin at the first columns, readable; "Fit" shows all.
const SPECKS = 0.35, READABLE = 0.6;
function firstView() {
  fitGraph();
  if (LARGE || cy.zoom() >= SPECKS) return;
  const box = cy.elements(":visible").boundingBox();
  cy.viewport({ zoom: READABLE, pan: { x: 12 - READABLE * box.x1, y: 12 - READABLE * box.y1 } });
}

const nodeOf = (index) => cy.getElementById(`n${index}`);
const edgeOf = (index) => cy.getElementById(`e${index}`);

const chosenElement = (chosen) => cy.getElementById(`${{ node: "n", edge: "e", hidden: "h" }[chosen.kind]}${chosen.index}`);

function paintSelection() {
  const chosen = state.selected;
  ensureDrawn(chosen);
  cy.batch(() => {
    cy.elements().removeClass("chosen faded near named");
    if (!chosen) return;
    const core = chosenElement(chosen);
    if (HUGE) core.union(core.closedNeighborhood()).removeClass("gone");
    const near = chosen.kind === "node" ? core.closedNeighborhood(":visible") : core.union(core.connectedNodes());
    cy.elements().difference(near).addClass("faded");
    near.edges().addClass("near");
    core.addClass("chosen");
  });
}

function paintVisible() {
  cy.batch(() => {
    if (HUGE) cy.add(wanted([...state.visible], []));
    for (const edge of data.edges) if (drawn.has(`e${edge.index}`)) edgeOf(edge.index).toggleClass("gone", !state.visible.has(edge));
    if (HUGE) cy.nodes().forEach((node) => { node.toggleClass("gone", !node.connectedEdges().some((edge) => !edge.hasClass("gone"))); });
  });
}

// Bring a selection into view when it is outside it or too small to read.
function reveal() {
  const chosen = state.selected;
  if (!chosen) return;
  const core = chosen.kind === "node" ? nodeOf(chosen.index) : chosenElement(chosen).connectedNodes();
  const around = LARGE ? core.union(core.neighborhood(":visible")) : core;
  const seen = cy.extent(), box = core.boundingBox();
  const inside = box.x1 > seen.x1 && box.x2 < seen.x2 && box.y1 > seen.y1 && box.y2 < seen.y2;
  if (!inside || cy.zoom() < 0.45) {
    const before = cy.zoom();
    cy.fit(around, 70);
    if (cy.zoom() > 1.2) { cy.zoom(Math.max(before, 1)); cy.center(around); }
  }
  if (LARGE) core.nodes().data("letters", Math.max(17, 13 / cy.zoom())).addClass("named"); // readable however far apart they are
}

cy.on("tap", "node", (event) => select("node", Number(event.target.id().slice(1))));
cy.on("tap", "edge", (event) => {
  const kind = { e: "edge", h: "hidden" }[event.target.id()[0]];
  if (kind) select(kind, Number(event.target.id().slice(1)));
});
cy.on("tap", (event) => { if (event.target === cy) update({ selected: null }); });
const centre = () => ({ x: cy.width() / 2, y: cy.height() / 2 });
const zoomBy = (factor) => cy.zoom({ level: cy.zoom() * factor, renderedPosition: centre() });
// Until the reader moves the picture it follows the size of its frame: a phone is turned, a window made narrow.
let moved = false;
cy.on("dragpan pinchzoom scrollzoom", () => { moved = true; });
$("fit").addEventListener("click", () => { moved = false; fitGraph(); });
$("zoom-in").addEventListener("click", () => { moved = true; zoomBy(1.35); });
$("zoom-out").addEventListener("click", () => { moved = true; zoomBy(1 / 1.35); });
new ResizeObserver(() => { cy.resize(); if (!moved && !state.selected) firstView(); }).observe($("graph"));
$("graph").addEventListener("keydown", (event) => {
  const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  if (moves[event.key]) cy.panBy({ x: moves[event.key][0], y: moves[event.key][1] });
  else if (event.key === "+" || event.key === "=") zoomBy(1.35);
  else if (event.key === "-") zoomBy(1 / 1.35);
  else return;
  moved = true;
  event.preventDefault();
});
$("graph").setAttribute("aria-label", `Graph of ${plural(data.nodes.length, "column")} and ${plural(data.edges.length, "link")}`);
const repaintGraph = () => cy.style(graphStyle());
onUpdate((change) => {
  if ("kept" in change || "measure" in change) paintVisible();
  if ("selected" in change || "kept" in change || "measure" in change) paintSelection();
});
