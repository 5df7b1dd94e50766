// Compiles the trainer with the reader's attentions, using the compiler of Check. Keeps the program in the browser's cache.

import { Compiling } from "./check/checker.js";
import { explain } from "./check/compile_errors.js";
import { isStored, memory } from "./check/store.js";
import { offers } from "./own.js";

const cacheName = "gradus-own-trainer";

async function list() {
  const response = await fetch(new URL("check/downloads.json", import.meta.url));
  if (!response.ok) throw new Error(`downloads.json: ${response.status} ${response.statusText}`);
  return (await response.json()).downloads;
}

/**
 * @returns {Promise<{ bytes: number, stored: boolean, memory: number }>} the size of the compiler's download, whether the browser
 *   has stored the compiler, and the megabytes of memory that compiling takes
 */
export async function cost() {
  const downloads = await list();
  return { bytes: downloads.reduce((sum, { bytes }) => sum + bytes, 0), stored: await isStored(downloads), memory };
}

/** The address of a program in the cache: a hash of all that it is built from. Undefined without a cache or crypto.subtle. */
async function addressOf(entries) {
  if (!globalThis.caches || !globalThis.crypto?.subtle) return undefined;
  const made = JSON.stringify([await list(), offers(entries), entries.map(({ exercise, text }) => [exercise, text])]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(made)));
  return new URL(`own.wasm?${[...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`, import.meta.url).href;
}

/** @returns {Promise<ArrayBuffer | undefined>} the program that an earlier visit compiled */
export async function kept(entries) {
  const address = await addressOf(entries);
  return address && (await (await caches.open(cacheName)).match(address))?.arrayBuffer();
}

async function keep(entries, program) {
  const address = await addressOf(entries);
  if (!address) return;
  const cache = await caches.open(cacheName);
  for (const request of await cache.keys()) await cache.delete(request);
  await cache.put(address, new Response(program));
}

/** One compilation. */
export class Build {
  #compiling;
  #stopped = false;

  /** Ends the compiler. run() then fails. */
  stop() {
    this.#stopped = true;
    this.#compiling?.end();
  }

  /**
   * @param entries of own.js, with their texts; @param progress receives the bytes of the download so far
   * @returns {Promise<{ program?: ArrayBuffer, errors?: string }>} the trainer, or the first error of the compiler
   */
  async run(entries, progress) {
    const downloads = await list();
    if (this.#stopped) throw new Error("stopped");
    this.#compiling = new Compiling(downloads, progress);
    try {
      const files = Object.fromEntries(entries.map(({ exercise, text }) => [`${exercise}.hpp`, text]));
      const { program, printed } = await this.#compiling.trainer(files, offers(entries));
      if (!program) return { errors: explain(printed, `${entries[0].exercise}.hpp`).first };
      keep(entries, program).catch(() => {});  // if the cache is full, the next visit compiles again
      return { program: program.buffer };
    } finally {
      this.#compiling.end();  // the compiler holds several hundred megabytes
    }
  }
}
