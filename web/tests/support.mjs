// Helpers of the tests, measure.mjs and picture.mjs: the built page, the trainers in node and native, a server and a browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const page = path.join(root, "build/play");
export const gradus = path.join(root, process.env.GRADUS_BUILD ?? "build/release", "tools/gradus");
export const native = path.join(root, process.env.GRADUS_BUILD ?? "build/release", "web/web_trainer");

export const { Trainer } = await import(path.join(page, "trainer.js"));
export const { defaults, toHash, toRequest } = await import(path.join(page, "settings.js"));

/** @param file trainer.wasm, or phrases.wasm, which also trains on phrases */
export const loadTrainer = (file = "trainer.wasm") => Trainer.load(readFileSync(path.join(page, file)));

/** Two trainings that must give the same weights everywhere: two models for a short time, and one for all 1000 updates. */
const trainings = [
  { values: { seed: 7, "a.cell": "lstm", "b.attention": "dot", "b.hidden": 48 }, count: 60 },
  { values: { "a.decoder": "bahdanau", "b.decoder": "none" }, count: 1000 },
];

/** Trains in node and in an open browser page. The losses and the weights must be equal. */
export async function expectSameWeights(browserPage) {
  for (const { values, count } of trainings) {
    const settings = toRequest({ ...defaults(), ...values }), trainer = await loadTrainer();
    trainer.ask({ do: "create", settings });
    const { losses } = trainer.ask({ do: "step", count });
    const there = await browserPage.evaluate(async ({ settings, count }) => {
      const { Trainer } = await import("./trainer.js");
      const trainer = await Trainer.load(await (await fetch("trainer.wasm")).arrayBuffer());
      trainer.ask({ do: "create", settings });
      const { losses } = trainer.ask({ do: "step", count });
      return { losses, fingerprint: trainer.ask({ do: "fingerprint" }) };
    }, { settings, count });
    assert.equal(losses.length, count);
    assert.deepEqual(there, { losses, fingerprint: trainer.ask({ do: "fingerprint" }) });
  }
}

/** The native trainer. It accepts the same requests as the trainer in node. */
export class NativeTrainer {
  #process = spawn(native, { env: { ...process.env, GRADUS_NUM_THREADS: "1" }, stdio: ["pipe", "pipe", "inherit"] });
  #lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();

  async ask(request) {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    const response = JSON.parse((await this.#lines.next()).value);
    if (response.error !== undefined) throw new Error(response.error);
    return response;
  }
  end() { this.#process.stdin.end(); }
}

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm",
                ".json": "application/json", ".svg": "image/svg+xml" };

/** Serves the page on a free port of this machine. @returns { address, close } */
export async function serve() {
  const server = createServer((request, response) => {
    const asked = path.join(page, path.normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
    const file = asked.endsWith("/") ? `${asked}index.html` : asked;
    const found = existsSync(file) && statSync(file).isFile();
    response.writeHead(found ? 200 : 404, { "content-type": types[path.extname(file)] ?? "application/octet-stream" });
    response.end(found ? readFileSync(file) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/index.html`,
           close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }) };
}

/** Starts Debian's Chromium without a window. */
export async function browser() {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
}

/** Starts a server and a browser before a file's tests, and ends both afterwards. @returns getters and helpers for pages */
export function pages({ before, after }) {
  let server, chromium;
  before(async () => {
    server = await serve();
    chromium = await browser();
  });
  after(async () => {
    await chromium?.close();
    await server?.close();
  });

  /** Opens a page of this server. Any console message, page error, or request to another machine fails the test. */
  async function visit(address, { context = chromium, ...options } = {}) {
    const page = await context.newPage(context === chromium ? { viewport: { width: 1280, height: 900 }, ...options } : {});
    const faults = [];
    page.on("console", (message) => faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      if (!["data:", "blob:"].includes(protocol) && host !== new URL(address).host) faults.push(request.url());
    });
    await page.goto(address);
    return { page, end: async () => { await page.close(); assert.deepEqual(faults, []); } };
  }

  /** Opens Play. */
  async function open({ values = {}, input = "", query = "", ...options } = {}) {
    const opened = await visit(server.address + query + toHash({ ...defaults(), ...values }, input), options);
    await opened.page.waitForFunction(() => !document.getElementById("start").disabled);
    return opened;
  }

  return { open, visit, text: (page, selector) => page.locator(selector).innerText(), server: () => server, chromium: () => chromium };
}
