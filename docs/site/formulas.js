// Run by check.py after katex.min.js and `formulas`, a list of [tex, displayMode]: prints KaTeX's error or warning for each, or "".
// Duktape, which runs it on Debian 12, supports neither `let` nor arrow functions.
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
