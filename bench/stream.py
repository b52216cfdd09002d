"""The event stream: the memory of 10,000 idle WebSocket subscriptions, the latency of one event to 1,000 of them, and the
throughput of many events. The client is one asyncio process that implements RFC 6455 itself; mail is sent by SMTP."""

import asyncio
import json
import resource
import struct
import time

import longpoll
import machine
import posthouse

SOCKETS, LISTENERS, INBOXES = 10_000, 1_000, 100
EVENTS = 100
# The limit of a workspace would refuse the idle streams.
UNLIMITED = 'streams = "unlimited"'
OPEN_AT_ONCE = 100
SETTLE_S = 3
TIMEOUT_S = 60
FILES_SPARE = 500


def _frame(message):
    """Returns a masked text frame (RFC 6455 §5.2). A mask of zeros leaves the bytes unchanged."""
    data = json.dumps(message).encode()
    length = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 0x80 | 126, len(data))
    return b"\x81" + length + b"\0\0\0\0" + data


async def _read(reader):
    """Returns the payload of the next text frame, skipping pings."""
    while True:
        first, second = await reader.readexactly(2)
        size = second & 0x7F
        if size == 126:
            size = struct.unpack("!H", await reader.readexactly(2))[0]
        elif size == 127:
            size = struct.unpack("!Q", await reader.readexactly(8))[0]
        data = await reader.readexactly(size)
        if first & 0x0F == 1:
            return data
        if first & 0x0F == 8:
            raise RuntimeError(f"a stream was closed: {data!r}")


async def _open(server, gate, subscription):
    """Opens a stream and subscribes."""
    host, _, port = server.http.partition(":")
    async with gate:
        reader, writer = await asyncio.open_connection(host, int(port), limit=16 * 1024)
        writer.write(f"GET /v1/stream HTTP/1.1\r\nHost: {server.http}\r\nAuthorization: Bearer {server.key}\r\n"
                     "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101 "):
            raise RuntimeError(head)
        await _read(reader)
        writer.write(_frame({"type": "subscribe", **subscription}))
        if json.loads(await _read(reader))["type"] != "subscribed":
            raise RuntimeError("the subscription failed")
    return reader, writer


async def _listen(reader, count):
    """Returns the times at which `count` events arrived."""
    return [(await _read(reader), time.monotonic())[1] for _ in range(count)]


async def _measure(server, inboxes, sockets, listeners, message):
    gate = asyncio.Semaphore(OPEN_AT_ONCE)
    began = time.monotonic()
    # The idle streams also subscribe, to inboxes that get no mail.
    quiet = [_open(server, gate, {"inbox_ids": [inboxes[n % (len(inboxes) - 1) + 1]["id"]]}) for n in range(sockets)]
    quiet = await asyncio.wait_for(asyncio.gather(*quiet), TIMEOUT_S)
    opening, cpu = time.monotonic() - began, server.cpu_s()
    await asyncio.sleep(SETTLE_S)
    result = {"open_s": opening, "with_mb": machine.rss_mb(server.pid),
              "idle_cpu_percent": (server.cpu_s() - cpu) / SETTLE_S * 100}
    streams = await asyncio.gather(*(_open(server, gate, {"inbox_ids": [inboxes[0]["id"]]}) for _ in range(listeners)))
    waits = [asyncio.create_task(_listen(reader, 1)) for reader, _ in streams]
    await asyncio.sleep(1)
    _, accepted = await asyncio.to_thread(longpoll._send, server, inboxes[0]["address"], message)
    times = sorted((moments[0] - accepted) * 1000 for moments in await asyncio.wait_for(asyncio.gather(*waits), TIMEOUT_S))
    result |= {"first_ms": times[0], "median_ms": times[len(times) // 2], "last_ms": times[-1]}
    waits = [asyncio.create_task(_listen(reader, EVENTS)) for reader, _ in streams]
    began, cpu = time.monotonic(), server.cpu_s()
    await asyncio.to_thread(lambda: [longpoll._send(server, inboxes[0]["address"], message) for _ in range(EVENTS)])
    last = max(moments[-1] for moments in await asyncio.wait_for(asyncio.gather(*waits), TIMEOUT_S))
    frames = EVENTS * listeners
    result |= {"frames_s": frames / (last - began), "frame_cpu_us": (server.cpu_s() - cpu) / frames * 1e6}
    for _, writer in [*quiet, *streams]:
        writer.close()
    return result


def run(setting):
    """Runs the measurement."""
    sockets, listeners = (SOCKETS // 10, LISTENERS // 10) if setting.quick else (SOCKETS, LISTENERS)
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if files < sockets + listeners + FILES_SPARE:
        setting.say(f"stream: only {files} open files are allowed (ulimit -Hn), using fewer sockets")
        sockets = max(INBOXES, files - listeners - FILES_SPARE)
    with open(setting.message, "rb") as file:
        message = file.read().replace(b"\n", b"\r\n")
    with posthouse.Posthouse(setting, "stream", team=UNLIMITED) as server:
        inboxes = server.make_inboxes(INBOXES)
        longpoll._send(server, inboxes[1]["address"], message)
        time.sleep(1)
        before = machine.rss_mb(server.pid)
        result = asyncio.run(_measure(server, inboxes, sockets, listeners, message))
        result |= {"before_mb": before, "socket_kb": (result["with_mb"] - before) * 1000 / sockets}
    setting.add("stream", {"case": f"{sockets} idle, {listeners} listening"} | result)
