// The page Play in Chromium: it trains, shows its results, and keeps its settings in the address. It works by keyboard, in both
// languages, in light and dark, and on a phone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { defaults, expectSameWeights, pages } from "./support.mjs";

const { chromium, open, server, text } = pages({ after, before });
const finished = (page) => page.waitForFunction(() => document.getElementById("start").disabled, undefined, { timeout: 120000 });

test("two models train: the attending one learns to reverse, the other one does not yet", async () => {
  const { page, end } = await open({ values: { steps: 500 }, input: "314159265358" });
  await page.click("#start");
  await finished(page);
  assert.match(await text(page, "#progress"), /500.*500/);
  const [fixed, bahdanau] = [page.locator(".model").nth(0), page.locator(".model").nth(1)];
  assert.match(await fixed.innerText(), /no attention/);
  assert.equal(await bahdanau.locator(".token.right").count(), 13);
  assert.equal(await bahdanau.locator(".token.wrong").count(), 0);
  assert.ok(await fixed.locator(".token.wrong").count() > 0);
  const label = await page.locator("#exact svg").getAttribute("aria-label");
  const [, a, b] = label.match(/^Exact match by length. A: fixed context: ([\d.]+), B: Bahdanau: ([\d.]+)$/);
  assert.ok(Number(a) < 0.6 && Number(b) > 0.9, label);
  await bahdanau.locator("[data-t='0'][data-j='11']").hover();
  const weight = Number((await bahdanau.locator(".reading").innerText()).match(/= (\d\.\d+)/)[1]);
  assert.ok(weight > 0.5, `α(1, 12) = ${weight}`);
  await end();
});

test("the same address gives the same weights in Chromium as in node", async () => {
  const { page, end } = await open();
  await expectSameWeights(page);
  await end();
});

test("start, pause, one update, reset", async () => {
  const { page, end } = await open();
  const step = async () => Number((await text(page, "#progress")).match(/\d+/)[0]);
  await page.click("#update");
  await page.waitForFunction(() => document.getElementById("progress").textContent.startsWith("update 1 "));
  await page.click("#start");
  await page.waitForFunction(() => Number(document.getElementById("progress").textContent.match(/\d+/)[0]) > 5);
  await page.click("#start");
  await page.waitForFunction(() => document.getElementById("status").textContent === "Paused.");
  await page.waitForTimeout(200);
  const paused = await step();
  await page.waitForTimeout(300);
  assert.equal(await step(), paused);
  await page.click("#reset");
  await page.waitForFunction(() => document.getElementById("progress").textContent.startsWith("update 0 "));
  await end();
});

test("the whole setting is in the address, and the form changes it", async () => {
  const { page, end } = await open({ values: { task: "sort", seed: 3, "b.decoder": "none" }, input: "210" });
  assert.equal(await page.inputValue("#setting-task"), "sort");
  assert.equal(await page.locator(".model").count(), 1);
  assert.equal(await text(page, "#target"), "0 1 2 ⏎");
  await page.fill("#setting-seed", "4");
  await page.press("#setting-seed", "Enter");
  await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get("seed") === "4");
  const given = new URLSearchParams(new URL(page.url()).hash.slice(1));
  for (const [name, value] of Object.entries({ ...defaults(), task: "sort", seed: 4, "b.decoder": "none", input: "210" }))
    assert.equal(given.get(name), String(value), name);
  await page.fill("#setting-seed", "-1");
  await page.click("#apply");
  assert.match(await text(page, "#settings .complaint"), /^seed: must be a number from 0 to/);
  await page.fill("#input", "2 x");
  await page.waitForFunction(() => document.getElementById("inputError").textContent);
  assert.equal(await text(page, "#inputError"), "unknown token 'x'; the task's tokens are 0 to 9");
  await end();
});

test("the form chooses Luong's decoders, and they learn", async () => {
  const { page, end } = await open({ values: { steps: 40 }, input: "314" });
  for (const [decoder, name] of [["luong", "B: Luong"], ["luong_feeding", "B: Luong with input feeding"]]) {
    await page.selectOption('[name="b.decoder"]', decoder);
    await page.click("#apply");
    await page.waitForFunction((name) => document.querySelectorAll(".model h3")[1]?.innerText === name, name);
    await page.waitForFunction(() => !document.getElementById("start").disabled);
    await page.click("#start");
    await finished(page);
    const label = await page.locator("#loss svg").getAttribute("aria-label");
    assert.ok(Number(label.match(/[\d.]+$/)[0]) < 2.5, label);
    assert.ok(await page.locator(".model:nth-child(2) [data-j='0']").count() > 0);
  }
  await end();
});

test("a phrase is translated, by the trainer that the page loads for phrases", async () => {
  const { page, end } = await open();
  await page.selectOption("#setting-task", "eng-cmn");
  assert.ok(await page.isDisabled("#setting-symbols"));
  await page.selectOption('[name="a.decoder"]', "bahdanau");
  await page.selectOption('[name="b.decoder"]', "none");
  await page.click("#apply");
  await page.waitForFunction(() => document.getElementById("inputNote").textContent.includes("English phrase"));
  await page.fill("#input", "He wants to go to Paris.");
  await page.click("#start");
  await page.waitForFunction(() => Number(document.getElementById("progress").textContent.match(/\d+/)?.[0]) > 350, undefined, { timeout: 120000 });
  await page.click("#start");
  assert.equal(await text(page, "#target"), "他 想 去 巴 黎 。 ⏎ (from the training)");
  assert.match(await text(page, "#exact ~ p"), /held-out/);
  assert.match(await page.locator(".legend").last().innerText(), /^A: Bahdanau: \d+ % in training, \d+ % held out, BLEU \d+$/);
  await page.waitForFunction(() => document.querySelectorAll(".token.right").length === 7);
  await page.locator("[data-t='3'][data-j='0']").click();
  await page.waitForSelector(".inside:not([hidden]) [data-name='p'] text");
  assert.equal(await page.locator("[data-name='p'] text").count(), 8);
  await page.fill("#input", "He wants to go to Rome.");
  await page.waitForFunction(() => document.getElementById("inputError").textContent.startsWith("unknown word 'rome'"));
  assert.equal(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("task"), "eng-cmn");
  await end();
});

test("the heatmap is read by keyboard", async () => {
  const { page, end } = await open({ input: "123" });
  await page.focus(".model:nth-child(2) [tabindex='0']");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  assert.match(await text(page, ".model:nth-child(2) .reading"), /^α\(2, 2\) = \d\.\d{3}: to write “2”/);
  await page.click("#update");  // the number under the pointer changes with the weights
  await page.focus(".model:nth-child(2) [tabindex='0']");
  assert.match(await text(page, ".model:nth-child(2) .reading"), /^α\(2, 2\)/);
  await end();
});

test("a trainer that cannot be loaded is reported", async () => {
  const page = await chromium().newPage();
  await page.route("**/trainer.wasm", (route) => route.fulfill({ status: 404 }));
  await page.goto(server().address);
  await page.waitForFunction(() => document.getElementById("message").textContent);
  assert.match(await text(page, "#message"), /^trainer.wasm: 404/);
  await page.close();
});

test("Chinese, dark, on a phone: nothing is wider than the screen", async () => {
  const { page, end } = await open({ query: "?lang=zh", viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true });
  assert.equal(await page.getAttribute("html", "lang"), "zh");
  assert.equal(await text(page, "#start"), "开始");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(ground, "rgb(27, 31, 35)");
  await page.tap("#start");
  await page.waitForFunction(() => Number(document.getElementById("progress").textContent.match(/\d+/)[0]) > 3);
  await end();
});

test("every word is there in both languages", async () => {
  const [zh, en] = await Promise.all(["zh", "en"].map((language) => import(new URL(`../play/strings.${language}.js`, import.meta.url))));
  const shape = (words) => Object.entries(words).map(([name, value]) =>
    typeof value === "object" ? [name, shape(value)] : [name, typeof value, value.length > 0]).sort();
  assert.deepEqual(shape(zh.words), shape(en.words));
});
