// A table of all parameters' gradients: the norm, and a small picture.

import { html } from "./dom.js";
import { words } from "./strings.js";

const cell = 5;

// One cell shows the root mean square of one block of the gradient. The largest value has full colour.
function paint(canvas, cells) {
  const pen = canvas.getContext("2d"), most = Math.max(1e-30, ...cells.flat());
  canvas.width = cells[0].length * cell;
  canvas.height = cells.length * cell;
  pen.fillStyle = getComputedStyle(canvas).color;
  cells.forEach((row, i) => row.forEach((value, j) => {
    pen.globalAlpha = value / most;
    pen.fillRect(j * cell, i * cell, cell, cell);
  }));
}

export class GradientTable {
  #body = html("tbody");
  #rows = new Map();

  constructor() {
    this.element = html("div", { class: "gradients", hidden: true }, html("table", {},
      html("caption", {}, words.gradientsNote),
      html("thead", {}, html("tr", {}, [words.parameter, words.shape, words.norm, words.gradient].map((word) => html("th", { scope: "col" }, word)))),
      this.#body));
  }

  /** @param parameters [{ name, shape, norm, cells }, …], as in the answer to "inside" */
  draw(parameters) {
    const names = parameters.map(({ name }) => name);
    if (names.join() !== [...this.#rows.keys()].join()) this.#build(parameters);
    for (const { name, norm, cells } of parameters) {
      const { number, canvas } = this.#rows.get(name);
      number.textContent = norm === 0 ? "0" : norm.toExponential(2);
      canvas.setAttribute("aria-label", `${name}: ${number.textContent}`);
      paint(canvas, cells);
    }
  }

  #build(parameters) {
    this.#rows = new Map(parameters.map(({ name }) =>
      [name, { number: html("td"), canvas: html("canvas", { role: "img" }) }]));
    this.#body.replaceChildren(...parameters.map(({ name, shape }) => html("tr", {},
      html("th", { scope: "row" }, html("code", {}, name)), html("td", {}, shape.join(" × ")), this.#rows.get(name).number,
      html("td", {}, this.#rows.get(name).canvas))));
  }
}
