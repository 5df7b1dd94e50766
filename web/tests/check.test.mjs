// The exercises as WebAssembly. clang in node compiles each stub and each solution, and the checker judges it. The banks of
// wrong attempts must get the same diagnoses as in a native build.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";

import * as clang from "@yowasp/clang";

import { page, root } from "./support.mjs";

const { Compiler } = await import(path.join(page, "check/compiler.js"));
const { runProgram } = await import(path.join(page, "check/program.js"));
const { translator } = await import(path.join(page, "check/chinese.js"));

const build = path.join(root, process.env.GRADUS_BUILD ?? "build/release", "exercises");
const exercises = readdirSync(path.join(root, "exercises")).filter((name) => /^\d\d_/.test(name));
const source = (exercise, file) => readFileSync(path.join(root, "exercises", exercise, file), "utf8");

/** Runs a program. @returns how it ended, what it printed, and its record */
async function run(program, args = []) {
  const printed = [], record = [];
  const ended = await runProgram(program, args, (line) => printed.push(line), (line) => record.push(line));
  return { ...ended, printed, record };
}

let compiler;
before(async () => {
  compiler = await new Compiler(clang, readFileSync(path.join(root, "build/wasm/library.tar"))).load();
});

async function check(exercise, text, args) {
  const { program, printed } = await compiler.compile(exercise, text);
  assert.ok(program, printed);
  return run(program, args);
}

for (const exercise of exercises) {
  const name = exercise.slice(3);

  test(`${exercise}: the stub prints its task, and the solution passes`, async () => {
    const stub = await check(exercise, source(exercise, "stub.hpp"), ["--no-training"]);
    assert.equal(stub.code, 3, stub.printed.join("\n"));
    assert.ok(stub.printed.some((line) => line.startsWith("  to do   ")));
    const solution = await check(exercise, source(exercise, "solution.hpp"), ["--no-training"]);
    assert.equal(solution.code, 0, solution.printed.join("\n"));
    assert.equal(solution.printed.at(-1), "  Every stage passed.");
  });

  test(`${exercise}: every attempt of the bank gets the same diagnosis as natively`, async () => {
    const { code, printed } = await run(readFileSync(path.join(root, `build/wasm/web/check/bank_${name}.wasm`)));
    const diagnoses = (lines) => lines.filter((line) => !line.startsWith(" "));  // not the explanations, which may name a size that depends on the speed of the machine
    assert.deepEqual(diagnoses(printed), diagnoses(execFileSync(path.join(build, `exercise_${name}_bank`), { encoding: "utf8" }).trimEnd().split("\n")));
    assert.equal(code, 0);
  });
}

test("a whole check, with its training", async () => {
  const { code, printed, record } = await check("08_additive_attention", source("08_additive_attention", "solution.hpp"), ["--seconds", "20"]);
  assert.equal(code, 0, printed.join("\n"));
  assert.ok(record.includes("stage 60 training: reversal with Bahdanau's decoder"));
  assert.ok(record.includes("passed training: reversal with Bahdanau's decoder"));
  assert.equal(record.at(-1), "verdict passed");
});

test("a finding is printed as natively", async () => {
  const right = "tanh(W_a.forward(query) + memory.keys)", text = source("08_additive_attention", "solution.hpp");
  assert.ok(text.includes(right));
  const { code, printed } = await check("08_additive_attention", text.replace(right, "W_a.forward(query) + memory.keys"), ["--no-training"]);
  assert.equal(code, 1);
  assert.ok(printed.includes("    looks like  The tanh is missing, so the weights do not depend on the query."), printed.join("\n"));
});

test("the page's Chinese is that of the command line", () => {
  const lines = ["  passed  training: reversal with Bahdanau's decoder        0.3 s", "  not yet general: gradients",
                 "    at          context of sentence 2 in a padded batch[0, 1]", "    got         0.25",
                 "    museum      It behaves like exhibit 15. With another state, the weights of a step do not change.",
                 ...execFileSync(path.join(build, "exercise_additive_attention_bank"), { encoding: "utf8" }).split("\n")];
  const program = "import sys, chinese; print(*map(chinese.line, sys.stdin.read().split('\\n')), sep='\\n')";
  const printed = execFileSync("python3", ["-c", program], { cwd: path.join(root, "exercises"), input: lines.join("\n"), encoding: "utf8",
                                                             env: { ...process.env, PYTHONIOENCODING: "utf8" } });
  const { line } = translator(JSON.parse(readFileSync(path.join(root, "exercises/chinese.json"), "utf8"))), chinese = lines.map(line);
  assert.equal(`${chinese.join("\n")}\n`, printed);
  assert.ok(chinese.slice(0, 5).every((text, i) => text !== lines[i]));
});

test("errors of the compiler name the learner's line; of the linker, what is missing", async () => {
  const text = source("08_additive_attention", "solution.hpp").replace("const Tensor e =", "const Tenso e =");
  const line = text.split("\n").findIndex((line) => line.includes("Tenso e")) + 1;
  const wrong = await compiler.compile("08_additive_attention", text);
  assert.equal(wrong.program, undefined);
  assert.match(wrong.printed, new RegExp(`^/mine/additive_attention\\.hpp:${line}:11: error: .*Tenso`, "m"));
  const unlinked = await compiler.compile("02_topological_order", `#pragma once
#include "02_topological_order/graph.hpp"
#include <vector>
std::vector<scalar::Node*> topological_order(scalar::Node* result);`);
  assert.equal(unlinked.program, undefined);
  assert.match(unlinked.printed, /undefined symbol: topological_order/);
});

const order = (body) => `#pragma once
#include "02_topological_order/graph.hpp"
#include <vector>
inline int depth(int n) { volatile int local[64] = {n}; return n < 0 ? 0 : depth(n + 1) + local[0]; }
inline std::vector<scalar::Node*> topological_order(scalar::Node* result) { std::vector<scalar::Node*> found; ${body} return found; }`;

test("a trap ends the program, and its stage is known", async () => {
  const traps = [
    ["volatile int n = 0; n = 7 / n;", /divi/],
    ["found[3] = result;", /unreachable/],
    ["found.resize(static_cast<std::size_t>(depth(0)));", /stack/i],
  ];
  for (const [body, expected] of traps) {
    const { trap, record } = await check("02_topological_order", order(body), []);
    assert.match(trap ?? "", expected, body);
    assert.equal(record[0], "stage 0 a chain");
    assert.ok(!record.some((line) => /^(passed|verdict)/.test(line)));
  }
});
