// Files made in the page, from what is shown now.
function download(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const quoted = (text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
const csvCell = (value) => (value === null || value === undefined ? "" : /[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
const shownEdges = () => state.ranked.filter((edge) => state.visible.has(edge));

function dotText() {
  const nodes = data.nodes.map((node) => `  ${quoted(node.name)};`);
  const line = (edge, attributes) => `  ${quoted(nodeName(edge.source))} -> ${quoted(nodeName(edge.target))} [${attributes}];`;
  const edges = shownEdges().map((edge) => line(edge, `strength=${quoted(String(edge.values.strength))}, sign=${quoted(String(edge.values.sign))}${edge.open ? ", dir=none" : ""}`));
  const hidden = data.hidden.map((pair) => line(pair, "dir=both, style=dashed, constraint=false"));
  return ["digraph dagscale {", ...nodes, ...edges, ...hidden, "}", ""].join("\n");
}

function csvText() {
  const all = [...columns, ...Object.keys(data.edges[0]?.values ?? {}).filter((name) => !columns.includes(name))];
  const rows = shownEdges().map((edge) => all.map((column) => csvCell(cellValue(edge, column))).join(","));
  return [all.map(csvCell).join(","), ...rows, ""].join("\n");
}

// JSON strings are YAML strings, so any name survives.
function knowledgeText() {
  const lines = ["# dagscale discover data.csv --knowledge knowledge.yaml"];
  for (const kind of ["required", "forbidden"]) {
    if (!state.known[kind].length) continue;
    lines.push(`${kind}:`, ...state.known[kind].map((pair) => `  - [${pair.map((index) => JSON.stringify(nodeName(index))).join(", ")}]`));
  }
  return [...lines, ""].join("\n");
}

// One line with its heads: an arrow at the end, at both ends of a hidden cause, none where the direction is open.
function svgEdge(drawn) {
  const from = drawn.sourceEndpoint(), to = drawn.targetEndpoint(), colour = drawn.style("line-color"), width = drawn.data("width"), size = 5 + width;
  const middle = drawn.segmentPoints() ?? drawn.controlPoints() ?? [];
  const heads = drawn.hasClass("open") ? [] : [[to, middle.at(-1) ?? from], ...(drawn.hasClass("hidden-cause") ? [[from, middle[0] ?? to]] : [])];
  const tip = ([end, before]) => { const length = Math.hypot(end.x - before.x, end.y - before.y) || 1; return [(end.x - before.x) / length, (end.y - before.y) / length]; };
  const back = (end, before, wanted) => { if (!wanted) return end; const [ux, uy] = tip([end, before]); return { x: end.x - ux * size, y: end.y - uy * size }; };
  const ends = [back(from, middle[0] ?? to, heads.length > 1), ...middle, back(to, middle.at(-1) ?? from, heads.length > 0)];
  const path = ends.map((point, k) => `${k ? "L" : "M"}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("");
  const dashes = { dashed: "8 6", dotted: "2 4" }[drawn.style("line-style")] ?? "none";
  const line = svgTag("path", { d: path, fill: "none", stroke: colour, opacity: drawn.data("opacity"), "stroke-width": width, "stroke-dasharray": dashes, "stroke-linejoin": "round" });
  const triangle = ([end, before]) => {
    const [ux, uy] = tip([end, before]);
    const wing = (side) => `${(end.x - ux * 1.6 * size + side * uy * size * 0.7).toFixed(1)},${(end.y - uy * 1.6 * size - side * ux * size * 0.7).toFixed(1)}`;
    return svgTag("polygon", { points: `${end.x.toFixed(1)},${end.y.toFixed(1)} ${wing(1)} ${wing(-1)}`, fill: colour, opacity: drawn.data("opacity") });
  };
  return [line, ...heads.map(triangle)];
}

const knownNames = (kind) => state.known[kind].map((pair) => pair.map(nodeName));
const knowledgeJson = () => JSON.stringify({ required: knownNames("required"), forbidden: knownNames("forbidden") }, null, 2);

function svgText() {
  const box = cy.elements(":visible").boundingBox(), pad = 20;
  const svg = svgTag("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `${box.x1 - pad} ${box.y1 - pad} ${box.w + 2 * pad} ${box.h + 2 * pad}`, "font-family": "sans-serif" });
  svg.append(svgTag("rect", { x: box.x1 - pad, y: box.y1 - pad, width: box.w + 2 * pad, height: box.h + 2 * pad, fill: css("card") }));
  for (const drawn of cy.edges(":visible").toArray()) svg.append(...svgEdge(drawn));
  cy.nodes(":visible").forEach((node) => {
    const { x, y } = node.position(), [width, height] = [node.width(), node.height()];
    svg.append(svgTag("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: LARGE ? width / 2 : 7, fill: css("node"), stroke: css("node-line") }));
    svg.append(svgTag("text", { x, y: LARGE ? y + height / 2 + 17 : y + 5, "text-anchor": "middle", "font-size": LARGE ? 17 : 14.5, fill: css("ink") }, node.data("label")));
  });
  return new XMLSerializer().serializeToString(svg);
}

const exporters = {
  png: () => download("graph.png", cy.png({ output: "blob", full: true, scale: LARGE ? 1 : 2, maxWidth: 8000, maxHeight: 8000, bg: css("card") })),
  svg: () => download("graph.svg", svgText(), "image/svg+xml"),
  dot: () => download("graph.dot", dotText(), "text/vnd.graphviz"),
  csv: () => download("edges.csv", csvText(), "text/csv"),
  "knowledge-json": () => download("knowledge.json", knowledgeJson(), "application/json"),
  knowledge: () => download("knowledge.yaml", knowledgeText(), "text/yaml"),
};
for (const button of document.querySelectorAll("[data-export]")) {
  button.addEventListener("click", () => { exporters[button.dataset.export](); $("export-menu").open = false; });
}
