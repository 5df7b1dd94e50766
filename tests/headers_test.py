#!/usr/bin/env python3
"""Checks that public headers define no macros, include only public headers, and export their declarations.

Public headers may include the standard library and one another. All declarations are between
`#pragma GCC visibility push(default)` and `pop`. <gradus/autograd/xtensor.hpp> is the only header that includes xtensor, and no
other header includes <gradus/autograd/xtensor.hpp>.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDES = [ROOT / "include", *ROOT.glob("*/include")]
XTENSOR = "gradus/autograd/xtensor.hpp"
SHOWN = re.compile(r"#pragma GCC visibility push\(default\)\n(///?[^\n]*\n)*namespace gradus\b.*"
                   r"^}  // namespace gradus[\w:]*\n#pragma GCC visibility pop\n\Z", re.DOTALL | re.MULTILINE)


def faults(name, text, public):
    """Yields the faults of a header."""
    for included in re.findall(r"^\s*#\s*include\s*(.*?)\s*(?://.*)?$", text, re.MULTILINE):
        header = included.strip("<>")
        if not (included == f"<{header}>" and (header in public - {XTENSOR} or re.fullmatch("[a-z_]+", header)
                                               or (name == XTENSOR and header.startswith("xtensor/")))):
            yield f"includes {included}"
    for macro in re.findall(r"^\s*#\s*define\s+(\w+)", text, re.MULTILINE):
        yield f"defines {macro}"
    if "namespace gradus" in text and not SHOWN.search(text):
        yield "has declarations outside '#pragma GCC visibility push(default)' and 'pop'"


def main():
    headers = {str(path.relative_to(folder)): path for folder in INCLUDES for path in folder.glob("gradus/**/*.hpp")}
    assert len(headers) > 100, f"only {len(headers)} headers were found"
    found = [f"{path.relative_to(ROOT)} {fault}" for name, path in headers.items()
             for fault in faults(name, path.read_text(), headers.keys())]
    if found:
        sys.exit("headers: " + "\nheaders: ".join(found))


if __name__ == "__main__":
    main()
