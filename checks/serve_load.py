#!/usr/bin/env python3
"""Tests gradus serve under mixed load with faults. Compares answers with the output of gradus translate, sends wrong requests,
and closes or stalls connections. Compares the server's memory after warm-up and at the end. Prints a summary as JSON; exits
with 1 if a check fails.

usage: checks/serve_load.py GRADUS [--minutes 60] [--model RUN] [--clients 4] [--pause 0.05]"""
import argparse
import collections
import http.client
import json
import pathlib
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SEARCHES = [({}, []), ({"beam": 4, "n_best": 3}, ["--beam", "4", "--n-best", "3"]),
            ({"sample": True, "seed": 7, "temperature": 0.8}, ["--sample", "--seed", "7", "--temperature", "0.8"])]
HEAD = b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
# Wrong and very long bodies, with the status that the server must answer.
WRONG = [(b'{"q": "half', 400), (b'{"q": "\xff\xfe"}', 400), (b'{"q": "\xed\xa0\x80"}', 400), (b"[" * 100000, 400),
         (b'{"q": ' * 5000, 400), (b'{"q": 7}', 400), (b'{"q": ["a", null]}', 400), (b'{"q": {"a": "b"}}', 400), (b"null", 400),
         (b'{"q": "I see.", "bem": 4}', 400), (b'{"q": "I see.", "beam": "4"}', 400), (b'{"q": "I see.", "beam": 1e99}', 400),
         (b'{"q": "I see.", "seed": -1, "sample": true}', 400), (b'{"q": "I see.", "model": "../../etc/passwd"}', 400), (b"", 400),
         (b'{"q": "' + b"a" * 1000000 + b'"}', 200), (b'{"q": "' + b"a " * 500000 + b'"}', 400), (b'{"q": "' + b"a" * 1200000 + b'"}', 413)]
SAMPLED = 50  # number of lines that are also translated by sampling
SLOW = {"q": ["I see."] * 64, "beam": 16, "min_length": 50, "max_steps": 60}  # a request that takes long


class Load:
    def __init__(self, gradus, model, lines, options):
        self.gradus, self.model, self.lines, self.options = gradus, model, lines, options
        self.counts, self.wrong, self.memory = collections.Counter(), [], []
        self.expected = [self.translated(words) for _, words in SEARCHES]
        self.server = subprocess.Popen([gradus, "serve", "--model", f"en-fr={model}", "--port", "0", "--client-seconds", "3"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.port = int(self.server.stderr.readline().rsplit(":", 1)[1])

    def translated(self, words):
        """For each line, the list of (score, text) of its translations. With --sample, translates only the first SAMPLED lines,
        each in a separate run, because a sample depends on the position of its line in the input."""
        if "--sample" in words:
            return [found for line in self.lines[:SAMPLED] for found in self.translated_file([line], words)]
        return self.translated_file(self.lines, words)

    def translated_file(self, lines, words):
        n_best = "--n-best" in words
        done = subprocess.run([self.gradus, "translate", "--model", self.model, "--scores", *words], input="\n".join(lines) + "\n",
                              capture_output=True, text=True, check=True)
        found = [[] for _ in lines]
        for i, line in enumerate(done.stdout.splitlines()):
            cells = line.split("\t")
            found[int(cells[0]) if n_best else i].append((cells[-2], cells[-1]))
        return found

    def runs(self):
        return time.monotonic() < self.ends and len(self.wrong) < 20

    def check(self, kind, holds, what):
        self.counts[kind] += 1
        if not holds:
            self.wrong.append(f"{kind}: {what}"[:500])

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    def status_of(self, client):
        """Returns the status of the answer, or None if the connection was closed without an answer."""
        try:
            first = client.makefile("rb").readline().split()
            return int(first[1]) if len(first) > 1 else None
        except ConnectionError:
            return None

    # Clients that request translations over a connection that stays open.

    def ask(self, connection, randoms):
        one = randoms.randrange(len(SEARCHES))
        picked = [randoms.randrange(len(self.expected[one])) for _ in range(randoms.choice([1, 1, 1, 5]))]
        body = {"q": [self.lines[i] for i in picked], "scores": True, "alignments": randoms.random() < 0.3, **SEARCHES[one][0]}
        connection.request("POST", "/translate", json.dumps(body).encode(), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        self.check("translations", answer.status == 200, text[:200])
        if answer.status != 200:
            return
        for i, found in zip(picked, json.loads(text)["translations"]):
            pairs = [(f"{part['score']:.6g}", part["text"]) for part in found]
            self.check("texts compared", pairs == self.expected[one][i], f"{self.lines[i]}: {pairs}, expected {self.expected[one][i]}")

    def client(self, seed):
        randoms = random.Random(seed)
        while self.runs():
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            try:
                for _ in range(randoms.randrange(1, 200)):
                    if not self.runs():
                        break
                    self.ask(connection, randoms)
                    # At most 1 s, because the server closes idle connections after 3 s.
                    time.sleep(min(self.options.pause * randoms.expovariate(1), 1))
            except OSError as error:
                self.check("translations", False, repr(error))
            connection.close()

    # Clients that misbehave.

    def wrong_body(self, randoms):
        body, expected = randoms.choice(WRONG)
        with self.connect() as client:
            try:
                client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            except ConnectionError:
                pass  # the server answered before it had read everything
            status = self.status_of(client)
            self.check("wrong bodies", status == expected or (status is None and expected == 413), f"{body[:60]}: {status}, expected {expected}")

    def half_body(self, randoms):
        with self.connect() as client:
            client.sendall(HEAD + b'Content-Length: 1000\r\n\r\n{"q": "half')
            if randoms.random() < 0.5:
                return self.check("half bodies, closed", True, "")
            self.check("half bodies", self.status_of(client) == 408, "not 408")

    def trickle(self, randoms):
        """Sends a byte every 0.1 s."""
        start = time.monotonic()
        with self.connect() as client:
            try:
                for byte in HEAD + b"X: " + b"y" * 200:
                    client.sendall(bytes([byte]))
                    time.sleep(0.1)
            except ConnectionError:
                pass
        self.check("trickled requests", time.monotonic() - start < 10, f"{time.monotonic() - start:.1f} s")

    def reset(self, randoms):
        client = self.connect()
        client.sendall(HEAD + randoms.choice([b"", b"Content-Length: 5\r\n\r\n{", b'Content-Length: 15\r\n\r\n{"q": "I see."}']))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        self.check("resets", True, "")

    def leave(self, randoms):
        body = json.dumps(SLOW).encode()
        with self.connect() as client:
            client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            time.sleep(0.2 * randoms.random())
        self.check("clients that left", True, "")

    def slow_reader(self, randoms):
        body = json.dumps({"q": ["I see. " * 30] * 64, "alignments": True}).encode()
        with self.connect() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            for _ in range(20):
                time.sleep(0.2)
                if not client.recv(100):
                    break
        self.check("slow readers", True, "")

    def garbage(self, randoms):
        with self.connect() as client:
            client.sendall(randoms.randbytes(randoms.randrange(1, 2000)) + b"\r\n\r\n")
            client.shutdown(socket.SHUT_WR)
            self.check("garbage", self.status_of(client) in (None, 400, 414), "neither 400 nor closed")

    def compressed(self, randoms):
        with self.connect() as client:
            client.sendall(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd")
            self.check("compressed bodies", self.status_of(client) == 415, "not 415")

    def endless(self, randoms):
        """Sends a chunked body without an end."""
        with self.connect() as client:
            try:
                client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
                for _ in range(1000):
                    client.sendall(b"10000\r\n" + b"a" * 65536 + b"\r\n")
                self.check("endless bodies", False, "64 MB were read")
            except ConnectionError:
                self.check("endless bodies", self.status_of(client) in (None, 413), "not 413")

    def fault(self, seed):
        randoms = random.Random(seed)
        faults = [self.wrong_body] * 8 + [self.half_body, self.trickle, self.reset, self.leave, self.slow_reader, self.garbage,
                                         self.compressed, self.endless]
        while self.runs():
            fault = randoms.choice(faults)
            try:
                fault(randoms)
            except OSError as error:
                self.check("faults", False, f"{fault.__name__}: {error!r}")
            time.sleep(4 * self.options.pause * randoms.expovariate(1))

    # Checks of the server, run while the clients send requests.

    def resident(self):
        return int(re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{self.server.pid}/status").read_text())[1])

    def watch(self):
        start, next_reload = time.monotonic(), time.monotonic() + 120
        while self.runs():
            self.check("health", self.server.poll() is None, f"the server ended: {self.server.returncode}")
            if self.server.poll() is not None:
                return
            self.memory.append((round(time.monotonic() - start), self.resident()))
            if time.monotonic() > next_reload:
                next_reload += 120
                self.server.send_signal(signal.SIGHUP)
                self.check("reloads", "loaded the models again" in self.server.stderr.readline(), "no line after SIGHUP")
            time.sleep(min(5, 60 * self.options.minutes / 50))

    def run(self):
        start = time.monotonic()
        self.ends = start + 60 * self.options.minutes
        threads = [threading.Thread(target=self.client, args=(seed, )) for seed in range(self.options.clients)]
        threads += [threading.Thread(target=self.fault, args=(seed, )) for seed in range(4)]
        for thread in threads:
            thread.start()
        self.watch()
        for thread in threads:
            thread.join()
        if self.server.poll() is None:
            self.server.send_signal(signal.SIGTERM)
            self.server.wait(60)
        self.check("end", self.server.returncode == 0, f"exit code {self.server.returncode}: {self.server.stderr.read()[-2000:]}")
        seconds = time.monotonic() - start
        warm = [kb for at, kb in self.memory if 0.1 * seconds <= at < 0.2 * seconds]
        last = [kb for at, kb in self.memory if at >= 0.9 * self.memory[-1][0]]
        # Compares means over time, because large answers change the memory briefly.
        after, end = (round(sum(part) / max(len(part), 1)) for part in (warm, last))
        is_long = self.options.minutes >= 30  # in a shorter run, memory can still grow towards its maximum
        self.check("memory", not is_long or end < 1.1 * after + 8192, f"{after} kB after warm-up, {end} kB at the end")
        return {"minutes": round(seconds / 60, 1), "counts": dict(sorted(self.counts.items())), "resident_warm_kb": after,
                "resident_end_kb": end, "resident_kb": self.memory[::max(1, len(self.memory) // 60)], "wrong": self.wrong}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gradus", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--model", help="a run of gradus train from English; without it, a small one is trained")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.05, help="mean seconds between two requests of a client")
    options = parser.parse_args()
    lines = [line.split("\t")[0] for line in (ROOT / "data/phrases/eng-fra.tsv").read_text().splitlines()[:400]]
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or f"{folder}/run"
        if options.model is None:
            subprocess.run([options.gradus, "train", "--phrases", "eng-fra", "--epochs", "2", "--embedding", "32", "--hidden", "64",
                            "--out", model], check=True, capture_output=True)
        summary = Load(options.gradus, model, lines, options).run()
    print(json.dumps(summary))
    sys.exit(1 if summary["wrong"] else 0)


if __name__ == "__main__":
    main()
