"""Many destinations: 20,000 messages of 10 KB to 2,000 domains, delivered by Posthouse and by Postfix to the same sinks, using
the same DNS server. In one run every domain accepts mail at once. In the other, 10 % take two seconds per message, 10 % reply
with a temporary failure, 5 % refuse the connection and 5 % never respond (sinks.py).

The queue is filled while nothing is delivered, then released. A message's queue time is from then until it reaches its sink. The
rate covers all deliverable messages, until the last of them. Posthouse runs without and with DKIM signatures, Postfix without. The
effect of the other domains on the fast ones is the ratio of the p99 of their queue time to that of the run in which all are fast."""

import os
import socket
import statistics
import threading
import time

import load
import machine
import posthouse
import sinks
from postfix import Postfix, missing

DOMAINS = 2000
MESSAGES_EACH = 10
INBOXES = 10
CONNECTIONS = 20
LIMIT_S = 240
RESOLVER = "127.0.0.153"


class DirectPostfix(Postfix):
    """Delivers by MX records. It runs in a mount namespace that replaces the machine's DNS servers with ours."""

    def _run(self, *command, check=True):
        if command[-1] == "start":
            resolver = os.path.join(self.home, "resolv.conf")
            with open(resolver, "w", encoding="ascii") as file:
                file.write(f"nameserver {RESOLVER}\noptions attempts:1\n")
            command = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"', resolver, *command)
        super()._run(*command, check=check)


class Mail:
    """The recipients: `MESSAGES_EACH` messages for every domain, in turns."""

    def __init__(self, count, mixed):
        self.by_class = sinks.domains(count, mixed)
        self.name = "one in three slow or dead" if mixed else "all fast"
        names = [domain for of in self.by_class.values() for domain in of]
        # Mix the classes, as on the internet.
        names.sort(key=lambda name: hash_of(name))
        self.recipients = [f"someone{turn}@{name}" for turn in range(MESSAGES_EACH) for name in names]
        self.expected = {name: len(self.by_class.get(name, ())) * MESSAGES_EACH for name in sinks.ACCEPTING}


def hash_of(text):
    """Returns a number that is the same in every run."""
    total = 0
    for byte in text.encode():
        total = (total * 1_000_003 + byte) & 0xFFFFFFFF
    return total


def _settings(port, signed):
    """Returns Posthouse's `[delivery]` section."""
    return f'mode = "direct"\nport = {port}\nallow_private_networks = true\nsign = {str(signed).lower()}'


def _fill_ours(setting, server, mail):
    inboxes = server.make_inboxes(INBOXES)
    files = {name: os.path.join(setting.folder, name) for name in ("paths", "recipients", "body.json")}
    with open(files["paths"], "w", encoding="ascii") as file:
        file.writelines(f"/v1/inboxes/{inbox['id']}/messages\n" for inbox in inboxes)
    with open(files["recipients"], "w", encoding="ascii") as file:
        file.writelines(f"{recipient}\n" for recipient in mail.recipients)
    text = load.prose(load.MESSAGE_BYTES, 1).replace("\n", "\\n")
    with open(files["body.json"], "w", encoding="ascii") as file:
        file.write('{"to": "RECIPIENT", "subject": "Your order", "text": "' + text + '"}')
    posted = load.wrk(f"http://{server.http}", server.key, CONNECTIONS, LIMIT_S, files["paths"], count=len(mail.recipients),
                      body=files["body.json"], recipients=files["recipients"])
    # Searching completes the deferred indexing now.
    server.call("GET", "/v1/search?q=first")
    return posted


def _drained(sink, mail, began, cpu_s):
    """Waits for the sinks and returns the rates. `cpu_s` returns the CPU time used so far."""
    everything = sink.wait(mail.expected, LIMIT_S)
    cpu = cpu_s()
    taken = {name: sink.count(name) for name in sinks.ACCEPTING}
    last = max(sink.time_of(name, 1.0, min(taken[name], mail.expected[name])) or began for name in sinks.ACCEPTING)
    p99 = sink.time_of("fast", 0.99, mail.expected["fast"])
    half = sink.time_of("fast", 0.50, mail.expected["fast"])
    took = last - began if everything else LIMIT_S
    result = {"rate": sum(taken.values()) / took, "took_s": took, "missing": sum(mail.expected.values()) - sum(taken.values()),
              "cpu_ms": cpu / max(1, sum(taken.values())) * 1000}
    for name, at in (("fast_p50_s", half), ("fast_p99_s", p99)):
        result[name] = (at or began + LIMIT_S) - began
    return result


def ours(setting, mail, signed):
    """Delivered by a process that starts with the full queue."""
    with sinks.Sinks() as sink:
        setting.dns_server.places = sink.places
        with posthouse.Posthouse(setting, "destinations", _settings(sink.port, signed)) as server:
            server.stop()
            server.start("http")
            accepted = _fill_ours(setting, server, mail)
            server.stop()
            sink.forget()
            began = time.monotonic()
            server.start("http,worker")
            with machine.Foreign() as foreign:
                result = _drained(sink, mail, began, server.cpu_s)
            own = server.cpu_s()
            return result | {"accept_rate": accepted["rate"], "rss_mb": machine.rss_mb(server.pid, peak=True),
                             "foreign_cores": foreign.cores(own)}


def _submit(port, recipients, text):
    """Submits a message for each recipient in one session, with pipelined commands."""
    with socket.create_connection(("127.0.0.1", port)) as peer:
        lines = peer.makefile("rb")

        def ask(data, replies):
            peer.sendall(data)
            for _ in range(replies):
                while (line := lines.readline())[3:4] == b"-":
                    pass
                if line[:1] not in (b"2", b"3"):
                    raise RuntimeError(f"Postfix replied {line!r}")

        ask(b"", 1)
        ask(b"EHLO client.example.test\r\n", 1)
        for recipient in recipients:
            ask(f"MAIL FROM:<{load.SENDER}>\r\nRCPT TO:<{recipient}>\r\nDATA\r\n".encode(), 3)
            ask(text + b".\r\n", 1)


def _fill_postfix(port, mail, message):
    with open(message, "rb") as file:
        text = file.read().replace(b"\r\n", b"\n").replace(b"\n.", b"\n..").replace(b"\n", b"\r\n")
    began, failed = time.monotonic(), []

    def submit_share(at):
        try:
            _submit(port, mail.recipients[at::CONNECTIONS], text)
        except (OSError, RuntimeError) as problem:
            failed.append(problem)

    threads = [threading.Thread(target=submit_share, args=(at,)) for at in range(CONNECTIONS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if failed:
        raise RuntimeError(f"filling Postfix: {failed[0]}")
    return len(mail.recipients) / (time.monotonic() - began)


def theirs(setting, mail):
    """Mail is held, released and flushed; unsigned."""
    with sinks.Sinks() as sink:
        setting.dns_server.places = sink.places
        home, more = os.path.join(setting.folder, "postfix"), f"smtp_tcp_port = {sink.port}\n"
        with DirectPostfix(home, load.free_port(), hold=True, more=more) as server:
            accepted = _fill_postfix(server.port, mail, setting.message)
            server.release_held()
            sink.forget()
            cpu, began = server.cpu_s(), time.monotonic()
            server.flush()
            with machine.Foreign() as foreign:
                result = _drained(sink, mail, began, lambda: server.cpu_s() - cpu)
            return result | {"accept_rate": accepted, "foreign_cores": foreign.cores(server.cpu_s() - cpu)}


def _median(rounds):
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def run(setting):
    """Runs every case, with alternating rounds of all three; the all-fast run comes first."""
    count = DOMAINS // (5 if setting.quick else 1)
    peer, before = not setting.alone and missing() is None, {}
    setting.dns_server.listen(RESOLVER, 53, optional=not peer)
    for mixed in (False, True):
        mail = Mail(count, mixed)
        rounds = {"unsigned": [], "signed": [], "postfix": []}
        for _ in range(setting.rounds):
            for name, signed in (("unsigned", False), ("signed", True)):
                rounds[name].append(ours(setting, mail, signed))
            if peer:
                rounds["postfix"].append(theirs(setting, mail))
        postfix = _median(rounds["postfix"]) if peer else None
        for name in ("unsigned", "signed"):
            result = {"case": f"{mail.name}, {name}", "messages": len(mail.recipients), "domains": count,
                      "posthouse": _median(rounds[name])}
            if peer:
                result["postfix"] = postfix
                pairs = zip(rounds[name], rounds["postfix"], strict=True)
                result["ratio"] = statistics.median(a["rate"] / b["rate"] for a, b in pairs)
            if mixed:
                result["fast_growth"] = result["posthouse"]["fast_p99_s"] / before[name]
            before[name] = result["posthouse"]["fast_p99_s"]
            setting.add("destinations", result)
