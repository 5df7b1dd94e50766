// Downloads clang and the library once, brotli-compressed, and keeps them in the browser's cache.

import initialise, { BrotliDecStream, BrotliStreamResultCode } from "./brotli/brotli_dec_wasm.js";

const name = "gradus-check";
/** The megabytes that a compilation takes at most; measured by web/measure.mjs. */
export const memory = 800;
const addressOf = ({ name, key }) => new URL(`${name}.brotli?${key}`, import.meta.url).href;

/** Opens the browser's cache. Undefined on failure, or if there is no cache: browsers have one only on https and localhost. */
const open = () => globalThis.caches?.open(name).catch(() => undefined);

/** True if all `downloads` are stored. */
export async function isStored(downloads) {
  const cache = await open();
  return Boolean(cache) && (await Promise.all(downloads.map((download) => cache.match(addressOf(download))))).every(Boolean);
}

/**
 * Decompresses brotli piece by piece, which needs half the memory of decompressing everything at once. Reads the stream in a loop:
 * with TransformStreams, Chromium 156 sometimes crashed when a reader left the page during this work.
 * @param {ReadableStream<Uint8Array>} stream compressed; @param progress receives the length of each compressed chunk
 */
async function decompress(stream, progress) {
  const decoder = new BrotliDecStream(), piece = 1 << 20, reader = stream.getReader(), pieces = [];
  for (let { done, value: chunk } = await reader.read(); !done; { done, value: chunk } = await reader.read()) {
    progress(chunk.length);
    for (let at = 0;;) {
      const result = decoder.dec(chunk.subarray(at), piece);
      at += result.input_offset;
      if (result.buf.length) pieces.push(result.buf);
      if (result.code !== BrotliStreamResultCode.NeedsMoreOutput) break;
    }
  }
  decoder.free();
  return new Blob(pieces);
}

/**
 * Downloads the missing files and deletes outdated ones. `progress` receives the number of bytes loaded so far.
 * @returns {Promise<Map<string, Response>>} the decompressed files by name
 */
export async function load(downloads, progress) {
  const cache = await open();
  let sum = 0;
  await initialise();
  const files = await Promise.all(downloads.map(async (download) => {
    const address = addressOf(download), stored = await cache?.match(address), response = stored ?? await fetch(address);
    if (!response.ok) throw new Error(`${download.name}.brotli: ${response.status} ${response.statusText}`);
    if (!stored) cache?.put(address, response.clone()).catch(() => {});  // if the cache is full, the next visit downloads again
    const bytes = await decompress(response.body, (length) => progress(sum += length));
    const type = download.name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return [download.name, new Response(bytes, { headers: { "content-type": type } })];
  }));
  const addresses = new Set(downloads.map(addressOf));
  for (const { url } of await cache?.keys() ?? []) if (!addresses.has(url)) await cache.delete(url);
  return new Map(files);
}
