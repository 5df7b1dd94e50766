// The reader's own attentions: classes from exercises that the reader has passed in Check. Check keeps the files in the browser.

import { stored } from "./stored.js";

const of = (exercise, number, sitting, entries) => entries.map(([choice, name, arguments_, usesEnergy = false]) => {
  const made = `std::make_unique<${name}>(${arguments_})`;
  return { choice, name, exercise, number, sitting, usesEnergy, make: made };
});

/**
 * All attentions of the exercises. For each: the choice in the settings, the class, the exercise, the sitting of a long exercise,
 * and the C++ that makes the attention from models::AttentionSizes n.
 */
export const own = [
  ...of("additive_attention", "08", undefined, [["own-additive", "AdditiveAttention", "n.query, n.value, n.energy", true]]),
  ...of("scaled_dot", "09", undefined, [["own-scaled-dot", "ScaledDotAttention", "n.query, n.value, n.energy", true]]),
  ...of("luong", "11", "luong_scores", [["own-luong-dot", "LuongDot", ""], ["own-luong-general", "LuongGeneral", "n.query, n.value"],
                                        ["own-luong-concat", "LuongConcat", "n.query, n.value, n.energy", true]]),
  ...of("luong", "11", "luong_local", [["own-local-m", "LocalMonotonic", "n.query, n.value, n.window"],
                                       ["own-local-p", "LocalPredictive", "n.query, n.value, n.energy, n.window", true]]),
];

export const isOwn = (choice) => own.some((entry) => entry.choice === choice);

/** @returns the entries of `own` whose exercise or sitting has passed in this browser, each with the learner's file as `text` */
export function passed() {
  const { progress, files } = stored();
  return own.filter(({ exercise, sitting }) => typeof files?.[exercise] === "string" &&
                    (progress?.[exercise]?.passed === true || progress?.[sitting]?.passed === true))
            .map((entry) => ({ ...entry, text: files[entry.exercise] }));
}

/** The file that offers these attentions, and the phrases, to the trainer. LuongDot needs states and annotations of the same size. */
export const offers = (entries) => [
  ...new Set(entries.map(({ exercise }) => `#include "/mine/${exercise}.hpp"`)), '#include "own_attention.hpp"',
  "namespace gradus::web { bool offer_phrases(); }", "namespace {", "const bool phrases = gradus::web::offer_phrases();",
  ...entries.map(({ choice, name, make }, i) => {
    const fits = name === "LuongDot" ? 'if (n.query != n.value) throw gradus::Error("LuongDot needs states and annotations of one size; choose the encoder that reads forward only"); ' : "";
    return `const bool offered_${i} = gradus::web::offer("${choice}", [](const gradus::models::AttentionSizes& n) { ${fits}(void)n; return ${make}; });`;
  }), "}", ""].join("\n");
