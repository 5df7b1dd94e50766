// arithmatex has marked $…$ and $$…$$; the site's own KaTeX draws them in the browser.
// In a list item, $$…$$ has two nested marks.
for (const element of document.querySelectorAll(".arithmatex:not(.arithmatex .arithmatex)")) {
  const displayMode = element.tagName === "DIV" || element.querySelector(".arithmatex") !== null;
  const tex = element.textContent.trim().replace(/^(\\[([])+|(\\[)\]])+$/g, "");
  katex.render(tex, element, { displayMode, throwOnError: false });
  if (element.closest("th")) Object.assign(element, { role: "math", ariaLabel: tex });  // the column's name for screen readers
  if (displayMode) continue;
  const isShort = element.querySelector(".katex-html").textContent.length <= 20;
  isShort ? keepWhole(element) : keepMark(element);
}

// Prevents line breaks within a short formula, and between the formula and an adjacent bracket or punctuation mark (book.css).
function keepWhole(formula) {
  const { previousSibling: before, nextSibling: after } = formula;
  const bracket = /[\p{Ps}\p{Pi}]$/u.exec(before?.data)?.[0] ?? "";
  const mark = /^[\p{Pe}\p{Pf}\p{Po}]+/u.exec(after?.data)?.[0] ?? "";
  if (bracket) before.data = before.data.slice(0, -bracket.length);
  if (mark) after.data = after.data.slice(mark.length);
  const whole = document.createElement("span");
  whole.className = "whole";
  formula.replaceWith(whole);
  whole.append(bracket, formula, mark);
}

// Prevents a line break between a longer formula and the punctuation that follows, by moving the punctuation into the formula's
// last part.
function keepMark(formula) {
  const { nextSibling: after } = formula;
  const text = /^[\p{Pe}\p{Pf}\p{Po}]+/u.exec(after?.data)?.[0];
  if (!text) return;
  after.data = after.data.slice(text.length);
  const mark = document.createElement("span");
  mark.className = "mark";
  mark.append(text);
  [...formula.querySelectorAll(".katex-html > .base")].at(-1).append(mark);
}
