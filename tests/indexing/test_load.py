"""Decoding and dispatch; the formats are in test_load_text.py and test_load_packed.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from documents import pdf

from ragheal.errors import LoadError
from ragheal.indexing.load import load
from ragheal.indexing.load.titles import plain, title_of
from ragheal.types import Document

CHINESE = "本手册说明我们的工作时间和请假的规定，适用于公司的全体员工。"
TRADITIONAL = "本手冊說明我們的工作時間和請假的規定，適用於公司的全體員工。"
FRENCH = "Le café est ouvert à partir de 8 heures. Les élèves déjà inscrits reçoivent une réponse dès l’été."


def read(name: str, content: str | bytes) -> Document:
    data = content.encode() if isinstance(content, str) else content
    return load(Path("/docs") / name, name, data)


@pytest.mark.parametrize(
    ("text", "written", "encoding"),
    [
        (CHINESE, "utf-8", "utf-8"),
        (CHINESE, "utf-8-sig", "utf-8"),
        (CHINESE, "utf-16", "utf-16-le"),
        (CHINESE, "utf-16-le", "utf-16-le"),
        (CHINESE, "utf-16-be", "utf-16-be"),
        ("Opening hours\r\nfrom 9 to 5", "utf-16-le", "utf-16-le"),
        ("Opening hours\r\nfrom 9 to 5", "utf-16-be", "utf-16-be"),
        (CHINESE, "utf-32", "utf-32-le"),
        (CHINESE, "gb18030", "gb18030"),
        (CHINESE * 3000, "gbk", "gb18030"),
        (TRADITIONAL, "big5", "big5"),
        (FRENCH, "cp1252", "cp1252"),
        (FRENCH.replace("’", "'"), "latin-1", "cp1252"),
        ("a" * 100_000 + " " + FRENCH, "cp1252", "cp1252"),
    ],
)
def test_encodings(text: str, written: str, encoding: str) -> None:
    """The words of a file in another encoding could not be found, and its quotes would be gibberish."""
    document = read("a.txt", text.encode(written))
    assert document.raw == text
    assert document.text.split() == text.split()
    assert document.encoding == encoding
    assert "decoding" not in document.metadata


def test_declared_encoding_is_used() -> None:
    """A short page that says what it is would be guessed wrong."""
    page = '<meta charset="gb2312"><title>价格</title><p>价格'
    assert read("a.html", page.encode("gbk")).text == "价格"


def test_damage_is_read_around_and_told() -> None:
    """One bad byte would cost the whole document, or change its text in silence."""
    document = read("a.txt", CHINESE.encode() + b"\xff" + CHINESE.encode())
    assert document.text == CHINESE + "\ufffd" + CHINESE
    assert document.metadata == {"decoding": "1 character replaced"}
    assert read("a.txt", b"word " * 500 + b"\0").text.endswith(" \ufffd")
    tail = read("a.txt", b"The gate opens at seven.\n" * 40 + b"\0\1\2" * 500)
    assert tail.text.count("seven") == 40
    assert tail.metadata == {"decoding": "1500 bytes of binary data left out"}


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "empty"),
        ("a.md", b" \r\n\t\xe3\x80\x80\n", "empty"),
        ("a.txt", b"\xef\xbb\xbf", "empty"),
        ("a.html", b"<html><body><script>1</script></body></html>", "empty"),
        ("a.docx", b"", "empty"),
        ("program", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0" * 50, "binary"),
        ("a.txt", bytes(range(256)) * 20, "binary"),
        ("a.txt", b"\0" * 1000, "binary"),
        ("a.txt", b"text\0with\0nuls\0" * 20, "binary"),
        ("a.png", b"text", "unsupported type"),
        ("server.pem", b"text", "may hold keys or passwords: not read"),
        ("note.txt", b"-----BEGIN OPENSSH PRIVATE KEY-----\nabc", "holds a key: not read"),
        ("note.txt", b"ghp_" + b"a1" * 18 + b"\n", "holds a key: not read"),
        ("yarn.lock", b"a b", "generated: a lock file"),
        ("app.min.js", b"a b", "generated: minified code"),
        ("app.js", b"a=1;" * 10_000, "generated: minified code"),
        ("logo.svg", b"<svg><text>a</text></svg>", "a picture (SVG)"),
        ("logo.xml", b'<?xml version="1.0"?>\n<svg xmlns="x"><text>a</text></svg>', "a picture (SVG)"),
        ("sitemap.xml", b"<urlset/>", "generated: a sitemap"),
    ],
)
def test_nothing_to_read_is_skipped(name: str, data: bytes, reason: str) -> None:
    """Rubbish would be indexed, or an unreadable file end the run."""
    with pytest.raises(LoadError) as caught:
        read(name, data)
    assert (caught.value.reason, caught.value.skipped) == (reason, True)


@pytest.mark.parametrize(
    ("name", "content", "kind", "said"),
    [
        ("page.md.erb", "The *gate* is open.", "markdown", "The gate is open."),
        ("page.zz", "The gate is open.", "text", "The gate is open."),
        ("NOTICE", "The gate is open.", "text", "The gate is open."),
        ("gate.8", ".TH GATE 8\n.SH NAME\ngate \\- opens\n", "roff", "NAME\n\ngate - opens"),
        ("talk", "WEBVTT\n\n00:01.000 --> 00:02.000\nHello there.\n", "captions", "Hello there."),
        ("page", "<!DOCTYPE html><p>The <b>gate</b>", "html", "The gate"),
        ("deploy.env.example", "The gate", "text", "The gate"),
    ],
)
def test_what_a_file_is_shows_in_its_content(name: str, content: str, kind: str, said: str) -> None:
    """A document with an unusual name would be left out, or shown with its markup."""
    document = read(name, content)
    assert (document.kind, document.text) == (kind, said)


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("docs/rate_limits-v2.md", "rate limits v2"),
        ("a/2024-01-15-notes.txt", "2024-01-15 notes"),
        ("billing/README.md", "billing"),
        ("README.md", "README"),
        ("web/7d5b1cc3f0.txt", ""),
        ("员工_手册.txt", "员工 手册"),
        ("LICENSE", "LICENSE"),
    ],
)
def test_titles_from_names(source: str, title: str) -> None:
    """A document without a title of its own would have none, or one that no reader would write."""
    assert title_of(source, "text") == title


def test_headings_lose_their_markup() -> None:
    """Headings would carry stars and links into search and display."""
    assert plain("**Rate** [limits](https://a.b/c) for `v2` {#limits}") == "Rate limits for v2"
    assert plain(r"snake_case and 2 * 3 \* 4") == "snake_case and 2 * 3 * 4"
    assert len(plain("[" * 100_000)) <= 1000


ESCAPE = "\x1b[31mred\x1b[0m"


@pytest.mark.parametrize(
    "name", ["a.md", "a.html", "a.txt", "a.rst", "a.adoc", "a.org", "a.tex", "a.csv", "a.yaml", "a.vtt", "a.1"]
)
def test_terminal_escapes_stay_in_the_file(name: str) -> None:
    """A document could take over the terminal of who reads an answer from it."""
    head = {"a.1": ".TH A 1\n", "a.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n"}.get(name, "")
    document = read(
        name, f"{head}The gate is {ESCAPE} &#27;[31m &#x9b;31m and closed for the winter, from May to June.\n"
    )
    assert "gate is [31mred" in document.text
    assert not any(sign in document.text for sign in "\x1b\x9b")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b'{"gate": "is \\u001b[31mred\\u009b0m"}'),
        ("a.jsonl", b'{"gate": "is \\u001b[31mred"}\n{"gate": "is shut"}\n'),
        ("a.ini", b"[gate]\ncolour = is \x1b[31mred\n"),
        ("a.toml", b'[gate]\ncolour = "is \x1b[31mred"\n'),
        ("a.py", b"# The gate is \x1b[31mred\n"),
        ("a.eml", b"From: a\nTo: b\nSubject: c\nContent-Transfer-Encoding: quoted-printable\n\nIt is =1B[31mred.\n"),
        ("a.ipynb", b'{"cells": [{"cell_type": "code", "source": "x", "outputs": [{"text": ["is \\u001b[31mred\\u001b[0m"]}]}]}'),
        ("a.pdf", pdf([["The gate is \x1b[31mred and closed for the winter."]])),
    ],
)  # fmt: skip
def test_terminal_escapes_by_way_of_other_spellings(name: str, data: bytes) -> None:
    """What a format spells out, or a tool printed into it, would reach the terminal as a command."""
    document = load(Path("/docs") / name, name, data)
    assert not any(sign in document.text + document.title for sign in "\x1b\x9b")
    assert "red" in document.text


def test_nothing_is_lost_that_is_nested_deep() -> None:
    """What stands in the twentieth list within a list would be dropped without a word."""
    deep = read("a.md", "".join(f"{'  ' * n}- level {n} holds\n" for n in range(60)))
    assert [f"level {n} holds" in deep.text for n in range(60)] == [True] * 60
    assert "deep" in read("a.html", "<table><tr><td>" * 1_000 + "deep").text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.html", "<div>" * 100_000 + "deep"),
        ("a.html", "<a " * 100_000 + ">x"),
        ("a.html", '<a b="' * 50_001 + ">x"),
        ("a.html", "<ul><li>x" * 20_000),
        ("a.json", "[" * 100_000 + "]" * 100_000),
        ("a.json", '{"a":' * 50_000 + "1" + "}" * 50_000),
        ("a.ipynb", "[" * 100_000),
        ("a.md", "> " * 50_000 + "x"),
        ("a.md", "# " + "*a" * 50_000),
        ("a.md", "[" * 50_000),
        ("a.csv", 'a,b\n1,"' + "x\n" * 5_000),
        ("a.txt", "x" * 1_000_000),
        ("a.txt", "word " * 10_000_000),
        ("a.html", "<table><tr><td>" * 1_000 + "deep"),
        ("a.html", "<dl><dt>a<dd>" * 1_000 + "deep"),
        ("a.md", "".join(f"{'  ' * n}- level {n}\n" for n in range(1_000))),
        ("a.md", "[a](" * 5_000),
        ("a.md", "==a" * 5_000),
        ("a.md", "{{ a " * 5_000),
        ("a.rst", "".join(f"{'  ' * n}- level {n}\n\n" for n in range(1_000))),
        ("a.yaml", "".join(f"{' ' * n}a:\n" for n in range(900)) + " " * 900 + "b"),
        ("a.yaml", "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(50))),
        ("a.adoc", "{a}*b" * 20_000),
        ("a.tex", "Words. " + "\\a{" * 20_000),
        ("a.1", ".TH A 1\n" + ".B a\n" * 50_000),
        ("a.vtt", "WEBVTT\n\n" + "00:01.000 --> 00:02.000\n<v a>b\n\n" * 20_000),
        ("a.eml", "From: a\nTo: b\nSubject: c\n\n" + "> x\n" * 50_000),
    ],
)
def test_hostile_input_takes_no_time(name: str, content: str) -> None:
    """One file could hold up the run for hours or crash it (the timing is a bound on growth, not a benchmark)."""
    import time

    begin = time.process_time()
    assert read(name, content).blocks
    assert time.process_time() - begin < 5
