// $…$ and $$…$$ have been marked by arithmatex; KaTeX draws them in the browser, from the files of this site.
// A $$…$$ in the line of a list is marked twice, one mark in the other.
for (const element of document.querySelectorAll(".arithmatex:not(.arithmatex .arithmatex)")) {
  const displayMode = element.tagName === "DIV" || element.querySelector(".arithmatex") !== null;
  const tex = element.textContent.trim().replace(/^(\\[([])+|(\\[)\]])+$/g, "");
  katex.render(tex, element, { displayMode, throwOnError: false });
}
