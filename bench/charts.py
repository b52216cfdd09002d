#!/usr/bin/env python3
"""charts.py [RESULTS.json...]: draws the charts of docs/benchmarks.md from bench/published.json.

With results of runs (bench/results/*.json), their parts replace those parts in bench/published.json first. `make pictures`
draws the charts; the packages are in scripts/python/pictures.in."""

import json
import pathlib
import sys

import pygal
from pygal.style import Style

BENCH = pathlib.Path(__file__).resolve().parent
PUBLISHED = BENCH / "published.json"
PICTURES = BENCH.parent / "docs" / "pictures"

# Readable on white and on dark pages, and system fonts only.
STYLE = Style(
    background="transparent", plot_background="transparent", colors=("#1f6feb", "#6e7781"),
    foreground="#7d8590", foreground_strong="#7d8590", foreground_subtle="#7d8590",
    guide_stroke_color="#7d859040", major_guide_stroke_color="#7d859040", opacity="1", opacity_hover="1", font_family="system-ui, sans-serif", value_font_family="system-ui, sans-serif",
    label_font_size=15, major_label_font_size=15, value_font_size=14, legend_font_size=15, title_font_size=19,
    value_colors=("#ffffff", "#ffffff"))

# What the memory chart shows: (label, part, path to the value). The first case of a part counts.
MEMORY = [
    ("Idle", "footprint", ("idle_mb",)),
    ("Receiving from 100 sessions", "receipt", ("posthouse", "rss_mb")),
    ("Sending to 2,000 domains", "destinations", ("posthouse", "rss_mb")),
    ("10,000 streams, 1,000 listening", "stream", ("with_mb",)),
    ("10,000 long polls", "longpoll", ("with_mb",)),
]


def merge(published, run):
    """Replaces the parts of a run. The rounds stay in the file of the run."""
    for part, results in run["results"].items():
        if run.get("store", "sqlite") == "sqlite":
            published["results"][part] = [{name: value for name, value in result.items() if not name.endswith("rounds")}
                                          for result in results]
            published["machines"][part] = run["machine"]


def value(result, path):
    """Returns a value of a result by its path, or None."""
    for name in path:
        result = result.get(name) if isinstance(result, dict) else None
    return result


def largest(results, path):
    """Returns the largest value of a part's cases, or None."""
    return max((number for result in results if (number := value(result, path)) is not None), default=None)


def chart(title, labels, series, name):
    """Draws horizontal bars, the first label on top."""
    bars = pygal.HorizontalBar(
        style=STYLE, js=[], title=title, width=900, height=70 + 26 * len(labels) * (1 + len(series)), margin=10, spacing=12,
        print_values=True, value_formatter=lambda number: f"{number:,.0f}" if number else "",
        show_legend=len(series) > 1, legend_at_bottom=True, legend_at_bottom_columns=2, legend_box_size=13,
        show_x_guides=False, show_y_guides=False, show_x_labels=True, truncate_label=-1, disable_xml_declaration=True,
        pretty_print=True, no_prefix=True, explicit_size=False, rounded_bars=2)
    bars.x_labels = list(reversed(labels))
    for label, numbers in series:
        bars.add(label, list(reversed(numbers)))
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{name}.svg").write_text(bars.render(is_unicode=True), encoding="utf-8")


def main():
    """Merges runs, if any, and draws the three charts."""
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    for path in sys.argv[1:]:
        merge(published, json.loads(pathlib.Path(path).read_text(encoding="utf-8")))
    if sys.argv[1:]:
        PUBLISHED.write_text(json.dumps(published, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    results = published["results"]
    for part, title in (("receipt", "Receiving, messages per second"), ("sending", "Sending, messages per second")):
        cases = [result for result in results[part] if "postfix" in result]
        series = [(label, [result[side]["rate"] for result in cases]) for label, side in (("Posthouse", "posthouse"), ("Postfix", "postfix"))]
        chart(title, [result["case"] for result in cases], series, part)
    memory = [(label, largest(results[part], path)) for label, part, path in MEMORY]
    chart("Resident memory, MB", [label for label, _ in memory], [("Posthouse", [number for _, number in memory])], "memory")


if __name__ == "__main__":
    main()
