// How a checker's program ended: read from its record (--state, exercises/kit/check.hpp) and the JavaScript engine's trap.

// [pattern of a trap's message, key of its explanation in strings.js]. The patterns cover V8, SpiderMonkey and JavaScriptCore.
const traps = [
  [/stack|recursion/i, "overflow"],
  [/out of bounds|out-of-bounds/i, "memory"],
  [/divide by zero|division by zero/i, "divided"],
  [/unreachable/i, "aborted"],
];

/** The name in `traps` for a trap's message; "trapped" for an unknown message. */
export const causeOf = (trap) => traps.find(([expression]) => expression.test(trap))?.[1] ?? "trapped";

export class Ending {
  stages = [];  // { name, limit, training }
  passed = [];  // the names of the stages that passed
  verdict;      // "passed", "finding" or "to do"
  code;
  trap;
  late;         // the time limit in seconds, if the program exceeded it
  stopped;      // true if the learner stopped the program

  /** @param {boolean} training true if training stages run as well; @param {number} seconds the time limit of the other stages */
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

  /** The stage that is running, or that was running when the check ended; undefined if all stages have passed. */
  get reached() { return this.stages.filter(({ training }) => this.training || !training)[this.passed.length]; }
  /** True if all stages that ran have passed. Trainings run only if requested. */
  get checksPassed() { return this.code === 0 && this.verdict === "passed"; }
  get allPassed() { return this.checksPassed && this.passed.length === this.stages.length; }

  /** The cause of an ending that the program did not report: "endless", "stopped", "exited", "trapped" or a name in `traps`. */
  get cause() {
    if (this.late !== undefined) return "endless";
    if (this.stopped) return "stopped";
    if (this.trap !== undefined) return causeOf(this.trap);
    return this.verdict && (this.code !== 0 || this.verdict === "passed") ? undefined : "exited";
  }
}
