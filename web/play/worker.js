// A worker that trains, so that the page stays responsive. Each message has a field `do`. training.js passes messages between
// main.js and this worker.

import { Trainer } from "./trainer.js";
import { WASIProcExit } from "./wasi/wasi.js";

const slice = 25;          // milliseconds of training between two messages to the page
const measure_every = 25;  // updates between two measurements
const opened = "/opened.safetensors";

let trainer, broken = false, running = false, pause = 0, input = "", inside, measured = -measure_every;
const channel = new MessageChannel();
channel.port1.onmessage = train;

const soon = () => (pause ? setTimeout(train, pause) : channel.port2.postMessage(0));

/** True if the trainer cannot continue, because the reader's code has crashed or ended the program. */
const isFatal = (error) => error instanceof WebAssembly.RuntimeError || error instanceof RangeError || error instanceof WASIProcExit ||
                           error instanceof WebAssembly.Exception;
const crashed = (error) => postMessage({ do: "crashed", trap: error.message ?? "", code: error.code });

function attempt(work) {
  try {
    work();
  } catch (error) {
    running = false;
    if (isFatal(error)) return crashed(error);
    postMessage({ do: "error", message: error.message });
  }
}

// Reports the models' outputs. If the task cannot read the input, training continues, and the page says so.
function look() {
  try {
    postMessage({ do: "look", look: trainer.ask({ do: "translate", text: input }) });
    if (broken) postMessage({ do: "symptoms", symptoms: trainer.ask({ do: "symptoms", text: input }) });
    lookInside();
  } catch (error) {
    if (isFatal(error)) throw error;
    postMessage({ do: "unreadable", message: error.message });
  }
}

function lookInside() {
  if (!inside) return;
  try {
    const { replaced, ...at } = inside, original = trainer.ask({ ...at, do: "inside", text: input });
    const step = replaced ? trainer.ask({ ...inside, do: "inside", text: input }) : original;
    postMessage({ do: "inside", model: inside.model, step, original });
  } catch (error) {  // for example, the output has become shorter than the step
    if (isFatal(error)) throw error;
    inside = undefined;
    postMessage({ do: "inside", message: error.message });
  }
}

function measure(step) {
  measured = step;
  postMessage({ do: "measured", measured: trainer.ask({ do: "measure", each: 10 }) });
}

function update(milliseconds) {
  const until = performance.now() + milliseconds, losses = [];
  let answer;
  do {
    answer = trainer.ask({ do: "step" });
    losses.push(...answer.losses);
  } while (!answer.finished && performance.now() < until);
  running &&= !answer.finished;
  postMessage({ do: "updated", step: answer.step, losses, finished: answer.finished, running });
  look();
  if (answer.finished || answer.step - measured >= measure_every) measure(answer.step);
}

function train() {
  if (!running) return;
  attempt(() => update(pause ? 0 : slice));
  if (running) soon();
}

const handlers = {
  open({ bytes, name }) {
    try {
      trainer.write(opened, new Uint8Array(bytes));
      postMessage({ do: "opened", name, bytes, ...trainer.ask({ do: "open", path: opened }) });
    } catch (error) {
      if (isFatal(error)) throw error;
      postMessage({ do: "refused", name, message: error.message });
    }
  },
  create({ settings, text, bytes }) {
    running = false;
    inside = undefined;
    measured = -measure_every;
    if (bytes) trainer.write(opened, new Uint8Array(bytes));
    const created = trainer.ask({ do: "create", settings, ...(bytes ? { path: opened } : {}) });
    broken = settings.models.some(({ mistakes }) => Object.keys(mistakes).length);
    input = text || trainer.ask({ do: "example" }).source;
    postMessage({ do: "created", created, input });
    look();
    measure(0);
  },
  run(message) {
    pause = message.pause;
    if (running) return;
    running = true;
    soon();
  },
  pace(message) { pause = message.pause; },
  stop() {
    running = false;
    postMessage({ do: "stopped" });
  },
  update() { update(0); },
  input({ text }) {
    input = text;
    if (inside) delete inside.replaced;
    look();
  },
  example() {
    input = trainer.ask({ do: "example" }).source;
    if (inside) delete inside.replaced;
    postMessage({ do: "example", input });
    look();
  },
  inside({ at }) {
    inside = at;
    lookInside();
  },
  replace({ replaced }) {
    if (inside) inside.replaced = Object.keys(replaced).length ? replaced : undefined;
    lookInside();
  },
  checkpoint({ model }) { postMessage({ do: "checkpoint", model, bytes: trainer.checkpoint(model) }); },
};

async function load(program) {
  if (typeof program === "object") return Trainer.load(program);
  const response = await fetch(new URL(program, import.meta.url));
  if (!response.ok) throw new Error(`${program}: ${response.status} ${response.statusText}`);
  return Trainer.load(await response.arrayBuffer());
}

// The first message is { do: "load", program }: the bytes of a trainer, the compiled trainer, or the name of its file.
let loading;
onmessage = ({ data }) => {
  if (data.do === "load") {
    loading = load(data.program).then((loaded) => { trainer = loaded; });
    loading.catch((error) => (isFatal(error) ? crashed(error) : postMessage({ do: "error", message: error.message })));
  }
  loading.then(() => {
    if (data.do !== "load") attempt(() => handlers[data.do](data));
    postMessage({ do: "done" });
  }, () => {});
};
