"""`ragheal failures`: the log as a list, and what failures have in common."""

from datetime import UTC, datetime, timedelta

import pytest
from made_runs import keep, made

from ragheal.history.database import HISTORY

NOW = datetime.now(UTC)


@pytest.fixture
def folder(place):
    folder = place / ".ragheal"
    (folder / "generations" / "000001").mkdir(parents=True)
    return folder


@pytest.fixture
def failed(folder):
    keep(
        folder,
        *(made(created=NOW) for _ in range(30)),
        made("What is the rate limit of the API?", "abstained", missing=("rate limit",), created=NOW, sources=("gateway.md",)),
        made("公共接口的限流是多少？", "partial", missing=("限流",), created=NOW, sources=("gateway.md",)),
        made("Is there a rate limit for uploads?", "abstained", missing=("rate limit\x1b[31m",), created=NOW, sources=("gateway.md",)),
        made("Who founded the Harlow observatory?", rounds=2, missing=("founder",), created=NOW - timedelta(days=30)),
    )  # fmt: skip
    return folder


def test_listed(run, failed):
    """A line a failure, newest first: what was asked, how it ended, what was missing; escapes made harmless."""
    result = run("failures")
    assert result.code == 0
    lines = [line.split("\t") for line in result.out.splitlines()]
    assert [line[2] for line in lines] == ["abstained", "partial", "abstained", "healed"]
    assert lines[1][4:] == ["公共接口的限流是多少？", "限流"]
    assert "\x1b" not in result.out


def test_filters(run, failed):
    """By outcome, age, text and number."""
    assert run("failures", "--outcome", "healed").out.count("\n") == 1
    assert run("failures", "--outcome", "failed").out.count("\n") == 3
    assert run("failures", "--since", "7").out.count("\n") == 3
    assert run("failures", "--contains", "限流").out.count("\n") == 1
    assert run("failures", "--limit", "2").out.count("\n") == 2


def test_json(run, failed):
    """Every field of the log for scripts."""
    first, *_ = run("failures", "--json").json["failures"]
    assert first["outcome"] == "abstained"
    assert first["documents"] == [{"source": "gateway.md", "cited": False}]
    assert {"trace_id", "query", "rewrites", "missing", "rounds", "overlay", "route", "lang"} <= first.keys()


def test_clustered(run, failed, one_embedder):
    """The three that ask for the limit are one topic with one document; the observatory is alone."""
    fields = run("failures", "--cluster", "--json").json
    assert fields["failures"] == 4
    limit, alone = fields["clusters"]
    assert (limit["size"], limit["failed"], limit["langs"]) == (3, 3, ["en", "zh"])
    assert limit["documents"] == [["gateway.md", 3]]
    assert alone["questions"] == ["Who founded the Harlow observatory?"]
    text = run("failures", "--cluster").out
    assert "rate limit" in text
    assert "1 failure like no other" in text
    assert "\x1b" not in text


def test_what_stands_out(run, folder, one_embedder):
    """Documents that drag runs down, and those that are found and never used, have their own lines."""
    keep(folder, *(made(created=NOW, sources=("manual.md", "index.md")) for _ in range(40)))
    keep(folder, *(made("How many pages?", "abstained", created=NOW, sources=("bad.md",)) for _ in range(8)))
    text = run("failures", "--cluster").out
    assert "bad.md  8 of 8 failed (100%, 6.0 times the usual)" in text
    assert "begins with how many  8 of 8 failed" in text
    assert "index.md  in 40 answered questions" in text


@pytest.mark.parametrize("cluster", [[], ["--cluster"]])
def test_nothing_yet(run, folder, cluster):
    """No failures is an answer, not an error."""
    assert run("failures", *cluster).code == 0
    keep(folder, made(created=NOW))
    result = run("failures", *cluster)
    assert result.code == 0
    assert "no failures" in result.out + result.err
    assert run("failures", "--json", *cluster).json["schema_version"] == 1


@pytest.mark.parametrize("cluster", [[], ["--cluster"]])
def test_damaged(run, folder, cluster):
    """A damaged history is named, and what to do about it."""
    (folder / HISTORY.name).write_bytes(b"no database" * 500)
    result = run("failures", *cluster)
    assert result.code == 2
    assert "cannot read" in result.err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--outcome", "lost"], "abstained"),
        (["--limit", "0"], "at least 1"),
        (["--since", "0"], "days"),
        (["--since", "-1"], "days"),
        (["--since", "nan"], "days"),
        (["--since", "1e300"], "days"),
        (["--since", "often"], "since"),
    ],
)
def test_bad_values(run, failed, arguments, word):
    """A wrong value is named, not a traceback."""
    result = run("failures", *arguments)
    assert result.code == 2
    assert word in result.err
    assert "hint: " in result.err
