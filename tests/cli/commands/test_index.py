"""index, status, search, ask and replay on real documents, through the real parts."""

import os

import msgspec
import pytest

PAGES = {
    "docs/leave.md": "# Leave\n\nEmployees get 25 days of paid leave a year.\n\n"
    "## Carry over\n\nFive days may be carried over until 31 March.\n",
    "docs/假期.txt": "员工入职满一年后，每年享有十五天带薪年假。\n",
    "docs/limits.md": "# Rate limits\n\nThe gateway accepts 600 requests per minute and key.\n",
    "docs/empty.md": "",
}


@pytest.fixture
def docs(place, one_embedder):
    for name, text in PAGES.items():
        path = place / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return place / "docs"


def test_index_to_replay(run, docs, place):
    """The whole way a stranger takes, in one."""
    result = run("index", "docs")
    assert result.code == 0
    assert result.out.startswith("3 added · 1 skipped — 3 documents, ")
    assert "\n  skipped empty.md: empty\n" in result.out
    assert (place / ".ragheal").is_dir()

    assert run("index", "docs").out.startswith("3 unchanged")
    assert run("index", "docs", "--strict").code == 7
    assert run("index", "docs", "--strict", "--exit-zero").code == 0
    envelope = run("index", "--json").json  # without a path: the folders of the last time
    assert envelope["unchanged"] == 3
    assert envelope["skipped"] == [{"source": "empty.md", "reason": "empty"}]

    os.chdir(docs)  # found upwards
    found = run("search", "how many requests per minute").out.splitlines()
    assert found[0].startswith("limits.md:3\t")
    explained = run("search", "年假", "--explain")
    assert "假期.txt:1" in explained.out
    hits = run("search", "年假", "--json", "--top-k", "2").json["hits"]
    assert hits[0]["source"] == "假期.txt"
    assert len(hits) <= 2

    asked = run("ask", "How many days of paid leave do employees get?", "--trace", "t.json")
    assert asked.code == 0
    assert "25 days" in asked.out
    assert "[1] leave.md:3" in asked.out
    assert run("replay", "last").out == asked.out
    assert run("replay", "last", "t.json", "--check").code == 0
    assert run("ask", "hello").code == 0

    (docs / "leave.md").write_text("# Leave\n\nEmployees get 26 days of paid leave a year.\n", encoding="utf-8")
    (docs / "limits.md").unlink()
    status = run("status", "--json").json
    assert (status["documents"], status["changed"], status["deleted"]) == (3, ["leave.md"], ["limits.md"])
    assert status["kinds"] == {"markdown": 2, "text": 1}
    assert status["skipped"] == [{"source": "empty.md", "reason": "empty"}]
    assert "2 files out of date" in run("status").out
    stale = run("ask", "How many days of paid leave do employees get?")
    assert "(changed since indexing)" in stale.out

    assert run("replay", "t.json", "--check").code == 0  # offline: today's files play no part
    rerun = run("replay", "t.json", "--rerun")
    assert rerun.code == 0
    os.chdir(place)
    changed = run("index", "docs").out
    assert "1 changed · 1 deleted · 1 unchanged" in changed
    assert "skipped t.json: a trace of ragheal" in changed  # it quotes the old text, and would be found for it
    assert "26 days" in run("replay", "docs/t.json", "--rerun").out


def test_nothing_to_index(run, place):
    """Without a path and without an index there is nothing to do, and it says what to type."""
    result = run("index")
    assert result.code == 2
    assert "ragheal index docs" in result.err
    assert not (place / ".ragheal").exists()


def test_summary_is_bounded(samples):
    """A thousand unreadable files, or pictures, would drown the one that matters."""
    from ragheal_cli.console import Page
    from ragheal_cli.render.project import summary

    from ragheal.indexing.report import Report, group

    report = Report(
        1, True, added=group(["a"]), failed=tuple((f"f{n}\x1b[31m.txt", "no permission") for n in range(1000)),
        skipped=(("a.md", "empty"), *((f"{n}.png", "unsupported type .png") for n in range(21))),
        warnings=("odd",), documents=1, chunks=1, seconds=1.26,
    )  # fmt: skip
    page = Page(10_000, terminal=False)
    lines = summary(page, report).splitlines()
    assert lines == [
        "1 added · 22 skipped · 1,000 failed — 1 document, 1 chunk in 1.3 s",
        "  skipped a.md: empty",
        "  skipped 21 files: unsupported type .png (0.png, 1.png, 2.png, …)",
        "  failed 1,000 files: no permission (f0�[31m.txt, f1�[31m.txt, f2�[31m.txt, …)",
        "  warning: odd",
    ]
    many = msgspec.structs.replace(report, skipped=tuple((f"{n}.md", f"odd {n}") for n in range(30)), failed=())
    lines = summary(page, many).splitlines()
    assert lines[1] == "  skipped 0.md: odd 0"
    assert lines[21:] == ["  … and 10 more skipped (--json names all)", "  warning: odd"]
