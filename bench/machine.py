"""Facts about the machine and its processes: cores, disk, load, CPU seconds, memory. Only reads, except for the short flush probe
in the benchmark's own directory."""

import datetime
import os
import platform
import shutil
import threading
import time

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """Returns the fields of /proc/PID/stat after the command name, or None if the process ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(") ")[2].split()
    except OSError:
        return None


def descendants(pid):
    """Returns the process and its descendants."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := _stat(name)):
            parents.setdefault(int(fields[1]), []).append(int(name))
    found, queue = [], [pid]
    while queue:
        at = queue.pop()
        found.append(at)
        queue += parents.get(at, [])
    return found


def cpu_s(pid, tree=False):
    """Returns the CPU seconds used so far. With `tree`, includes all descendants: the time of children that ended is added to their
    parent's when it waits for them, so nothing is lost between two readings."""
    total = 0
    for each in descendants(pid) if tree else [pid]:
        if fields := _stat(each):
            total += sum(int(ticks) for ticks in fields[11:15 if tree else 13])
    return total / TICKS_PER_S


def rss_mb(pid, peak=False):
    """Returns the resident memory in MB (10^6 bytes), now or at its peak."""
    wanted = "VmHWM:" if peak else "VmRSS:"
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(wanted):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def busy_s():
    """Returns the CPU seconds that all processes used since boot, and the stolen seconds."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(field) for field in file.readline().split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = ticks
    return (user + nice + system + irq + softirq) / TICKS_PER_S, steal / TICKS_PER_S


def disk_bytes(path):
    """Returns the bytes that the files under `path` occupy on disk."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
            except OSError:
                pass
    return total


class Foreign:
    """The CPU used by other processes during a measurement: `with Foreign() as foreign: …; foreign.cores(own)`."""

    def __enter__(self):
        self.began, (self.busy, self.stolen) = time.monotonic(), busy_s()
        return self

    def __exit__(self, *_):
        self.wall = time.monotonic() - self.began
        busy, stolen = busy_s()
        self.busy, self.stolen = busy - self.busy, stolen - self.stolen

    def cores(self, own_cpu_s):
        """Returns the average number of cores used by other processes."""
        return max(0.0, (self.busy + self.stolen - own_cpu_s) / max(self.wall, 1e-6))


class PeakMemory:
    """The peak resident memory of a process while the block runs, sampled ten times a second."""

    def __init__(self, pid):
        self.pid, self.mb, self._end = pid, 0.0, threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self):
        while not self._end.wait(0.1):
            try:
                self.mb = max(self.mb, rss_mb(self.pid))
            except OSError:
                return

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()


def flush_ms(folder, rounds=200):
    """Returns the median time to append 4 KiB to a file and flush it: the minimum cost of a durable commit."""
    path, times = os.path.join(folder, "flush-probe"), []
    with open(path, "wb", buffering=0) as file:
        for _ in range(rounds):
            began = time.perf_counter()
            file.write(b"x" * 4096)
            os.fdatasync(file.fileno())
            times.append((time.perf_counter() - began) * 1000)
    os.unlink(path)
    return sorted(times)[rounds // 2]


def _line(path, prefix):
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(prefix):
                return line.partition(":" if ":" in line else "=")[2].strip().strip('"')
    return "unknown"


def _mount(path):
    """Returns the device and file system of a directory."""
    best = ("?", "?", "")
    with open("/proc/mounts", encoding="utf-8") as file:
        for line in file:
            device, point, kind = line.split()[:3]
            if os.path.commonpath([point, path]) == point and len(point) >= len(best[2]):
                best = (device, kind, point)
    return f"{best[1]} on {best[0]}"


def describe(folder):
    """Returns the facts about the machine for the results."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cores": os.cpu_count(),
        "cpu": _line("/proc/cpuinfo", "model name"),
        "memory_gb": round(int(_line("/proc/meminfo", "MemTotal").split()[0]) * 1024 / 1e9, 1),
        "kernel": platform.release(),
        "system": _line("/etc/os-release", "PRETTY_NAME"),
        "disk": _mount(folder),
        "disk_free_gb": round(shutil.disk_usage(folder).free / 1e9),
        "flush_ms": round(flush_ms(folder), 3),
        "load_average": [round(value, 2) for value in os.getloadavg()],
    }
