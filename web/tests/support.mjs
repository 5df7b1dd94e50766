// Shared by the tests and by measure.mjs: the built page, the trainer in node, the native trainer, a server and a browser.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const page = path.join(root, "build/play");
export const native = path.join(root, process.env.GRADUS_BUILD ?? "build/release", "web/web_trainer");

const { Trainer } = await import(path.join(page, "trainer.js"));
export const { defaults, toHash, toRequest } = await import(path.join(page, "settings.js"));

export const loadTrainer = () => Trainer.load(readFileSync(path.join(page, "trainer.wasm")));

/** The native trainer, with the same requests. */
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

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** Serves the page on a free port of this machine. @returns { address, close } */
export async function serve() {
  const server = createServer((request, response) => {
    const file = path.join(page, path.normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
    const found = existsSync(file) && statSync(file).isFile();
    response.writeHead(found ? 200 : 404, { "content-type": types[path.extname(file)] ?? "application/octet-stream" });
    response.end(found ? readFileSync(file) : "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/index.html`,
           close: () => new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); }) };
}

/** Debian's Chromium, without a window. */
export async function browser() {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
}
