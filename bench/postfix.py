"""A separate Postfix instance for comparison: configuration, queue and maildirs in a directory of the benchmark, loopback only,
default durability. It doesn't touch the machine's own Postfix. Needs root, because Postfix switches to other users itself.

Only addresses and directories differ from the defaults, and there are no aliases and no chroot. Without a system log, it writes
no log, which makes Postfix faster by about 10 %."""

import os
import pwd
import shutil
import subprocess
import time

import machine

OWNER = "nobody"
DOMAIN = "bench.test"
START_S_MAX = 30

MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
local unix - n n - - local
virtual unix - n n - - virtual
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
"""

MAIN = """\
compatibility_level = 3.6
queue_directory = {home}/queue
data_directory = {home}/data
myhostname = postfix.bench.test
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
virtual_mailbox_domains = {domain}
virtual_mailbox_base = {home}/mail
virtual_mailbox_maps = inline:{{ {boxes} }}
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
relayhost = {relay}
{extra}
"""


def missing():
    """Returns why Postfix can't run here, or None if it can."""
    if os.geteuid() != 0:
        return "Postfix needs root"
    if not shutil.which("postfix", path=os.environ.get("PATH", "") + ":/usr/sbin"):
        return "Postfix is not installed"
    return None


class Postfix:
    """An instance. Use it as a context manager. `mailboxes` are local parts, `relay` is where other mail goes, `more` are additional
    lines for main.cf."""

    def __init__(self, home, port, mailboxes=(), relay="", hold=False, more=""):
        self.home, self.port, self.mailboxes = home, port, list(mailboxes)
        self.config = os.path.join(home, "etc")
        owner = pwd.getpwnam(OWNER)
        extra = more + ("smtpd_client_restrictions = static:HOLD" if hold else "")
        boxes = ", ".join(f"{{ {box}@{DOMAIN} = {box}/ }}" for box in self.mailboxes) or f"{{ nobody@{DOMAIN} = nobody/ }}"
        self._write_config(MAIN.format(home=home, domain=DOMAIN, boxes=boxes, uid=owner.pw_uid, gid=owner.pw_gid,
                                       relay=relay, extra=extra))
        mail = os.path.join(home, "mail")
        os.makedirs(mail)
        os.chown(mail, owner.pw_uid, owner.pw_gid)

    def _write_config(self, main):
        os.makedirs(self.config)
        for name in ("queue", "data"):
            os.makedirs(os.path.join(self.home, name))
        shutil.chown(os.path.join(self.home, "data"), "postfix")
        with open(os.path.join(self.config, "main.cf"), "w", encoding="ascii") as file:
            file.write(main)
        with open(os.path.join(self.config, "master.cf"), "w", encoding="ascii") as file:
            file.write(MASTER.format(port=self.port))
        for name in ("dynamicmaps.cf", "postfix-files"):
            if os.path.exists(f"/etc/postfix/{name}"):
                shutil.copy(f"/etc/postfix/{name}", self.config)

    def _run(self, *command, check=True):
        path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        done = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, "PATH": path})
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")

    def __enter__(self):
        self._run("postfix", "-c", self.config, "start")
        deadline = time.monotonic() + START_S_MAX
        pid_file = os.path.join(self.home, "queue/pid/master.pid")
        while time.monotonic() < deadline:
            try:
                with open(pid_file, encoding="ascii") as file:
                    self.pid = int(file.read())
                return self
            except (OSError, ValueError):
                time.sleep(0.02)
        raise RuntimeError("Postfix did not start")

    def __exit__(self, *_):
        self._run("postfix", "-c", self.config, "abort", check=False)
        shutil.rmtree(self.home, ignore_errors=True)

    def cpu_s(self):
        """Returns the CPU seconds of the master process and its descendants."""
        return machine.cpu_s(self.pid, tree=True)

    def delivered(self):
        """Returns the number of messages in the maildirs."""
        count = 0
        for box in self.mailboxes:
            try:
                count += len(os.listdir(os.path.join(self.home, "mail", box, "new")))
            except FileNotFoundError:
                pass
        return count

    def wait_delivered(self, count, limit_s):
        """Waits until `count` messages are in the maildirs, checking every 20 ms, and returns when they were."""
        deadline = time.monotonic() + limit_s
        while self.delivered() < count:
            if time.monotonic() > deadline:
                raise RuntimeError(f"Postfix delivered {self.delivered()} of {count} in {limit_s} s")
            time.sleep(0.02)
        return time.monotonic()

    def empty_mailboxes(self):
        """Removes delivered messages; not part of any measurement."""
        for box in self.mailboxes:
            shutil.rmtree(os.path.join(self.home, "mail", box), ignore_errors=True)

    def release_held(self):
        """Turns held messages into deferred ones."""
        self._run("postsuper", "-c", self.config, "-H", "ALL")

    def flush(self):
        """Retries all deferred messages now."""
        self._run("postqueue", "-c", self.config, "-f")
