"""Writes `tokenizer.json`: sentencepiece's Unigram model of XLM-RoBERTa, for the tokenizers package."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from container import Container

BOS, PAD, EOS, UNK, MASK = "<s>", "<pad>", "</s>", "<unk>", "<mask>"
CONTEXT = 512
SPACE = "▁"  # how pieces write the space before a word


def normaliser_table() -> bytes:
    """The table of the rule nmt_nfkc, which is compiled into the sentencepiece library (Apache-2.0)."""
    from sentencepiece import SentencePieceNormalizer, sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto()  # type: ignore[attr-defined]  # generated at import
    model.ParseFromString(SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto())
    return bytes(model.normalizer_spec.precompiled_charsmap)


def write(source: Container, kept: Sequence[int], target: Path) -> None:
    """The tokenizer of the pieces `kept`; a piece's id is its place in that list."""
    vocabulary = [[source.pieces[i], source.scores[i]] for i in kept]
    ids = {piece: i for i, (piece, _) in enumerate(vocabulary)}
    if [ids.get(mark) for mark in (BOS, PAD, EOS, UNK, MASK)] != [0, 1, 2, 3, len(ids) - 1]:
        raise ValueError("the kept pieces must begin with <s> <pad> </s> <unk> and end with <mask>")
    metaspace = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True}
    content = {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": CONTEXT, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": "BatchLongest",
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": ids[PAD],
            "pad_type_id": 0,
            "pad_token": PAD,
        },
        "added_tokens": [_added(ids[mark], mark) for mark in (BOS, PAD, EOS, UNK, MASK)],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"String": "\u200d"}, "content": " "},
                {
                    "type": "Precompiled",
                    "precompiled_charsmap": base64.b64encode(normaliser_table()).decode(),
                },
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": metaspace,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_mark(BOS), _text("A"), _mark(EOS)],
            "pair": [_mark(BOS), _text("A"), _mark(EOS), _mark(EOS), _text("B"), _mark(EOS)],
            "special_tokens": {mark: {"id": mark, "ids": [ids[mark]], "tokens": [mark]} for mark in (BOS, EOS)},
        },
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": ids[UNK], "vocab": vocabulary, "byte_fallback": False},
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    target.write_text(text, "utf-8", newline="\n")


def _added(number: int, mark: str) -> dict[str, Any]:
    return {
        "id": number,
        "content": mark,
        "single_word": False,
        "lstrip": mark == MASK,  # a <mask> takes the space before it along
        "rstrip": False,
        "normalized": False,
        "special": True,
    }


def _mark(mark: str) -> dict[str, Any]:
    return {"SpecialToken": {"id": mark, "type_id": 0}}


def _text(which: str) -> dict[str, Any]:
    return {"Sequence": {"id": which, "type_id": 0}}
