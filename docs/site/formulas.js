// Prints KaTeX's error or warning for each formula, or "". check.py runs it after katex.min.js and `formulas`, a list of
// [tex, displayMode]. On Debian 12 it runs in Duktape, which does not support `let` and arrow functions.
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
