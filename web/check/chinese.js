// Translates a checker's output line by line, like exercises/chinese.py in the terminal. exercises/chinese.json lists the
// sentences. A line without a translation stays in English.

const states = /^ {2}(passed|not yet|to do) +(.+?)( +[\d.]+ s)?$/;
const labels = /^ {4}(at|got|expected|given|looks like|hint|museum) +(.+)$/;
const labelWidth = 12;

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Columns of the text in a terminal or in a <pre>: a Chinese character takes two. */
const columns = (text) => [...text].reduce((sum, character) => sum + (/[\u2e80-\uffef]/.test(character) ? 2 : 1), 0);
const padded = (text, width) => text + " ".repeat(Math.max(width - columns(text), 1));

/** @param groups the contents of chinese.json @returns {{ line, stage }} functions from English to Chinese */
export function translator(groups) {
  const sentences = new Map(Object.values(groups).flatMap(Object.entries));
  const patterns = [...sentences].filter(([english]) => english.includes("{}")).sort(([a], [b]) => [...b].length - [...a].length)
    .map(([english, chinese]) => [new RegExp(`^${english.split("{}").map(escape).join("(.+?)")}$`, "u"), chinese]);

  function say(text) {
    if (sentences.has(text)) return sentences.get(text);
    for (const [english, chinese] of patterns) {
      const found = english.exec(text);
      if (!found) continue;
      const parts = found.slice(1).map(say);
      let next = 0;
      return chinese.replace(/\{(\d?)\}/g, (_, number) => parts[number === "" ? next++ : Number(number)]);
    }
    const [, what, index] = /^(.+)(\[[\d, ]+\])$/.exec(text) ?? [];
    return what ? say(what) + index : text;
  }

  const stage = (name) => sentences.get(name) ?? name.split(": ").map(say).join("：");

  function line(text) {
    const [, state, name, seconds = ""] = states.exec(text) ?? [];
    if (state) return `  ${padded(say(state), 8)}${seconds ? padded(stage(name), 44) : stage(name)}${seconds.trim()}`;
    const [, label, value] = labels.exec(text) ?? [];
    if (label) return `    ${padded(say(label), labelWidth)}${say(value)}`;
    const [, indent, sentence] = /^(\s*)(.*)$/.exec(text);
    return sentence.startsWith("//") ? text : indent + say(sentence);
  }

  return { line, stage };
}
