"""One reader of several: the mean of their weights (model soups; Wortsman et al. 2022).

python average.py CHECKPOINT CHECKPOINT … --out final.pt

The checkpoints must have started from the same weights. Trained apart on different mixes of pairs they make
different mistakes, and their mean makes fewer, at the price of one.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    stored = [torch.load(path, weights_only=True) for path in args.checkpoints]
    states = [each["average"] for each in stored]
    mean = {
        key: torch.stack([state[key].float() for state in states]).mean(0)
        if value.dtype.is_floating_point
        else value
        for key, value in states[0].items()
    }
    torch.save({"average": mean, "layers": stored[0]["layers"], "step": sum(s["step"] for s in stored)}, args.out)


if __name__ == "__main__":
    main()
