"""Write SHA256SUMS beside files, as the product reads it: `digest  name`, a line for each file.

python sums.py FOLDER NAME …    (without names: those there are of model.onnx, tokenizer.json, calibration.json)
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

USUAL = ("model.onnx", "tokenizer.json", "calibration.json")


def write_sums(folder: Path, names: Sequence[str] = ()) -> str:
    """Write the file and return its text; a file that is named and missing raises FileNotFoundError."""
    chosen = list(names) or [name for name in USUAL if (folder / name).exists()]
    text = "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in chosen)
    (folder / "SHA256SUMS").write_text(text, "utf-8", newline="\n")
    return text


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    print(write_sums(Path(sys.argv[1]), sys.argv[2:]), end="")
