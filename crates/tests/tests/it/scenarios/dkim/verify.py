"""Verifies every DKIM signature of the message on standard input with dkimpy.

argv[1] is a JSON file of key records by name. Prints one line per signature: selector, algorithm, pass or fail.
"""

import json
import sys

import dkim

with open(sys.argv[1], encoding="utf-8") as file:
    records = json.load(file)


def look_up(name, timeout=5):
    """Returns the TXT record of a name."""
    text = records.get(name.decode().rstrip("."))
    return text and text.encode()


raw = sys.stdin.buffer.read()
count = sum(1 for name, _ in dkim.rfc822_parse(raw)[0] if name.lower() == b"dkim-signature")
for at in range(count):
    message = dkim.DKIM(raw, minkey=1024)
    try:
        passes = message.verify(idx=at, dnsfunc=look_up)
    except dkim.DKIMException as error:
        print(error, file=sys.stderr)
        passes = False
    fields = message.signature_fields
    print(fields[b"s"].decode(), fields[b"a"].decode(), "pass" if passes else "fail")
