// Line charts as SVG, for a few series. The chart is redrawn after every change.

import { svg } from "./dom.js";

const width = 460, height = 210, left = 42, right = 16, top = 10, bottom = 34;

/** Returns range / count, rounded up to 1, 2 or 5 times a power of ten. */
function tickStep(range, count) {
  const rough = range / count, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

function ticks(least, most, count) {
  const step = tickStep(most - least, count), found = [];
  for (let value = Math.ceil(least / step) * step; value <= most + step * 1e-6; value += step) found.push(value);
  return found;
}

const short = (value) => String(Number(value.toPrecision(3)));

/** Reduces `points` to at most `most` points by averaging neighbours. */
function thin(points, most) {
  const run = Math.ceil(points.length / most);
  if (run <= 1) return points;
  const means = [];
  for (let i = 0; i < points.length; i += run) {
    const part = points.slice(i, i + run);
    means.push([0, 1].map((axis) => part.reduce((sum, point) => sum + point[axis], 0) / part.length));
  }
  return means;
}

/**
 * @param chart  the element to fill
 * @param series [{ name, points: [[x, y], …] }, …]; series i has the class `series-i`
 * @param options { x: [least, most], y: [least, most], xLabel, label, shade: [from, to], marks: true for a mark at each point }
 * @param summary one number per series for screen readers; by default the last y
 */
export function draw(chart, series, { x, y, xLabel, label, shade, marks = false },
                     summary = series.map(({ points }) => points.at(-1)?.[1])) {
  const toX = (value) => left + (value - x[0]) / (x[1] - x[0]) * (width - left - right);
  const toY = (value) => height - bottom - (value - y[0]) / (y[1] - y[0]) * (height - top - bottom);
  const parts = [];
  if (shade) {
    parts.push(svg("rect", { class: "shade", x: toX(shade[0]), width: toX(shade[1]) - toX(shade[0]),
                             y: top, height: height - top - bottom }));
  }
  for (const value of ticks(...y, 4)) {
    parts.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: toY(value), y2: toY(value) }),
               svg("text", { x: left - 6, y: toY(value) + 4, "text-anchor": "end" }, short(value)));
  }
  for (const value of ticks(...x, 6))
    parts.push(svg("text", { x: toX(value), y: height - bottom + 16, "text-anchor": "middle" }, short(value)));
  parts.push(svg("text", { x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle" }, xLabel));
  series.forEach(({ points }, i) => {
    const shown = thin(points, 300).map(([a, b]) => [toX(a).toFixed(1), toY(b).toFixed(1)]);
    parts.push(svg("polyline", { class: `line series-${i}`, points: shown.join(" ") }));
    if (marks) {
      for (const [a, b] of shown) {
        parts.push(i === 0 ? svg("circle", { class: `mark series-${i}`, cx: a, cy: b, r: 4 })
                           : svg("rect", { class: `mark series-${i}`, x: a - 3.5, y: b - 3.5, width: 7, height: 7 }));
      }
    }
  });
  const spoken = series.map(({ name }, i) => `${name}: ${summary[i] === undefined ? "–" : short(summary[i])}`);
  chart.replaceChildren(svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${label}. ${spoken.join(", ")}` },
                            ...parts));
}
