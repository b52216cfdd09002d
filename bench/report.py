"""The results: one Markdown table per part (as in docs/benchmarks.md), the targets, and everything as JSON."""

import json
import os
import statistics

# part -> [(column, path to the value, format)]
COLUMNS = {
    "receipt": [
        ("receipt", ("case",), "{}"), ("Posthouse /s", ("posthouse", "rate"), "{:.0f}"),
        ("Postfix in maildir /s", ("postfix", "rate"), "{:.0f}"), ("Postfix accepted /s", ("postfix", "accept_rate"), "{:.0f}"),
        ("ratio", ("ratio",), "{:.2f}"), ("Posthouse CPU ms", ("posthouse", "cpu_ms"), "{:.2f}"),
        ("Postfix CPU ms", ("postfix", "cpu_ms"), "{:.2f}"), ("Posthouse RSS MB", ("posthouse", "rss_mb"), "{:.0f}"),
        ("Posthouse disk KB", ("posthouse", "disk_kb"), "{:.1f}"),
        ("other processes' cores", ("posthouse", "foreign_cores"), "{:.1f}"),
    ],
    "sending": [
        ("sending", ("case",), "{}"), ("Posthouse /s", ("posthouse", "rate"), "{:.0f}"),
        ("Postfix /s", ("postfix", "rate"), "{:.0f}"), ("ratio", ("ratio",), "{:.2f}"),
        ("Posthouse CPU ms", ("posthouse", "cpu_ms"), "{:.2f}"), ("Postfix CPU ms", ("postfix", "cpu_ms"), "{:.2f}"),
        ("accepted by API /s", ("posthouse", "accept_rate"), "{:.0f}"), ("API p50 ms", ("posthouse", "accept_p50_ms"), "{:.1f}"),
        ("API p99 ms", ("posthouse", "accept_p99_ms"), "{:.1f}"), ("Posthouse RSS MB", ("posthouse", "rss_mb"), "{:.0f}"),
    ],
    "api": [
        ("API, 50 connections", ("case",), "{}"), ("small p50 ms", ("small", "p50_ms"), "{:.2f}"),
        ("large p50 ms", ("large", "p50_ms"), "{:.2f}"), ("growth", ("p50_growth",), "{:.2f}"),
        ("large p99 ms", ("large", "p99_ms"), "{:.2f}"), ("large /s", ("large", "rate"), "{:.0f}"),
        ("large CPU ms", ("large", "cpu_ms"), "{:.3f}"), ("CPU growth", ("cpu_growth",), "{:.2f}"),
        ("KB per response", ("large", "kb"), "{:.0f}"),
    ],
    "longpoll": [
        ("long-polls", ("case",), "{}"), ("RSS before MB", ("before_mb",), "{:.0f}"), ("RSS with MB", ("with_mb",), "{:.0f}"),
        ("RSS after MB", ("after_mb",), "{:.0f}"), ("opened in s", ("open_s",), "{:.1f}"),
        ("idle CPU %", ("idle_cpu_percent",), "{:.1f}"),
        ("woken", ("woken",), "{}"), ("250 reply ms", ("accepted_ms",), "{:.1f}"), ("first waiter ms", ("first_ms",), "{:.1f}"),
        ("last waiter ms", ("last_ms",), "{:.1f}"),
    ],
    "queue": [
        ("work queue", ("case",), "{}"), ("claim and ack /s", ("rate",), "{:.0f}"), ("CPU ms per message", ("cpu_ms",), "{:.2f}"),
        ("claim p50 ms", ("claim_p50_ms",), "{:.1f}"), ("claim p99 ms", ("claim_p99_ms",), "{:.1f}"),
    ],
    "search": [
        ("search", ("case",), "{}"), ("stored", ("stored",), "{:,}"), ("p50 ms", ("p50_ms",), "{:.1f}"), ("p99 ms", ("p99_ms",), "{:.1f}"),
        ("CPU ms", ("cpu_ms",), "{:.2f}"), ("hits", ("hits",), "{:.1f}"),
    ],
    "agents": [
        ("agents", ("case",), "{}"), ("/s", ("rate",), "{:,.0f}"), ("CPU ms", ("cpu_ms",), "{:.3f}"), ("p50 ms", ("p50_ms",), "{:.2f}"),
        ("p99 ms", ("p99_ms",), "{:.1f}"),
    ],
    "stream": [
        ("stream", ("case",), "{}"), ("RSS before MB", ("before_mb",), "{:.0f}"), ("RSS with MB", ("with_mb",), "{:.0f}"),
        ("KB per socket", ("socket_kb",), "{:.1f}"), ("opened in s", ("open_s",), "{:.1f}"),
        ("idle CPU %", ("idle_cpu_percent",), "{:.1f}"), ("first ms after 250", ("first_ms",), "{:.1f}"),
        ("median ms", ("median_ms",), "{:.1f}"), ("last ms", ("last_ms",), "{:.1f}"), ("frames /s", ("frames_s",), "{:.0f}"),
        ("CPU µs per frame", ("frame_cpu_us",), "{:.1f}"),
    ],
    "mcp": [
        ("mcp", ("case",), "{}"), ("route ms", ("route_ms",), "{:.2f}"), ("tool ms", ("tool_ms",), "{:.2f}"),
        ("more ms", ("more_ms",), "{:.2f}"), ("tokens", ("tokens",), "{:,.0f}"), ("start ms", ("start_ms",), "{:.1f}"),
        ("RSS before MB", ("before_mb",), "{:.0f}"), ("RSS with MB", ("with_mb",), "{:.0f}"),
        ("KB per stream", ("stream_kb",), "{:.1f}"), ("opened in s", ("open_s",), "{:.1f}"),
    ],
    "footprint": [
        ("footprint", ("case",), "{}"), ("first start s", ("first_start_s",), "{:.3f}"), ("start s", ("start_s",), "{:.3f}"),
        ("stop s", ("stop_s",), "{:.3f}"), ("idle MB", ("idle_mb",), "{:.0f}"), ("idle CPU %", ("idle_cpu_percent",), "{:.1f}"),
        ("under load MB", ("load_mb",), "{:.0f}"), ("after load MB", ("rest_mb",), "{:.0f}"), ("binary MB", ("binary_mb",), "{:.1f}"),
        ("CPU ms per message", ("cpu_ms",), "{:.2f}"), ("disk bytes per message", ("disk_bytes",), "{:.0f}"),
    ],
}

COLUMNS["abuse"] = [
    ("abuse", ("case",), "{}"), ("neighbor quiet p99 ms", ("quiet_p99_ms",), "{:.1f}"), ("under abuse p50 ms", ("abuse_p50_ms",), "{:.1f}"),
    ("under abuse p99 ms", ("abuse_p99_ms",), "{:.1f}"), ("ratio of p99", ("ratio",), "{:.2f}"), ("mail quiet p99 ms", ("mail_quiet_p99_ms",), "{:.1f}"),
    ("mail under abuse p99 ms", ("mail_abuse_p99_ms",), "{:.1f}"), ("ratio of p99, mail", ("mail_ratio",), "{:.2f}"),
    ("requests and mails, all successful", ("requests",), "{:.0f}"), ("limits reached", ("limits_reached",), "{:.0f}"),
    ("peak RSS MB", ("peak_mb",), "{:.0f}"),
]
COLUMNS["destinations"] = [
    ("destinations", ("case",), "{}"), ("Posthouse /s", ("posthouse", "rate"), "{:.0f}"), ("Postfix /s", ("postfix", "rate"), "{:.0f}"),
    ("ratio", ("ratio",), "{:.2f}"), ("Posthouse CPU ms", ("posthouse", "cpu_ms"), "{:.2f}"),
    ("Postfix CPU ms", ("postfix", "cpu_ms"), "{:.2f}"), ("fast domains p50 s", ("posthouse", "fast_p50_s"), "{:.1f}"),
    ("p99 s", ("posthouse", "fast_p99_s"), "{:.1f}"), ("ratio to all fast", ("fast_growth",), "{:.2f}"),
    ("Postfix p99 s", ("postfix", "fast_p99_s"), "{:.1f}"), ("Postfix missing", ("postfix", "missing"), "{}"),
    ("Posthouse RSS MB", ("posthouse", "rss_mb"), "{:.0f}"), ("other processes' cores", ("posthouse", "foreign_cores"), "{:.1f}"),
]
COLUMNS["webhooks"] = [
    ("webhooks", ("case",), "{}"), ("/s", ("rate",), "{:.0f}"), ("commit to POST p50 ms", ("p50_ms",), "{:.1f}"),
    ("p99 ms", ("p99_ms",), "{:.1f}"), ("longest ms", ("max_ms",), "{:.0f}"), ("duplicates", ("duplicates",), "{}"),
    ("CPU ms per event", ("cpu_ms",), "{:.2f}"), ("ratio to no webhooks", ("ratio",), "{:.2f}"),
    ("no webhooks /s", ("without",), "{:.0f}"), ("POSTs pending at end", ("behind",), "{:.0f}"),
    ("other processes' cores", ("foreign_cores",), "{:.1f}"),
]

# part, case prefix, description, path to the value, comparison, bound
TARGETS = [
    ("receipt", "20 sessions", "receipt, ratio to Postfix", ("ratio",), ">=", 3.0),
    ("receipt", "100 sessions", "receipt, ratio to Postfix", ("ratio",), ">=", 3.0),
    ("receipt", "1 session,", "receipt, ratio to Postfix", ("ratio",), ">=", 1.0),
    ("sending", "prefilled, relay, unsigned", "sending, ratio to Postfix", ("ratio",), ">=", 2.0),
    ("sending", "through, relay, unsigned", "sending, ratio to Postfix", ("ratio",), ">=", 2.0),
    ("sending", "prefilled, relay, signed", "sending, ratio to Postfix, which does not sign", ("ratio",), ">=", 2.0),
    ("sending", "through, relay, signed", "sending, ratio to Postfix, which does not sign", ("ratio",), ">=", 2.0),
    ("sending", "through, relay, both signed", "sending, ratio to Postfix", ("ratio",), ">=", 2.0),
    ("destinations", "all fast, unsigned", "2,000 domains, ratio to Postfix", ("ratio",), ">=", 2.0),
    ("destinations", "all fast, signed", "2,000 domains, signed, ratio to unsigned Postfix", ("ratio",), ">=", 1.0),
    ("destinations", "one in three", "2,000 domains, ratio to Postfix", ("ratio",), ">=", 2.0),
    ("destinations", "one in three", "fast domains, p99 queue time relative to an all-fast run", ("fast_growth",), "<=", 1.5),
    ("destinations", "", "2,000 domains, peak RSS MB", ("posthouse", "rss_mb"), "<", 300),
    ("api", "list, paced", "list of 25, p50 ms", ("large", "p50_ms"), "<", 2.0),
    ("api", "list, paced", "list of 25, p99 ms", ("large", "p99_ms"), "<", 10.0),
    ("api", "list, closed", "list, CPU cost in the large store relative to the small one", ("cpu_growth",), "<=", 1.3),
    ("api", "get, closed", "get, CPU cost in the large store relative to the small one", ("cpu_growth",), "<=", 1.3),
    ("longpoll", "", "10,000 long-polls, RSS MB", ("with_mb",), "<", 200),
    ("queue", "16 workers, 10", "claim and ack per second", ("rate",), ">=", 1000),
    ("search", "", "search, p50 ms", ("p50_ms",), "<", 20),
    ("agents", "signed messages", "agent messages per second", ("rate",), ">=", 2000),
    ("agents", "difference", "CPU ms of signing and storing a signature", ("cpu_ms",), "<=", 0.15),
    ("agents", "verify", "verification of a signature, p50 ms", ("p50_ms",), "<=", 2.0),
    ("agents", "public page", "page of the public directory, p99 ms", ("p99_ms",), "<=", 20),
    ("webhooks", "200 events/s, 1", "commit to POST, p50 ms", ("p50_ms",), "<", 50),
    ("webhooks", "200 events/s, 1", "commit to POST, p99 ms", ("p99_ms",), "<", 250),
    ("webhooks", "receipt", "receipt with 3 webhooks, ratio to no webhooks", ("ratio",), ">=", 0.8),
    ("stream", "", "10,000 idle streams, RSS MB", ("with_mb",), "<", 150),
    ("stream", "", "one event to 1,000 streams, ms", ("last_ms",), "<", 200),
    ("mcp", "get_message", "a tool call beyond its route, ms", ("more_ms",), "<=", 1.0),
    ("mcp", "list_messages", "a tool call beyond its route, ms", ("more_ms",), "<=", 1.0),
    ("mcp", "default tools", "tokens of the default list of tools", ("tokens",), "<=", 6000),
    ("mcp", "push", "memory of a push subscription, KB", ("stream_kb",), "<=", 15),
    ("mcp", "start", "start of a command, ms", ("start_ms",), "<=", 20),
    ("footprint", "", "idle RSS MB", ("idle_mb",), "<", 60),
    ("footprint", "", "start to ready s", ("first_start_s",), "<", 1.0),
    ("abuse", "", "neighbor's p99 under abuse relative to quiet", ("ratio",), "<=", 3.0),
    ("abuse", "", "the same for mail", ("mail_ratio",), "<=", 3.0),
    ("abuse", "", "peak RSS MB (docs/reference/limits.md, Memory)", ("peak_mb",), "<=", 2255),
]


def figure(result, path):
    """Returns the value at a path, or None if it wasn't measured."""
    for name in path:
        if name == "disk_kb" and isinstance(result, dict) and "disk_bytes" in result:
            return result["disk_bytes"] / 1000
        result = result.get(name) if isinstance(result, dict) else None
    return result


def table(part, results):
    """Returns the Markdown table of one part, without empty columns."""
    columns = [column for column in COLUMNS[part] if any(figure(result, column[1]) is not None for result in results)]
    lines = [" | ".join(name for name, _, _ in columns), " | ".join("---" if at == 0 else "---:" for at in range(len(columns)))]
    for result in results:
        values = [(figure(result, path), form) for _, path, form in columns]
        lines.append(" | ".join("" if value is None else form.format(value) for value, form in values))
    return "\n".join(f"| {line} |" for line in lines)


def comparison(part, rounds, commit):
    """Returns a table of the medians of two programs: `rounds` has the results of each round under `before` and `now`."""
    lines = [f"| {part} | number | {commit} | now | now / {commit} |", "|---|---|---:|---:|---:|"]
    for at, result in enumerate(rounds["now"][0]):
        for name, path, form in COLUMNS[part][1:]:
            sides = [[figure(each[at], path) for each in rounds[side]] for side in ("before", "now")]
            if name.startswith("other processes") or any(value is None for values in sides for value in values):
                continue
            before, now = (statistics.median(values) for values in sides)
            ratio = f"{now / before:.2f}" if before else ""
            lines.append(f"| {result['case']} | {name} | {form.format(before)} | {form.format(now)} | {ratio} |")
    return "\n".join(lines)


def targets(results):
    """Returns a table with one line per measured target: reached or missed."""
    lines = []
    for part, case, what, path, sign, bound in TARGETS:
        for result in results.get(part, []):
            value = figure(result, path)
            if value is None or not result["case"].startswith(case):
                continue
            reached = {">=": value >= bound, "<": value < bound, "<=": value <= bound}[sign]
            shown = f"{what} ({result['case']})" if case else what
            lines.append(f"| {shown} | {sign} {bound:g} | {value:.2f} | {'reached' if reached else '**missed**'} |")
    return "\n".join(["| target | bound | measured | |", "|---|---:|---:|---|", *lines]) if lines else ""


def write(folder, document):
    """Writes the JSON of this run, also as `latest.json`, and returns its path."""
    os.makedirs(folder, exist_ok=True)
    stamp = document["machine"]["date"].replace(" UTC", "").replace(" ", "T").replace(":", "")
    path = os.path.join(folder, f"{stamp}.json")
    for each in (path, os.path.join(folder, "latest.json")):
        with open(each, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    return path
