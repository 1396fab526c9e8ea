// Questions whose answers settle most: answered here, exported as knowledge.
const answers = new Map(); // question's place -> place of the answer
const isOneOf = (pairs) => (pair) => pairs.some((other) => sameEdge(other, pair) || sameEdge(other, [pair[1], pair[0]]));

// A question about two columns has a third answer: that neither acts on the other.
for (const question of data.questions) {
  const [first] = question.answers[0]?.required ?? [];
  if (first && question.answers.every((answer) => answer.required.length === 1)) {
    question.answers.push({ text: "neither acts on the other", required: [], forbidden: [first, [first[1], first[0]]] });
  }
}

function answerQuestion(place, chosen) {
  const { answers: possible } = data.questions[place], about = isOneOf(possible.flatMap((answer) => [...answer.required, ...answer.forbidden]));
  const rest = { required: state.known.required.filter((pair) => !about(pair)), forbidden: state.known.forbidden.filter((pair) => !about(pair)) };
  const taken = answers.get(place) === chosen;
  if (taken) answers.delete(place); else answers.set(place, chosen);
  const more = taken ? { required: [], forbidden: [] } : possible[chosen];
  update({ known: { required: [...rest.required, ...more.required], forbidden: [...rest.forbidden, ...more.forbidden] } });
}

// Pressed while all that it says is among what is known, wherever on the page that was said.
const isAnswered = (answer) => ["required", "forbidden"].every((kind) => answer[kind].every((pair) => state.known[kind].some((known) => sameEdge(known, pair))));

function questionItem(question, place) {
  const [pair] = [...question.answers[0].required, ...question.answers[0].forbidden];
  const edge = question.answers[0].required.length === 1 && (edgeBetween(...pair) ?? edgeBetween(pair[1], pair[0]));
  const buttons = question.answers.map((answer, k) => element("button", { type: "button", "data-answer": k, "aria-pressed": String(isAnswered(answer)), onclick: () => answerQuestion(place, k) }, answer.text.replaceAll(" -> ", " → ")));
  if (edge) buttons.push(element("button", { type: "button", class: "link", onclick: () => { select("edge", edge.index); showPanel(); } }, "show the link"));
  const worth = element("span", { class: "caption" }, ` (settles ${plural(question.links, "link")})`);
  return element("li", {}, element("p", {}, question.text, worth), element("div", { class: "pair", role: "group", "aria-label": question.text }, ...buttons));
}

function drawQuestions() {
  $("questions").hidden = !data.questions.length;
  $("question-list").replaceChildren(...data.questions.map(questionItem));
  const count = state.known.required.length + state.known.forbidden.length;
  $("known-count").textContent = count ? `${plural(count, "constraint")} collected on this page.` : "Nothing answered yet.";
  for (const button of document.querySelectorAll("#questions [data-export]")) button.disabled = !count;
}
onUpdate((change) => { if ("known" in change) { drawQuestions(); drawDetail(); drawAnswer(); } });
