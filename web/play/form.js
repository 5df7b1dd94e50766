// The form of the settings.

import { html } from "./dom.js";
import { isOwn, own, passed } from "./own.js";
import { acts, attends, common, fields, isSized, model, parse, sizes, switches } from "./settings.js";
import { language } from "./language.js";
import { words } from "./strings.js";

function input(name, value) {
  const field = fields.get(name), id = `setting-${name}`;
  if (field.choices) {
    const mine = passed().map(({ choice }) => choice), note = field.name === "attention" ? `own-${name}` : undefined;
    return html("select", { id, name, "aria-describedby": note }, field.choices.filter((choice) => !isOwn(choice) || mine.includes(choice) || choice === value)
      .map((choice) => html("option", { value: choice, selected: choice === value }, choiceName(choice))));
  }
  return html("input", { id, name, value, type: "number", min: field.least, max: field.most, step: field.step,
                         required: true, inputmode: field.step === 1 ? "numeric" : "decimal" });
}

/** The name of a choice. */
export function choiceName(choice) {
  const mine = own.find((entry) => entry.choice === choice);
  return mine ? words.mine(mine.name) : words.choices[choice];
}

const row = (name, value) => {
  const setting = html("div", { class: "setting" },
    html("label", { for: `setting-${name}` }, words.names[fields.get(name).name]), input(name, value));
  return fields.get(name).name === "attention" ? [setting, html("p", { class: "note own", id: `own-${name}`, hidden: true })] : setting;
};

const group = (title, names, values, ...more) =>
  html("fieldset", {}, html("legend", {}, title), names.flatMap((name) => row(name, values[name])), ...more);

function modelGroup(title, prefix, values) {
  const named = (list) => list.map(({ name }) => prefix + name);
  const broken = switches.some(({ name, value }) => values[prefix + name] !== value);
  return group(title, named(sizes("")), values,
    html("details", { open: broken }, html("summary", {}, words.breakIt), named(switches).flatMap((name) => row(name, values[name]))));
}

/** Fills the form with `values`. */
export function show(form, values) {
  form.replaceChildren(
    group(words.both, common.map((field) => field.name), values),
    modelGroup(words.modelA, "a.", values), modelGroup(words.modelB, "b.", values),
    html("p", { class: "note" }, passed().length ? words.ownPassed : words.ownNone, " ", html("a", { href: checkAddress(), class: "exercise" }, words.ownExercise)),
    html("p", { class: "complaint", role: "alert" }), html("button", { type: "submit", id: "apply" }, words.apply));
  relate(form);
}

/** The page Check, at an exercise. */
export const checkAddress = (exercise = "additive_attention") => `check/index.html?lang=${language}#${exercise}`;

/** Shows `text`, the cost of compiling, beside each choice of the reader's own attention. */
export function showCost(form, text) {
  for (const note of form.querySelectorAll(".own")) note.textContent = text;
}

const usesEnergy = (attention) => attention === "additive" || own.some(({ choice, usesEnergy }) => choice === attention && usesEnergy);

/** Disables the settings that have no effect with the current choices. */
export function relate(form) {
  const off = (name, condition) => { form.elements[name].disabled = condition; };
  for (const name of ["symbols", "shortest", "longest"]) off(name, !isSized(form.elements.task.value));
  for (const prefix of ["a.", "b."]) {
    const chosen = Object.fromEntries(model("").map(({ name }) => [name, form.elements[prefix + name].value]));
    const { decoder } = chosen, without = !attends(decoder);
    for (const field of model("")) if (field.name !== "decoder") off(prefix + field.name, decoder === "none");
    off(`${prefix}attention`, without);
    off(`${prefix}energy`, without || !usesEnergy(chosen.attention));
    form.querySelector(`[id="own-${prefix}attention"]`).hidden = without || !isOwn(chosen.attention);
    for (const { name } of switches) off(prefix + name, !acts(name, chosen));
  }
}

/** The form's values. If one is invalid, shows a message in the form and returns undefined. */
export function read(form) {
  const values = {}, complaint = form.querySelector(".complaint");
  for (const [name, field] of fields) {
    values[name] = parse(field, form.elements[name].value);
    if (values[name] === undefined) {
      complaint.textContent = `${words.names[field.name]}: ${words.range(field.least, field.most)}`;
      form.elements[name].focus();
      return undefined;
    }
  }
  const ordered = values.shortest <= values.longest;
  complaint.textContent = ordered ? "" : words.order;
  return ordered ? values : undefined;
}
