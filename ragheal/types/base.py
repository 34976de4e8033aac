"""What every value shares."""

from __future__ import annotations

from typing import Literal

import msgspec

Lang = Literal["en", "zh"]
Route = Literal["direct", "standard", "multi_hop", "self_rag", "combined", "generative"]
Status = Literal["answered", "partial", "disclaimed", "conflict", "abstained", "direct"]
ROUTES: tuple[Route, ...] = ("direct", "standard", "multi_hop", "self_rag", "combined", "generative")


class Value(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of all values: frozen, comparable, cheap to write as JSON."""
