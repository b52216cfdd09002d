"""A DNS server on loopback, so that no run depends on the network. Every domain's mail exchanger is 127.0.0.1, including
that of `sink.test`, except for `dN.CLASS.test`, whose exchanger is one of the addresses in `places` for that class. No other
records (SPF, DKIM, DMARC, PTR) exist."""

import socket
import struct
import threading

TYPE_A, TYPE_SOA, TYPE_MX = 1, 6, 15
TTL_S = 3600
# A resolver caches a negative answer for the time in the zone's SOA record (RFC 2308), and not at all without one.
SOA = struct.pack("!BHHIHBBIIIII", 0, TYPE_SOA, 1, TTL_S, 22, 0, 0, 1, TTL_S, TTL_S, TTL_S, TTL_S)


def _name(labels):
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def _question(packet):
    """Returns the queried labels, the record type, and where the question ends."""
    labels, at = [], 12
    while length := packet[at]:
        labels.append(packet[at + 1:at + 1 + length])
        at += 1 + length
    return labels, struct.unpack("!H", packet[at + 1:at + 3])[0], at + 5


def _address_of(labels, places):
    """Returns the address of `mx.dN.CLASS.test`, or else 127.0.0.1."""
    of_class = places.get(labels[2].decode("ascii", "replace")) if len(labels) == 4 else None
    address = of_class[int(labels[1][1:]) % len(of_class)] if of_class and labels[1][1:].isdigit() else "127.0.0.1"
    return socket.inet_aton(address)


def answer(packet, places):
    """Returns the response to a query."""
    labels, kind, end = _question(packet)
    if labels[:1] == [b"mx"] and kind == TYPE_A:
        data = _address_of(labels, places)
    elif kind == TYPE_MX and labels[-1:] == [b"test"]:
        data = struct.pack("!H", 10) + _name([b"mx", *labels])
    else:
        data = None
    exists = data is not None or labels[-1:] == [b"test"]
    # Recursion available. NXDOMAIN for other domains, an empty answer for missing records of ours.
    flags = 0x8180 if exists else 0x8183
    head = packet[:2] + struct.pack("!HHHHH", flags, 1, 1 if data else 0, 0 if data else 1, 0) + packet[12:end]
    if data is None:
        return head + SOA
    return head + b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, TTL_S, len(data)) + data


class FakeDns:
    """A UDP server in threads. Use it as a context manager. `address` is the value for `dns.nameservers`; `places` maps each
    class of domains to its addresses."""

    def __init__(self):
        self.places, self._sockets = {}, []

    def __enter__(self):
        self.address = self.listen("127.0.0.1", 0)
        return self

    def listen(self, address, port, optional=False):
        """Also listens on this address. If `optional`, failing to bind is not an error."""
        listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._sockets.append(listening)
        try:
            listening.bind((address, port))
        except OSError:
            if optional:
                return None
            raise
        threading.Thread(target=self._serve, args=(listening,), daemon=True).start()
        return f"{address}:{listening.getsockname()[1]}"

    def _serve(self, listening):
        while True:
            try:
                packet, peer = listening.recvfrom(4096)
                listening.sendto(answer(packet, self.places), peer)
            except (IndexError, struct.error):
                continue
            except OSError:
                return

    def __exit__(self, *_):
        for listening in self._sockets:
            listening.close()
