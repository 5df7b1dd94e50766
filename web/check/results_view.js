// The results of a check: the compiler's first error, or the stages with the checker's messages.

import { html } from "../dom.js";
import { spoken } from "./spoken.js";
import { words } from "./strings.js";

/** [sentence about how the check ended, its CSS class "right", "wrong" or ""]; undefined while the program runs. */
function verdictOf(ending) {
  if (ending.cause) {
    const stage = ending.reached && spoken.stage(ending.reached.name), says = words.causes[ending.cause](stage, ending.late, ending.trap, ending.code);
    return [ending.cause === "endless" || !stage ? says : `${says} ${words.in(stage)}`, "wrong"];
  }
  if (ending.allPassed) return [words.allPassed, "right"];
  if (ending.checksPassed) return [words.checksPassed, "right"];
  return ending.verdict === "to do" ? [words.toDo, ""] : ending.verdict === "finding" ? [words.finding, "wrong"] : undefined;
}

/**
 * Groups the stages under the names to show. The stages of a part form one group. Trainings, and the stages of the part that the
 * check has reached, are shown one by one.
 */
function groups({ stages, reached }) {
  const partOf = (stage) => /^(.*?): /.exec(stage?.name ?? "")?.[1], found = new Map();
  for (const stage of stages) {
    const part = stage.training ? undefined : partOf(stage), name = part === undefined || part === partOf(reached) ? stage.name : part;
    found.set(name, [...found.get(name) ?? [], stage]);
  }
  return [...found].map(([name, some]) => [some.length > 1 ? words.part(spoken.stage(name), some.length) : spoken.stage(name), some]);
}

export class ResultsView {
  #lines = [];
  #stages = html("ol", { class: "stages" });
  #verdict = html("p", { role: "status" });
  #printed = html("pre");

  /** @param {Element} element the element to draw in; @param go called with a line and a column of the learner's file */
  constructor(element, go) {
    this.element = element;
    this.go = go;
  }

  clear() {
    this.#lines = [];
    this.#printed.replaceChildren();
    this.element.replaceChildren();
    this.element.hidden = true;
  }

  /** Adds a line that the checker printed. Skips the checker's name and passed stages: the page shows them elsewhere. */
  print(line) {
    if (/^\w+$/.test(line) && !this.#lines.length || /^ {2}passed {2}/.test(line) || line === "  Every stage passed.") return;
    if (!line && !this.#lines.length) return;
    this.#lines.push(line);
    // A finding has lines "    label       text". If the text takes several lines, later ones have spaces instead of the label.
    this.#printed.append(html("div", { class: /^ {4}\S[\w ]{11}\S|^ {16}\S/.test(line) ? "line labelled" : "line" }, spoken.line(line)));
  }

  /** Draws the stages of an Ending. @param {boolean} ended true if the program has ended */
  draw(ending, ended) {
    const [says, kind] = (ended && verdictOf(ending)) || ["", ""], isOpen = ending.verdict === "to do" || ending.stopped;
    this.#stages.replaceChildren(...groups(ending).map(([name, stages]) => {
      const state = stages.every((stage) => ending.passed.includes(stage.name)) ? "passed" : !stages.includes(ending.reached) ? ""
        : !ended ? "running" : isOpen ? "" : "failed";
      return html("li", { class: state }, name);
    }));
    this.#verdict.className = `verdict ${kind}`;
    this.#verdict.textContent = says;
    this.#printed.hidden = !this.#lines.length;
    this.#show(this.#stages, this.#verdict, this.#printed);
  }

  /** Draws the result of explain() in compile_errors.js. */
  drawErrors({ messages, first, isMine, sentence, name }) {
    const says = words.sentences[sentence], links = messages.filter(({ severity }) => severity === "error");
    const heading = isMine ? words.compileError : /^wasm-ld/.test(first) ? words.linkError : words.useError;
    this.#show(html("p", { class: "verdict wrong", role: "status" }, heading), html("pre", {}, first),
               ...(says ? [html("p", {}, typeof says === "function" ? says(name) : says)] : []),
               html("p", {}, ...links.slice(0, 5).flatMap(({ line, column }) =>
                 [html("button", { class: "link", onclick: () => this.go(line, column) }, words.atLine(line)), " "])));
  }

  #show(...elements) {
    this.element.replaceChildren(...elements);
    this.element.hidden = false;
  }
}
