// The learner's files and progress, stored in the browser. The format is that of exercises/course.py: NAME.hpp and progress.json.

import { store, stored } from "../stored.js";
import { filesOf, pack } from "./tar.js";

const last = "last exercise", record = "progress.json";
const nothing = { passed: false, stages: 0, of: 0, part: "", hints: 0 };

/**
 * All exercises and sittings. A sitting is some parts of a long exercise, with its own progress. All sittings of an exercise share
 * its file.
 */
export function entriesOf(exercises) {
  return exercises.flatMap((exercise) => [
    { exercise, name: exercise.name, parts: [] },
    ...Object.entries(exercise.sittings).map(([sitting, parts]) => ({ exercise, name: `${exercise.name}_${sitting}`, parts })),
  ]);
}

/** The hints for the learner's current part, or all hints if that part has none. */
export function hintsOf(hints, part) {
  const some = hints.filter((hint) => part && hint.part === part);
  return some.length ? some : hints;
}

/** Filters stored progress: keeps known exercises, and replaces values of a wrong type by defaults. */
function valid(given, names) {
  const known = Object.entries(given ?? {}).filter(([name]) => names.includes(name)).map(([name, values]) => [name,
    Object.fromEntries(Object.entries(nothing).map(([field, value]) =>
      [field, typeof values?.[field] === typeof value ? values[field] : value]))]);
  return { ...Object.fromEntries(known), ...(names.includes(given?.[last]) ? { [last]: given[last] } : {}) };
}

export class Progress {
  #entries;
  #known = {};  // the contents of progress.json
  #files = {};  // the learner's files by exercise name

  constructor(exercises) {
    this.#entries = entriesOf(exercises);
    const { progress, files } = stored();
    this.#known = valid(progress, this.names);
    for (const { name } of exercises) if (typeof files?.[name] === "string") this.#files[name] = files[name];
  }

  get names() { return this.#entries.map(({ name }) => name); }
  /** An exercise and its sittings, as entries. */
  #all(exercise) { return this.#entries.filter((entry) => entry.exercise === exercise); }

  of(entry) { return { ...nothing, ...this.#known[entry.name] }; }
  file(exercise) { return this.#files[exercise.name] ?? exercise.stub; }
  isBegun(exercise) { return exercise.name in this.#files; }
  isPassed(entry) {
    const sittings = entry.parts.length ? [] : this.#all(entry.exercise).slice(1);
    return this.of(entry).passed || (sittings.length > 0 && sittings.every((sitting) => this.of(sitting).passed));
  }
  get last() { return this.#known[last]; }
  get anyFile() { return Object.keys(this.#files).length > 0; }

  note(entry, changes = {}) {
    this.#known[entry.name] = { ...this.of(entry), ...changes };
    this.#known[last] = entry.name;
    this.#keep();
  }

  write(exercise, text) {
    this.#files[exercise.name] = text;
    this.#keep();
  }

  /** Deletes the file and the progress of an exercise and of its sittings. */
  reset(exercise) {
    for (const { name } of this.#all(exercise)) delete this.#known[name];
    delete this.#files[exercise.name];
    this.#keep();
  }

  /** Records how a check ended, by the rules of note_stages in exercises/exercise.py. A check without training keeps an earlier pass. */
  ended(entry, ending) {
    const before = this.of(entry), reached = ending.reached?.name ?? "", { hints } = entry.exercise;
    const partOf = (stage) => /^(.*): /.exec(stage)?.[1] ?? "", part = partOf(reached);
    const sameHints = JSON.stringify(hintsOf(hints, part)) === JSON.stringify(hintsOf(hints, before.part));
    const [whole, ...sittings] = this.#all(entry.exercise), passes = (one, all) => all || (ending.checksPassed && this.of(one).passed);
    for (const sitting of entry.parts.length ? [] : sittings) {
      const [of, passed] = [ending.stages.map(({ name }) => name), ending.passed].map((names) => names.filter((name) => sitting.parts.includes(partOf(name))));
      if (!passed.length && !of.includes(reached)) continue;  // the check stopped before this sitting
      this.note(sitting, { passed: passes(sitting, passed.length === of.length), stages: passed.length, of: of.length });
    }
    const passed = passes(entry, ending.allPassed);
    if (entry.parts.length && !passed) this.note(whole, { passed: false, stages: 0, of: 0 });
    this.note(entry, { passed, stages: ending.passed.length, of: ending.stages.length, part, hints: sameHints ? before.hints : 0 });
  }

  /** @returns {Uint8Array} an archive to unpack in exercises/mine */
  archive() {
    const encoder = new TextEncoder();
    return pack([...Object.entries(this.#files).map(([name, text]) => [`${name}.hpp`, encoder.encode(text)]),
                 [record, encoder.encode(`${JSON.stringify(this.#known, undefined, 1)}\n`)]]);
  }

  /**
   * Reads the files of a folder exercises/mine, or of an archive of that folder.
   * @param {[string, Uint8Array][]} given names and contents
   * @returns {{ files: Object, progress?: Object, unknown: string[], replaced: string[] }} the argument for take(), with the names
   * that are unknown and those that take() would replace
   */
  read(given) {
    const found = { files: {}, unknown: [] }, decoder = new TextDecoder();
    for (const [name, bytes] of given.flatMap(([name, bytes]) => (name.endsWith(".tar") ? filesOf(bytes) : [[name, bytes]]))) {
      const exercise = this.#entries.find(({ exercise }) => `${exercise.name}.hpp` === name)?.exercise;
      if (exercise) found.files[exercise.name] = decoder.decode(bytes);
      else if (name === record) found.progress = valid(JSON.parse(decoder.decode(bytes)), this.names);
      else found.unknown.push(name);
    }
    found.replaced = Object.keys(found.files).filter((name) => name in this.#files && this.#files[name] !== found.files[name]);
    return found;
  }

  /** Stores the result of read(). Files and progress with the same names are replaced. */
  take({ files, progress }) {
    Object.assign(this.#files, files);
    Object.assign(this.#known, progress);
    this.#keep();
  }

  #keep() { store({ progress: this.#known, files: this.#files }); }
}
