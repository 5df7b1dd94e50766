// Runs two programs compiled to WebAssembly. One tests C++ exceptions (web/wasi/exceptions.cpp), the other tests the parts of the
// engine that differ from a native build.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { page, root } from "./support.mjs";

/** Runs a program of build/wasm/web. @returns its printed lines, and its memory in bytes */
async function run(name) {
  const { ConsoleStdout, File, OpenFile, WASI } = await import(path.join(page, "wasi/index.js"));
  const lines = [], print = ConsoleStdout.lineBuffered((line) => lines.push(line));
  const wasi = new WASI([], [], [new OpenFile(new File([])), print, print], { debug: false });
  const { instance } = await WebAssembly.instantiate(readFileSync(path.join(root, "build/wasm/web", `${name}.wasm`)),
                                                     { wasi_snapshot_preview1: wasi.wasiImport });
  assert.equal(wasi.start(instance), 0);
  return { lines, bytes: instance.exports.memory.buffer.byteLength };
}

test("exceptions are caught by type, unwind, nest and are freed", async () => {
  const { lines, bytes } = await run("exceptions");
  const unwound = ["unwound inner", "unwound outer"];
  assert.deepEqual(lines, [
    ...unwound, "exception: a runtime error", ...unwound, "int: 42", ...unwound, "other: 2", ...unwound, "pointer: text",
    ...unwound, "anything: 1 alive", ...unwound, "logic_error", "0 alive",
    "inside: first, second", "again: first", "passed: 7", "100000000 bytes",
  ]);
  assert.ok(bytes < 16e6);
});

test("the engine has one thread, products by simd128, f64 and errors; its pool reuses memory", async () => {
  const { lines, bytes } = await run("engine");
  assert.deepEqual(lines.map((line) => line.replace(/^matmul: .*/, "matmul")), [
    "simd128, 1 thread",
    "set_threads: WebAssembly runs on one thread, and got 2; ask for 1",
    "MixedPrecision: gradus was built without oneDNN, which multiplies bf16; use bf16_emulated, which rounds the same way " +
      "and multiplies in f32, or f32",
    "matmul",
    "1 × 70 × 33: right", "5 × 300 × 9: right", "64 × 64 × 192: right", "7 × 513 × 530: right",
    "gradients in f64: right", "live: 0 bytes",
  ]);
  assert.ok(bytes < 64e6, `${bytes} bytes`);
});
