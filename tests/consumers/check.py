#!/usr/bin/env python3
"""What depends on gradus builds and runs as docs/how-to/use-from-cmake.md says: check.py BUILD [CONSUMER …]

BUILD is a folder in which gradus is built; what is built for the check stays in BUILD/consumers. The consumers, all but the last
unless some are named:

installed   find_package and pkg-config, from BUILD, installed and moved elsewhere
shared      add_subdirectory with shared libraries, and the same from those, which it builds
fetched     FetchContent: it is configured, and the first library built
packages    the Debian packages, which it builds, unpacks and runs

What it builds of gradus is not optimised, for the sake of time; but the packages are.
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
PAGE = ROOT / "docs/how-to/use-from-cmake.md"
VERSION = re.search(r"project\(gradus VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
QUICK = "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12"
SAYS = (f"gradus {VERSION}: context (2, 6), weights (2, 7), gradient of v_a (5)\n"
        "an error says: ")


def commands(heading):
    """The shell commands below a heading of the page, a list for each block."""
    section = PAGE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [block.splitlines() for block in re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)]


def shell(folder, lines, **environment):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, f"{lines} failed:\n{done.stdout}"
    return done.stdout


def project(home, name):
    """A folder with the program and the CMakeLists.txt of a consumer."""
    folder = home / name
    shutil.copytree(HERE / name, folder, dirs_exist_ok=True) if (HERE / name).exists() else folder.mkdir()
    shutil.copy(HERE / "attend.cpp", folder)
    return folder


def check_tree(tree, build):
    """No file knows where it was made or first put, and a consumer is given no flags."""
    for path in filter(pathlib.Path.is_file, tree.rglob("*")):
        content = path.read_bytes()
        for place in (ROOT, build, tree):
            assert str(place).encode() not in content, f"{path} holds the path {place}"
    for path in tree.rglob("gradusTargets*.cmake"):
        assert not re.search("_OPTIONS|_DEFINITIONS", path.read_text()), f"{path} forces flags on a consumer"


def consume(home, build, install):
    """Installs by the page's command, moves, and builds the program against what is there."""
    for name in ("first", "gradus", "installed", "pkg-config"):
        shutil.rmtree(home / name, ignore_errors=True)
    shell(ROOT, [install.replace("build/library", str(build)).replace("$HOME/gradus", str(home / "first"))])
    check_tree(home / "first", build)
    (home / "first").rename(home / "gradus")

    where = {"HOME": str(home), "LD_LIBRARY_PATH": str(home / "gradus/lib")}
    assert SAYS in shell(project(home, "installed"), commands("Installed")[1], HOME=str(home))
    assert SAYS in shell(project(home, "pkg-config"), commands("With pkg-config")[0], **where)


def in_build(home, name, *options):
    """The project of a consumer, configured, with gradus beside it; and the commands that build and run it."""
    if not (home / "gradus").exists():
        (home / "gradus").symlink_to(ROOT)
    configure, make, run = commands("In your build")[0]
    folder = project(home, name)
    shell(folder, [" ".join([configure, QUICK, *options])])
    return folder, make, run


def installed(home, build):
    consume(home, build, commands("Installed")[0][-1])
    assert shell(home, ["gradus/bin/gradus --version"]) == f"gradus {VERSION}\n"


def shared(home, _):
    beside = home / "in_build"
    beside.mkdir(exist_ok=True)
    folder, make, run = in_build(beside, "beside", "-DBUILD_SHARED_LIBS=ON", "-DGRADUS_INSTALL=ON")
    assert SAYS in shell(folder, [make, run])
    consume(home, folder / "build", commands("Installed")[0][-1])


def fetched(home, _):
    folder, make, _ = in_build(home, "fetched")
    plan = shell(folder, [f"{make} -- -n"])
    assert "gradus_nn" in plan and "gradus_models" not in plan, f"more is built than the program needs:\n{plan}"
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
