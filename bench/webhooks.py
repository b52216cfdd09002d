"""Webhooks: the time from the commit of an event to its POST at a receiver on loopback, at 200 events per second and for a
backlog at full speed; and the effect of three webhooks on receipt.

The delay is measured from the event's own time, which is before its commit, until the receiver has read the request, so it
includes the commit. The receiver is one Python process. Receipt is measured as in `receipt.py`, with and without webhooks
alternately, each on an empty store."""

import asyncio
import collections
import os
import statistics
import time

import load
import machine
import posthouse
from hook_sink import HookSink

PACED_RATE, PACED_COUNT, PACED_CONNECTIONS = 200, 4000, 10
BACKLOG = 5000
RECEIPT = (20, 1, False)
HOOKS = 3
WAIT_S = 240


async def _send_paced(port, recipient, message, count, gap_s):
    """Sends a message every `gap_s` over one SMTP connection, regardless of how long the replies take."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def say(words, code):
        writer.write(words)
        line = await reader.readline()
        while line[3:4] == b"-":
            line = await reader.readline()
        if not line.startswith(code):
            raise RuntimeError(f"{words[:40]!r}: {line!r}")

    await say(b"", b"220")
    await say(b"EHLO client.example.test\r\n", b"250")
    began = time.monotonic()
    for number in range(count):
        await asyncio.sleep(max(0, began + number * gap_s - time.monotonic()))
        await say(f"MAIL FROM:<{load.SENDER}>\r\n".encode(), b"250")
        await say(f"RCPT TO:<{recipient}>\r\n".encode(), b"250")
        await say(b"DATA\r\n", b"354")
        await say(message + b"\r\n.\r\n", b"250")
    writer.close()


async def _paced(port, recipients, message, count):
    gap_s = PACED_CONNECTIONS / PACED_RATE
    share = count // PACED_CONNECTIONS
    senders = [_send_paced(port, recipients[n % len(recipients)], message, share, gap_s) for n in range(PACED_CONNECTIONS)]
    began = time.monotonic()
    await asyncio.gather(*senders)
    return time.monotonic() - began


def _subscribe(server, sink, count=1):
    for _ in range(count):
        server.call("POST", "/v1/webhooks", {"url": sink.url, "events": ["message.received"]})


def _delays(rows, hooks):
    """Returns p50, p99 and maximum of the delay in milliseconds, and the number of duplicate POSTs."""
    delays = sorted(at - made for _, made, at in rows)
    # The first of several webhooks may also get the event of the welcome mail, which arrives soon after the start.
    posts = collections.Counter(event for event, _, _ in rows)
    return {"p50_ms": delays[len(delays) // 2], "p99_ms": delays[int(len(delays) * 0.99)], "max_ms": delays[-1],
            "duplicates": sum(max(0, count - hooks) for count in posts.values())}


def _at_a_pace(setting, hooks, count):
    with open(setting.message, "rb") as file:
        message = file.read().strip().replace(b"\n", b"\r\n")
    with HookSink(os.path.join(setting.folder, f"hooks-paced-{hooks}")) as sink, \
            posthouse.Posthouse(setting, f"webhooks-paced-{hooks}") as server:
        recipients = [inbox["address"] for inbox in server.make_inboxes(10)]
        _subscribe(server, sink, hooks)
        with machine.Foreign() as foreign:
            cpu = server.cpu_s()
            took = asyncio.run(_paced(server.smtp_port, recipients, message, count))
            rows = sink.wait(count * hooks, WAIT_S)
            cpu = server.cpu_s() - cpu
    return {"case": f"{PACED_RATE} events/s, {hooks} webhook{'s'[:hooks > 1]}", "rate": count / took, "cpu_ms": cpu / count * 1000,
            "foreign_cores": foreign.cores(cpu)} | _delays(rows, hooks)


def _backlog(setting, count):
    """Delivers events as fast as possible while mail is received at full speed."""
    with HookSink(os.path.join(setting.folder, "hooks-backlog")) as sink, \
            posthouse.Posthouse(setting, "webhooks-backlog") as server:
        recipients = [inbox["address"] for inbox in server.make_inboxes(10)]
        _subscribe(server, sink)
        load.smtp_source(server.smtp_port, recipients, count, 20, setting.message)
        cpu, behind = server.cpu_s(), len(sink.arrived())
        began = time.monotonic()
        rows = sink.wait(count, WAIT_S)
        rate = (count - behind) / (time.monotonic() - began) if behind < count else 0
        cpu = (server.cpu_s() - cpu) / max(1, count - behind) * 1000
        whole = (rows[-1][2] - rows[0][2]) / 1000
    return {"case": f"{count} events at full speed", "rate": count / whole, "rest_rate": rate, "cpu_ms": cpu,
            "duplicates": len(rows) - len({row[0] for row in rows})}


def _receipt(setting, hooks, count):
    with HookSink(os.path.join(setting.folder, f"hooks-receipt-{hooks}")) as sink, \
            posthouse.Posthouse(setting, "webhooks-receipt") as server:
        recipients = [inbox["address"] for inbox in server.make_inboxes(1)]
        _subscribe(server, sink, hooks)
        load.smtp_source(server.smtp_port, recipients, 100, 20, setting.message)
        took, _ = load.smtp_source(server.smtp_port, recipients, count, RECEIPT[0], setting.message)
        behind = (100 + count) * hooks - len(sink.arrived())
        sink.wait((100 + count) * hooks, WAIT_S)
    return count / took, behind


def run(setting):
    """Runs every case."""
    part = 5 if setting.quick else 1
    for hooks in (1, HOOKS):
        setting.add("webhooks", _at_a_pace(setting, hooks, PACED_COUNT // part))
    setting.add("webhooks", _backlog(setting, BACKLOG // part))
    without, with_hooks, behind = [], [], []
    for _ in range(setting.rounds):
        without.append(_receipt(setting, 0, BACKLOG // part)[0])
        rate, late = _receipt(setting, HOOKS, BACKLOG // part)
        with_hooks.append(rate)
        behind.append(late)
    ratio = statistics.median(a / b for a, b in zip(with_hooks, without, strict=True))
    setting.add("webhooks", {"case": f"receipt with {HOOKS} webhooks", "rate": statistics.median(with_hooks), "ratio": ratio,
                             "without": statistics.median(without), "behind": statistics.median(behind)})
