"""A temporary PostgreSQL for runs with --postgres: Debian's programs, default durability (fsync on), loopback only."""

import glob
import os
import shutil
import subprocess

import load


def _binaries():
    """Returns the directory of the newest installed server programs."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    if not found:
        raise RuntimeError("PostgreSQL not found in /usr/lib/postgresql: install the package 'postgresql'")
    return os.path.dirname(found[-1])


class Postgres:
    """A cluster. Use it as a context manager; `fresh()` creates an empty database and returns its URL."""

    def __init__(self, folder):
        self.home, self.port, self._made = os.path.join(folder, "postgres"), load.free_port(), 0
        self._bin = _binaries()
        # PostgreSQL refuses to run as root.
        self._as = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []

    def _run(self, program, *arguments):
        subprocess.run([*self._as, os.path.join(self._bin, program), *arguments], check=True, cwd="/",
                       stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)

    def __enter__(self):
        os.makedirs(self.home)
        if self._as:
            shutil.chown(self.home, "postgres", "postgres")
        data = os.path.join(self.home, "data")
        self._run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        options = f"-p {self.port} -k {self.home} -c listen_addresses=127.0.0.1 -c max_connections=200"
        self._run("pg_ctl", "-D", data, "-l", os.path.join(self.home, "log"), "-o", options, "-w", "start")
        with open(os.path.join(data, "postmaster.pid"), encoding="ascii") as file:
            self.pid = int(file.readline())
        return self

    def __exit__(self, *_):
        self._run("pg_ctl", "-D", os.path.join(self.home, "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.home, ignore_errors=True)

    def fresh(self):
        """Creates an empty database and returns its URL."""
        self._made += 1
        name = f"bench{self._made}"
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", name)
        return f"postgres://postgres@127.0.0.1:{self.port}/{name}"
