"""A DKIM signer for the benchmark's Postfix: Debian's OpenDKIM as a milter on loopback, RSA-2048, relaxed/relaxed, as operators
configure it. It signs when Postfix accepts a message, so a prefilled queue is already signed."""

import os
import pwd
import shutil
import subprocess

import load
import machine

OWNER = "nobody"
SELECTOR = "bench"
PATH = load.PATH

CONFIG = """\
Mode s
Domain {domain}
Selector {selector}
KeyFile {key}
Canonicalization relaxed/relaxed
Socket inet:{port}@127.0.0.1
PidFile {folder}/pid
UserID {owner}
Syslog no
Background no
InternalHosts 127.0.0.1
RequireSafeKeys no
SignatureAlgorithm rsa-sha256
"""


def missing():
    """Returns why OpenDKIM can't run here, or None if it can."""
    for name in ("opendkim", "openssl"):
        if not shutil.which(name, path=PATH):
            return f"{name} is not installed"
    return None


class OpenDkim:
    """A signer for the domain of the load's sender. Use it as a context manager; `setting` goes into Postfix's main.cf."""

    def __init__(self, folder):
        self.folder, self.port = folder, load.free_port()
        self.setting = (f"smtpd_milters = inet:127.0.0.1:{self.port}\n"
                        "milter_default_action = tempfail\n")

    def __enter__(self):
        os.makedirs(self.folder)
        key = os.path.join(self.folder, "key.pem")
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        owner = pwd.getpwnam(OWNER)
        for path in (self.folder, key):
            os.chown(path, owner.pw_uid, owner.pw_gid)
        config = os.path.join(self.folder, "opendkim.conf")
        with open(config, "w", encoding="ascii") as file:
            file.write(CONFIG.format(domain=load.SENDER.partition("@")[2], selector=SELECTOR, key=key, port=self.port,
                                     folder=self.folder, owner=OWNER))
        self.process = subprocess.Popen(["opendkim", "-f", "-x", config], env={**os.environ, "PATH": PATH},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        load.wait_for_port(self.port)
        return self

    def cpu_s(self):
        """Returns the CPU seconds used so far."""
        return machine.cpu_s(self.process.pid, tree=True)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
