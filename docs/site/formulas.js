// Run by check.py after katex.min.js and `formulas`, [tex, displayMode] each: prints what KaTeX has against them, "" for nothing.
// Duktape has no `let` and no arrows.
print(JSON.stringify(formulas.map(function (formula) {
  var complaint = "";
  console.warn = function (message) { complaint = message; };
  try {
    katex.renderToString(formula[0], { displayMode: formula[1] });
  } catch (error) {
    complaint = error.message;
  }
  return complaint;
})));
