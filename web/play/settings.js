// The settings with their ranges and defaults. They are converted to the page's address and to the worker's request.

import { isOwn, own } from "./own.js";

const whole = (name, least, most, value) => ({ name, least, most, value, step: 1 });
const choice = (name, choices, value) => ({ name, choices, value });

const sets = ["eng-fra", "eng-cmn"];

/** True for a phrase set, which trainer.wasm does not have. */
export const isPhrases = (task) => sets.includes(task);

/** True for a task with symbols and with lengths to choose. */
export const isSized = (task) => task !== "dates" && !isPhrases(task);

export const common = [
  choice("task", ["reverse", "copy", "sort", "dates", ...sets], "reverse"),
  whole("symbols", 2, 26, 10),
  whole("shortest", 1, 40, 3),
  whole("longest", 1, 40, 12),
  whole("batch", 1, 256, 64),
  { name: "rate", least: 0.00001, most: 1, value: 0.003, step: "any" },
  whole("steps", 1, 100000, 1000),
  whole("seed", 0, 2 ** 53 - 1, 1),
];

/** The switches of "break it". The second choice of each switch makes the mistake. */
export const switches = [
  { ...choice("mask", ["on", "off"], "on"), mistake: "no_mask" },
  { ...choice("tanh", ["on", "off"], "on"), mistake: "no_tanh" },
  { ...choice("backward", ["on", "off"], "on"), mistake: "no_backward" },
  { ...choice("query", ["before", "after"], "before"), mistake: "ask_after" },
  { ...choice("start", ["first", "last"], "first"), mistake: "wrong_end" },
];

const attending = ["bahdanau", "luong", "luong_feeding"];
const decoders = ["fixed", "cho", ...attending];

/** True for a decoder with attention. */
export const attends = (decoder) => attending.includes(decoder);

export const sizes = (decoder) => [
  choice("decoder", ["none", ...decoders], decoder),
  choice("attention", ["additive", "dot", "scaled_dot", ...own.map(({ choice }) => choice)], "additive"),
  choice("cell", ["gru", "lstm", "rnn", "original-gru"], "gru"),
  whole("embedding", 1, 256, 32),
  whole("hidden", 1, 256, 64),
  whole("energy", 1, 256, 64),
  choice("encoder", ["both", "forward"], "both"),
];

export const model = (decoder) => [...sizes(decoder), ...switches];

/** True if a switch of a model has an effect. */
export function acts(name, { decoder, attention, encoder }) {
  return decoder === "bahdanau" && !isOwn(attention) && (name !== "tanh" || attention === "additive") &&
         (!["backward", "start"].includes(name) || encoder === "both");
}

/** All fields by their names in the address: "task", …, "a.decoder", …, "b.decoder", …. */
export const fields = new Map([
  ...common.map((field) => [field.name, field]),
  ...model("fixed").map((field) => [`a.${field.name}`, field]),
  ...model("bahdanau").map((field) => [`b.${field.name}`, field]),
]);
fields.set("a.decoder", choice("decoder", decoders, "fixed"));

export const defaults = () => Object.fromEntries([...fields].map(([name, field]) => [name, field.value]));

/** Converts `text` to a value of the field; undefined if it is invalid. */
export function parse(field, text) {
  if (field.choices) return field.choices.includes(text) ? text : undefined;
  const value = text.trim() === "" ? NaN : Number(text);
  const fits = value >= field.least && value <= field.most && (field.step !== 1 || Number.isInteger(value));
  return fits ? value : undefined;
}

/** @returns the settings and the input in an address's fragment, and the names of invalid settings, which have their defaults. */
export function fromHash(hash) {
  const values = defaults(), wrong = [];
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  for (const [name, text] of given) {
    if (name === "input") continue;
    const value = fields.has(name) ? parse(fields.get(name), text) : undefined;
    value === undefined ? wrong.push(name) : (values[name] = value);
  }
  if (values.longest < values.shortest) values.longest = values.shortest;
  return { values, input: given.get("input") ?? "", wrong };
}

export function toHash(values, input) {
  const given = new URLSearchParams(Object.entries(values));
  if (input) given.set("input", input);
  return `#${given}`;
}

function modelRequest(values, prefix) {
  const of = (name) => values[prefix + name];
  const own = Object.fromEntries(model("").map(({ name }) => [name, of(name)]));
  const mistakes = switches.filter(({ name, value }) => own[name] !== value && acts(name, own)).map(({ mistake }) => [mistake, true]);
  return { decoder: of("decoder"), attention: of("attention"), cell: of("cell"), embedding: of("embedding"),
           hidden: of("hidden"), energy: of("energy"), bidirectional: of("encoder") === "both",
           mistakes: Object.fromEntries(mistakes) };
}

/** The choices in own.js (the reader's attentions) that the models use. */
export const ownAttentions = (values) => [...new Set(["a.", "b."].filter((prefix) => attends(values[`${prefix}decoder`]))
  .map((prefix) => values[`${prefix}attention`]).filter(isOwn))];

/** `values` with model A and its task from a file that answer.cpp has opened, and without a model B. */
export function fromOpened({ task, symbols, shortest, longest, model: opened }, values) {
  const fields = Object.entries(opened).filter(([name]) => name !== "bidirectional").map(([name, value]) => [`a.${name}`, value]);
  const right = switches.flatMap(({ name, value }) => [[`a.${name}`, value], [`b.${name}`, value]]);
  return { ...values, task, symbols, shortest, longest, ...Object.fromEntries([...fields, ...right]),
           "a.encoder": opened.bidirectional ? "both" : "forward", "b.decoder": "none" };
}

/** True if the weights of model A with the settings `one` fit model A with the settings `other`. */
export const fits = (one, other) =>
  ["task", ...(isSized(one.task) ? ["symbols"] : []), ...model("").map(({ name }) => `a.${name}`)].every((name) => one[name] === other[name]);

/** The settings in the form that answer.cpp reads. */
export function toRequest(values) {
  const { task, symbols, shortest, longest, batch, rate, steps, seed } = values;
  const models = ["a.", "b."].filter((prefix) => values[`${prefix}decoder`] !== "none")
                             .map((prefix) => modelRequest(values, prefix));
  return { task, symbols, shortest, longest, batch, rate, steps, seed, models };
}
