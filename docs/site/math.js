// $…$ and $$…$$ have been marked by arithmatex; KaTeX draws them in the browser, from the files of this site.
for (const element of document.querySelectorAll(".arithmatex")) {
  const display = element.tagName === "DIV";
  const tex = element.textContent.trim().replace(/^\\[([]|\\[)\]]$/g, "");
  katex.render(tex, element, { displayMode: display, throwOnError: false });
}
