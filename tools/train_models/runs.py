"""What both trainings keep of a run: a log of JSON lines, and files that are written whole or not at all."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import torch


class Log:
    """`log.jsonl` of a folder; every line goes to the screen as well."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "log.jsonl").open("a", encoding="utf-8")

    def __call__(self, step: int, **values: Any) -> None:
        line = json.dumps({"at": time.strftime("%H:%M:%S"), "step": step, **values})
        print(line, flush=True)
        self._file.write(line + "\n")
        self._file.flush()


def save(path: Path, **parts: Any) -> None:
    """Write a checkpoint; a run that is killed while it does leaves the one before."""
    torch.save(parts, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def left(step: int, steps: int, began: float, deadline: float) -> float:
    """The share of a run that lies ahead, 1 to 0: by steps, or by the clock where that is less."""
    done = step / steps
    if deadline:
        done = max(done, (time.time() - began) / max(deadline - began, 1.0))
    return max(1.0 - done, 0.0)
