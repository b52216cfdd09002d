"""A receiver of webhooks in its own process. Replies 200 to every POST and writes a line with the event's id, its creation time
and its arrival time, both in milliseconds since 1970."""

import asyncio
import datetime
import re
import signal
import subprocess
import sys
import time

import load

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
MADE = re.compile(rb'"created_at":"([^"]+)"')


class _Wire(asyncio.Protocol):
    """A connection with sequential requests that have a length."""

    def __init__(self, note):
        self.note, self.buffer = note, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            length = int(re.search(rb"\r\ncontent-length: *(\d+)", head).group(1))
            if len(self.buffer) < end + 4 + length:
                return
            body, self.buffer = self.buffer[end + 4:end + 4 + length], self.buffer[end + 4 + length:]
            self.note(re.search(rb"\r\nwebhook-id: *([^\r]+)", head).group(1), body[:200])
            self.transport.write(ANSWER)


async def _serve(port, path):
    with open(path, "w", encoding="ascii", buffering=1) as out:
        def note(event, head):
            arrived = time.time() * 1000
            made = datetime.datetime.fromisoformat(MADE.search(head).group(1).decode())
            out.write(f"{event.decode()} {made.timestamp() * 1000:.0f} {arrived:.1f}\n")
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Wire(note), "127.0.0.1", port)
        loop.add_signal_handler(signal.SIGTERM, server.close)
        try:
            await server.serve_forever()
        except asyncio.CancelledError:
            pass


class HookSink:
    """The receiver as a context manager. `arrived` returns the POSTs so far: (id, created, arrived)."""

    def __init__(self, path):
        self.path, self.port = path, load.free_port()
        self.url = f"http://127.0.0.1:{self.port}/hook"

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, __file__, str(self.port), self.path])
        load.wait_for_port(self.port)
        return self

    def arrived(self):
        """Returns every POST so far."""
        with open(self.path, encoding="ascii") as lines:
            rows = [line.split() for line in lines]
        return [(event, float(made), float(at)) for event, made, at in (row for row in rows if len(row) == 3)]

    def wait(self, count, limit_s):
        """Waits until `count` POSTs have arrived, and returns them."""
        deadline = time.monotonic() + limit_s
        while len(rows := self.arrived()) < count:
            if time.monotonic() > deadline:
                raise RuntimeError(f"the receiver received {len(rows)} of {count} events in {limit_s} s")
            time.sleep(0.1)
        return rows

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), sys.argv[2]))
