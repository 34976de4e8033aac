"""How a run looks in a terminal of 40, 80 and 120 columns: compared with `tests/golden/`.

To renew the files after a change that is meant: RENEW_GOLDEN=1 python -m pytest tests/cli/render/test_render.py,
then read the difference.
"""

import itertools
import os
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest
from ragheal_cli.console import Page
from ragheal_cli.render import answer
from ragheal_cli.render.layout import breaks
from ragheal_cli.render.story import Story, marks
from rich.cells import cell_len

from ragheal.types import Answer

GOLDEN = Path(__file__).parents[2] / "golden"


def shown(trace, columns, colour=False):
    page, story = Page(columns, colour=colour), Story(columns)
    parts = [page.render(*story.lines(step)) for step in trace.steps]
    return "".join([*parts, "\n", answer.text(page, trace, context=True), answer.footer(page, trace)])


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("name", ["healed", "conflict", "abstained", "direct", "many_hits"])
def test_golden(samples, name, columns):
    """A change of looks is seen by whoever makes it."""
    text = shown(samples.ALL[name](), columns)
    path = GOLDEN / f"{name}-{columns}.txt"
    if os.environ.get("RENEW_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("columns", [20, 33, 40, 61, 80, 120])
def test_nothing_is_wider_than_the_terminal(samples, columns):
    """Wide characters take two cells; a line too long breaks the table."""
    for make in samples.ALL.values():
        for line in shown(make(), columns).split("\n"):
            assert cell_len(line) <= columns


def test_foreign_text_is_harmless(samples):
    """Escapes, bells and changes of direction in a document must not reach the terminal; [1] must."""
    trace = samples.healed()
    evil = "a\x1b[2J\x9b31m\x07 [bold]b[/bold] \u202e :smile: [1]\r\nnext"
    bad = msgspec.structs.replace(trace.answer, text=evil, claims=())
    text = shown(msgspec.structs.replace(trace, answer=bad), 80)
    assert not [c for c in text if c != "\n" and (ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or c == "\u202e")]
    assert "[bold]b[/bold]" in text
    assert ":smile: [1]" in text


def test_the_answer_proper_is_bold(samples):
    """The eye should land on the answer, and the base colours read on any background."""
    text = shown(samples.healed(), 80, colour=True)
    assert "\x1b[1msettles a transfer in under 900 ms\x1b[0m" in text
    import re

    codes = {code for group in re.findall(r"\x1b\[([\d;]*)m", text) for code in group.split(";")}
    assert codes <= {"0", "1", "2", "31", "32", "35", "36"}


def test_an_answer_that_says_everything_is_not_repeated(samples):
    """A refusal that names what is missing in its own words needs no list below."""
    trace = samples.abstained()
    text = (
        "Not found: cafeteria on Mars. Looked for “What does the cafeteria on Mars charge for lunch?” and "
        "“cafeteria lunch price”. Nearest: people/on-call and escalation contacts.csv:4"
    )
    trace = msgspec.structs.replace(trace, answer=msgspec.structs.replace(trace.answer, text=text))
    assert answer.text(Page(80, terminal=False), trace) == text + "\n"


def test_claims_that_are_not_in_the_text(samples):
    """A span that cannot be placed is no reason to fail."""
    trace = samples.healed()
    short = Answer("q", "answered", "Short.", "en", "standard", claims=trace.answer.claims)
    assert answer.text(Page(80, colour=True), msgspec.structs.replace(trace, answer=short)) == "Short.\n"


@pytest.mark.parametrize(
    ("text", "cells", "lines"),
    [
        (
            "保修期为 24 个月，自签收之日起计算。 [1] 三年",
            20,
            ["保修期为 24 个月，自", "签收之日起计算。 [1]", "三年"],
        ),
        (
            "保修期为 24 个月，自签收之日起计算。 [1] 三年",
            19,
            ["保修期为 24 个月，", "自签收之日起计", "算。 [1] 三年"],
        ),
        ("Plates are frozen lying flat. [12] More", 30, ["Plates are frozen lying", "flat. [12] More"]),
        ("Plates are frozen lying", 10, ["Plates are", "frozen", "lying"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("（中文）", 5, ["（中", "文）"]),
        ("一", 1, ["一"]),
        ("a\nb  c", 3, ["a", "b", "c"]),
        ("", 3, [""]),
    ],
)
def test_line_breaks_of_both_scripts(text, cells, lines):
    """A Chinese line would end wherever a number stands, and a citation stand before the next sentence."""
    places = [0, *breaks(text, cells), len(text)]
    found = "\n".join(text[a:b].rstrip() for a, b in itertools.pairwise(places)).split("\n")
    assert found == lines


def test_every_channel_of_a_hit_has_its_mark():
    """A search that the reader put in order must be shown on a terminal like any other."""
    from ragheal.types import Channel, Chunk, Hit

    names = get_args(get_type_hints(Channel)["name"])
    chunk = Chunk("c", "a.md", 0, "text", (), "paragraph", 1, 1, 0, 4)
    hit = Hit(chunk, 0.5, tuple(Channel(name, rank, 0.5) for rank, name in enumerate(names, 1)))
    assert marks(hit) == "d1 w2 r3 n4"
