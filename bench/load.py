"""The load generators: smtp-source and smtp-sink (Postfix), wrk, and the 10 KB message that they use."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
MESSAGE_BYTES = 10 * 1024
SENDER = "sender@example.test"
RUN_S_MAX = 600


def free_port():
    """Returns a port that is currently free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def prose(size, seed):
    """Returns text that resembles prose, so that it compresses about as well as real text."""
    rng = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(rng.choices(letters, weights=range(26, 0, -1), k=rng.randint(2, 10))) for _ in range(2000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    lines, total = [], 0
    while total < size:
        line = " ".join(rng.choices(words, weights=weights, k=11)).capitalize() + "."
        lines.append(line)
        total += len(line) + 2
    return "\n".join(lines)[:size]


def message_file(folder):
    """Writes a plain message of about 10 KB for smtp-source. It has no Message-ID, so that every copy is a separate message."""
    path = os.path.join(folder, "message.txt")
    head = (f"From: Sender <{SENDER}>\nTo: Inbox <b0@bench.test>\nSubject: Order 4711 has left the warehouse\n"
            "Date: Mon, 01 Jun 2026 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\n")
    with open(path, "w", encoding="ascii") as file:
        file.write(head + prose(MESSAGE_BYTES - len(head), 4711) + "\n")
    return path


def smtp_source(port, recipients, count, sessions, message, reuse=False):
    """Sends `count` messages over `sessions` connections, with one process per recipient. Returns the seconds taken, and the CPU
    seconds of the load generator itself."""
    processes = min(len(recipients), sessions)
    commands = []
    for number, recipient in enumerate(recipients[:processes]):
        share = count // processes + (number < count % processes)
        command = ["smtp-source", "-s", str(max(1, sessions // processes)), "-m", str(share), "-f", SENDER, "-t", recipient,
                   "-M", "client.example.test", "-F", message, *(["-d"] if reuse else []), f"inet:127.0.0.1:{port}"]
        commands.append(command)
    before, began = os.times(), time.monotonic()
    running = [subprocess.Popen(command, env={**os.environ, "PATH": PATH}, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True) for command in commands]
    try:
        for process in running:
            _, complaint = process.communicate(timeout=RUN_S_MAX)
            if process.returncode != 0:
                raise RuntimeError(f"smtp-source: {complaint.strip()[-500:]}")
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
    took, after = time.monotonic() - began, os.times()
    own = after.children_user + after.children_system - before.children_user - before.children_system
    return took, own


class Sink:
    """smtp-sink and the arrival times of its messages. Use it as a context manager."""

    def __enter__(self):
        self.port, self.count, self.first, self.last = free_port(), 0, None, None
        command = ["smtp-sink", "-c", "-m", "500", f"127.0.0.1:{self.port}", "500"]
        if os.geteuid() == 0:
            command[1:1] = ["-u", "nobody"]
        self.process = subprocess.Popen(command, env={**os.environ, "PATH": PATH}, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        threading.Thread(target=self._follow, daemon=True).start()
        wait_for_port(self.port)
        return self

    def _follow(self):
        """Reads smtp-sink's running counter: one line per session end and message."""
        tail = b""
        while chunk := os.read(self.process.stdout.fileno(), 65536):
            found = re.findall(rb"mesg=(\d+)\s", tail + chunk)
            tail = (tail + chunk)[-64:]
            if found and int(found[-1]) > self.count:
                self.last = time.monotonic()
                self.first = self.first or self.last
                self.count = int(found[-1])

    def wait(self, count, limit_s):
        """Waits until `count` messages have arrived."""
        deadline = time.monotonic() + limit_s
        while self.count < count:
            if time.monotonic() > deadline:
                raise RuntimeError(f"the sink received {self.count} of {count} messages in {limit_s} s")
            time.sleep(0.01)

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def wait_for_port(port, limit_s=20):
    """Waits until a server listens on the port."""
    deadline = time.monotonic() + limit_s
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def wrk(base, key, connections, seconds, paths, think_ms=0, count=0, body=None, recipients=None, clients=False):
    """Runs wrk over the listed paths in turn, and returns its results (milliseconds, requests per second).

    `think_ms`: mean pause of each connection between requests (uniform between zero and twice that). `count`: stop after exactly
    this many requests. `body`: POST this file. `recipients`: replace RECIPIENT in the body with successive lines of this file.
    `clients`: name another client address in each request."""
    folder = os.path.dirname(paths)
    settings = {"KEY": key, "PATHS": paths, "THINK_MS": think_ms, "COUNT": count, "BODY": body or "",
                "RECIPIENTS": recipients or "", "CLIENTS": "yes" if clients else "",
                "OUT": os.path.join(folder, "wrk.json")}
    environment = {**os.environ, **{f"BENCH_{name}": str(value) for name, value in settings.items()}}
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", os.path.join(HERE, "wrk.lua"),
               base]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        if count:
            _end_when_all(process, settings["OUT"] + ".all")
        output, _ = process.communicate(timeout=seconds + 60)
    finally:
        process.kill()
    if process.returncode != 0:
        raise RuntimeError(f"wrk: {output}")
    with open(settings["OUT"], encoding="ascii") as file:
        result = json.load(file)
    if result["errors"] or result["status"]:
        raise RuntimeError(f"wrk reported errors: {result}")
    return result


def _end_when_all(process, mark):
    """Interrupts wrk when all requests are answered; it still reports its results."""
    while process.poll() is None:
        if os.path.exists(mark):
            os.unlink(mark)
            process.send_signal(signal.SIGINT)
            return
        time.sleep(0.005)
