// The data, and the few helpers every other part uses. Texts reach the page through textContent only.
const data = JSON.parse(document.getElementById("payload").textContent);
const $ = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function format(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

const percent = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(value > 0.0995 || value === 0 ? 0 : 1)}\u00a0%`);
// A probability is never shown as certainty.
const sureness = (value) => (value > 0.99 ? ">\u00a099\u00a0%" : percent(value));
const SHARES = ["confidence", "reverse", "probability"]; // shown as shares of one
const small = new Set(data.measures.filter((measure) => measure.smallerIsBetter).map((measure) => measure.name));
// The tests' distributions are not known so far out.
const tooSmall = (name, value) => small.has(name) && typeof value === "number" && value < 1e-16;
const shownValue = (name, value) => (SHARES.includes(name) ? percent(value) : tooSmall(name, value) ? "< 1e-16" : format(value));
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const capital = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const nodeName = (index) => data.nodes[index].name;
const short = (text, length = 22) => {
  const line = text.replace(/\s+/g, " ") || '""';
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};
// Numbers of the method's own: told last, in words, and left out of the table.
const INNER = {
  evidence: "log likelihood gained by the link", direction_nats: "log likelihood gained by this direction",
  dependence: "dependence of the residual on the cause (0: none)", share: "share of the variance, by the model", share_alone: "share of the variance, alone",
};
const spoken = (measure) => INNER[measure] ?? (measure === "p_value" ? "p-value" : measure.replaceAll("_", " "));

data.edges.forEach((edge, index) => {
  edge.index = index;
  const [there, back] = edge.probability;
  edge.linked = Math.min(1, there + back);
  if (data.told) edge.values.probability = edge.open ? edge.linked : there;
  edge.direction = there / (there + back || 1); // of this direction, given that the two are linked
});
const edgesAt = (end) => {
  const found = data.nodes.map(() => []);
  for (const edge of data.edges) found[edge[end]].push(edge);
  return found;
};
const edgesInto = edgesAt("target"), edgesFrom = edgesAt("source");
const edgeBetween = (source, target) => edgesFrom[source].find((edge) => edge.target === target);
const hasHidden = (a, b) => data.hidden.some((pair) => (pair.source === a && pair.target === b) || (pair.source === b && pair.target === a));

// A curve that rises and falls has no sign, and neither has an effect of or on categories.
const byLevel = (edge) => [edge.source, edge.target].some((end) => data.nodes[end].kind === "categorical");
const signClass = (edge) => (byLevel(edge) || edge.curve?.turns || !edge.values.sign ? "neither" : edge.values.sign > 0 ? "plus" : "minus");
const signText = (edge) => (byLevel(edge) ? "by level" : edge.curve?.turns ? "non-monotone" : { plus: "raises", minus: "lowers", neither: "no clear sign" }[signClass(edge)]);
const isKnown = (edge) => !edge.open && edge.direction === 1 && data.knowledge.length > 0;
const arrow = (edge) => (edge.open ? "—" : "→");
const certainty = (edge) => edge.values.probability ?? edge.values.confidence ?? 1;

// What is on screen now; every change goes through `update`, which redraws what depends on it.
// Thousands of links are drawn as they are asked for: the strongest first, and those of a column that is selected.
const HUGE = Math.max(data.edges.length, data.nodes.length) > 2000, FIRST = 1000;
const state = { measure: data.measures[0], kept: HUGE ? Math.min(FIRST, data.edges.length) : data.edges.length, selected: null, known: { required: [], forbidden: [] } };
const listeners = [];
const onUpdate = (listener) => listeners.push(listener);
function update(change) {
  Object.assign(state, change);
  if ("kept" in change || "measure" in change) rank();
  for (const listener of listeners) listener(change);
}

// Edges from best to worst by the chosen measure; an edge without a value comes last.
function rank() {
  const { name, smallerIsBetter } = state.measure;
  const worth = (edge) => {
    const value = edge.values[name];
    return value === null || value === undefined ? -Infinity : smallerIsBetter ? -value : value;
  };
  state.ranked = [...data.edges].sort((a, b) => worth(b) - worth(a) || a.index - b.index);
  state.visible = new Set(state.ranked.slice(0, state.kept));
}
rank();
