// The panel beside the graph: one edge with its curve and reasons, or one node with its family.
function select(kind, index) {
  update({ selected: { kind, index } });
  reveal();
}

// After a click further down the page the panel would stay out of sight.
function showPanel() {
  const panel = matchMedia("(max-width: 980px)").matches ? $("detail") : document.querySelector("main");
  const { top, bottom } = panel.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) panel.scrollIntoView({ block: "start" });
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
  if (edgeBetween(source, target)) return "It was kept. This page holds the reasons of the strongest edges only: ask result.why(…) in Python or `dagscale why`.";
  const said = stage === "method" ? "The method left it out" : `${capital(stage)} removed it`;
  return `${said}. It was not among the closest candidates, so this page does not hold its numbers: ask result.why(…) in Python or \`dagscale why\`.`;
}

function reasons(source, target) {
  const why = data.why[`${source} ${target}`];
  const box = element("div", { class: "reasons" });
  if (!why) {
    box.append(element("p", {}, briefReason(source, target)));
    return box;
  }
  box.append(element("p", {}, `${capital(why.reason)}.`));
  const steps = element("ol", { class: "steps" });
  why.steps.forEach((step) => steps.append(element("li", {}, step)));
  if (why.steps.length) box.append(steps);
  for (const note of why.notes) box.append(element("p", { class: "caption" }, `${capital(note)}.`));
  return box;
}

function certaintyText(edge) {
  const sure = edge.open ? `open: ${edge.sentence || "the data support neither direction"}` : data.told ? isKnown(edge) ? "fixed by what you know" : `${sureness(edge.direction)} sure, given the link` : anyDirection ? "supported by the data" : "claimed; the method does not say how sure it is";
  return [...(data.told ? [["probability", `${sureness(edge.linked)} that the two are linked`]] : []), ["direction", sure]];
}

function effectPicture(edge) {
  const [source, target] = [data.nodes[edge.source], data.nodes[edge.target]];
  const { levels, classes } = edge.curve ?? {};
  const key = classes ? [classKey(classes)] : [];
  if (levels) return [levelChart(edge), ...key, element("p", { class: "caption" }, `Level by level with 95 % intervals, the other parents at their average.`)];
  if (classes) return [classChart(edge), ...key, element("p", { class: "caption" }, "Fitted probabilities with 95 % intervals, the other parents at their average.")];
  if (edge.curve && source.data && target.residual) return [effectChart(edge), element("p", { class: "caption" }, `Curve: additive fit with ${target.kind ? "95 % intervals" : "two standard errors. Points: rows, effects of the other parents taken out"}.`)];
  const some = data.edges.some((other) => other.curve);
  return [element("p", { class: "caption" }, some ? "This page holds the curves of the strongest edges only." : "The result was saved without data, so there is no curve to draw.")];
}

function doubtList(edge) {
  if (!edge.doubts) return [];
  const list = element("ul", { class: "lights" });
  list.append(...edge.doubts.map((doubt) => element("li", {}, lamp(doubt.light), element("span", {}, capital(doubt.text)))));
  return [element("h3", {}, "Doubts"), list];
}

function edgeDetail(edge) {
  const target = data.nodes[edge.target], hide = ["sign", "strength", ...SHARES];
  const told = Object.entries(edge.values).filter(([name]) => !hide.includes(name)), worded = ([name, value]) => [spoken(name), shownValue(name, value)];
  const numbers = told.filter(([name]) => !INNER[name]).map(worded), inner = told.filter(([name]) => INNER[name]).map(worded);
  const { confidence, reverse } = edge.values;
  if (confidence !== undefined) numbers.push(["confidence", `in ${percent(confidence)} of the resamples, reversed in ${percent(reverse)}`]);
  const share = edge.values.strength === null ? "–" : `${(100 * edge.values.strength).toFixed(1)}\u00a0% of the ${target.kind ? "deviance" : "variance"} of ${short(target.name)}`;
  const effect = byLevel(edge) ? "differs by level" : edge.curve?.turns ? "non-monotone: it rises and falls" : { plus: `raises ${short(target.name)} on average`, minus: `lowers ${short(target.name)} on average`, neither: "no clear sign on average" }[signClass(edge)];
  return [
    element("h2", {}, nodeLink(edge.source), ` ${arrow(edge)} `, nodeLink(edge.target)),
    facts([...certaintyText(edge), ["strength", share], ["effect", effect], ...numbers]),
    ...(hasHidden(edge.source, edge.target) ? [element("p", { class: "warning" }, "The two also seem to share a hidden cause: part of this link is not causal.")] : []),
    ...doubtList(edge), ...effectPicture(edge), ...effectBox(edge.source, edge.target), ...(edge.open ? effectBox(edge.target, edge.source) : []),
    element("h3", {}, "Why it is there"), reasons(edge.source, edge.target), ...(inner.length ? [element("details", { class: "inner" }, element("summary", {}, "Numbers behind it"), facts(inner))] : []), knowledgeButtons(edge.source, edge.target),
  ];
}

function hiddenDetail(pair) {
  return [
    element("h2", {}, nodeLink(pair.source), " ⇠⇢ ", nodeLink(pair.target)),
    element("p", {}, "The residuals of these two columns stay dependent, with or without an edge between them: they seem to share a cause that is not in the table."),
    element("h3", {}, "Why there is no arrow"), reasons(pair.source, pair.target), knowledgeButtons(pair.source, pair.target),
  ];
}

function family(title, edges, end) {
  if (!edges.length) return [];
  const list = element("ul", { class: "people" });
  for (const edge of edges) {
    const open = element("button", { type: "button", class: "link", title: "show this edge", onclick: () => select("edge", edge.index) }, `${(100 * (edge.values.strength ?? 0)).toFixed(1)}\u00a0%, ${signText(edge)}`);
    list.append(element("li", {}, element("span", {}, edge.open ? "— " : "", nodeLink(edge[end])), open));
  }
  return [element("h3", {}, `${title} (${edges.length})`), list];
}

function nodeDetail(index) {
  const node = data.nodes[index], shown = (edge) => state.visible.has(edge);
  const parents = edgesInto[index].filter(shown), children = edgesFrom[index].filter(shown);
  const parts = [
    element("h2", {}, node.name || '""'),
    facts([...(node.kind ? [["kind", node.levels && node.levels.length <= 12 ? `${node.kind}: ${node.levels.join(", ")}` : node.kind]] : []), ["place in the order", `${node.place + 1} of ${data.nodes.length}`], ["parents", String(parents.length)], ["children", String(children.length)]]),
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
  if (!node.residual && node.levels?.length) return [element("h3", {}, "Distribution"), countChart(node)];
  if (!node.residual) return [element("h3", {}, "Distribution"), quantileChart(node.data, node.name), element("p", { class: "caption" }, "Rows on the line are normally distributed.")];
  const parents = edgesInto[index].map((edge) => edge.source);
  const fitted = !node.kind, place = element("div", {}, residualChart(node, fitted ? null : parents[0])); // fitted values of columns in their own units
  const against = element("select", { id: "against", onchange: (event) => place.replaceChildren(residualChart(node, event.target.value === "" ? null : Number(event.target.value))) });
  against.append(...(fitted ? [element("option", { value: "" }, "the fitted value")] : []), ...parents.map((parent) => element("option", { value: parent }, short(nodeName(parent), 30))));
  return [
    element("h3", {}, "Residuals"), element("label", { class: "against" }, "against ", against), place,
    element("p", { class: "caption" }, "A shapeless cloud is what the model expects; a funnel, a bend or far points are a reason to doubt the edges into this column."),
    quantileChart(ownRows(node).map((row) => node.residual[row]), node.name),
    element("p", { class: "caption" }, "Residuals on the line are Gaussian; ends that leave it are heavy or light tails."),
  ];
}

function drawDetail() {
  const chosen = state.selected;
  if (!chosen) {
    const hint = element("p", { class: "hint" }, "Select an edge to see its curve, its evidence and why it was kept; select a column to see its causes and effects.");
    $("detail").replaceChildren(element("h2", {}, "Nothing selected"), hint, ...summary());
  } else if (chosen.kind === "edge") $("detail").replaceChildren(...edgeDetail(data.edges[chosen.index]));
  else if (chosen.kind === "hidden") $("detail").replaceChildren(...hiddenDetail(data.hidden[chosen.index]));
  else $("detail").replaceChildren(...nodeDetail(chosen.index));
  $("detail").scrollTop = 0;
}

function summary() {
  const count = (test) => String(data.nodes.filter((_, index) => test(edgesInto[index], edgesFrom[index])).length);
  const claimed = (edges) => edges.length && !edges.some((edge) => edge.open); // an open link may point either way
  const strongest = data.edges.filter((edge) => state.visible.has(edge)).slice(0, 8); // they come strongest first
  const list = element("ul", { class: "people" });
  for (const edge of strongest) {
    const label = `${short(nodeName(edge.source), 18)} ${arrow(edge)} ${short(nodeName(edge.target), 18)}`;
    const open = element("button", { type: "button", class: "link", onclick: () => select("edge", edge.index) }, label);
    list.append(element("li", {}, open, element("span", {}, `${(100 * (edge.values.strength ?? 0)).toFixed(1)}\u00a0%`)));
  }
  return [...(strongest.length ? [element("h3", {}, "Strongest links"), list] : []), element("h3", {}, "Columns"), facts([
    ["without causes", count((into, from) => !into.length && claimed(from))],
    ["without effects", count((into, from) => claimed(into) && !from.length)],
    ["without any link", count((into, from) => !into.length && !from.length)],
  ])];
}

onUpdate((change) => { if ("selected" in change || (("kept" in change || "measure" in change) && state.selected?.kind !== "edge")) drawDetail(); });
