"""The model file: a magic, then sections of a name (16 bytes), a length (4) and bytes, little-endian."""
import struct

import numpy as np

MAGIC = b"PHCATEG1"
DIMENSIONS = 256
SEGMENT_SIZE = DIMENSIONS + 48
MAIL_SIZE = 3 * DIMENSIONS + 96
HIDDEN = 64
GRAM_BITS = 19


def write(path, sections):
    with open(path, "wb") as file:
        file.write(MAGIC)
        for name, value in sections.items():
            data = value if isinstance(value, bytes) else np.ascontiguousarray(value).tobytes()
            file.write(name.encode().ljust(16) + struct.pack("<I", len(data)) + data)


def read(path):
    data, sections, at = open(path, "rb").read(), {}, len(MAGIC)
    while at < len(data):
        name = data[at : at + 16].decode().strip()
        (length,) = struct.unpack_from("<I", data, at + 16)
        sections[name] = data[at + 20 : at + 20 + length]
        at += 20 + length
    return sections


def empty_heads():
    """Heads of zeros, for a file that only computes features."""
    segment = HIDDEN * SEGMENT_SIZE + HIDDEN + (HIDDEN + SEGMENT_SIZE + 1)
    mail = HIDDEN * MAIL_SIZE + HIDDEN + 15 * (HIDDEN + MAIL_SIZE + 1)
    zeros = lambda count: np.zeros(count, "<f4")
    return {
        "segment 0": zeros(segment), "segment 1": zeros(segment), "mail 0": zeros(mail), "mail 1": zeros(mail),
        "grams": np.zeros(1 << GRAM_BITS, "i1"), "calibration": np.array([0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0], "<f4"),
    }
