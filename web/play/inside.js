// One step of a decoder with attention. The forward view runs from the previous state to the next token's probabilities; the
// backward view shows the gradient of the step's loss. The reader can change s_t−1 and the annotations.

import { html } from "./dom.js";
import { equations, shownEquation } from "./equations.js";
import { GradientTable } from "./gradient_table.js";
import { words } from "./strings.js";
import { shown } from "./tokens.js";
import { Values } from "./values.js";

const most = 40;  // tokens that fit beside each other
/** The ids of the tokens to show: all, or the 8 likeliest of a large vocabulary. */
function likeliest(probabilities) {
  const ids = [...probabilities.keys()];
  return ids.length <= most ? ids : ids.sort((i, j) => probabilities[j] - probabilities[i]).slice(0, 8);
}

const largest = (values) => Math.max(1e-12, ...values.map(Math.abs));
const length = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

export class InsideView {
  #value = html("output", { class: "note reading" });
  #parts = html("div", { class: "parts" });
  #title = html("h3");
  #loss = html("p");
  #note = html("p", { class: "note" });
  #by_hand = html("p", { class: "note" });
  #table = new GradientTable();
  #annotation = html("select", { id: "annotation" });
  #restore;
  #ways;
  #figures = new Map();
  #shape = "";
  #replaced = {};
  #replace;
  #shown;

  /** @param close called when the reader closes the view; @param replace called with the values that the reader has changed */
  constructor(close, replace) {
    this.#replace = replace;
    this.#restore = html("button", { type: "button", onclick: () => this.#send({}) }, words.restore);
    this.#annotation.addEventListener("change", () => this.#redraw());
    this.#ways = ["forward", "backward"].map((way, i) =>
      html("input", { type: "radio", name: "way", value: way, checked: i === 0, onchange: () => this.#redraw() }));
    this.element = html("section", { class: "inside", "aria-label": words.inside, hidden: true },
      html("div", { class: "buttons" }, this.#title, html("button", { type: "button", class: "close", onclick: close }, words.close)),
      html("div", { class: "buttons", role: "radiogroup", "aria-label": words.way },
           this.#ways.map((input) => html("label", {}, input, ` ${words[input.value]}`))),
      this.#loss, this.#note,
      html("div", { class: "buttons" }, html("label", {}, `${words.annotation} `, this.#annotation), this.#restore),
      this.#value, this.#parts, this.#table.element, this.#by_hand);
  }

  hide() {
    this.element.hidden = true;
    this.#replaced = {};
  }

  /** @param step the answer to "inside"; @param original the answer without replaced values; @param tokens all tokens by id */
  draw(step, original, model, tokens) {
    this.element.hidden = false;
    if (step === original) this.#replaced = {};
    this.#shown = { step, original, model, tokens };
    this.#redraw();
  }

  #redraw() {
    const { step, original, model, tokens } = this.#shown;
    const way = this.#ways.find((input) => input.checked).value, backward = way === "backward", changed = step !== original;
    const ids = likeliest(step.probabilities), shape = JSON.stringify([way, step.source, model, ids]);
    if (shape !== this.#shape) this.#build(shape, step.source.map(shown));
    const j = Number(this.#annotation.value);
    this.#title.textContent = words.insideTitle(step.step + 1, shown(step.written), shown(step.read));
    this.#loss.textContent = words.tokenLoss(shown(step.written), step.loss.toFixed(4), changed && original.loss.toFixed(4));
    this.#note.textContent = backward ? words.backwardNote : words.insideNote;
    this.#restore.disabled = !changed;
    this.#by_hand.textContent = words.byHand(step.difference.toExponential(0), step.gradient_difference.toExponential(0));
    const formulas = equations(model)[way], source = step.source.map(shown);
    const draw = backward ? this.#drawBackward : this.#drawForward;
    draw.call(this, step, original, formulas, j, source, ids, ids.map((id) => shown(tokens[id])));
    this.#table.element.hidden = !backward;
    if (backward) this.#table.draw(step.parameters);
  }

  #drawForward(step, original, formulas, j, source, ids, tokens) {
    const changed = step !== original, of = (values) => ids.map((id) => values[id]);
    this.#part(formulas.before, "s_t−1", step.before.value, { onChange: (i, value) =>
      this.#send({ ...this.#replaced, state: this.#shown.step.before.value.with(i, value) }) });
    this.#part(formulas.annotation, "h_j", step.annotations.value[j], { onChange: (i, value) => {
      const at = this.#annotation.value, row = this.#shown.step.annotations.value[at].with(i, value);
      this.#send({ ...this.#replaced, annotations: { ...this.#replaced.annotations, [at]: row } });
    } });
    if (step.energies) this.#part(formulas.energies, "e", step.energies.value, { labels: source, before: changed && original.energies.value });
    this.#part(formulas.weights, "α", step.weights.value, { labels: source, before: changed && original.weights.value });
    this.#part(formulas.context, "c_t", step.context.value);
    for (const { name, value } of step.gates) this.#part(formulas.gates[name], name, value);
    this.#part(formulas.after, "s_t", step.after.value);
    this.#part(formulas.logits, "ℓ", of(step.logits.value), { labels: tokens });
    this.#part(formulas.probabilities, "p", of(step.probabilities), { labels: tokens, before: changed && of(original.probabilities) });
  }

  #drawBackward(step, original, formulas, j, source, ids, tokens) {
    const strip = (formula, name, values) => this.#part(formula, name, values, { scale: largest(values) });
    this.#part(formulas.logits, "ℓ̄", ids.map((id) => step.logits.gradient[id]), { labels: tokens });
    strip(formulas.after, "s̄_t", step.after.gradient);
    for (const { name, gradient } of step.gates.toReversed()) strip(formulas.gates[name], formulas.gates[name].split(" ")[0], gradient);
    strip(formulas.context, "c̄_t", step.context.gradient);
    this.#part(formulas.weights, "ᾱ", step.weights.gradient, { labels: source });
    if (step.energies) this.#part(formulas.energies, "ē", step.energies.gradient, { labels: source });
    this.#part(formulas.lengths, "‖h̄‖", step.annotations.gradient.map(length), { labels: source });
    strip(formulas.annotation, "h̄_j", step.annotations.gradient[j]);
    strip(formulas.before, "s̄_t−1", step.before.gradient);
  }

  #build(shape, source) {
    this.#shape = shape;
    this.#figures.clear();
    this.#parts.replaceChildren();
    const at = Math.min(Number(this.#annotation.value), source.length - 1);
    this.#annotation.replaceChildren(...source.map((token, j) => html("option", { value: j, selected: j === at }, `h_${j + 1} “${token}”`)));
  }

  #part(formula, name, values, { labels, onChange, scale, before } = {}) {
    let figure = this.#figures.get(name);
    if (!figure) {
      const plain = name.replace("_", "");
      figure = { values };
      const onValue = (i) => {
        const value = figure.values[i];
        this.#value.textContent = i === undefined ? "" :
          `${plain}[${labels ? labels[i] : i + 1}] = ${Math.abs(value) < 0.001 && value ? value.toExponential(2) : value.toFixed(4)}`;
      };
      figure.picture = new Values({ labels, name: plain, onValue, onChange });
      this.#figures.set(name, figure);
      this.#parts.append(html("figure", { "data-name": plain }, html("figcaption", {}, shownEquation(formula)), figure.picture.element));
    }
    figure.values = values;
    figure.picture.draw(values, { scale, before: before || undefined });
  }

  #send(replaced) {
    this.#replaced = replaced;
    this.#replace(replaced);
  }
}
