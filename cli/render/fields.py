"""What `--json` has of runs, hits, evaluations and repairs: plain values, every field of a shape always there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ragheal.types import Citation, FaultStep, Hit, JudgeStep, RewriteStep, SearchStep, Tokens, Trace, Verdict

from ..console import whole
from .text import one_line

if TYPE_CHECKING:
    from ragheal.evaluation.report import Report
    from ragheal.evaluation.run import Row
    from ragheal.healing.auto import Outcome
    from ragheal.healing.canary import Comparison
    from ragheal.healing.overlay import Overlay
    from ragheal.healing.repairs import Measured, Proposal
    from ragheal.healing.store import Entry


def answer(trace: Trace) -> dict[str, Any]:
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
            known = {old["chunk_id"] for old in entry["hits"]}
            entry["hits"] += [hit(new) for new in step.hits if new.chunk.id not in known]
        elif isinstance(step, JudgeStep) and step.round in found:
            found[step.round]["verdict"] = _verdict(step.verdict)
            found[step.round]["seconds"] += step.seconds
        elif isinstance(step, RewriteStep) and step.round in found:
            found[step.round] |= {"next_query": step.query.text, "why": step.why}
    for entry in found.values():
        entry["seconds"] = round(entry["seconds"], 6)
    return list(found.values())


def hit(found: Hit) -> dict[str, Any]:
    chunk = found.chunk
    return {
        "source": chunk.source,
        "chunk_id": chunk.id,
        "heading": chunk.heading,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
        "page": chunk.page or None,
        "score": found.score,
        "channels": {channel.name: {"rank": channel.rank, "score": channel.score} for channel in found.channels},
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


def difference(old: Trace, new: Trace) -> dict[str, Any]:
    """The differences as plain values; `same` is whether there are none."""
    before, after = _hits(old), _hits(new)
    gained = [after[key] for key in after if key not in before]
    lost = [before[key] for key in before if key not in after]
    verdicts = [
        {"round": n, "was": was, "now": now}
        for n in sorted({*_verdicts(old), *_verdicts(new)})
        if (was := _verdicts(old).get(n)) != (now := _verdicts(new).get(n))
    ]
    fields: dict[str, Any] = {
        "trace_id": old.id,
        "question": old.question,
        "generation": {"was": old.index_generation, "now": new.index_generation},
        "status": {"was": old.answer.status, "now": new.answer.status},
        "route": {"was": old.answer.route, "now": new.answer.route},
        "answer": {"was": old.answer.text, "now": new.answer.text},
        "hits": {"gained": gained, "lost": lost},
        "verdicts": verdicts,
    }
    alike = all(fields[name]["was"] == fields[name]["now"] for name in ("status", "route", "answer"))
    return fields | {"same": alike and not (gained or lost or verdicts)}


def _hits(trace: Trace) -> dict[str, str]:
    """Chunk id -> place of every hit of the run, in order."""
    return {
        hit.chunk.id: f"{one_line(hit.chunk.source)}:{hit.chunk.start_line}"
        for step in trace.steps
        if isinstance(step, SearchStep)
        for hit in step.hits
    }


def _verdicts(trace: Trace) -> dict[int, str]:
    found: dict[int, str] = {}
    for step in trace.steps:
        if isinstance(step, JudgeStep):
            missing = "; ".join(one_line(missing.label) for missing in step.verdict.missing)
            found[step.round] = "sufficient" if step.verdict.sufficient else f"missing {missing or 'something'}"
    return found


def evaluation(report: Report) -> dict[str, Any]:
    """A question has its own fields of the file, then ours. `ragheal.evaluation.baseline` reads it again."""
    about: dict[str, Any] = whole(report.about)
    del about["ragheal"]  # every envelope has it
    return dict(
        **about,
        seconds=report.seconds,
        asked=len(report.rows),
        stopped=report.outcome.stopped or None,
        model_reached=not report.unreached,
        ways=[
            whole(counted) | {"strategy": way.strategy, "heal": way.heal}
            for way, counted in zip(report.ways, report.tallies, strict=True)
        ],
        comparisons=whole(report.comparisons),
        baseline=whole(report.since),
        thresholds=whole(report.bars),
        passed=not report.broken and not report.unreached and not report.outcome.stopped,
        notes=list(report.notes),
        questions=_questions(report),
    )


def _questions(report: Report) -> list[dict[str, Any]]:
    changed: dict[int, str] = {}
    for compared in report.comparisons[:1]:
        changed |= {change.line: "better" for change in compared.better}
        changed |= {change.line: "worse" for change in compared.worse}
    return [
        {
            **row.line.other,
            "line": row.line.number,
            "question": row.line.question,
            "expected": {
                name: whole(getattr(row.line, name)) for name in ("answers", "sources", "answerable", "status")
            },
            "change": changed.get(row.line.number),
            "ways": {way: _asked(row, way) for way in row.asked},
        }
        for row in report.rows
    ]


def _asked(row: Row, way: str) -> dict[str, Any]:
    """The typical asking of a question, and the grades of all."""
    from ragheal.evaluation.grading import word

    typical, wanted = row.typical(way), set(row.line.sources)
    found: dict[str, Any] = whole(typical)
    del found["story"]
    return found | {
        "grade": word(typical.grade),
        "grades": [word(asked.grade) for asked in row.asked[way]],
        "unstable": row.unstable(way),
        "cites": bool(wanted & set(typical.cited)) if wanted else None,
    }


def proposals(found: Iterable[Proposal]) -> list[dict[str, Any]]:
    from ragheal.healing.repairs import said

    return [whole(p) | {"said": said(p.what), "what": _what(p), "measured": _measured(p.measured)} for p in found]


def _what(proposal: Proposal) -> dict[str, Any]:
    kind = str(proposal.what.__struct_config__.tag)
    return {"kind": kind, **whole(proposal.what)}


def _measured(measured: Measured | None) -> dict[str, Any] | None:
    if measured is None:
        return None
    fields: dict[str, Any] = whole(measured)
    return fields | {"better": len(measured.better), "worse": len(measured.worse)}


def overlay(found: Overlay | None) -> dict[str, Any] | None:
    from ragheal.healing.repairs import said

    if found is None:
        return None

    def entries(group: Any) -> list[dict[str, Any]]:
        return [{"id": entry.id, "said": said(entry.repair), **whole(entry.repair)} for entry in group]

    fields: dict[str, Any] = whole(found)
    return fields | {"repairs": entries(found.repairs), "trial": entries(found.trial)}


def comparison(compared: Comparison) -> dict[str, Any]:
    fields: dict[str, Any] = whole(compared)
    return fields | {"conclusion": compared.conclusion}


def steps(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    return [whole(entry) | {"measured": _measured(entry.measured)} for entry in entries]


def outcome(found: Outcome) -> dict[str, Any]:
    return {
        "promoted": proposals(found.promoted),
        "refused": proposals(found.refused),
        "measured": _measured(found.measured),
        "doubt": found.doubt or None,
    }
