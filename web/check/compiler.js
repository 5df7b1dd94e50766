// Compiles a learner's file together with its checker. The compiler is clang, built for WebAssembly (@yowasp/clang). Runs in a page's worker and in node.

import { join } from "./bitstream.js";
import { filter, unpack } from "./tar.js";

// _LIBCPP_NO_ABI_TAG omits ABI tags. _LIBCPP_REMOVE_TRANSITIVE_INCLUDES omits headers that the standard headers need not include.
// Together, they make the precompiled header a quarter smaller.
export const flags = ["-std=c++20", "-O1", "-msimd128", "-fwasm-exceptions", "-D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE",
                      "-D_LIBCPP_NO_ABI_TAG", "-D_LIBCPP_REMOVE_TRANSITIVE_INCLUDES",
                      "-Werror=return-type", "-I/include", "-I/exercises"];
const system = "/usr/lib/wasm32-wasip1";
const stack = 8 << 20;  // the program's stack in bytes, the same as on Linux
const options = { stdout() {}, fetchProgress() {}, decodeASCII: false };

/** Runs one of LLVM's tools. @returns {{ files?: Object, printed: string }} its output; `files` is absent if the tool fails */
export async function run(clang, tool, args, files) {
  const decoder = new TextDecoder();
  let printed = "";
  const stderr = (bytes) => { printed += bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode(); };
  try {
    return { files: await clang.commands[tool](args, files, { ...options, stderr }), printed };
  } catch (error) {
    if (!(error instanceof clang.Exit)) throw error;
    return { printed };
  }
}

export class Compiler {
  #clang;
  #files;

  /** @param clang the module @yowasp/clang; @param {Uint8Array} library the archive that library.mjs makes */
  constructor(clang, library) {
    const split = "precompiled.split";
    this.#clang = clang;
    // Both filter() and join() copy, so that the memory of the archive can be freed.
    this.#files = { ...unpack(filter(library, (name) => name !== split)), "precompiled.pch": join(unpack(library)[split]) };
  }

  /** Loads clang. */
  async load() {
    await this.#clang.runLLVM(["clang", "--version"], {}, options);
    return this;
  }

  /**
   * @param {string} folder of the exercise: "08_additive_attention"; @param {string} source the learner's file
   * @returns {{ program?: Uint8Array, printed: string }} the program, and the messages of the compiler and the linker
   */
  async compile(folder, source) {
    const name = folder.slice(3);
    return this.#build([`-DEXERCISE_FILE="/mine/${name}.hpp"`, `/exercises/${folder}/learner.cpp`], { mine: { [`${name}.hpp`]: source } },
                       [`${system}/crt1-command.o`, "learner.o", `lib/lib${name}.a`], ["--export-table", "--export=__stack_pointer"]);
  }

  /**
   * Builds the trainer of Play with a learner's attentions.
   * @param {Object} mine the learner's files by name; @param {string} offers C++ that includes these files from /mine, and calls
   *   offer() of web/engine/own_attention.hpp for each of their attentions
   * @returns the trainer as `program`, and `printed`, like compile()
   */
  async trainer(mine, offers) {
    return this.#build(["-I/engine", "/offers.cpp"], { mine, "offers.cpp": offers },
                       ["--entry", "_initialize", `${system}/crt1-reactor.o`, "learner.o", "--whole-archive", "lib/play/libmodule.a", "--no-whole-archive",
                        "lib/play/libgradus_web.a"], []);
  }

  /**
  * Compiles a file with the arguments `compiling`. Links it with the arguments `linking` and `exporting`, and with the
  * libraries that every program needs.
  */
  async #build(compiling, files, linking, exporting) {
    const compiled = await run(this.#clang, "clang++", [...flags, "-include-pch", "/precompiled.pch", "-fno-caret-diagnostics", "-c",
      ...compiling, "-o", "learner.o"], { ...this.#files, ...files });
    if (!compiled.files) return { printed: compiled.printed };
    const { lib } = this.#files;
    const linked = await run(this.#clang, "wasm-ld", ["-m", "wasm32", `-L${system}`, ...linking,
      ...Object.keys(lib.all).map((file) => `lib/all/${file}`), "-lwasi-emulated-getpid", "-lc++",
      "-lc++abi", "-lc", "/usr/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a", "--stack-first", "-z", `stack-size=${stack}`,
      ...exporting, "--gc-sections", "--strip-all", "-o", "program.wasm"], { lib, "learner.o": compiled.files["learner.o"] });
    return { program: linked.files?.["program.wasm"].slice(), printed: compiled.printed + linked.printed };
  }
}
