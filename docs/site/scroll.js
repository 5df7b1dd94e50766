// Makes code, tables, formulas and pictures that scroll reachable with the keyboard. Runs when the size of the page changes,
// and 200 ms after loading, when the theme has wrapped the tables.
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
