"""The work queue: claims and acknowledges all messages of an inbox, with 1 and with 16 workers. Each worker has its own
connection, claims `LIMIT` messages at a time and acknowledges each with a request. Delivering a message twice or never fails
the run. One case claims a single message at a time, so every message needs two requests."""

import http.client
import json
import threading
import time

import load
import posthouse

MESSAGES = 10_000
WORKERS = (1, 16)
LIMITS = (10, 1)


class Worker(threading.Thread):
    """Claims and acknowledges messages until none is left."""

    def __init__(self, server, inbox, limit):
        super().__init__()
        self.server, self.inbox, self.limit = server, inbox, limit
        self.connection = http.client.HTTPConnection(server.http, timeout=60)
        self.done, self.claims, self.failure = [], [], None

    def _post(self, path, body):
        headers = {"Authorization": f"Bearer {self.server.key}", "Content-Type": "application/json"}
        self.connection.request("POST", path, body=json.dumps(body), headers=headers)
        response = self.connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {text[:300]!r}")
        return text

    def run(self):
        try:
            while True:
                began = time.monotonic()
                text = self._post(f"/v1/inboxes/{self.inbox}/messages/claim", {"limit": self.limit})
                self.claims.append((time.monotonic() - began) * 1000)
                claimed = json.loads(text)["data"]
                if not claimed:
                    return
                for each in claimed:
                    self._post(f"/v1/messages/{each['message']['id']}/ack", {"lease_id": each["lease_id"]})
                    self.done.append(each["message"]["id"])
        except (OSError, RuntimeError, ValueError, http.client.HTTPException) as error:
            self.failure = error


def _drain(server, inbox, workers, limit):
    """Empties the queue with the given number of workers, and returns the rates."""
    crew = [Worker(server, inbox, limit) for _ in range(workers)]
    cpu, began = server.cpu_s(), time.monotonic()
    for worker in crew:
        worker.start()
    for worker in crew:
        worker.join()
    seconds = time.monotonic() - began
    if failures := [worker.failure for worker in crew if worker.failure]:
        raise RuntimeError(f"a worker failed: {failures[0]}")
    done = [message for worker in crew for message in worker.done]
    if len(set(done)) != len(done):
        raise RuntimeError("a message was delivered twice")
    claims = sorted(each for worker in crew for each in worker.claims)
    return {"done": len(done), "rate": len(done) / seconds, "cpu_ms": (server.cpu_s() - cpu) / max(1, len(done)) * 1000,
            "claim_p50_ms": claims[len(claims) // 2], "claim_p99_ms": claims[len(claims) * 99 // 100]}


def run(setting):
    """Fills an inbox for each case and empties it."""
    count = MESSAGES // (10 if setting.quick else 1)
    postgres = setting.new_postgres() if setting.postgres else None
    if postgres:
        postgres.__enter__()
    try:
        with posthouse.Posthouse(setting, "queue", database=postgres.fresh() if postgres else "") as server:
            cases = [(workers, limit) for limit in LIMITS for workers in WORKERS]
            for (workers, limit), inbox in zip(cases, server.make_inboxes(len(cases)), strict=True):
                server.call("POST", f"/v1/inboxes/{inbox['id']}/messages/claim", {})
                load.smtp_source(server.smtp_port, [inbox["address"]], count, 20, setting.message, reuse=True)
                time.sleep(2)
                result = _drain(server, inbox["id"], workers, limit)
                if result["done"] != count:
                    raise RuntimeError(f"{count} messages were received, {result['done']} were delivered")
                setting.add("queue", {"case": f"{workers} workers, {limit} per claim"} | result)
    finally:
        if postgres:
            postgres.__exit__(None, None, None)
