"""What it takes to have it: start-up and end, memory at rest and under load, the size of the program, and what a message
costs in CPU and on the disk."""

import os
import statistics
import time

import load
import machine
import posthouse
import receipt

REST_S = 3
STARTS = 5
LOAD = (20, 10, False)


def _starts(setting):
    """Seconds from the start of the program to a good /readyz: on an empty store and on an existing one; and to end."""
    first, again, end = [], [], []
    for number in range(STARTS):
        server = posthouse.Posthouse(setting, f"start-{number}")
        try:
            first.append(server.start())
            end.append(server.stop())
            again.append(server.start())
        finally:
            server.stop()
            server.remove()
    return {"first_start_s": statistics.median(first), "first_start_max_s": max(first),
            "start_s": statistics.median(again), "stop_s": statistics.median(end)}


def _memory(setting, count):
    """At rest after the start, the highest under load, and at rest after it."""
    with posthouse.Posthouse(setting, "memory") as server:
        inboxes = server.make_inboxes(LOAD[1])
        time.sleep(REST_S)
        idle, cpu = machine.rss_mb(server.pid), server.cpu_s()
        time.sleep(REST_S)
        idle_cpu = (server.cpu_s() - cpu) / REST_S * 100
        recipients = [inbox["address"] for inbox in inboxes]
        with machine.PeakMemory(server.pid) as memory:
            load.smtp_source(server.smtp_port, recipients, count, 100, setting.message)
        time.sleep(REST_S)
        return {"idle_mb": idle, "idle_cpu_percent": idle_cpu, "load_mb": memory.mb, "rest_mb": machine.rss_mb(server.pid)}


def run(setting):
    """All of it, one row."""
    count = 1000 if setting.quick else 5000
    result = {"case": "posthouse", "binary_mb": os.path.getsize(setting.binary) / 1e6}
    result |= _starts(setting) | _memory(setting, count)
    cost = receipt.of_posthouse(setting, LOAD, count)
    result |= {"message_bytes": os.path.getsize(setting.message), "disk_bytes": cost["disk_bytes"], "cpu_ms": cost["cpu_ms"]}
    setting.add("footprint", result)
