// The switches of "break it": their effects in the trainer and in the page.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { defaults, loadTrainer, pages, toRequest } from "./support.mjs";

const { open, text } = pages({ after, before });
const switched = { mask: "off", tanh: "off", backward: "off", query: "after", start: "last" };
const right = { "a.decoder": "bahdanau" };
const settings = (changes) => toRequest({ ...defaults(), ...right, ...changes });

test("each mistake changes the loss, learns, shows in its own experiments and in no other", async () => {
  const trainer = await loadTrainer();
  const losses = {}, found = {};
  for (const name of ["none", ...Object.keys(switched)]) {
    trainer.ask({ do: "create", settings: settings({ longest: 6, ...(name !== "none" && { [`a.${name}`]: switched[name] }) }) });
    losses[name] = trainer.ask({ do: "step", count: 30 }).losses;
    found[name] = trainer.ask({ do: "symptoms", text: "3142" }).models;
    assert.deepEqual(found[name][1], found.none[1]);  // model B does not depend on A
  }
  assert.deepEqual(losses.none.map(([a]) => a), losses.none.map(([, b]) => b));
  for (const name of Object.keys(switched)) {
    assert.ok(losses[name].some(([a, b]) => Math.abs(a - b) > 1e-4), `${name} changes the loss`);
    assert.ok(losses[name][29][0] < losses[name][0][0], `${name} learns`);
    const pads = found[name][0].pads;
    ["mask", "start"].includes(name) ? assert.ok(pads > 1e-4, `${name}: ${pads}`) : assert.ok(pads < 1e-5, `${name}: ${pads}`);
    const { later, steps, query } = found[name][0];
    name === "backward" ? assert.equal(later, 0) : assert.ok(later > 1e-3, `${name}: ${later}`);
    name === "tanh" ? assert.ok(steps < 1e-6 && query < 1e-6, `${name}: ${steps}, ${query}`)
                    : assert.ok(steps > 1e-3 && query > 1e-5, `${name}: ${steps}, ${query}`);
  }
});

test("mistakes that a model cannot have are refused, and so is saving one", async () => {
  const trainer = await loadTrainer();
  const create = (model) => trainer.ask({ do: "create", settings: { ...settings({ "b.decoder": "none" }), models: [model] } });
  assert.throws(() => create({ decoder: "fixed", mistakes: { no_mask: true } }),
                { message: "the decoder fixed has no mistakes to switch on; choose the decoder bahdanau" });
  assert.throws(() => create({ mistakes: { no_bias: true } }), /^Error: mistakes: unknown setting in \{"no_bias":true\}; available: no_mask, /);
  create({ mistakes: { no_mask: true } });
  assert.throws(() => trainer.checkpoint(0),
                { message: "a model with mistakes cannot be saved: gradus would run it without them; switch them off" });
  assert.throws(() => trainer.ask({ do: "inside", model: 0, text: "31", step: 0, forced: true }),
                { message: "a decoder with mistakes cannot be shown part by part; switch them off" });
  create({ bidirectional: false, mistakes: { wrong_end: true } });
  assert.throws(() => trainer.ask({ do: "step" }),
                { message: "the mistake needs a backward direction; choose the encoder with both directions" });
});

test("the page says what a switch changes, with numbers of the models", async () => {
  const { page, end } = await open({ values: { ...right, longest: 6 }, input: "3142" });
  assert.ok(await page.isHidden(".symptoms"));
  await page.click("summary >> nth=0");
  await page.selectOption("#setting-a\\.tanh", "off");
  await page.click("#apply");
  await page.waitForSelector(".symptoms:not([hidden])");
  assert.match(await text(page, ".symptoms li"), /^A: Bahdanau, no tanh:/);
  assert.match(page.url(), /a\.tanh=off/);
  await page.click("#update");
  const row = (experiment) => page.locator(`[data-experiment=${experiment}] td`).allInnerTexts();
  await page.waitForFunction(() => document.querySelector("[data-experiment=query] td:last-child").textContent.match(/\d/));
  const [, a, b] = (await row("query")).map(Number);
  assert.ok(a < 1e-8 && b > 1e-7, `${a}, ${b}`);
  await page.selectOption("#setting-a\\.attention", "dot");
  assert.ok(await page.isDisabled("#setting-a\\.tanh"));  // this switch has no effect now
  await end();
});

test("a mistake in Chinese on a phone fits the screen", async () => {
  const { page, end } = await open({ values: { ...right, "a.mask": "off", "b.start": "last" }, query: "?lang=zh", input: "314",
                                     viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await page.waitForSelector(".symptoms:not([hidden])");
  assert.equal(await page.locator(".symptoms li").count(), 2);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  await end();
});
