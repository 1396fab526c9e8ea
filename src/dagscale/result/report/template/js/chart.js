// Small SVG charts: an effect curve over partial residuals, residuals over fitted values.
const svgTag = (tag, attributes = {}, text = null) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = text;
  return made;
};
const CHART = { width: 350, height: 225, left: 46, right: 8, top: 8, bottom: 36 };

function extent(values) {
  const low = Math.min(...values), high = Math.max(...values);
  const pad = (high - low || Math.abs(high) || 1) * 0.04;
  return [low - pad, high + pad];
}

function scales(xs, ys) {
  const [x0, x1] = extent(xs), [y0, y1] = extent(ys);
  const { width, height, left, right, top, bottom } = CHART;
  return {
    x: (value) => left + ((value - x0) / (x1 - x0)) * (width - left - right),
    y: (value) => height - bottom - ((value - y0) / (y1 - y0)) * (height - top - bottom),
    xTicks: ticks(x0, x1), yTicks: ticks(y0, y1),
  };
}

function ticks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(Math.abs(value) < step / 1e6 ? 0 : value);
  return found;
}

function chart(xs, ys, xLabel, yLabel, description) {
  const { width, height, left, right, top, bottom } = CHART;
  const to = scales(xs, ys);
  const svg = svgTag("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": description });
  for (const value of to.xTicks) {
    svg.append(svgTag("line", { class: "axis", x1: to.x(value), x2: to.x(value), y1: top, y2: height - bottom }));
    svg.append(svgTag("text", { x: to.x(value), y: height - bottom + 14, "text-anchor": "middle" }, format(value)));
  }
  for (const value of to.yTicks) {
    svg.append(svgTag("line", { class: "axis", x1: left, x2: width - right, y1: to.y(value), y2: to.y(value) }));
    svg.append(svgTag("text", { x: left - 5, y: to.y(value) + 4, "text-anchor": "end" }, format(value)));
  }
  svg.append(svgTag("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, short(xLabel, 40)));
  const middle = (top + height - bottom) / 2;
  svg.append(svgTag("text", { x: 10, y: middle, "text-anchor": "middle", transform: `rotate(-90 10 ${middle})` }, short(yLabel, 28)));
  return { svg, to };
}

const points = (svg, to, xs, ys) =>
  xs.forEach((x, i) => svg.append(svgTag("circle", { class: "point", cx: to.x(x).toFixed(1), cy: to.y(ys[i]).toFixed(1), r: 2.2 })));

function interpolate(xs, ys, x) {
  let right = xs.findIndex((value) => value >= x);
  if (right === 0) return ys[0];
  if (right < 0) return ys[ys.length - 1];
  const share = (x - xs[right - 1]) / (xs[right] - xs[right - 1]);
  return ys[right - 1] + share * (ys[right] - ys[right - 1]);
}

// Rows that tell of a column: in others it was set, and has no residual.
const ownRows = (node) => node.residual.flatMap((value, row) => (value === null ? [] : [row]));

// The data with the other parents' effects taken out: the curve at x plus the row's residual.
function effectChart(edge) {
  const { x, fit, error } = edge.curve;
  const parent = data.nodes[edge.source], child = data.nodes[edge.target];
  const rows = child.kind ? [] : ownRows(child); // residuals of counts and levels are not in the column's units
  const along = rows.map((row) => parent.data[row]);
  const ys = rows.map((row) => interpolate(x, fit, parent.data[row]) + child.residual[row]);
  const low = edge.curve.low ?? fit.map((value, i) => value - error[i]), high = edge.curve.high ?? fit.map((value, i) => value + error[i]);
  const { svg, to } = chart([...x, ...along], [...low, ...high, ...ys], parent.name, child.name,
    `Fitted effect of ${parent.name} on ${child.name}`);
  points(svg, to, along, ys);
  const line = (values) => x.map((value, i) => `${to.x(value).toFixed(1)},${to.y(values[i]).toFixed(1)}`);
  svg.append(svgTag("polygon", { class: "band", points: [...line(high), ...line(low).reverse()].join(" ") }));
  svg.append(svgTag("polyline", { class: "curve", points: line(fit).join(" ") }));
  return svg;
}

function residualChart(node, parent) {
  const rows = ownRows(node), residual = rows.map((row) => node.residual[row]);
  const along = rows.map((row) => parent === null ? node.data[row] - node.residual[row] : data.nodes[parent].data[row]);
  const label = parent === null ? "fitted from its parents" : nodeName(parent);
  const { svg, to } = chart(along, residual, label, "residual", `Residuals of ${node.name} against ${label}`);
  svg.append(svgTag("line", { class: "zero", x1: CHART.left, x2: CHART.width - CHART.right, y1: to.y(0), y2: to.y(0) }));
  points(svg, to, along, residual);
  return svg;
}

// Tukey's lambda approximation of the normal quantile, within 0.01 up to three standard deviations.
const normalQuantile = (p) => 4.91 * (p ** 0.14 - (1 - p) ** 0.14);

function quantileChart(values, name) {
  const sorted = [...values].sort((a, b) => a - b), n = sorted.length;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n;
  const deviation = Math.sqrt(sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n) || 1;
  const observed = sorted.map((value) => (value - mean) / deviation), expected = sorted.map((_, k) => normalQuantile((k + 0.5) / n));
  const { svg, to } = chart(expected, [...observed, ...expected], "normal quantile", "observed, standardised", `Quantiles of ${name} against the normal distribution`);
  const [low, high] = [expected[0], expected[n - 1]];
  svg.append(svgTag("line", { class: "zero", x1: to.x(low), y1: to.y(low), x2: to.x(high), y2: to.y(high) }));
  points(svg, to, expected, observed);
  return svg;
}
