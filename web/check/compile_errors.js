// Explains clang's messages about the learner's file. exercises/compile_errors.py does the same for g++.

// [pattern of clang's error, key of its explanation in strings.js]. A group of the pattern captures an identifier.
const sentences = [
  [/expected ';' after (?:class|struct)/, "classEnd"],
  [/expected ';'/, "semicolon"],
  [/expected '\)'/, "parenthesis"],
  [/expected '\}'|extraneous closing brace/, "brace"],
  [/use of undeclared identifier '(.+?)'|unknown type name '(.+?)'|no type named '(.+?)'|no template named '(.+?)'/, "unknown"],
  [/no member named '(.+?)'/, "member"],
  [/too (?:few|many) arguments to function|no matching (?:member )?function for call to '(.+?)'/, "arguments"],
  [/no matching constructor|constructor .* is deleted/, "constructor"],
  [/does not return a value/, "noReturn"],
  [/no viable conversion|cannot initialize|no known conversion|cannot convert|invalid operands/, "type"],
  [/is a (?:private|protected) member/, "access"],
  [/const-qualified|drops 'const'|read-only|not marked const/, "constant"],
  [/marked 'override' but does not override/, "override"],
  [/abstract class/, "abstract"],
  [/'(.+?)' file not found/, "header"],
  [/redefinition of/, "twice"],
  [/undefined symbol: (.+)/, "undefined"],
];

/**
 * @param {string} printed the output of the compiler or the linker
 * @param {string} file    the learner's file: "softmax_backward.hpp"
 * @returns {{ messages, first: string, isMine: boolean, sentence?: string, name?: string }} messages: those about the learner's
 * lines, as { line, column, severity, message }; first: the first error with its notes; isMine: true if that error is in the
 * learner's file; sentence: the name of its explanation; name: the name that the error is about
 */
export function explain(printed, file) {
  const lines = printed.split("\n").map((line) => line.replaceAll(`/mine/${file}`, file));
  const all = lines.map((line) => /^(\/?[^\s:]+):(\d+):(\d+): (fatal error|error|warning|note): (.*)$/.exec(line));
  const messages = all.filter((match) => match?.[1] === file).map(([, , line, column, kind, message]) =>
    ({ line: Number(line), column: Number(column), severity: kind === "note" ? "info" : kind.replace("fatal ", ""), message }));
  const isError = (match) => match?.[4].endsWith("error");
  const begin = Math.max(lines.findIndex((line, i) => isError(all[i]) || /^wasm-ld: error/.test(line)), 0);
  const after = lines.findIndex((line, i) => i > begin && (all[i] ? all[i][4] !== "note" : !/^ /.test(line)));
  const [expression, sentence] = sentences.find(([expression]) => expression.test(lines[begin])) ?? [];
  return { messages, first: lines.slice(begin, after < 0 ? undefined : after).join("\n"), isMine: all[begin]?.[1] === file,
           sentence, name: expression && lines[begin].match(expression).slice(1).find(Boolean) };
}
