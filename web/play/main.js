// The page Play. Starts the worker and shows its reports, at most once per animation frame.

import { draw } from "./chart.js";
import { html } from "./dom.js";
import { read, relate, show } from "./form.js";
import { translate } from "./language.js";
import { ModelView } from "./model_view.js";
import { fromHash, toHash, toRequest } from "./settings.js";
import { words } from "./strings.js";
import { SymptomsView } from "./symptoms.js";
import { shown } from "./tokens.js";

const $ = (id) => document.getElementById(id);
const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const send = (message) => worker.postMessage(message);

const state = { values: undefined, input: "", created: undefined, step: 0, running: false, finished: false,
                losses: [], look: undefined, measured: undefined, inside: undefined };
const symptoms = new SymptomsView();
let views = [], waiting = false, inside;

/** Loads the view inside a step when a reader first asks for it. */
async function loadInside() {
  const { InsideView } = await import("./inside.js");
  if (inside) return;
  inside = new InsideView(() => lookInside(undefined), (replaced) => send({ do: "replace", replaced }));
  symptoms.element.after(inside.element);
}

// ---- Drawing ----

const names = () => state.created.parameters.map((_, i) => {
  const decoder = words.choices[state.values[`${"ab"[i]}.decoder`]];
  return `${"AB"[i]}: ${decoder.split(/[:：]/)[0]}`;
});

function drawCharts() {
  const series = names().map((name, i) => ({ name, points: state.losses.map((losses, step) => [step + 1, losses[i]]) }));
  const highest = Math.max(1, ...state.losses.slice(0, 1).flat());
  draw($("loss"), series, { x: [0, state.values.steps], y: [0, Math.ceil(highest * 2) / 2], xLabel: words.updates, label: words.loss });
  if (!state.measured) return;
  const { lengths, models } = state.measured, { task, shortest, longest } = state.values;
  draw($("exact"), names().map((name, i) => ({ name, points: lengths.map((length, j) => [length, models[i].exact[j]]) })),
       { x: [Math.min(...lengths) - 0.5, Math.max(...lengths) + 0.5], y: [0, 1], xLabel: words.length, label: words.exact,
         shade: task === "dates" ? undefined : [shortest - 0.5, longest + 0.5], marks: true }, models.map(({ trained }) => trained));
  [...$("exact").parentNode.querySelectorAll(".legend li")].forEach((item, i) => {
    item.textContent = `${names()[i]}: ${(100 * models[i].trained).toFixed(0)} %`;
  });
}

const reads = () => document.querySelector("[name=reads]:checked").value;

function drawLook() {
  const { look } = state;
  if (!look) return;
  $("target").textContent = look.target ? look.target.map(shown).join(" ") : words.unknownTarget;
  views.forEach((view, i) => view.draw(look, look.models[i], look.target ? reads() : "weights"));
  symptoms.draw(toRequest(state.values).models, names(), state.symptoms);
  if (!state.inside) return inside?.hide();
  if (!inside) return void loadInside().then(redraw, (error) => handlers.error({ message: error.message }));
  const { model, step, original } = state.inside;
  inside.draw(step, original, toRequest(state.values).models[model], state.created.tokens);
}

function drawState() {
  const { running, finished, created, step, values } = state;
  $("start").textContent = running ? words.pause : words.start;
  $("start").disabled = $("update").disabled = !created || finished;
  $("update").disabled ||= running;
  $("reset").disabled = $("another").disabled = !created;
  $("status").textContent = !created ? words.loading : finished ? words.finished : running ? words.running : step ? words.paused : words.ready;
  $("progress").textContent = created ? words.progress(step, values.steps) : "";
}

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawState();
    if (state.created) drawCharts();
    drawLook();
  });
}

// ---- The worker's messages ----

const handlers = {
  created({ created, input }) {
    Object.assign(state, { created, step: 0, finished: false, running: false, losses: [], look: undefined, measured: undefined,
                           inside: undefined, symptoms: undefined });
    setInput(input);
    views = created.parameters.map((parameters, i) => new ModelView(i, names()[i], parameters,
      (step) => lookInside({ model: i, step }), () => send({ do: "checkpoint", model: i })));
    $("models").replaceChildren(...views.map((view) => view.element));
    for (const legend of document.querySelectorAll(".legend"))
      legend.replaceChildren(...names().map((name, i) => html("li", { class: `series-${i}` }, name)));
  },
  updated({ step, losses, finished, running }) {
    state.losses.push(...losses);
    Object.assign(state, { step, finished, running });
  },
  look({ look }) {
    state.look = look;
    $("inputError").textContent = "";
  },
  inside({ model, step, original, message = "" }) {
    state.inside = step && { model, step, original };
    $("inputError").textContent = message;
  },
  symptoms({ symptoms }) { state.symptoms = symptoms; },
  measured({ measured }) { state.measured = measured; },
  example({ input }) { setInput(input); },
  stopped() { state.running = false; },
  checkpoint({ model, bytes }) {
    const address = URL.createObjectURL(new Blob([bytes]));
    html("a", { href: address, download: `${state.values.task}-${"ab"[model]}-${state.step}.safetensors` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  },
  unreadable({ message }) {
    state.look = undefined;
    $("inputError").textContent = message;
  },
  error({ message }) {
    state.running = false;
    $("message").textContent = message;
  },
};

worker.onmessage = ({ data }) => {
  handlers[data.do](data);
  redraw();
};
worker.onerror = (event) => handlers.error({ message: event.message ?? String(event) });

// ---- The reader's actions ----

function setInput(text) {
  state.input = text;
  if ($("input").value !== text) $("input").value = text;
  remember();
}

const remember = () => history.replaceState(null, "", `${location.search}${toHash(state.values, state.input)}`);

function lookInside(at) {
  state.inside = undefined;
  send({ do: "inside", at: at && { ...at, forced: reads() === "forced" } });
  redraw();
}

function create(values, input) {
  Object.assign(state, { values, input });
  $("message").textContent = "";
  remember();
  send({ do: "create", settings: toRequest(values), text: input });
}

function fromAddress() {
  const { values, input, wrong } = fromHash(location.hash);
  show($("settings"), values);
  create(values, input);
  if (wrong.length) $("message").textContent = words.replaced(wrong.join(", "));
}

$("start").onclick = () => {
  state.running = !state.running;
  send(state.running ? { do: "run", pause: Number($("speed").value) } : { do: "stop" });
  redraw();
};
$("update").onclick = () => send({ do: "update" });
$("reset").onclick = () => create(state.values, state.input);
$("another").onclick = () => send({ do: "example" });
$("speed").onchange = () => send({ do: "pace", pause: Number($("speed").value) });
$("input").oninput = () => {
  state.input = $("input").value;
  remember();
  send({ do: "input", text: state.input });
};
for (const radio of document.querySelectorAll("[name=reads]")) radio.onchange = () => lookInside(undefined);
$("settings").oninput = () => relate($("settings"));
$("settings").onsubmit = (event) => {
  event.preventDefault();
  const values = read($("settings"));
  if (values) create(values, values.task === state.values.task && values.symbols === state.values.symbols ? state.input : "");
};
window.onhashchange = fromAddress;

translate(words, "../");
$("reads").setAttribute("aria-label", words.reads);
$("models").after(symptoms.element);
fromAddress();
drawState();
