"""Scripts: which language a text is in, and one Chinese script for comparison."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

from ragheal.types import Lang

#: Han ideographs, with the iteration marks that behave like them.
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ffff々〇"
_HAN_CHAR = re.compile(f"[{HAN}]")
_LETTER_RUN = re.compile(r"[A-Za-z\u00c0-\u024f]+")


def has_han(text: str) -> bool:
    """Whether the text holds a Han ideograph."""
    return _HAN_CHAR.search(text) is not None


def lang(text: str) -> Lang:
    """The language of a text: "zh" when Han ideographs hold their own against Latin words, else "en"."""
    han = len(_HAN_CHAR.findall(text))
    if not han:
        return "en"
    return "zh" if han * 2 >= len(_LETTER_RUN.findall(text)) else "en"


@lru_cache(maxsize=1)
def _converter() -> Any:
    import opencc

    return opencc.OpenCC("t2s")


def simplified(text: str) -> str:
    """Traditional characters turned into simplified ones, one for one where the length must hold.

    The result has the length of the input, so that offsets found in one are valid in the other: where
    phrase conversion would change the length, characters are converted one by one.
    """
    if not has_han(text):
        return text
    converted: str = _converter().convert(text)
    if len(converted) == len(text):
        return converted
    return "".join(_one(char) for char in text)


@lru_cache(maxsize=20_000)
def _one(char: str) -> str:
    converted: str = _converter().convert(char) if _HAN_CHAR.match(char) else char
    return converted if len(converted) == 1 else char


def fold(text: str) -> str:
    """Case, width and accents removed ("Ｐál" -> "pal"). The length may change."""
    decomposed = unicodedata.normalize("NFKD", text)
    kept = "".join(char for char in decomposed if not unicodedata.combining(char))
    return unicodedata.normalize("NFKC", kept).lower()


_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0x2212: 0x2D, 0x00A0: 0x20,
         0x2009: 0x20, 0x202F: 0x20, 0x2010: 0x2D, 0x2011: 0x2D}  # fmt: skip


def narrow(text: str) -> str:
    """Full-width forms, odd spaces and minus signs made plain, Chinese made simplified; the length is kept."""
    return simplified(text.translate(_WIDE))
