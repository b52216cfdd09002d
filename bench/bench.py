"""Runs the chosen parts and reports the results. Called by run.sh, which prepares the machine and cleans up."""

import argparse
import os
import signal
import sys
import time

import abuse
import agents
import destinations
import fake_dns
import footprint
import load
import longpoll
import machine
import mcp
import postgres
import queue_work
import reading
import receipt
import report
import searching
import sending
import stream
import webhooks

PARTS = {"receipt": receipt, "sending": sending, "destinations": destinations, "api": reading, "longpoll": longpoll, "stream": stream,
         "mcp": mcp,
         "webhooks": webhooks, "queue": queue_work, "search": searching, "agents": agents, "footprint": footprint,
         "abuse": abuse}


class Setting:
    """What every part needs, and the results of all parts. With `alone`, other programs are not measured."""

    def __init__(self, arguments, dns, alone=False):
        self.binary, self.folder, self.dns = os.path.abspath(arguments.binary), arguments.folder, dns.address
        self.alone = alone
        self.dns_server = dns
        self.quick, self.postgres = arguments.quick, arguments.postgres
        self.rounds = arguments.rounds or (1 if arguments.quick else 3)
        self.message, self.results = load.message_file(arguments.folder), {}

    def say(self, text):
        """Prints progress to standard error."""
        print(f"bench: {text}", file=sys.stderr, flush=True)

    def add(self, part, result):
        """Adds one row to a part's table."""
        result["load_average"] = round(os.getloadavg()[0], 1)
        self.results.setdefault(part, []).append(result)
        self.say(report.table(part, [result]).splitlines()[-1])

    def new_postgres(self):
        """Creates a cluster for one case. Use it as a context manager."""
        return postgres.Postgres(self.folder)


def _arguments():
    parser = argparse.ArgumentParser(prog="bench/run.sh", description="Benchmark Posthouse alongside its peers (docs/benchmarks.md).")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} or all (the default)")
    parser.add_argument("--quick", action="store_true", help="fewer messages and one round, to check that the benchmark works")
    parser.add_argument("--postgres", action="store_true", help="run Posthouse on PostgreSQL (receipt, api, queue, search)")
    parser.add_argument("--rounds", type=int, help="rounds per case (3)")
    parser.add_argument("--against", metavar="COMMIT", help="compare with the program of another commit, in turn, and not with peers")
    parser.add_argument("--against-binary", help=argparse.SUPPRESS)
    parser.add_argument("--binary", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--folder", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--results", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS) - {"all"}
    if unknown:
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    if arguments.against and not arguments.against_binary:
        parser.error("write --against COMMIT as two words")
    chosen = list(PARTS) if not arguments.parts or "all" in arguments.parts else arguments.parts
    # The other parts support the embedded store only.
    arguments.parts = [part for part in chosen if part in ("receipt", "api", "queue", "search")] if arguments.postgres else chosen
    return arguments


def _show(document):
    """Prints the tables to standard output."""
    print("\n".join(f"{name}: {value}" for name, value in document["machine"].items()))
    for part, results in document["results"].items():
        print(f"\n{report.table(part, results)}")
    if reached := report.targets(document["results"]):
        print(f"\n{reached}")


def _compare(arguments, dns):
    """Measures two programs in turn, one round at a time. Prints a table per part."""
    rounds = arguments.rounds or (1 if arguments.quick else 3)
    binaries = {"before": arguments.against_binary, "now": arguments.binary}
    for part in arguments.parts:
        results = {name: [] for name in binaries}
        for number in range(rounds):
            # Each program goes first in every second round.
            for name in list(binaries)[::-1 if number % 2 else 1]:
                each = argparse.Namespace(**{**vars(arguments), "binary": binaries[name], "rounds": 1})
                setting = Setting(each, dns, alone=True)
                setting.say(f"{part}, round {number + 1} of {rounds}: {name}")
                PARTS[part].run(setting)
                results[name].append(setting.results[part])
        print(f"\n{report.comparison(part, results, arguments.against)}", flush=True)


def main():
    """Runs every part. A part that fails doesn't stop the others."""
    arguments = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    failed, began = [], time.monotonic()
    with fake_dns.FakeDns() as dns:
        if arguments.against:
            _compare(arguments, dns)
            return
        setting = Setting(arguments, dns)
        document = {"machine": machine.describe(setting.folder), "store": "postgres" if setting.postgres else "sqlite",
                    "quick": setting.quick, "rounds": setting.rounds, "results": setting.results}
        for part in arguments.parts:
            setting.say(f"{part} ({setting.rounds} rounds, load average {os.getloadavg()[0]:.1f})")
            try:
                PARTS[part].run(setting)
            except (RuntimeError, OSError, KeyError) as problem:
                failed.append(part)
                setting.say(f"{part} failed: {type(problem).__name__}: {problem}")
    document["took_s"] = round(time.monotonic() - began)
    _show(document)
    setting.say(f"results are in {report.write(arguments.results, document)}")
    if failed:
        sys.exit(f"bench: failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
