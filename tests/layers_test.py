#!/usr/bin/env python3
"""Checks the direction of includes between folders.

LIBRARIES lists the libraries that each library may use. FOLDERS lists the folders of a library from the lowest to the highest: a
file may include headers of its own folder and of lower folders. A public header belongs to the folder of its source; public
headers without a source are not checked. The public headers of autograd are exempt.

Also checks that gradus.hpp includes all public headers of the libraries in UMBRELLA.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The libraries whose headers each library may include.
LIBRARIES = {"files": (), "autograd": (), "nn": ("autograd", "files"), "data": ("files",), "plot": ("files",),
             "graph": ("autograd", "files"), "models": ("nn", "autograd", "data", "files"),
             "speech": ("autograd", "data", "files"),
             "compress": ("models", "nn", "autograd", "data", "files"),
             "distributed": ("models", "nn", "autograd", "data", "files"),
             "serve": ("models", "nn", "autograd", "data", "files"),
             "tools": ("serve", "distributed", "compress", "speech", "models", "nn", "autograd", "data", "plot", "graph", "files")}
# "." stands for the library's own folder.
FOLDERS = {"autograd": ("runtime", "memory", "threads", "kernels", "tape", "tensor", "products", "ops", "fused", "inspect"),
           "nn": ("module", "layers", "cells", "attention", "losses", "files", "optimisers"),
           "data": (".", "text", "tokens", "metrics", "tasks", "phrases"),
           "plot": ("text", "drawing", "charts", "terminal"),
           "models": ("encoders", "decoders", "model", "search", "training"),
           "compress": ("bf16", "distillation", "int8", "pruning"),
           "distributed": ("communicators", "sums"),
           "speech": ("frames", "sound"),
           "tools": ("settings", "files", "reports", "training", "serving", "commands")}

# The libraries of the target gradus::gradus.
UMBRELLA = ("files", "autograd", "nn", "data", "plot", "graph", "models", "speech", "compress")


def included(path):
    return re.findall(r'^#include [<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE)


def library_faults(root=ROOT):
    """Reports, for each library, includes from libraries that it may not use. Also reports includes of gradus.hpp, which includes
    everything."""
    for library, below in LIBRARIES.items():
        for path in sorted((root / library).rglob("*.[ch]pp")):
            for header in included(path):
                parts = header.split("/")
                if header == "gradus/gradus.hpp" or (parts[0] == "gradus" and len(parts) > 2 and parts[1] not in (library, *below)):
                    yield f"{path.relative_to(root)} includes <{header}>; {library} may use {', '.join(below) or 'none'}"


def umbrella_faults(root=ROOT):
    """Reports public headers that gradus.hpp includes neither itself nor through other headers."""
    headers = {str(path.relative_to(root / library / "include")): path
               for library in UMBRELLA for path in (root / library / "include").rglob("*.hpp")}
    reached, waiting = {"gradus/autograd/xtensor.hpp"}, [root / "include/gradus/gradus.hpp"]
    while waiting:
        for header in included(waiting.pop()):
            if header in headers and header not in reached:
                reached.add(header)
                waiting.append(headers[header])
    for header in sorted(headers.keys() - reached):
        yield f"include/gradus/gradus.hpp does not include <{header}>"


def source_folder(stem, library, root):
    """The folder with the source of this name, or None."""
    found = next((root / library).glob(f"**/{stem}.cpp"), None)
    return found and (found.parent.name if found.parent != root / library else ".")


def folder_of(header, library, root):
    """The folder of a private header, or of a public header's source. None if the header is outside the library, or has no
    source."""
    first, *rest = header.split("/")
    if first in FOLDERS[library] and rest:
        return first
    if (root / library / header).is_file():
        return "."
    return source_folder(pathlib.Path(header).stem, library, root) if first == "gradus" and rest[:1] == [library] else None


def folder_faults(library, root=ROOT):
    """Reports includes of a higher folder of the same library, and sources outside all folders."""
    folders = FOLDERS[library]
    for path in sorted((root / library).rglob("*.[ch]pp")):
        own, *rest = path.relative_to(root / library).parts
        own = own if rest else "."
        if path.name == "main.cpp":
            continue
        if own == "include":
            own = source_folder(path.stem, library, root)
            if own is None or library == "autograd":
                continue
        if own not in folders:
            yield f"{path.relative_to(root)} is in none of the folders {', '.join(folders)}"
            continue
        for header in included(path):
            other = folder_of(header, library, root)
            # Exempts autograd's public headers: they declare things of several folders.
            if other and folders.index(other) > folders.index(own) and not (library == "autograd" and header.startswith("gradus/")):
                yield f"{path.relative_to(root)} includes {header}; {own} precedes {other}"


def test_faults_are_found(folder):
    """Self-test: every kind of fault must be reported."""
    (folder / "autograd" / "memory").mkdir(parents=True)
    (folder / "autograd" / "memory" / "pool.cpp").write_text('#include "runtime/runtime_state.hpp"\n#include "ops/layout.hpp"\n')
    (folder / "autograd" / "loose.cpp").write_text("")
    found = list(folder_faults("autograd", folder))
    assert len(found) == 2 and "precedes ops" in found[1] and "in none of" in found[0], found
    for own in ("layers", "cells"):
        (folder / "nn" / own).mkdir(parents=True)
    (folder / "nn" / "cells" / "gru.cpp").write_text("#include <gradus/nn/linear.hpp>\n")
    (folder / "nn" / "layers" / "linear.cpp").write_text("#include <gradus/nn/gru.hpp>\n")
    found = list(folder_faults("nn", folder))
    assert len(found) == 1 and "linear.cpp" in found[0] and "precedes cells" in found[0], found
    public = folder / "distributed" / "include" / "gradus" / "distributed"
    public.mkdir(parents=True)
    for own, name, other in (("communicators", "threads", "sum"), ("sums", "sum", "threads")):
        (folder / "distributed" / own).mkdir()
        (folder / "distributed" / own / f"{name}.cpp").write_text("")
        (public / f"{name}.hpp").write_text(f"#include <gradus/distributed/{other}.hpp>\n#include <gradus/distributed/no_source.hpp>\n")
    found = list(folder_faults("distributed", folder))
    assert len(found) == 1 and "threads.hpp" in found[0] and "communicators precedes sums" in found[0], found
    for own in (".", "text"):
        (folder / "data" / own).mkdir(parents=True, exist_ok=True)
    (folder / "data" / "hash.cpp").write_text('#include "text/lines.hpp"\n')
    (folder / "data" / "check.hpp").write_text("")
    (folder / "data" / "text" / "lines.cpp").write_text('#include "check.hpp"\n#include <gradus/data/hash.hpp>\n')
    found = list(folder_faults("data", folder))
    assert len(found) == 1 and "hash.cpp" in found[0] and ". precedes text" in found[0], found
    (folder / "data" / "batch.cpp").write_text("#include <gradus/files/input.hpp>\n#include <gradus/nn/gru.hpp>\n#include <gradus/gradus.hpp>\n")
    found = list(library_faults(folder))
    assert len(found) == 2 and "gradus/nn/gru.hpp" in found[0] and "gradus/gradus.hpp" in found[1], found
    for header in ("data/include/gradus/data/batch.hpp", "data/include/gradus/data/split.hpp", "include/gradus/gradus.hpp"):
        (folder / header).parent.mkdir(parents=True, exist_ok=True)
        (folder / header).write_text("#include <gradus/data/batch.hpp>\n")
    found = list(umbrella_faults(folder))
    assert len(found) == 1 and "gradus/data/split.hpp" in found[0], found


def main():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        test_faults_are_found(pathlib.Path(folder))
    found = [*library_faults(), *umbrella_faults(), *(fault for library in FOLDERS for fault in folder_faults(library))]
    if found:
        sys.exit("layers: " + "\nlayers: ".join(found))


if __name__ == "__main__":
    main()
