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

const percent = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(value > 0.0995 || value === 0 ? 0 : 1)} %`);
const SHARES = ["confidence", "reverse"]; // columns that are shares of the resamples
const small = new Set(data.measures.filter((measure) => measure.smallerIsBetter).map((measure) => measure.name));
// A p-value of 0 is one too small for a double.
const shownValue = (name, value) => (SHARES.includes(name) ? percent(value) : value === 0 && small.has(name) ? "< 1e-300" : format(value));
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const nodeName = (index) => data.nodes[index].name;
const short = (text, length = 22) => {
  const line = text.replace(/\s+/g, " ") || '""';
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
};
const signClass = (edge) => (edge.values.sign > 0 ? "plus" : edge.values.sign < 0 ? "minus" : "neither");
const signText = (edge) => ({ plus: "raises", minus: "lowers", neither: "unclear" })[signClass(edge)];
const spoken = (measure) => measure.replaceAll("_", " ");

data.edges.forEach((edge, index) => { edge.index = index; });

// What is on screen now; every change goes through `update`, which redraws what depends on it.
const state = { measure: data.measures[0], kept: data.edges.length, selected: null, known: { required: [], forbidden: [] } };
const listeners = [];
const onUpdate = (listener) => listeners.push(listener);
function update(change) {
  Object.assign(state, change);
  rank();
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
