// Starts the first worker and compiles the trainer while the page's other modules load.

const start = () => new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const first = location.hash.includes("task=eng-") ? "phrases.wasm" : "trainer.wasm";
let worker = start();
worker.onerror = () => { worker = undefined; };  // take() then starts another one, which reports the error
const compiling = WebAssembly.compileStreaming(fetch(first)).catch(() => first);  // worker.js reports the error

/** @returns {Worker} a worker for one training */
export function take() {
  const taken = worker ?? start();
  worker = undefined;
  return taken;
}

/** @returns {Promise<WebAssembly.Module | string>} the trainer with this file name, or only the name */
export const trainer = async (name) => (name === first ? compiling : name);
