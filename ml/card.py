"""Writes the figures of `evaluate.py` into the model card: `evaluate.py MODEL UNSEEN | card.py docs/MODEL.md`."""
import pathlib
import re
import sys

HEAD = "| Measure | Figure | Cases | Aim |\n|---|---|---|---|\n"
LINE = re.compile(r"^ *(?P<name>\S.*?) +(?P<value>[01]\.\d{3}(?: \[[\d.-]+\])?) +n = (?P<cases>\d+(?: / \d+)?) *(?P<aim>.*)$")


def table(lines):
    rows = []
    for line in lines:
        if not (found := LINE.match(line.rstrip("\n"))):
            raise SystemExit(f"no figure in this line: {line}")
        rows.append("| {name} | {value} | {cases} | {aim} |\n".format(**found.groupdict()))
    return HEAD + "".join(rows)


def main(path):
    card = pathlib.Path(path)
    before, rest = card.read_text(encoding="utf8").split(HEAD)
    after = rest[rest.index("\n\n") + 1 :]
    card.write_text(before + table(sys.stdin) + after, encoding="utf8")


if __name__ == "__main__":
    main(sys.argv[1])
