// The page Check in Chromium: stubs and solutions, errors at their lines, endless programs, stored files, offline use.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import { pages, root, serve } from "./support.mjs";

const { chromium, server, text, visit } = pages({ after, before });
const source = (exercise, file) => readFileSync(path.join(root, "exercises", exercise, file), "utf8");
const address = (query = "", from = server()) => from.address.replace("index.html", `check/index.html${query}`);

// One profile for all tests, so that the compiler is downloaded once.
let profile;
after(() => profile?.close());
async function open(exercise, { context } = {}) {
  context ??= profile ??= await chromium().newContext({ viewport: { width: 1280, height: 900 } });
  const opened = await visit(address(exercise && `#${exercise}`), { context });
  await opened.page.waitForSelector(exercise ? "#exercise:not([hidden])" : "#list:not([hidden])");
  return opened;
}

/** Replaces the editor's text by typing `file`. */
async function type(page, file) {
  await page.click(".cm-content");
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(file);
}
const idle = (page, words = "Check") => page.waitForFunction((words) => document.getElementById("check").textContent === words, words, { timeout: 120000 });

/** Presses a button and waits until the check has ended. @returns the verdict's text */
async function check(page, button = "#check") {
  await page.click(button);
  await page.waitForFunction(() => document.getElementById("check").textContent === "Stop");
  await idle(page);
  return text(page, ".verdict");
}

test("the stub of exercise 03 says what to do; a typed solution passes, and ours is shown after it", async () => {
  const { page, end } = await open("softmax_backward");
  const bytes = readdirSync(path.join(root, "build/play/check")).filter((name) => name.endsWith(".brotli"))
    .reduce((sum, name) => sum + readFileSync(path.join(root, "build/play/check", name)).length, 0);
  await page.waitForFunction(() => document.getElementById("download").textContent);
  assert.match(await text(page, "#download"), new RegExp(`downloads ${(bytes / 1e6).toFixed(0)} MB once`));
  assert.equal(await check(page), "To do");
  assert.match(await text(page, "#results pre"), /^ {2}to do {3}/);
  await page.click("#solution");
  assert.match(await text(page, "#ours"), /has not passed yet/);
  await type(page, source("03_softmax_backward", "solution.hpp"));
  assert.equal(await check(page), "Every stage passed.");
  assert.equal(await page.locator(".stages .passed").count(), await page.locator(".stages li").count());
  await page.click("#solution");
  assert.equal(await page.locator("#ours pre").textContent(), source("03_softmax_backward", "solution.hpp"));
  await page.click("#places a");
  assert.match(await page.locator("#exercises tr").nth(2).innerText(), /^03.*passed$/s);
  await end();
});

test("hints come one by one, and a reload keeps file, hints and progress", async () => {
  const { page, end } = await open("masked_loss");
  assert.equal(await page.locator("#hints > div").count(), 0);
  await page.click("#hint");
  await page.click("#hint");
  await type(page, "// mine\n");
  await page.reload();
  await page.waitForSelector("#hints > div");
  assert.equal(await page.locator("#hints > div").count(), 2);
  assert.match(await text(page, ".cm-content"), /^\/\/ mine/);
  await page.click("#reset");
  assert.match(await text(page, ".cm-content"), /^#pragma once/);
  assert.equal(await page.locator("#hints > div").count(), 0);
  await page.click(".cm-content");
  await page.keyboard.press("Control+Z");
  assert.match(await text(page, ".cm-content"), /^\/\/ mine/);
  await page.goto(address("#softmax_backward"));
  await page.goto(address());
  assert.match(await page.locator("#exercises tr").nth(2).innerText(), /passed$/);
  await end();
});

test("exercise 08: an error is shown at its line, a mistake is named, the solution passes its checks and its training", async () => {
  const { page, end } = await open("additive_attention");
  const solution = source("08_additive_attention", "solution.hpp");
  const wrong = solution.replace("const Tensor e =", "const Tenso e ="), line = wrong.split("\n").findIndex((text) => text.includes("Tenso e")) + 1;
  await type(page, wrong);
  assert.equal(await check(page), "Your file does not compile yet. The first error:");
  assert.match(await text(page, "#results pre"), new RegExp(`^additive_attention\\.hpp:${line}:\\d+: error: unknown type name 'Tenso'`));
  assert.match(await text(page, "#results"), /The name Tenso is unknown here\./);
  await page.click("#results .link");
  assert.equal(await page.locator(".cm-activeLine").textContent(), wrong.split("\n")[line - 1]);
  const marker = await page.locator(".cm-lint-marker-error").boundingBox(), marked = await page.locator(".cm-activeLine").boundingBox();
  assert.ok(Math.abs(marker.y - marked.y) < marked.height, "the marker is beside the line");

  await type(page, solution.replace("tanh(W_a.forward(query) + memory.keys)", "W_a.forward(query) + memory.keys"));
  assert.equal(await check(page), "Not yet");
  assert.match(await text(page, "#results pre"), /looks like {2}The tanh is missing/);
  assert.equal(await page.locator(".cm-lint-marker-error").count(), 0);

  await type(page, solution);
  assert.match(await check(page), /^All checks passed\. The training is left/);
  assert.equal(await check(page, "#train"), "Every stage passed.");
  await end();
});

const order = (body) => `#pragma once
#include "02_topological_order/graph.hpp"
#include <vector>
inline int depth(int n) { volatile int local[64] = {n}; return n < 0 ? 0 : depth(n + 1) + local[0]; }
inline std::vector<scalar::Node*> topological_order(scalar::Node* result) { std::vector<scalar::Node*> found; ${body} return found; }`;

test("an endless loop is ended after its time, or by Stop; a crash is explained; then a check runs as before", async () => {
  const { page, end } = await open("topological_order");
  await page.clock.install();
  await type(page, order("for (volatile bool ever = true; ever;) {}"));
  const begin = async (button) => {
    await page.click(button);
    await page.waitForSelector(".stages .running", { timeout: 60000 });
  };
  await begin("#check");
  await page.clock.runFor(12000);
  assert.equal(await text(page, "#check"), "Stop");
  await page.clock.runFor(9000);
  await idle(page);
  assert.match(await text(page, ".verdict"), /^Still in the stage “a chain” after 20 s: an endless loop\?/);
  await begin("#patience");
  await page.clock.runFor(40000);
  assert.equal(await text(page, "#check"), "Stop");
  await page.click("#check");
  await idle(page);
  assert.match(await text(page, ".verdict"), /^You stopped the check\./);

  for (const [body, expected] of [["volatile int n = 0; n = 7 / n;", /divided an integer by zero.*“a chain”/],
                                  ["found[3] = result;", /index out of range/],
                                  ["found.resize(static_cast<std::size_t>(depth(0)));", /The stack overflowed/],
                                  ["std::exit(3);", /with exit code 3/]]) {
    await type(page, order(body).replace("#include <vector>", "#include <cstdlib>\n#include <vector>"));
    assert.match(await check(page), expected, body);
  }
  await type(page, source("02_topological_order", "solution.hpp"));
  assert.equal(await check(page), "Every stage passed.");
  await end();
});

test("an export is an archive of exercises/mine, and another browser imports it", async () => {
  const { page, end } = await open("");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
  assert.equal(download.suggestedFilename(), "gradus-exercises.tar");
  const archive = readFileSync(await download.path());
  await end();
  const other = await open("", { context: await chromium().newContext() });
  await other.page.setInputFiles("#imported", [{ name: "mine.tar", mimeType: "application/x-tar", buffer: archive },
                                               { name: "notes.hpp", mimeType: "text/plain", buffer: Buffer.from("") }]);
  await other.page.waitForFunction(() => document.getElementById("filesStatus").textContent);
  assert.match(await text(other.page, "#filesStatus"), /^Imported: .*softmax_backward\.hpp.*progress\.json\. Unknown files: notes\.hpp\.$/);
  assert.match(await other.page.locator("#exercises tr").nth(2).innerText(), /passed$/);
  await other.page.click("a[href='#softmax_backward']");
  await other.page.waitForFunction(() => document.querySelector(".cm-content")?.textContent.includes("softmax_backward"));
  await other.end();
});

test("after the first visit, the page works without a server", async () => {
  const local = await serve(), own = await chromium().newContext(), page = await own.newPage();
  await page.goto(address("#softmax_backward", local));
  await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active.state === "activated");
  await type(page, source("03_softmax_backward", "solution.hpp"));
  assert.equal(await check(page), "Every stage passed.");
  await local.close();
  await page.reload();
  await page.waitForSelector("#exercise:not([hidden])");
  assert.match(await text(page, ".cm-content"), /^#pragma once/);
  assert.equal(await check(page), "Every stage passed.");
  await own.close();
});

test("by keyboard: Ctrl-Enter checks, Escape and Tab leave the editor", async () => {
  const { page, end } = await open("");
  await page.focus("a[href='#scalar_tanh']");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#exercise:not([hidden])");
  await page.focus(".cm-content");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => document.getElementById("check").textContent === "Stop");
  await idle(page);
  assert.equal(await text(page, ".verdict"), "To do");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "check");
  await end();
});

test("Chinese, dark, on a phone: nothing is wider than the screen, and every statement is shown", async () => {
  const { page, end } = await visit(address("?lang=zh"), { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true });
  await page.waitForSelector("#list:not([hidden])");
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  assert.ok(await fits());
  const names = await page.$$eval("#exercises a", (links) => links.map((link) => link.hash));
  assert.equal(names.length, readdirSync(path.join(root, "exercises")).filter((name) => /^\d\d_/.test(name)).length + 3);  // + three sittings
  for (const name of names) {
    await page.goto(address(`?lang=zh${name}`));
    await page.waitForFunction(() => document.getElementById("statement").textContent.length > 100);
    assert.ok(await fits(), name);
    assert.equal(await page.locator("#statement math .katex-error, #statement .katex-error").count(), 0, name);
  }
  assert.equal(await text(page, "#check"), "检查");
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(27, 31, 35)");
  await page.tap("#hint");
  assert.equal(await page.locator("#hints > div").count(), 1);
  await end();
});

test("a download that fails is reported, and can be tried again", async () => {
  const own = await chromium().newContext({ serviceWorkers: "block" }), page = await own.newPage();
  await page.goto(address("#adam"));
  await own.route("**/library.tar.brotli*", (route) => route.fulfill({ status: 404 }));
  await page.waitForSelector("#exercise:not([hidden])");
  await page.click("#check");
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("library.tar.brotli: 404"), undefined, { timeout: 60000 });
  assert.equal(await text(page, "#check"), "Check");
  await own.close();
});

test("every word is there in both languages", async () => {
  const { languages } = await import(path.join(root, "build/play/check/strings.js"));
  const shape = (words) => Object.entries(words).map(([name, value]) =>
    typeof value === "object" ? [name, shape(value)] : [name, typeof value, value.length > 0]).sort();
  assert.deepEqual(shape(languages.zh), shape(languages.en));
});
