// Opens runs of `gradus train` in the page's trainer: the models must write the same texts as with the command, and it must
// be possible to train them further.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

import { defaults, gradus, loadTrainer, toRequest } from "./support.mjs";

const { fits, fromOpened } = await import("../play/settings.js");
const folder = mkdtempSync(path.join(os.tmpdir(), "gradus-opened-"));
const small = ["--embedding", "16", "--hidden", "32", "--eval-every", "1000"];

const generated = ["--examples", "2000", "--held-out", "50"];

/** Trains natively. @returns the checkpoint's file */
function train(name, ...options) {
  const out = path.join(folder, name);
  execFileSync(gradus, ["train", "--out", out, "--threads", "1", ...small, ...options], { stdio: ["ignore", "ignore", "inherit"] });
  return path.join(out, "last.safetensors");
}

/** Opens a checkpoint in a new trainer. */
async function open(file, changes = {}) {
  const bytes = new Uint8Array(readFileSync(file)), first = await loadTrainer();
  first.write("/run", bytes);
  const opened = first.ask({ do: "open", path: "/run" });  // even a trainer without phrases reads which phrases the run needs
  const trainer = opened.settings.task.startsWith("eng-") ? await loadTrainer("phrases.wasm") : first;
  trainer.write("/run", bytes);
  const values = { ...fromOpened(opened.settings, defaults()), ...changes };
  trainer.ask({ do: "create", settings: toRequest(values), path: "/run" });
  return { trainer, opened, values };
}

for (const [task, inputs, options] of [
  ["reverse", ["3 1 4 1 5", "2 7 1 8 2 8 1 8"], ["--steps", "60", "--energy", "24", "--symbols", "9", "--max-length", "8"]],
  ["sort", ["3 1 4 1 5"], ["--steps", "20", "--attention", "dot", "--cell", "lstm", "--no-bidirectional"]],
  ["copy", ["3 1 4 1 5"], ["--steps", "20", "--decoder", "cho", "--cell", "original-gru"]],
  ["eng-fra", ["Where is the red book?"], ["--steps", "60"]],
  ["eng-cmn", ["Where is the red book?"], ["--steps", "60", "--target-unit", "chinese"]],
  ["dates", ["3 may 1998", "tuesday 3 march 1998"], ["--steps", "60", "--attention", "scaled_dot", "--source-unit", "character", "--target-unit", "character"]],
]) {
  test(`a run of ${task} writes in the page what gradus translate writes`, async () => {
    const phrases = task.startsWith("eng-");
    const file = train(task, ...(phrases ? ["--phrases", task] : ["--task", task, ...generated]), ...options), { trainer, opened } = await open(file);
    assert.equal(opened.settings.task, task);
    assert.equal(opened.updates, Number(options[1]));
    for (const text of inputs) {
      const [log_p, , translation] = execFileSync(gradus, ["translate", "--model", file, "--scores"], { input: `${text}\n`, encoding: "utf8" }).replace(/\n$/, "").split("\t");
      const { models: [{ output, probabilities, weights }] } = trainer.ask({ do: "translate", text });
      const written = output.filter((token) => token !== "<eos>"), spaceless = (tokens) => tokens.join(" ").replaceAll(/ ([.,?!])|(') /g, "$1$2");
      const ours = task === "eng-fra" ? spaceless(written) : written.join(["dates", "eng-cmn"].includes(task) ? "" : " ");
      // The page stops three tokens beyond the length of the right answer, so its output may be only the beginning of the
      // command's.
      assert.ok(output.at(-1) === "<eos>" ? ours === translation : translation.startsWith(ours), `${text}: ${ours}, natively ${translation}`);
      if (output.at(-1) === "<eos>") {
        const sum = probabilities.reduce((sum, p) => sum + Math.log(p), 0);
        assert.ok(Math.abs(sum - Number(log_p)) < 1e-3, `${text}: log p ${sum}, natively ${log_p}`);
      }
      assert.equal(weights === null, task === "copy");
    }
  });
}

test("training continues from the opened weights, and they are saved again", async () => {
  const { trainer, values } = await open(path.join(folder, "reverse/last.safetensors"), { "b.decoder": "bahdanau" });
  const { losses } = trainer.ask({ do: "step", count: 10 });
  assert.ok(losses[0][0] < losses[0][1] - 0.02, `${losses[0]}: the opened model begins with a lower loss than random weights`);
  assert.ok(losses[9][0] < losses[9][1]);
  trainer.write("/run", trainer.checkpoint(0));
  const again = trainer.ask({ do: "open", path: "/run" });
  assert.ok(fits(fromOpened(again.settings, values), values));
  const before = trainer.ask({ do: "translate", text: "31415" }).models[0];
  trainer.ask({ do: "create", settings: toRequest(values), path: "/run" });
  assert.deepEqual(trainer.ask({ do: "translate", text: "31415" }).models[0], before);
});

test("a file that the page cannot show is refused, and the message names its settings and the supported ones", async () => {
  const trainer = await loadTrainer();
  const refuses = (bytes, message) => {
    trainer.write("/run", new Uint8Array(bytes));
    assert.throws(() => trainer.ask({ do: "open", path: "/run" }), { message });
  };
  refuses(readFileSync(train("deep", "--task", "reverse", ...generated, "--steps", "2", "--layers", "2", "--attention", "local_p", "--dropout", "0.1")),
          "the page cannot show this model: attention is local_p (supported: additive, dot, scaled_dot); dropout is 0.1 (supported: 0); layers is 2 (supported: 1)");
  writeFileSync(path.join(folder, "pairs.tsv"), Array.from({ length: 200 }, (_, i) => `a ${i}\tb ${i}\n`).join(""));
  refuses(readFileSync(train("text", "--pairs", path.join(folder, "pairs.tsv"), "--steps", "2")),
          "the page cannot show this model: it was trained on text or recordings (supported: the tasks reverse, copy, sort, dates; the phrases eng-fra, eng-cmn)");
  refuses(readFileSync(train("words", "--task", "dates", ...generated, "--steps", "2")),
          "the page cannot show this model: source-unit is word (supported: character); target-unit is word (supported: character)");
  refuses(readFileSync(train("many", "--task", "reverse", ...generated, "--steps", "2", "--symbols", "40")), "the setting symbols is 40, and must be 2 to 26");
  refuses(Buffer.from("not a checkpoint"), /safetensors/);
  const damaged = readFileSync(path.join(folder, "reverse/last.safetensors"));
  damaged[damaged.length - 100] ^= 1;
  refuses(damaged, /is damaged/);
});
