#!/usr/bin/env python3
"""The folders include one another in one direction.

LIBRARIES lists which libraries each library may use. AUTOGRAD lists the folders within autograd from the lowest: sources of a
folder include only headers of their own folder and of folders before it.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The libraries whose headers each library may include.
LIBRARIES = {"files": (), "autograd": (), "nn": ("autograd", "files"), "data": ("files",), "plot": ("files",),
             "graph": ("autograd", "files"), "models": ("nn", "autograd", "data", "files"),
             "tools": ("models", "nn", "autograd", "data", "plot", "graph", "files")}
AUTOGRAD = ("runtime", "memory", "threads", "kernels", "tape", "tensor", "products", "ops", "fused", "inspect")


def included(path):
    return re.findall(r'^#include [<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE)


def library_faults(root=ROOT):
    """Includes of libraries that a library may not use, and of the header that includes everything."""
    for library, below in LIBRARIES.items():
        for path in sorted((root / library).rglob("*.[ch]pp")):
            for header in included(path):
                parts = header.split("/")
                if header == "gradus/gradus.hpp" or (parts[0] == "gradus" and len(parts) > 2 and parts[1] not in (library, *below)):
                    yield f"{path.relative_to(root)} includes <{header}>; {library} may use {', '.join(below) or 'none'}"


def autograd_faults(folder=ROOT / "autograd"):
    """Includes from a folder of autograd to a later one, and sources in no folder."""
    for path in sorted(folder.rglob("*.[ch]pp")):
        own = path.relative_to(folder).parts[0]
        if own == "include":
            continue
        if own not in AUTOGRAD:
            yield f"autograd/{path.relative_to(folder)} is in none of the folders {', '.join(AUTOGRAD)}"
            continue
        for header in included(path):
            other = header.split("/")[0]
            if other in AUTOGRAD[AUTOGRAD.index(own) + 1:]:
                yield f"autograd/{path.relative_to(folder)} includes \"{header}\"; {own} precedes {other}"


def test_faults_are_found(folder):
    """An arrow upwards and a source in no folder must be seen."""
    (folder / "memory").mkdir()
    (folder / "memory" / "pool.cpp").write_text('#include "runtime/runtime_state.hpp"\n#include "ops/layout.hpp"\n')
    (folder / "loose.cpp").write_text("")
    found = list(autograd_faults(folder))
    assert len(found) == 2 and "precedes ops" in found[1] and "in none of" in found[0], found
    (folder / "data").mkdir()
    (folder / "data" / "batch.cpp").write_text("#include <gradus/files/input.hpp>\n#include <gradus/nn/gru.hpp>\n#include <gradus/gradus.hpp>\n")
    found = list(library_faults(folder))
    assert len(found) == 2 and "gradus/nn/gru.hpp" in found[0] and "gradus/gradus.hpp" in found[1], found


def main():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        test_faults_are_found(pathlib.Path(folder))
    found = [*library_faults(), *autograd_faults()]
    if found:
        sys.exit("layers: " + "\nlayers: ".join(found))


if __name__ == "__main__":
    main()
