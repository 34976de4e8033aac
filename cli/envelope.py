"""Values as the versioned JSON that `--json` prints.

Every field of a shape is always there, also where it holds its default: a reader need not know ours.
"""

from __future__ import annotations

from typing import Any

import msgspec

import ragheal
from ragheal.errors import RaghealError
from ragheal.types import Citation, FaultStep, Hit, JudgeStep, RewriteStep, SearchStep, Tokens, Trace, Verdict

SCHEMA_VERSION = 1


def envelope(command: str, **fields: Any) -> dict[str, Any]:
    return {"schema_version": SCHEMA_VERSION, "command": command, "ragheal": ragheal.__version__, **fields}


def error_envelope(command: str, error: RaghealError) -> dict[str, Any]:
    return envelope(command, error=error_fields(error))


def error_fields(error: RaghealError) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "message": error.message,
        "hint": error.hint or None,
        "exit_code": error.exit_code,
    }


def whole(value: Any) -> Any:
    """A value with all its fields, defaults included, as plain objects."""
    if isinstance(value, msgspec.Struct):
        return {name: whole(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {key: whole(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [whole(entry) for entry in value]
    return value


def answer_fields(trace: Trace) -> dict[str, Any]:
    """What `ask` prints of a run."""
    answer = trace.answer
    return {
        "question": answer.question,
        "status": answer.status,
        "answer": answer.text,
        "lang": answer.lang,
        "claims": whole(answer.claims),
        "citations": [_citation(citation) for citation in answer.citations],
        "route": answer.route,
        "rounds": rounds(trace),
        "evidence": whole(answer.evidence),
        "verification": whole(answer.check),
        "confidence": answer.confidence,
        "missing": list(answer.missing),
        "nearest": list(answer.nearest),
        "conflict": whole(answer.conflict),
        "degraded": list(answer.degraded),
        "healing": trace.healed,
        "hops": whole(answer.hops),
        "faults": [whole(step) for step in trace.steps if isinstance(step, FaultStep)],
        "memory": {"plan": trace.memory.id, "similarity": trace.memory.similarity} if trace.memory else None,
        "cache": whole(trace.cache),
        "overlay": trace.overlay or None,
        "canary": trace.canary,
        "asked": trace.asked or answer.question,
        "trace_id": trace.id,
        "index_generation": trace.index_generation,
        "seconds": trace.seconds,
        "tokens": _tokens(answer.tokens),
        "calls": answer.calls,
    }


def rounds(trace: Trace) -> list[dict[str, Any]]:
    """The searches of a run, one entry a round; a round that searched several queries names them all."""
    found: dict[int, dict[str, Any]] = {}
    for step in trace.steps:
        if isinstance(step, SearchStep):
            entry = found.setdefault(
                step.round,
                {
                    "n": step.round, "query": step.query.text, "queries": [], "origin": step.query.origin,
                    "hits": [], "new": 0, "verdict": None, "next_query": None, "why": None,
                    "strategy": trace.answer.route, "seconds": 0.0, "tokens": _tokens(Tokens()),
                },
            )  # fmt: skip
            entry["queries"].append(step.query.text)
            entry["new"] += step.new
            entry["seconds"] += step.seconds
            known = {hit["chunk_id"] for hit in entry["hits"]}
            entry["hits"] += [hit_fields(hit) for hit in step.hits if hit.chunk.id not in known]
        elif isinstance(step, JudgeStep) and step.round in found:
            found[step.round]["verdict"] = _verdict(step.verdict)
            found[step.round]["seconds"] += step.seconds
        elif isinstance(step, RewriteStep) and step.round in found:
            found[step.round] |= {"next_query": step.query.text, "why": step.why}
    for entry in found.values():
        entry["seconds"] = round(entry["seconds"], 6)
    return list(found.values())


def hit_fields(hit: Hit) -> dict[str, Any]:
    chunk = hit.chunk
    return {
        "source": chunk.source,
        "chunk_id": chunk.id,
        "heading": chunk.heading,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "page": chunk.page or None,
        "score": hit.score,
        "channels": {channel.name: {"rank": channel.rank, "score": channel.score} for channel in hit.channels},
    }


def _citation(citation: Citation) -> dict[str, Any]:
    fields: dict[str, Any] = whole(citation)
    return fields | {"page": citation.page or None}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    fields: dict[str, Any] = whole(verdict)
    return fields | {
        "missing": [missing.label for missing in verdict.missing],
        "missing_detail": fields["missing"],
    }


def _tokens(tokens: Tokens) -> dict[str, int]:
    return {"prompt": tokens.prompt, "completion": tokens.completion, "total": tokens.prompt + tokens.completion}
