"""The API under wrk: a list of 25 messages and one message, at 50 connections, in a small store and in a large one at
the same time, rounds interleaved. The cost must not grow with the store.

Two loads. `paced`: 50 connections that each pause between requests, as clients do; the latency is that of the service.
`closed`: 50 connections that ask again at once; on few cores this measures the queue in front of the CPU, and its use
is the request rate and the CPU per request."""

import contextlib
import os
import statistics

import load
import posthouse

SMALL, LARGE = 1000, 100_000
INBOXES = 10
CONNECTIONS = 50
SECONDS = 8
# Mean pause of a connection: about 250 requests a second in all.
THINK_MS = 200
PAGES = 5


def _fill(setting, server, count):
    """Takes in that many messages by SMTP, evenly over the inboxes, and checks the count by the API where that is cheap."""
    inboxes = server.make_inboxes(INBOXES)
    recipients = [inbox["address"] for inbox in inboxes]
    load.smtp_source(server.smtp_port, recipients, count, 40, setting.message, reuse=True)
    if count <= SMALL and (shown := server.count(inboxes)) != count:
        raise RuntimeError(f"{count} messages were taken in, the API shows {shown}")
    # What mail leaves to be done later is done now, or its CPU would be taken for that of the first requests: a search brings the
    # index up to date.
    server.call("GET", "/v1/search?q=first")
    return inboxes


def _paths(setting, server, inboxes, label):
    """Files with what to ask for: pages of lists (first and later ones), and single messages."""
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
        # Neighbours in the file belong to different inboxes.
        found[name] = os.path.join(setting.folder, f"{label}-{name}")
        with open(found[name], "w", encoding="ascii") as file:
            file.writelines(f"{path}\n" for path in sorted(paths, key=lambda path: path[::-1]))
    return found


def _measure(setting, server, paths, paced):
    """One wrk run."""
    cpu = server.cpu_s()
    seconds = 3 if setting.quick else SECONDS
    result = load.wrk(f"http://{server.http}", server.key, CONNECTIONS, seconds, paths, think_ms=THINK_MS if paced else 0)
    requests = max(1, result["requests"])
    return {"rate": result["rate"], "p50_ms": result["p50_ms"], "p99_ms": result["p99_ms"],
            "cpu_ms": (server.cpu_s() - cpu) / requests * 1000, "kb": result["bytes"] / requests / 1000}


def _median(rounds):
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def run(setting):
    """Fills two stores and measures both in turn."""
    sizes = (SMALL, LARGE // 10 if setting.quick else LARGE)
    with contextlib.ExitStack() as stack:
        postgres = stack.enter_context(setting.new_postgres()) if setting.postgres else None
        stores = []
        for size in sizes:
            database = postgres.fresh() if postgres else ""
            server = stack.enter_context(posthouse.Posthouse(setting, f"store-{size}", database=database))
            setting.say(f"api: taking in {size} messages")
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
