// The parts of a decoder step and their gradients, as the trainer reports them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { defaults, loadTrainer, toRequest } from "./support.mjs";

const settings = (changes = {}) => toRequest({ ...defaults(), ...changes });
const near = (a, b, tolerance, what) => assert.ok(Math.abs(a - b) <= tolerance, `${what}: ${a}, not ${b}`);

test("a step computed part by part is the library's own, for every cell and attention", async () => {
  const trainer = await loadTrainer();
  for (const [cell, gates] of [["gru", "rzn"], ["original-gru", "rzn"], ["lstm", "ifgoc′"], ["rnn", ""]]) {
    for (const attention of ["additive", "dot", "scaled_dot"]) {
      for (const encoder of ["both", "forward"]) {
        const changes = { "b.cell": cell, "b.attention": attention, "b.encoder": encoder };
        trainer.ask({ do: "create", settings: settings(changes) });
        trainer.ask({ do: "step", count: 2 });
        const text = "31415", look = trainer.ask({ do: "translate", text }).models[1];
        const step = trainer.ask({ do: "inside", model: 1, text, step: 3, forced: true });
        assert.ok(step.difference < 1e-5, `${JSON.stringify(changes)}: ${step.difference}`);
        assert.ok(step.gradient_difference < 1e-5, `${JSON.stringify(changes)}: ${step.gradient_difference}`);
        assert.ok(step.parameters.every(({ norm }) => norm > 1e-8), JSON.stringify(step.parameters.map(({ name, norm }) => [name, norm])));
        assert.equal(step.gates.map(({ name }) => name).join(""), gates);
        assert.deepEqual([step.read, step.written], ["4", "1"]);
        step.weights.value.forEach((weight, j) => assert.ok(Math.abs(weight - look.forced[3][j]) < 1e-5));
        assert.ok(Math.abs(step.probabilities.reduce((sum, p) => sum + p) - 1) < 1e-5);
      }
    }
  }
  assert.throws(() => trainer.ask({ do: "inside", model: 0, text: "31", step: 0, forced: true }),
                { message: "this decoder cannot be shown part by part; choose the decoder bahdanau" });
  assert.throws(() => trainer.ask({ do: "inside", model: 1, text: "31", step: 3, forced: true }),
                { message: "there is no step 4; the output has 3" });
});

test("the gradients are the change of the loss when a state or an annotation is changed", async () => {
  const trainer = await loadTrainer();
  for (const [cell, attention] of [["gru", "additive"], ["lstm", "dot"], ["rnn", "scaled_dot"], ["original-gru", "additive"]]) {
    trainer.ask({ do: "create", settings: settings({ "b.cell": cell, "b.attention": attention }) });
    trainer.ask({ do: "step", count: 5 });
    const look = (replaced) => trainer.ask({ do: "inside", model: 1, text: "31415", step: 2, forced: true, replaced });
    const step = look({}), h = 0.05;
    const slope = (make) => (look(make(h)).loss - look(make(-h)).loss) / (2 * h);
    for (const i of [0, 17, 63]) {
      const changed = (by) => ({ state: step.before.value.with(i, step.before.value[i] + by) });
      near(step.before.gradient[i], slope(changed), 2e-5, `${cell}, ${attention}, s[${i}]`);
    }
    for (const [j, i] of [[0, 0], [2, 100], [4, 127]]) {
      const row = step.annotations.value[j];
      const changed = (by) => ({ annotations: { [j]: row.with(i, row[i] + by) } });
      near(step.annotations.gradient[j][i], slope(changed), 2e-5, `${cell}, ${attention}, h_${j}[${i}]`);
    }
    assert.ok(Math.max(...step.before.gradient.map(Math.abs)) > 1e-4);
    step.weights.gradient.forEach((of, j) => near(of, step.context.gradient.reduce(
      (sum, c, i) => sum + c * step.annotations.value[j][i], 0), 1e-5, "ᾱ = c̄ · h_j"));
    const mean = step.weights.value.reduce((sum, weight, k) => sum + weight * step.weights.gradient[k], 0);
    step.energies.gradient.forEach((of, j) =>
      near(of, step.weights.value[j] * (step.weights.gradient[j] - mean), 1e-6, "ē = α (ᾱ − Σ α ᾱ)"));
    step.logits.gradient.forEach((of, k) => near(of, step.probabilities[k] - (k === 4 + 4 ? 1 : 0), 1e-6, "ℓ̄ = p − y"));
    near(step.loss, -Math.log(step.probabilities[4 + 4]), 1e-5, "L");
  }
});

test("a changed state moves energies, weights and context of its step only", async () => {
  const trainer = await loadTrainer();
  trainer.ask({ do: "create", settings: settings() });
  trainer.ask({ do: "step", count: 20 });
  const look = (replaced) => trainer.ask({ do: "inside", model: 1, text: "314", step: 1, forced: true, replaced });
  const step = look({}), state = look({ state: step.before.value.map(() => 1) });
  assert.deepEqual(state.before.value, step.before.value.map(() => 1));
  for (const name of ["energies", "weights", "context", "after", "logits"]) assert.notDeepEqual(state[name].value, step[name].value);
  assert.deepEqual(state.annotations.value, step.annotations.value);
  const annotation = look({ annotations: { 2: step.annotations.value[2].map(() => 0.5) } });
  assert.deepEqual(annotation.energies.value.slice(0, 2), step.energies.value.slice(0, 2));
  assert.notEqual(annotation.energies.value[2], step.energies.value[2]);
  assert.deepEqual(annotation.before.value, step.before.value);
  assert.deepEqual(look({}), step);
  for (const [replaced, message] of [[{ state: [1] }, "s_t−1 has 64 numbers, and got 1"],
                                     [{ annotations: { 3: [] } }, "there is no source token 4"],
                                     [{ annotations: { 0: [1] } }, "h_j has 128 numbers, and got 1"],
                                     [{ state: "x" }, `inside: 'replaced' cannot be {"state":"x"}`]])
    assert.throws(() => look(replaced), { message });
});
