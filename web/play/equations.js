// The equations of a step and of its gradients, in the book's symbols (docs/notation.md). x̄ is ∂L/∂x, ℓ the logits, τ_j the
// tanh inside an energy. ā is the gradient at the inputs of a cell's σ and tanh. An index starts with _ and ends before a
// space, closing bracket, comma, semicolon, ‖, ᵀ or ².

import { html } from "./dom.js";
import { isOwn } from "./own.js";

const gru = { r: "r = σ(W_ir x + b_ir + W_hr s_t−1 + b_hr)", z: "z = σ(W_iz x + b_iz + W_hz s_t−1 + b_hz)" };
const gates = {
  gru: { ...gru, n: "n = tanh(W_in x + b_in + r ∘ (W_hn s_t−1 + b_hn))" },
  "original-gru": { ...gru, n: "n = tanh(W_in x + b_in + W_hn (r ∘ s_t−1) + b_hn)" },
  lstm: { i: "i = σ(W_ii x + b_ii + W_hi s_t−1 + b_hi)", f: "f = σ(W_if x + b_if + W_hf s_t−1 + b_hf)",
          g: "g = tanh(W_ig x + b_ig + W_hg s_t−1 + b_hg)", o: "o = σ(W_io x + b_io + W_ho s_t−1 + b_ho)",
          "c′": "c′ = f ∘ c + i ∘ g" },
  rnn: {},
};
const after = { gru: "s_t = (1 − z) ∘ n + z ∘ s_t−1", "original-gru": "s_t = (1 − z) ∘ n + z ∘ s_t−1",
                lstm: "s_t = o ∘ tanh(c′)", rnn: "s_t = tanh(W_i x + b_i + W_h s_t−1 + b_h)" };
const energies = { additive: "e_tj = v_a · tanh(W_a s_t−1 + U_a h_j)", dot: "e_tj = (W_a s_t−1) · h_j",
                   scaled_dot: "e_tj = (W_a s_t−1) · h_j / √D" };

const gruBack = { n: "n̄ = (1 − z) ∘ s̄_t", z: "z̄ = (s_t−1 − n) ∘ s̄_t" };
const gatesBack = {
  gru: { ...gruBack, r: "r̄ = (1 − n²) ∘ n̄ ∘ (W_hn s_t−1 + b_hn)" },
  "original-gru": { ...gruBack, r: "r̄ = s_t−1 ∘ W_hnᵀ ((1 − n²) ∘ n̄)" },
  lstm: { "c′": "c̄′ = (1 − tanh² c′) ∘ o ∘ s̄_t", o: "ō = tanh(c′) ∘ s̄_t", i: "ī = g ∘ c̄′", f: "f̄ = c ∘ c̄′", g: "ḡ = i ∘ c̄′" },
  rnn: {},
};
const keep = { gru: "z ∘ s̄_t + W_hᵀ ā", "original-gru": "z ∘ s̄_t + W_hᵀ ā", lstm: "W_hᵀ ā", rnn: "W_hᵀ ā" };
const query = { additive: "W_aᵀ Σ_j ē_tj (1 − τ_j²) ∘ v_a", dot: "W_aᵀ Σ_j ē_tj h_j", scaled_dot: "W_aᵀ Σ_j ē_tj h_j / √D" };
const key = { additive: "ē_tj U_aᵀ ((1 − τ_j²) ∘ v_a)", dot: "ē_tj W_a s_t−1", scaled_dot: "ē_tj W_a s_t−1 / √D" };

// These equations hold for any attention.
query.own = "Σ_j ᾱ_tj ∂α_tj / ∂s_t−1";
key.own = "Σ_k ᾱ_tk ∂α_tk / ∂h_j";

/** The equations of a model with these settings: { forward, backward }. */
export function equations({ attention: chosen, bidirectional, cell }) {
  const attention = isOwn(chosen) ? "own" : chosen;
  // W_a disappears if states and annotations of a dot product have the same size.
  const fit = (text) => (["additive", "own"].includes(attention) || bidirectional ? text
                         : text.replace("(W_a s_t−1)", "s_t−1").replace("W_a s_t−1", "s_t−1").replace("W_aᵀ ", ""));
  return {
    forward: {
      before: "s_t−1", annotation: bidirectional ? "h_j = [→h_j; ←h_j]" : "h_j = →h_j", energies: fit(energies[attention]),
      weights: attention === "own" ? "α_t = attend(s_t−1, h)" : "α_tj = exp(e_tj) / Σ_k exp(e_tk)", context: "c_t = Σ_j α_tj h_j", gates: gates[cell], after: after[cell],
      logits: "ℓ = W_o [s_t; c_t; E y_t−1] + b_o", probabilities: "p(y_t) = softmax(ℓ)",
    },
    backward: {
      logits: "ℓ̄ = p − onehot(y_t)", after: "s̄_t = [W_oᵀ ℓ̄]_s", gates: gatesBack[cell],
      context: "c̄_t = [W_oᵀ ℓ̄]_c + [W_iᵀ ā]_c", weights: "ᾱ_tj = c̄_t · h_j", energies: "ē_tj = α_tj (ᾱ_tj − Σ_k α_tk ᾱ_tk)",
      lengths: "‖h̄_j‖", annotation: `h̄_j = α_tj c̄_t + ${fit(key[attention])}`, before: `s̄_t−1 = ${keep[cell]} + ${fit(query[attention])}`,
    },
  };
}

/** An equation with its indices as subscripts. */
export const shownEquation = (text) =>
  html("span", { class: "equation" }, text.split(/(_[^\s,;)\]ᵀ²‖]+)/).filter(Boolean).map((part) =>
    part[0] === "_" ? html("sub", {}, part.slice(1)) : part));
