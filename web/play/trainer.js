// Loads the trainer, which is compiled to WebAssembly (web/engine/), and sends it requests. Runs in a worker and in node.

// Not from wasi/index.js, which loads more.
import { File, OpenFile, PreopenDirectory, ConsoleStdout } from "./wasi/fs_mem.js";
import WASI from "./wasi/wasi.js";

const encoder = new TextEncoder(), decoder = new TextDecoder();

export class Trainer {
  #exports;
  #files = new Map();

  /** @param {BufferSource | WebAssembly.Module} program trainer.wasm, or another trainer, as bytes or compiled */
  static async load(program) {
    const trainer = new Trainer();
    const print = (line) => console.log(line);
    const wasi = new WASI([], [], [
      new OpenFile(new File([])), ConsoleStdout.lineBuffered(print), ConsoleStdout.lineBuffered(print),
      new PreopenDirectory("/", trainer.#files),
    ], { debug: false });
    const module = program instanceof WebAssembly.Module ? program : await WebAssembly.compile(program);
    const unicode = WebAssembly.Module.imports(module).some(({ module }) => module === "unicode") &&
                    (await import("./unicode.js")).unicode(() => trainer.#exports.memory);
    const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport, unicode });
    trainer.#exports = instance.exports;
    wasi.initialize(instance);
    return trainer;
  }

  /** Sends a request, as documented in answer.cpp. Throws an Error with the trainer's message. */
  ask(request) {
    const { memory, request_buffer, answer, answer_text } = this.#exports;
    const text = encoder.encode(JSON.stringify(request));
    const at = request_buffer(text.length);
    new Uint8Array(memory.buffer, at, text.length).set(text);
    const length = answer();
    const response = JSON.parse(decoder.decode(new Uint8Array(memory.buffer, answer_text(), length)));
    if (response.error !== undefined) throw new Error(response.error);
    return response;
  }

  /** Writes a file that requests can name. */
  write(path, bytes) { this.#files.set(path.slice(1), new File(bytes)); }

  /** The bytes of a model's checkpoint (safetensors). */
  checkpoint(model) {
    this.ask({ do: "save", model, path: "/model.safetensors" });
    const { data } = this.#files.get("model.safetensors");
    this.#files.delete("model.safetensors");
    return data;
  }

  /** The size of the module's memory in bytes. */
  get bytes() { return this.#exports.memory.buffer.byteLength; }
}
