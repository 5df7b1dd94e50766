// A list of numbers as a strip of cells or as bars. Pointing at a number, or moving to it with the arrow keys, reports it.

import { svg } from "./dom.js";

const width = 460, high = 64, low = 16;

/**
 * @param values numbers; without `labels` a strip, whose colours saturate at ±1; with them bars
 * @param onValue called with an index, or with nothing when no number is pointed at
 */
export function picture(values, { labels, name, onValue }) {
  const side = (width - 4) / values.length, parts = [];
  const least = Math.min(0, ...values), range = Math.max(1e-6, Math.max(0, ...values) - least);
  const top = (value) => 2 + (1 - (value - least) / range) * (high - 4);
  values.forEach((value, i) => {
    const x = 2 + i * side, sign = value < 0 ? "negative" : "positive";
    if (labels) {
      const [from, to] = [top(Math.max(0, value)), top(Math.min(0, value))];
      parts.push(svg("rect", { class: sign, x: x + side * 0.1, width: side * 0.8, y: from, height: Math.max(0.5, to - from) }),
                 svg("text", { x: x + side / 2, y: high + 12, "text-anchor": "middle" }, labels[i]));
    } else {
      parts.push(svg("rect", { class: sign, x, width: side + 0.2, y: 0, height: low, "fill-opacity": Math.min(1, Math.abs(value)).toFixed(3) }));
    }
  });
  const height = labels ? high + 16 : low;
  const cursor = svg("rect", { class: "cursor", width: side, y: 0, height: labels ? high : low });
  const element = svg("svg", { viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img", "aria-label": name, class: "values" }, ...parts);
  let at = -1;
  const move = (to) => {
    at = Math.max(0, Math.min(values.length - 1, to));
    cursor.setAttribute("x", 2 + at * side);
    if (!cursor.parentNode) element.append(cursor);
    onValue(at);
  };
  const leave = () => {
    cursor.remove();
    onValue();
  };
  element.addEventListener("pointermove", (event) => {
    const box = element.getBoundingClientRect();
    move(Math.floor(((event.clientX - box.left) / box.width * width - 2) / side));
  });
  element.addEventListener("pointerleave", leave);
  element.addEventListener("blur", leave);
  element.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    move(at + step);
  });
  return element;
}
