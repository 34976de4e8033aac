"""Ask held-out questions of an index of their passages and note what the judge sees, for `fit_judge.py`.

Each answerable question is asked twice: with its passage in the index, and as if it were not there (its hits taken
out). Near misses are asked with the passage that tempts. What is noted is whether the best candidate is right.

python judge_rows.py --pairs DIR --data DIR --barred DIR … --lang en --work DIR --count 400 --out FILE
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from random import Random
from typing import Any

from rows import NATURAL, READING, WRITTEN, TestSet, held_out, normal, pairs, read, reading_sets

from ragheal.answering.embedded.chain import find_chain
from ragheal.answering.embedded.judge import FEATURES, features
from ragheal.answering.embedded.reading import EvidenceReader
from ragheal.answering.pool import Pool
from ragheal.engine import Engine
from ragheal.settings import Settings
from ragheal.text.questions import analyze
from ragheal.types import Hit, Query

#: Share of the questions by kind: as users ask, and as users miss.
PER_SET = {"squadshifts_new_wiki": 0.15, "covid_qa_deepset": 0.1, "tydiqa_goldp_en": 0.4, "drcd_zh": 0.25, "cmrc2018_zh": 0.3,
           "lecoqa_zh": 0.3}  # fmt: skip


def corpus(folder: Path, rows: list[dict[str, Any]], rng: Random, distractors: int) -> dict[str, str]:
    """A file for each held-out passage and for some of the others; passage -> path below the folder."""
    kept = [row for row in rows if held_out(row)]
    others = [row for row in rows if not held_out(row)]
    rng.shuffle(others)
    places: dict[str, str] = {}
    for row in [*kept, *others]:
        if row["passage"] in places or (not held_out(row) and len(places) >= distractors):
            continue
        name = f"{row.get('source') or row['set']}/{len(places):05d}.md"
        places[row["passage"]] = name
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        title = re.sub(r"[\n#]+", " ", row["title"] or "").strip()
        path.write_text((f"# {title}\n\n" if title else "") + row["passage"] + "\n", "utf-8")
    return places


def noted(panel_of: Any, row: dict[str, Any], kind: str, gold: str, right_source: bool) -> dict[str, Any] | None:
    values = features(panel_of)
    best = panel_of.best
    if values is None or best is None:
        return None
    said = bool(gold) and normal(gold) in normal(best.sentence_text)
    return {"features": dict(zip(FEATURES, values, strict=True)), "right": int(said and right_source), "kind": kind,
            "asked": row["kind"], "set": row["set"], "lang": row["lang"], "qid": row["qid"], "p": best.p}  # fmt: skip


def chains(args: argparse.Namespace, rng: Random) -> None:
    """Questions of two steps over the passages of their sets: two rounds, then what the judge sees of the best pair."""
    barred, folder = TestSet(args.barred), args.work / "passages"
    asked: list[dict[str, Any]] = []
    for name in ("hotpotqa", "2wiki"):
        for row in read(args.data / name / "corpus.jsonl"):
            path = folder / name / (re.sub(r"\W+", "-", row["doc_id"])[:80] + ".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {row['title']}\n\n{row['text']}\n", "utf-8")
        asked += [{**row, "set": name, "kind": "two"} for row in read(args.data / name / "questions.jsonl")]
    asked = [row for row in asked if row["answers"] and not barred.holds(row["question"], "")]
    rng.shuffle(asked)
    engine = Engine(Settings(), args.work / "index")
    if not (args.work / "index").exists():
        engine.index([folder])
    doors = engine.doors()
    with args.out.open("w", encoding="utf-8") as out:
        for row in asked[: args.count]:
            question, reader = analyze(row["question"]), EvidenceReader(doors)
            pool = Pool()
            pool.add(doors.search(Query(question.text, wants="parts")), 1, question=True)
            chain = find_chain(question, reader.read(question, pool.hits()), pool.hits(), reader)
            if chain is None:
                continue
            for link in (chain.link, *chain.others)[:2]:
                text = " ".join([*link.names[:2], *link.rest])
                step = Query(text, origin="bridge", asked=question.text, after=link.led)
                pool.add(doors.search(step), 2, question=False)
            whole = reader.read(question, pool.hits())
            chain = find_chain(question, whole, pool.hits(), reader) or chain
            values, best = features(chain.panel), chain.panel.best
            if values is None or best is None:
                continue
            said = any(normal(answer) in normal(best.sentence_text) for answer in row["answers"])
            made = {"features": dict(zip(FEATURES, values, strict=True)), "right": int(said), "kind": "chain",
                    "set": row["set"], "lang": "en", "qid": row["qid"], "p": best.p,
                    "alone": whole.best.p if whole.best else 0.0}  # fmt: skip
            out.write(json.dumps(made, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--barred", type=Path, nargs="*", default=[])
    parser.add_argument("--lang", choices=("en", "zh"), required=True)
    parser.add_argument("--work", type=Path, required=True, help="the index of the passages is made here, once")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--distractors", type=int, default=2500)
    parser.add_argument("--chains", action="store_true", help="questions of two steps instead (DATA, English)")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    rng = Random(11)
    if args.chains:
        return chains(args, rng)
    rows = pairs(args.pairs, *WRITTEN, *NATURAL, *READING)
    rows += reading_sets(args.data, TestSet(args.barred))
    rows = [row for row in rows if row["lang"] == args.lang]
    folder = args.work / "passages"
    places = corpus(folder, rows, rng, args.distractors)
    engine = Engine(Settings(), args.work / "index")
    if not (args.work / "index").exists():
        engine.index([folder])
    asked = [
        row
        for row in rows
        if held_out(row) and row["passage"] in places and rng.random() < PER_SET.get(row["set"], 1.0)
    ]
    asked = [row for row in asked if not row["answerable"] or row["answer"]]
    rng.shuffle(asked)
    doors = engine.doors()
    with args.out.open("w", encoding="utf-8") as out:
        for number, row in enumerate(asked[: args.count]):
            question = analyze(row["question"])
            hits = doors.search(Query(question.text, depth=20))
            here = places[row["passage"]]
            found = [hit.chunk.source for hit in hits]
            rank = found.index(here) if here in found else -1

            def note(pool: list[Hit], kind: str, row: dict[str, Any] = row, rank: int = rank) -> None:
                made = noted(EvidenceReader(doors).read(analyze(row["question"]), pool), row, kind, row["answer"],
                             kind == "here")  # fmt: skip
                if made is not None:
                    out.write(json.dumps({**made, "rank": rank}, ensure_ascii=False) + "\n")

            if row["answerable"]:
                note(list(hits[:10]), "here")
                note([hit for hit in hits if hit.chunk.source != here][:10], "gone")
            else:
                note(list(hits[:10]), "near miss")
            if number % 50 == 0:
                print(number, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
