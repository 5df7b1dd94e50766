// Makes scrolling code, tables, formulas and pictures reachable with the keyboard. Runs after loading, when the theme wraps tables.
function markScrolling() {
  for (const element of document.querySelectorAll(".md-typeset :is(pre, .md-typeset__scrollwrap, div.arithmatex, .katex-display, p:has(> img))")) {
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  }
  for (const results of document.querySelectorAll(".md-search__scrollwrap")) results.tabIndex = 0;
}
addEventListener("load", () => {
  new ResizeObserver(markScrolling).observe(document.body);
  setTimeout(markScrolling, 200);
});
