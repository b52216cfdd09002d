"""The API under wrk: a list of 25 messages and a single message, with 50 connections, on a small and a large store at the same
time, in interleaved rounds. The cost must not grow with the store.

Two kinds of load. `paced`: 50 connections that pause between requests, as clients do; measures the latency of the server.
`closed`: 50 connections that send the next request at once; on few cores this measures the queue for the CPU, and is useful for
the request rate and the CPU time per request."""

import contextlib
import os
import statistics

import load
import posthouse

SMALL, LARGE = 1000, 100_000
INBOXES = 10
CONNECTIONS = 50
SECONDS = 8
# Mean pause of a connection: about 250 requests per second in total.
THINK_MS = 200
PAGES = 5


def _fill(setting, server, count):
    """Sends `count` messages by SMTP, spread evenly over the inboxes, and checks the count through the API if that is cheap."""
    inboxes = server.make_inboxes(INBOXES)
    recipients = [inbox["address"] for inbox in inboxes]
    load.smtp_source(server.smtp_port, recipients, count, 40, setting.message, reuse=True)
    if count <= SMALL and (shown := server.count(inboxes)) != count:
        raise RuntimeError(f"{count} messages were sent, the API returns {shown}")
    # Searching completes the deferred indexing now, so that its CPU time isn't counted for the first requests.
    server.call("GET", "/v1/search?q=first")
    return inboxes


def _paths(setting, server, inboxes, label):
    """Writes files with the paths to request: pages of lists (first and later ones) and single messages."""
    lists, gets = [], []
    for inbox in inboxes:
        path = f"/v1/inboxes/{inbox['id']}/messages?limit=25&include_unscreened=true"
        cursor = ""
        for _ in range(PAGES):
            asked = path + (f"&cursor={cursor}" if cursor else "")
            page = server.call("GET", asked)
            lists.append(asked)
            gets += [f"/v1/messages/{message['id']}?include_unscreened=true" for message in page["data"]]
            cursor = page["next_cursor"]
            if not cursor:
                break
    found = {}
    for name, paths in (("list", lists), ("get", gets)):
        # Neighboring lines belong to different inboxes.
        found[name] = os.path.join(setting.folder, f"{label}-{name}")
        with open(found[name], "w", encoding="ascii") as file:
            file.writelines(f"{path}\n" for path in sorted(paths, key=lambda path: path[::-1]))
    return found


def _measure(setting, server, paths, paced):
    """Runs wrk once."""
    cpu = server.cpu_s()
    seconds = 3 if setting.quick else SECONDS
    result = load.wrk(f"http://{server.http}", server.key, CONNECTIONS, seconds, paths, think_ms=THINK_MS if paced else 0)
    requests = max(1, result["requests"])
    return {"rate": result["rate"], "p50_ms": result["p50_ms"], "p99_ms": result["p99_ms"],
            "cpu_ms": (server.cpu_s() - cpu) / requests * 1000, "kb": result["bytes"] / requests / 1000}


def _median(rounds):
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def run(setting):
    """Fills two stores and measures both alternately."""
    sizes = (SMALL, LARGE // 10 if setting.quick else LARGE)
    with contextlib.ExitStack() as stack:
        postgres = stack.enter_context(setting.new_postgres()) if setting.postgres else None
        stores = []
        for size in sizes:
            database = postgres.fresh() if postgres else ""
            server = stack.enter_context(posthouse.Posthouse(setting, f"store-{size}", database=database))
            setting.say(f"api: receiving {size} messages")
            inboxes = _fill(setting, server, size)
            stores.append((server, _paths(setting, server, inboxes, str(size))))
        for name in ("list", "get"):
            for paced in (True, False):
                rounds = ([], [])
                for _ in range(setting.rounds):
                    for (server, paths), results in zip(stores, rounds, strict=True):
                        results.append(_measure(setting, server, paths[name], paced))
                small, large = _median(rounds[0]), _median(rounds[1])
                setting.add("api", {
                    "case": f"{name}, {'paced' if paced else 'closed'}", "stored": list(sizes), "small": small, "large": large,
                    "p50_growth": statistics.median(b["p50_ms"] / a["p50_ms"] for a, b in zip(*rounds, strict=True)),
                    "cpu_growth": statistics.median(b["cpu_ms"] / a["cpu_ms"] for a, b in zip(*rounds, strict=True)),
                })
