// One step of a decoder with attention, from the state before it to the probabilities of the next token.

import { html } from "./dom.js";
import { words } from "./strings.js";
import { shown } from "./tokens.js";
import { picture } from "./values.js";

// The equations of the book (docs/terms.md). _ begins an index, which ends before a space, bracket or semicolon.
const energies = {
  additive: "e_tj = v_a · tanh(W_a s_t−1 + U_a h_j)",
  dot: "e_tj = (W_a s_t−1) · h_j",
  scaled_dot: "e_tj = (W_a s_t−1) · h_j / √D",
};
const energy = ({ attention, bidirectional }) =>  // states and annotations of one size need no W_a
  attention === "additive" || bidirectional ? energies[attention] : energies[attention].replace("(W_a s_t−1)", "s_t−1");
const gates = {
  gru: { r: "r = σ(W_ir x + b_ir + W_hr s_t−1 + b_hr)", z: "z = σ(W_iz x + b_iz + W_hz s_t−1 + b_hz)",
         n: "n = tanh(W_in x + b_in + r ∘ (W_hn s_t−1 + b_hn))" },
  "original-gru": { r: "r = σ(W_ir x + b_ir + W_hr s_t−1 + b_hr)", z: "z = σ(W_iz x + b_iz + W_hz s_t−1 + b_hz)",
                    n: "n = tanh(W_in x + b_in + W_hn (r ∘ s_t−1) + b_hn)" },
  lstm: { i: "i = σ(W_ii x + b_ii + W_hi s_t−1 + b_hi)", f: "f = σ(W_if x + b_if + W_hf s_t−1 + b_hf)",
          g: "g = tanh(W_ig x + b_ig + W_hg s_t−1 + b_hg)", o: "o = σ(W_io x + b_io + W_ho s_t−1 + b_ho)",
          "c′": "c′ = f ∘ c + i ∘ g" },
  rnn: {},
};
const states = { gru: "s_t = (1 − z) ∘ n + z ∘ s_t−1", "original-gru": "s_t = (1 − z) ∘ n + z ∘ s_t−1",
                 lstm: "s_t = o ∘ tanh(c′)", rnn: "s_t = tanh(W_i x + b_i + W_h s_t−1 + b_h)" };

/** An equation with its indices as subscripts. */
function equation(text) {
  return html("span", { class: "equation" }, text.split(/(_[^\s;)\]]+)/).filter(Boolean).map((part) =>
    part[0] === "_" ? html("sub", {}, part.slice(1)) : part));
}

export class InsideView {
  #value = html("output", { class: "note reading" });
  #parts = html("div", { class: "parts" });
  #title = html("h3");
  #by_hand = html("p", { class: "note" });

  constructor(close) {
    this.element = html("section", { class: "inside", "aria-label": words.inside, hidden: true },
      html("div", { class: "buttons" }, this.#title, html("button", { type: "button", onclick: close }, words.close)),
      html("p", { class: "note" }, words.insideNote), this.#value, this.#parts, this.#by_hand);
  }

  hide() { this.element.hidden = true; }

  /** @param step the answer to "inside"; @param model the model's settings; @param tokens all tokens by id */
  draw(step, model, tokens) {
    this.element.hidden = false;
    const source = step.source.map(shown);
    this.#title.textContent = words.insideTitle(step.step + 1, shown(step.written), shown(step.read));
    this.#parts.replaceChildren(
      this.#part("s_t−1", "s_t−1", step.before),
      this.#part(energy(model), "e", step.energies, source),
      this.#part("α_tj = exp(e_tj) / Σ_k exp(e_tk)", "α", step.weights, source),
      this.#part("c_t = Σ_j α_tj h_j", "c_t", step.context),
      ...step.gates.map(({ name, values }) => this.#part(gates[model.cell][name], name, values)),
      this.#part(states[model.cell], "s_t", step.after),
      this.#part("p(y_t) = softmax(W_o [s_t; c_t; E y_t−1] + b_o)", "p", step.probabilities, tokens.map(shown)));
    this.#by_hand.textContent = words.byHand(step.difference.toExponential(0));
  }

  #part(formula, name, values, labels) {
    const plain = name.replace("_", "");
    const onValue = (i) => {
      this.#value.textContent = i === undefined ? "" : `${plain}[${labels ? labels[i] : i + 1}] = ${values[i].toFixed(4)}`;
    };
    return html("figure", {}, html("figcaption", {}, equation(formula)), picture(values, { labels, name: plain, onValue }));
  }
}
