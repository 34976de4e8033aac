"""Ask real questions of a real index and note what the judge sees: one JSON line a question.

    python -m tools.fit_judge.collect DATA WORK [--per-set 300] [--reader on|off] [--sets NAME,NAME]

DATA holds the question sets (a folder each with `corpus.jsonl` and `questions.jsonl`); WORK receives the
documents as files, their index, and `rows-on.jsonl` / `rows-off.jsonl`. Every fourth answerable question
is asked a second time with its evidence withheld: the judge must learn what "not in here" looks like.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ragheal.answering.embedded.reading import EvidenceReader, Row
from ragheal.engine import Engine
from ragheal.settings import load
from ragheal.text.questions import analyze
from ragheal.types import Hit, Query

SETS = ("squad2_en", "xquad_en", "xquad_zh", "cmrc2018", "drcd", "hotpotqa", "2wiki", "musique", "ramdocs",
        "deep_rag_gitlab")  # fmt: skip
ARTICLES = ("squad2_en", "xquad_en", "xquad_zh", "drcd")
THINNED = ("hotpotqa", "2wiki", "musique")


def plain(text: str) -> str:
    """The form in which answers are compared: width, case, punctuation and spaces do not count."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).lower())


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def write_documents(data: Path, folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The documents as Markdown files; returns document id -> source and document id -> text.

    Paragraphs of one article become one file, as people's documents are files of many paragraphs: were each
    a file of its own, its place among the hits would tell almost everything.
    """
    sources: dict[str, str] = {}
    texts: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    for name in SETS:
        needed = {d for q in lines(data / name / "questions.jsonl") for d in q["supporting_doc_ids"]}
        for number, record in enumerate(lines(data / name / "corpus.jsonl")):
            # Most documents of the multi-hop sets are distractors of one question; a quarter is enough.
            if name in THINNED and record["doc_id"] not in needed and number % 4:
                continue
            title = record.get("title") or ""
            stem = re.sub(r"[^\w-]+", "_", title if name in ARTICLES else record["doc_id"])[:120]
            # The two English sets share articles: a paragraph must not stand in the corpus twice.
            shelf = "articles_en" if name in {"squad2_en", "xquad_en"} else name
            source = f"{shelf}/{stem}.md"
            parts = files.setdefault(source, [f"# {title}"] if title else [])
            if record["text"] not in parts:
                parts.append(record["text"])
            sources[record["doc_id"]], texts[record["doc_id"]] = source, record["text"]
    for source, parts in files.items():
        path = folder / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return sources, texts


def within(text: str, evidence: list[str]) -> bool:
    """Whether a passage is part of one of the evidence texts, or holds the beginning of one."""
    own = plain(text)
    return any(own[:60] in whole or own[-60:] in whole or whole[:60] in own for whole in evidence)


def sample(
    data: Path, count: int, seed: int, sets: Sequence[str] = SETS
) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """(set, question, withheld) in a fixed order."""
    for name in sets:
        questions = list(lines(data / name / "questions.jsonl"))
        random.Random(f"{seed}{name}").shuffle(questions)
        for index, question in enumerate(questions[:count]):
            yield name, question, False
            if question.get("answerable", True) and index % 4 == 0:
                yield name, question, True


def _value(row: Row) -> str:
    value = row.sentence.value
    return row.window.chunk.text[value[0] : value[1]] if value else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--per-set", type=int, default=300)
    parser.add_argument("--reader", choices=["on", "off"], default="off")
    parser.add_argument(
        "--sets", default=",".join(SETS), help="with a trained reader: only sets it was not trained on"
    )
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    _, texts = write_documents(arguments.data, arguments.work / "documents")
    settings = load(env={}, flags={"embedded.reader": arguments.reader, "trace.save": False}).settings
    engine = Engine(settings, arguments.work / ".ragheal")
    engine.index([arguments.work / "documents"])
    doors = engine.doors()
    target = arguments.work / f"rows-{arguments.reader}.jsonl"
    with target.open("w", encoding="utf-8") as out:
        for name, record, withheld in sample(
            arguments.data, arguments.per_set, arguments.seed, arguments.sets.split(",")
        ):
            evidence = [plain(texts[d]) for d in record["supporting_doc_ids"] if d in texts]
            hits: tuple[Hit, ...] = doors.search(Query(record["question"], depth=20 if withheld else 0))
            if withheld:
                hits = tuple(hit for hit in hits if not within(hit.chunk.text, evidence))[
                    : settings.retrieval.top_k
                ]
            answerable = bool(record.get("answerable", True)) and not withheld
            wanted = [plain(answer) for answer in record["answers"] if plain(answer)] if answerable else []
            question = analyze(record["question"])
            reader = EvidenceReader(doors, settings.embedded.windows, reader=arguments.reader)
            rows = []
            for row in reader.rows(question, hits):
                quoted = row.window.chunk.text[row.sentence.start : row.sentence.end]
                sentence = plain(quoted)
                right_place = within(quoted, evidence)
                rows.append(
                    {
                        "x": [round(value, 5) for value in row.values],
                        "window": right_place and any(answer in plain(row.window.text) for answer in wanted),
                        "sentence": right_place and any(answer in sentence for answer in wanted),
                        "chunk": row.window.chunk.id,
                        "cosine": row.sentence.cosine,
                        "answers": row.reading.answers if row.reading else 0.0,
                        "value": _value(row),
                        "text": quoted,
                        "start": row.sentence.start,
                        "rank": row.window.rank,
                    }
                )
            out.write(
                json.dumps(
                    {
                        "set": name,
                        "qid": record["qid"],
                        "lang": record.get("lang", question.lang),
                        "type": record.get("type", ""),
                        "kind": question.kind,
                        "answerable": answerable,
                        "withheld": withheld,
                        "rows": rows,
                    },
                    ensure_ascii=False,
                )
                + "\n"
            )
    engine.close()


if __name__ == "__main__":
    main()
