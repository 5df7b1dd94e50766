// A model's output for the reader's input, and its attention weights.

import { html } from "./dom.js";
import { Heatmap } from "./heatmap.js";
import { words } from "./strings.js";
import { shown } from "./tokens.js";

export class ModelView {
  #name;
  #tokens = html("span");
  #heatmap;
  #note = html("p", { class: "note reading" });
  #look;

  /** @param look called with the index of a step, to open the view inside it; @param save called to download the weights */
  constructor(number, name, parameters, look, save) {
    this.#name = name;
    const picture = html("div", { class: "heatmap" });
    this.#heatmap = new Heatmap(picture, (t, j, frame) => this.#read(t, j, frame), look);
    this.element = html("section", { class: "model", "aria-label": this.#name },
      html("h3", { class: `series-${number}` }, this.#name),
      html("p", { class: "tokens" }, `${words.writes} `, this.#tokens), picture, this.#note,
      html("p", { class: "note" }, `${words.parameters(parameters)} · `,
           html("button", { class: "link", type: "button", onclick: save }, words.save), ` ${words.saveNote}`));
  }

  /** @param kind "weights": the model reads its own output; "forced": it reads the target */
  draw(look, own, kind) {
    const marked = look.target !== null;
    this.#tokens.replaceChildren(...own.output.flatMap((token, t) => {
      const mark = !marked ? "" : own.right[t] ? "right" : "wrong";
      const title = `${marked ? `${words[mark]}, ` : ""}p = ${own.probabilities[t].toFixed(3)}`;
      return [html("span", { class: `token ${mark}`, title }, shown(token)), " "];
    }));
    const weights = own[kind];
    if (!weights) {
      this.#heatmap.clear();
      this.#look = undefined;
      this.#note.textContent = words.noWeights;
      return;
    }
    const before = this.#look;
    this.#look = { rows: kind === "forced" ? look.target : own.output, columns: look.source, weights, at: before?.at };
    this.#heatmap.draw(this.#look.rows, this.#look.columns, weights, words.alignment(this.#name));
    this.#read(...(this.#look.at ?? []));
  }

  #read(t, j, frame) {
    if (!this.#look) return;
    const { rows, columns, weights } = this.#look, there = weights[t]?.[j] !== undefined;
    this.#look.at = there ? [t, j] : undefined;
    this.#note.textContent = there ? words.cell(t + 1, shown(rows[t]), j + 1, shown(columns[j]), weights[t][j].toFixed(3))
                                   : words.pick;
    frame?.setAttribute("aria-label", this.#note.textContent);
  }
}
