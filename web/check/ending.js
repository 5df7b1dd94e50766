// How a checker's program ended, according to its record (--state of exercises/kit/check.hpp) or the JavaScript engine's trap.

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

  /** The stage that is running, or in which the check ended; undefined if all stages have passed. */
  get reached() { return this.stages.filter(({ training }) => this.training || !training)[this.passed.length]; }
  /** True if every stage passed except the trainings, which were not requested. */
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
