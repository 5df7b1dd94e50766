// Compiles a learner's file and runs the checker's program. The compiler and the program have separate workers.

import { Ending } from "./ending.js";

const stageSeconds = 20;  // limit of a stage; a training stage gets three times as long, as in exercises/checking.py
const startSeconds = 20;  // limit of the code before the first stage

const start = (name) => new Worker(new URL(name, import.meta.url), { type: "module" });

/** clang in a worker. */
export class Compiling {
  #worker = start("compile_worker.js");
  #waiting = new Map();
  #fail;
  #id = 0;

  /** Starts the download. `progress` receives the number of bytes loaded so far. */
  constructor(downloads, progress) {
    /** Resolves when clang is loaded. */
    this.ready = new Promise((resolve, reject) => {
      this.#fail = (error) => {
        this.#worker.terminate();
        reject(error);
        for (const waiting of this.#waiting.values()) waiting.reject(error);
      };
      const handlers = {
        progress: ({ bytes }) => progress(bytes), ready: resolve,
        compiled: (data) => this.#waiting.get(data.id)?.resolve(data),
        error: ({ message }) => this.#fail(new Error(message)),
      };
      this.#worker.onmessage = ({ data }) => handlers[data.do](data);
      this.#worker.onerror = (event) => this.#fail(new Error(event.message ?? "the worker of the compiler did not start"));
    });
    this.ready.catch(() => {});  // compile() and trainer() report the error
    this.#worker.postMessage({ do: "load", downloads });
  }

  /** Like Compiler.compile(). */
  compile(folder, source) { return this.#ask({ do: "compile", folder, source }); }
  /** Like Compiler.trainer(). */
  trainer(files, offers) { return this.#ask({ do: "trainer", files, offers }); }

  /** @returns {Promise<{ program?: Uint8Array, printed: string }>} */
  async #ask(message) {
    await this.ready;
    const id = ++this.#id;
    const compiled = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.postMessage({ id, ...message });
    return compiled.finally(() => this.#waiting.delete(id));
  }

  /** Ends the worker. Pending compilations fail. */
  end() { this.#fail(new Error("the compiler was stopped")); }
}

/** Runs a checker's program in a worker. The worker ends with the program, by stop(), or if a stage exceeds its time limit. */
export class Running {
  /**
   * @param {{ training: boolean, parts: string[], patience: number }} options: patience multiplies the time of each stage
   * @param print receives each printed line; @param changed receives the Ending so far
   */
  constructor(program, { training, parts, patience }, print, changed) {
    const seconds = stageSeconds * patience, ending = new Ending(training, seconds), worker = start("run_worker.js");
    /** Resolves with the final Ending when the program has ended. */
    this.ended = new Promise((resolve) => {
      let timer;
      const end = (how) => {
        clearTimeout(timer);
        worker.terminate();
        resolve(Object.assign(ending, how));
      };
      const limit = () => {
        clearTimeout(timer);
        const allowed = ending.reached?.limit ?? startSeconds * patience;
        timer = setTimeout(() => end({ late: allowed }), 1000 * allowed);
      };
      /** Ends the program. */
      this.stop = () => end({ stopped: true });
      worker.onerror = (event) => end({ trap: event.message ?? "" });
      worker.onmessage = ({ data }) => {
        if (data.do === "print") return print(data.line);
        if (data.do === "ended") return end({ code: data.code, trap: data.trap });
        ending.add(data.line);
        limit();
        changed(ending);
      };
      limit();
    });
    const args = ["--seconds", String(seconds), ...(training ? [] : ["--no-training"]), ...(parts.length ? ["--parts", parts.join(",")] : [])];
    worker.postMessage({ program, args });
  }
}
