#!/usr/bin/env python3
"""Instructions of `GET /v1/account` over HTTP and of the same call without HTTP, counted by valgrind: `direct_calls.py TEST_PROGRAM`.

The program is that of the black-box suite: `cargo test --release -p posthouse-tests --test it --no-run` prints its path. The test
`contracts::call_cost` makes the calls, and their number tells the cost of one. Over HTTP, the client only writes a fixed request and
reads the response. Exits with 1 if the call costs more than 60 % of the request."""

import os
import re
import subprocess
import sys
import tempfile

TEST = "contracts::call_cost::a_call_without_http_returns_what_the_request_does"
FEW, MANY = 20, 220
SHARE_MAX = 0.6


def instructions(program, requests, calls):
    """Returns the instructions of a run of the test."""
    with tempfile.TemporaryDirectory(prefix="posthouse-direct-calls.") as folder:
        profile = os.path.join(folder, "profile")
        subprocess.run(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={profile}", program, "--exact", TEST],
                       check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"POSTHOUSE_HTTP_CALLS": str(requests), "POSTHOUSE_DIRECT_CALLS": str(calls)})
        with open(profile, encoding="utf-8", errors="replace") as file:
            return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.MULTILINE)[1])


def main():
    """Measures both, and prints them."""
    if len(sys.argv) != 2:
        sys.exit("usage: direct_calls.py TEST_PROGRAM")
    program = sys.argv[1]
    base = instructions(program, FEW, FEW)
    over_http = (instructions(program, MANY, FEW) - base) / (MANY - FEW)
    direct = (instructions(program, FEW, MANY) - base) / (MANY - FEW)
    print(f"GET /v1/account: {over_http:,.0f} instructions over HTTP, {direct:,.0f} without ({direct / over_http:.0%})")
    if direct > over_http * SHARE_MAX:
        sys.exit(f"direct_calls: over {SHARE_MAX:.0%}")


if __name__ == "__main__":
    main()
