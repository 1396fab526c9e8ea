// What setting a cause would do: computed before, for pairs with a way from one to the other.
const effectOf = (source, target) => data.effects.find((effect) => effect.source === source && effect.target === target);
const interval = (row, value, low, high) => (row[value] === null || row[value] === undefined ? "–" : `${format(row[value])} (${format(row[low])} to ${format(row[high])})`);

function effectTable(effect) {
  const head = element("tr", {}, ...[`set ${short(nodeName(effect.source), 14)} from`, "to", `${short(nodeName(effect.target), 14)} changes by`].map((text) => element("th", { scope: "col" }, text)));
  const rows = effect.table.map((row) => element("tr", {}, element("td", {}, asText(row.from)), element("td", {}, asText(row.to)), element("td", {}, interval(row, "estimate", "low", "high"))));
  return element("table", { class: "effect-table" }, element("thead", {}, head), element("tbody", {}, ...rows));
}
const asText = (value) => (typeof value === "number" ? format(value) : value === null || value === undefined ? "–" : String(value));

function effectBox(source, target) {
  const effect = effectOf(source, target), title = element("h3", {}, `If ${short(nodeName(source))} were set`);
  if (!effect) {
    const [a, b] = [source, target].map((end) => JSON.stringify(nodeName(end))), code = (text) => element("code", {}, text);
    return [title, element("p", { class: "caption" }, "The effect on ", short(nodeName(target)), " is told by ", code(`dagscale effect RESULT ${a} ${b}`), ", or in Python by ", code(`result.effect(${a}, ${b})`), ".")];
  }
  const sets = (effect.adjusted_for ?? []).map((set) => (set.length ? set.join(", ") : "nothing"));
  const several = effect.table?.length > 1 && ["effect", "open"].includes(effect.verdict); // then the headline repeats the table
  const parts = [title, element("p", {}, !several ? effect.headline : effect.verdict === "open" ? "Whether there is an effect depends on directions that are open." : "On average:")];
  if (several) parts.push(effectTable(effect), element("p", { class: "caption" }, `In brackets: ${Math.round(100 * (effect.level ?? 0.95))} % interval.`));
  if (sets.length) parts.push(element("p", { class: "caption" }, `Adjusted for ${[...new Set(sets)].join("; or ")}.`));
  if (effect.assumes?.length) {
    const list = element("ul", { class: "assumptions" });
    list.append(...effect.assumes.map((text) => element("li", {}, text)));
    parts.push(element("details", { class: "assumes" }, element("summary", {}, "What this assumes"), list));
  }
  return [element("div", { class: "effect" }, ...parts)];
}
