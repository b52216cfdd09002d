"""10,000 idle long-polls, spread evenly over 100 inboxes: their memory, and how fast the waiters of one inbox are woken by a
message. The client is one asyncio process; the message is sent by SMTP."""

import asyncio
import json
import resource
import smtplib
import time

import load
import machine
import posthouse

WAITERS, INBOXES = 10_000, 100
OPEN_AT_ONCE = 100
SETTLE_S = 3
TIMEOUT_S = 60
FILES_SPARE = 500


async def _wait_one(server, inbox_id, gate, opened):
    """Runs one long-poll, and returns when it was answered and with what."""
    host, _, port = server.http.partition(":")
    async with gate:
        reader, writer = await asyncio.open_connection(host, int(port))
        path = f"/v1/inboxes/{inbox_id}/messages/wait?timeout={TIMEOUT_S}&include_unscreened=true"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {server.http}\r\nAuthorization: Bearer {server.key}\r\n\r\n".encode())
        await writer.drain()
    opened.append(1)
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        answered = time.monotonic()
        lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        body = await reader.readexactly(int(lengths[0].split(b":")[1]))
        return answered, int(head.split()[1]), json.loads(body)
    finally:
        writer.close()


def _send(server, recipient, message):
    """Sends one message by SMTP, and returns when its data was sent and when it was accepted."""
    with smtplib.SMTP("127.0.0.1", server.smtp_port, "client.example.test") as client:
        client.ehlo()
        client.mail(load.SENDER)
        client.rcpt(recipient)
        began = time.monotonic()
        code, text = client.data(message)
        if code != 250:
            raise RuntimeError(f"{code} {text!r}")
        return began, time.monotonic()


async def _measure(server, inboxes, waiters, message):
    """Opens the long-polls, lets them idle, and wakes those of the first inbox."""
    gate, opened = asyncio.Semaphore(OPEN_AT_ONCE), []
    waits = [asyncio.create_task(_wait_one(server, inboxes[n % len(inboxes)]["id"], gate, opened)) for n in range(waiters)]
    began = time.monotonic()
    while len(opened) < waiters:
        early = [wait for wait in waits if wait.done()]
        if early:
            raise RuntimeError(f"a long-poll ended early: {early[0].exception() or early[0].result()[1:]}")
        if time.monotonic() - began > TIMEOUT_S / 2:
            raise RuntimeError(f"only {len(opened)} of {waiters} long-polls were open after {TIMEOUT_S / 2} s")
        await asyncio.sleep(0.1)
    opening = time.monotonic() - began
    cpu = server.cpu_s()
    await asyncio.sleep(SETTLE_S)
    idle_cpu = (server.cpu_s() - cpu) / SETTLE_S
    result = {"waiters": waiters, "open_s": opening, "idle_cpu_percent": idle_cpu * 100, "with_mb": machine.rss_mb(server.pid)}
    sent, accepted = await asyncio.to_thread(_send, server, inboxes[0]["address"], message)
    woken = [waits[n] for n in range(0, waiters, len(inboxes))]
    answers = await asyncio.wait_for(asyncio.gather(*woken), 30)
    if any(status != 200 or body["data"] is None for _, status, body in answers):
        raise RuntimeError("a waiter got no message")
    if extra := sum(wait.done() for wait in waits) - len(woken):
        raise RuntimeError(f"{extra} waiters of other inboxes were woken")
    times = sorted((answered - sent) * 1000 for answered, _, _ in answers)
    for wait in waits:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    return result | {"woken": len(times), "accepted_ms": (accepted - sent) * 1000, "first_ms": times[0],
                     "median_ms": times[len(times) // 2], "last_ms": times[-1]}


def run(setting):
    """Runs the measurement."""
    waiters = WAITERS // (10 if setting.quick else 1)
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if files < waiters + FILES_SPARE:
        setting.say(f"longpoll: only {files} open files are allowed (ulimit -Hn), using fewer waiters")
        waiters = max(INBOXES, files - FILES_SPARE)
    with open(setting.message, "rb") as file:
        message = file.read().replace(b"\n", b"\r\n")
    with posthouse.Posthouse(setting, "longpoll") as server:
        inboxes = server.make_inboxes(INBOXES)
        _send(server, inboxes[1]["address"], message)
        time.sleep(1)
        before = machine.rss_mb(server.pid)
        result = asyncio.run(_measure(server, inboxes, waiters, message))
        time.sleep(1)
        result |= {"before_mb": before, "after_mb": machine.rss_mb(server.pid)}
    setting.add("longpoll", {"case": f"{waiters} long-polls"} | result)
