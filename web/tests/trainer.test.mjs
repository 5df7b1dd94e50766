// The WebAssembly trainer in node: it agrees with the native trainer, learns, and reports errors.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

import { NativeTrainer, defaults, gradus, loadTrainer, toRequest } from "./support.mjs";

const settings = (changes = {}) => toRequest({ ...defaults(), ...changes });

test("every error is a message, and the trainer continues", async () => {
  const trainer = await loadTrainer();
  const refuses = (request, message) => assert.throws(() => trainer.ask(request), { message });
  refuses({ do: "step" }, 'there is no session; send {"do": "create"} first');
  refuses({ do: "dance" }, "unknown request 'dance'");
  refuses({ do: "create", settings: settings({ "a.hidden": 5000 }) }, "the setting hidden is 5000, and must be 1 to 256");
  refuses({ do: "create", settings: settings({ shortest: 5, longest: 4 }) }, "the setting longest is 4, and must be 5 to 40");
  refuses({ do: "create", settings: { ...settings(), speed: 1 } },
          /^settings: unknown setting in \{.*"speed":1.*\}; available: task, symbols, /);
  refuses({ do: "create", settings: settings({ task: "add" }) },
          "make_task: unknown task 'add'; available: reverse, copy, sort, dates");
  refuses({ do: "create", settings: settings({ "b.attention": "cosine" }) }, /cosine.*additive/s);
  trainer.ask({ do: "create", settings: settings({ steps: 1 }) });
  refuses({ do: "translate", text: "3 x" }, "unknown token 'x'; the task's tokens are 0 to 9");
  refuses({ do: "translate", text: " " }, "the input is empty; type at least one token");
  assert.equal(trainer.ask({ do: "step", count: 5 }).step, 1);  // the last update: training stops at the limit
  assert.equal(trainer.ask({ do: "step" }).finished, true);
});

test("losses of 40 updates equal the native ones to 6 decimals, at the larger default rate to 4", async (t) => {
  const trainer = await loadTrainer("phrases.wasm"), other = new NativeTrainer();
  t.after(() => other.end());
  const compare = async (changes, tolerance) => {
    const request = { do: "create", settings: settings(changes) };
    assert.deepEqual(trainer.ask(request), await other.ask(request));
    const ours = trainer.ask({ do: "step", count: 40 }).losses, theirs = (await other.ask({ do: "step", count: 40 })).losses;
    assert.equal(ours.length, 40);
    ours.forEach((losses, step) => losses.forEach((loss, i) => {
      const difference = Math.abs(loss - theirs[step][i]);
      assert.ok(difference < tolerance, `${JSON.stringify(changes)}, update ${step + 1}, model ${i}: ${loss}, natively ${theirs[step][i]}`);
    }));
  };
  for (const changes of [{}, { task: "sort", "a.decoder": "cho", "b.attention": "dot", "b.cell": "lstm" },
                         { task: "dates", "a.decoder": "bahdanau", "a.attention": "scaled_dot", "b.encoder": "forward" },
                         { task: "eng-fra", "a.decoder": "cho" }, { task: "eng-cmn", "b.attention": "dot" }])
    await compare({ ...changes, rate: 0.001 }, 1e-6);
  await compare({}, 5e-5);  // native products add in an order that depends on the processor
});

test("the right answer for a typed date is that of the task, in each of its forms", async () => {
  const trainer = await loadTrainer();
  trainer.ask({ do: "create", settings: settings({ task: "dates", "b.decoder": "none" }) });
  const answer = (text) => trainer.ask({ do: "translate", text }).target?.slice(0, -1).join("");
  for (const [text, date] of [["3 march 1998", "1998-03-03"], ["March 3, 1998", "1998-03-03"], ["3 mar 1998", "1998-03-03"], ["mar 3, 1998", "1998-03-03"],
                              ["22nd of february 2000", "2000-02-22"], ["Tuesday 3 March 1998", "1998-03-03"], ["tuesday, march 3, 1998", "1998-03-03"],
                              ["12/31/1998", "1998-12-31"], ["12/31/98", "1998-12-31"], ["12/31/68", "2068-12-31"], ["12/31/69", "1969-12-31"],
                              ["31.12.1998", "1998-12-31"], ["may 1 2012", "2012-05-01"]])
    assert.equal(answer(text), date, text);
  for (const text of ["march", "31/12/1998", "30 february 1998", "3 march", "3 march may 1998", "1998-03-03", "3 march 199"])
    assert.equal(answer(text), undefined, text);
  // The trainer must read every form in which the task writes dates.
  const seen = new Set();
  for (let i = 0; i < 300; ++i) {
    const { source } = trainer.ask({ do: "example" });
    assert.match(answer(source) ?? source, /^(19|20)\d\d-[01]\d-[0-3]\d$/);
    seen.add(source.replace(/[a-z]+/g, "a").replace(/\d+/g, "0"));
  }
  assert.ok(seen.size >= 7, [...seen].join("; "));
  assert.throws(() => trainer.ask({ do: "translate", text: "3 march 1998!" }), /^Error: unknown token '!'; the task's tokens are ▁,-\.\/0123456789abc/);
});

test("both trainers compute the same for a task without phrases", async () => {
  const [one, other] = await Promise.all(["trainer.wasm", "phrases.wasm"].map(async (file) => {
    const trainer = await loadTrainer(file);
    trainer.ask({ do: "create", settings: settings() });
    return [trainer.ask({ do: "step", count: 10 }).losses, trainer.ask({ do: "fingerprint" })];
  }));
  assert.deepEqual(one, other);
});

test("phrases are learnt, a typed phrase is translated, and an unknown word is named", async (t) => {
  const trainer = await loadTrainer("phrases.wasm"), other = new NativeTrainer();
  t.after(() => other.end());
  for (const [task, text, translation] of [["eng-fra", "I am drinking tea.", "je bois du thé ."],
                                           ["eng-cmn", "He wants to go to Paris.", "他 想 去 巴 黎 。"]]) {
    const create = { do: "create", settings: settings({ task, "a.decoder": "bahdanau", "b.decoder": "none" }) };
    trainer.ask(create);
    await other.ask(create);
    trainer.ask({ do: "step", count: 400 });
    const { lengths, models: [{ exact, trained, held_out, bleu }] } = trainer.ask({ do: "measure", each: 10 });
    assert.equal(exact.length, lengths.length);
    assert.ok(trained > 0.95 && held_out < 0.5 && bleu > 10, `${task}: ${trained}, ${held_out}, BLEU ${bleu}`);
    const { target, held_out: isHeldOut, models: [{ output, right, forced }] } = trainer.ask({ do: "translate", text });
    assert.equal(target.join(" "), `${translation} <eos>`);
    assert.equal(isHeldOut, false);
    assert.deepEqual(output, target);
    assert.ok(right.every(Boolean));
    assert.equal(forced.length, target.length);
    assert.equal(trainer.ask({ do: "translate", text: "the book." }).target, null);
    for (let i = 0; i < 6; ++i) {
      const { source } = trainer.ask({ do: "example" }), ask = { do: "translate", text: source };
      assert.equal(trainer.ask(ask).held_out, i % 2 === 1, source);
    }
    // With the browser's Unicode tables, the trainer must split a text as the native trainer does with utf8proc.
    for (const typed of ["  WHERE is　the red book？", "My father’s ｃａｔ is black.", "Ⅷ books", "the café", "i\u0307s", "他", "x²", "the-book", "10:30", "…"]) {
      const answers = await Promise.all([trainer, other].map(async (each) => {
        try {
          return (await each.ask({ do: "translate", text: typed })).source;
        } catch (error) {
          return error.message;
        }
      }));
      assert.deepEqual(answers[0], answers[1], typed);
    }
    const refuses = (typed, message) => assert.throws(() => trainer.ask({ do: "translate", text: typed }), { message });
    refuses("Where is the giraffe?", "unknown word 'giraffe': it is in no training phrase; similar known words: girl, girls");
    refuses("ж", "unknown word 'ж': it is in no training phrase; use another word");
    refuses(" ", "the input is empty; type a phrase");
  }
});

test("a model does not depend on the other one", async () => {
  const trainer = await loadTrainer();
  const losses = (changes) => {
    trainer.ask({ do: "create", settings: settings(changes) });
    return trainer.ask({ do: "step", count: 3 }).losses;
  };
  const both = losses({}), alone = losses({ "a.decoder": "bahdanau", "b.decoder": "none" });
  assert.deepEqual(alone.map(([loss]) => loss), both.map(([, loss]) => loss));
  assert.notEqual(both[2][0], both[2][1]);
});

test("Luong's decoders learn reversal, and input feeding widens the cell by h̃", async () => {
  const trainer = await loadTrainer();
  const { parameters: [plain, feeding] } = trainer.ask({ do: "create", settings: settings(
    { "a.decoder": "luong", "a.attention": "dot", "b.decoder": "luong_feeding", "b.attention": "dot", longest: 6, rate: 0.01, steps: 400 }) });
  assert.equal(feeding - plain, 3 * 64 * 64);  // W_ir, W_iz and W_in read H more numbers
  const { losses } = trainer.ask({ do: "step", count: 400 });
  assert.notEqual(losses[0][0], losses[1][0]);
  for (const { trained } of trainer.ask({ do: "measure", each: 50 }).models) assert.ok(trained >= 0.95, `${trained}`);
  const { models } = trainer.ask({ do: "translate", text: "31415" });
  for (const { weights } of models) assert.equal(weights[0].indexOf(Math.max(...weights[0])), 4);
  assert.throws(() => trainer.checkpoint(0),
                { message: "a model with the decoder luong cannot be saved: gradus does not have that decoder; choose bahdanau, fixed or cho" });
  assert.throws(() => trainer.ask({ do: "inside", model: 1, text: "31", step: 0, forced: true }),
                { message: "this decoder cannot be shown part by part; choose the decoder bahdanau" });
});

test("reversal is learnt: exact match of at least 0.99, attention on the reversed position", async () => {
  const trainer = await loadTrainer();
  trainer.ask({ do: "create", settings: settings({ "a.decoder": "bahdanau", "b.decoder": "none", steps: 500 }) });
  assert.ok(trainer.ask({ do: "measure", each: 20 }).models[0].trained < 0.05);
  assert.ok(trainer.ask({ do: "step", count: 500 }).finished);
  assert.ok(trainer.ask({ do: "measure", each: 100 }).models[0].trained >= 0.99);
  const { source, target, models: [model] } = trainer.ask({ do: "translate", text: "3141592" });
  assert.deepEqual(source, [..."3141592"]);
  assert.deepEqual(target, [..."2951413", "<eos>"]);
  assert.deepEqual(model.output, target);
  assert.deepEqual(model.right, target.map(() => true));
  model.forced.slice(0, 7).forEach((row, t) => assert.equal(row.indexOf(Math.max(...row)), 6 - t));
  for (const row of model.weights) assert.ok(Math.abs(row.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-5);
});

test("downloaded weights are loaded by gradus translate", async (t) => {
  if (!existsSync(gradus)) return t.skip(`${gradus} is not built`);
  const folder = mkdtempSync(path.join(os.tmpdir(), "gradus-web-"));
  const trainer = await loadTrainer("phrases.wasm");
  for (const [task, input, join] of [["reverse", "3 1 4 1 5", " "], ["dates", "3 may 1998", ""], ["eng-fra", "Where is the book?", " "], ["eng-cmn", "He reads a book.", ""]]) {
    trainer.ask({ do: "create", settings: settings({ task, "b.cell": "lstm", "a.decoder": "cho" }) });
    trainer.ask({ do: "step", count: 100 });
    const { models } = trainer.ask({ do: "translate", text: input });
    models.forEach(({ output, probabilities }, model) => {
      const file = path.join(folder, `${task}-${model}.safetensors`);
      writeFileSync(file, trainer.checkpoint(model));
      const printed = execFileSync(gradus, ["translate", "--model", file, "--scores"], { input: `${input}\n`, encoding: "utf8" });
      const [log_p, , translation] = printed.trimEnd().split("\t");
      // In French, the command writes no space before a full stop or comma, and none after an apostrophe.
      const spaceless = (text) => (join ? text.replaceAll(/ ([.,])|(') /g, "$1$2") : text);
      assert.equal(translation, spaceless(output.filter((token) => token !== "<eos>").join(join)));
      const ours = probabilities.reduce((sum, p) => sum + Math.log(p), 0);
      assert.ok(Math.abs(ours - Number(log_p)) < 1e-3, `${task}, model ${model}: log p ${log_p}, in the page ${ours}`);
    });
  }
});
