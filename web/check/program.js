// Runs a checker's program (exercises/kit/check.hpp) in a worker of the page or in node.

import { ConsoleStdout, File, Inode, OpenFile, PreopenDirectory, WASI, wasi } from "../wasi/index.js";

/** A write-only file that passes each line to a callback as soon as it is written. */
class Lines extends Inode {
  #line;
  constructor(line) {
    super();
    this.#line = line;
  }
  stat() { return new wasi.Filestat(this.ino, wasi.FILETYPE_REGULAR_FILE, 0n); }
  path_open() { return { ret: 0, fd_obj: ConsoleStdout.lineBuffered(this.#line) }; }
}

// Makes run_apart, which web/wasi/checks.cpp imports. run_apart calls run(data), and returns -1 after a trap.
const run_apart = (exports) => (run, data) => {
  const { __indirect_function_table: functions, __stack_pointer: stack } = exports(), before = stack.value;
  try {
    return functions.get(run)(data);
  } catch (trap) {
    if (!(trap instanceof WebAssembly.RuntimeError || trap instanceof RangeError)) throw trap;
    stack.value = before;
    return -1;
  }
};

/**
 * @param {BufferSource} bytes the program; @param {string[]} args its command line options
 * @param print receives each printed line; @param record receives each line of the --state file
 * @returns {{ code?: number, trap?: string }} the exit code, or the engine's message if the program trapped
 */
export async function runProgram(bytes, args, print, record = () => {}) {
  const out = ConsoleStdout.lineBuffered(print), state = new Lines(record);
  const folder = new PreopenDirectory("/", new Map([["state", state]]));
  const host = new WASI(["check", "--state", "/state", ...args], [], [new OpenFile(new File([])), out, out, folder], { debug: false });
  const { instance } = await WebAssembly.instantiate(bytes, {
    wasi_snapshot_preview1: host.wasiImport, gradus: { run_apart: run_apart(() => instance.exports) } });
  try {
    return { code: host.start(instance) };
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    return { trap: error.message };
  }
}
