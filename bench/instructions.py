#!/usr/bin/env python3
"""Instructions per operation of two programs, counted by valgrind: `instructions.py BEFORE NOW`.

Times of a busy machine differ by more than a change costs; instruction counts don't. Each program runs on an empty store and does
the same operations one after the other. An operation includes the work that follows it, such as delivery. The mails of the corpora
are received if they are there (POSTHOUSE_CORPORA). Exits with 1 if an operation costs more than 5 % more than before.

--profiles FOLDER keeps the profile of each operation for callgrind_annotate."""

import argparse
import glob
import http.client
import json
import os
import pathlib
import re
import smtplib
import subprocess
import sys
import tempfile
import time
import types

import fake_dns
import load
import posthouse

GROWTH_MAX = 0.05
ROUNDS = 4
# Operations of a round.
RECEIPTS, GETS, LISTS, SENDS, AGENT_MESSAGES, CORPUS_MAILS = 80, 150, 60, 50, 50, 60
WARM_UP = 40
MAIL_BYTES_MAX = 200_000
# The programs run about fifty times slower than without valgrind.
posthouse.START_S_MAX = posthouse.STOP_S_MAX = SETTLE_S_MAX = 180

WRAPPER = """#!/bin/sh
exec valgrind --quiet --tool=callgrind --instr-atstart=no --callgrind-out-file='{profile}' '{binary}' "$@"
"""
HTML = """<html><head><style>p {{ margin: 0 }}</style></head><body><table width="600"><tr><td>
{rows}
</td></tr></table></body></html>"""
ROW = ('<p style="font-size:14px">{text}</p><a href="https://shop.example/order?id={number}&amp;campaign=4f1e2d3c4b5a6978">Order '
       '{number}</a><br>')


def html_mail():
    """Returns a mail with a text and an HTML part of about 30 KB, with links as newsletters have them."""
    lines = load.prose(20_000, 12).split("\n")
    rows = "\n".join(ROW.format(text=line, number=number) for number, line in enumerate(lines))
    parts = (("plain", "\n".join(lines[:100])), ("html", HTML.format(rows=rows)))
    body = "".join(f"--b\r\nContent-Type: text/{kind}; charset=utf-8\r\n\r\n{text}\r\n" for kind, text in parts)
    return (f"From: Shop <{load.SENDER}>\r\nTo: b0@bench.test\r\nSubject: Your orders\r\nMIME-Version: 1.0\r\n"
            f"Content-Type: multipart/alternative; boundary=b\r\n\r\n{body}--b--\r\n").encode()


def corpus_mails():
    """Returns mails of the corpora, evenly chosen."""
    folder = os.environ.get("POSTHOUSE_CORPORA", os.path.join(load.HERE, "../../shared/data"))
    files = sorted(glob.glob(os.path.join(folder, "**/*.eml"), recursive=True))
    files = [name for name in files if os.path.getsize(name) <= MAIL_BYTES_MAX]
    return [pathlib.Path(name).read_bytes() for name in files[:: max(1, len(files) // CORPUS_MAILS)]]


class Counted:
    """A server under valgrind, and the instructions of each operation."""

    def __init__(self, server, profile, keep):
        self.server, self.profile, self.keep, self.dumps, self.costs = server, profile, keep, 0, {}
        self.connection = self._connect()
        self._control("-i", "on")

    def _connect(self):
        return http.client.HTTPConnection(self.server.http, timeout=SETTLE_S_MAX)

    def _control(self, *arguments):
        subprocess.run(["callgrind_control", *arguments, str(self.server.pid)], check=True, capture_output=True)

    def _dump(self):
        """Returns the instructions since the last dump."""
        self._control("-d")  # waits until the file is written
        self.dumps += 1
        return f"{self.profile}.{self.dumps}"

    def measure(self, name, steps):
        """Runs the steps several times, and notes the instructions per step of the cheapest time: work that the clock starts
        falls into some of them."""
        costs = []
        for _ in range(ROUNDS):
            self.connection = self._connect()
            self.call("GET", "/v1/search?q=first")  # completes the deferred indexing now
            os.unlink(self._dump())
            done = sum(step() for step in steps)
            profile = self._dump()
            with open(profile, encoding="utf-8", errors="replace") as file:
                costs.append(int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.MULTILINE)[1]) / done)
            if self.keep and costs[-1] == min(costs):
                os.replace(profile, f"{self.keep}.{name.replace(' ', '-')}")
        self.costs[name] = min(costs)
        print(f"instructions: {name}: {min(costs):,.0f} to {max(costs):,.0f}", file=sys.stderr, flush=True)

    def call(self, method, path, body=None):
        """Makes one request on the same connection. Returns the response's JSON."""
        self.connection.request(method, path, body=None if body is None else json.dumps(body), headers={
            "Authorization": f"Bearer {self.server.key}", "Content-Type": "application/json"})
        response = self.connection.getresponse()
        text = response.read()
        if response.status // 100 != 2:
            raise RuntimeError(f"{method} {path}: {response.status} {text[:300]!r}")
        return json.loads(text)

    def request(self, *arguments):
        """Returns a step that makes one request."""
        return lambda: self.call(*arguments) is not None

    def receive(self, mail, recipient):
        """Returns a step that sends a mail by SMTP. It counts if the server accepts it."""
        mail = re.sub(rb"\r?\n", b"\r\n", mail)

        def step():
            with smtplib.SMTP("127.0.0.1", self.server.smtp_port, "client.example.test", SETTLE_S_MAX) as client:
                try:
                    client.sendmail(load.SENDER, [recipient], mail)
                except smtplib.SMTPResponseException:
                    return 0
                return 1
        return step

    def settle(self, inbox):
        """Returns a step that waits until nothing is queued. It counts as none."""
        def step():
            deadline = time.monotonic() + SETTLE_S_MAX
            while self.call("GET", f"/v1/inboxes/{inbox}/messages?limit=1&direction=outbound&status=queued")["data"]:
                if time.monotonic() > deadline:
                    raise RuntimeError("sent messages are still queued")
                time.sleep(1)
            return 0
        return step


def operations(counted, message):
    """Measures every operation."""
    inboxes = counted.server.make_inboxes(2)
    (first, second), address = (inbox["id"] for inbox in inboxes), inboxes[0]["address"]
    html, corpus = html_mail(), corpus_mails()
    post = {"subject": "Your order", "text": load.prose(1_000, 1)}
    send = counted.request("POST", f"/v1/inboxes/{first}/messages", post | {"to": ["someone@sink.test"]})
    write = counted.request("POST", f"/v1/inboxes/{second}/messages", post | {"to": address, "type": "task", "data": {"sku": "A-40"}})
    receive = counted.receive(message, address)
    page = counted.request("GET", f"/v1/inboxes/{first}/messages?limit=25&include_unscreened=true")
    for step in (receive, send, write, page) * WARM_UP:
        step()
    counted.settle(first)()
    shown = counted.server.messages(first, most=1)[0]["id"]
    counted.measure("receipt", [receive] * RECEIPTS)
    counted.measure("receipt of HTML", [counted.receive(html, address)] * (RECEIPTS // 4))
    if corpus:
        counted.measure("receipt of corpora", [counted.receive(mail, address) for mail in corpus])
    counted.measure("small GET", [counted.request("GET", f"/v1/inboxes/{first}")] * GETS)
    counted.measure("account", [counted.request("GET", "/v1/account")] * GETS)
    counted.measure("message", [counted.request("GET", f"/v1/messages/{shown}?include_unscreened=true")] * GETS)
    counted.measure("list", [page] * LISTS)
    counted.measure("sending", [send] * SENDS + [counted.settle(first)])
    counted.measure("agent message", [write] * AGENT_MESSAGES + [counted.settle(second)])


def measured(binary, label, dns, profiles):
    """Returns the instructions per operation of a program."""
    with tempfile.TemporaryDirectory(prefix="posthouse-instructions.") as folder:
        profile, wrapper = os.path.join(folder, "profile"), os.path.join(folder, "posthouse")
        pathlib.Path(wrapper).write_text(WRAPPER.format(profile=profile, binary=os.path.abspath(binary)), "utf-8")
        os.chmod(wrapper, 0o755)
        message = pathlib.Path(load.message_file(folder)).read_bytes()
        setting = types.SimpleNamespace(binary=wrapper, folder=folder, dns=dns.address)
        print(f"instructions: {label}: {binary}", file=sys.stderr, flush=True)
        with posthouse.Posthouse(setting, "instructions") as server:
            counted = Counted(server, profile, profiles and os.path.join(profiles, label))
            operations(counted, message)
            return counted.costs


def main():
    """Measures both programs, and prints a table."""
    parser = argparse.ArgumentParser(description="Compare the instructions per operation of two programs.")
    for name in ("before", "now", "--profiles"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    with fake_dns.FakeDns() as dns:
        before, now = (measured(getattr(arguments, label), label, dns, arguments.profiles) for label in ("before", "now"))
    print("| Operation | Before | Now | Change |\n|---|---:|---:|---:|")
    for name, cost in now.items():
        print(f"| {name} | {before[name]:,.0f} | {cost:,.0f} | {cost / before[name] - 1:+.1%} |")
    if grown := [name for name, cost in now.items() if cost > before[name] * (1 + GROWTH_MAX)]:
        sys.exit(f"instructions: over 5 % more: {', '.join(grown)}")


if __name__ == "__main__":
    main()
