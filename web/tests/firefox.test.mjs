// Both pages in Firefox: Debian's firefox-esr, driven by puppeteer over WebDriver BiDi.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";

import puppeteer from "puppeteer-core";

import { defaults, expectSameWeights, root, serve, toHash } from "./support.mjs";

let firefox, server;
before(async () => {
  server = await serve();
  firefox = await puppeteer.launch({ browser: "firefox", executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", headless: true });
});
after(async () => {
  await firefox?.close();
  await server?.close();
});

/** Opens a page. Every error on the page fails the test. */
async function open(address) {
  const page = await firefox.newPage(), faults = [];
  await page.setViewport({ width: 1280, height: 900 });
  page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(address);
  return { page, end: async () => { await page.close(); assert.deepEqual(faults, []); } };
}
const text = (page, selector) => page.$eval(selector, (element) => element.innerText);
const until = (page, condition, ...values) => page.waitForFunction(condition, { timeout: 120000 }, ...values);

test("Play trains, and shows where the model looks", async () => {
  const { page, end } = await open(server.address + toHash({ ...defaults(), steps: 40 }));
  await until(page, () => !document.getElementById("start").disabled);
  await page.click("#start");
  await until(page, () => document.getElementById("start").disabled);
  assert.match(await text(page, "#progress"), /40.*40/);
  assert.ok(await page.$(".model [data-t='0'][data-j='0']"));
  await end();
});

test("the same address gives the same weights as in node", async () => {
  const { page, end } = await open(server.address);
  await expectSameWeights(page);
  await end();
});

/** Helpers for an exercise in Check: type a file, click a button and wait for the verdict. */
async function exercise(page) {
  await page.waitForSelector("#exercise:not([hidden])");
  const idle = () => until(page, () => document.getElementById("check").textContent === "Check");
  const check = async (button = "#check") => {
    await page.click(button);
    await until(page, () => document.getElementById("check").textContent === "Stop");
    await idle();
    return text(page, ".verdict");
  };
  const type = async (file) => {
    await page.click(".cm-content");
    await page.keyboard.down("Control");
    await page.keyboard.press("a");
    await page.keyboard.up("Control");
    // In Firefox, puppeteer can only type a text key by key. This command inserts the whole text at once.
    await page.evaluate((file) => document.execCommand("insertText", false, file), file);
  };
  return { idle, check, type };
}
const solutionOf = (folder) => readFileSync(path.join(root, "exercises", folder, "solution.hpp"), "utf8");

test("Check: stub, error at its line, endless loop, solution; a reload keeps them", async () => {
  const { page, end } = await open(server.address.replace("index.html", "check/index.html#softmax_backward"));
  const solution = solutionOf("03_softmax_backward"), { idle, check, type } = await exercise(page);
  assert.equal(await check(), "To do");

  await type(solution.replace("return y", "return unknown"));
  assert.equal(await check(), "Your file does not compile yet. The first error:");
  assert.ok(await page.$(".cm-lint-marker-error"));

  await type(solution.replace("return ", "for (volatile bool ever = true; ever;) {}\n  return "));
  await page.click("#check");
  await page.waitForSelector(".stages .running", { timeout: 60000 });
  await page.click("#check");
  await idle();
  assert.match(await text(page, ".verdict"), /^You stopped the check\./);

  await type(solution);
  assert.equal(await check(), "Every stage passed.");
  await page.reload();
  await page.waitForSelector("#exercise:not([hidden])");
  assert.match(await text(page, ".cm-content"), /softmax_backward/);
  await page.click("#places a");
  await until(page, () => /^03.*passed$/s.test(document.querySelectorAll("#exercises tr")[2].innerText));
  await end();
});

test("an attention that passes in Check becomes a choice in Play, is compiled there, and learns", async () => {
  const address = server.address + toHash({ ...defaults(), steps: 60 }, "31415"), { page, end } = await open(address);
  const created = () => until(page, () => !document.getElementById("start").disabled);
  await created();
  assert.equal(await page.$("#setting-b\\.attention option[value=own-additive]"), null);
  await page.click("a.exercise");
  const { check, type } = await exercise(page);
  await type(solutionOf("08_additive_attention"));
  await check();
  assert.equal(await check("#train"), "Every stage passed.");

  await page.goto(address);
  await created();
  await page.select("#setting-b\\.attention", "own-additive");
  await page.click("#apply");
  await until(page, () => /yours: AdditiveAttention/.test(document.querySelectorAll(".model h3")[1]?.innerText));
  await created();
  await page.click("#start");
  await until(page, () => document.getElementById("start").disabled);
  const loss = Number((await page.$eval("#loss svg", (svg) => svg.getAttribute("aria-label"))).match(/[\d.]+$/)[0]);
  assert.ok(loss < 2.3, String(loss));
  assert.equal((await page.$$(".model:nth-child(2) .weight")).length, 30);
  await end();
});
