// The checks of the assumptions: a light, a name and a sentence each; of the whole table, then of single columns.
const LIGHTS = { red: { word: "failed", sign: "✕" }, amber: { word: "doubtful", sign: "!" }, green: { word: "ok", sign: "✓" } };
const worstFirst = Object.keys(LIGHTS);
const overall = data.diagnostics.checks.filter((check) => check.node === null);
const ofColumns = data.diagnostics.checks.filter((check) => check.node !== null).sort((a, b) => worstFirst.indexOf(a.light) - worstFirst.indexOf(b.light));
const CHECKS = 40; // rows shown at first
const checkView = { name: "", all: false, rows: CHECKS };

const lampOf = (light, text) => element("span", { class: `lamp ${light}` }, element("span", { "aria-hidden": "true" }, LIGHTS[light].sign), text);
const lamp = (light) => lampOf(light, LIGHTS[light].word);
const checkLine = (check) => element("li", {}, lamp(check.light), element("span", {}, element("b", {}, check.name), `: ${check.sentence}`));

function nodeChecks(index) {
  const own = ofColumns.filter((check) => check.node === index);
  if (!own.length) return [];
  const list = element("ul", { class: "lights" });
  list.append(...own.map(checkLine));
  return [element("h3", {}, "Checks"), list];
}

function drawVerdict() {
  const counts = worstFirst.map((light) => [light, overall.filter((check) => check.light === light).length]).filter(([, count]) => count);
  if (!data.diagnostics.light) return;
  $("verdict").hidden = false;
  $("verdict").append(element("a", { href: "#checks" }, "Checks:"), ...counts.flatMap(([light, count]) => [" ", lampOf(light, `${count} ${LIGHTS[light].word}`)]));
}

function drawOverall() {
  $("checks-summary").textContent = data.diagnostics.summary;
  for (const check of [...overall].sort((a, b) => worstFirst.indexOf(a.light) - worstFirst.indexOf(b.light))) {
    const line = checkLine(check);
    const warned = ofColumns.filter((own) => own.name === check.name && own.light !== "green").length;
    if (warned) line.append(element("button", { type: "button", class: "link", "data-check": check.name, onclick: () => showColumns(check.name) }, `show ${plural(warned, "column")}`));
    $("check-list").append(line);
  }
}

function showColumns(name) {
  Object.assign(checkView, { name, rows: CHECKS });
  $("check-name").value = name;
  drawColumns();
  $("columns-box").scrollIntoView({ block: "nearest" });
}

function drawColumns() {
  const found = ofColumns.filter((check) => (checkView.all || check.light !== "green") && (!checkView.name || check.name === checkView.name));
  const row = (check) => {
    const open = element("button", { type: "button", class: "link", title: nodeName(check.node), onclick: () => { select("node", check.node); showPanel(); } }, short(nodeName(check.node), 34));
    return element("tr", { "data-node": check.node }, element("td", {}, lamp(check.light)), element("td", { class: "name" }, open), element("td", { class: "check" }, check.name), element("td", {}, check.sentence));
  };
  const none = element("tr", {}, element("td", { colspan: 4 }, "No column has a doubt here."));
  document.querySelector("#check-table tbody").replaceChildren(...(found.length ? found.slice(0, checkView.rows).map(row) : [none]));
  const more = found.length - checkView.rows;
  $("more-checks").hidden = more <= 0;
  $("more-checks").textContent = `Show ${Math.min(more, CHECKS)} more of ${more}`;
}

function drawChecks() {
  drawVerdict();
  drawOverall();
  $("doubts-box").hidden = !anyDoubt;
  $("doubts").addEventListener("change", (event) => {
    $("legend-doubts").hidden = !event.target.checked;
    cy.batch(() => data.edges.filter((edge) => edge.doubts).forEach((edge) => edgeOf(edge.index).removeClass("amber red").addClass((event.target.checked && worstDoubt(edge)) || "")));
  });
  if (!ofColumns.length) return;
  $("columns-box").hidden = false;
  const names = [...new Set(ofColumns.map((check) => check.name))].sort();
  $("check-name").append(element("option", { value: "" }, "every check"), ...names.map((name) => element("option", { value: name }, name)));
  $("check-name").addEventListener("change", (event) => showColumns(event.target.value));
  $("check-all").addEventListener("change", (event) => { checkView.all = event.target.checked; drawColumns(); });
  $("more-checks").addEventListener("click", () => { checkView.rows += CHECKS; drawColumns(); });
  drawColumns();
}
