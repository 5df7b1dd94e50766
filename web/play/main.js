// The page Play. Starts the worker and shows its reports, at most once per animation frame.

import { draw } from "./chart.js";
import { html } from "./dom.js";
import { checkAddress, choiceName, read, relate, show, showCost } from "./form.js";
import { translate } from "./language.js";
import { ModelView } from "./model_view.js";
import { own, passed } from "./own.js";
import { fits, fromHash, fromOpened, isPhrases, isSized, ownAttentions, toHash, toRequest } from "./settings.js";
import { words } from "./strings.js";
import { SymptomsView } from "./symptoms.js";
import { shown } from "./tokens.js";
import { Training } from "./training.js";

const $ = (id) => document.getElementById(id);
const state = { values: undefined, input: "", created: undefined, step: 0, running: false, finished: false,
                losses: [], look: undefined, measured: undefined, inside: undefined,
                opened: undefined };  // { name, bytes, updates, values }: the file that model A comes from
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
  const mine = ownAttentions(state.values).find((choice) => choice === state.values[`${"ab"[i]}.attention`]);
  return `${"AB"[i]}: ${decoder.split(/[:：]/)[0]}${mine ? `, ${choiceName(mine)}` : ""}`;
});

function drawCharts() {
  const series = names().map((name, i) => ({ name, points: state.losses.map((losses, step) => [step + 1, losses[i]]) }));
  const highest = Math.max(1, ...state.losses.slice(0, 1).flat());
  draw($("loss"), series, { x: [0, state.values.steps], y: [0, Math.ceil(highest * 2) / 2], xLabel: words.updates, label: words.loss });
  if (!state.measured) return;
  const { lengths, models } = state.measured, { task, shortest, longest } = state.values;
  draw($("exact"), names().map((name, i) => ({ name, points: lengths.map((length, j) => [length, models[i].exact[j]]) })),
       { x: [Math.min(...lengths) - 0.5, Math.max(...lengths) + 0.5], y: [0, 1], xLabel: words.length, label: words.exact,
         shade: isSized(task) ? [shortest - 0.5, longest + 0.5] : undefined, marks: true }, models.map(({ trained }) => trained));
  [...$("exact").parentNode.querySelectorAll(".legend li")].forEach((item, i) => {
    const { trained, held_out, bleu } = models[i], percent = (part) => `${(100 * part).toFixed(0)} %`;
    item.textContent = `${names()[i]}: ${isPhrases(task) ? words.phraseScores(percent(trained), percent(held_out), bleu.toFixed(0)) : percent(trained)}`;
  });
}

const reads = () => document.querySelector("[name=reads]:checked").value;

function drawLook() {
  const { look } = state;
  if (!look || !state.created) return;
  const phrases = isPhrases(state.values.task);
  $("target").textContent = !look.target ? words[phrases ? "unknownPhrase" : "unknownTarget"]
    : look.target.map(shown).join(" ") + (phrases ? words.phraseKind(look.held_out) : "");
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
  $("another").disabled = !created;
  $("reset").disabled = !created && !state.ended;
  $("status").textContent = !created ? (state.ended || !$("own").hidden ? "" : words.loading) : finished ? words.finished : running ? words.running : step ? words.paused : words.ready;
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
    const phrases = isPhrases(state.values.task);
    $("exactNote").textContent = words[phrases ? "phrasesNote" : "exactNote"];
    $("inputNote").textContent = words[phrases ? "phraseNote" : "inputNote"];
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
  opened({ name, bytes, updates, settings }) {
    const values = fromOpened(settings, state.values);
    $("openError").textContent = "";
    show($("settings"), values);
    create(values, "", { opened: { name, bytes, updates, values } });
  },
  refused({ name, message }) { $("openError").textContent = words.refused(name, message); },
  error({ message }) {
    state.running = false;
    $("message").textContent = message;
  },
};

// ---- The worker ----

let training, program = "";  // program: choices and texts of the attentions in the worker, or the trainer's file name
const send = (message) => training?.send(message);

/** Starts a worker for `used`, the reader's attentions, unless it is running. @param made the compiled trainer, or its file's name */
function start(used, made = isPhrases(state.values.task) ? "phrases.wasm" : "trainer.wasm") {
  const wanted = used.map(({ choice, text }) => choice + text).join("\n") || made;
  if (training && program === wanted) return;
  training?.end();
  program = wanted;
  state.created = undefined;
  training = new Training(made, (data) => {
    handlers[data.do](data);
    redraw();
  }, (how) => ended(used, how));
}

/** Shows why the worker was ended. */
async function ended(used, { late, trap, code }) {
  training = undefined;
  Object.assign(state, { created: undefined, running: false, ended: true, inside: undefined });
  redraw();
  if (!used.length) return handlers.error({ message: words.crashed(trap) });
  const [{ causeOf }, { words: { causes } }] = await Promise.all([import("./check/ending.js"), import("./check/strings.js")]);
  const cause = code !== undefined ? "exited" : causeOf(trap ?? "");
  $("message").textContent = `${late ? words.ownLate(late) : words.ownEnded(causes[cause]("", 0, trap, code))} ${words.ownAfter}`;
  ownPanel({ change: used[0].exercise });
}

// ---- The reader's own attention ----

let turn = 0, building;  // a later create() makes an earlier compilation superfluous

/** Shows a note, progress, errors or buttons about the reader's attention; without arguments, hides all of these. */
function ownPanel({ note = "", value, max, errors, go, stop, change } = {}) {
  $("ownNote").textContent = note;
  $("ownBar").hidden = value === undefined;
  if (value !== undefined) Object.assign($("ownBar"), { max, value });
  $("ownErrors").hidden = !errors;
  $("ownErrors").textContent = errors ?? "";
  Object.assign($("ownGo"), { hidden: !go, onclick: go });
  Object.assign($("ownStop"), { hidden: !stop, onclick: stop });
  $("ownChange").hidden = !change;
  if (change) $("ownChange").href = checkAddress(change);
  $("own").hidden = !note && !change;
  drawState();
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** Takes the trainer with these attentions from the cache, or compiles it. @returns undefined if there is no such trainer (yet) */
async function ownProgram(used, agreed, now) {
  const { Build, cost, kept } = await import("./own_trainer.js"), stored = await kept(used);
  if (stored || now !== turn) return stored;
  const { bytes, memory, stored: hasCompiler } = await cost();
  if (now !== turn) return undefined;
  if (!hasCompiler && !agreed) {
    ownPanel({ note: words.ownAsk(megabytes(bytes), memory), go: () => create(state.values, state.input, { opened: state.opened, agreed: true }) });
    return undefined;
  }
  const build = building = new Build(), stop = () => {
    ++turn;
    build.stop();
    state.ended = true;
    ownPanel({ note: words.ownStopped });
  };
  ownPanel({ note: words.ownLoading, stop });
  const { program: made, errors } = await build.run(used, (done) => {
    if (now !== turn) return;
    if (done < bytes) ownPanel({ note: words.ownDownload(megabytes(done), megabytes(bytes)), value: done, max: bytes, stop });
    else ownPanel({ note: words.ownCompiling, stop });
  });
  if (now !== turn) return undefined;
  if (errors) {
    state.ended = true;
    ownPanel({ note: words.ownErrors, errors, change: used[0].exercise });
  }
  return made;
}

/** Starts the worker with the reader's attentions. @returns true if the worker runs */
async function startOwn(used, agreed, now) {
  try {
    const bytes = await ownProgram(used, agreed, now);
    if (!bytes || now !== turn) return false;
    ownPanel();
    start(used, bytes);
    await showOwnCost();  // the compiler is stored now
    return now === turn;
  } catch (error) {
    if (now === turn) {
      state.ended = true;
      ownPanel({ note: words.ownFailed(error.message), change: used[0].exercise });
    }
    return false;
  }
}

/** Shows the cost of compiling beside each choice of the reader's own attention. */
async function showOwnCost() {
  if (!document.querySelector(".own:not([hidden])")) return;
  const { bytes, memory, stored } = await (await import("./own_trainer.js")).cost();
  showCost($("settings"), stored ? words.ownStored(memory) : words.ownCost(megabytes(bytes), memory));
}

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

/** Makes the models. `opened` is the file that model A comes from. If `agreed`, the compiler may be downloaded. */
async function create(values, input, { opened, agreed = false } = {}) {
  const now = ++turn, names = ownAttentions(values), used = passed().filter(({ choice }) => names.includes(choice));
  Object.assign(state, { values, input, opened, ended: false });
  building?.stop();
  building = undefined;
  $("message").textContent = "";
  $("openStatus").textContent = opened ? words.opened(opened.name, opened.updates) : "";
  if (input) $("input").value = input;
  remember();
  ownPanel();
  showOwnCost().catch((error) => handlers.error({ message: error.message }));
  if (used.length) {
    training?.send({ do: "stop" });
    state.created = undefined;
    redraw();
    if (!await startOwn(used, agreed, now)) return redraw();
  } else {
    start([]);
    redraw();
  }
  send({ do: "create", settings: toRequest(values), text: input, bytes: opened?.bytes });
}

function fromAddress() {
  const { values, input, wrong } = fromHash(location.hash), mine = passed().map(({ choice }) => choice);
  const missing = ownAttentions(values).filter((choice) => !mine.includes(choice));
  for (const name of ["a.attention", "b.attention"]) if (missing.includes(values[name])) values[name] = "additive";
  show($("settings"), values);
  create(values, input);
  $("message").textContent = [wrong.length ? words.replaced(wrong.join(", ")) : "",
                              missing.length ? words.ownMissing(missing.map(choiceName).join(", ")) : ""].filter(Boolean).join(" ");
}

$("start").onclick = () => {
  state.running = !state.running;
  send(state.running ? { do: "run", pause: Number($("speed").value) } : { do: "stop" });
  redraw();
};
$("update").onclick = () => send({ do: "update" });
$("reset").onclick = () => create(state.values, state.input, { opened: state.opened });
$("another").onclick = () => send({ do: "example" });
$("speed").onchange = () => send({ do: "pace", pause: Number($("speed").value) });
$("input").oninput = () => {
  state.input = $("input").value;
  remember();
  send({ do: "input", text: state.input });
};
for (const radio of document.querySelectorAll("[name=reads]")) radio.onchange = () => lookInside(undefined);
$("settings").oninput = () => {
  relate($("settings"));
  showOwnCost().catch((error) => handlers.error({ message: error.message }));
};
$("settings").onsubmit = (event) => {
  event.preventDefault();
  const values = read($("settings"));
  if (!values) return;
  const { opened } = state, stays = opened && fits(opened.values, values);
  create(values, values.task === state.values.task && values.symbols === state.values.symbols ? state.input : "",
         { opened: stays ? opened : undefined, agreed: true });
  if (opened && !stays) $("openStatus").textContent = words.openedLeft(opened.name);
};

// ---- A run that is opened ----

/** Sends a checkpoint's bytes to the trainer, which reads them or reports an error. */
async function open(file) {
  if (!file) return;
  const bytes = await file.arrayBuffer();
  if (!training) start([]);
  send({ do: "open", name: file.name, bytes });
}

$("open").onclick = () => $("file").click();
$("file").onchange = () => {
  open($("file").files[0]);
  $("file").value = "";  // so that the same file can be opened again
};
const isFile = (event) => event.dataTransfer?.types.includes("Files");
document.ondragover = (event) => {
  if (!isFile(event)) return;
  event.preventDefault();
  document.body.classList.add("dropping");
};
document.ondragleave = (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); };
document.ondrop = (event) => {
  if (!isFile(event)) return;
  event.preventDefault();
  document.body.classList.remove("dropping");
  open(event.dataTransfer.files[0]);
};

// A check that passes in another tab adds its attention to the form. The form keeps its values.
window.onstorage = () => {
  const form = $("settings"), shown = Object.fromEntries([...form.elements].filter(({ name }) => name).map(({ name, value }) => [name, value]));
  show(form, shown);
  showOwnCost().catch(() => {});
};
window.onhashchange = fromAddress;

translate(words, "../");
$("reads").setAttribute("aria-label", words.reads);
$("models").after(symptoms.element);
fromAddress();
drawState();
