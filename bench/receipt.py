"""Receipt: how fast mail is received, compared with Postfix delivering the same mail into maildirs.

Posthouse replies 250 when the message is stored and readable through the API, so its time ends with smtp-source; the API is then
asked for the count. Postfix replies 250 when the message is in its queue, so its time ends when the last message is in the
maildir. Rounds alternate, each on an empty store, after a short warm-up."""

import contextlib
import os
import statistics

import load
import machine
import posthouse
from postfix import DOMAIN as POSTFIX_DOMAIN, Postfix, missing

BOXES = 10
WARM_UP = 100
# (sessions, inboxes, one connection for many messages)
CASES = [(1, 1, False), (20, 1, False), (20, BOXES, False), (20, BOXES, True), (100, 1, False), (100, BOXES, False)]
COUNTS = {1: 1500, 20: 5000, 100: 5000}


def _timed(port, recipients, count, case, message, cpu_s, finished):
    """Runs the load against either server. `finished` returns when the last message was stored, or None if smtp-source waited
    for that."""
    sessions, _, reuse = case
    with machine.Foreign() as foreign:
        cpu, began = cpu_s(), load.time.monotonic()
        took, load_cpu = load.smtp_source(port, recipients, count, sessions, message, reuse)
        end = finished()
        whole = took if end is None else end - began
        cpu = cpu_s() - cpu
    return {"rate": count / whole, "accept_rate": count / took, "cpu_ms": cpu / count * 1000,
            "load_cpu_ms": load_cpu / count * 1000, "foreign_cores": foreign.cores(cpu + load_cpu)}


def of_posthouse(setting, case, count, postgres=None):
    """Runs one round on an empty store."""
    with posthouse.Posthouse(setting, "receipt", database=postgres.fresh() if postgres else "") as server:
        inboxes = server.make_inboxes(case[1])
        recipients = [inbox["address"] for inbox in inboxes]
        load.smtp_source(server.smtp_port, recipients, WARM_UP, min(case[0], 20), setting.message)
        before = machine.disk_bytes(server.data)

        def cpu_s():
            return server.cpu_s() + (machine.cpu_s(postgres.pid, tree=True) if postgres else 0)

        with machine.PeakMemory(server.pid) as memory:
            result = _timed(server.smtp_port, recipients, count, case, setting.message, cpu_s, lambda: None)
        shown = server.count(inboxes)
        if shown != WARM_UP + count:
            raise RuntimeError(f"{WARM_UP + count} messages were accepted, the API returns {shown}")
        result["rss_mb"] = memory.mb
        server.stop()
        result["disk_bytes"] = (machine.disk_bytes(server.data) - before) / count
    return result


def of_postfix(setting, case, count):
    """Runs one round with empty maildirs."""
    boxes = [f"b{number}" for number in range(case[1])]
    with Postfix(os.path.join(setting.folder, "postfix"), load.free_port(), boxes) as server:
        recipients = [f"{box}@{POSTFIX_DOMAIN}" for box in boxes]
        load.smtp_source(server.port, recipients, WARM_UP, min(case[0], 20), setting.message)
        server.wait_delivered(WARM_UP, 60)
        return _timed(server.port, recipients, count, case, setting.message, server.cpu_s,
                      lambda: server.wait_delivered(WARM_UP + count, load.RUN_S_MAX))


def median(rounds):
    """Returns the median of each value."""
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def _name(case):
    sessions, boxes, reuse = case
    return f"{sessions} session{'s'[:sessions > 1]}, {boxes} inbox{'es'[:2 * (boxes > 1)]}{', kept open' if reuse else ''}"


def run(setting):
    """Runs every case with interleaved rounds; one result per case."""
    reason = "one program only" if setting.alone else missing()
    if reason and not setting.alone:
        setting.say(f"receipt: no comparison with Postfix ({reason})")
    for case in CASES[:1] + CASES[2:3] + CASES[5:] if setting.quick else CASES:
        count = COUNTS[case[0]] // (5 if setting.quick else 1)
        ours, theirs = [], []
        with contextlib.ExitStack() as stack:
            postgres = stack.enter_context(setting.new_postgres()) if setting.postgres else None
            for _ in range(setting.rounds):
                ours.append(of_posthouse(setting, case, count, postgres))
                if not reason:
                    theirs.append(of_postfix(setting, case, count))
        result = {"case": _name(case), "sessions": case[0], "messages": count, "posthouse": median(ours), "rounds": ours}
        if theirs:
            result |= {"postfix": median(theirs), "postfix_rounds": theirs,
                       "ratio": statistics.median(a["rate"] / b["rate"] for a, b in zip(ours, theirs, strict=True))}
        setting.add("receipt", result)
