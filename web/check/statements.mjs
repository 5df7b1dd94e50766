// Converts the exercises for the page: statements and hints to HTML, formulas to MathML; also reads stubs and solutions.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import katex from "katex";
import { Marked } from "marked";

const math = (tex, displayMode) => katex.renderToString(tex, { displayMode, output: "mathml", throwOnError: true });
const formula = (name, level, start, rule, display) => ({
  name, level, start: (text) => { const at = text.indexOf(start); return at < 0 ? undefined : at; },
  tokenizer(text) {
    const match = rule.exec(text);
    return match ? { type: name, raw: match[0], tex: match[1] } : undefined;
  },
  renderer: ({ tex }) => (display ? `<div class="formula">${math(tex, true)}</div>` : math(tex, false)),
});
const formulas = [formula("display", "block", "$$", /^\$\$([^$]+)\$\$/, true),
                  formula("inline", "inline", "$", /^\$([^$\n]+(?:\n[^$\n]+)*)\$/, false)];

/**
 * The new address of a link or picture in an exercise's README or hints. A link points into the page, or into the book that
 * contains the page. A picture's address points into the folder pictures/, and its name is added to `pictures`. Web addresses
 * do not change.
 */
function address(href, pictures) {
  if (/^https?:/.test(href)) return href;
  if (/^[\w.]+\.hpp$/.test(href)) return `#${href}`;  // a header that the page shows
  const exercise = /^\.\.\/\d\d_(\w+)\//.exec(href);
  if (exercise) return `#${exercise[1]}`;
  const page = /^\.\.\/\.\.\/docs\/(.+)\.md(#.*)?$/.exec(href), picture = /^\.\.\/\.\.\/docs\/pictures\/([\w.]+)$/.exec(href);
  if (page) return `../../${page[1]}.html${page[2] ?? ""}`;
  if (picture) {
    pictures.add(picture[1]);
    return `pictures/${picture[1]}`;
  }
  throw new Error(`a statement links to ${href}, which the page does not show`);
}

function page(folder, suffix, pictures) {
  const markdown = new Marked({ extensions: formulas, walkTokens: (token) => {
    if (token.type === "link" || token.type === "image") token.href = address(token.href, pictures);
  } });
  // The tabindex lets a reader scroll the element by keyboard. An empty corner of a table must not be a header cell.
  const html = (text) => markdown.parse(text).replaceAll("<pre>", '<pre tabindex="0">').replaceAll("<th></th>", "<td></td>");
  const read = (name) => readFileSync(path.join(folder, `${name}${suffix}.md`), "utf8");
  const [heading, ...rest] = read("README").split("\n");
  const hints = read("hints").split(/^## \d+\n/m).slice(1);
  return { title: heading.replace(/^.*?·/, "").trim(), statement: html(rest.join("\n")),
           hints: hints.map((hint) => ({ part: /^([\w -]+): /.exec(hint)?.[1] ?? "", html: html(hint.trim()) })) };
}

/**
 * @param {string} root the folder exercises/; @param {string} suffix "" for the English files, ".zh-CN" for the Chinese ones
 * @returns {{ exercises: Object[], pictures: string[] }} exercises in order of number; pictures: the names used in docs/pictures/
 */
export function exercises(root, suffix) {
  const pictures = new Set(), list = readFileSync(path.join(root, `README${suffix}.md`), "utf8");
  const found = readdirSync(root).filter((name) => /^\d\d_/.test(name)).sort().map((name) => {
    const folder = path.join(root, name), text = (file) => readFileSync(path.join(folder, file), "utf8");
    const sittings = existsSync(path.join(folder, "sittings.json")) ? JSON.parse(text("sittings.json")) : {};
    const shown = [...new Set(text("README.md").match(/(?<=\]\()[\w.]+\.hpp(?=\))/g))];
    const [, about, tutorial] = new RegExp(`^\\|[^|]*\\(${name}/[^|]*\\| ([^|]*) \\| (\\d+)[^|]*\\|$`, "m").exec(list);
    return { about: new Marked().parseInline(about), tutorial, folder: name, number: name.slice(0, 2), name: name.slice(3), ...page(folder, suffix, pictures), sittings,
             headers: shown.map((header) => ({ name: header, text: text(header) })), stub: text("stub.hpp"), solution: text("solution.hpp") };
  });
  return { exercises: found, pictures: [...pictures] };
}
