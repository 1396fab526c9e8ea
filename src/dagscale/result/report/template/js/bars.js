// Bars: an effect level by level, and the shifts of columns under a condition.
// Rows of points with intervals: [{ label, points: [{ fit, low, high, kind }] }]; without low and high no interval.
function intervalChart(rows, xLabel, description) {
  const row = 14 + 12 * Math.max(...rows.map(({ points }) => points.length)), left = 110, width = 350, height = row * rows.length + 34;
  const all = rows.flatMap(({ points }) => points.flatMap((point) => [point.fit, point.low ?? point.fit, point.high ?? point.fit]));
  const [low, high] = extent(all), x = (value) => left + ((value - low) / (high - low)) * (width - left - 12);
  const svg = svgTag("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart levels", role: "img", "aria-label": description });
  for (const value of ticks(low, high)) {
    svg.append(svgTag("line", { class: "axis", x1: x(value), x2: x(value), y1: 4, y2: height - 30 }));
    svg.append(svgTag("text", { x: x(value), y: height - 17, "text-anchor": "middle" }, format(value)));
  }
  rows.forEach(({ label, points: own }, k) => {
    const middle = 6 + row * k + row / 2;
    svg.append(svgTag("text", { x: left - 8, y: middle + 4, "text-anchor": "end" }, short(label, 16)));
    own.forEach((point, place) => {
      const y = middle + 12 * (place - (own.length - 1) / 2), kind = `kind-${(point.kind ?? 0) % 6}`;
      if (point.low !== undefined) svg.append(svgTag("line", { class: `interval ${kind}`, x1: x(point.low), x2: x(point.high), y1: y, y2: y }));
      svg.append(svgTag("circle", { class: `estimate ${kind}`, cx: x(point.fit), cy: y, r: 4 }));
    });
  });
  svg.append(svgTag("text", { x: (left + width) / 2, y: height - 3, "text-anchor": "middle" }, short(xLabel, 40)));
  return svg;
}

function levelChart(edge) {
  const [source, target] = [data.nodes[edge.source], data.nodes[edge.target]], { levels, fit, error, low, high, classes } = edge.curve;
  const pointsAt = (k) => (classes
    ? classes.map((one, kind) => ({ fit: one.fit[k], low: one.low[k], high: one.high[k], kind }))
    : [{ fit: fit[k], low: low ? low[k] : fit[k] - error[k], high: high ? high[k] : fit[k] + error[k] }]);
  const rows = levels.map((label, k) => ({ label, points: pointsAt(k) }));
  return intervalChart(rows, classes ? `probability of each ${target.name}` : target.name, `${target.name} by level of ${source.name}`);
}

// Probability of each level of the child along the parent.
function classChart(edge) {
  const { x, classes } = edge.curve, [source, target] = [data.nodes[edge.source], data.nodes[edge.target]];
  const { svg, to } = chart(x, [0, 1], source.name, `probability of each ${target.name}`, `Probability of each level of ${target.name} along ${source.name}`);
  const line = (values) => x.map((value, i) => `${to.x(value).toFixed(1)},${to.y(values[i]).toFixed(1)}`);
  classes.forEach((one, k) => {
    svg.append(svgTag("polygon", { class: `class-band kind-${k % 6}`, points: [...line(one.high), ...line(one.low).reverse()].join(" ") }));
    svg.append(svgTag("polyline", { class: `class-curve kind-${k % 6}`, points: line(one.fit).join(" ") }));
  });
  return svg;
}

function classKey(classes) {
  const key = element("p", { class: "caption key" });
  key.append(...classes.flatMap((one, k) => [element("span", { class: `dot kind-${k % 6}`, "aria-hidden": "true" }), `${short(one.level, 20)} `]));
  return key;
}

function countChart(node) {
  const share = node.levels.map((_, code) => node.data.filter((value) => value === code).length / node.data.length);
  return intervalChart(node.levels.map((label, k) => ({ label, points: [{ fit: share[k] }] })), "share of the rows", `How often each level of ${node.name} comes`);
}

const SHIFTS = 8; // columns of a condition's picture
function shiftChart(condition) {
  const size = (k) => Math.abs(condition.shifts[k] ?? 0);
  const own = (k) => condition.targets.includes(k) || condition.changed.includes(k);
  const shown = condition.shifts.map((_, k) => k).sort((a, b) => own(b) - own(a) || size(b) - size(a)).slice(0, SHIFTS);
  const row = 20, left = 100, width = 300, height = row * shown.length + 22;
  const most = Math.max(0.5, ...shown.map((k) => size(k) + (condition.errors[k] ?? 0)));
  const x = (value) => left + ((value + most) / (2 * most)) * (width - left - 8);
  const svg = svgTag("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart shifts", role: "img", "aria-label": `Shifts under ${condition.label}` });
  svg.append(svgTag("line", { class: "axis", x1: x(0), x2: x(0), y1: 0, y2: height - 18 }));
  shown.forEach((k, place) => {
    const y = row * place + row / 2, value = condition.shifts[k] ?? 0, error = condition.errors[k] ?? 0;
    const kind = own(k) ? "target" : condition.moved[k] ? "moved" : "still";
    svg.append(svgTag("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, short(nodeName(k), 14)));
    svg.append(svgTag("rect", { class: `shift ${kind}`, x: Math.min(x(0), x(value)), y: y - 6, width: Math.abs(x(value) - x(0)), height: 12 }));
    svg.append(svgTag("line", { class: "interval", x1: x(value - error), x2: x(value + error), y1: y, y2: y }));
  });
  for (const value of [-most, 0, most]) svg.append(svgTag("text", { x: x(value), y: height - 4, "text-anchor": value < 0 ? "start" : value ? "end" : "middle" }, format(Number(value.toPrecision(2)))));
  return svg;
}
