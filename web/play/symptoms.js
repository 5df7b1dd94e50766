// Shows which mistakes a model has, and the results of experiments on the model.

import { html } from "./dom.js";
import { words } from "./strings.js";

const experiments = ["pads", "steps", "later", "query"];
const shown = (value) => (value === null ? "–" : value === 0 ? "0" : value < 0.0005 ? value.toExponential(0) : value.toFixed(3));

export class SymptomsView {
  #mistakes = html("ul");
  #head = html("tr");
  #body = html("tbody");

  constructor() {
    this.element = html("section", { class: "symptoms", hidden: true, "aria-label": words.breakIt },
      html("h3", {}, words.breakIt), this.#mistakes,
      html("div", { class: "heatmap" }, html("table", {}, html("caption", {}, words.experiments), html("thead", {}, this.#head), this.#body)));
  }

  /** @param models the request's settings of the models; @param names the models' names; @param found the answer to "symptoms" */
  draw(models, names, found) {
    const broken = models.flatMap(({ mistakes }, i) => Object.keys(mistakes).map((mistake) => [names[i], mistake]));
    this.element.hidden = !broken.length;
    if (!broken.length) return;
    this.#mistakes.replaceChildren(...broken.map(([name, mistake]) =>
      html("li", {}, html("b", {}, `${name}, ${words.mistakes[mistake][0]}`), ` ${words.mistakes[mistake][1]}`)));
    this.#head.replaceChildren(html("th", { scope: "col" }, words.experiment), html("th", { scope: "col" }, words.rightModel),
      ...names.map((name) => html("th", { scope: "col" }, name)));
    this.#body.replaceChildren(...experiments.map((experiment) => html("tr", { "data-experiment": experiment },
      html("th", { scope: "row" }, words[experiment]), html("td", {}, experiment === "pads" ? "0" : "> 0"),
      ...names.map((_, i) => html("td", {}, found ? shown(found.models[i][experiment]) : "")))));
  }
}
