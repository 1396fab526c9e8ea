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
  const edges = shownEdges().map((edge) => `  ${quoted(nodeName(edge.source))} -> ${quoted(nodeName(edge.target))} [strength=${edge.values.strength}, sign=${edge.values.sign}];`);
  return ["digraph dagscale {", ...nodes, ...edges, "}", ""].join("\n");
}

function csvText() {
  const rows = shownEdges().map((edge) => columns.map((column) => csvCell(cellValue(edge, column))).join(","));
  return [columns.map(csvCell).join(","), ...rows, ""].join("\n");
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

function svgText() {
  const box = cy.elements(":visible").boundingBox(), pad = 20;
  const svg = svgTag("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `${box.x1 - pad} ${box.y1 - pad} ${box.w + 2 * pad} ${box.h + 2 * pad}`, "font-family": "sans-serif" });
  svg.append(svgTag("rect", { x: box.x1 - pad, y: box.y1 - pad, width: box.w + 2 * pad, height: box.h + 2 * pad, fill: css("card") }));
  const dashes = { plus: "none", minus: "9 5", neither: "2 4" };
  for (const edge of shownEdges()) {
    const drawn = edgeOf(edge.index), colour = css(signClass(edge));
    const from = drawn.sourceEndpoint(), to = drawn.targetEndpoint();
    const middle = (drawn.segmentPoints() ?? []).map((point) => `L${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("");
    const last = (drawn.segmentPoints() ?? [from]).at(-1), length = Math.hypot(to.x - last.x, to.y - last.y) || 1;
    const [ux, uy] = [(to.x - last.x) / length, (to.y - last.y) / length], size = 5 + drawn.data("width");
    svg.append(svgTag("path", { d: `M${from.x.toFixed(1)} ${from.y.toFixed(1)}${middle}L${(to.x - ux * size).toFixed(1)} ${(to.y - uy * size).toFixed(1)}`, fill: "none", stroke: colour, "stroke-width": drawn.data("width"), "stroke-dasharray": dashes[signClass(edge)], "stroke-linejoin": "round" }));
    const wing = (side) => `${(to.x - ux * 1.6 * size + side * uy * size * 0.7).toFixed(1)},${(to.y - uy * 1.6 * size - side * ux * size * 0.7).toFixed(1)}`;
    svg.append(svgTag("polygon", { points: `${to.x.toFixed(1)},${to.y.toFixed(1)} ${wing(1)} ${wing(-1)}`, fill: colour }));
  }
  cy.nodes(":visible").forEach((node) => {
    const { x, y } = node.position(), [width, height] = [node.width(), node.height()];
    svg.append(svgTag("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: LARGE ? width / 2 : 7, fill: css("node"), stroke: css("node-line") }));
    svg.append(svgTag("text", { x, y: LARGE ? y + height / 2 + 14 : y + 4.5, "text-anchor": "middle", "font-size": 13, fill: css("ink") }, node.data("label")));
  });
  return new XMLSerializer().serializeToString(svg);
}

const exporters = {
  png: () => download("graph.png", cy.png({ output: "blob", full: true, scale: LARGE ? 1 : 2, maxWidth: 8000, maxHeight: 8000, bg: css("card") })),
  svg: () => download("graph.svg", svgText(), "image/svg+xml"),
  dot: () => download("graph.dot", dotText(), "text/vnd.graphviz"),
  csv: () => download("edges.csv", csvText(), "text/csv"),
  knowledge: () => download("knowledge.yaml", knowledgeText(), "text/yaml"),
};
for (const button of document.querySelectorAll("[data-export]")) {
  button.addEventListener("click", () => { exporters[button.dataset.export](); $("export-menu").open = false; });
}
