// A known graph or a second result laid over this one: shared, reversed, added, missing, in colours.
const STATUSES = {
  shared: "in both", reversed: "reversed", undirected: "open in one of the two", added: "only here", missing: "only there",
};
const compared = data.compare;
const comparedPairs = (compared?.pairs ?? []).map((pair) => ({ ...pair, from: indexOf.get(pair.source), to: indexOf.get(pair.target) })).filter((pair) => pair.from !== undefined && pair.to !== undefined);

const drawnEdge = (pair) => edgeBetween(pair.from, pair.to) ?? edgeBetween(pair.to, pair.from);
const markText = (mark) => ({ "->": "→", "<-": "←", "--": "—" })[mark] ?? "no link";

function paintOverlay(on) {
  cy.batch(() => {
    cy.edges(".lost").remove();
    cy.edges().removeClass(Object.keys(STATUSES).map((name) => `is-${name}`).join(" "));
    if (!on) return;
    comparedPairs.forEach((pair, k) => {
      const edge = drawnEdge(pair);
      if (edge) edgeOf(edge.index).addClass(`is-${pair.status}`);
      else if (pair.status === "missing") {
        const back = pair.there === "<-", [from, to] = back ? [pair.to, pair.from] : [pair.from, pair.to], beside = hasHidden(from, to), bends = beside ? [] : pair.bends ?? [];
        const line = { source: from, target: to, bends: back ? [...bends].reverse() : bends };
        cy.add(edgeElement(`m${k}`, line, `lost is-missing ${pair.there === "--" ? "open" : ""} ${beside ? "beside" : ""}`, { width: 2, opacity: 0.9, bow: -bow(line) }));
      }
    });
  });
  $("legend-overlay").hidden = !on;
  for (const item of document.querySelectorAll(".legend .signs")) item.hidden = on;
}

function overlayRow(pair) {
  const edge = drawnEdge(pair);
  const show = () => { if (edge) select("edge", edge.index); else select("node", pair.from); showPanel(); };
  const names = element("button", { type: "button", class: "link", title: `${pair.source} and ${pair.target}` }, `${short(pair.source, 26)} and ${short(pair.target, 26)}`);
  const cells = [element("td", { class: "name" }, names), element("td", {}, element("span", { class: `status is-${pair.status}` }, STATUSES[pair.status] ?? pair.status)), element("td", { "data-label": "here" }, markText(pair.here)), element("td", { "data-label": "there" }, markText(pair.there))];
  return element("tr", { "data-status": pair.status, onclick: show }, ...cells);
}

function drawOverlay() {
  if (!compared) return;
  $("compare").hidden = $("overlay-box").hidden = false;
  $("overlay-name").textContent = `Compare with ${short(String(compared.there), 24)}`;
  $("compare-title").textContent = `Compared with ${short(String(compared.there), 40)}`;
  const counts = Object.entries(STATUSES).filter(([name]) => compared.counts[name] !== undefined).map(([name, text]) => element("li", {}, element("b", { class: `status is-${name}` }, String(compared.counts[name])), ` ${text}`));
  $("compare-counts").append(...counts);
  const rest = [["only_here", "Columns only here"], ["only_there", "Columns only there"]].filter(([key]) => compared[key]?.length);
  $("compare-rest").textContent = rest.map(([key, text]) => `${text}: ${compared[key].join(", ")}.`).join(" ");
  const shown = Object.keys(STATUSES), differing = comparedPairs.sort((a, b) => shown.indexOf(b.status) - shown.indexOf(a.status));
  document.querySelector("#compare-table tbody").append(...differing.map(overlayRow));
  $("overlay").addEventListener("change", (event) => paintOverlay(event.target.checked));
  paintOverlay(true);
}
