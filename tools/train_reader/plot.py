"""Draw the reliability of the shipped reader: plot.py CALIBRATION.json OUT.svg

One panel each for "answers" and "near miss": said against was, a dot per tenth, its area the share of pairs.
No plotting library: the picture is a few lines of SVG that read well in a diff.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SIDE, MARGIN = 260, 46


def panel(title: str, fitted: dict[str, object], left: int) -> list[str]:
    def at(said: float, was: float) -> tuple[float, float]:
        return left + MARGIN + said * SIDE, MARGIN + (1 - was) * SIDE

    x0, y0 = at(0, 0)
    x1, y1 = at(1, 1)
    lines = [
        f'<rect x="{x0}" y="{y1}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#888"/>',
        f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#bbb" stroke-dasharray="4 4"/>',
        f'<text x="{x0}" y="{y1 - 12}">{title}: expected calibration error {fitted["ece_after"]:.3f}</text>',
        f'<text x="{x0 + SIDE / 2 - 60}" y="{y0 + 32}">probability said</text>',
        f'<text transform="translate({x0 - 30} {y0 - SIDE / 2 + 30}) rotate(-90)">share right</text>',
    ]
    for tick in (0.0, 0.5, 1.0):
        lines.append(f'<text x="{at(tick, 0)[0] - 8}" y="{y0 + 16}">{tick:g}</text>')
        lines.append(f'<text x="{x0 - 22}" y="{at(0, tick)[1] + 4}">{tick:g}</text>')
    for row in fitted["reliability"]:  # type: ignore[attr-defined]
        x, y = at(row["said"], row["was"])
        radius = 3 + 18 * row["share"] ** 0.5
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#2a6fb0" fill-opacity="0.45"/>')
    return lines


def main() -> None:
    fitted = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    width = 2 * (SIDE + 2 * MARGIN)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{SIDE + 2 * MARGIN}" '
        'font-family="sans-serif" font-size="12" fill="#333">',
        *panel("answers", fitted["answers"], 0),
        *panel("near miss", fitted["near_miss"], SIDE + 2 * MARGIN),
        "</svg>",
    ]
    Path(sys.argv[2]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
