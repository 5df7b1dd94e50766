// The view inside a step, in Chromium: forward, backward, and with values that the reader drags.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { defaults, loadTrainer, pages, toRequest } from "./support.mjs";

const { open, text } = pages({ after, before });
const part = (name) => `.inside [data-name='${name}'] svg`;
const read = async (page) => Number((await text(page, ".inside output")).match(/= (\S+)$/)[1]);

async function lookInside(page) {
  await page.click(".model:nth-child(2) [data-t='1'][data-j='0']");
  await page.waitForSelector(".inside:not([hidden]) figure");
}

test("one looks inside a step, and closes it", async () => {
  const { page, end } = await open({ input: "123" });
  await lookInside(page);
  assert.match(await text(page, ".inside h3"), /^Step 2: the decoder has read “3” and writes “2”$/);
  assert.deepEqual(await page.locator(".inside figure").evaluateAll((figures) => figures.map(({ dataset }) => dataset.name)),
                   ["st−1", "hj", "e", "α", "ct", "r", "z", "n", "st", "ℓ", "p"]);
  await page.focus(part("α"));
  await page.keyboard.press("ArrowRight");
  assert.match(await text(page, ".inside output"), /^α\[1\] = \d\.\d{4}$/);
  const shown = await page.locator(".model:nth-child(2) .weight").nth(3).getAttribute("fill-opacity");
  assert.ok(Math.abs(await read(page) - Number(shown)) < 0.001);
  await page.click(".inside .close");
  await page.locator(".inside").waitFor({ state: "hidden" });
  await end();
});

test("backwards it shows the trainer's gradients", async () => {
  const { page, end } = await open({ input: "123" });
  const trainer = await loadTrainer();
  trainer.ask({ do: "create", settings: toRequest(defaults()) });
  const step = trainer.ask({ do: "inside", model: 1, text: "123", step: 1, forced: true });
  await lookInside(page);
  await page.check("[name=way][value=backward]");
  assert.ok((await text(page, ".inside")).includes(`= ${step.loss.toFixed(4)}`));
  for (const [name, values] of [["ē", step.energies.gradient], ["s̄t−1", step.before.gradient], ["c̄t", step.context.gradient],
                                ["h̄j", step.annotations.gradient[0]], ["n̄", step.gates[2].gradient]]) {
    await page.focus(part(name));
    for (const value of values.slice(0, 2)) {
      await page.keyboard.press("ArrowRight");
      const found = await read(page);
      assert.ok(Math.abs(found - value) <= Math.max(0.00006, 0.006 * Math.abs(value)), `${name}: ${found}, not ${value}`);
    }
  }
  assert.equal(await page.locator(".gradients tbody tr").count(), step.parameters.length);
  const W_a = step.parameters.find(({ name }) => name === "decoder.attention.W_a.weight");
  const row = page.locator(".gradients tbody tr", { hasText: W_a.name });
  assert.equal((await row.innerText()).split("\t")[2], W_a.norm.toExponential(2));
  const painted = await row.locator("canvas").evaluate((canvas) =>
    new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((_, i) => i % 4 === 3)).size);
  assert.ok(painted > 10, `${painted} shades`);
  await end();
});

test("a dragged state or annotation moves the weights, and can be put back", async () => {
  const { page, end } = await open({ input: "123" });
  await lookInside(page);
  const weights = () => page.locator(`${part("α")} rect:not(.cursor)`).evaluateAll((bars) => bars.map((bar) => bar.getAttribute("height")));
  const before = await weights();
  assert.ok(await page.isDisabled("text=Put the model's numbers back"));
  await page.locator(part("st−1")).scrollIntoViewIfNeeded();
  const box = await page.locator(part("st−1")).boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y - 90, { steps: 5 });
  await page.locator(`${part("α")} .before`).first().waitFor({ state: "attached" });
  assert.notDeepEqual(await weights(), before);
  await page.waitForFunction(() => document.querySelector(".inside output").innerText.endsWith("= 1.0000"));  // a state's largest value
  await page.mouse.up();
  assert.match(await text(page, ".inside"), /without your change/);
  await page.click("text=Put the model's numbers back");
  await page.locator(`${part("α")} .before`).first().waitFor({ state: "detached" });
  assert.deepEqual(await weights(), before);
  await page.selectOption("#annotation", "2");
  await page.focus(part("hj"));
  for (const key of ["ArrowRight", ...Array(9).fill("ArrowUp")]) await page.keyboard.press(key);
  await page.locator(`${part("α")} .before`).first().waitFor({ state: "attached" });
  assert.notDeepEqual(await weights(), before);
  await page.fill("#input", "12");  // a new source discards the replaced annotations
  await page.locator(`${part("α")} .before`).first().waitFor({ state: "detached" });
  await end();
});

test("a step is read on a phone, in Chinese, in the dark, while the model trains", async () => {
  const { page, end } = await open({ input: "314", query: "?lang=zh", viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true });
  await page.tap(".model:nth-child(2) [data-t='1'][data-j='0']");
  await page.waitForSelector(".inside:not([hidden]) figure");
  await page.tap("[name=way][value=backward]");
  await page.tap("#start");
  const loss = () => text(page, ".inside p >> nth=0");
  const first = await loss();
  await page.waitForFunction((old) => document.querySelector(".inside p").innerText !== old, first);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await end();
});
