// Starts a worker and compiles the trainer while the page's modules load.

const start = () => new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const first = location.hash.includes("task=eng-") ? "phrases.wasm" : "trainer.wasm";
let worker = start();
worker.onerror = () => { worker = undefined; };  // take() then starts another, which reports the error
const compiling = WebAssembly.compileStreaming(fetch(first)).catch(() => first);  // worker.js reports the error

/** @returns {Worker} the worker started above; after the first call, a new one */
export function take() {
  const taken = worker ?? start();
  worker = undefined;
  return taken;
}

/** @returns the compiled trainer, or only its file's name */
export const trainer = async (name) => (name === first ? compiling : name);
