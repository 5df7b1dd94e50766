#!/usr/bin/env python3
"""Runs ./run exercise with code that crashes, hangs or does not compile: coach_test.py BUILD.

An environment variable tells the learner's code how to fail. So the code is built only once.
"""

import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time

from exercises_test import EXERCISES, NAME, RIGHT, Coach, read_until

sys.path.insert(0, str(EXERCISES))
import compile_errors
from plain_text import plain

FAILING = RIGHT.replace("#include <cmath>", """#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

inline int recurse(int n) { return n < 0 ? 0 : recurse(n + 1) + 1; }
struct Rude { ~Rude() noexcept(false) { throw 1; } };
inline void fail(const std::string& how) {
  volatile int zero = 0, number = 2147483647;
  std::vector<int> v(3);
  int* block = new int[4];
  if (how == "exit") std::exit(0);
  if (how == "exit 1") std::exit(1);
  if (how == "exit at once") std::_Exit(0);
  if (how == "divide") std::printf("%d", 7 / zero);
  if (how == "recurse") recurse(0);
  if (how == "null") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "abort") std::abort();
  if (how == "index") v[7] = 1;
  if (how == "at") v.at(7) = 1;
  if (how == "text") throw "a text";
  if (how == "string") throw std::string("a string");
  if (how == "number") throw 3;
  if (how == "twice") try { Rude rude; throw 2; } catch (int) {}
  if (how == "kill") std::raise(SIGKILL);
  if (how == "loop") for (;;) zero = 0;
  if (how == "memory") v.reserve(std::size_t(1) << 31);
  if (how == "block") block[zero + 5] = 1;
  if (how == "overflow") number = number + 1;
  delete[] block;
}""").replace("  const double y", "  fail(std::getenv(\"HOW\"));\n  const double y", 1)

# For each failure, the texts that the coach prints. The line of the failure is checked separately.
ENDINGS = {
    "exit": ["not yet value", "ended the program, with exit code 0", "do not call exit()"],
    "exit 1": ["ended the program, with exit code 1"],
    "recurse": ["the recursion is too deep (SIGSEGV)"],
    "null": ["memory that it does not own (SIGSEGV)", "--sanitize"],
    "abort": ["aborted (SIGABRT)"],
    "index": ["aborted (SIGABRT)", "index out of range"],
    "at": ["threw an exception", "got         vector"],
    "text": ["threw a text, not an exception", "got         a text"],
    "string": ["threw a text, not an exception", "got         a string"],
    "number": ["threw an object that is not a std::exception"],
    "twice": ["aborted (SIGABRT)", "leaves a destructor"],
    "loop": ["Still in this stage after 2 s: an endless loop?", "--patience 3"],
    "memory": ["more memory than it may use"],
}
WITHOUT_LINE = {"exit at once": ["ended the program, with exit code 0"], "kill": ["stopped the program (SIGKILL)", "memory"]}
SANITIZED = {
    "block": ["outside an allocated block", f"at          FILE:LINE: ", "created at"],
    "overflow": ["signed integer overflow", f"at          FILE:LINE: "],
    "exit": ["ended the program, with exit code 0"],
}
if platform.machine() == "x86_64":  # other processors may return 0 for an integer divided by zero
    ENDINGS["divide"] = ["divided an integer by zero (SIGFPE)"]


def line_of(how):
    place = {"recurse": "return n < 0", "twice": "struct Rude"}.get(how, f'"{how}"')
    return FAILING[:FAILING.index(place)].count("\n") + 1


def endings(coach):
    coach.file.write_text(FAILING)
    for how, texts in ENDINGS.items():
        at = f"at          {coach.file}:{line_of(how)}: {FAILING.splitlines()[line_of(how) - 1].strip()}"
        short = ["--patience", "0.1"] if how == "loop" else []
        coach.expect(1, [NAME, *short], *texts, at, never=["Every stage passed"], HOW=how)
        assert coach.state().startswith("0 of 6 stages"), how
    for how, texts in WITHOUT_LINE.items():
        coach.expect(1, [NAME], *texts, never=["    at  "], HOW=how)
    coach.expect(0, [NAME], "Every stage passed", HOW="right")
    coach.expect(1, ["check-all", "--patience", "0.1"], "0 of the 1 exercises", HOW="loop")


def limits(build):
    """A training stage may take three times as long as other stages."""
    with tempfile.NamedTemporaryFile() as record:
        subprocess.run([build / "exercises" / f"exercise_{NAME}", "--state", record.name, "--seconds", "20"], check=True,
                       capture_output=True, env={**os.environ, "HOW": "right"})
        text = pathlib.Path(record.name).read_text()
    assert "stage 20 value\n" in text and "stage 60 learning XOR\n" in text, text


def sanitized(coach):
    """The coach shows only lines of the learner's file."""
    coach.file.write_text(FAILING)
    for how, texts in SANITIZED.items():
        place = [text.replace("FILE:LINE", f"{coach.file}:{line_of(how)}") for text in texts]
        coach.expect(1, [NAME, "--sanitize"], *place, never=["#0", "SUMMARY", "checker.cpp"], HOW=how)
    coach.expect(0, [NAME, "--sanitize"], "Every stage passed", HOW="right")


def in_the_command(coach):
    """With --cli, the learner's code crashes inside the gradus command."""
    file = coach.mine / "scaled_dot.hpp"
    file.write_text((EXERCISES / "09_scaled_dot/solution.hpp").read_text().replace("#pragma once", "#pragma once\n#include <cstdlib>")
                    + "\ninline const int nothing = (std::abort(), 0);\n")
    coach.expect(1, ["scaled_dot", "--cli", "train", "--help"], "Your code aborted (SIGABRT). A check names the line: ./run exercise scaled_dot.")
    file.unlink()


def watched(coach):
    """Saving the file stops a running check."""
    coach.file.write_text(FAILING)
    coach.environment["HOW"] = "loop"
    watching = coach.watch(NAME)
    try:
        read_until(watching, NAME)
        time.sleep(0.5)
        begun = time.monotonic()
        coach.file.write_text(RIGHT)
        read_until(watching, "has changed")
        assert time.monotonic() - begun < 10, "the check was not stopped when the file was saved"
        read_until(watching, "Every stage passed")
    finally:
        watching.terminate()
        watching.wait()


# COMPILE_ERRORS has, for each error, a changed solution that causes it, and texts of the coach's answer. BASE and RETURN are
# parts of the changed solutions.
BASE = "struct Base {\n  virtual ~Base() = default;\n  virtual int twice(int x) const = 0;\n};\n"
RETURN = "  return record("


def changed(old, new):
    assert old in RIGHT, old
    return RIGHT.replace(old, new, 1)


def derived(function, use="Derived().twice(1);"):
    return changed("inline Value tanh(Value x) {", BASE + f"struct Derived : Base {{\n  {function}\n}};\n\ninline Value tanh(Value x) {{\n  {use}")


COMPILE_ERRORS = {
    "a semicolon": (changed("std::tanh(x.data());", "std::tanh(x.data())"), ["A `;` is missing, usually at the end of the line before."]),
    "a closing brace": (RIGHT.rstrip().removesuffix("}"), ["The `{` in line ", " has no `}`", "inline Value tanh(Value x) {"]),
    "a brace too many": (RIGHT + "}\n", ["The `}` in line ", " has no `{`"]),
    "an unknown name": (changed("std::tanh", "sofmax"), ["The name `sofmax` is unknown here.", "Did you mean `softmax`?"]),
    "an unknown member": (changed("x.data()", "x.value()"), ["The class has no `value`."]),
    "no return": (changed(RETURN, "  record("), ["must return a value, but reaches its end without `return`"]),
    "no header": (changed("<cmath>", "<cmaths>"), ["There is no header `cmaths`."]),
    "too few arguments": (changed("inline Value tanh(Value x) {", "inline int helper(int a, int b) { return a + b; }\n\ninline Value tanh(Value x) {\n  helper(1);"),
                          ["too few arguments; compare it with the declaration", "note: declared here", "int helper(int a, int b)"]),
    "another type": (changed("const double y", "const std::nullptr_t none = nullptr;\n  Value other = none;\n  const double y"),
                     ["another type than the one that is needed"]),
    "a change of a const": (changed("const double y", "const double z = 1;\n  z = 2;\n  const double y"), ["may change something that is `const`"]),
    "const forgotten": (derived("int twice(int x) override { return 2 * x; }"),
                        ["`twice` has no `const` behind its parameters", "virtual int twice(int x) const = 0;"]),
    "another parameter": (derived("int twice(long x) const override { return 2 * int(x); }"),
                          ["Your `twice` differs from the function of the base class", "virtual int twice(int x) const = 0;"]),
    "override forgotten": (derived("int twice(long x) const { return 2 * int(x); }"),
                           ["Your `twice` differs", "With `override`, the compiler compares them.", "virtual int twice(int x) const = 0;"]),
    "an abstract class": (derived("int thrice(int x) const { return 3 * x; }", "Derived();"),
                          ["`Derived` does not define `twice`, which its base class leaves to it.", "virtual int twice(int x) const = 0;"]),
    "a private member": (derived("int twice(int x) const override { return 2 * x; }\n private:\n  int n = 0;", "Derived().n;"),
                         ["`int Derived::n` is not accessible here. Is it declared below `public:`?"]),
    "another name": (changed("Value tanh(Value x)", "Value tangens(Value x)"), ["its declarations do not match the statement"]),
    "no definition": (changed("inline Value tanh(Value x) {", "Value helper(Value x);\n\ninline Value tanh(Value x) {\n  helper(x);"),
                      ["does not link yet", "`helper(scalar::Value)` is declared, but not defined."]),
}


def compile_error(coach):
    for name, (source, texts) in COMPILE_ERRORS.items():
        coach.file.write_text(source)
        out = coach.expect(1, [NAME], *texts, f"Fix it in {coach.file}", never=["learner/", "ninja:", "FAILED"])
        assert out.count(": error: ") <= 1, f"{name}: more than the first error\n{out}"


def class_of_the_library(coach):
    """make_unique creates an abstract class, so the compiler reports the error in a header of the standard library."""
    solution = (EXERCISES / "08_additive_attention/solution.hpp").read_text()
    file = coach.mine / "additive_attention.hpp"
    file.write_text(re.sub(r"Result attend\(", "Result atend(", solution).replace("previous_weights*/) const override", "previous_weights*/) const"))
    coach.expect(1, ["additive_attention"], "`AdditiveAttention` does not define `attend`", "nn/include/gradus/nn/attention.hpp:",
                 "virtual Result attend(", never=["{ return unique_ptr"])
    file.unlink()


def exhibits(coach):
    """When the coach names the cause of a fault, it names only an exhibit with the same cause."""
    solution = (EXERCISES / "08_additive_attention/solution.hpp").read_text()
    file = coach.mine / "additive_attention.hpp"
    assert "masked_softmax(e, memory.lengths)" in solution
    for alpha, texts, never in [("softmax(e, 1)", ["looks like  The pads got weight", "It behaves like exhibit 11."], []),
                                ("softmax(e, 0)", ["looks like  The softmax was taken over the batch."], ["exhibit"])]:
        file.write_text(solution.replace("masked_softmax(e, memory.lengths)", alpha))
        coach.expect(1, ["additive_attention"], *texts, never=never)
    file.unlink()


def slow_diagnosis(coach):
    """The comparison with the museum has a time limit of its own: here, stage and comparison together take longer than a limit."""
    solution = (EXERCISES / "08_additive_attention/solution.hpp").read_text()
    pause = "[] { std::this_thread::sleep_for(std::chrono::milliseconds(1400)); return true; }();\n"
    slow = (f"    [[maybe_unused]] static const bool in_stage = {pause}"
            f"    if (query.size(1) == 12) [[maybe_unused]] static const bool in_museum = {pause}")
    changed = solution.replace("    const Tensor inside", slow + "    const Tensor inside").replace("= alpha}", "= transpose(alpha, 0, 1)}")
    assert changed.count("static") == 2 and changed.count("transpose(alpha, 0, 1)}") == 1
    file = coach.mine / "additive_attention.hpp"
    file.write_text(changed.replace("#pragma once", "#pragma once\n#include <chrono>\n#include <thread>"))
    coach.expect(1, ["additive_attention", "--patience", "0.1"], "not yet shapes", never=["an endless loop"])
    program = pathlib.Path(sys.argv[1], "exercises/exercise_additive_attention").resolve()
    alone = subprocess.run([program, "--diagnose", "--seconds", "1"], stdout=subprocess.DEVNULL)
    assert alone.returncode == -signal.SIGALRM, alone
    file.unlink()


def braces():
    solution = (EXERCISES / "08_additive_attention/solution.hpp").read_text()
    assert compile_errors.unpaired_brace(solution) is None
    line = lambda text: solution[:solution.index(text)].count("\n") + 1
    wrong = {"    return memory;\n": (line("nn::Memory prepare"), "{"), "  Tensor v_a;\n": (line("class Additive"), "{")}
    for before, expected in wrong.items():
        assert compile_errors.unpaired_brace(re.sub(re.escape(before) + r" *\};?\n", before, solution, count=1)) == expected, before
    extra = solution.replace("    return memory;\n  }\n", "    return memory;\n  }\n  }\n")
    assert compile_errors.unpaired_brace(extra) == (line("    return memory;") + 2, "}")
    assert compile_errors.unpaired_brace('const char* text = "{";  // {\nchar c = \'{\';\n') is None


def hints():
    """Hints are converted to plain text, without LaTeX or links."""
    assert plain(r"$\frac{\partial L}{\partial x_i} = \sum_j g_j^{-2}$, **see** [it](x.md)") == "∂L / ∂x_i = Σ_j g_j⁻², see it"
    assert plain("`[=](double g) { … }`") == "`[=](double g) { … }`"  # not a link
    for path in EXERCISES.glob("*/hints*.md"):
        rest = re.findall(r".*(?:\$|\\|\]\(\S+\)|\*\*).*", plain(path.read_text()))
        assert not rest, f"{path}: {rest}"


def main():
    braces()
    hints()
    with tempfile.TemporaryDirectory() as scratch:
        coach = Coach(sys.argv[1], pathlib.Path(scratch, "mine").resolve())
        coach.mine.mkdir()
        for step in (endings, sanitized, watched, compile_error, class_of_the_library, exhibits, slow_diagnosis, in_the_command):
            begun = time.monotonic()
            step(coach)
            if step is endings:
                limits(pathlib.Path(sys.argv[1]))
            print(f"{step.__name__}: {time.monotonic() - begun:.0f} s", flush=True)
    print("all passed")


if __name__ == "__main__":
    main()
