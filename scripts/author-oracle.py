#!/usr/bin/env python3
"""Compares the author that Posthouse finds with the one that Python's email package finds, on random headers.

    scripts/author-oracle.py [COUNT] [SEED]

Either may find no author. It is a disagreement if both find one and they differ, or if Posthouse finds one where Python finds
addresses of several domains. Prints each disagreement and exits with 1 if there is any.
"""

import email
import email.policy
import random
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BATCH = 20_000
# Parts of the random headers.
LINES = ["From: {v}\r\n", "From:{v}\r\n", "from : {v}\r\n", "Sender: {v}\r\n", "X: y\r\n", "Subject: {v}\r\n", " {v}\r\n",
         "\t\r\n", "no field\r\n", "\r\n", "From {v}\r\n", "From:\r\n {v}\r\n"]
PIECES = ["a@x.example", "b@y.example", "ceo@bank.example", "<a@x.example>", "<b@y.example>", "\"Lee, Ann\"", "Ann", "Lee",
          "\"", "\\", "(", ")", "(note)", ",", ";", ":", "Team:", " ", " ", "\t", "@", "<", ">", "=?utf-8?q?a=40x.example?=",
          "=?utf-8?q?J=C3=BCrgen?=", "=?utf-8?b?Y2VvQGJhbmsuZXhhbXBsZQ==?=", "\u00e9", "\r\n ", "a", ".", "\"a b\"@x.example", "\"a@b\"", "\uff20"]


# Values with one author, which both readers should find; noise is added to some of them.
NAMES = ["", "Ann Lee ", "\"Lee, Ann\" ", "\"Ann \\\"Al\\\" Lee\" ", "(note) Ann ", "=?utf-8?q?J=C3=BCrgen?= ", "J\u00fcrgen ", "Ann.Lee "]
ADDRESSES = ["<{a}>", "<{a}> (sales)", "< {a} >", "\r\n <{a}>", "<{a}>\t"]
AUTHORS = ["a@x.example", "ceo@bank.example", "a.b+c@x.example", "\"a b\"@x.example", "A@X.Example"]


def one_author(rng):
    """A From value with one author."""
    value = rng.choice(NAMES) + rng.choice(ADDRESSES).replace("{a}", rng.choice(AUTHORS))
    if rng.random() < 0.3:
        at = rng.randint(0, len(value))
        value = value[:at] + rng.choice(PIECES) + value[at:]
    return value


def message(rng):
    value = lambda: "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 7)))
    lines = [rng.choice(LINES[4:10]).replace("{v}", value()) for _ in range(rng.randint(0, 2))]
    if rng.random() < 0.6:
        lines.insert(rng.randint(0, len(lines)), "From: " + one_author(rng) + "\r\n")
    else:
        lines += [rng.choice(LINES).replace("{v}", value()) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.7:
            lines.insert(rng.randint(0, len(lines)), "From: " + value() + "\r\n")
    return "".join(lines).encode() + b"\r\nbody\r\n"


def python_author(raw):
    """Returns the address that Python finds, None if it finds none, or a list if it finds several."""
    parsed = email.message_from_bytes(raw, policy=email.policy.default)
    try:
        fields = parsed.get_all("from") or []
        found = [a.addr_spec for field in fields for a in field.addresses if a.username and a.domain]
        if any(defect for field in fields for defect in field.defects):
            return None  # Python guesses, so there is nothing to compare.
    except Exception:  # Python's parser raises on some inputs.
        return None
    if len(found) > 1:
        return found
    return found[0].lower() if found else None


def domain(address):
    return address.rsplit("@", 1)[-1].lower()


def disagree(ours, theirs):
    if not ours or theirs is None:
        return False
    if isinstance(theirs, list):
        return any(domain(one) != domain(ours) for one in theirs)
    return theirs.replace('"', "").replace("\\", "") != ours.replace('"', "").replace("\\", "")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    subprocess.run(["cargo", "build", "--locked", "--release", "--features", "oracle", "--bin", "read_author", "--manifest-path",
                    str(ROOT / "fuzz/Cargo.toml"), "--target-dir", str(ROOT / "fuzz/target")], check=True)
    bad = compared = 0
    for start in range(0, count, BATCH):
        mails = [message(rng) for _ in range(min(BATCH, count - start))]
        text = b"".join(b"%d\n%s" % (len(raw), raw) for raw in mails)
        done = subprocess.run([ROOT / "fuzz/target/release/read_author"], input=text, capture_output=True, check=True)
        for raw, ours in zip(mails, done.stdout.decode().split("\n")):
            theirs = python_author(raw)
            compared += bool(ours) and theirs is not None
            if disagree(ours, theirs):
                bad += 1
                print(f"{raw!r}: Posthouse: {ours}, Python: {theirs}")
    print(f"{count} headers, {compared} with an author in both, {bad} disagreements")
    return 1 if bad else 0


sys.exit(main())
