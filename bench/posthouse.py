"""The measured server: `posthouse serve` of a release build with an empty store, and a small API client."""

import http.client
import json
import os
import re
import shutil
import subprocess
import time

import machine

DOMAIN = "agents.localhost"
START_S_MAX = 30
STOP_S_MAX = 15

# Limits that protect a server from its users would distort the measurements.
CONFIG = """\
data_dir = "{data}"
{database}
[http]
listen = "127.0.0.1:{http_port}"
{front}
[smtp]
listen = ["127.0.0.1:0"]
{smtp}
[submission]
listen = ["127.0.0.1:0"]
[dns]
nameservers = ["{dns}"]
[plans.team]
inboxes = "unlimited"
emails_per_month = "unlimited"
daily_sends_per_inbox = "unlimited"
daily_sends = "unlimited"
sends_per_5_minutes = "unlimited"
requests_per_minute = "unlimited"
{team}
[webhooks]
allow_private_networks = true
allow_http = true
[delivery]
{delivery}
{more}
"""

CAPTURE = 'mode = "capture"'


class Posthouse:
    """A server. Use it as a context manager. The first start creates the store in `home`, which is kept until `remove`."""

    def __init__(self, setting, name, delivery=CAPTURE, database="", smtp="", team="", more="", front=""):
        self.binary, self.home = setting.binary, os.path.join(setting.folder, name)
        self.key, self.process = None, None
        os.makedirs(self.home)
        self.data = os.path.join(self.home, "data")
        self._parts = {"data": self.data, "dns": setting.dns, "database": database, "http_port": 0, "smtp": smtp, "team": team,
                       "more": more, "front": front}
        self.deliver(delivery)

    def deliver(self, delivery):
        """Sets the `[delivery]` section for the next start."""
        database = self._parts["database"]
        text = CONFIG.format(**{**self._parts, "database": f'database_url = "{database}"' if database else ""},
                             delivery=delivery)
        with open(os.path.join(self.home, "posthouse.toml"), "w", encoding="ascii") as file:
            file.write(text)

    def start(self, roles=None):
        """Starts the server, and returns the seconds from the start of the program to the first successful /readyz."""
        ready_file = os.path.join(self.home, "ready.json")
        if os.path.exists(ready_file):
            os.unlink(ready_file)
        command = [self.binary, "serve", "--config", os.path.join(self.home, "posthouse.toml"), "--ready-file", ready_file]
        command += ["--roles", roles] if roles else []
        with open(os.path.join(self.home, "log"), "a", encoding="ascii") as log:
            began = time.monotonic()
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self.home)
        while not self._ready(ready_file):
            if self.process.poll() is not None or time.monotonic() - began > START_S_MAX:
                raise RuntimeError(f"posthouse did not start: {self.log_tail()}")
            time.sleep(0.001)
        return time.monotonic() - began

    def _ready(self, ready_file):
        try:
            with open(ready_file, encoding="utf-8") as file:
                ready = json.load(file)
            self.http, self.smtp_port = ready["http"], int((ready["smtp"] or ":0").rpartition(":")[2])
            self.key = ready.get("first_run", {}).get("api_key") or self.key
            connection = http.client.HTTPConnection(self.http, timeout=5)
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, ValueError, http.client.HTTPException):
            return False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self.remove()

    def stop(self):
        """Stops the server gracefully, and returns the seconds it took."""
        if self.process is None or self.process.poll() is not None:
            return 0.0
        began = time.monotonic()
        self.process.terminate()
        try:
            self.process.wait(STOP_S_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("posthouse did not stop within 15 s of SIGTERM") from None
        return time.monotonic() - began

    def remove(self):
        """Removes the store."""
        shutil.rmtree(self.home, ignore_errors=True)

    def log_tail(self):
        """Returns the last lines of the log."""
        with open(os.path.join(self.home, "log"), encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-10:])

    @property
    def pid(self):
        """The process id of the running server."""
        return self.process.pid

    def cpu_s(self):
        """Returns the CPU seconds used so far."""
        return machine.cpu_s(self.pid)

    def call(self, method, path, body=None, key=None):
        """Makes one API call. Raises for any status other than 2xx."""
        connection = http.client.HTTPConnection(self.http, timeout=90)
        headers = {"Authorization": f"Bearer {key or self.key}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        if response.status // 100 != 2:
            raise RuntimeError(f"{method} {path}: {response.status} {text[:500]!r}")
        return json.loads(text) if text else None

    def refusals(self):
        """Returns how often each limit refused something, by the metrics."""
        connection = http.client.HTTPConnection(self.http, timeout=90)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        lines = re.findall(r'^posthouse_limit_refusals_total\{limit="([^"]+)"\} (\d+)$', text, re.MULTILINE)
        return {limit: int(count) for limit, count in lines if int(count)}

    def make_inboxes(self, count):
        """Creates inboxes named b0, b1, … and returns their objects."""
        return [self.call("POST", "/v1/inboxes", {"username": f"b{number}"}) for number in range(count)]

    def messages(self, inbox_id, direction="inbound", most=None):
        """Returns the messages of an inbox, in pages of 100."""
        found, cursor = [], ""
        while most is None or len(found) < most:
            path = f"/v1/inboxes/{inbox_id}/messages?limit=100&direction={direction}&include_unscreened=true"
            page = self.call("GET", path + (f"&cursor={cursor}" if cursor else ""))
            found += page["data"]
            cursor = page["next_cursor"]
            if not cursor:
                break
        return found

    def count(self, inboxes, direction="inbound"):
        """Returns the number of messages that the API lists in these inboxes."""
        return sum(len(self.messages(inbox["id"], direction)) for inbox in inboxes)
