// The alignment of one sentence as a grid of cells. A cell's opacity is its weight. The mouse or the arrow keys
// choose the cell to report.

import { svg } from "./dom.js";
import { shown } from "./tokens.js";

const side = 26, head = 30;

// The pixels that the longest label needs. A Chinese character is as wide as two Latin letters.
const room = (labels) => Math.max(head, ...labels.map((label) => 10 + 7 * label.replace(/[^\0-ʯ]/g, "xx").length));

export class Heatmap {
  #element;
  #onCell;
  #onRow;
  #shape = "";
  #cells = [];
  #at = [0, 0];

  /**
   * @param onCell called with (row, column, frame): two numbers from 0, and the cell's frame; called without arguments when the
   *   pointer or the focus leaves the cells
   * @param onRow  called with the row of a cell that is clicked, or chosen with Enter
   */
  constructor(element, onCell, onRow) {
    this.#element = element;
    this.#onCell = onCell;
    this.#onRow = onRow;
  }

  /** @param weights rows of numbers in [0, 1]; row t belongs to rows[t], column j to columns[j] */
  draw(rows, columns, weights, name) {
    const shape = JSON.stringify([rows, columns]);
    if (shape !== this.#shape) this.#build(shape, rows, columns, name);
    weights.forEach((row, t) => row.forEach((weight, j) => this.#cells[t][j].setAttribute("fill-opacity", weight.toFixed(3))));
  }

  clear() {
    this.#shape = "";
    this.#element.replaceChildren();
  }

  #build(shape, rows, columns, name) {
    const hadFocus = this.#element.contains(document.activeElement);
    this.#shape = shape;
    this.#at = [Math.min(this.#at[0], rows.length - 1), Math.min(this.#at[1], columns.length - 1)];
    const above = columns.map(shown), beside = rows.map(shown), top = room(above), left = room(beside);
    const x = (j) => left + j * side, y = (t) => top + t * side;
    const parts = [
      ...above.map((token, j) => svg("text", top > head ? { transform: `translate(${x(j) + side / 2 + 4} ${top - 6}) rotate(-90)` }
                                                        : { x: x(j) + side / 2, y: top - 8, "text-anchor": "middle" }, token)),
      ...beside.map((token, t) => svg("text", { x: left - 6, y: y(t) + side / 2 + 5, "text-anchor": "end" }, token)),
    ];
    this.#cells = rows.map((_, t) => columns.map((_, j) => {
      const box = { x: x(j) + 1, y: y(t) + 1, width: side - 2, height: side - 2, rx: 2 };
      const cell = svg("rect", { ...box, class: "weight", "fill-opacity": 0 });
      parts.push(svg("rect", { ...box, class: "empty" }), cell,
                 svg("rect", { ...box, class: "frame", "data-t": t, "data-j": j, tabindex: -1, role: "img", "aria-label": `${beside[t]} ${above[j]}` }));
      return cell;
    }));
    const width = x(columns.length) + 2, height = y(rows.length) + 2;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "group", "aria-label": name }, ...parts);
    picture.addEventListener("pointerover", ({ target }) => this.#report(target));
    picture.addEventListener("pointerleave", () => this.#onCell());
    picture.addEventListener("focusin", ({ target }) => this.#report(target));
    picture.addEventListener("focusout", () => this.#onCell());
    picture.addEventListener("click", ({ target }) => target.dataset.t !== undefined && this.#onRow(Number(target.dataset.t)));
    picture.addEventListener("keydown", (event) => this.#move(event, rows.length, columns.length));
    this.#element.replaceChildren(picture);
    this.#frame().setAttribute("tabindex", 0);
    if (hadFocus) this.#frame().focus();
  }

  #frame() {
    return this.#element.querySelector(`[data-t="${this.#at[0]}"][data-j="${this.#at[1]}"]`);
  }

  #report(target) {
    if (target.dataset.t !== undefined) this.#onCell(Number(target.dataset.t), Number(target.dataset.j), target);
  }

  #move(event, rows, columns) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter") this.#onRow(this.#at[0]);
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    this.#frame().setAttribute("tabindex", -1);
    const within = (value, count) => Math.max(0, Math.min(count - 1, value));
    this.#at = [within(this.#at[0] + step[0], rows), within(this.#at[1] + step[1], columns)];
    this.#frame().setAttribute("tabindex", 0);
    this.#frame().focus();
  }
}
