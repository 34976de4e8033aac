"""The formats that are text: what becomes a block, and where it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragheal.indexing.load import load
from ragheal.types import Document


def read(name: str, content: str) -> Document:
    return load(Path("/docs") / name, name, content.encode())


def shown(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.headings, document.text[block.start : block.end]) for block in document.blocks]


def test_markdown_structure() -> None:
    """Answers would be cut out of the middle of lists and tables, without the section they are in."""
    text = (
        "# Guide\n\nIntro.\n\nSetext *title*\n---\n\n- one\n- two\n\n  more\n\n```sh\n# no heading\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n<!-- note -->\n\n<br>\n\n#中文标题\n\n> quoted\n"
    )
    document = read("a.md", text)
    assert document.title == "Guide"
    assert document.raw == text
    under = ("Guide", "Setext title")
    assert shown(document) == [
        ("heading", ("Guide",), "Guide"),
        ("paragraph", ("Guide",), "Intro."),
        ("heading", under, "Setext title"),
        ("list", under, "- one\n- two\n  more"),
        ("code", under, "# no heading"),
        ("record", under, "a: 1; b: 2"),
        ("heading", ("中文标题",), "中文标题"),
        ("paragraph", ("中文标题",), "quoted"),
    ]


SEEN = {
    "Read the [guide][up] first.[^1]\n\n[up]: https://x.y\n[^1]: At night.": [
        "Read the guide first.",
        "At night.",
    ],
    "The ==red== [[Dock#North|dock]] and [[Dock]], 12&nbsp;m.": ["The red dock and Dock, 12 m."],
    "Made by <a href='x'>Ida</a>.<br>Since <sup>x</sup>2010.": ["Made by Ida.\nSince ^x2010."],
    "It holds 10<sup>6</sup> of H<sub>2</sub>O for ~~40~~ 55.": ["It holds 10^6 of H2O for ~~40~~ 55."],
    "[![build](https://img.shields.io/x)](y) ![A chart](c.png)": ["A chart"],
    "Text.\n{: .note }\n\n{:toc}\n\n[TOC]": ["Text."],
    "%%hidden%%Shown %%not%% only.": ["Shown only."],
    "> [!NOTE]\n> It is wet.": ["It is wet."],
    ":::tip[Mind]\nIt is wet.\n:::": ["Mind\nIt is wet."],
    '!!! warning "Mind"\n    It is **wet**.\n\n    And cold.\n\nDry.': ["Mind\nIt is wet.", "And cold.", "Dry."],
    "/// note\nIt is wet.\n///": ["It is wet."],
    "import X from 'y'\n\n<Tabs>\n\nIt is wet.\n\n</Tabs>": ["It is wet."],
    '{% include a.html %}\n\n--8<-- "x.md"\n\nText.': ["Text."],
    "- [ ] buy\n- [x] sell": ["- ☐ buy\n- ☑ sell"],
    "Term\n: What it is.": ["Term: What it is."],
    "港口在冬季\n八点开放。": ["港口在冬季八点开放。"],
    "Needs {{ site.ruby }} or `{{ page.v }}` now.": ["Needs ⟪site.ruby⟫ or ⟪page.v⟫ now."],
    "Since {% include version.html v='3' %}, it opens at six. {% include icon.html %}": [
        "Since ⟪version.html⟫, it opens at six."
    ],
    "Use `{{ name }}` in a page.": ["Use {{ name }} in a page."],
    "See [the list]({{ '/a b/' | relative_url }}) and [up][u].\n\n[u]: {{< ref \"x y\" >}}": [
        "See the list and up."
    ],
    "Fixed by [#7]({{ site.repo }}/issues/7), [ask]({% link a.md %}).": ["Fixed by #7, ask."],
    'Made by <a href="{{ \'/a\' | url }}">Ida</a>, <a href="{{ "/b" | url }}">Bo</a>.': ["Made by Ida, Bo."],
    "Write {% raw %}`{{ page.v }}` or {{ page.w }}{% endraw %}, not {{ page.x }}.": [
        "Write {{ page.v }} or {{ page.w }}, not ⟪page.x⟫."
    ],
    "{% highlight sh %}\n# Start\nrun *a* *b*\n{% endhighlight %}\n\n{{< page/toc deep=true >}}": [
        "# Start\nrun *a* *b*"
    ],
    "```mermaid\na -->> b: Wait<br>for it\n```\n\n```js\n// highlight-next-line\nrun(a)\n```": ["run(a)"],
    "{% raw %}\n```\n{{ site.v }}\n```\n{% endraw %}": ["{{ site.v }}"],
    "```sh\nget {{< param v.go >}} {{ x }}\n```": ["get ⟪v.go⟫ {{ x }}"],
    "<div class='note'><p>Use `run -a` of [the **tool**](x.md),\n{{ site.v }} <code>{{ v }}</code></p></div>": [
        "Use run -a of the tool, ⟪site.v⟫ {{ v }}"
    ],
    "| Plan | 价格 |\n|--|--|\n| A `x` | 3 |\n| B | |": ["Plan：A x；价格：3\nPlan: B"],
    "<table><tr><th>Tank<th>Size<tr><td>East<td>3 l</table>": ["Tank: East; Size: 3 l"],
    "<table>\n  <tr><th>Tank</th><th>Size</th></tr>\n\n    <tr>\n      <td>East</td>\n\n      <td>\n\n        3 <a\n href='x'>l</a>\n\n      </td>\n    </tr>\n</table>": [
        "Tank: East; Size: 3 l"
    ],
    "Write this:\n\n    <b>x</b>": ["Write this:", "<b>x</b>"],
    "> one\n> two\n\n1) a\n2) b": ["one two", "1) a\n2) b"],
    "\\*not\\* &lt;x&gt; a_b_c": ["*not* <x> a_b_c"],
}


@pytest.mark.parametrize("text", SEEN)
def test_markdown_as_its_reader_sees_it(text: str) -> None:
    """Marks of links, notes, attributes, fences and templates would stand in answers."""
    assert [block[2] for block in shown(read("a.md", text))] == SEEN[text]


def test_front_matter_is_metadata_and_a_record() -> None:
    """The date of a document would be unknown, and its owner or status could not be asked for."""
    document = read(
        "a.md",
        '---\r\ntitle: "A: b"\r\ndate: 2026-03-01\r\ntags: [x, y]\r\nlayout: post\r\n'
        "owner: Ilse\r\nmap: {a: 1}\r\n---\r\n\r\nBody.\r\n",
    )  # fmt: skip
    assert document.title == "A: b"
    assert document.metadata == {"date": "2026-03-01", "tags": "x, y", "layout": "post", "owner": "Ilse"}
    assert shown(document) == [
        ("record", ("A: b",), "title: A: b\ndate: 2026-03-01\ntags: x, y\nowner: Ilse"),
        ("paragraph", (), "Body."),
    ]
    folded = read("a.md", "---\nsummary: >-\n  How the gate\n  is opened.\ntags:\n  - a\n  - b\n---\nBody.\n")
    assert shown(folded)[0][2] == "summary: How the gate is opened.\ntags: a, b"
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
    assert [block[2] for block in shown(wrapped)] == [
        "This sentence is wrapped\nby hand over several\nlines of text."
    ]
    wide = read("c.txt", "This sentence is wrapped at the usual width of a terminal, as\nmost are.\n")
    assert [block[2] for block in shown(wide)] == [
        "This sentence is wrapped at the usual width of a terminal, as most are."
    ]


def test_page_furniture_of_plain_text_is_left_out() -> None:
    """A sentence would be cut at the end of a page, and its running heads be quoted."""
    page = "Vogt                    Informational                 [Page {}]\n\f\nRFC 9992             Tar             May 2026\n\n"
    text = "1. Tar\n\nThe drum holds 90 litres, and the lid that is part of the\n\n\n" + page.format(1)
    text += "delivery weighs 4 kg.\n\nNext.\n\n" + page.format(2) + "End.\n"
    document = read("a.txt", text)
    assert [block[2] for block in shown(document)] == [
        "1. Tar",
        "The drum holds 90 litres, and the lid that is part of the delivery weighs 4 kg.",
        "Next.",
        "End.",
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
        ("paragraph", path, "Free keys get 60 requests."),
        ("paragraph", path, "配额\n每月重置。"),
        ("list", path, "- One\n- Two\n  - Inner"),
        ("record", path, "Plan: Free; Limit: 60 < 70"),
        ("code", path, "  kept  as is"),
    ]


PAGES = {
    "{% extends 'a.html' %}{% block b %}<p>Open in {{ town }}, <code>{{ x }}</code>{# no #}{% endblock %}": [
        "Open in ⟪town⟫, {{ x }}"
    ],
    "10<sup>6</sup> photons, 45<sup><a href='#n'>2</a></sup> litres, log<sub>2</sub>": [
        "10^6 photons, 45 litres, log2"
    ],
    "It costs <del>49</del> <s>50</s> 65 euros.": ["It costs ~~49~~ ~~50~~ 65 euros."],
    "<dl><dt>Notice<dd>6 weeks<dt>Fee<dd>2 euros<dd>a day</dl>": ["Notice: 6 weeks\nFee: 2 euros\nFee: a day"],
    "<ol start=4><li>a<li value=9>b<li>c</ol>": ["4. a\n9. b\n10. c"],
    "<ul><li><p>One</p><p>more</p></li></ul>": ["- One\n  more"],
    "<table><tr><td>Fee<td>2 euros<tr><td>Rent<td>9</table>": ["Fee: 2 euros\nRent: 9"],
    "<table><thead><tr><th>A<th>B</thead><tr><td rowspan=2>x<td>1<tr><td>2</table>": ["A: x; B: 1\nA: x; B: 2"],
    "<h2>Setup<a class='headerlink' href='#s'>¶</a></h2><p>a&nbsp;b &amp; c": ["Setup", "a b & c"],
    "<p>港口在冬季\n八点开放": ["港口在冬季八点开放"],
}


@pytest.mark.parametrize("text", PAGES)
def test_html_as_its_reader_sees_it(text: str) -> None:
    """A number would change by the loss of its raised digits, and a label be told without its value."""
    assert [block[2] for block in shown(read("a.html", text))] == PAGES[text]


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
    document = read("a.csv", 'name,city\r\n"Li, Wei",北京\r\n"two\nlines",上海\r\n')
    assert shown(document)[1:] == [
        ("record", ("name, city",), "name：Li, Wei；city：北京"),
        ("record", ("name, city",), "name：two lines；city：上海"),
    ]
    assert shown(read("b.tsv", "a\tb\n1\t2\n"))[1] == ("record", ("a, b",), "a: 1; b: 2")
    assert shown(read("c.csv", "a;b;c\n1;2,5;3\n"))[1] == ("record", ("a, b, c",), "a: 1; b: 2,5; c: 3")
    assert shown(read("d.csv", "1,2\n3,4\n")) == [("record", (), "1, 2"), ("record", (), "3, 4")]


def test_csv_titles_and_units_above_the_rows() -> None:
    """The title of a sheet would be taken for its column names, and values lose their unit."""
    text = "Stock of May,,\n,,\nItem,Weight,Count\n,kg,pcs\nRope,3,12\n"
    assert [block[2] for block in shown(read("a.csv", text))] == [
        "Stock of May",
        "Item, Weight (kg), Count (pcs)",
        "Item: Rope; Weight (kg): 3; Count (pcs): 12",
    ]


def test_json_items() -> None:
    """Records of a list would be mixed up, and escaped Chinese could not be found."""
    text = json.dumps(
        {"v": 1, "rows": [{"name": "甲", "n": 3}, {"n": [1, 2], "t": "x " * 500}], "run": {"a": "b"}}, indent=1
    )
    document = read("a.json", text)
    assert [(block[0], block[1], block[2][:20]) for block in shown(document)] == [
        ("record", (), "v: 1"),
        ("record", ("rows",), "name：甲；n: 3"),
        ("record", ("rows", "#2"), "n: 1, 2"),
        ("record", ("rows", "#2"), "t: x x x x x x x x x"[:20]),
        ("record", (), "run > a: b"),
    ]
    assert shown(read("b.json", "{not json}\n\nat all"))[-1][2] == "at all"
    assert shown(read("c.json", '{"a": 1, // why\n "b": 2,}'))[0][2] == "a: 1\nb: 2"
    assert [block[2] for block in shown(read("d.jsonl", '{"a": 1, "b": "x"}\n\n{"b": 2}\n'))] == [
        "a: 1; b: x",
        "b: 2",
    ]


def test_descriptions_lose_their_markup() -> None:
    """What an API says of a parameter is written in Markdown or HTML within YAML and JSON, and would be shown so."""
    text = "limit:\n  description: >\n    The <b>most</b> rows of a page,\n    see [paging](https://x.y/p) and `__size__`.\n  type: List<T>\n"
    assert [block[2] for block in shown(read("a.yaml", text))] == [
        "limit > description: The most rows of a page, see paging and __size__.\nlimit > type: List<T>"
    ]
    assert read("a.json", '{"a": "Use <code>x</code>, not `y`."}').text == "a: Use x, not y."


def test_settings_stand_under_their_section() -> None:
    """A port would be told of the wrong server, or a setting that is switched off be taken as valid."""
    ini = read("a.ini", "[db]\nport = 1\n; port = 2\n# The name.\nname = x\n[cache]\nport = 3\n")
    assert shown(ini) == [("code", ("db",), "port = 1\n# The name.\nname = x"), ("code", ("cache",), "port = 3")]
    yaml = read("a.yaml", "db:\n  # In bytes.\n  size: 4\n  names: [a, b]\n  # off: 1\n'on': \"x y\"\n")
    assert [block[2] for block in shown(yaml)] == ["# In bytes.\ndb > size: 4\ndb > names: a, b\non: x y"]
    big = "paths:\n" + "".join(f"  /p{n}:\n    get:\n      summary: {'word ' * 40}\n" for n in range(9))
    assert {block[1] for block in shown(read("b.yml", big))} == {("paths",)}
    assert shown(read("c.yaml", "a: {{ b }}\nc: d\n"))


def test_notebook_cells_with_the_lines_of_the_file() -> None:
    """What a cell printed could not be found, and citations point into nothing."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "\n", "Some **text**, 中文.\n"]},
        {"cell_type": "code", "outputs": [{"text": ["loss 0.2\n"]}], "source": ['x = "1"\n', "print(x)"]},
    ]
    text = json.dumps({"cells": cells, "nbformat": 4}, indent=1)
    document = read("a.ipynb", text)
    assert document.title == "Title"
    assert shown(document) == [
        ("heading", ("Title",), "Title"),
        ("paragraph", ("Title",), "Some text, 中文."),
        ("code", ("Title",), 'x = "1"\nprint(x)'),
        ("code", ("Title",), "loss 0.2"),
    ]
    source = text.split("\n")
    for word in ("Title", "Some", "print(x)", "loss"):
        at = document.text.index(word)
        place = document.runs.place(at, at + len(word))
        assert place is not None
        assert word in source[place.start_line - 1]
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
