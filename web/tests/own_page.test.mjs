// The page Play in Chromium trains with an attention that the reader wrote in Check, and opens files that `gradus train` wrote.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { key } from "../play/stored.js";
import { defaults, gradus, pages, root, toHash } from "./support.mjs";

const { chromium, server, text, visit } = pages({ after, before });
const solution = readFileSync(path.join(root, "exercises/08_additive_attention/solution.hpp"), "utf8");
const begin = "const Tensor inside =";
const play = (values = {}, input = "31415", query = "") => server().address + query + toHash({ ...defaults(), steps: 60, ...values }, input);
const mine = { "b.attention": "own-additive" };
const trained = { timeout: 120000 };
const created = (page) => page.waitForFunction(() => !document.getElementById("start").disabled, undefined, trained);
const message = async (page) => {
  await page.waitForFunction(() => document.getElementById("message").textContent, undefined, trained);
  return text(page, "#message");
};

// The contents of Check's storage after exercise 08 has passed with this file.
const passedWith = (file) => JSON.stringify({ progress: { additive_attention: { passed: true } }, files: { additive_attention: file } });

// One profile for the tests that need the compiler, so that it is downloaded once.
let profile;
after(() => profile?.close());

/** Opens a page in a profile in which `file` has passed as the solution of exercise 08. */
async function open(address, file = solution) {
  const opened = await visit(server().address.replace("index.html", "check/index.html"), { context: profile });
  await opened.page.evaluate(([key, kept]) => localStorage.setItem(key, kept), [key, passedWith(file)]);
  await opened.page.goto(address);
  return opened;
}

test("an attention that passes in Check is chosen by keyboard in Play, is compiled there, and learns", async () => {
  profile = await chromium().newContext({ viewport: { width: 1280, height: 900 } });
  const { page, end } = await visit(play(), { context: profile });
  await created(page);
  assert.equal(await page.locator("#setting-b\\.attention option[value^=own]").count(), 0);
  assert.match(await text(page, "#settings"), /becomes a choice when it has passed/);
  await page.click("a.exercise");
  await page.waitForSelector("#exercise:not([hidden])");
  await page.click(".cm-content");
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(solution);
  const check = async (button) => {
    await page.click(button);
    await page.waitForFunction(() => document.getElementById("check").textContent === "Stop");
    await page.waitForFunction(() => document.getElementById("check").textContent === "Check", undefined, trained);
  };
  await check("#check");
  await check("#train");
  assert.equal(await text(page, ".verdict"), "Every stage passed.");

  await page.goto(play());
  await created(page);
  await page.focus("#setting-b\\.attention");
  await page.keyboard.type("yours");
  assert.equal(await page.inputValue("#setting-b\\.attention"), "own-additive");
  await page.waitForFunction(() => /stored in this browser/.test(document.getElementById("own-b.attention").textContent));
  await page.focus("#apply");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /Compiling/.test(document.getElementById("ownNote").textContent), undefined, trained);
  await created(page);
  assert.ok(await page.isHidden("#own"));
  assert.equal(await page.locator(".model h3").nth(1).innerText(), "B: Bahdanau, yours: AdditiveAttention");
  await page.focus("#start");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("start").disabled, undefined, trained);
  const losses = (await page.locator("#loss svg").getAttribute("aria-label")).match(/[\d.]+$/)[0];
  assert.ok(Number(losses) < 2.3, losses);
  assert.equal(await page.locator(".model").nth(1).locator(".weight").count(), 30);
  await page.focus(".model:nth-child(2) [tabindex='0']");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-name='α']");
  assert.equal(await page.locator("[data-name='e']").count(), 0);
  assert.match(await text(page, ".inside"), /αt = attend\(st−1, h\)/);

  // The browser keeps the compiled trainer, so another visit must not download the compiler.
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.reload();
  await created(page);
  assert.equal(await page.inputValue("#setting-b\\.attention"), "own-additive");
  assert.ok(!requests.some((url) => /compile_worker|\.brotli/.test(url)), requests.join("\n"));
  await end();
});

test("an endless loop is ended after its time, and a crash at once; the page trains another attention afterwards", async () => {
  const { page, end } = await open(play(), solution.replace(begin, `for (volatile bool ever = true; ever && query.size(0) > 1;) {} ${begin}`));
  await created(page);
  await page.clock.install();
  await page.selectOption("#setting-b\\.attention", "own-additive");
  await page.click("#apply");
  await page.waitForFunction(() => document.querySelector(".model:nth-child(2)")?.textContent.includes("yours"), undefined, trained);
  await page.clock.runFor(21000);
  assert.match(await message(page), /^Your attention has not returned for 20 s, so its training was ended: an endless loop\?.*Change it in Check/);
  assert.match(await page.getAttribute("#ownChange", "href"), /^check\/index\.html\?lang=en#additive_attention$/);
  assert.ok(await page.isDisabled("#start"));
  await page.selectOption("#setting-b\\.attention", "dot");
  await page.click("#apply");
  await created(page);
  assert.equal(await text(page, "#message"), "");
  await end();

  for (const [code, expected] of [["std::vector<int> none; none[static_cast<std::size_t>(query.size(0))] = 1;", /^Your attention ended the training\. Your code aborted: an index out of range/],
                                  ["std::exit(3);", /with exit code 3/]]) {
    const crashing = await open(play(mine), solution.replace(begin, `${code} ${begin}`).replace("#pragma once", "#pragma once\n#include <cstdlib>"));
    assert.match(await message(crashing.page), expected);
    await crashing.page.click("#reset");
    assert.match(await message(crashing.page), expected);
    await crashing.end();
  }
});

test("a file that does not compile with the trainer shows its first error, and leads to Check", async () => {
  const { page, end } = await open(play(mine), solution.replace("const Tensor e =", "const Tenso e ="));
  await page.waitForSelector("#ownErrors:not([hidden])", trained);
  assert.match(await text(page, "#ownErrors"), /^additive_attention\.hpp:\d+:\d+: error: unknown type name 'Tenso'/);
  await page.click("#ownChange");
  await page.waitForSelector("#exercise:not([hidden])");
  assert.match(await text(page, ".cm-content"), /Tenso e =/);
  await end();
});

test("on a phone, in Chinese and dark: an address waits for the reader before the compiler is downloaded, and can be stopped", async () => {
  const context = await chromium().newContext({ viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true });
  await context.addInitScript(([key, kept]) => localStorage.setItem(key, kept), [key, passedWith(solution)]);
  const { page, end } = await visit(play(mine, "31415", "?lang=zh"), { context });
  await page.waitForSelector("#ownGo:not([hidden])");
  assert.match(await text(page, "#ownNote"), /需要下载 \d+\.\d MB（只下载一次），编译时最多占用 \d+ MB 内存/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await page.tap("#ownGo");
  await page.waitForSelector("#ownStop:not([hidden])");
  await page.tap("#ownStop");
  assert.match(await text(page, "#ownNote"), /^已停止/);
  await page.selectOption("#setting-b\\.attention", "additive");
  await page.tap("#apply");
  await created(page);
  await end();
  await context.close();
});

test("an address with an attention that has not passed in this browser says so, and uses additive", async () => {
  const { page, end } = await visit(play(mine));
  await created(page);
  assert.equal(await text(page, "#message"), "The address names attentions that have not passed in this browser; additive is used: yours: AdditiveAttention.");
  assert.equal(await page.inputValue("#setting-b\\.attention"), "additive");
  await end();
});

test("a run of gradus train is opened, shown, trained further and reset; another file is refused", async () => {
  const out = mkdtempSync(path.join(os.tmpdir(), "gradus-opened-"));
  const train = (name, ...options) => {
    execFileSync(gradus, ["train", "--out", path.join(out, name), "--task", "reverse", "--threads", "1", "--embedding", "16", "--hidden", "32", "--energy", "24",
                          "--examples", "5000", "--held-out", "50", "--eval-every", "1000", ...options], { stdio: "ignore" });
    return path.join(out, name, "last.safetensors");
  };
  const file = train("mine", "--steps", "250", "--max-length", "6", "--learning-rate", "0.01");
  const { page, end } = await visit(play());
  await created(page);
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.focus("#open").then(() => page.keyboard.press("Enter"))]);
  await chooser.setFiles(file);
  await page.waitForFunction(() => document.getElementById("openStatus").textContent);
  assert.equal(await text(page, "#openStatus"), "Model A is last.safetensors, after 250 updates. You can continue its training. Reset brings these weights back.");
  await page.waitForFunction(() => document.querySelectorAll(".model").length === 1);
  assert.equal(await page.inputValue("#setting-a\\.hidden"), "32");
  await page.fill("#input", "3 1 4");
  const written = () => page.locator(".model .tokens").innerText();
  const translation = execFileSync(gradus, ["translate", "--model", file], { input: "3 1 4\n", encoding: "utf8" }).trim();
  await page.waitForFunction((expected) => document.querySelector(".model .tokens").innerText.startsWith(`writes ${expected}`), translation);
  const before = await written();
  assert.ok(await page.locator(".model .weight").count() > 0);
  await page.click("#start");
  await page.waitForFunction(() => Number(document.getElementById("progress").textContent.match(/\d+/)[0]) > 3);
  await page.click("#start");
  await page.click("#reset");
  await page.waitForFunction(() => document.getElementById("progress").textContent.startsWith("update 0 "));
  assert.equal(await written(), before);

  await page.setInputFiles("#file", train("deep", "--steps", "2", "--layers", "2"));
  await page.waitForFunction(() => document.getElementById("openError").textContent);
  assert.equal(await text(page, "#openError"), "last.safetensors: the page cannot show this model: layers is 2 (supported: 1)");
  assert.equal(await written(), before);

  // The first file again, dropped on the page.
  const bytes = readFileSync(file).toString("base64");
  const data = await page.evaluateHandle((bytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], "dropped.safetensors"));
    return transfer;
  }, bytes);
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  await page.waitForFunction(() => document.getElementById("openStatus").textContent.startsWith("Model A is dropped.safetensors"));

  // A model of another size begins with random weights.
  await page.fill("#setting-a\\.hidden", "16");
  await page.click("#apply");
  assert.equal(await text(page, "#openStatus"), "These settings do not fit dropped.safetensors: model A begins with random weights.");
  await end();
});

test("a date is typed, and the page shows where the model looks and what is right", async () => {
  const { page, end } = await visit(play({ task: "dates", "a.decoder": "bahdanau", "b.decoder": "none", steps: 30 }, "3rd of March 1998"));
  await created(page);
  await page.waitForFunction(() => document.getElementById("target").textContent.startsWith("1 9 9 8 - 0 3 - 0 3"));
  assert.equal(await page.locator(".model .weight").count(), 11 * 17);
  await page.fill("#input", "12/31/98");
  await page.waitForFunction(() => document.getElementById("target").textContent.startsWith("1 9 9 8 - 1 2 - 3 1"));
  assert.equal(await page.locator(".model .weight").count(), 11 * 8);
  await page.fill("#input", "some day");
  await page.waitForFunction(() => document.getElementById("target").textContent.startsWith("This is not a date"));
  await end();
});
