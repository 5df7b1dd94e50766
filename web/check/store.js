// What is downloaded once: clang and the library, compressed by brotli, kept in the browser's cache.

import initialise, { decompress } from "./brotli/brotli_dec_wasm.js";

const name = "gradus-check";
const addressOf = ({ name, key }) => new URL(`${name}.brotli?${key}`, import.meta.url).href;

/** The cache; undefined where the browser has none, as outside https and localhost. */
const open = () => globalThis.caches?.open(name).catch(() => undefined);

async function bytesOf(response, progress) {
  const chunks = [];
  let length = 0;
  for (const reader = response.body.getReader();;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    progress(value.length);
  }
  const bytes = new Uint8Array(length);
  chunks.reduce((at, chunk) => (bytes.set(chunk, at), at + chunk.length), 0);
  return bytes;
}

/** True if nothing of `downloads` is missing. */
export async function isStored(downloads) {
  const cache = await open();
  return Boolean(cache) && (await Promise.all(downloads.map((download) => cache.match(addressOf(download))))).every(Boolean);
}

/** Deletes what was downloaded. */
export const forget = () => globalThis.caches?.delete(name);

/**
 * Downloads what is not stored yet, and deletes what is stored and no longer needed. `progress` receives the number of bytes so far.
 * @returns {Promise<Map<string, Uint8Array>>} the files by their names
 */
export async function load(downloads, progress) {
  const cache = await open(), unpacker = initialise();
  let sum = 0;
  const files = await Promise.all(downloads.map(async (download) => {
    const address = addressOf(download), stored = await cache?.match(address), response = stored ?? await fetch(address);
    if (!response.ok) throw new Error(`${download.name}.brotli: ${response.status} ${response.statusText}`);
    const kept = stored ? undefined : response.clone(), bytes = await bytesOf(response, (more) => progress(sum += more));
    if (kept) await cache?.put(address, kept).catch(() => {});  // without room for it, the next visit downloads it again
    await unpacker;
    return [download.name, decompress(bytes)];
  }));
  const addresses = new Set(downloads.map(addressOf));
  for (const { url } of await cache?.keys() ?? []) if (!addresses.has(url)) await cache.delete(url);
  return new Map(files);
}
