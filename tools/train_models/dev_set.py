"""Held-out pairs as a folder of documents with questions: what the whole product is tried on while it is built.

The folder has the shape of a handbook bench (`corpus/`, `questions.jsonl`, `questions_blind.jsonl`), so that
`bench/handbook.py` indexes, asks and scores it. Passages of one file stand together in one document.

python dev_set.py --pairs DIR --lang en --out DIR
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from random import Random
from typing import Any

from rows import held_out, pairs

#: The way a question was made -> its type on the bench, and how many are asked at most.
TYPES = {
    "plain": ("plain", 45),
    "para": ("para", 100),
    "answer_edit": ("edit", 35),
    "near_miss": ("unanswerable", 48),
    "near_miss_edit": ("edit_unanswerable", 35),
    "two": ("two", 35),
    "compare": ("compare", 30),
}


def corpus(folder: Path, rows: list[dict[str, Any]]) -> dict[str, str]:
    """Write the documents; passage -> path below the folder."""
    documents: dict[str, list[tuple[str, str]]] = {}
    places: dict[str, str] = {}
    for row in rows:
        name = (
            re.sub(r"[^\w/]+", "-", f"{row.get('source') or row['set']}/{row.get('file') or row['title']}")[:120]
            + ".md"
        )
        if row["passage"] not in places:
            places[row["passage"]] = name
            documents.setdefault(name, []).append((row["title"] or "", row["passage"]))
    for name, parts in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines, last = [], None
        for title, text in parts:
            title = re.sub(r"[\n#]+", " ", title).strip()
            lines += [f"{'#' if last is None else '##'} {title}\n"] if title and title != last else []
            lines.append(text + "\n")
            last = title
        path.write_text("\n".join(lines), "utf-8")
    return places


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--lang", choices=("en", "zh"), required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    rows = [row for row in pairs(args.pairs, "written", "written_contrast") if row["lang"] == args.lang]
    two = []
    for row in pairs(args.pairs, "written_two"):
        if row["lang"] == args.lang:
            for end in ("a", "b"):
                part = {**row[end], "set": "two", "passage": row[end]["text"]}
                two.append({**row, **part, "end": end})
    places = corpus(args.out / "corpus", rows + two)
    asked = [row for row in rows if held_out(row)] + [row for row in two if row["end"] == "b"]
    Random(args.seed).shuffle(asked)
    left = {kind: most for kind, (_, most) in TYPES.items()}
    with (args.out / "questions.jsonl").open("w") as full, (args.out / "questions_blind.jsonl").open("w") as blind:
        for row in asked:
            if not left.get(row["kind"]) or (row["answerable"] and not row["answer"]):
                continue
            left[row["kind"]] -= 1
            qid = f"{row['set']}-{row['qid']}"
            made = {"qid": qid, "question": row["question"], "type": TYPES[row["kind"]][0], "lang": row["lang"],
                    "answerable": row["answerable"], "answer": row["answer"], "file": places[row["passage"]]}  # fmt: skip
            if row["kind"] in {"two", "compare"}:
                made["files"] = [places[row[end]["text"]] for end in ("a", "b")]
            full.write(json.dumps(made, ensure_ascii=False) + "\n")
            blind.write(json.dumps({"qid": qid, "question": row["question"]}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
