// One exercise: statement, editor, check, hints, solution.

import { html } from "../dom.js";
import { Compiling, Running } from "./checker.js";
import { explain } from "./compile_errors.js";
import { createEditor } from "./editor.js";
import { entriesOf, hintsOf } from "./progress.js";
import { ResultsView } from "./results_view.js";
import { isStored } from "./store.js";
import { megabytes, words } from "./strings.js";

const $ = (id) => document.getElementById(id);

export class ExerciseView {
  #downloads;
  #entries;
  #progress;
  #entry;
  #editor;
  #results;
  #compiling;
  #compiled;  // { source, program }: the last program
  #running;
  #isChecking = false;
  #stopped = false;  // by the learner
  #last = {};        // the options of the last check

  constructor(exercises, downloads, progress) {
    this.#downloads = downloads;
    this.#entries = entriesOf(exercises);
    this.#progress = progress;
    this.#editor = createEditor($("editor"), { changed: (text) => this.#changed(text), check: () => this.#check() });
    this.#results = new ResultsView($("results"), (line, column) => this.#editor.go(line, column));
    $("check").onclick = () => (this.#isChecking ? this.#stop() : this.#check());
    $("train").onclick = () => this.#check({ training: true });
    $("patience").onclick = () => this.#check({ ...this.#last, patience: 3 });
    $("hint").onclick = () => this.#hint();
    $("solution").onclick = () => this.#solution(this.#progress.isPassed(this.#entry));
    $("reset").onclick = () => this.#reset();
  }

  get total() { return this.#downloads.reduce((sum, { bytes }) => sum + bytes, 0); }

  /** Shows the exercise or the sitting `name`. @returns whether there is one */
  open(name) {
    const entry = this.#entries.find((entry) => entry.name === name);
    if (!entry) return false;
    if (entry === this.#entry) return true;
    if (this.#isChecking) this.#stop();
    this.#entry = entry;
    const { exercise } = entry;
    $("title").textContent = `${exercise.number} · ${exercise.title}${entry.parts.length ? `: ${entry.parts.join(", ")}` : ""}`;
    $("places").replaceChildren(...this.#places(entry));
    $("statement").innerHTML = exercise.statement;  // HTML made by statements.mjs
    for (const { name, text } of exercise.headers)
      $("statement").append(html("details", { id: name }, html("summary", {}, `${words.header} ${name}`), html("pre", { tabindex: 0 }, text)));
    for (const link of $("statement").querySelectorAll("a[href$='.hpp']")) link.onclick = (event) => this.#showHeader(event, link.hash.slice(1));
    this.#editor.open(this.#progress.file(exercise), words.editor(`${exercise.name}.hpp`));
    this.#results.clear();
    $("ours").hidden = $("bar").hidden = $("train").hidden = $("patience").hidden = true;
    $("status").textContent = "";
    this.#drawHints();
    this.#draw();
    this.#preload();
    return true;
  }

  // ---- What is shown ----

  #places({ exercise, name }) {
    const link = (entry, text) => html("a", { href: `#${entry.name}` }, text), wholes = this.#entries.filter(({ parts }) => !parts.length);
    const at = wholes.findIndex((entry) => entry.exercise === exercise), sittings = this.#entries.filter((entry) => entry.exercise === exercise);
    const places = [html("a", { href: "#" }, words.all)];
    if (sittings.length > 1) {
      const text = ({ parts }) => (parts.length ? parts.join(", ") : words.whole);
      places.push(html("span", {}, words.sittings, ...sittings.flatMap((entry) => [" ", entry.name === name ? html("b", {}, text(entry)) : link(entry, text(entry)), " ·"]).slice(0, -1)));
    }
    if (wholes[at - 1]) places.push(link(wholes[at - 1], `← ${wholes[at - 1].exercise.number}`));
    if (wholes[at + 1]) places.push(link(wholes[at + 1], `${wholes[at + 1].exercise.number} →`));
    return places;
  }

  #showHeader(event, name) {
    event.preventDefault();
    const details = document.getElementById(name);
    details.open = true;
    details.scrollIntoView();
  }

  #draw() {
    $("check").textContent = this.#isChecking ? words.stop : words.check;
    for (const id of ["train", "patience", "reset"]) $(id).disabled = this.#isChecking;
  }

  #status(text, bytes) {
    $("status").textContent = text;
    $("bar").hidden = bytes === undefined;
    if (bytes !== undefined) Object.assign($("bar"), { max: this.total, value: bytes });
  }

  // ---- The learner's file ----

  #changed(text) {
    this.#progress.write(this.#entry.exercise, text);
    $("train").hidden = $("patience").hidden = true;
  }

  #reset() {
    this.#editor.replace(this.#entry.exercise.stub);
    this.#progress.reset(this.#entry.exercise);
    this.#results.clear();
    $("ours").hidden = true;
    this.#status(words.resetDone);
    this.#drawHints();
  }

  // ---- Hints, and our solution ----

  #drawHints() {
    const { part, hints: given } = this.#progress.of(this.#entry), hints = hintsOf(this.#entry.exercise.hints, part);
    $("hint").textContent = given < hints.length ? words.hint(given + 1, hints.length) : words.noHint;
    $("hint").disabled = given >= hints.length;
    $("hints").hidden = given === 0;
    $("hints").replaceChildren(...hints.slice(0, given).map((hint, i) => {
      const text = html("div", {}, html("h3", {}, words.hintTitle(i + 1)));
      text.insertAdjacentHTML("beforeend", hint.html);  // HTML made by statements.mjs
      return text;
    }));
  }

  #hint() {
    this.#progress.note(this.#entry, { hints: this.#progress.of(this.#entry).hints + 1 });
    this.#drawHints();
    $("hints").lastElementChild.scrollIntoView({ block: "nearest" });
  }

  #solution(isShown) {
    const heading = html("h3", {}, words.solution);
    $("ours").replaceChildren(heading, isShown ? html("pre", { tabindex: 0 }, this.#entry.exercise.solution)
      : html("p", {}, `${words.notYet} `, html("button", { onclick: () => this.#solution(true) }, words.anyway)));
    $("ours").hidden = false;
    $("ours").scrollIntoView({ block: "nearest" });
  }

  // ---- The check ----

  /** Loads what is stored already, so that the first check of a visit does not wait for it. */
  async #preload() {
    if (this.#compiling || !await isStored(this.#downloads)) return;
    $("download").hidden = true;
    this.#start();
  }

  #start() {
    if (this.#compiling) return this.#compiling;
    const compiling = new Compiling(this.#downloads, (bytes) => {
      if (!this.#isChecking) return;
      if (bytes < this.total) this.#status(words.download(megabytes(bytes, 1), megabytes(this.total, 1)), bytes);
      else this.#status(words.loading);
    });
    compiling.ready.then(() => { $("download").hidden = true; },
                         () => { if (this.#compiling === compiling) this.#compiling = undefined; });
    return this.#compiling = compiling;
  }

  async #check({ training = false, patience = 1 } = {}) {
    if (this.#isChecking) return;
    this.#last = { training };
    this.#isChecking = true;
    const entry = this.#entry, source = this.#editor.text;
    this.#progress.write(entry.exercise, source);
    this.#editor.mark([]);
    this.#results.clear();
    $("train").hidden = $("patience").hidden = true;
    this.#draw();
    try {
      const program = await this.#compile(entry.exercise, source);
      if (program && entry === this.#entry) await this.#run(entry, program, { training, patience, parts: entry.parts });
    } catch (error) {
      this.#compiling?.end();
      this.#compiling = undefined;
      if (entry === this.#entry) this.#status(this.#stopped ? words.stoppedCompiler : words.failed(error.message));
    }
    this.#isChecking = this.#stopped = false;
    $("bar").hidden = true;
    this.#draw();
  }

  /** @returns the program, or undefined after showing the errors */
  async #compile(exercise, source) {
    if (this.#compiled?.source === source && this.#compiled.exercise === exercise) return this.#compiled.program;
    const compiling = this.#start();
    this.#status(words.loading);
    await compiling.ready;
    this.#status(words.compiling);
    const { program, printed } = await compiling.compile(exercise.folder, source);
    const found = explain(printed, `${exercise.name}.hpp`);
    this.#editor.mark(found.messages);
    this.#status("");
    if (program) this.#compiled = { exercise, source, program };
    else this.#results.drawErrors(found);
    return program;
  }

  async #run(entry, program, options) {
    this.#status(words.begins);
    this.#running = new Running(program, options, (line) => this.#results.print(line), (ending) => {
      this.#results.draw(ending, false);
      if (ending.reached) this.#status(words.running(ending.reached.name));
    });
    const ending = await this.#running.ended;
    this.#running = undefined;
    this.#progress.ended(entry, ending);
    this.#status("");
    this.#results.draw(ending, true);
    $("train").hidden = !(ending.checksPassed && !ending.allPassed);
    $("patience").hidden = ending.cause !== "endless";
    this.#drawHints();
  }

  #stop() {
    this.#stopped = true;
    if (this.#running) this.#running.stop();
    else this.#compiling?.end();
  }
}
