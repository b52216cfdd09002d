"""2,000 domains on loopback that behave like domains on the internet: most accept mail at once, some are slow, some reply with a
temporary failure, some don't respond. Each class consists of a few `smtp-sink` processes with their own addresses."""

import os
import re
import socket
import subprocess
import threading
import time

import load

# class -> share of the domains, number of addresses, options of smtp-sink (None: no smtp-sink)
CLASSES = {
    "fast": (0.70, 8, []),
    "slow": (0.10, 20, ["-w", "2"]),
    "later": (0.10, 4, ["-r", "RCPT"]),
    "refused": (0.05, 4, None),
    "silent": (0.05, 10, None),
}
ACCEPTING = ("fast", "slow")


def domains(count, mixed):
    """Returns the names of the domains in each class."""
    shares = {name: round(count * share) for name, (share, _, _) in CLASSES.items()} if mixed else {"fast": count}
    return {name: [f"d{number}.{name}.test" for number in range(of)] for name, of in shares.items()}


class Sinks:
    """The sinks of all classes, on one port. Use it as a context manager; `places` has the addresses of each class, for the DNS
    server."""

    def __init__(self):
        self.port = load.free_port()
        self.places, self._processes, self._sockets = {}, [], []
        self._events = {name: [] for name in ACCEPTING}

    def __enter__(self):
        for at, (name, (_, count, options)) in enumerate(CLASSES.items()):
            self.places[name] = [f"127.0.{11 + at}.{number}" for number in range(1, count + 1)]
            for address in self.places[name]:
                if options is not None:
                    self._start(name, address, options)
                elif name == "silent":
                    self._listen_without_accepting(address)
        for name in ("fast", "slow"):
            for address in self.places[name]:
                _wait_for(address, self.port)
        return self

    def _start(self, name, address, options):
        command = ["smtp-sink", "-c", "-m", "500", *options, f"{address}:{self.port}", "500"]
        if os.geteuid() == 0:
            command[1:1] = ["-u", "nobody"]
        process = subprocess.Popen(command, env={**os.environ, "PATH": load.PATH}, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self._processes.append(process)
        if name in ACCEPTING:
            threading.Thread(target=self._follow, args=(process, self._events[name]), daemon=True).start()

    def _listen_without_accepting(self, address):
        """Listens but never accepts. Once the queue is full, connections are not even refused."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, self.port))
        listener.listen(0)
        self._sockets.append(listener)
        for _ in range(4):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex((address, self.port))
            self._sockets.append(client)

    def _follow(self, process, events):
        """Reads smtp-sink's running counter and records when messages arrived."""
        tail, seen = b"", 0
        while chunk := os.read(process.stdout.fileno(), 65536):
            found = re.findall(rb"mesg=(\d+)\s", tail + chunk)
            tail = (tail + chunk)[-64:]
            if found and int(found[-1]) > seen:
                events.append((time.monotonic(), int(found[-1]) - seen))
                seen = int(found[-1])

    def forget(self):
        """Resets the counts; the sinks themselves keep counting."""
        for events in self._events.values():
            events.clear()

    def count(self, name):
        """Returns the number of messages that a class has accepted."""
        return sum(more for _, more in list(self._events[name]))

    def time_of(self, name, share, expected):
        """Returns when that share of a class's expected messages had arrived, or None if it hasn't."""
        wanted, seen = share * expected, 0
        for at, more in sorted(self._events[name]):
            seen += more
            if seen >= wanted:
                return at
        return None

    def wait(self, expected, limit_s):
        """Waits until each class has its expected messages, and returns False if that takes too long."""
        deadline = time.monotonic() + limit_s
        while any(self.count(name) < count for name, count in expected.items()):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
            process.wait()
        for each in self._sockets:
            each.close()


def _wait_for(address, port, limit_s=20):
    deadline = time.monotonic() + limit_s
    while True:
        try:
            socket.create_connection((address, port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
