"""Explains how a checker's program ended. Reads its record (kit/check.hpp, kit/trace.hpp), its signal and the sanitizer's
report."""

import pathlib
import re
import signal
import subprocess

SLOW = "If your code is only slow: `--patience 3` allows three times as long."
SANITIZE = "An index out of range, or a reference to an object that no longer exists? With --sanitize, the check says more."

# signal: (explanation, hint).
SIGNALS = {
    "SIGFPE": ("Your code divided an integer by zero.", "Which divisor can be 0?"),
    "SIGSEGV": ("Your code used memory that it does not own.", SANITIZE),
    "SIGBUS": ("Your code used memory that it does not own.", SANITIZE),
    "SIGABRT": ("Your code aborted.", "A failed assertion is printed above; '__n < this->size()' is an index out of range. Without one: "
                "std::abort(), memory freed twice (see --sanitize), or an exception that leaves a destructor."),
    "SIGILL": ("Your code reached a point that the compiler took for unreachable.", "Does a function end without its return?"),
    "SIGTRAP": ("Your code reached a point that the compiler took for unreachable.", "Does a function end without its return?"),
    "SIGKILL": ("The system stopped the program.", "Usually memory was exhausted: does a container grow in an endless loop?"),
}
OVERFLOW = ("The stack overflowed: the recursion is too deep.", "Which condition ends the recursion? A local array of many megabytes overflows it, too.")

# AddressSanitizer's kind of error: explanation.
REPORTS = {
    "heap-buffer-overflow": "Your code reads or writes outside an allocated block.",
    "stack-buffer-overflow": "Your code reads or writes outside a local array.",
    "global-buffer-overflow": "Your code reads or writes outside a global array.",
    "heap-use-after-free": "Your code uses memory after it was freed.",
    "stack-use-after-scope": "Your code uses a local variable after the end of its block.",
    "stack-use-after-return": "Your code uses a local variable after its function returned.",
    "attempting double-free": "Your code frees memory twice.",
    "stack-overflow": OVERFLOW[0],
    "SEGV": SIGNALS["SIGSEGV"][0],
    "FPE": SIGNALS["SIGFPE"][0],
}


class Ending:
    def __init__(self, record, code):
        lines = [line.partition(" ")[::2] for line in record.splitlines()]
        of = lambda word: [rest for first, rest in lines if first == word]
        stages = [stage.partition(" ") for stage in of("stage")]
        self.stages, self.limits = [name for _, _, name in stages], [seconds for seconds, _, _ in stages]
        self.passed, self.verdict, self.addresses, self.overflow = of("passed"), of("verdict"), of("at"), of("overflow")
        self.code = code
        number = int(*of("signal")) if of("signal") else max(-code, 0)
        self.signal = signal.Signals(number).name if number else ""

    @property
    def all_passed(self):
        return self.code == 0 and self.verdict == ["passed"] and self.passed == self.stages

    @property
    def explained(self):
        """True if the program has printed why it ended."""
        return bool(self.verdict) and self.code > 0

    @property
    def stage(self):
        return self.stages[len(self.passed)] if len(self.passed) < len(self.stages) else None

    def cause(self):
        """(explanation, hint). The hint may be None."""
        if self.signal == "SIGALRM":
            after = f" after {self.limits[len(self.passed)]} s" if self.stage else ""
            return f"Still in {'this stage' if self.stage else 'code outside the stages'}{after}: an endless loop?", SLOW
        if self.signal:
            says, hint = OVERFLOW if self.overflow else SIGNALS.get(self.signal, ("The program was stopped.", None))
            return f"{says[:-1]} ({self.signal}).", hint
        return f"Your code ended the program, with exit code {self.code}.", "Return from your function, or throw; do not call exit()."


def lines_in(file, program, addresses):
    """The lines of `file` that the stack's addresses point to, innermost first."""
    if not addresses:
        return []
    try:
        done = subprocess.run(["addr2line", "-i", "-e", program, *addresses], capture_output=True, text=True)
    except FileNotFoundError:  # binutils are not installed
        return []
    found = (re.match(r"(.+):(\d+)", place) for place in done.stdout.splitlines())
    return [int(place[2]) for place in found if place and pathlib.Path(place[1]).resolve() == file.resolve()]


def report(text, file):
    """(explanation, [(label, line of `file`)]) from a sanitizer's report; None if there is no report."""
    ours = re.compile(rf"^ +#\d+ .* {re.escape(str(file))}:(\d+)", re.MULTILINE)
    if match := re.search(rf"^{re.escape(str(file))}:(\d+):\d+: runtime error: (.*)", text, re.MULTILINE):
        return f"UndefinedBehaviorSanitizer: {match[2]}.", [("at", int(match[1]))]
    if not (match := re.search(r"ERROR: AddressSanitizer:? ([\w-]+(?: double-free)?)", text)):
        return None
    lines = []
    for label, part in zip(("at", "freed at", "created at"), re.split(r"^(?=freed by|previously allocated|allocated by)", text, flags=re.MULTILINE)):
        label = "created at" if "allocated by" in part[:30] else label
        if frame := ours.search(part):
            lines.append((label, int(frame[1])))
    return REPORTS.get(match[1], f"AddressSanitizer reports: {match[1]}."), lines
