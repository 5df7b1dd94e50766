"""Explains g++'s first error in terms of the learner's file."""

import difflib
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIAGNOSTIC = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? (?P<kind>(?:fatal )?error|warning|note): +(?P<says>.*)")
DIFFERS = "differs from the function of the base class below it. Compare the name, the parameters and the `const` behind them."
WITH_OVERRIDE = " With `override`, the compiler compares them."
CONST = "This line may change something that is `const`. If a function has `const` behind its parameters, all members are."

# [regular expression for a message of g++, explanation for the learner].
SENTENCES = [
    (r"expected ';' after class definition", "A class ends with `}};`."),
    (r"expected .*';'", "A `;` is missing, usually at the end of the line before."),
    (r"expected .*'\)'", "A `)` is missing."),
    (r"'(.+?)' was not declared|'(.+?)' does not name|'(.+?)' has not been declared|'(.+?)' is not a member of",
     "The name `{0}` is unknown here. Is it spelled correctly, declared above this line, and is its header included?{similar}"),
    (r"too (few|many) arguments to function", "The call has too {0} arguments; compare it with the declaration."),
    (r"no matching function for call to '(?:\S* )?([\w:]+)", "There is a `{0}`, but not for these arguments."),
    (r"has no member named '(.+?)'", "The class has no `{0}`. Is it spelled correctly?"),
    (r"return-type", "The function must return a value, but reaches its end without `return`."),
    (r"could not convert|cannot convert|invalid initialization of reference|conversion from .* requested",
     "The value has another type than the one that is needed here."),
    (r"'(.+?)' is (?:private|protected) within", "`{0}` is not accessible here. Is it declared below `public:`?"),
    (r"discards qualifiers|read-only", CONST),
    (r"marked 'override', but does not override", "Your function " + DIFFERS),
    (r"(\S+): No such file", "There is no header `{0}`. Is its name spelled correctly?"),
    (r"redeclaration of|redefinition of|conflicting declaration", "The name is declared twice."),
    (r"undefined reference to `(.+?)'", "`{0}` is declared, but not defined."),
]


class Diagnostic:
    """A compiler message, with the source lines that are quoted below it."""

    def __init__(self, match, lines, folder):
        self.given, self.file = match["file"], (folder / match["file"]).resolve()
        self.kind, self.says, self.lines = match["kind"], match["says"], lines
        self.is_error = "error" in self.kind


def diagnostics(output, folder):
    found = []
    for line in output.replace("‘", "'").replace("’", "'").splitlines():
        if match := DIAGNOSTIC.match(line):
            found.append(Diagnostic(match, [line], folder))
        elif found and line.startswith(" ") and not re.match(r" +from ", line):
            found[-1].lines.append(line)
    return found


def notes_of(error, found):
    after = found[found.index(error) + 1:]
    end = next((i for i, other in enumerate(after) if other.kind != "note"), len(after))
    return after[:end]


def signature(text):
    """Splits a quoted function in a message of g++ into (name, parameters, const)."""
    match = re.search(r"'[^']*?(\w+)\(([^']*)\)( const)?'", text)
    return match.groups() if match else ("", "", None)


def pure_functions(found):
    return [other for other in found if other.kind == "note" and other.says.startswith("'virtual ")]


def about_override(error, found):
    """(explanation, notes) for either of two errors: a function is marked override and overrides nothing, or it hides a
    function of the base class. None if no compiler note shows the base class's function."""
    name, parameters, const = signature(error.says)
    for note in pure_functions(found):
        base = signature(note.says)
        if base[:2] == (name, parameters) and base[2] and not const:
            return f"`{name}` has no `const` behind its parameters, as the base class has.", [note]
        if base[0] == name:
            return f"Your `{name}` {DIFFERS}{WITH_OVERRIDE if 'was hidden' in error.says else ''}", [note]
    return None


def about_abstract(error, found, source, mine):
    match = re.search(r"abstract (?:class )?type '(.+?)'", error.says)
    pure = pure_functions(notes_of(error, found))
    if not match or not pure:
        return None
    name = signature(pure[0].says)[0]
    if len(re.findall(rf"\b{name}\s*\(", source)) > (pure[0].file == mine):
        return f"Your `{name}` {DIFFERS}{WITH_OVERRIDE}", pure[:1]
    return f"`{match[1]}` does not define `{name}`, which its base class leaves to it.", pure[:1]


def similar(word):
    """Suggests the library's operation whose name is most similar to `word`; empty if no name is similar."""
    names = set(re.findall(r"^Tensor (\w+)\(", (ROOT / "autograd/include/gradus/autograd/ops.hpp").read_text(), re.MULTILINE))
    near = difflib.get_close_matches(word, names - {word}, 1, 0.8)
    return f" Did you mean `{near[0]}`?" if near else ""


def sentence(says):
    for expression, text in SENTENCES:
        if match := re.search(expression, says):
            words = [word for word in match.groups() if word]
            return text.format(*words, similar=similar(words[0]) if words else "")
    return None


def is_of_interest(diagnostic, mine):
    """True if the diagnostic points to the learner's file or to a file of gradus."""
    return diagnostic.file == mine or ROOT in diagnostic.file.parents


def useful_notes(error, found, mine):
    """Returns the first note about a file of interest. If this note names a candidate function, also returns the next note, which
    gives the reason."""
    notes = [note for note in notes_of(error, found) if is_of_interest(note, mine)]
    return notes[:2] if notes and "candidate" in notes[0].says else notes[:1]


COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def unpaired_brace(source):
    """(line, brace) of an unmatched brace; None if all braces match. The indentation shows which brace is unmatched."""
    code = COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    missing = code.count("{") - code.count("}")  # negative: too many closing braces
    opened, suspects = [], []
    indent, depth, before = None, 0, ""  # of the current statement: indentation, open parentheses, characters so far
    for number, line in enumerate(code.splitlines(), 1):
        for at, character in enumerate(line):
            if indent is None and character not in " \t}":
                indent = len(line) - len(line.lstrip())
            if character == "{":
                is_block = before[-1:] not in ("(", ",", "=")
                opened.append((number, indent, depth, is_block))
                indent, depth = (None, 0) if is_block else (indent, depth)
            elif character == "}":
                if not opened:
                    return suspects[0] if suspects else (number, "}")
                begins, indented, depth, is_block = opened.pop()
                differs = indented - at if not line[:at].strip() else 0
                if missing * differs > 0:
                    suspects.append((begins, "{") if missing > 0 else (number, "}"))
                indent = None if is_block else indent
            elif character == ";" and depth == 0 or character == ":" and re.search(r"\b(public|protected|private)$", before):
                indent = None
            depth += (character == "(") - (character == ")")
            before = (before + character.strip())[-10:]
    if missing == 0:
        return None
    return suspects[0] if suspects else (opened[-1][0], "{")


def explain(output, file, folder, shown):
    """Explains a failed build of `file` to the learner. `output` has paths relative to `folder`; `shown` shortens paths."""
    mine, source = file.resolve(), file.read_text()
    found = diagnostics(output, folder)
    error = next((diagnostic for diagnostic in found if diagnostic.is_error), None)
    where = f"\n  Fix it in {shown(file)}; further errors may disappear with it."
    if brace := unpaired_brace(source):
        line, kind = brace
        says = f"has no `{'}' if kind == '{' else '{'}`"
        return (f"  Your file does not compile yet. The `{kind}` in line {line} {says}:\n\n"
                f"    {shown(file)}:{line}: {source.splitlines()[line - 1].strip()}\n{where}")
    if error is None:
        return output if not (says := sentence(output)) else f"  Your file does not link yet. {says}\n{where}"

    explained = about_override(error, found) or about_abstract(error, found, source, mine)
    says, notes = explained or (sentence(error.says), useful_notes(error, found, mine))
    is_mine = error.file == mine
    if not is_mine and not explained and (match := re.search(r"'(.+?)' (?:was not declared|has not been declared)", error.says)):
        says = f"The checker needs `{match[1]}`, and your file does not declare it. Compare the names with the statement."
    text = ("  Your file does not compile yet. The first error:\n\n" if is_mine else
            "  Your file compiles, but its declarations do not match the statement. The first error where they are used:\n\n")
    for diagnostic in [error, *notes]:
        for line in diagnostic.lines if is_of_interest(diagnostic, mine) else diagnostic.lines[:1]:
            text += "    " + line.replace(diagnostic.given, str(shown(diagnostic.file))) + "\n"
    return text + (f"\n  {says}" if says else "") + where
