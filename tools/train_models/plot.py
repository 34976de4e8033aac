"""The judge's calibration as a picture: what it said against what was right, for each language.

python plot.py --judge ../../ragheal/answering/embedded/judge.json --out ../../docs/calibration.svg
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

SIZE, LEFT, TOP, GAP = 260, 50, 40, 70
NAMES = {"en": "English", "zh": "Chinese"}


def panel(lang: str, made: dict[str, Any], left: int) -> list[str]:
    """One square: the diagonal, a dot for each tenth (its area by rows), a dashed line at the threshold."""

    def x(value: float) -> float:
        return round(left + value * SIZE, 1)

    def y(value: float) -> float:
        return round(TOP + (1 - value) * SIZE, 1)

    bar = made["thresholds"]["sufficient"]
    lines = [
        f'<rect x="{left}" y="{TOP}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#888"/>',
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" stroke="#888"/>',
        f'<line x1="{x(bar)}" y1="{y(0)}" x2="{x(bar)}" y2="{y(1)}" stroke="#c60" stroke-dasharray="5 4"/>',
        f'<text x="{x(0.5)}" y="{TOP - 14}" text-anchor="middle">{NAMES[lang]}</text>',
        f'<text x="{x(0.5)}" y="{TOP + SIZE + 34}" text-anchor="middle">confidence</text>',
    ]
    for tick in (0, 0.5, 1):
        lines.append(f'<text x="{x(tick)}" y="{TOP + SIZE + 16}" text-anchor="middle">{tick:g}</text>')
        lines.append(f'<text x="{left - 8}" y="{y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    most = max(part["rows"] for part in made["calibration"])
    for part in made["calibration"]:
        radius = round(3 + 7 * (part["rows"] / most) ** 0.5, 1)
        lines.append(
            f'<circle cx="{x(part["said"])}" cy="{y(part["was"])}" r="{radius}" fill="#28c" opacity="0.8"/>'
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    judge = json.loads(args.judge.read_text("utf-8"))
    width, height = LEFT + len(judge) * (SIZE + GAP), TOP + SIZE + 50
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        ' font-size="13" fill="#888">',
        "<title>The judge's confidence against the share that was right, on held-out questions</title>",
    ]
    for place, (lang, made) in enumerate(sorted(judge.items())):
        lines += panel(lang, made, LEFT + place * (SIZE + GAP))
    args.out.write_text("\n".join([*lines, "</svg>", ""]), "utf-8")


if __name__ == "__main__":
    main()
