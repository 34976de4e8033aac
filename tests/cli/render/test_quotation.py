"""An answer on a terminal: quotations a line each, records and code as such, links that lead somewhere."""

import re

import msgspec
import pytest
from ragheal_cli.console import Page
from ragheal_cli.render import answer

from ragheal.types import Chunk, Citation, Claim, Hit

ROWS = (
    "Service: Metrics exporter; Port: 9187; Notes: only on loopback\nService: Replication; Port: 7400; Notes: open"
)
CODE = "Build it:\n\n```sh\ngit clone https://example.com/kestrel.git\ncd kestrel\n```"
LINKED = "See the [release page](https://example.com/r) or [evil](javascript:x) for all builds."


def chunk(name, text, kind="paragraph", raw=""):
    return Chunk(name, f"{name}.md", 0, text, (), kind, 3, 4, 0, len(text), raw=raw)


@pytest.fixture
def made(samples):
    """An answer of these (chunk, claim, quotation) on a page of so many columns."""

    def text(*quoted, columns=60, colour=False, terminal=True, lang="en", joined=" "):
        trace = samples.healed()
        step = msgspec.structs.replace(trace.steps[2], hits=tuple(Hit(found, 0.9) for found, _, _ in quoted))
        claims = tuple(Claim(said, (n,)) for n, (_, said, _) in enumerate(quoted, 1))
        own = msgspec.structs.replace(
            trace.answer, text=joined.join(f"{claim.text} [{n}]" for n, claim in enumerate(claims, 1)), claims=claims,
            citations=tuple(Citation(n, c.id, c.source, "", 3, 4, q) for n, (c, _, q) in enumerate(quoted, 1)), lang=lang,
        )  # fmt: skip
        trace = msgspec.structs.replace(trace, steps=(step,), answer=own)
        return answer.text(Page(columns, terminal, colour), trace)

    return text


def test_a_record_is_read_by_its_headers(made):
    """`Port: 9187; Notes: …` in one line has to be taken apart by the reader."""
    row, other = ROWS.split("\n")
    shown = made((chunk("ports", ROWS, "record"), row, "Metrics exporter | 9187 | only on loopback"))
    assert shown.startswith("Service  Metrics exporter\nPort     9187\nNotes    only on loopback [1]\n")
    both = made((chunk("ports", ROWS, "record"), row, ""), (chunk("ports", ROWS, "record"), other, ""))
    assert re.search(r"Service +Port +Notes", both)
    assert re.search(r"Replication +7400 +open +\[2\]", both)
    chinese = made((chunk("表", "系统：计费；负责人：王丽", "record"), "系统：计费；负责人：王丽", ""), lang="zh")
    assert chinese.startswith("系统    计费\n负责人  王丽 [1]\n")


def test_code_keeps_its_lines(made):
    """Commands run together cannot be copied."""
    found = chunk("install", "Build it:\n\ngit clone https://example.com/kestrel.git\ncd kestrel", "code", CODE)
    code = "git clone https://example.com/kestrel.git\ncd kestrel"
    shown = made((found, code.replace("\n", " "), code))
    assert shown.startswith("  git clone https://example.com/kestrel.git\n  cd kestrel\n  [1]\n")


def test_quotations_stand_on_lines_of_their_own(made):
    """Sentences of two documents in one paragraph read as one text, which nobody wrote."""
    two = [
        (chunk(name, said), said, said) for name, said in (("a", "Kept for 35 days."), ("b", "Kept for 14 days."))
    ]
    assert made(*two).startswith("Kept for 35 days. [1]\nKept for 14 days. [2]\n")
    assert made(*two, terminal=False).startswith("Kept for 35 days. [1]\nKept for 14 days. [2]\n")
    written = [
        (chunk(name, "Something else."), said, said) for name, said in (("a", "A model"), ("b", "wrote this."))
    ]
    assert made(*written).startswith("A model [1] wrote this. [2]\n")


def test_links_lead_to_the_web_alone(made):
    """A link of a document can be followed; what else it could start cannot, and no escape gets in."""
    reading = "See the release page or evil for all builds."
    evil = LINKED.replace("for", "\x1b]8;;https://evil.example\x1b\\for")
    page = '<a href="https://example.com/r">release page</a> \x1b[2J <a href="file:///etc">evil</a>'
    for quote in (
        LINKED,
        page,
        evil,
        LINKED.replace(
            "[release page](https://example.com/r)", '<a href="https://example.com/r">release page</a>'
        ),
    ):
        shown = made((chunk("links", reading, raw=quote), reading, quote), colour=True)
        assert re.findall(r"\x1b\]8;[^;]*;([^\x1b]+)\x1b", shown) == ["https://example.com/r"]
    assert "\x1b" not in made((chunk("links", reading, raw=LINKED), reading, LINKED))


def test_the_same_answer_is_the_same_bytes(made):
    """A link numbered by chance would make every recording of a terminal differ."""
    one = (chunk("links", "See the release page.", raw=LINKED), "See the release page.", LINKED)
    assert made(one, colour=True) == made(one, colour=True)
