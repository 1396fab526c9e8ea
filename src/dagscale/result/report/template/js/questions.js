// Questions whose answers settle most: answered here, exported as knowledge.
const ANSWERS = [
  { name: "there", label: (a, b) => `${a} → ${b}`, known: ([a, b]) => ({ required: [[a, b]], forbidden: [] }) },
  { name: "back", label: (a, b) => `${b} → ${a}`, known: ([a, b]) => ({ required: [[b, a]], forbidden: [] }) },
  { name: "neither", label: () => "neither acts on the other", known: ([a, b]) => ({ required: [], forbidden: [[a, b], [b, a]] }) },
];
const answers = new Map(); // question's place -> name of the answer

function answerQuestion(place, chosen) {
  const { source, target } = data.questions[place], pair = [source, target];
  const about = (other) => sameEdge(other, pair) || sameEdge(other, [target, source]);
  const rest = { required: state.known.required.filter((one) => !about(one)), forbidden: state.known.forbidden.filter((one) => !about(one)) };
  const taken = answers.get(place) === chosen.name;
  if (taken) answers.delete(place); else answers.set(place, chosen.name);
  const more = taken ? { required: [], forbidden: [] } : chosen.known(pair);
  update({ known: { required: [...rest.required, ...more.required], forbidden: [...rest.forbidden, ...more.forbidden] } });
}

function questionItem(question, place) {
  const [a, b] = [short(nodeName(question.source)), short(nodeName(question.target))];
  const edge = edgeBetween(question.source, question.target) ?? edgeBetween(question.target, question.source);
  const buttons = ANSWERS.map((answer) => element("button", { type: "button", "data-answer": answer.name, "aria-pressed": String(answers.get(place) === answer.name), onclick: () => answerQuestion(place, answer) }, answer.label(a, b)));
  if (edge) buttons.push(element("button", { type: "button", class: "link", onclick: () => { select("edge", edge.index); showPanel(); } }, "show the link"));
  return element("li", {}, element("p", {}, question.text), element("div", { class: "pair", role: "group", "aria-label": question.text }, ...buttons));
}

function drawQuestions() {
  $("questions").hidden = !data.questions.length;
  $("question-list").replaceChildren(...data.questions.map(questionItem));
  const count = state.known.required.length + state.known.forbidden.length;
  $("known-count").textContent = count ? `${plural(count, "constraint")} collected on this page.` : "Nothing answered yet.";
  for (const button of document.querySelectorAll("#questions [data-export]")) button.disabled = !count;
}
onUpdate((change) => { if ("known" in change) { drawQuestions(); drawDetail(); drawAnswer(); } });
