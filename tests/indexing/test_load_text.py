"""The formats that are text: what becomes a block, and where it stands."""

from __future__ import annotations

import json
from pathlib import Path

from ragheal.indexing.load import load
from ragheal.types import Document


def read(name: str, content: str) -> Document:
    return load(Path("/docs") / name, name, content.encode())


def shown(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.headings, document.text[block.start : block.end]) for block in document.blocks]


def test_markdown_structure() -> None:
    """Answers would be cut out of the middle of lists and tables, without the section they are in."""
    text = (
        "# Guide\n\nIntro.\n\nSetext *title*\n---\n\n- one\n- two\n\n  more\n\n```\n# no heading\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- note -->\n\n<br>\n\n#中文标题\n\n> quoted\n"
    )
    document = read("a.md", text)
    assert document.title == "Guide"
    assert document.text == text
    under = ("Guide", "Setext title")
    assert shown(document) == [
        ("heading", ("Guide",), "# Guide"),
        ("paragraph", ("Guide",), "Intro."),
        ("heading", under, "Setext *title*\n---"),
        ("list", under, "- one\n- two\n\n  more"),
        ("code", under, "```\n# no heading\n```"),
        ("table", under, "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("heading", ("中文标题",), "#中文标题"),
        ("paragraph", ("中文标题",), "> quoted"),
    ]


def test_front_matter_is_metadata_and_not_text() -> None:
    """The date of a document would be unknown, and its YAML be quoted as an answer."""
    document = read(
        "a.md",
        '---\r\ntitle: "A: b"\r\ndate: 2026-03-01\r\ntags: [x, y]\r\ndraft: true\r\n'
        "map: {a: 1}\r\n---\r\n\r\nBody.\r\n",
    )  # fmt: skip
    assert document.title == "A: b"
    assert document.metadata == {"date": "2026-03-01", "tags": "x, y", "draft": "true"}
    assert [block[2] for block in shown(document)] == ["Body."]
    toml = read("a.md", '+++\ntitle = "T"\ndate = 2026-01-02\n+++\nBody.\n')
    assert (toml.title, toml.metadata) == ("T", {"date": "2026-01-02"})
    broken = read("a.md", "---\ntitle: a: b: c\nauthor: Li\n---\nBody.\n")
    assert broken.metadata["author"] == "Li"
    ruler = read("a.md", "---\n\nText.\n\n---\n\nMore.\n")
    assert [block[2] for block in shown(ruler)] == ["Text.", "More."]


def test_long_markdown_is_read_in_parts() -> None:
    """A long file would need a thousand times its size in memory, or lose its headings where it is parted."""
    part = "## S{n}\n\ntext {n}\n\n- a\n\n  b\n\n```\ncode\n\n## no\n```\n\n"
    document = read("a.md", "# T\n\n" + "".join(part.format(n=n) for n in range(1500)))
    texts = [block for block in shown(document) if block[0] == "paragraph"]
    assert texts == [("paragraph", ("T", f"S{n}"), f"text {n}") for n in range(1500)]
    assert sum(block.kind == "code" for block in document.blocks) == 1500


def test_text_headings_in_both_languages() -> None:
    """Plain text would have no sections; or its list items would be taken for headings."""
    document = read(
        "a.txt",
        "员工手册\n\n第一章 总则\n本手册适用于全体员工。\n\n一、考勤\n\n上班时间为九点。\n\n"
        "1. 打开门\n\n2. 关上门\n\n第二章 附则\n\n自公布之日起施行。\n",
    )
    assert document.title == "员工手册"
    assert shown(document)[1:5] == [
        ("heading", ("员工手册", "第一章 总则"), "第一章 总则"),
        ("paragraph", ("员工手册", "第一章 总则"), "本手册适用于全体员工。"),
        ("heading", ("员工手册", "第一章 总则", "一、考勤"), "一、考勤"),
        ("paragraph", ("员工手册", "第一章 总则", "一、考勤"), "上班时间为九点。"),
    ]
    assert [b[2] for b in shown(document) if b[0] == "paragraph"][2:4] == ["1. 打开门", "2. 关上门"]
    assert shown(document)[-1][1] == ("员工手册", "第二章 附则")
    english = read(
        "a.txt", "Chapter 1\n\nIt was late. He left.\n\n1.1 The road\n\nIt was long.\n\nShort line\n\nEnd.\n"
    )
    assert shown(english)[-1] == ("paragraph", ("Chapter 1", "1.1 The road"), "End.")


def test_one_paragraph_a_line() -> None:
    """Chinese text without empty lines would be one block of everything."""
    document = read("a.txt", "第一段讲开头。\n第二段讲中间。\n第三段讲结尾。\n")
    assert [block[2] for block in shown(document)] == ["第一段讲开头。", "第二段讲中间。", "第三段讲结尾。"]
    wrapped = read("b.txt", "This sentence is wrapped\nby hand over several\nlines of text.\n")
    assert len(wrapped.blocks) == 1


def test_rst() -> None:
    """Python documentation would have no sections."""
    document = read(
        "a.rst", "=====\nTitle\n=====\n\nIntro::\n\n   code here\n\nSub\n---\n\n* a\n* b\n\nOther\n-----\n\nx\n"
    )
    assert document.title == "Title"
    assert shown(document) == [
        ("heading", ("Title",), "=====\nTitle\n====="),
        ("paragraph", ("Title",), "Intro::"),
        ("code", ("Title",), "   code here"),
        ("heading", ("Title", "Sub"), "Sub\n---"),
        ("list", ("Title", "Sub"), "* a\n* b"),
        ("heading", ("Title", "Other"), "Other\n-----"),
        ("paragraph", ("Title", "Other"), "x"),
    ]


HTML = """<!DOCTYPE html><html><head><title>Limits &amp; quotas</title>
<style>p { color: red }</style><meta name="date" content="2026-01-02"></head>
<body><nav><p>Home</p></nav><main>
<h1>Rate <em>limits</em></h1>
<p>Free keys get
<b>60</b> requests.
<p>配额<br>每月重置。
<ul><li>One
<li>Two<ul><li>Inner</ul>
</ul>
<table><tr><th>Plan<th>Limit
<tr><td>Free
<td>60 &lt; 70</table>
<pre>
  kept  as is
</pre><div hidden>secret</div><script>if (a < b) "<p>no</p>"</script>
<p style="display: none">secret</p></main><footer>Imprint</footer></body></html>
"""


def test_html_main_text_with_the_lines_of_the_file() -> None:
    """Menus, scripts and hidden text would be quoted, and citations point at the wrong line."""
    document = read("a.html", HTML)
    assert document.title == "Limits & quotas"
    assert document.metadata == {"date": "2026-01-02"}
    path = ("Rate limits",)
    assert shown(document) == [
        ("heading", path, "Rate limits"),
        ("paragraph", path, "Free keys get\n60 requests."),
        ("paragraph", path, "配额\n每月重置。"),
        ("list", path, "- One\n- Two\n  - Inner"),
        ("table", path, "Plan | Limit\nFree | 60 < 70"),
        ("code", path, "  kept  as is"),
    ]
    source = HTML.split("\n")
    for number, line in zip(document.lines, document.text.split("\n"), strict=False):
        for word in line.replace("|", " ").split()[:1]:
            assert word.strip("-") in source[number - 1]


def test_html_without_a_main_part_and_unclosed() -> None:
    """Old or broken pages would come out empty."""
    assert shown(read("a.html", "<nav>Menu<p>All of it is in here</nav>"))[-1][2] == "All of it is in here"
    assert shown(read("b.html", "<p>one<p>two <b>bold<div>three")) == [
        ("paragraph", (), "one"),
        ("paragraph", (), "two bold"),
        ("paragraph", (), "three"),
    ]
    assert shown(read("c.html", "a < b and <a href='x>y</a>"))[0][2].startswith("a < b and")


def test_csv_rows_know_their_columns() -> None:
    """A row of numbers would mean nothing; quoted commas and line breaks would cut it apart."""
    text = 'name,city\r\n"Li, Wei",北京\r\n"two\nlines",上海\r\n'
    document = read("a.csv", text)
    assert document.text == text
    assert shown(document)[1:] == [
        ("record", ("name, city",), '"Li, Wei",北京'),
        ("record", ("name, city",), '"two\nlines",上海'),
    ]
    assert shown(read("b.tsv", "a\tb\n1\t2\n"))[1] == ("record", ("a, b",), "1\t2")
    assert shown(read("c.csv", "a;b;c\n1;2,5;3\n"))[1] == ("record", ("a, b, c",), "1;2,5;3")
    assert shown(read("d.csv", "1,2\n3,4\n")) == [("record", (), "1,2"), ("record", (), "3,4")]


def test_json_items() -> None:
    """Records of a list would be mixed up, and escaped Chinese could not be found."""
    text = json.dumps(
        {"v": 1, "rows": [{"name": "甲", "text": "word " * 200}, {"n": [1, 2], "t": "x " * 500}]}, indent=1
    )
    document = read("a.json", text)
    assert document.text.count("\n") == text.count("\n")
    assert '"name": "甲"' in document.text
    assert [(block[1], block[2][:8]) for block in shown(document)] == [
        ((), '"v": 1'),
        (("rows", "甲"), '"name": '),
        (("rows", "甲"), '"text": '),
        (("rows", "#2"), '"n": [\n '),
        (("rows", "#2"), '"t": "x '),
    ]
    assert shown(read("b.json", "{not json}\n\nat all"))[1] == ("code", (), "at all")
    assert len(read("c.json", '{"a": 1}\n{"a": 2}\n').blocks) == 2
    assert (
        read("d.json", r'{"a": "\ud83d\ude00 \u000a \\u4e2d \ud800"}').text
        == '{"a": "😀 \\u000a \\\\u4e2d \\ud800"}'
    )
    assert [block[2] for block in shown(read("e.jsonl", '{"a": 1}\n\n{"b": 2}\n'))] == ['{"a": 1}', '{"b": 2}']


def test_notebook_cells_with_the_lines_of_the_file() -> None:
    """Outputs would be quoted as text, and citations point into nothing."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "\n", "Some **text**, 中文.\n"]},
        {"cell_type": "code", "outputs": [{"text": ["noise\n"]}], "source": ['x = "1"\n', "print(x)"]},
    ]
    text = json.dumps({"cells": cells, "nbformat": 4}, indent=1)
    document = read("a.ipynb", text)
    assert document.title == "Title"
    assert shown(document) == [
        ("heading", ("Title",), "# Title"),
        ("paragraph", ("Title",), "Some **text**, 中文."),
        ("code", ("Title",), 'x = "1"\nprint(x)'),
    ]
    source = text.split("\n")
    at = document.text.split("\n").index("print(x)")
    assert "print(x)" in source[document.lines[at] - 1]
    assert shown(read("b.ipynb", '{"no": "notebook"}'))[0][0] == "record"


def test_code_by_definition() -> None:
    """A function would be cut in two, or found without the name it is asked for by."""
    python = "import os\n\n# why\n@wrap\nasync def one(a):\n    return 1\n\n\n"
    python += 'class Two:\n    """Doc."""\n\n    def m(self):\n        return 2\n\n\nmain()\n'
    document = read("limits.py", python)
    assert document.title == "limits.py"
    assert [(block[1], block[2].split("\n")[0]) for block in shown(document)] == [
        ((), "import os"),
        (("one",), "# why"),
        (("Two",), "class Two:"),
        (("Two", "m"), "    def m(self):"),
        ((), "main()"),
    ]
    go = read("a.go", "package a\n\n// Run.\nfunc (s *S) Run(n int) {\n\n\tgo()\n}\n\ntype Foo struct {\n}\n")
    assert [block[1] for block in shown(go)] == [(), ("Run",), ("Run",), ("Foo",)]
    assert shown(read("a.yaml", "server:\n  port: 80\n\nclient:\n  x: 1\n"))[1][1] == ("client",)
