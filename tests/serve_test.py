#!/usr/bin/env python3
"""Tests gradus serve: answers equal those of gradus translate, openapi.json describes the server, bad requests get the errors shown
in docs/how-to/serve.md. Also tests misbehaving clients and signals.

usage: serve_test.py GRADUS"""
import concurrent.futures
import ctypes
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
GRADUS = pathlib.Path(sys.argv[1]).resolve()
TEXTS = [line.split("\t")[0] for line in (ROOT / "data/phrases/eng-fra.tsv").read_text().splitlines()[:40]]
# Errors that openapi.json must list for every POST.
STATUSES = {"400", "401", "408", "411", "413", "415", "429", "431", "500", "503"}
PIDFD_GETFD = 438  # the number of this system call, the same on all architectures
ENDLESS = {"q": "I see.", "beam": 16, "min_length": 999990, "max_steps": 1000000}  # a request that takes hours
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def run(*words, text=""):
    return subprocess.run([GRADUS, *map(str, words)], input=text, capture_output=True, text=True, check=True).stdout


class Server:
    def __init__(self, model, *options, client_seconds="1"):
        self.process = subprocess.Popen([GRADUS, "serve", "--model", f"en-fr={model}", "--port", "0", "--client-seconds",
                                         client_seconds, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        check("listening on http://127.0.0.1:" in line, f"first line: {line!r}")
        self.port = int(line.rsplit(":", 1)[1])

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(text) if is_json and text else text, dict(answer.getheaders())

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        output = self.process.communicate(timeout=60)[0]
        check(self.process.returncode == 0, f"exit code {self.process.returncode} after SIGTERM")
        for line in output.splitlines():
            check({"time", "client", "method", "path", "status", "seconds"} <= json.loads(line).keys(), f"log: {line}")
            check(json.loads(line)["client"] == "127.0.0.1", f"log: {line}")
        return [json.loads(line) for line in output.splitlines()]


def by_itself(model, text, *options):
    """The output of gradus translate for one line: (score, text) per translation."""
    lines = run("translate", "--model", model, "--scores", *options, text=text + "\n").splitlines()
    return [(line.split("\t")[-2], line.split("\t")[-1]) for line in lines]


def same_answers(server, model):
    searches = [({}, []), ({"beam": 4, "n_best": 3}, ["--beam", 4, "--n-best", 3]),
                ({"sample": True, "seed": 7, "temperature": 0.8}, ["--sample", "--seed", 7, "--temperature", 0.8])]
    cases = [(text, *random.Random(i).choice(searches)) for i, text in enumerate(TEXTS)]

    def ask(case):
        return server.ask("POST", "/translate", {"q": case[0], "scores": True, **case[1]})

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, cases * 3))
    for (text, fields, options), (status, answer, _) in zip(cases * 3, answers):
        check(status == 200, f"{text}: {status} {answer}")
    for (text, fields, options), (status, answer, _) in zip(cases, answers):
        found = [(f"{one['score']:.6g}", one["text"]) for one in answer["translations"]]
        check(found == by_itself(model, text, *options), f"{text} {fields}: {found}, by itself {by_itself(model, text, *options)}")
    for (text, fields, _), first, second, third in zip(cases, answers, answers[len(cases):], answers[2 * len(cases):]):
        check(first[1] == second[1] == third[1], f"{text} {fields}: different answers")


def bad_requests(server):
    """Runs each line '$ curl …' of the page. The next line of the page is the expected answer."""
    page = (ROOT / "docs/how-to/serve.md").read_text()
    asked = re.findall(r"^\$ (curl .*)\n(.*)$", page, re.MULTILINE)
    check(len(asked) >= 10, f"the page shows {len(asked)} requests")
    for command, expected in asked:
        command = command.replace("localhost:8000", f"127.0.0.1:{server.port}")
        found = subprocess.run(["bash", "-c", command], capture_output=True, text=True).stdout.strip()
        check(found == expected, f"{command}: {found}, on the page {expected}")
    for language in ("en", "zh"):
        other = (ROOT / "docs" / ("zh" if language == "zh" else "") / "how-to/serve.md").read_text()
        check(re.findall(r"^\$ (curl .*)\n(.*)$", other, re.MULTILINE) == asked, f"{language}: the page shows other requests")


def as_described(server):
    """Every path must answer as openapi.json says. openapi.json must list exactly the request fields that the server knows."""
    described = server.ask("GET", "/openapi.json")[1]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            body = {"q": "I see.", "translation": "je vois ."} if path == "/align" else {"q": "I see.", "alignments": True}
            status, answer, headers = server.ask(method.upper(), path, body if method == "post" else None)
            check(status == 200, f"{method} {path}: {status} {answer}")
            content = operation["responses"]["200"]["content"]
            check(method == "get" or STATUSES <= set(operation["responses"]), f"{path}: {sorted(operation['responses'])}")
            check(headers["Content-Type"].split(";")[0] in content, f"{method} {path}: {headers['Content-Type']}")
            check("default-src 'none'" in headers["Content-Security-Policy"], f"{path}: no content policy")
            check(headers.get("Keep-Alive") == "timeout=1, max=1000", f"{path}: {headers.get('Keep-Alive')}")
            schema = next(iter(content.values()))["schema"].get("$ref", "").rsplit("/", 1)[-1]
            if schema:
                known = described["components"]["schemas"][schema]
                check(set(known["required"]) <= set(answer) <= set(known["properties"]), f"{path}: {sorted(answer)}")
        for wrong in ("DELETE", "HEAD") if "post" in methods else ("DELETE", ):
            check(server.ask(wrong, path)[0] == 405, f"{wrong} {path}")
    for path, schema in (("/translate", "TranslateRequest"), ("/align", "AlignRequest")):
        message = server.ask("POST", path, {"no_such_field": 1})[1]["error"]
        fields = set(message.rsplit("known: ", 1)[1].split(", "))
        check(fields == set(described["components"]["schemas"][schema]["properties"]), f"{path}: {message}")


def compression(server):
    """Compression with Brotli would take longer than the translation."""
    for accepted, used in ("br", None), ("gzip, deflate, br, zstd", "gzip"):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", "/openapi.json", headers={"Accept-Encoding": accepted})
        answer = connection.getresponse()
        found = answer.getheader("Content-Encoding")
        check(answer.status == 200 and found == used, f"{accepted}: {answer.status} {found}")
        connection.close()


def spans(server):
    text = "Where is the red book?"
    found = server.ask("POST", "/translate", {"q": text, "alignments": True})[1]["translations"][0]["alignment"]
    for one in found["source"]:
        begin, end = one["span"]
        check(text[begin:end].lower() == one["token"], f"span of {one}")
    for row in found["weights"]:
        check(len(row) == len(found["source"]) and abs(sum(row) - 1) < 1e-3, f"weights {row}")


def misbehaving_clients(server):
    head = b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
    for sent in (b"", b"\0\xff\0garbage\r\n\r\n", head + b"1000\r\n\r\n{\"q\": \"half", head + b"-5\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"a" * 100000):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
            try:
                client.sendall(sent)
                if sent.startswith(head):
                    client.settimeout(20)
                    client.recv(1000)  # the server answers or closes after --client-seconds
            except (ConnectionError, TimeoutError) as error:
                check(not isinstance(error, TimeoutError), f"the server waits for {sent[:60]!r}")
    large = b'{"q": "' + b"a " * (1 << 20) + b'"}'
    try:
        check(server.ask("POST", "/translate", large)[0] == 413, "a body of 2 MB")
    except ConnectionError:
        pass  # the server has closed the connection before everything was sent
    check(server.ask("POST", "/translate", {"q": "a" * 500000})[0] == 200, "a word of 500 kB")
    check(server.ask("POST", "/translate", {"q": "a " * 5000})[0] == 400, "5000 tokens")
    status, answer, _ = server.ask("POST", "/translate", {"q": ["a " * 400] * 64, "alignments": True, "min_length": 400})
    check(status == 400 and "attention weights; the limit is 4194304" in answer["error"], f"many weights: {status}")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        try:
            # Newer versions of httplib refuse more than 100 fields, and longer ones, with 400.
            client.sendall(b"GET /health HTTP/1.1\r\n" + (b"a: " + b"b" * 1000 + b"\r\n") * 90)
            first = client.makefile("rb").readline()
            check(first.startswith(b"HTTP/1.1 431"), f"a head of 90 kB: {first}")
        except ConnectionError:
            pass  # the server has closed the connection before everything was sent
    start = time.monotonic()
    many = b"{" + b",".join(b'"%x":0' % i for i in range(110000)) + b"}"
    check(server.ask("POST", "/translate", many)[0] == 400, "110,000 fields")
    check(server.ask("POST", "/translate", {"q": "a" + "\u0301\u0323" * 80000})[0] == 200, "160,000 combining marks")
    check(time.monotonic() - start < 20, f"requests that take long to read: {time.monotonic() - start:.1f} s")
    for size in (1, 10000):
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        status, answer, _ = server.ask("POST", "/translate", {"q": "a" * size}, **form)
        expected = "send the header Content-Type: application/json"
        check(status == 400 and expected in answer["error"], f"a form: {status} {answer}")
    for wrong in (b'{"q": 1e999}', b'{"q": "\xff"}', b'{"q": "\xed\xa0\x80"}', b'{"q": ["a", null]}', b'{"q": []}', b"[" * 100000,
                  b'{"seed": -1, "q": "a"}', b'{"beam": 2.5, "q": "a"}', b"", b"null"):
        status, answer, _ = server.ask("POST", "/translate", wrong)
        check(status == 400 and "error" in answer, f"{wrong[:40]}: {status} {answer}")
    check(server.ask("GET", "/health")[0] == 200, "not healthy after the clients that misbehave")


def failures_by_limits(model):
    """Too many texts: 429. A text that takes too long: 503. A client that sends too slowly: 408. Too many connections: 503."""
    server = Server(model, "--max-waiting", "1", "--max-seconds", "1", "--max-tokens", "1000000", "--connections", "1")
    status, answer, headers = server.ask("POST", "/translate", {"q": ["I see.", "You see."]})
    check((status, answer, headers.get("Retry-After")) == (429, {"error": "too many texts wait; try again later"}, "1"), f"{status} {answer}")
    status, answer, _ = server.ask("POST", "/translate", ENDLESS)
    check(status == 503 and "longer than 1000 ms" in answer["error"], f"{status} {answer}")
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        start, sent = time.monotonic(), 0
        client.settimeout(0.1)
        answer = b""
        while not answer and sent < 200:  # sends a byte every 0.1 s, and never completes the head
            client.sendall(b"POST /translate HTTP/1.1\r\nX: yyyy"[sent:sent + 1] or b"y")
            sent += 1
            try:
                answer = client.recv(1000)
            except TimeoutError:
                pass
        check(answer.startswith(b"HTTP/1.1 408") or answer == b"", f"a client that trickles: {answer}")
        check(time.monotonic() - start < 10, "a client that trickles is served for too long")
    server.end()
    # The server has one thread. The first connection takes it, the second connection waits, and the server refuses a third.
    server = Server(model, "--connections", "1", client_seconds="60")
    kept = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(2)]
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = client.makefile("rb").readline()
        check(answer.startswith(b"HTTP/1.1 503"), f"a connection too many: {answer}")
    for client in kept:
        client.close()
    server.end()


def cancelled(model):
    """When a client disconnects, the server removes the client's text from the batch."""
    server = Server(model, "--max-seconds", "600", "--max-tokens", "1000000")
    body = json.dumps(ENDLESS).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        wait_for(lambda: running(server) == 1, "the text does not join a batch")
    wait_for(lambda: running(server) == 0, "the text of a client that has gone is still in the batch")
    wait_for(lambda: 'status="499"} 1' in server.ask("GET", "/metrics")[1], "no status 499 in the metrics")
    server.end()


def cache(model):
    """With --cache, the annotations of a repeated text come from the cache, and the answer is the same as without --cache."""
    plain, cached = Server(model), Server(model, "--cache", "1")
    texts = ["hello", "I am cold", "hello"]
    for text in texts:
        body = {"q": text, "alignments": True, "scores": True}
        check(cached.ask("POST", "/translate", body)[1] == plain.ask("POST", "/translate", body)[1], f"another answer for {text}")
    hits, misses, size = (int(value) for value in re.findall(r"^gradus_cache_\w+\{.*\} (\d+)", cached.ask("GET", "/metrics")[1], re.M))
    check((hits, misses) == (1, 2) and 0 < size <= 1_000_000, f"cache: {hits} hits, {misses} misses, {size} bytes")
    check("gradus_cache_misses_total{model=\"en-fr\"} 0" in plain.ask("GET", "/metrics")[1], "a server without a cache counts misses")
    plain.end()
    cached.end()


def top_k_attention(folder, model):
    """With --attention-top-k, texts get the same answers as from gradus translate and gradus align with this option."""
    server = Server(model, "--attention-top-k", "1")
    differs = False
    for text in TEXTS[:10]:
        answer = server.ask("POST", "/translate", {"q": text, "scores": True, "alignments": True, "min_length": 1})[1]
        one = answer["translations"][0]
        found, expected = [(f"{one['score']:.6g}", one["text"])], by_itself(model, text, "--attention-top-k", 1, "--min-length", 1)
        check(found == expected, f"{text}: {found}, by itself {expected}")
        check(all(sum(weight > 0 for weight in row) == 1 for row in one["alignment"]["weights"]), f"{text}: {one['alignment']['weights']}")
        differs |= found != by_itself(model, text, "--min-length", 1)
        aligned = server.ask("POST", "/align", {"q": text, "translation": one["text"]})[1]["alignment"]["weights"]
        run("align", "--model", model, "--text", text, "--target", one["text"], "--attention-top-k", 1, "--json", folder / "align")
        of_align = json.loads((folder / "align").read_text())[0]["weights"]
        check([[weight > 0 for weight in row] for row in aligned] == [[weight > 0 for weight in row] for row in of_align[:len(aligned)]],
              f"{text}: aligned {aligned}, by itself {of_align}")
    check(differs, "top-1 attention changes no score")
    server.end()
    run("train", "--phrases", "eng-fra", "--steps", 1, "--decoder", "fixed", "--hidden", 4, "--embedding", 4, "--out", folder / "fixed")
    commands = [("serve", "--port", "0"), ("translate",)]
    refusals = [subprocess.run([GRADUS, *words, "--model", folder / "fixed", "--attention-top-k", "2"], input="", capture_output=True,
                               text=True) for words in commands]
    check(all(refused.returncode == 1 for refused in refusals), f"refused with {[refused.returncode for refused in refusals]}")
    served, translated = (refused.stderr.split(": ", 1)[1] for refused in refusals)
    check(served == translated and "has no softmax of attention scores" in served, f"{served}, from translate {translated}")


def running(server):
    return int(re.search(r'gradus_jobs_running\{model="en-fr"\} (\d+)', server.ask("GET", "/metrics")[1])[1])


def wait_for(holds, what):
    for _ in range(300):
        if holds():
            return
        time.sleep(0.1)
    failures.append(what)


def unread_bodies(server):
    """The server refuses some requests before it reads their body. After such a request, it must close the connection."""
    body, chunks = b'{"q": "I see."}', {"Transfer-Encoding": "chunked"}
    for headers, expected in (({"Content-Encoding": "gzip"}, 415), ({"Content-Length": None}, 411), (chunks, 413)):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.putrequest("POST", "/translate")
        for name, value in {"Content-Type": "application/json", "Content-Length": None if headers == chunks else str(len(body)), **headers}.items():
            if value is not None:
                connection.putheader(name, value)
        try:
            connection.endheaders()
            connection.send(b"10000\r\n" + b"a" * 65536 + b"\r\n" if headers == chunks else body)
            for _ in range(40 if headers == chunks else 0):
                connection.send(b"10000\r\n" + b"a" * 65536 + b"\r\n")
            answer = connection.getresponse()
            check((answer.status, answer.getheader("Connection")) == (expected, "close"), f"{headers}: {answer.status}")
            check("error" in json.loads(answer.read()), f"{headers}: no message")
        except ConnectionError:
            check(headers == chunks, f"{headers}: closed without an answer")
        connection.close()


def reload(server):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(server.ask, "POST", "/translate", {"q": text, "beam": 3}) for text in TEXTS]
        server.process.send_signal(signal.SIGHUP)
        check("loaded the models again" in server.process.stderr.readline(), "no line after SIGHUP")
        check(all(answer.result()[0] == 200 for answer in answers), "a request was lost during SIGHUP")


def signal_during_reload(model):
    """A signal that arrives while the server loads its models must not kill the server."""
    for _ in range(5):
        server = Server(model)
        server.process.send_signal(signal.SIGHUP)
        server.end()


def signals_at_the_end(model):
    """A signal that arrives while the server ends must not change its exit status."""
    for _ in range(10):
        server = Server(model)
        while server.process.poll() is None:
            for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                server.process.send_signal(one)
            time.sleep(0.0005)  # without pauses, the server runs only its signal handler
        check(server.process.returncode == 0, f"exit code {server.process.returncode} after many signals")


def measured(model):
    """The sum of the times in /metrics must be as exact as the times in the log: a server adds up times for months."""
    server = Server(model)
    for _ in range(20):
        server.ask("POST", "/translate", {"q": "I see."})
    metrics = ""

    def is_counted():
        nonlocal metrics
        metrics = server.ask("GET", "/metrics")[1]
        return 'path="/translate",status="200"} 20' in metrics

    wait_for(is_counted, "not counted")
    counted = int(re.search(r"^gradus_request_seconds_count (\d+)", metrics, re.M)[1])
    total = float(re.search(r"^gradus_request_seconds_sum (\S+)", metrics, re.M)[1])
    logged = sum(line["seconds"] for line in server.end()[:counted])
    check(abs(total - logged) < 1e-12, f"seconds: {total} in the metrics, {logged} in the log")


def no_more_connections(model):
    """If accept() fails, the server must end with an error, so that a service manager starts it again."""
    server = Server(model)
    process = os.pidfd_open(server.process.pid)
    for entry in os.listdir(f"/proc/{server.process.pid}/fd"):
        descriptor = ctypes.CDLL(None).syscall(PIDFD_GETFD, process, int(entry), 0)
        if descriptor >= 0 and stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            with socket.socket(fileno=descriptor) as listening:
                listening.shutdown(socket.SHUT_RDWR)  # accept() of a socket that is shut down fails
                break
        if descriptor >= 0:
            os.close(descriptor)
    else:
        print("skipped no_more_connections: this system does not allow pidfd_getfd()")
        return server.end()
    try:
        error = server.process.communicate(timeout=60)[1]
    except subprocess.TimeoutExpired:
        server.process.kill()
        error = "the server still runs"
    status = server.process.returncode
    check(status == 1 and "no more connections can be accepted" in error, f"{status} {error}")


def tokens(folder, model):
    refused = subprocess.run([GRADUS, "serve", "--model", model, "--host", "0.0.0.0"], capture_output=True, text=True)
    check(refused.returncode == 2 and "add --token-file" in refused.stderr, refused.stderr)
    refused = subprocess.run([GRADUS, "serve", "--model", "name="], capture_output=True, text=True)
    check(refused.returncode == 2 and "--model: no path follows 'name='; " in refused.stderr, refused.stderr)
    for host in "nonsense host", "203.0.113.7":
        refused = subprocess.run([GRADUS, "serve", "--model", model, "--host", host], capture_output=True, text=True)
        expected = f"gradus serve: --host: '{host}' is not an address of this machine; give 127.0.0.1 "
        check(refused.returncode == 2 and refused.stderr.startswith(expected), refused.stderr)
    for text, length in ("", 0), ("short\n", 5), ("x" * 1001, 1001):
        (folder / "token").write_text(text)
        refused = subprocess.run([GRADUS, "serve", "--model", model, "--token-file", folder / "token"],
                                 capture_output=True, text=True)
        expected = f"must be a token of 16 to 1000 characters, and has {length}; write another token"
        check(refused.returncode == 2 and expected in refused.stderr, refused.stderr)
    refused = subprocess.run([GRADUS, "serve", "--model", model, "--token-file", folder / "none"],
                             capture_output=True, text=True)
    check(refused.returncode == 1 and "none' cannot be opened: No such file" in refused.stderr, refused.stderr)
    (folder / "token").write_text("0123456789abcdef\n")
    server = Server(model, "--token-file", folder / "token")
    check(server.ask("POST", "/translate", {"q": "I see."})[0] == 401, "without a token")
    check(server.ask("GET", "/metrics", Authorization="Bearer 0123456789abcdeg")[0] == 401, "with a wrong token")
    check(server.ask("GET", "/metrics", Authorization="Bearer 0123456789abcdef")[0] == 200, "with the token")
    check(server.ask("POST", "/translate", {"q": "I see.", "api_key": "0123456789abcdef"})[0] == 200, "with api_key")
    server.end()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    run("train", "--phrases", "eng-fra", "--epochs", 2, "--embedding", 16, "--hidden", 32, "--out", folder / "run")
    server = Server(folder / "run")
    for test in (as_described, compression, spans, misbehaving_clients, unread_bodies, bad_requests, reload):
        test(server)
    same_answers(server, folder / "run")
    check("gradus_requests_total" in server.ask("GET", "/metrics")[1], "no metrics")
    server.end()
    signal_during_reload(folder / "run")
    signals_at_the_end(folder / "run")
    measured(folder / "run")
    no_more_connections(folder / "run")
    tokens(folder, folder / "run")
    failures_by_limits(folder / "run")
    cancelled(folder / "run")
    cache(folder / "run")
    top_k_attention(folder, folder / "run")
sys.exit("\n".join(failures) or None)
