// The panel beside the graph: one edge with its curve and reasons, or one node with its family.
function select(kind, index) {
  update({ selected: { kind, index } });
  reveal();
}

const nodeLink = (index) =>
  element("button", { type: "button", class: "link", title: nodeName(index), onclick: () => select("node", index) }, short(nodeName(index), 34));

function facts(pairs) {
  const list = element("dl", { class: "facts" });
  for (const [name, value] of pairs) list.append(element("dt", {}, name), element("dd", {}, value));
  return list;
}

// Wide tables do not carry the numbers of every pair, only the stage that decided: runs along the causal order.
function decidingStage(source, target) {
  const runs = data.decided.runs[data.nodes[target].place] ?? [];
  let left = data.nodes[source].place;
  for (let k = 0; k < runs.length; k += 2) {
    if (left < runs[k + 1]) return data.decided.stages[runs[k]];
    left -= runs[k + 1];
  }
  return "method";
}

function briefReason(source, target) {
  const [a, b] = [data.nodes[source], data.nodes[target]];
  const stage = decidingStage(source, target);
  if (stage === "knowledge") return "Your knowledge excludes it.";
  const places = `${b.name} has place ${b.place + 1}, ${a.name} place ${a.place + 1} of ${data.nodes.length}`;
  if (stage === "order" || (stage === "method" && b.place < a.place)) return `The order contradicts it: ${places}.`;
  const said = stage === "method" ? "The method left it out" : `${stage[0].toUpperCase()}${stage.slice(1)} removed it`;
  return `${said}. It was not among the closest candidates, so this page does not hold its numbers: ask result.why(…) in Python or \`dagscale why\`.`;
}

function reasons(source, target) {
  const why = data.why[`${source} ${target}`];
  const box = element("div", { class: "reasons" });
  if (!why) {
    box.append(element("p", {}, briefReason(source, target)));
    return box;
  }
  box.append(element("p", {}, `${why.reason[0].toUpperCase()}${why.reason.slice(1)}.`));
  const steps = element("ol", { class: "steps" });
  why.steps.forEach((step) => steps.append(element("li", {}, step)));
  if (why.steps.length) box.append(steps);
  for (const note of why.notes) box.append(element("p", { class: "caption" }, `${note[0].toUpperCase()}${note.slice(1)}.`));
  return box;
}

function edgeDetail(edge) {
  const [source, target] = [data.nodes[edge.source], data.nodes[edge.target]];
  const numbers = Object.entries(edge.values).filter(([name]) => !["sign", "strength", ...SHARES].includes(name)).map(([name, value]) => [spoken(name), shownValue(name, value)]);
  const { confidence, reverse } = edge.values;
  if (confidence !== undefined) numbers.push(["confidence", `in ${percent(confidence)} of the resamples, reversed in ${percent(reverse)}`]);
  const share = edge.values.strength === null ? "–" : `${(100 * edge.values.strength).toFixed(1)} % of the variance`;
  const effect = { plus: `raises ${short(target.name)} on average`, minus: `lowers ${short(target.name)} on average`, neither: "no clear sign on average" }[signClass(edge)];
  const parts = [
    element("h2", {}, nodeLink(edge.source), " → ", nodeLink(edge.target)),
    facts([["strength", share], ["effect", effect], ...numbers]),
  ];
  if (edge.curve && source.data && target.residual) {
    parts.push(effectChart(edge), element("p", { class: "caption" }, "Curve: additive fit with two standard errors. Points: rows, effects of the other parents taken out."));
    if (edge.curve.heaviest >= 0.3) parts.push(element("p", { class: "warning" }, `One single row carries ${Math.round(100 * edge.curve.heaviest)} % of this effect: look at that row before believing the edge.`));
  } else parts.push(element("p", { class: "caption" }, "The result was saved without data, so there is no curve to draw."));
  parts.push(element("h3", {}, "Why it is there"), reasons(edge.source, edge.target), knowledgeButtons(edge.source, edge.target));
  return parts;
}

function family(title, edges, end) {
  if (!edges.length) return [];
  const list = element("ul", { class: "people" });
  for (const edge of edges) {
    const open = element("button", { type: "button", class: "link", title: "show this edge", onclick: () => select("edge", edge.index) }, `${(100 * (edge.values.strength ?? 0)).toFixed(1)} %, ${signText(edge)}`);
    list.append(element("li", {}, nodeLink(edge[end]), open));
  }
  return [element("h3", {}, `${title} (${edges.length})`), list];
}

function nodeDetail(index) {
  const node = data.nodes[index], shown = [...state.visible];
  const parents = shown.filter((edge) => edge.target === index), children = shown.filter((edge) => edge.source === index);
  const parts = [
    element("h2", {}, node.name || '""'),
    facts([["place in the order", `${node.place + 1} of ${data.nodes.length}`], ["parents", String(parents.length)], ["children", String(children.length)]]),
    ...family("Parents", parents, "source"), ...family("Children", children, "target"),
  ];
  if (!parents.length && !children.length) parts.push(element("p", { class: "caption" }, "No edge shown touches this column."));
  parts.push(...nodeChecks(index));
  if (node.data) parts.push(...residualPlots(index));
  return parts;
}

// Residuals along what explains them, and their shape against the normal distribution.
function residualPlots(index) {
  const node = data.nodes[index];
  if (!node.residual) return [element("h3", {}, "Distribution"), quantileChart(node.data, node.name), element("p", { class: "caption" }, "Rows on the line are normally distributed.")];
  const parents = data.edges.filter((edge) => edge.target === index).map((edge) => edge.source);
  const place = element("div", {}, residualChart(node, null));
  const against = element("select", { id: "against", onchange: (event) => place.replaceChildren(residualChart(node, event.target.value === "" ? null : Number(event.target.value))) });
  against.append(element("option", { value: "" }, "the fitted value"), ...parents.map((parent) => element("option", { value: parent }, short(nodeName(parent), 30))));
  return [
    element("h3", {}, "Residuals"), element("label", { class: "against" }, "against ", against), place,
    element("p", { class: "caption" }, "A shapeless cloud is what the model expects; a funnel, a bend or far points are a reason to doubt the edges into this column."),
    quantileChart(node.residual, node.name),
    element("p", { class: "caption" }, "Residuals on the line are Gaussian; ends that leave it are heavy or light tails."),
  ];
}

function drawDetail() {
  const chosen = state.selected;
  if (!chosen) {
    const hint = element("p", { class: "hint" }, "Select an edge to see its curve, its evidence and why it was kept; select a column to see its causes and effects.");
    $("detail").replaceChildren(element("h2", {}, "Nothing selected"), hint, ...summary());
  } else if (chosen.kind === "edge") $("detail").replaceChildren(...edgeDetail(data.edges[chosen.index]));
  else $("detail").replaceChildren(...nodeDetail(chosen.index));
  $("detail").scrollTop = 0;
}

function summary() {
  const [children, parents] = [new Set(data.edges.map((edge) => edge.target)), new Set(data.edges.map((edge) => edge.source))];
  const count = (test) => String(data.nodes.filter((_, index) => test(index)).length);
  const strongest = [...state.visible].sort((a, b) => (b.values.strength ?? 0) - (a.values.strength ?? 0)).slice(0, 8);
  const list = element("ul", { class: "people" });
  for (const edge of strongest) {
    const label = `${short(nodeName(edge.source), 16)} → ${short(nodeName(edge.target), 16)}`;
    const open = element("button", { type: "button", class: "link", onclick: () => select("edge", edge.index) }, label);
    list.append(element("li", {}, open, element("span", {}, `${(100 * (edge.values.strength ?? 0)).toFixed(1)} %`)));
  }
  return [element("h3", {}, "In short"), facts([
    ["columns", String(data.nodes.length)], ["edges", String(data.edges.length)],
    ["without causes", count((i) => !children.has(i) && parents.has(i))],
    ["without effects", count((i) => children.has(i) && !parents.has(i))],
    ["without any edge", count((i) => !children.has(i) && !parents.has(i))],
  ]), ...(strongest.length ? [element("h3", {}, "Strongest edges"), list] : [])];
}

onUpdate((change) => { if ("selected" in change || state.selected?.kind !== "edge") drawDetail(); });
