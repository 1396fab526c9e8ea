// Bars: an effect level by level, and the shifts of columns under a condition.
function levelChart(edge) {
  const [source, target] = [data.nodes[edge.source], data.nodes[edge.target]], bars = edge.curve.bars;
  const row = 26, left = 110, width = 350, height = row * bars.length + 34;
  const ends = bars.flatMap((bar) => [bar.fit - bar.error, bar.fit + bar.error]);
  const [low, high] = extent(ends), x = (value) => left + ((value - low) / (high - low)) * (width - left - 12);
  const svg = svgTag("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart levels", role: "img", "aria-label": `Fitted ${target.name} by level of ${source.name}` });
  for (const value of ticks(low, high)) {
    svg.append(svgTag("line", { class: "axis", x1: x(value), x2: x(value), y1: 4, y2: height - 30 }));
    svg.append(svgTag("text", { x: x(value), y: height - 17, "text-anchor": "middle" }, format(value)));
  }
  bars.forEach((bar, k) => {
    const y = 6 + row * k + row / 2;
    svg.append(svgTag("text", { x: left - 8, y: y + 4, "text-anchor": "end" }, short(bar.label, 16)));
    svg.append(svgTag("line", { class: "interval", x1: x(bar.fit - bar.error), x2: x(bar.fit + bar.error), y1: y, y2: y }));
    svg.append(svgTag("circle", { class: "estimate", cx: x(bar.fit), cy: y, r: 4.5 }));
  });
  svg.append(svgTag("text", { x: (left + width) / 2, y: height - 3, "text-anchor": "middle" }, short(target.name, 40)));
  return svg;
}

const SHIFTS = 8; // columns of a condition's picture
function shiftChart(condition) {
  const size = (k) => Math.abs(condition.shifts[k] ?? 0);
  const shown = condition.shifts.map((_, k) => k).sort((a, b) => condition.targets.includes(b) - condition.targets.includes(a) || size(b) - size(a)).slice(0, SHIFTS);
  const row = 20, left = 100, width = 300, height = row * shown.length + 22;
  const most = Math.max(0.5, ...shown.map((k) => size(k) + (condition.errors[k] ?? 0)));
  const x = (value) => left + ((value + most) / (2 * most)) * (width - left - 8);
  const svg = svgTag("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart shifts", role: "img", "aria-label": `Shifts under ${condition.label}` });
  svg.append(svgTag("line", { class: "axis", x1: x(0), x2: x(0), y1: 0, y2: height - 18 }));
  shown.forEach((k, place) => {
    const y = row * place + row / 2, value = condition.shifts[k] ?? 0, error = condition.errors[k] ?? 0;
    const kind = condition.targets.includes(k) ? "target" : Math.abs(value) > 1.5 * error ? "moved" : "still";
    svg.append(svgTag("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, short(nodeName(k), 14)));
    svg.append(svgTag("rect", { class: `shift ${kind}`, x: Math.min(x(0), x(value)), y: y - 6, width: Math.abs(x(value) - x(0)), height: 12 }));
    svg.append(svgTag("line", { class: "interval", x1: x(value - error), x2: x(value + error), y1: y, y2: y }));
  });
  for (const value of [-most, 0, most]) svg.append(svgTag("text", { x: x(value), y: height - 4, "text-anchor": value < 0 ? "start" : value ? "end" : "middle" }, format(Number(value.toPrecision(2)))));
  return svg;
}
