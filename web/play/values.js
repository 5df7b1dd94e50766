// Shows a list of numbers as a strip of cells or as bars. The mouse or the arrow keys left and right choose the number
// to report. In an editable strip, the reader drags a number up or down, or presses the arrow keys up and down.

import { svg } from "./dom.js";

const width = 460, high = 64, low = 16;

export class Values {
  #name;
  #labels;
  #onValue;
  #onChange;
  #values = [];
  #marks = [];
  #cursor = svg("rect", { class: "cursor", y: 0 });
  #at = -1;
  #drag;

  /**
   * @param labels   one per number, for bars; without labels the numbers are a strip of cells
   * @param onValue  called with an index; called without arguments when the pointer or the focus leaves the numbers
   * @param onChange called with an index and its new number; without onChange the numbers are read-only
   */
  constructor({ labels, name, onValue, onChange }) {
    this.#name = name;
    this.#labels = labels;
    this.#onValue = onValue;
    this.#onChange = onChange;
    this.element = svg("svg", { viewBox: `0 0 ${width} ${labels ? high + 16 : low}`, tabindex: 0, "aria-label": name,
                                role: onChange ? "slider" : "img", class: onChange ? "values draggable" : "values" });
    this.element.addEventListener("pointerdown", (event) => this.#begin(event));
    this.element.addEventListener("pointermove", (event) => this.#point(event));
    this.element.addEventListener("pointerup", () => { this.#drag = undefined; });
    this.element.addEventListener("pointercancel", () => { this.#drag = undefined; });
    this.element.addEventListener("pointerleave", () => this.#leave());
    this.element.addEventListener("blur", () => this.#leave());
    this.element.addEventListener("keydown", (event) => this.#press(event));
  }

  /**
   * @param scale  the value that has full colour in a strip
   * @param before other values to mark on the bars, such as those before a change
   */
  draw(values, { scale = 1, before } = {}) {
    const { element } = this, count = values.length, side = (width - 4) / count;
    if (count !== this.#values.length) this.#build(count, side);
    this.#values = values;
    if (!this.#labels) {
      values.forEach((value, i) => this.#mark(i, value, { "fill-opacity": Math.min(1, Math.abs(value) / scale).toFixed(3) }));
    } else {
      const all = before ? [...values, ...before] : values;
      const least = Math.min(0, ...all), range = Math.max(1e-12, Math.max(0, ...all) - least);
      const top = (value) => 2 + (1 - (value - least) / range) * (high - 4);
      values.forEach((value, i) => {
        const from = top(Math.max(0, value)), to = top(Math.min(0, value));
        this.#mark(i, value, { y: from, height: Math.max(0.5, to - from) });
      });
      element.querySelectorAll(".before").forEach((line) => line.remove());
      (before ?? []).forEach((value, i) => element.append(svg("line", {
        class: "before", x1: 2 + i * side, x2: 2 + (i + 1) * side, y1: top(value), y2: top(value) })));
    }
    if (this.#at >= 0) this.#show();
  }

  /** The index of the chosen number, or -1. */
  get at() { return this.#at; }

  #build(count, side) {
    const inner = this.#labels ? { width: side * 0.8 } : { width: side + 0.2, y: 0, height: low };
    this.#marks = Array.from({ length: count }, (_, i) =>
      svg("rect", { x: 2 + (i + (this.#labels ? 0.1 : 0)) * side, ...inner }));
    const texts = (this.#labels ?? []).map((label, i) =>
      svg("text", { x: 2 + (i + 0.5) * side, y: high + 12, "text-anchor": "middle" }, label));
    this.#cursor.setAttribute("width", side);
    this.#cursor.setAttribute("height", this.#labels ? high : low);
    this.element.replaceChildren(...this.#marks, ...texts);
    this.#at = Math.min(this.#at, count - 1);
  }

  #mark(i, value, attributes) {
    const mark = this.#marks[i];
    mark.setAttribute("class", value < 0 ? "negative" : "positive");
    for (const [name, of] of Object.entries(attributes)) mark.setAttribute(name, of);
  }

  #show() {
    this.#cursor.setAttribute("x", 2 + this.#at * (width - 4) / this.#values.length);
    if (!this.#cursor.parentNode) this.element.append(this.#cursor);
    if (this.#onChange) this.element.setAttribute("aria-valuenow", this.#values[this.#at].toFixed(4));
    this.#onValue(this.#at);
  }

  #move(to) {
    this.#at = Math.max(0, Math.min(this.#values.length - 1, to));
    this.#show();
  }

  #leave() {
    if (this.#drag) return;
    this.#at = -1;
    this.#cursor.remove();
    this.#onValue();
  }

  #begin(event) {
    if (!this.#onChange) return;
    this.#point(event);
    this.#drag = { y: event.clientY, value: this.#values[this.#at] };
    this.element.setPointerCapture(event.pointerId);
  }

  #point(event) {
    if (this.#drag) return this.#change(this.#drag.value + (this.#drag.y - event.clientY) / 60);
    const box = this.element.getBoundingClientRect();
    this.#move(Math.floor(((event.clientX - box.left) / box.width * width - 2) / (width - 4) * this.#values.length));
  }

  #press(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], by = this.#onChange && { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
    if (!step && !by) return;
    event.preventDefault();
    if (step) return this.#move(this.#at + step);
    if (this.#at < 0) this.#move(0);
    this.#change(this.#values[this.#at] + by);
  }

  // States and annotations lie between −1 and 1.
  #change(value) { this.#onChange(this.#at, Math.max(-1, Math.min(1, value))); }
}
