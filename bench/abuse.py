"""One workspace abuses every budget at once. By HTTP: half-sent bodies, JSON of small values, large responses to reads and changes
that it doesn't read, idle connections, streams and their frames, unknown keys, many reads at once. By SMTP: half-sent and slow
contents, idle connections, unknown recipients, mail beyond the storage of its plan. Measures the latency of another workspace's
requests and mails quiet and under this abuse, and the peak memory of the process. SMTP clients state other addresses in PROXY
headers. The server runs on other cores than its clients, as clients are other machines."""

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
import threading
import time
import zlib

import load
import machine
import posthouse

SECONDS, QUICK_SECONDS = 20, 4
MAILS, MAIL_BYTES = 10, 4 << 20
HALF_BODIES, BODY_BYTES = 60, 39 << 20
HALF_CONTENTS, SLOW_CONTENTS, SMTP_IDLE, READERS = 40, 60, 200, 16
IDLE, STREAMS = 1_500, 50
# Mean pause of the neighbor between two requests, and of each attacker.
PAUSE_S, ATTACK_PAUSE_S = 0.01, 0.01
FILES = 8_192
ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
# Other addresses of this machine, for connections without a key.
ADDRESSES = ("127.0.0.2", "127.0.0.3")
# Clients of SMTP, each with budgets of its own.
NEIGHBOR, HALF, SLOW, IDLER, GUESSER, FILLER = (f"192.0.2.{number}" for number in range(1, 7))
# The abuser's inbox is nearly full, so that most of its mails are refused.
CONFIG = """\
[plans.free]
storage_bytes = "48MiB"
"""
SMTP_CONFIG = """proxy_protocol_from = ["127.0.0.0/8"]
trusted_clients = ["192.0.2.1"]
"""


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


def _unread_changes(address, key, inbox):
    """Changes large mails and requests several at once, and doesn't read the responses."""
    connection = http.client.HTTPConnection(address, timeout=10)
    connection.request("GET", f"/v1/inboxes/{inbox}/messages?limit=3&view=summary", headers={"Authorization": f"Bearer {key}"})
    ids = [message["id"] for message in json.loads(connection.getresponse().read())["data"]]
    requests = [("POST", "/v1/messages/batch-get", {"ids": ids})]
    requests += [("PATCH", f"/v1/messages/{each}", {"add_labels": ["seen"]}) for each in ids]
    held = []
    while True:
        for method, path, body in requests:
            text = json.dumps(body).encode()
            with contextlib.suppress(OSError):
                connection = _connect(address)
                connection.sendall(_head(method, path, key, f"Content-Length: {len(text)}\r\n") + text)
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


class _Smtp(smtplib.SMTP):
    """A client that the server sees at another address."""

    def __init__(self, port, address, timeout=10):
        self._address = address
        super().__init__("127.0.0.1", port, timeout=timeout)

    def _get_socket(self, host, port, timeout):
        connection = super()._get_socket(host, port, timeout)
        connection.sendall(f"PROXY TCP4 {self._address} 198.51.100.1 56324 25\r\n".encode())
        return connection


def _begin(port, address, recipient):
    """Opens a session up to the content of a message, and returns it."""
    session = _Smtp(port, address)
    session.ehlo()
    session.mail(load.SENDER)
    session.rcpt(recipient)
    if session.docmd("DATA")[0] != 354:
        session.close()
        raise smtplib.SMTPException("no DATA")
    return session


def _half_contents(port, recipient):
    """Holds half-sent messages."""
    held = []
    while True:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            session = _begin(port, HALF, recipient)
            for _ in range(MAIL_BYTES >> 20):
                session.sock.sendall((b"x" * 70 + b"\r\n") * ((1 << 20) // 72))
            held.append(session)
        held = held[-HALF_CONTENTS:]
        time.sleep(ATTACK_PAUSE_S)


def _slow_contents(port, recipient):
    """Sends the contents of many messages byte by byte."""
    held = []
    while True:
        if len(held) < SLOW_CONTENTS:
            with contextlib.suppress(OSError, smtplib.SMTPException):
                held.append(_begin(port, SLOW, recipient))
        for session in list(held):
            try:
                session.sock.sendall(b"x")
            except OSError:
                held.remove(session)
        time.sleep(ATTACK_PAUSE_S)


def _idle_sessions(port, _recipient):
    """Holds SMTP connections without a command."""
    held = []
    while True:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            held.append(_Smtp(port, IDLER))
        held = held[-SMTP_IDLE:]
        time.sleep(ATTACK_PAUSE_S)


def _guesses(port, recipient):
    """Names recipients that don't exist."""
    domain, number = recipient.partition("@")[2], 0
    while True:
        with contextlib.suppress(OSError, smtplib.SMTPException), _Smtp(port, GUESSER) as session:
            session.ehlo()
            session.mail(load.SENDER)
            for _ in range(20):
                number += 1
                session.rcpt(f"guess{number}@{domain}")
        time.sleep(ATTACK_PAUSE_S)


def _fill(port, recipient):
    """Sends mail beyond what the workspace may store, without saying its size."""
    mail = b"From: " + load.SENDER.encode() + b"\r\nSubject: large\r\n\r\n" + (b"x" * 70 + b"\r\n") * (MAIL_BYTES // 72)
    while True:
        with contextlib.suppress(OSError, smtplib.SMTPException):
            session = _begin(port, FILLER, recipient)
            session.sock.sendall(mail + b".\r\n")
            session.getreply()
            session.quit()
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


def _reads(address, key, inbox):
    """Requests lists of large mails on many connections at once."""

    def read():
        while True:
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection(address, timeout=10)
                connection.request("GET", f"/v1/inboxes/{inbox}/messages?limit=100", headers={"Authorization": f"Bearer {key}"})
                connection.getresponse().read()
                connection.close()
            time.sleep(ATTACK_PAUSE_S)

    readers = [threading.Thread(target=read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()


HTTP_ATTACKS = (_bodies, _values, _unread, _unread_changes, _idle, _streams, _keys, _reads)
SMTP_ATTACKS = (_half_contents, _slow_contents, _idle_sessions, _guesses, _fill)


def _attack(attack, *target):
    # The attackers share their cores with the neighbor's client.
    os.nice(19)
    attack(*target)


def _mail_latency(server, address):
    """Returns how long it takes to connect and deliver a mail to the neighbor, in ms. It must be stored."""
    began = time.perf_counter()
    with _Smtp(server.smtp_port, NEIGHBOR, timeout=30) as smtp:
        smtp.sendmail(load.SENDER, [address], f"From: {load.SENDER}\r\nSubject: letter\r\n\r\ntext\r\n")
    return (time.perf_counter() - began) * 1000


def _latencies(server, neighbor, seconds):
    """Sends the neighbor's requests and mails one after another, and returns the latencies of both in ms, sorted. Each must
    succeed."""
    inbox = neighbor["id"]
    connection = http.client.HTTPConnection(server.http, timeout=30)
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    letter = json.dumps({"to": "bob@remote.example", "subject": "letter", "text": "text"})
    times, mails, end = [], [], time.monotonic() + seconds
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
        mails.append(_mail_latency(server, neighbor["address"]))
        time.sleep(PAUSE_S)
    connection.close()
    return sorted(times), sorted(mails)


def _p99(times):
    return times[min(len(times) - 1, len(times) * 99 // 100)]


def _round(setting, server, attackers, neighbor):
    """Measures the neighbor quiet, then under abuse."""
    seconds = QUICK_SECONDS if setting.quick else SECONDS
    quiet, quiet_mails = _latencies(server, neighbor, seconds)
    children = [multiprocessing.Process(target=_attack, args=(attack, *target), daemon=True)
                for attack, target in attackers]
    for child in children:
        child.start()
    try:
        # The budgets are used up within seconds.
        time.sleep(2)
        with machine.PeakMemory(server.pid) as memory:
            under, under_mails = _latencies(server, neighbor, seconds)
    finally:
        for child in children:
            child.kill()
            child.join()
    return {"quiet_p99_ms": _p99(quiet), "abuse_p99_ms": _p99(under), "ratio": _p99(under) / _p99(quiet),
            "abuse_p50_ms": statistics.median(under), "mail_quiet_p99_ms": _p99(quiet_mails),
            "mail_abuse_p99_ms": _p99(under_mails), "mail_ratio": _p99(under_mails) / _p99(quiet_mails),
            "requests": len(under) + len(under_mails), "peak_mb": memory.mb}


@contextlib.contextmanager
def _own_cores():
    """Gives programs started in this context half of the cores, and the rest to the clients that are started after it."""
    cores = sorted(os.sched_getaffinity(0))
    half = len(cores) // 2
    os.sched_setaffinity(0, cores[:half] or cores)
    yield
    os.sched_setaffinity(0, cores[half:])


def run(setting):
    """Fills the abuser's inbox with large mails and measures each round on the same server."""
    cores = os.sched_getaffinity(0)
    try:
        _measure(setting)
    finally:
        os.sched_setaffinity(0, cores)


def _measure(setting):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, FILES)), hard))
    with contextlib.ExitStack() as stack:
        with _own_cores():
            server = stack.enter_context(posthouse.Posthouse(setting, "abuse", smtp=SMTP_CONFIG, more=CONFIG))
        key = _workspace(server)
        abused = server.call("POST", "/v1/inboxes", {"username": "abuser"}, key=key)
        large = f"From: {load.SENDER}\r\nSubject: large\r\n\r\n" + ("x" * 70 + "\r\n") * (MAIL_BYTES // 72)
        with _Smtp(server.smtp_port, NEIGHBOR) as smtp:
            for _ in range(2 if setting.quick else MAILS):
                smtp.sendmail(load.SENDER, [abused["address"]], large)
        neighbor = server.make_inboxes(1)[0]
        attackers = [(attack, (server.http, key, abused["id"])) for attack in HTTP_ATTACKS]
        attackers += [(attack, (server.smtp_port, abused["address"])) for attack in SMTP_ATTACKS]
        rounds = [_round(setting, server, attackers, neighbor) for _ in range(setting.rounds)]
        refused = server.refusals()
        result = {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}
        setting.add("abuse", {"case": "every budget at once", **result, "peak_mb": max(each["peak_mb"] for each in rounds),
                              "limits_reached": len(refused)})
        print("bench: refusals: " + ", ".join(f"{limit} {count}" for limit, count in sorted(refused.items())), flush=True)
