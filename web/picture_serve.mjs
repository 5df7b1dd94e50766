#!/usr/bin/env node
// Takes the picture of the server's page for docs/how-to/serve.md: serve.webp in docs/pictures and docs/zh/pictures.
// Usage: picture_serve.mjs [RUN], where RUN is a run of configs/phrases.toml. Needs a release build, chromium and `npm ci` in web/.

import { spawn } from "node:child_process";
import path from "node:path";

import { screenshot } from "./screenshot.mjs";
import { browser, root } from "./tests/support.mjs";

const program = process.env.GRADUS ?? path.join(root, "build/release/tools/gradus");
const server = spawn(program, ["serve", "--model", `en-fr=${process.argv[2] ?? "out/phrases"}`, "--port", "0"], { stdio: "pipe" });
const address = await new Promise((resolve, reject) => {
  let printed = "";
  const read = (text) => {
    printed += text;
    const found = printed.match(/http:\S+/);
    if (found) resolve(found[0]);
  };
  server.stdout.on("data", read);
  server.stderr.on("data", read);
  server.on("exit", () => reject(new Error(printed)));
});

/** Draws a mouse pointer, which screenshots leave out. The page's policy forbids style attributes, but not this assignment. */
const pointer = ({ x, y }) => {
  document.body.insertAdjacentHTML("beforeend", `<svg id="pointer" width="20" height="26" viewBox="0 0 20 26">
    <path d="M1 1v19l5-4 3 8 4-2-3-7h7z" fill="#1d2327" stroke="#fff"/></svg>`);
  Object.assign(document.getElementById("pointer").style,
                { position: "absolute", left: `${x}px`, top: `${y}px`, pointerEvents: "none" });
};

const chromium = await browser();
for (const [language, folder] of [["en", "docs/pictures"], ["zh", "docs/zh/pictures"]]) {
  const tab = await chromium.newPage({ viewport: { width: 700, height: 600 }, colorScheme: "light", deviceScaleFactor: 1.5,
                                       locale: language === "zh" ? "zh-CN" : "en-GB" });
  await tab.goto(address);
  await tab.fill("#text", "Where is the red book?");
  const word = tab.locator("#target span", { hasText: "livre" });
  await word.hover();
  await tab.waitForSelector("#source .w4, #source .w3");
  const { x, y, width, height } = await word.boundingBox();
  await tab.evaluate(pointer, { x: x + width / 2, y: y + height / 2 });
  const { height: tall } = await tab.locator("body").boundingBox();
  await screenshot(tab, path.join(root, folder, "serve.webp"), { x: 0, y: 0, width: 700, height: tall });
  await tab.close();
}
await chromium.close();
server.kill();
