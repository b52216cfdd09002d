#!/usr/bin/env python3
"""guides.py [BINARY]: runs the programs of the guides about agents, in Python and in TypeScript, and compares their output.

A block with a file name (```python buyer.py) is that file. All blocks of commands (```sh) of a page run in one bash session, and
the ```text block after one is its complete output. TypeScript is compiled with `tsc --strict`. Addresses of listeners and the API
key may differ. The service is new and empty (scripts/with-service.sh). BINARY is target/debug/posthouse by default.

`scripts/need.sh test` installs the libraries.
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("agent-to-agent", "prove-who-you-are", "sign-in-with-an-agent")
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS_MAX = 120
# Printed before each block of commands.
MARK = "=== next ==="
# A program in the background would keep the session open after a failure.
BEGIN = "exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
TSC = (
    "--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noUnusedLocals --erasableSyntaxOnly "
    "--verbatimModuleSyntax --target es2023 --lib es2023 --module nodenext --rewriteRelativeImportExtensions --types node"
).split()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def write_programs(blocks, folder, port):
    """Writes the files of all pages, and compiles those in TypeScript."""
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(ROOT / ".tools/relying-parties/node_modules")
    for _, name, text in (block for block in blocks if block[1]):
        assert not (folder / name).exists(), f"two blocks are {name}"
        (folder / name).write_text(text.replace("9000", port))
    packages = ROOT / "web/node_modules"
    compiler = [packages / ".bin/tsc", *TSC, "--typeRoots", packages / "@types", *folder.glob("*.ts")]
    if subprocess.run(compiler, cwd=folder, check=False).returncode:
        sys.exit("guides: a program in TypeScript has errors")


def run(page, blocks, folder, port):
    """Runs the commands of a page. Returns what is wrong."""
    steps = [block for block in blocks if block[0] in ("sh", "text")]
    commands = "".join(f"echo '{MARK}'\n{text}" for language, _, text in steps if language == "sh")
    commands = re.sub(r"\bph_\w{40}\b", os.environ["POSTHOUSE_KEY"], commands).replace("9000", port)
    commands = commands.replace("http://127.0.0.1:8080", os.environ["POSTHOUSE_URL"])
    # Old versions of Node don't run TypeScript.
    commands = re.sub(r"\bnode (\w+)\.ts\b", r"node \1.js", commands)
    paths = [str(ROOT / ".tools" / tool / "bin") for tool in ("python-relying-parties", "node")]
    environment = {**os.environ, "PATH": ":".join([*paths, os.environ["PATH"]])}
    session = subprocess.run(
        ["timeout", str(SECONDS_MAX), "bash", "-euo", "pipefail", "-c", BEGIN + commands],
        cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=False,
    )
    outputs = iter(session.stdout.split(MARK + "\n")[1:])
    problems = [f"{page}: the commands failed:\n{session.stdout}"] if session.returncode else []
    output = ""
    for language, _, text in steps:
        if language == "sh":
            output = next(outputs, "").replace(os.environ["POSTHOUSE_URL"], "http://127.0.0.1:8080").replace(port, "9000")
        elif output != text:
            problems.append(f"{page}: the page shows\n{text}but this was printed:\n{output}")
    return problems


def main():
    if "POSTHOUSE_TEST_SERVICE" not in os.environ:
        binary = sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/posthouse"
        os.execv(ROOT / "scripts/with-service.sh", ["with-service.sh", binary, __file__])
    pages = {page: BLOCK.findall((ROOT / f"docs/guides/{page}.md").read_text()) for page in PAGES}
    problems, port = [], free_port()
    with tempfile.TemporaryDirectory() as name:
        write_programs([block for blocks in pages.values() for block in blocks], Path(name), port)
        for page, blocks in pages.items():
            problems += run(page, blocks, Path(name), port)
    if problems:
        sys.exit("\n".join(problems))
    print(f"guides: the programs of {len(PAGES)} pages ran as written")


main()
