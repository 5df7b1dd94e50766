// The trainer of Play with the reader's own attentions, compiled by clang in node, like an exercise in Check.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";

import * as clang from "@yowasp/clang";

import { Trainer, defaults, loadTrainer, page, root, toRequest } from "./support.mjs";

const { Compiler } = await import(path.join(page, "check/compiler.js"));
const { offers, own } = await import(path.join(page, "own.js"));

const folders = readdirSync(path.join(root, "exercises"));
const solution = (exercise) =>
  readFileSync(path.join(root, "exercises", folders.find((name) => name.slice(3) === exercise), "solution.hpp"), "utf8");
const files = (entries, change = (text) => text) => Object.fromEntries(entries.map(({ exercise }) => [`${exercise}.hpp`, change(solution(exercise))]));
const settings = (changes) => toRequest({ ...defaults(), hidden: 32, ...changes });

let compiler;
before(async () => {
  compiler = await new Compiler(clang, readFileSync(path.join(root, "build/wasm/library.tar"))).load();
});

async function load(entries, change) {
  const { program, printed } = await compiler.trainer(files(entries, change), offers(entries));
  assert.ok(program, printed);
  return Trainer.load(program);
}

test("our solution of every exercise that gives an attention trains, and its step can be looked into", async () => {
  const trainer = await load(own);
  for (const { choice } of own) {
    trainer.ask({ do: "create", settings: settings({ "b.attention": choice, "b.encoder": choice === "own-luong-dot" ? "forward" : "both", rate: 0.01 }) });
    const { losses } = trainer.ask({ do: "step", count: 40 }), mean = (part) => part.reduce((sum, [, loss]) => sum + loss, 0) / part.length;
    assert.ok(mean(losses.slice(30)) < mean(losses.slice(0, 10)) - 0.05, `${choice}: ${losses.map(([, loss]) => loss.toFixed(2))}`);
    const { models: [, { weights, output }] } = trainer.ask({ do: "translate", text: "31415" });
    assert.equal(weights.length, output.length);
    for (const row of weights) assert.ok(row.every((weight) => weight >= 0) && row.reduce((sum, weight) => sum + weight, 0) < 1 + 1e-5, choice);
    const step = trainer.ask({ do: "inside", model: 1, text: "31415", step: 2, forced: true });
    assert.equal(step.energies, null);
    assert.ok(step.difference < 1e-5 && step.gradient_difference < 1e-5, `${choice}: ${step.difference}, ${step.gradient_difference}`);
    assert.throws(() => trainer.checkpoint(1), { message: "a model with your own attention cannot be saved: gradus does not have that attention" });
  }
});

test("a trainer without the reader's code computes the same for the library's attentions", async () => {
  const mine = await load(own.slice(0, 1));
  for (const [task, file] of [["reverse", "trainer.wasm"], ["eng-fra", "phrases.wasm"]]) {
    const request = { do: "create", settings: settings({ task, "a.decoder": "bahdanau", "a.attention": "dot" }) };
    const losses = [mine, await loadTrainer(file)].map((trainer) => {
      trainer.ask(request);
      return trainer.ask({ do: "step", count: 10 }).losses;
    });
    assert.deepEqual(losses[0], losses[1]);
  }
});

test("sizes that an attention cannot have are a message", async () => {
  const trainer = await load(own.filter(({ name }) => name === "LuongDot"));
  assert.throws(() => trainer.ask({ do: "create", settings: settings({ "b.attention": "own-luong-dot" }) }),
                { message: "LuongDot needs states and annotations of one size; choose the encoder that reads forward only" });
});

test("a crash, an exception and a file that does not compile have different messages", async () => {
  const [entry] = own, begin = "const Tensor inside =";
  assert.ok(solution(entry.exercise).includes(begin));
  const request = { do: "create", settings: settings({ "b.attention": entry.choice }) };
  const crashing = await load([entry], (text) => text.replace(begin, `std::vector<int> none; none[static_cast<std::size_t>(query.size(0))] = 1; ${begin}`));
  crashing.ask(request);
  assert.throws(() => crashing.ask({ do: "step" }), WebAssembly.RuntimeError);
  const throwing = await load([entry], (text) => text.replace(begin, `if (query.size(0) > 0) throw 7; ${begin}`));
  throwing.ask(request);
  assert.throws(() => throwing.ask({ do: "step" }), { message: "your attention threw an object that is not a std::exception" });
  const wrong = await compiler.trainer(files([entry], (text) => text.replace("const Tensor e =", "const Tenso e =")), offers([entry]));
  assert.equal(wrong.program, undefined);
  assert.match(wrong.printed, /^\/mine\/additive_attention\.hpp:\d+:\d+: error: unknown type name 'Tenso'/m);
});
