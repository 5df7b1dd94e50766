#!/usr/bin/env python3
"""Tests training on several hosts over a slow network. The hosts are network namespaces of this machine. Needs root, iproute2
and Open MPI.

checks/hosts.py GRADUS [--hosts N] [--kills N] [--rate 100mbit] [--delay 1ms]

Compares the weights with those of a single process, kills random processes, and resumes the run. Open MPI starts its daemons
with `ip netns exec` in place of ssh, and sends messages over TCP.
"""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from kill_train import tensors  # noqa: E402
from mpi_train import COURSE, ENVIRONMENT  # noqa: E402

# A replacement for `ssh HOST COMMAND…`: runs the command in the namespace of this name. agent() also maps addresses to names.
AGENT = """#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$0"; exec sh -c "$1"' "$host" "$*"
"""


def ip(*words, **options):
    subprocess.run(["ip", *words], check=True, capture_output=True, **options)


class Network:
    """Hosts with the addresses 10.77.0.1 …, joined by a bridge in a separate namespace."""

    def __init__(self, count, rate, delay):
        self.names = [f"gradus{i}" for i in range(count)]
        self.count, self.rate, self.delay = count, rate, delay

    def __enter__(self):
        ip("netns", "add", "gradus-bridge")
        ip("-n", "gradus-bridge", "link", "add", "bridge", "type", "bridge")
        ip("-n", "gradus-bridge", "link", "set", "bridge", "up")
        for i, name in enumerate(self.names):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "link", "add", "net", "type", "veth", "peer", "name", f"port{i}", "netns", "gradus-bridge")
            ip("-n", "gradus-bridge", "link", "set", f"port{i}", "master", "bridge", "up")
            ip("-n", name, "address", "add", f"10.77.0.{i + 1}/24", "dev", "net")
            ip("-n", name, "link", "set", "net", "up")
            self.slow_down(name)
        return self

    def slow_down(self, name):
        """Limits the sending rate of the host `name`, and delays its packets. On a kernel without netem, only limits the rate."""
        qdisc = ["ip", "netns", "exec", name, "tc", "qdisc", "add", "dev", "net", "root"]
        if subprocess.run([*qdisc, "netem", "rate", self.rate, "delay", self.delay], capture_output=True).returncode != 0:
            subprocess.run([*qdisc, "tbf", "rate", self.rate, "burst", "64kb", "latency", "50ms"], check=True, capture_output=True)
            self.delay = "no delay, since this kernel has no netem"

    def __exit__(self, *_):
        for name in [*self.names, "gradus-bridge"]:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)

    def agent(self, folder):
        """Writes the program that Open MPI calls in place of ssh."""
        agent = folder / "agent"
        cases = [f"  10.77.0.{i + 1}) host={host} ;;" for i, host in enumerate(self.names)]
        agent.write_text(AGENT.replace("host=$1", "\n".join(["case $1 in", *cases, "esac"])))
        agent.chmod(0o755)
        return agent

    def start(self, agent, program, options):
        """Starts one process of a program on each host."""
        hosts = pathlib.Path(agent).with_name("hostfile")
        hosts.write_text("".join(f"10.77.0.{i + 1} slots=1\n" for i in range(self.count)))
        command = ["ip", "netns", "exec", self.names[0], "mpirun", "-n", str(self.count), "--hostfile", str(hosts),
                   "--mca", "plm_rsh_agent", str(agent), "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.77.0.0/24",
                   "--mca", "oob_tcp_if_include", "10.77.0.0/24", str(program), *map(str, options)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True)


def ranks(process_name):
    """The process ids of the job's processes."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (path / "comm").read_text().strip() == process_name and b"OMPI_COMM_WORLD_RANK=" in (path / "environ").read_bytes():
                found.append(int(path.name))
        except OSError:
            pass
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gradus", type=pathlib.Path)
    parser.add_argument("--hosts", type=int, default=4, choices=(2, 4))
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--rate", default="100mbit")
    parser.add_argument("--delay", default="1ms")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", action="store_true", help="print what the killed jobs print")
    options = parser.parse_args()
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name, Network(options.hosts, options.rate, options.delay) as network:
        scratch = pathlib.Path(name)
        agent = network.agent(scratch)
        gradus = scratch / "gradus-hosts"  # a unique name, by which ranks() finds the processes
        gradus.symlink_to(options.gradus.resolve())
        subprocess.run([gradus, "train", *COURSE, "--out", scratch / "whole"], check=True, capture_output=True)
        start = time.monotonic()
        whole, error = (process := network.start(agent, gradus, ["train", *COURSE, "--out", scratch / "hosts"])).communicate(timeout=300)
        assert process.returncode == 0, error
        print("\n".join(line for line in whole.splitlines() if "processes" in line or "waited" in line))
        assert tensors(scratch / "hosts/last.safetensors") == tensors(scratch / "whole/last.safetensors"), "the weights differ"
        longest = time.monotonic() - start
        print(f"{options.hosts} hosts, {options.rate}, {network.delay}: the weights of one process, in {longest:.0f} s")

        folder, kills, lines = scratch / "killed", 0, 0
        while kills < options.kills:
            checkpoint = folder / "last.safetensors"
            resumes = checkpoint.exists()
            before = checkpoint.stat().st_mtime_ns if resumes else 0
            process = network.start(agent, gradus, ["train", "--resume", folder] if resumes else ["train", *COURSE, "--out", folder, "--overwrite"])
            while len(ranks(gradus.name)) < options.hosts and process.poll() is None:
                time.sleep(0.05)
            time.sleep(moments.uniform(0.5, longest / 2))
            trains = checkpoint.exists() and checkpoint.stat().st_mtime_ns > before  # this job has saved a checkpoint
            victims = ranks(gradus.name)
            if process.poll() is None and len(victims) == options.hosts:
                os.kill(moments.choice(victims), signal.SIGKILL)
                killed = time.monotonic()
                error = process.communicate(timeout=30)[1]
                if process.returncode != 0:
                    kills += 1
                    found = sum("resume with: mpirun" in line for line in error.splitlines() if line.startswith("gradus: "))
                    assert found > 0 or not trains, f"no line about the killed process: {error}"
                    lines += found
                    if options.v:
                        print(error)
                    print(f"kill {kills}: the job ended after {time.monotonic() - killed:.1f} s")
                    continue
            process.communicate()
            for file in folder.iterdir():  # the run ended before the kill: start it again
                file.unlink()
        process = network.start(agent, gradus, ["train", "--resume", folder] if (folder / "last.safetensors").exists() else ["train", *COURSE, "--out", folder, "--overwrite"])
        error = process.communicate(timeout=300)[1]
        assert process.returncode == 0, error
        assert tensors(folder / "last.safetensors") == tensors(scratch / "whole/last.safetensors"), "the weights differ after kills"
        print(f"{kills} kills, {lines} lines about them: the weights of one process")


if __name__ == "__main__":
    main()
