#!/usr/bin/env python3
"""Builds and runs projects that use gradus as in docs/how-to: check.py BUILD [CONSUMER …]

BUILD is a folder with a build of gradus. The consumers are built in BUILD/consumers. Without names, runs all consumers except
the last:

installed   find_package and pkg-config. Installs BUILD, and moves the installation. Builds the programs of all how-to pages,
            and checks the messages about components.
shared      Builds by add_subdirectory with shared libraries. Installs and moves them, and builds programs with them.
fetched     FetchContent: configures, and builds the first library.
packages    Builds and unpacks the Debian packages, and runs the command in them.

To save time, `shared` and `fetched` build gradus without optimisation.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGES = ROOT / "docs/how-to"
PAGE = PAGES / "use-from-cmake.md"
VERSION = re.search(r"project\(gradus VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
QUICK = "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12"
SAYS = (f"gradus {VERSION}: context (2, 6), weights (2, 7), gradient of v_a (5)\n"
        "an error says: ")


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(heading):
    """The shell blocks below one heading of the page. Each block is a list of lines."""
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [block.splitlines() for block in blocks(section, "sh")]


def shell(folder, lines, **environment):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, f"{lines} failed:\n{done.stdout}"
    return done.stdout


def project(home, name):
    """Creates the folder of a consumer with attend.cpp, and with the files of tests/consumers/NAME if that folder exists."""
    folder = home / name
    shutil.copytree(HERE / name, folder, dirs_exist_ok=True) if (HERE / name).exists() else folder.mkdir(exist_ok=True)
    shutil.copy(HERE / "attend.cpp", folder)
    return folder


def check_tree(tree, build):
    """Checks that no installed file contains a path of the build or the installation, and that no compiler flags are exported."""
    for path in filter(pathlib.Path.is_file, tree.rglob("*")):
        content = path.read_bytes()
        for place in (ROOT, build, tree):
            absolute = rb"(?:(?<![\w.}])|(?<=-[IL]))" + re.escape(str(place)).encode()  # matches /gradus, but not include/gradus
            assert not re.search(absolute + rb"(?!\w)", content), f"{path} contains the path {place}"
    for path in tree.rglob("gradusTargets*.cmake"):
        assert not re.search("_OPTIONS|_DEFINITIONS", path.read_text()), f"{path} exports flags to consumers"


def consume(home, build, install):
    """Installs with the page's command and moves the installation. Then builds the program with the moved libraries, and runs it."""
    for name in ("first", "gradus", "installed", "pkg-config"):
        shutil.rmtree(home / name, ignore_errors=True)
    shell(ROOT, [install.replace("build/library", str(build)).replace("$HOME/gradus", str(home / "first"))])
    check_tree(home / "first", build)
    (home / "first").rename(home / "gradus")

    where = {"HOME": str(home), "LD_LIBRARY_PATH": str(home / "gradus/lib")}
    assert SAYS in shell(project(home, "installed"), commands("Installed")[1], HOME=str(home))
    folder = project(home, "pkg-config")
    assert SAYS in shell(folder, commands("With pkg-config")[0], **where)
    # Runs the same commands, but links all objects of gradus::gradus, so that every dependency is needed.
    shutil.copy(HERE / "whole.cpp", folder / "attend.cpp")
    whole = re.sub(r"\$\(.*\)", r"-Wl,--whole-archive \g<0> -Wl,--no-whole-archive", "\n".join(commands("With pkg-config")[0]))
    assert "1 parameter in int8" in shell(folder, [whole], **where)


def in_build(home, name, *options):
    """Configures a consumer's project next to gradus. Returns its folder and the commands that build and run it."""
    if not (home / "gradus").exists():
        (home / "gradus").symlink_to(ROOT)
    configure, make, run = commands("In your build")[0]
    folder = project(home, name)
    shell(folder, [" ".join([configure, QUICK, *options])])
    return folder, make, run


def how_to(home, page):
    """Builds the program of a how-to page in an empty folder, with the page's CMakeLists.txt and CMake commands. If the page
    has none, uses those of use-from-cmake.md, and links the library that the page names. Omits gdb commands if gdb is not
    installed."""
    text = page.read_text()
    folder = home / "how-to" / page.stem
    folder.mkdir(parents=True)
    lists = blocks(text, "cmake")
    if lists:
        name = re.search(r"add_executable\((\w+)", lists[0])[1]
    else:
        name, library = "attend", re.search(r"links `gradus::(\w+)`", text)[1]
        lists = [(HERE / "installed/CMakeLists.txt").read_text().replace("gradus::nn", f"gradus::{library}").replace("COMPONENTS nn", f"COMPONENTS {library}")]
    (folder / "CMakeLists.txt").write_text(lists[0])
    (folder / f"{name}.cpp").write_text(blocks(text, "cpp")[0])
    own = [block.splitlines() for block in blocks(text, "sh") if block.startswith("cmake -B")]
    for lines in own or [commands("Installed")[1][:2]]:
        shell(folder, [line for line in lines if not line.startswith("gdb ") or shutil.which("gdb")], HOME=str(home))
    return folder


def how_tos(home):
    shutil.rmtree(home / "how-to", ignore_errors=True)
    built = [how_to(home, page) for page in sorted(PAGES.glob("*.md")) if page != PAGE and blocks(page.read_text(), "cpp")]
    assert len(built) >= 5, f"only {built} were built"


def components(home):
    """If a program uses a component that was not requested, the message names the component. An unknown component is an
    error."""
    folder = project(home, "components")
    lists = (HERE / "installed/CMakeLists.txt").read_text()
    configure = [commands("Installed")[1][0] + " 2>&1"]
    for request, library, message in (("nn", "models", "request_component_models_in_find_package"),
                                      ("autograd", "gradus", "request_component_gradus_in_find_package"),
                                      ("nm", "nn", "component 'nm' is unknown")):
        (folder / "CMakeLists.txt").write_text(lists.replace("COMPONENTS nn", f"COMPONENTS {request}").replace("gradus::nn", f"gradus::{library}"))
        out = shell(folder, [configure[0] + " || true"], HOME=str(home))
        assert message in out and "utf8proc::utf8proc" not in out, f"COMPONENTS {request} and gradus::{library}: {out}"
    found = re.search(r"find_package.*\n", lists)[0]
    (folder / "CMakeLists.txt").write_text(lists.replace(found, found + found.replace("nn", "models")).replace("gradus::nn", "gradus::models"))
    shell(folder, configure, HOME=str(home))


def installed(home, build):
    consume(home, build, commands("Installed")[0][-1])
    assert shell(home, ["gradus/bin/gradus --version"]) == f"gradus {VERSION}\n"
    components(home)
    how_tos(home)


def shared(home, _):
    beside = home / "in_build"
    beside.mkdir(exist_ok=True)
    folder, make, run = in_build(beside, "beside", "-DBUILD_SHARED_LIBS=ON", "-DGRADUS_INSTALL=ON")
    assert SAYS in shell(folder, [make, run])
    consume(home, folder / "build", commands("Installed")[0][-1])


def fetched(home, _):
    folder, make, _ = in_build(home, "fetched")
    plan = shell(folder, [f"{make} -- -n"])
    assert "gradus_nn" in plan and "gradus_models" not in plan, f"the build includes libraries that the program does not need:\n{plan}"
    shell(folder, [f"{make} --target gradus_files"])


def packages(home, _):
    shutil.rmtree(home)
    home.mkdir()
    shell(ROOT, commands("As Debian packages")[0])
    debs = list((ROOT / "build/package").glob(f"*_{VERSION}_*.deb"))
    assert len(debs) == 3, f"the packages are {debs}"
    shell(home, [f"dpkg-deb -x {deb} ." for deb in debs])
    assert shell(home, ["usr/bin/gradus --version"]) == f"gradus {VERSION}\n"


CONSUMERS = {consumer.__name__: consumer for consumer in (installed, shared, fetched, packages)}


def main(build, *names):
    for name in names or list(CONSUMERS)[:-1]:
        begin = time.monotonic()
        home = build / "consumers" / name
        home.mkdir(parents=True, exist_ok=True)
        CONSUMERS[name](home, build)
        print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not {*sys.argv[2:]} <= CONSUMERS.keys():
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:])
