"""Near misses made of answered questions: the same passage, asked about another name, year, number or the opposite.

Nothing in the passage answers the changed question, though nearly all its words stand there: what people write
when they are told to ask what a paragraph only seems to answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

_OPPOSITES = """
largest smallest; biggest smallest; highest lowest; longest shortest; oldest newest; earliest latest; first last;
most least; more less; best worst; before after; begin end; start end; started ended; began ended; increase decrease;
increased decreased; rise fall; rose fell; higher lower; larger smaller; longer shorter; older younger; founded closed;
opened closed; won lost; win lose; winner loser; born died; birth death; father mother; son daughter; brother sister;
husband wife; king queen; male female; men women; boys girls; east west; eastern western; north south;
northern southern; left right; inside outside; internal external; support oppose; supported opposed; accept reject;
accepted rejected; allowed forbidden; allow forbid; success failure; succeeded failed; positive negative; major minor;
maximum minimum; public private; rural urban; early late; ancient modern; advantage disadvantage; strength weakness;
benefit drawback; entered left; joined left; arrive leave; bought sold; buy sell; create destroy; created destroyed;
enable disable; enabled disabled; include exclude; included excluded; always never; legal illegal; similar different
最大 最小; 最高 最低; 最早 最晚; 最长 最短; 最長 最短; 最多 最少; 最新 最旧; 第一 最后; 第一 最後; 首次 末次; 之前 之后;
之前 之後; 以前 以后; 以前 以後; 开始 结束; 開始 結束; 增加 减少; 增加 減少; 上升 下降; 成立 解散; 出生 去世; 支持 反对;
支持 反對; 成功 失败; 成功 失敗; 东部 西部; 東部 西部; 南部 北部; 父亲 母亲; 父親 母親; 儿子 女儿; 兒子 女兒; 丈夫 妻子;
进入 离开; 進入 離開; 赞成 反对; 允许 禁止; 允許 禁止; 优点 缺点; 優點 缺點; 好处 坏处; 内部 外部; 內部 外部; 古代 现代;
古代 現代; 公立 私立; 国内 国外; 國內 國外; 上游 下游; 早期 晚期; 战胜 败给; 戰勝 敗給; 获胜 落败; 買 賣; 买 卖; 男性 女性
"""
_NAME = re.compile(r"(?<![\w.])[A-Z][\w'’-]+(?: (?:of |the |de |van |von )?[A-Z][\w'’-]+)*")
_HAN = re.compile(r"[\u3400-\u9fff]")


def _table() -> dict[str, list[str]]:
    made: dict[str, list[str]] = {}
    for line in re.split(r"[;\n]+", _OPPOSITES):
        if line.split():
            a, b = line.split()
            made.setdefault(a, []).append(b)
            made.setdefault(b, []).append(a)
    return made


OPPOSITES = _table()


def names(text: str) -> list[tuple[str, str]]:
    """(name, kind) of a text: English by capitals, Chinese people, places and bodies as the segmenter tags them."""
    found = [(match.group(), "en") for match in _NAME.finditer(text) if match.start()]
    if _HAN.search(text):
        import rjieba

        found += [
            (word, tag[:2]) for word, tag in rjieba.tag(text) if len(word) > 1 and tag[:2] in {"nr", "ns", "nt"}
        ]
    return found


def swaps(question: str, heading: str, passage: str, document: str, title: str, titles: list[str],
          rng: Random) -> Iterator[str]:  # fmt: skip
    """Changed questions, in random order, each without an answer in the passage."""
    seen = f"{heading}\n{passage}"
    offers: list[tuple[str, str]] = []
    for number in re.findall(r"(?<!\d)\d{2,4}(?!\d)", question):
        if number in seen:
            step = rng.choice((-30, -11, -4, -2, -1, 1, 2, 3, 7, 10, 20))
            offers.append((number, str(max(int(number) + step, 2))))
    short = re.sub(r"[ _]?\([^)]*\)$", "", title)
    if len(short) > 1 and short.lower() in question.lower():
        same = [
            t for t in rng.sample(titles, min(40, len(titles))) if bool(_HAN.search(t)) == bool(_HAN.search(short))
        ]
        offers += [(short, other) for other in same[:1]]
    others = [entry for entry in names(document) if entry[0] not in seen and entry[0] not in question]
    for name, kind in names(question):
        alike = sorted({other for other, its in others if its == kind})
        if name in seen and alike:
            offers.append((name, rng.choice(alike)))
    words = (
        re.findall(r"[a-z]+", question) if not _HAN.search(question) else [w for w in OPPOSITES if w in question]
    )
    offers += [(word, rng.choice(OPPOSITES[word])) for word in words if word in OPPOSITES]
    rng.shuffle(offers)
    for old, new in offers:
        border = r"\b" if old.isascii() else ""
        changed = re.sub(border + re.escape(old) + border, lambda _, new=new: new, question, count=1, flags=re.I)
        if changed != question and new not in passage:
            yield changed
