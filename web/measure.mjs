#!/usr/bin/env node
// Prints the cost of the pages.
// The page Play: bytes of the first load, milliseconds of an update (node, native, Chromium), seconds of training until
// the exact match of reversal is 0.99.
// The page Check: bytes of the download, seconds from click to verdict, memory.
// Needs ./run web, build/release/web/web_trainer, brotli and chromium. Measure on an idle machine.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

import { NativeTrainer, browser, defaults, loadTrainer, page, root, serve, toHash, toRequest } from "./tests/support.mjs";

const settings = toRequest({ ...defaults(), "a.decoder": "bahdanau", "b.decoder": "none" });
const report = (what, value) => console.log(`${what.padEnd(58)} ${value}`);

const files = readdirSync(page, { recursive: true }).filter((name) => !name.startsWith("check"))
  .map((name) => path.join(page, name)).filter((name) => statSync(name).isFile());
const brotli = (file) => execFileSync("brotli", ["--best", "--stdout", file], { maxBuffer: 1 << 28 }).length;
const sizes = files.map((file) => ({ file: path.relative(page, file), raw: statSync(file).size, packed: brotli(file) }));
for (const { file, raw, packed } of sizes.filter(({ packed }) => packed > 10000)) report(`${file}, raw and brotli, bytes`, `${raw} ${packed}`);
// Not in the first load: the files of the view inside a step, of phrases, of a reader's own attention, of the other language and
// of Check.
const later = ["inside.js", "equations.js", "gradient_table.js", "values.js", "own_trainer.js", "strings.zh.js",
               "phrases.wasm", "unicode.js", "wasi/index.js", "wasi/fs_opfs.js", "wasi/strace.js"];
report("all files of the first load, brotli, bytes",
       sizes.filter(({ file }) => !later.includes(file)).reduce((sum, { packed }) => sum + packed, 0));

/** Milliseconds per update: the fastest of five runs of 40 updates. */
async function update(trainer) {
  await trainer.ask({ do: "create", settings });
  let least = Infinity;
  for (let run = 0; run < 5; ++run) {
    const start = performance.now();
    await trainer.ask({ do: "step", count: 40 });
    least = Math.min(least, (performance.now() - start) / 40);
  }
  return least;
}

const trainer = await loadTrainer(), native = new NativeTrainer();
const here = await update(trainer), natively = await update(native);
native.end();
report("an update of Bahdanau's model, native, one thread, ms", natively.toFixed(2));
report("the same in node, ms", `${here.toFixed(2)} (${(here / natively).toFixed(2)} times)`);
report("memory of the module, MB", (trainer.bytes / 1e6).toFixed(0));

trainer.ask({ do: "create", settings });
let trained = 0, updates = 0;
do {
  const start = performance.now();
  updates = trainer.ask({ do: "step", count: 25 }).step;
  trained += performance.now() - start;
} while (updates < 1000 && trainer.ask({ do: "measure", each: 50 }).models[0].trained < 0.99);
report(`exact match 0.99 after ${updates} updates in node, s of training`, (trained / 1000).toFixed(1));

const server = await serve(), chromium = await browser();
// Five visits, each with an empty cache.
const times = [];
let tab;
for (let visit = 0; visit < 5; ++visit) {
  await tab?.close();
  tab = await (await chromium.newContext()).newPage();
  const start = performance.now();
  await tab.goto(server.address + toHash({ ...defaults(), "a.decoder": "bahdanau", "b.decoder": "none", steps: 300 }));
  await tab.waitForSelector("#models svg");
  times.push((performance.now() - start) / 1000);
}
report("from the address to the first alignment in Chromium, s", `${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}`);
const { seconds, longest } = await tab.evaluate(() => new Promise((resolve) => {
  let before = performance.now(), worst = 0;
  const from = before;
  const frame = (now) => {
    worst = Math.max(worst, now - before);
    before = now;
    if (document.getElementById("start").disabled) resolve({ seconds: (now - from) / 1000, longest: worst });
    else requestAnimationFrame(frame);
  };
  document.getElementById("start").click();
  requestAnimationFrame(frame);
}));
report("300 updates with all pictures in Chromium, s", seconds.toFixed(1));
report("longest frame meanwhile, ms", longest.toFixed(0));
await tab.close();

// ---- Check: exercise 08, the first check and repeated ones ----

const { downloads } = JSON.parse(readFileSync(path.join(page, "check/downloads.json"), "utf8"));
for (const { name, bytes } of downloads.filter(({ bytes }) => bytes > 10000)) report(`check/${name}.brotli, bytes`, bytes);
report("all that the first check downloads, MB", (downloads.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1));
const small = readdirSync(path.join(page, "check"), { recursive: true }).filter((name) => !/\.brotli$|clang|exercises.zh/.test(name))
  .map((name) => path.join(page, "check", name)).filter((name) => statSync(name).isFile());
report("the page Check before a check, brotli, bytes", small.reduce((sum, file) => sum + brotli(file), 0));

const desk = await chromium.newPage();
await desk.goto(server.address.replace("index.html", "check/index.html#additive_attention"));
await desk.waitForSelector("#exercise:not([hidden])");
const solution = readFileSync(path.join(root, "exercises/08_additive_attention/solution.hpp"), "utf8");

/** Replaces the editor's text by `text`, checks it, and waits until all checks have passed. @returns seconds since the click */
async function check(text) {
  await desk.click(".cm-content");
  await desk.keyboard.press("Control+A");
  await desk.keyboard.insertText(text);
  return desk.evaluate(() => new Promise((resolve) => {
    const start = performance.now(), results = document.getElementById("results");
    new MutationObserver((changes, observer) => {
      if (!results.querySelector(".verdict.right")) return;
      observer.disconnect();
      resolve((performance.now() - start) / 1000);
    }).observe(results, { subtree: true, childList: true, attributes: true });
    document.getElementById("check").click();
  }));
}

const first = await check(solution), warm = [];
for (let i = 0; i < 3; ++i) warm.push(await check(`${solution}// ${i}\n`));
report("Check, exercise 08, click to verdict, first time, s", first.toFixed(1));
report("the same, warm: the least of three, s", Math.min(...warm).toFixed(1));
const { processInfo } = await (await chromium.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
const field = (status, name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1000;
const peak = ({ id }) => {
  const status = readFileSync(`/proc/${id}/status`, "utf8");
  return field(status, "VmHWM") - field(status, "RssFile") - field(status, "RssShmem");
};
report("the tab's memory at most, without the browser's code, MB", Math.max(...processInfo.filter(({ type }) => type === "renderer").map(peak)).toFixed(0));
await chromium.close();
await server.close();
