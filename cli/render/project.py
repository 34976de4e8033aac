"""The index, the settings, the installation: what `index`, `status`, `config` and `doctor` print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ..console import Page
from .layout import Cell, Row, listing, paragraph, rows
from .text import one_line, pad, plural, size, some

if TYPE_CHECKING:
    from ragheal.checkup import Finding
    from ragheal.indexing.report import Report

_LISTED = 20  # lines of a group in the summary of `index`; --json names all files
_NAMED = 3  # of more files than that with the same reason
_CHANGED = 10  # files named of a group in `status`
_SIGNS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "bad": ("✗", "red")}


def summary(page: Page, report: Report) -> str:
    """One line with every count, then the files behind the bad ones."""
    groups = ("added", "changed", "renamed", "deleted")
    counts = [f"{getattr(report, name).count:,} {name}" for name in groups if getattr(report, name).count]
    bad = {name: entries for name in ("skipped", "failed") if (entries := getattr(report, name))}
    counts += [f"{report.unchanged:,} unchanged"] if report.unchanged else []
    counts += [f"{len(entries):,} {name}" for name, entries in bad.items()]
    total = f"{plural(report.documents, 'document')}, {plural(report.chunks, 'chunk')}"
    head = f"{' · '.join(counts) or 'nothing to index'} — {total} in {report.seconds:.1f} s"
    lines: list[str] = []
    for name, entries in bad.items():
        said = [f"{name} {entry}" for entry in _by_reason(entries)]
        lines += some(said, _LISTED, f"… and {{:,}} more {name} (--json names all)")
    for name in ("warnings", "notes"):
        told = [f"{name[:-1]}: {one_line(entry)}" for entry in getattr(report, name)]
        lines += some(told, _LISTED, f"… and {{:,}} more {name}")
    return page.render(paragraph(Text(head)), *(Row("", line, cells=2) for line in lines))


def _by_reason(bad: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A line for each file; one for all to which the same happened when they would drown the others."""
    reasons: dict[str, list[str]] = {}
    for source, reason in bad:
        reasons.setdefault(one_line(reason), []).append(one_line(source))
    for reason, sources in reasons.items():
        if len(sources) > _LISTED:
            yield f"{len(sources):,} files: {reason} ({', '.join(sources[:_NAMED])}, …)"
        else:
            yield from (f"{source}: {reason}" for source in sources)


def status(page: Page, fields: Mapping[str, Any]) -> str:
    """What is indexed, and what has changed since."""
    return rows(page, _status(fields), cells=11)


def _status(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in fields["kinds"].items())
    yield "index", f"{fields['index']} ({size(fields['bytes'])}, generation {fields['generation']})"
    yield from _group("folder", fields["roots"], len(fields["roots"]))
    yield "documents", f"{fields['documents']:,}" + (f" ({kinds})" if kinds else "")
    yield "chunks", f"{fields['chunks']:,}"
    yield "embedder", f"{fields['embedder']['name']} ({fields['embedder']['dim']} dimensions)"
    yield "words", fields["lexical"]
    yield "built", fields["created"][:19].replace("T", " ") + " UTC"
    for name in ("skipped", "failed"):
        yield from _group(name, [f"{entry['source']}: {entry['reason']}" for entry in fields[name]])
    for name in ("changed", "deleted"):
        yield from _group(name, fields[name])
    if stale := len(fields["changed"]) + len(fields["deleted"]):
        yield "", f"{plural(stale, 'file')} out of date: run `ragheal index` again"


def _group(name: str, entries: list[str], most: int = _CHANGED) -> Iterator[tuple[str, str]]:
    for n, entry in enumerate(some(entries, most)):
        yield ("" if n else name), one_line(entry)


def settings(page: Page, values: Mapping[str, Any], origins: Mapping[str, str]) -> str:
    """Every setting with its value and where that came from."""
    if not page.terminal:
        return listing(
            page, ([Cell(key), Cell(_value(value)), Cell(origins[key])] for key, value in values.items())
        )
    room = max(len(key) for key in values) + 2 if page.columns >= 60 else 0
    items = []
    for key, value in values.items():
        changed = origins[key] != "default"
        line = Text("" if room else f"{key} = ", "bold" if changed else "")
        line.append(one_line(_value(value)), "not bold")
        line.append(f"  ({one_line(origins[key])})", "not bold" if changed else "dim")
        # On a narrow terminal a column for the names would leave no room for the values.
        label = Text(pad(key, room) if room else "", "bold" if changed else "")
        items.append(Row(label, line, cells=room))
    return page.render(*items)


def _value(value: Any) -> str:
    """A value as it stands in a YAML file."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(str, value))}]"
    return str(value) if value != "" else '""'


def findings(page: Page, found: Sequence[Finding]) -> str:
    """A line for each check; of a single one without its name."""
    several = len(found) > 1
    items = []
    for finding in found:
        sign, colour = _SIGNS[finding.state]
        label = Text.assemble((sign, colour), f" {finding.name:<11}" if several else " ")
        do = f" ({finding.do})" if finding.do else ""
        items.append(Row(label, one_line(finding.text + do), cells=13 if several else 2))
    return page.render(*items)
