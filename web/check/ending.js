// How a checker's program ended, from its record (--state of exercises/kit/check.hpp) or from the engine's trap.

// For each trap of V8, SpiderMonkey and JavaScriptCore: the name of its explanation in strings.js.
const traps = [
  [/stack|recursion/i, "overflow"],
  [/out of bounds|out-of-bounds/i, "memory"],
  [/divide by zero|division by zero/i, "divided"],
  [/unreachable/i, "aborted"],
];

export class Ending {
  stages = [];  // { name, limit, training }
  passed = [];  // their names
  verdict;      // "passed", "finding" or "to do"
  code;
  trap;
  late;         // the seconds after which the program was ended
  stopped;      // by the learner

  /** @param {boolean} training whether the training stages run, too; @param {number} seconds the limit of the other stages */
  constructor(training, seconds) {
    this.training = training;
    this.seconds = seconds;
  }

  /** Reads a line of the record. */
  add(line) {
    const [, word, rest] = /^(\S+) ?(.*)$/.exec(line) ?? [];
    if (word === "stage") {
      const [, limit, name] = /^(\d+) (.*)$/.exec(rest);
      this.stages.push({ name, limit: Number(limit), training: Number(limit) > this.seconds });
    } else if (word === "passed") {
      this.passed.push(rest);
    } else if (word === "verdict") {
      this.verdict = rest;
    }
  }

  /** The stage that runs, or that ended the check; undefined after the last one. */
  get reached() { return this.stages.filter(({ training }) => this.training || !training)[this.passed.length]; }
  /** Whether every stage passed but the trainings, which were not asked for. */
  get checksPassed() { return this.code === 0 && this.verdict === "passed"; }
  get allPassed() { return this.checksPassed && this.passed.length === this.stages.length; }

  /** The name of the cause, unless the program has printed it: "endless", "stopped", "exited", "trapped" or one of `traps`. */
  get cause() {
    if (this.late !== undefined) return "endless";
    if (this.stopped) return "stopped";
    if (this.trap !== undefined) return traps.find(([expression]) => expression.test(this.trap))?.[1] ?? "trapped";
    return this.verdict && (this.code !== 0 || this.verdict === "passed") ? undefined : "exited";
  }
}
