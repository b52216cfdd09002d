"""Agents: messages between two inboxes of a server, with and without agent messaging, in turn; the route that verifies their
signatures; and pages of the public directory with 100,000 cards, at 50 connections that pause between requests, as browsers do.

What signing costs is the difference of the server's CPU time per message. The routes have limits per minute: the verifications of
one run stay below theirs, and each request for a page comes from another client address, through a trusted proxy."""

import http.client
import json
import os
import time

import load
import posthouse

MESSAGES = 10_000
CONNECTIONS = 40
CARDS = 100_000
PAGE_CONNECTIONS = 50
PAGE_SECONDS = 10
# Mean pause of a connection between two pages: about 500 pages per second in total.
THINK_MS = 100
VERIFICATIONS = 250
PUBLIC = "[agents]\npublic_directory = true\n"
PROXY = 'trusted_proxies = ["127.0.0.0/8"]'
UNLIMITED = 'identities = "unlimited"\npublic_listings = "unlimited"'
LISTED_S_MAX = 900


def _write(setting, name, lines):
    path = os.path.join(setting.folder, name)
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)
    return path


def _messages(setting, messaging):
    """Sends messages from one inbox to others of the workspace, and returns the rates with a signature, if there is one."""
    count = MESSAGES // (10 if setting.quick else 1)
    more = "" if messaging else "[agents]\nmessaging = false\n"
    with posthouse.Posthouse(setting, f"agents-{messaging}", more=more, team=UNLIMITED) as server:
        sender, *others = server.make_inboxes(11)
        paths = _write(setting, "send", [f"/v1/inboxes/{sender['id']}/messages"])
        recipients = _write(setting, "recipients", [other["address"] for other in others])
        body = _write(setting, "message.json", [json.dumps({
            "to": "RECIPIENT", "subject": "Quote: 40 units", "text": load.prose(1_000, 1), "type": "task",
            "data": {"sku": "A-40", "quantity": 40, "options": ["blue", "boxed"]}})])
        cpu = server.cpu_s()
        result = load.wrk(f"http://{server.http}", server.key, CONNECTIONS, 600, paths, count=count, body=body, recipients=recipients)
        cpu = (server.cpu_s() - cpu) / count * 1000
        if (stored := server.count(others)) != count:
            raise RuntimeError(f"{count} messages were sent, {stored} were stored")
        copy = server.messages(others[0]["id"], most=1)[0]
        if bool(copy["agent"]) != messaging:
            raise RuntimeError(f"the copy is wrong: {copy}")
        verify = _verify(server, copy["agent"]["signature"]) if messaging else None
    return {"rate": result["rate"], "cpu_ms": cpu, "p50_ms": result["p50_ms"], "p99_ms": result["p99_ms"], "verify_p50_ms": verify}


def _verify(server, signature):
    """Verifies a signature over and over on one connection, and returns the median time in milliseconds."""
    connection = http.client.HTTPConnection(server.http, timeout=60)
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    took = []
    for _ in range(VERIFICATIONS):
        began = time.monotonic()
        connection.request("POST", "/v1/directory/verify", body=json.dumps({"signature": signature}), headers=headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        took.append((time.monotonic() - began) * 1000)
        if not answer.get("valid"):
            raise RuntimeError(f"a genuine signature isn't valid: {answer}")
    return sorted(took)[len(took) // 2]


def _pages(setting):
    """Lists cards, and measures their pages and the index."""
    count = CARDS // (50 if setting.quick else 1)
    with posthouse.Posthouse(setting, "directory", more=PUBLIC, team=UNLIMITED, front=PROXY) as server:
        setting.say(f"agents: listing {count} cards")
        names = [f"agent-{number}" for number in range(count)]
        identities, recipients = _write(setting, "identities", ["/v1/identities"]), _write(setting, "names", names)
        body = _write(setting, "card.json", [json.dumps({"username": "RECIPIENT", "card": {
            "name": "Quotes and orders", "description": load.prose(400, 2), "visibility": "public"}})])
        load.wrk(f"http://{server.http}", server.key, CONNECTIONS, 600, identities, count=count, body=body, recipients=recipients)
        deadline = time.monotonic() + LISTED_S_MAX
        while _status(server, f"/directory/{names[-1]}@{posthouse.DOMAIN}") != 200:
            if time.monotonic() > deadline:
                raise RuntimeError("the last card isn't listed")
            time.sleep(1)
        cases = {"page": [f"/directory/{name}@{posthouse.DOMAIN}" for name in names[:: max(1, count // 2_000)]],
                 "card": [f"/v1/public/agents/{name}@{posthouse.DOMAIN}" for name in names[:: max(1, count // 2_000)]],
                 "search": ["/directory?q=quotes"]}
        for name, targets in cases.items():
            paths = _write(setting, name, targets)
            cpu = server.cpu_s()
            result = load.wrk(f"http://{server.http}", server.key, PAGE_CONNECTIONS, 3 if setting.quick else PAGE_SECONDS, paths,
                              think_ms=THINK_MS, clients=True)
            setting.add("agents", {"case": f"public {name}, {count} cards", "rate": result["rate"], "p50_ms": result["p50_ms"],
                                   "cpu_ms": (server.cpu_s() - cpu) / max(1, result["requests"]) * 1000, "p99_ms": result["p99_ms"]})


def _status(server, path):
    connection = http.client.HTTPConnection(server.http, timeout=60)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status


def run(setting):
    """Measures messages in turn, then the public directory."""
    rounds = {True: [], False: []}
    for _ in range(setting.rounds):
        for messaging, results in rounds.items():
            results.append(_messages(setting, messaging))
    for messaging, results in rounds.items():
        best = max(results, key=lambda one: one["rate"])
        least = min(one["cpu_ms"] for one in results)
        setting.add("agents", {"case": "signed messages" if messaging else "without agent messaging"} | best | {"cpu_ms": least})
    signed, plain = (min(one["cpu_ms"] for one in rounds[messaging]) for messaging in (True, False))
    verified = sorted(one["verify_p50_ms"] for one in rounds[True])[len(rounds[True]) // 2]
    setting.add("agents", {"case": "difference", "cpu_ms": signed - plain})
    setting.add("agents", {"case": "verify", "p50_ms": verified})
    _pages(setting)
