"""A name server on loopback, so that no run depends on the network: every domain's mail exchanger is 127.0.0.1,
`sink.test` included; everything else (SPF, DKIM, DMARC, PTR) does not exist."""

import socket
import struct
import threading

TYPE_A, TYPE_SOA, TYPE_MX = 1, 6, 15
TTL_S = 3600
# A negative answer says how long it holds by the SOA record of its zone (RFC 2308); without one nobody may keep it.
SOA = struct.pack("!BHHIHBBIIIII", 0, TYPE_SOA, 1, TTL_S, 22, 0, 0, 1, TTL_S, TTL_S, TTL_S, TTL_S)


def _name(labels):
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _question(packet):
    """The labels asked for, their type, and where the question ends."""
    labels, at = [], 12
    while length := packet[at]:
        labels.append(packet[at + 1:at + 1 + length])
        at += 1 + length
    return labels, struct.unpack("!H", packet[at + 1:at + 3])[0], at + 5


def answer(packet):
    """The answer to one query."""
    labels, kind, end = _question(packet)
    if labels[:1] == [b"mx"] and kind == TYPE_A:
        data = bytes([127, 0, 0, 1])
    elif kind == TYPE_MX and labels[-1:] == [b"test"]:
        data = struct.pack("!H", 10) + _name([b"mx", *labels])
    else:
        data = None
    exists = data is not None or labels[-1:] == [b"test"]
    # Recursion available; NXDOMAIN for what is not ours, an empty answer for what is.
    flags = 0x8180 if exists else 0x8183
    head = packet[:2] + struct.pack("!HHHHH", flags, 1, 1 if data else 0, 0 if data else 1, 0) + packet[12:end]
    if data is None:
        return head + SOA
    return head + b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, TTL_S, len(data)) + data


class FakeDns:
    """The server in a thread, by UDP. Use it as a context; `address` is for `dns.nameservers`."""

    def __enter__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def _serve(self):
        while True:
            try:
                packet, peer = self._socket.recvfrom(4096)
                self._socket.sendto(answer(packet), peer)
            except (IndexError, struct.error):
                continue
            except OSError:
                return

    def __exit__(self, *_):
        self._socket.close()
