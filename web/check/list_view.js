// The list of exercises with the learner's progress. Also exports and imports the learner's files.

import { html } from "../dom.js";
import { entriesOf } from "./progress.js";
import { words } from "./strings.js";

const $ = (id) => document.getElementById(id);

/** The state of an entry, by the rules of state_of in exercises/course.py. */
function stateOf(entry, progress) {
  const { stages, of } = progress.of(entry);
  if (progress.isPassed(entry)) return words.passed;
  if (!progress.isBegun(entry.exercise)) return words.notStarted;
  return of ? words.stages(stages, of) : words.started;
}

/** A table cell with a description of the learner's task, empty for a sitting. statements.mjs has converted `text` to HTML. */
function about(text, parts) {
  const cell = html("td");
  if (!parts.length) cell.innerHTML = text;
  return cell;
}

export class ListView {
  #entries;
  #progress;

  constructor(exercises, progress) {
    this.#entries = entriesOf(exercises);
    this.#progress = progress;
    $("export").onclick = () => this.#export();
    $("import").onclick = () => $("imported").click();
    $("imported").onchange = () => this.#import([...$("imported").files]);
  }

  draw() {
    $("exercises").replaceChildren(...this.#entries.map((entry) => {
      const { exercise, name, parts } = entry, state = stateOf(entry, this.#progress);
      const link = html("a", { href: `#${name}` }, parts.length ? parts.join(", ") : exercise.title);
      return html("tr", { class: parts.length ? "sitting" : "" }, html("td", {}, ...(parts.length ? [] : [html("span", { class: "number" }, exercise.number)]), link),
                  about(exercise.about, parts), html("td", {}, parts.length ? "" : exercise.tutorial), html("td", { class: state === words.passed ? "passed" : "" }, state));
    }));
  }

  #export() {
    if (!this.#progress.anyFile) {
      $("filesStatus").textContent = words.nothing;
      return;
    }
    const address = URL.createObjectURL(new Blob([this.#progress.archive()], { type: "application/x-tar" }));
    html("a", { href: address, download: "gradus-exercises.tar" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  async #import(files) {
    try {
      const given = await Promise.all(files.map(async (file) => [file.name, new Uint8Array(await file.arrayBuffer())]));
      const found = this.#progress.read(given), names = Object.keys(found.files).map((name) => `${name}.hpp`);
      if (found.replaced.length && !confirm(words.replace(found.replaced.join(", ")))) return;
      this.#progress.take(found);
      $("filesStatus").textContent = words.imported([...names, ...(found.progress ? ["progress.json"] : [])].join(", "), found.unknown.join(", "));
    } catch (error) {
      $("filesStatus").textContent = words.unreadable(error.message);
    }
    $("imported").value = "";
    this.draw();
  }
}
