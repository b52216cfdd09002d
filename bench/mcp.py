"""MCP: what a tool call costs beside the HTTP route that does the same, the tokens of the default list of tools, the memory
of 10,000 push subscriptions, and the start of a command. Client and server share the machine."""

import asyncio
import http.client
import json
import resource
import statistics
import subprocess
import time

import longpoll
import machine
import posthouse

CALLS, WARM_UP = 500, 50
STREAMS = 10_000
STARTS = 20
OPEN_AT_ONCE = 100
# The allocator returns what opening the streams took after its decay of 10 s.
SETTLE_S = 15
TIMEOUT_S = 120
FILES_SPARE = 500
UNLIMITED = 'streams = "unlimited"'


class Client:
    """One connection that sends the same requests as a client of each kind."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection(server.http, timeout=90)
        self.fields = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}

    def get(self, path):
        """Calls the route."""
        self.connection.request("GET", path, headers=self.fields)
        return json.loads(self.connection.getresponse().read())

    def rpc(self, method, params):
        """Calls a method of MCP."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self.connection.request("POST", "/mcp", body=body, headers=self.fields)
        return json.loads(self.connection.getresponse().read())["result"]


def _pair(first, second, rounds):
    """Returns the median milliseconds of two calls, made in turn."""
    times = ([], [])
    for number in range(rounds + WARM_UP):
        for which, call in enumerate((first, second)):
            began = time.perf_counter()
            call()
            if number >= WARM_UP:
                times[which].append((time.perf_counter() - began) * 1000)
    return [statistics.median(some) for some in times]


def _calls(setting, server, inbox, message):
    client = Client(server)
    rounds = CALLS // 10 if setting.quick else CALLS
    for tool, arguments, path in [
        ("get_message", {"message_id": message}, f"/v1/messages/{message}"),
        ("list_messages", {"inbox_id": inbox}, f"/v1/inboxes/{inbox}/messages"),
    ]:
        route, called = _pair(lambda: client.get(path),
                              lambda: client.rpc("tools/call", {"name": tool, "arguments": arguments}), rounds)
        setting.add("mcp", {"case": tool, "route_ms": route, "tool_ms": called, "more_ms": called - route})
    listed = json.dumps(client.rpc("tools/list", {})["tools"], separators=(",", ":"), ensure_ascii=False)
    setting.add("mcp", {"case": "default tools", "tokens": len(listed.encode()) / 4})


async def _open(server, gate, inbox):
    """Opens a push subscription."""
    host, _, port = server.http.partition(":")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "events/stream",
                       "params": {"name": "message.received", "arguments": {"inbox_id": inbox}}})
    async with gate:
        reader, writer = await asyncio.open_connection(host, int(port), limit=16 * 1024)
        writer.write(f"POST /mcp HTTP/1.1\r\nHost: {server.http}\r\nAuthorization: Bearer {server.key}\r\n"
                     f"Accept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                     f"{body}".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(head)
        await reader.readuntil(b"notifications/events/active")
    return writer


async def _streams(server, inboxes, count):
    gate = asyncio.Semaphore(OPEN_AT_ONCE)
    began = time.monotonic()
    opening = [_open(server, gate, inboxes[number % len(inboxes)]["id"]) for number in range(count)]
    writers = await asyncio.wait_for(asyncio.gather(*opening), TIMEOUT_S)
    opened = time.monotonic() - began
    await asyncio.sleep(SETTLE_S)
    memory = machine.rss_mb(server.pid)
    for writer in writers:
        writer.close()
    return {"open_s": opened, "with_mb": memory}


def _starts(setting):
    times = []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run([setting.binary, "--version"], check=True, stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - began) * 1000)
    setting.add("mcp", {"case": "start of a command", "start_ms": statistics.median(times)})


def run(setting):
    """Runs the measurement."""
    _starts(setting)
    count = STREAMS // 10 if setting.quick else STREAMS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if files < count + FILES_SPARE:
        setting.say(f"mcp: only {files} open files are allowed (ulimit -Hn), using fewer streams")
        count = files - FILES_SPARE
    with open(setting.message, "rb") as file:
        mail = file.read().replace(b"\n", b"\r\n")
    with posthouse.Posthouse(setting, "mcp", team=UNLIMITED) as server:
        inboxes = server.make_inboxes(100)
        longpoll._send(server, inboxes[0]["address"], mail)
        time.sleep(1)
        message = server.messages(inboxes[0]["id"])[0]["id"]
        _calls(setting, server, inboxes[0]["id"], message)
        before = machine.rss_mb(server.pid)
        result = asyncio.run(_streams(server, inboxes, count))
        result |= {"before_mb": before, "stream_kb": (result["with_mb"] - before) * 1000 / count}
        setting.add("mcp", {"case": f"push subscriptions, {count}"} | result)
