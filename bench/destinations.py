"""Many destinations: 20,000 messages of 10 KB to 2,000 domains, drained by us and by Postfix, to the same sinks by the same
name server. Once every domain takes mail at once; once one in ten takes two seconds a message, one in ten says «later», one
in twenty refuses the connection and one in twenty never answers (sinks.py).

The queue is filled while nothing is delivered, then let go: a message's time in the queue is from then until its sink has it.
The rate is that of all messages that can be delivered, until the last of them. Ours runs once without and once with DKIM
signatures, Postfix without. What the fast domains feel of the others is the ratio of the p99 of their time in the queue to
that of the run in which all are fast."""

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
    """Delivers by MX records: it sees our name server in place of the machine's, in a mount namespace of its own."""

    def _run(self, *command, check=True):
        if command[-1] == "start":
            resolver = os.path.join(self.home, "resolv.conf")
            with open(resolver, "w", encoding="ascii") as file:
                file.write(f"nameserver {RESOLVER}\noptions attempts:1\n")
            command = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"', resolver, *command)
        super()._run(*command, check=check)


class Mail:
    """Who gets what: every domain `MESSAGES_EACH` messages, in turns."""

    def __init__(self, count, mixed):
        self.by_class = sinks.domains(count, mixed)
        self.name = "one in three slow or dead" if mixed else "all fast"
        names = [domain for of in self.by_class.values() for domain in of]
        # Classes are mixed as on the internet, not one after the other.
        names.sort(key=lambda name: hash_of(name))
        self.recipients = [f"someone{turn}@{name}" for turn in range(MESSAGES_EACH) for name in names]
        self.expected = {name: len(self.by_class.get(name, ())) * MESSAGES_EACH for name in sinks.TAKES}


def hash_of(text):
    """A number that is the same in every run."""
    total = 0
    for byte in text.encode():
        total = (total * 1_000_003 + byte) & 0xFFFFFFFF
    return total


def _settings(port, signed):
    """Our `[delivery]` section."""
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
    # What acceptance leaves to be done later is done now: a search brings the index up to date.
    server.call("GET", "/v1/search?q=first")
    return posted


def _drained(sink, mail, began, cpu_s):
    """What the sinks saw; `cpu_s` says the CPU used so far."""
    everything = sink.wait(mail.expected, LIMIT_S)
    cpu = cpu_s()
    taken = {name: sink.count(name) for name in sinks.TAKES}
    last = max(sink.time_of(name, 1.0, min(taken[name], mail.expected[name])) or began for name in sinks.TAKES)
    p99 = sink.time_of("fast", 0.99, mail.expected["fast"])
    half = sink.time_of("fast", 0.50, mail.expected["fast"])
    took = last - began if everything else LIMIT_S
    result = {"rate": sum(taken.values()) / took, "took_s": took, "missing": sum(mail.expected.values()) - sum(taken.values()),
              "cpu_ms": cpu / max(1, sum(taken.values())) * 1000}
    for name, at in (("fast_p50_s", half), ("fast_p99_s", p99)):
        result[name] = (at or began + LIMIT_S) - began
    return result


def ours(setting, mail, signed):
    """Drained by a process that starts with the queue as it is."""
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


def _hand_in(port, recipients, text):
    """One session that hands in a message for each recipient, its commands in a group."""
    with socket.create_connection(("127.0.0.1", port)) as peer:
        lines = peer.makefile("rb")

        def ask(data, replies):
            peer.sendall(data)
            for _ in range(replies):
                while (line := lines.readline())[3:4] == b"-":
                    pass
                if line[:1] not in (b"2", b"3"):
                    raise RuntimeError(f"Postfix said {line!r}")

        ask(b"", 1)
        ask(b"EHLO client.example.test\r\n", 1)
        for recipient in recipients:
            ask(f"MAIL FROM:<{load.SENDER}>\r\nRCPT TO:<{recipient}>\r\nDATA\r\n".encode(), 3)
            ask(text + b".\r\n", 1)


def _fill_postfix(port, mail, message):
    with open(message, "rb") as file:
        text = file.read().replace(b"\r\n", b"\n").replace(b"\n.", b"\n..").replace(b"\n", b"\r\n")
    began, failed = time.monotonic(), []

    def lane(at):
        try:
            _hand_in(port, mail.recipients[at::CONNECTIONS], text)
        except (OSError, RuntimeError) as problem:
            failed.append(problem)

    lanes = [threading.Thread(target=lane, args=(at,)) for at in range(CONNECTIONS)]
    for each in lanes:
        each.start()
    for each in lanes:
        each.join()
    if failed:
        raise RuntimeError(f"filling Postfix: {failed[0]}")
    return len(mail.recipients) / (time.monotonic() - began)


def theirs(setting, mail):
    """Filled by hold, released, flushed; unsigned."""
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
    """Every case: rounds of all three in turn, all fast first."""
    count = DOMAINS // (5 if setting.quick else 1)
    peer, before = missing() is None, {}
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
