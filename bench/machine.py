"""What the machine and its processes say of themselves: cores, disk, load, CPU seconds, memory. Reads, never writes
(but for the short flush probe in the benchmark's own directory)."""

import datetime
import os
import platform
import shutil
import threading
import time

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """The fields of /proc/PID/stat after the command name, or None for a process that ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(") ")[2].split()
    except OSError:
        return None


def descendants(pid):
    """The process and all that came from it."""
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
    """CPU seconds used so far. With `tree`, those of the whole family: what ended children used is kept in their parent's
    account once it has waited for them, so nothing is lost between two readings."""
    total = 0
    for each in descendants(pid) if tree else [pid]:
        if fields := _stat(each):
            total += sum(int(ticks) for ticks in fields[11:15 if tree else 13])
    return total / TICKS_PER_S


def rss_mb(pid, peak=False):
    """Resident memory in MB (10^6 bytes), now or at its highest."""
    wanted = "VmHWM:" if peak else "VmRSS:"
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(wanted):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def busy_s():
    """CPU seconds all processes together used since boot, and the seconds that were stolen from this machine."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(field) for field in file.readline().split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = ticks
    return (user + nice + system + irq + softirq) / TICKS_PER_S, steal / TICKS_PER_S


def disk_bytes(path):
    """Bytes the files under `path` occupy on the disk."""
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_blocks * 512
            except OSError:
                pass
    return total


class Foreign:
    """How much of the machine others took while something was measured: `with Foreign() as foreign: …; foreign.cores(own)`."""

    def __enter__(self):
        self.began, (self.busy, self.stolen) = time.monotonic(), busy_s()
        return self

    def __exit__(self, *_):
        self.wall = time.monotonic() - self.began
        busy, stolen = busy_s()
        self.busy, self.stolen = busy - self.busy, stolen - self.stolen

    def cores(self, own_cpu_s):
        """Cores on average that were not ours."""
        return max(0.0, (self.busy + self.stolen - own_cpu_s) / max(self.wall, 1e-6))


class PeakMemory:
    """The highest resident memory of a process while the block ran, sampled ten times a second."""

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
    """The median time of appending 4 KiB to a file and flushing it: what a durable commit costs at least."""
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
    """Device and file system that hold a directory."""
    best = ("?", "?", "")
    with open("/proc/mounts", encoding="utf-8") as file:
        for line in file:
            device, point, kind = line.split()[:3]
            if os.path.commonpath([point, path]) == point and len(point) >= len(best[2]):
                best = (device, kind, point)
    return f"{best[1]} on {best[0]}"


def describe(folder):
    """The machine, for the head of the results."""
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
