// The service worker of the page Check, in node, with a network and a cache that fail.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";

const service = readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), "../check/service.js"), "utf8");

/** The worker's answer to a request for a page. */
async function answer(fetch, cache) {
  const worker = createContext({ fetch, caches: { open: async () => cache }, location: new URL("https://host/"), URL });
  runInContext(service, worker);
  return runInContext("answer", worker)({ url: "https://host/check/?lang=zh" });
}

test("if the cache is full, the worker still answers from the network", async () => {
  const cache = { put: async () => { throw new Error("the quota is exceeded"); }, match: async () => undefined };
  assert.equal(await (await answer(async () => new Response("new"), cache)).text(), "new");
});

test("without a network, the worker answers from the cache", async () => {
  const offline = async () => { throw new TypeError("no network"); }, kept = new Response("kept");
  assert.equal(await answer(offline, { match: async () => kept }), kept);
  await assert.rejects(answer(offline, { match: async () => undefined }), /no network/);
});
