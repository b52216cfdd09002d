"""Sending: delivers a queue of 10 KB messages to smtp-sink, with Posthouse and with Postfix.

Prefilled: the queue is filled while nothing is delivered (Posthouse runs without the worker role, Postfix holds the mail), then
released. The rate covers the time from the first to the last message at the sink. Through: messages are accepted and delivered
at the same time, measured from the first request to the last message.

Unsigned: neither server signs. Signed: Posthouse signs every message twice (RSA-2048 and Ed25519), Postfix doesn't sign.
Both signed: OpenDKIM signs once (RSA-2048) when Postfix accepts the message."""

import contextlib
import json
import os
import statistics
import time

import load
import machine
import opendkim
import posthouse
from postfix import Postfix, missing

COUNT = 5000
INBOXES = 10
CONNECTIONS = 20
LIMIT_S = 300


def _delivery(mode, port, signed):
    """Returns the `[delivery]` section that sends to the sink."""
    where = f'relay_url = "smtp://127.0.0.1:{port}"' if mode == "relay" else f"port = {port}"
    return f'mode = "{mode}"\n{where}\nallow_private_networks = true\nsign = {str(signed).lower()}'


def _post(setting, server, count):
    """Sends `count` messages through the API, and returns the inboxes and the result of wrk."""
    inboxes = server.make_inboxes(INBOXES)
    paths = os.path.join(setting.folder, "paths")
    with open(paths, "w", encoding="ascii") as file:
        file.writelines(f"/v1/inboxes/{inbox['id']}/messages\n" for inbox in inboxes)
    body = os.path.join(setting.folder, "body.json")
    with open(body, "w", encoding="ascii") as file:
        json.dump({"to": ["someone@sink.test"], "subject": "Your order", "text": load.prose(load.MESSAGE_BYTES, 1)}, file)
    posted = load.wrk(f"http://{server.http}", server.key, CONNECTIONS, LIMIT_S, paths, count=count, body=body)
    return inboxes, posted


def _wait_settled(server, inboxes):
    """Waits until no message is queued, because Posthouse must also record the deliveries that the sink has seen."""
    deadline = time.monotonic() + 60
    for inbox in inboxes:
        path = f"/v1/inboxes/{inbox['id']}/messages?limit=1&direction=outbound&status=queued"
        while server.call("GET", path)["data"]:
            if time.monotonic() > deadline:
                raise RuntimeError("delivered messages are still queued")
            time.sleep(0.05)


def _drained(sink, count, began, cpu_s):
    """Waits for the sink, and returns the rates and the CPU time."""
    sink.wait(count, LIMIT_S)
    return {"rate": (count - 1) / (sink.last - sink.first), "whole_s": sink.last - began, "cpu_ms": cpu_s / count * 1000}


def of_posthouse(setting, mode, count, signed=True):
    """Prefilled: the queue is delivered by a process that starts with the full queue."""
    with load.Sink() as sink, posthouse.Posthouse(setting, "sending", _delivery(mode, sink.port, signed)) as server:
        server.stop()
        server.start("http")
        inboxes, posted = _post(setting, server, count)
        server.stop()
        began = time.monotonic()
        server.start("http,worker")
        sink.wait(count, LIMIT_S)
        result = _drained(sink, count, began, server.cpu_s())
        _wait_settled(server, inboxes)
        result |= {"accept_rate": posted["rate"], "accept_p50_ms": posted["p50_ms"], "accept_p99_ms": posted["p99_ms"],
                   "rss_mb": machine.rss_mb(server.pid, peak=True), "duplicates": sink.count - count}
    return result


def of_postfix(setting, count):
    """Prefilled: the mail is held, released and flushed."""
    with load.Sink() as sink:
        home, relay = os.path.join(setting.folder, "postfix"), f"[127.0.0.1]:{sink.port}"
        with Postfix(home, load.free_port(), relay=relay, hold=True) as server:
            took, _ = load.smtp_source(server.port, ["someone@sink.test"], count, CONNECTIONS, setting.message)
            server.release_held()
            cpu, began = server.cpu_s(), time.monotonic()
            server.flush()
            sink.wait(count, LIMIT_S)
            result = _drained(sink, count, began, server.cpu_s() - cpu)
            result["accept_rate"] = count / took
    return result


def through_posthouse(setting, mode, count, signed=True):
    """Through: messages are accepted by the API and delivered at the same time."""
    with load.Sink() as sink, posthouse.Posthouse(setting, "sending", _delivery(mode, sink.port, signed)) as server:
        cpu, began = server.cpu_s(), time.monotonic()
        inboxes, _ = _post(setting, server, count)
        sink.wait(count, LIMIT_S)
        _wait_settled(server, inboxes)
        return {"rate": count / (sink.last - began), "cpu_ms": (server.cpu_s() - cpu) / count * 1000}


def through_postfix(setting, count, signed=False):
    """Through: messages are accepted by SMTP and relayed at the same time, optionally signed by a milter."""
    with contextlib.ExitStack() as stack:
        sink = stack.enter_context(load.Sink())
        signer = stack.enter_context(opendkim.OpenDkim(os.path.join(setting.folder, "opendkim"))) if signed else None
        home, relay = os.path.join(setting.folder, "postfix"), f"[127.0.0.1]:{sink.port}"
        more = signer.setting if signer else ""
        server = stack.enter_context(Postfix(home, load.free_port(), relay=relay, more=more))

        def cpu_s():
            return server.cpu_s() + (signer.cpu_s() if signer else 0)

        cpu, began = cpu_s(), time.monotonic()
        load.smtp_source(server.port, ["someone@sink.test"], count, CONNECTIONS, setting.message)
        sink.wait(count, LIMIT_S)
        return {"rate": count / (sink.last - began), "cpu_ms": (cpu_s() - cpu) / count * 1000}


def _median(rounds):
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def _case(setting, name, count, ours_once, theirs_once):
    """Runs rounds of both servers alternately."""
    ours, theirs = [], []
    for _ in range(setting.rounds):
        ours.append(ours_once())
        if theirs_once:
            theirs.append(theirs_once())
    result = {"case": name, "messages": count, "posthouse": _median(ours)}
    if theirs:
        result["postfix"] = _median(theirs)
        result["ratio"] = statistics.median(a["rate"] / b["rate"] for a, b in zip(ours, theirs, strict=True))
    setting.add("sending", result)


def run(setting):
    """Runs every case."""
    count = COUNT // (5 if setting.quick else 1)
    peer = not setting.alone and missing() is None
    _case(setting, "prefilled, relay, unsigned", count, lambda: of_posthouse(setting, "relay", count, signed=False),
          (lambda: of_postfix(setting, count)) if peer else None)
    _case(setting, "through, relay, unsigned", count, lambda: through_posthouse(setting, "relay", count, signed=False),
          (lambda: through_postfix(setting, count)) if peer else None)
    _case(setting, "prefilled, relay, signed", count, lambda: of_posthouse(setting, "relay", count),
          (lambda: of_postfix(setting, count)) if peer else None)
    _case(setting, "through, relay, signed", count, lambda: through_posthouse(setting, "relay", count),
          (lambda: through_postfix(setting, count)) if peer else None)
    if peer and opendkim.missing() is None:
        _case(setting, "through, relay, both signed", count, lambda: through_posthouse(setting, "relay", count),
              lambda: through_postfix(setting, count, signed=True))
    if not setting.quick:
        _case(setting, "prefilled, direct, signed", count, lambda: of_posthouse(setting, "direct", count), None)
