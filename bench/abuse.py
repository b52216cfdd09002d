"""One workspace abuses every HTTP budget at once: half-sent bodies, JSON of small values, lists of large mails that it doesn't
read, idle connections, streams and their frames, unknown keys. Measures the latency of another workspace's requests quiet and
under this abuse, and the peak memory of the process."""

import contextlib
import http.client
import json
import multiprocessing
import os
import resource
import smtplib
import socket
import statistics
import string
import subprocess
import time
import zlib

import load
import machine
import posthouse

SECONDS, QUICK_SECONDS = 20, 4
MAILS, MAIL_BYTES = 10, 4 << 20
HALF_BODIES, BODY_BYTES = 60, 39 << 20
IDLE, STREAMS = 1_500, 50
# Mean pause of the neighbor between two requests, and of each attacker.
PAUSE_S, ATTACK_PAUSE_S = 0.01, 0.01
FILES = 8_192
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
# Other addresses of this machine, for connections without a key.
ADDRESSES = ("127.0.0.2", "127.0.0.3")


def _workspace(server):
    """Creates a workspace on the free plan and returns its key."""
    command = [server.binary, "workspace", "create", "--config", os.path.join(server.home, "posthouse.toml"), "--name", "abuser",
               "--owner", "abuser@example.org", "--plan", "free", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=server.home).stdout)["api_key"]


def _head(method, path, key, more=""):
    return (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
            f"Content-Type: application/json\r\n{more}\r\n").encode()


def _connect(address, source=None):
    host, _, port = address.partition(":")
    return socket.create_connection((host, int(port)), timeout=10, source_address=(source, 0) if source else None)


def _bodies(address, key, inbox):
    """Holds half-sent bodies."""
    head = _head("POST", f"/v1/inboxes/{inbox}/messages", key, f"Content-Length: {BODY_BYTES + 1}\r\n")
    held = []
    while True:
        with contextlib.suppress(OSError):
            connection = _connect(address)
            connection.sendall(head)
            for _ in range(BODY_BYTES >> 20):
                connection.sendall(b" " * (1 << 20))
            held.append(connection)
        held = held[-HALF_BODIES:]
        time.sleep(ATTACK_PAUSE_S)


def _values(address, key, inbox):
    """Sends JSON of millions of small values."""
    body = b"[" + b"[0]," * (5 << 20) + b"0]"
    head = _head("POST", f"/v1/inboxes/{inbox}/messages", key, f"Content-Length: {len(body)}\r\n")
    while True:
        with contextlib.suppress(OSError), _connect(address) as connection:
            connection.sendall(head + body)
            connection.recv(4096)
        time.sleep(ATTACK_PAUSE_S)


def _unread(address, key, inbox):
    """Requests lists of large mails and doesn't read the responses."""
    held = []
    while True:
        with contextlib.suppress(OSError):
            connection = _connect(address)
            connection.sendall(_head("GET", f"/v1/inboxes/{inbox}/messages?limit=100", key))
            held.append(connection)
        held = held[-100:]
        time.sleep(ATTACK_PAUSE_S)


def _idle(address, _key, _inbox):
    """Holds connections without a request, from another address."""
    held = []
    while True:
        with contextlib.suppress(OSError):
            held.append(_connect(address, ADDRESSES[0]))
        held = held[-IDLE:]
        time.sleep(ATTACK_PAUSE_S / 10)


def _streams(address, key, _inbox):
    """Opens streams and sends frames."""
    head = _head("GET", "/v1/stream", key, "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
    # A masked text frame (RFC 6455 §5.2) with a mask of zeros.
    ping = b"\x81\x8f\0\0\0\0" + b'{"type":"ping"}'
    held = []
    while True:
        with contextlib.suppress(OSError):
            connection = _connect(address)
            connection.sendall(head)
            connection.recv(4096)
            held.append(connection)
        for each in held:
            with contextlib.suppress(OSError):
                each.sendall(ping)
        held = held[-STREAMS:]
        time.sleep(ATTACK_PAUSE_S)


def _unknown_key(number):
    """Returns a well-formed key that isn't in the database: 34 characters and their CRC-32 in base 62."""
    random = f"{number}x".ljust(34, "A")
    rest, digits = zlib.crc32(random.encode()), ""
    while len(digits) < 6:
        rest, digit = divmod(rest, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return f"ph_{random}{digits}"


def _keys(address, _key, _inbox):
    """Sends unknown keys."""
    number = 0
    while True:
        number += 1
        with contextlib.suppress(OSError), _connect(address, ADDRESSES[1]) as connection:
            connection.sendall(_head("GET", "/v1/inboxes", _unknown_key(number)))
            connection.recv(4096)
        time.sleep(ATTACK_PAUSE_S)


ATTACKS = (_bodies, _values, _unread, _idle, _streams, _keys)


def _attack(attack, address, key, inbox):
    # The attackers share the machine with the server; its CPU isn't what this part measures.
    os.nice(19)
    attack(address, key, inbox)


def _latencies(server, inbox, seconds):
    """Sends the neighbor's requests one after another, and returns their latencies in ms, sorted. Each must succeed."""
    connection = http.client.HTTPConnection(server.http, timeout=30)
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    letter = json.dumps({"to": "bob@remote.example", "subject": "letter", "text": "text"})
    times, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        for method, path, body in (("GET", f"/v1/inboxes/{inbox}/messages?limit=25", None),
                                   ("POST", f"/v1/inboxes/{inbox}/messages", letter)):
            began = time.perf_counter()
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            text = response.read()
            times.append((time.perf_counter() - began) * 1000)
            if response.status // 100 != 2:
                raise RuntimeError(f"the neighbor's {method} {path}: {response.status} {text[:300]!r}")
        time.sleep(PAUSE_S)
    connection.close()
    return sorted(times)


def _p99(times):
    return times[min(len(times) - 1, len(times) * 99 // 100)]


def _round(setting, server, attackers, inbox):
    """Measures the neighbor quiet, then under abuse."""
    seconds = QUICK_SECONDS if setting.quick else SECONDS
    quiet = _latencies(server, inbox, seconds)
    children = [multiprocessing.Process(target=_attack, args=(attack, *attackers), daemon=True) for attack in ATTACKS]
    for child in children:
        child.start()
    try:
        # The budgets are used up within seconds.
        time.sleep(2)
        with machine.PeakMemory(server.pid) as memory:
            under = _latencies(server, inbox, seconds)
    finally:
        for child in children:
            child.kill()
            child.join()
    return {"quiet_p99_ms": _p99(quiet), "abuse_p99_ms": _p99(under), "ratio": _p99(under) / _p99(quiet),
            "abuse_p50_ms": statistics.median(under), "requests": len(under), "peak_mb": memory.mb}


def run(setting):
    """Fills the abuser's inbox with large mails and measures each round on the same server."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, FILES)), hard))
    with posthouse.Posthouse(setting, "abuse") as server:
        key = _workspace(server)
        abused = server.call("POST", "/v1/inboxes", {"username": "abuser"}, key=key)
        large = f"From: {load.SENDER}\r\nSubject: large\r\n\r\n" + ("x" * 70 + "\r\n") * (MAIL_BYTES // 72)
        with smtplib.SMTP("127.0.0.1", server.smtp_port) as smtp:
            for _ in range(2 if setting.quick else MAILS):
                smtp.sendmail(load.SENDER, [abused["address"]], large)
        inbox = server.make_inboxes(1)[0]["id"]
        rounds = [_round(setting, server, (server.http, key, abused["id"]), inbox) for _ in range(setting.rounds)]
        result = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
        setting.add("abuse", {"case": "every HTTP budget at once", **result, "peak_mb": max(each["peak_mb"] for each in rounds)})
