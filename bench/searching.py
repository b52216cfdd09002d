"""Search over HTTP in a store of 100,000 messages: one client runs one query after the other, with words of different
frequencies. The messages resemble prose: about 2 KB of words from a vocabulary of 20,000 that follows Zipf's law, so that the
most common word is in nearly every message and the rarest in a few."""

import json
import http.client
import random
import smtplib
import threading
import time
import urllib.parse

import posthouse

STORED = 100_000
INBOXES = 10
SENDERS = 12
VOCABULARY = 20_000
WORDS_PER_MESSAGE = 300
QUERIES = 300


def _vocabulary():
    """Returns pronounceable words, most common first, and their cumulative weights."""
    random_source = random.Random(7)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    words = []
    seen = set()
    while len(words) < VOCABULARY:
        word = "".join(random_source.choices(syllables, k=random_source.choice((2, 3, 3, 4))))
        if word not in seen:
            seen.add(word)
            words.append(word)
    total, weights = 0.0, []
    for rank in range(VOCABULARY):
        total += 1 / (rank + 5)
        weights.append(total)
    return words, weights


def _fill(server, addresses, count, vocabulary):
    """Sends `count` messages over several sessions."""
    words, weights = vocabulary
    failures = []

    def send(share):
        source = random.Random(share)
        try:
            with smtplib.SMTP("127.0.0.1", server.smtp_port, "client.example.test") as client:
                for at in range(share, count, SENDERS):
                    body = source.choices(words, cum_weights=weights, k=WORDS_PER_MESSAGE)
                    lines = "\r\n".join(" ".join(body[i:i + 12]) for i in range(0, len(body), 12))
                    subject = " ".join(source.choices(words, cum_weights=weights, k=4))
                    to = addresses[at % len(addresses)]
                    mail = (f"From: {source.choice(words)} <{source.choice(words)}@sender.example.test>\r\nTo: {to}\r\n"
                            f"Subject: {subject}\r\nMessage-ID: <{at}@sender.example.test>\r\n\r\n{lines}\r\n")
                    client.sendmail("a@sender.example.test", [to], mail)
        except (OSError, smtplib.SMTPException) as error:
            failures.append(error)

    threads = [threading.Thread(target=send, args=(share,)) for share in range(SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise RuntimeError(f"filling failed: {failures[0]}")


def _queries(vocabulary, inboxes):
    """Returns the kinds of queries by name."""
    words, _ = vocabulary
    source = random.Random(11)
    common, middle, rare = words[:30], words[200:2_000], words[8_000:]
    pick = source.choice
    return {
        "a rare word": lambda: (pick(rare), ""),
        "a word": lambda: (pick(middle), ""),
        "a word in every second message": lambda: (pick(common), ""),
        "two words": lambda: (f"{pick(middle)} {pick(middle)}", ""),
        "a phrase": lambda: (f'"{pick(common)} {pick(common)}"', ""),
        "word, minus, from": lambda: (f"{pick(middle)} -{pick(common)} from:{pick(words)}", ""),
        "a word in one inbox": lambda: (pick(middle), f"&inbox_id={pick(inboxes)['id']}"),
    }


def _ask(server, connection, query, more):
    began = time.monotonic()
    path = f"/v1/search?q={urllib.parse.quote(query)}{more}"
    connection.request("GET", path, headers={"Authorization": f"Bearer {server.key}"})
    response = connection.getresponse()
    text = response.read()
    elapsed = (time.monotonic() - began) * 1000
    if response.status != 200:
        raise RuntimeError(f"{path}: {response.status} {text[:300]!r}")
    return elapsed, len(json.loads(text)["data"])


def run(setting):
    """Fills a store and runs the queries."""
    count = STORED // (20 if setting.quick else 1)
    postgres = setting.new_postgres() if setting.postgres else None
    if postgres:
        postgres.__enter__()
    try:
        with posthouse.Posthouse(setting, "search", database=postgres.fresh() if postgres else "") as server:
            inboxes, vocabulary = server.make_inboxes(INBOXES), _vocabulary()
            setting.say(f"search: receiving {count} messages")
            began = time.monotonic()
            _fill(server, [inbox["address"] for inbox in inboxes], count, vocabulary)
            taken = time.monotonic()
            server.call("GET", "/v1/search?q=first")
            setting.say(f"search: received in {taken - began:.0f} s, indexed after another {time.monotonic() - taken:.1f} s")
            connection = http.client.HTTPConnection(server.http, timeout=60)
            for name, make in _queries(vocabulary, inboxes).items():
                times, found = [], 0
                cpu = server.cpu_s()
                for _ in range(QUERIES // (10 if setting.quick else 1)):
                    elapsed, hits = _ask(server, connection, *make())
                    times.append(elapsed)
                    found += hits
                times.sort()
                setting.add("search", {"case": name, "stored": count, "p50_ms": times[len(times) // 2],
                                       "p99_ms": times[len(times) * 99 // 100], "hits": found / len(times),
                                       "cpu_ms": (server.cpu_s() - cpu) / len(times) * 1000})
    finally:
        if postgres:
            postgres.__exit__(None, None, None)
