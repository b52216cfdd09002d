"""The footprint: time to start and stop, memory when idle and under load, the size of the program, and the CPU time and disk space
per message."""

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
    """Returns the seconds from the start of the program to a successful /readyz, with an empty and with an existing store, and
    the seconds to stop."""
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
    """Returns the memory when idle after the start, its peak under load, and when idle again."""
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
    """Measures everything as one row."""
    count = 1000 if setting.quick else 5000
    result = {"case": "posthouse", "binary_mb": os.path.getsize(setting.binary) / 1e6}
    result |= _starts(setting) | _memory(setting, count)
    cost = receipt.of_posthouse(setting, LOAD, count)
    result |= {"message_bytes": os.path.getsize(setting.message), "disk_bytes": cost["disk_bytes"], "cpu_ms": cost["cpu_ms"]}
    setting.add("footprint", result)
