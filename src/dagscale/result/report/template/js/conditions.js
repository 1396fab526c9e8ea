// Interventions and environments: a small picture of the shifts under each, and what it settled.
function drawConditions() {
  $("conditions").hidden = !data.conditions.length;
  $("condition-list").append(...data.conditions.map((condition) => {
    const settled = element("ul", { class: "settled" });
    settled.append(...condition.settled.map((text) => element("li", {}, text)));
    const changed = condition.changed.length ? element("p", {}, `Mechanism changed: ${condition.changed.map(nodeName).join(", ")}.`) : null;
    return element("figure", {}, element("figcaption", {}, element("b", {}, condition.label), ` (${plural(condition.rows, "row")})`), shiftChart(condition), changed, condition.settled.length ? settled : null);
  }));
}
