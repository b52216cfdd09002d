#!/usr/bin/env python3
"""terminal_picture.py BINARY OUTPUT.svg: draws the picture of the README from a real run.

Starts the binary in an empty directory, sends it a mail by SMTP, waits for the code with the API and answers. What the
commands print is drawn as SVG, with ids, keys and times replaced, so that a second run draws the same picture. The
script fails if a command does. `make pictures` runs it."""

import io
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

WIDTH = 94
START_S_MAX = 30
END = "--- end of the output ---"
CODE = "482913"
TITLE = "A terminal session with Posthouse"
# What the picture shows instead of the key, ids and times of the run.
KEY = "ph_RWZtqPRPF6ktdNxI3JKw9GMze4Vgdlr97K46tIos"
KEY_PATTERN = r"ph_[A-Za-z0-9]{40}"

# Run as they are drawn, in one shell.
COMMANDS = [
    f"AUTH='Authorization: Bearer {KEY}'",
    "API=http://127.0.0.1:8080/v1",
    """INBOX=$(curl -sH "$AUTH" $API/inboxes | jq -r .data[0].id)""",
    """curl -sH "$AUTH" "$API/inboxes/$INBOX/verification?timeout=30" >found &""",
    f"""swaks --server 127.0.0.1:2525 --from login@shop.example --to welcome@agents.localhost \\
    --header 'Subject: Your code' --body 'Your verification code is {CODE}.' --silent 3""",
    "wait $!; jq .data found",
    """curl -sH "$AUTH" --json '{"text": "Thank you."}' \\
    $API/inboxes/$INBOX/messages/$(jq -r .data.message_id found)/reply | jq -c '{status, to}'""",
]

THEME = TerminalTheme(
    (22, 27, 34), (201, 209, 217),
    [(72, 79, 88), (255, 123, 114), (126, 231, 135), (210, 153, 34), (121, 192, 255), (210, 168, 255), (86, 211, 221),
     (177, 186, 196)],
    [(110, 118, 129), (255, 161, 152), (126, 231, 135), (227, 179, 65), (165, 214, 255), (210, 168, 255), (86, 211, 221),
     (240, 246, 252)],
)

# The format of Rich with system fonts only, and the size left to the page that shows the picture.
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="TITLE">
<title>TITLE</title>
<style>
.{unique_id}-matrix {{
font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: system-ui, sans-serif; font-size: 16px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def free_port():
    """Returns a port that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Service:
    """A service in an empty directory."""

    def __init__(self, binary, folder):
        self.folder = folder
        self.ports = {8080: free_port(), 2525: free_port(), 2587: free_port()}
        self.ready, self.output = folder / "ready.json", folder / "output"
        command = [binary, "serve", "--data-dir", folder / "data", "--ready-file", self.ready]
        for option, port in zip(("--http-listen", "--smtp-listen", "--submission-listen"), self.ports.values(), strict=True):
            command += [option, f"127.0.0.1:{port}"]
        with self.output.open("w", encoding="utf-8") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, cwd=folder)

    def __enter__(self):
        began = time.monotonic()
        while not self.ready.exists():
            if self.process.poll() is not None or time.monotonic() - began > START_S_MAX:
                sys.exit("terminal_picture: the service did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def banner(self):
        """Returns what the first start prints, with the default ports."""
        text = self.output.read_text(encoding="utf-8")
        for default, port in self.ports.items():
            text = text.replace(f":{port}", f":{default}")
        return text.replace(str(self.folder / "data"), "./data")

    def run(self, commands):
        """Runs the commands in one shell, with the ports of this run. Returns the output of each."""
        script = "set -euo pipefail\n" + "".join(f"{command}\necho {END}\n" for command in commands)
        for default, port in self.ports.items():
            script = script.replace(f":{default}", f":{port}")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.folder, check=False, timeout=60)
        if done.returncode != 0:
            sys.exit(f"terminal_picture: a command failed:\n{done.stdout}{done.stderr}")
        return [output.strip("\n") for output in done.stdout.split(END + "\n")][:len(commands)]


def stable(text):
    """Replaces what differs between runs."""
    text = re.sub(KEY_PATTERN, KEY, text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "01a1fc20-9cc3-7000-a152-39766eb5ee50", text)
    return re.sub(r"20\d\d-\d\d-\d\dT[\d:.]+Z", "2026-11-23T09:00:00.000Z", text)


def draw(console, command, output):
    """Draws a command and its output, if any."""
    lines = command.splitlines()
    console.print(Text.assemble(("$ ", "bold green"), (lines[0], "bold bright_white")), no_wrap=True)
    for line in lines[1:]:
        console.print(unjoined(Text(line, style="bold bright_white")), no_wrap=True)
    if output:
        text = Text(output)
        text.highlight_regex(r'"[^"]*"', "green")
        text.highlight_regex(r'"[^"]*"(?=:)', "blue")
        text.highlight_regex(r"\bnull\b", "bright_black")
        console.print(unjoined(text), no_wrap=True)


def unjoined(text):
    """Separates the blanks at the start of each line. Some programs ignore blanks at the start of SVG text."""
    text.highlight_regex(r"(?m)^ +", "not bold dim")
    return text


def main():
    """Runs the session and draws it."""
    binary, picture = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    console = Console(record=True, width=WIDTH, file=io.StringIO(), color_system="truecolor", force_terminal=True)
    with tempfile.TemporaryDirectory() as folder, Service(binary, pathlib.Path(folder)) as service:
        banner = service.banner()
        key = re.search(KEY_PATTERN, banner).group()
        outputs = service.run([command.replace(KEY, key) for command in COMMANDS])
    if CODE not in outputs[-2]:
        sys.exit(f"terminal_picture: the code was not found:\n{outputs[-2]}")
    draw(console, "posthouse serve &", stable(banner).split("\nRead the welcome")[0].strip("\n"))
    for command, output in zip(COMMANDS, outputs, strict=True):
        if not command.startswith(("API=", "INBOX=")):
            console.print()
        draw(console, command, stable(output))
    picture.parent.mkdir(parents=True, exist_ok=True)
    svg = console.export_svg(title="posthouse", theme=THEME, code_format=SVG.replace("TITLE", TITLE), unique_id="terminal")
    picture.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
