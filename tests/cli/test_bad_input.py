"""What people really have in their folders and type on their keyboards, through the real command."""

import codecs
import os

import pytest

PDF = """%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Count 1 /Kids [3 0 R] >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>
endobj
4 0 obj
<< /Length 0 >>
stream

endstream
endobj
trailer << /Size 5 /Root 1 0 R >>
%%EOF
"""


@pytest.fixture
def bad(place, one_embedder):
    """A folder of files that are all somehow wrong, and what is said about each; and some that are odd but read."""
    docs = place / "docs"
    docs.mkdir()
    content = {
        "empty.md": b"",
        "blank.txt": b"\n \n\t\n",
        "binary.md": bytes(range(256)) * 40,
        "nul.txt": b"hello \0\0 the budget is 42 euros\n",
        "scan.pdf": PDF.encode(),
        "cut.pdf": b"%PDF-1.4 and no more",
        "cut.docx": b"PK\x03\x04 and no more",
        "brackets.json": b"[" * 100_000 + b"]" * 100_000,
        "deep.json": b'{"a":' * 3000 + b'"the password of the attic is swordfish"' + b"}" * 3000,
        "broken.json": b'{"colour of the roof": "green", ',
        "latin.txt": "The café opens at nine.".encode("latin-1"),
        "中文.txt": "上海分公司的电话是六二三五七八九零。".encode("gb18030"),
        "utf16.txt": codecs.BOM_UTF16_LE + "The tower is 96 metres high.".encode("utf-16-le"),
        "photo.png": b"\x89PNG",
    }
    for name, data in content.items():
        (docs / name).write_bytes(data)
    with (docs / "huge.txt").open("wb") as file:
        file.truncate(200_000_000)
    (docs / "loop").symlink_to(docs)
    (docs / "itself").symlink_to(docs / "itself")
    (docs / "outside.md").symlink_to("/etc/passwd")
    (docs / "two\nlines.md").write_text("The lighthouse is red.\n")
    (docs / os.fsdecode(b"caf\xe9.md")).write_text("The bakery is blue.\n")
    return docs


SAID = {
    "empty.md": "empty",
    "blank.txt": "empty",
    "binary.md": "binary",
    "nul.txt": "binary",
    "scan.pdf": "scanned PDF: no text layer",
    "brackets.json": "no text in it",
    "photo.png": "unsupported type .png",
    "huge.txt": "larger than 50 MB",
    "loop": "link to .",
    "itself": "link that leads nowhere",
    "outside.md": "link to outside of the folder",
}
FAILED = {"cut.pdf": "damaged PDF", "cut.docx": "damaged DOCX"}


def test_a_folder_full_of_bad_files(run, bad):
    """One bad file must not cost the good ones, and none may go missing without a word."""
    first = run("index", "docs")
    assert first.code == 0, first.err
    assert first.out.startswith("7 added · 11 skipped · 2 failed — 7 documents, ")
    for name, reason in SAID.items():
        assert f"\n  skipped {name}: {reason}\n" in first.out
    for name, reason in FAILED.items():
        assert f"\n  failed {name}: {reason}" in first.out

    again = run("index", "docs", "--strict", "--json")
    assert again.code == 7
    assert {entry["source"]: entry["reason"] for entry in again.json["skipped"]} == SAID
    assert {entry["source"] for entry in again.json["failed"]} == set(FAILED)
    assert again.json["faults"] == 9  # not the picture and the three links
    strict = run("index", "docs", "--strict")
    assert (strict.code, strict.err) == (7, "ragheal: 9 documents could not be indexed (--strict)\n")

    for question, place in (
        ("What is the password of the attic?", "deep.json:1"),
        ("上海分公司的电话是多少？", "中文.txt:1"),
        ("How high is the tower?", "utf16.txt:1"),
        ("What colour is the lighthouse?", "two lines.md:1"),
        ("What colour is the bakery?", "caf\\xe9.md:1"),
    ):
        found = run("search", question).out
        assert any(line.startswith(place + "\t") for line in found.splitlines()), (question, found)
        assert "\n" not in found.splitlines()[0]


def test_pictures_and_links_are_no_faults(run, place, one_embedder):
    """`--strict` would be of no use in a folder with a logo."""
    docs = place / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("The roof is green.\n")
    (docs / "logo.png").write_bytes(b"\x89PNG")
    (docs / "copy.md").symlink_to(docs / "a.md")
    result = run("index", "docs", "--strict")
    assert result.code == 0
    assert "skipped logo.png: unsupported type .png" in result.out


def test_an_empty_folder(run, place, one_embedder):
    """Nothing to index is no error; asking it is a refusal, not a crash."""
    (place / "docs").mkdir()
    result = run("index", "docs")
    assert result.code == 0
    assert "no document was found in" in result.out
    for arguments in (
        ("ask", "What is it?"),
        ("ask", "这是什么？"),
        ("ask", "q", "--no-heal"),
        ("search", "what"),
    ):
        assert run(*arguments).code == 3, arguments
    assert run("status").code == 0
    assert run("index").code == 0
    assert run("replay", "last", "--check").code == 0


@pytest.mark.parametrize(
    "question", ["???", "。。。", "🎉", "the", "' OR 1=1 --", "(AND NOT", "x:y^3 ~2", "\\", "%s {} $1"]
)
def test_questions_that_say_nothing(run, project, question):
    """Punctuation and query syntax of other programs are text here: a refusal, never an error."""
    result = run("ask", question)
    assert result.code == 3, (result.out, result.err)
    assert result.err == ""


def test_orders_in_documents(run, project):
    """A document that addresses the model would take over the answers."""
    result = run("ask", "How many days of paid leave do employees get?")
    assert result.code == 0
    assert "25 days" in result.out
    assert "BANANA" not in result.out
    assert "[1] leave.md:3" in result.out
    opens = run("ask", "When does the canteen open?", "--json").json
    assert "environment" not in opens["answer"]
    assert "orders.md" not in [citation["source"] for citation in opens["citations"]]


def test_a_file_that_changed_or_went_after_indexing(run, project):
    """A quote that is no longer there would pass for a fact."""
    (project / "docs/leave.md").write_text("# Leave\n\nEmployees get 30 days of paid leave a year.\n")
    (project / "docs/limits and keys.md").unlink()
    asked = run("ask", "How many days of paid leave do employees get?", "--json").json
    assert [citation["changed"] for citation in asked["citations"]] == [True]
    gone = run("ask", "How many requests per minute does the gateway accept?")
    assert "[1] limits and keys.md:3  Rate limits (changed since indexing)" in gone.out
    chinese = run("ask", "员工每年有多少天带薪年假？")
    assert "[1] 休假/假期 规定.txt:1" in chinese.out
    assert "已修改" not in chinese.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("index", "nope"),
        ("replay", "nofile.json"),
        ("health", "--days", "-1"),
        ("ask", "q", "--backend", "gpt"),
        ("ask", "q", "--backend", "scripted"),
        ("ask", "q", "--backend", "scripted", "--set", "model.script=none.json"),
        ("ask", "q", "--top-k", "0"),
        ("ask", "q", "--max-rounds", "99"),
        ("ask", "q", "--strategy", "foo"),
        ("ask", "q", "--set", "model.timeout=-1"),
        ("ask", "q", "--set", "model.timeout=soon"),
        ("ask", "--batch", "nofile"),
        ("ask", "q", "--trace", "/no/such/t.json"),
        ("ask", "q", "--trace", "docs"),
    ],
    ids=lambda arguments: " ".join(arguments)[:50],
)
def test_every_error_says_what_to_do(run, project, arguments):
    """An error without a second line leaves people with the manual."""
    result = run(*arguments)
    assert result.code == 2
    assert len(result.err.splitlines()) == 2, result.err
    assert "\n  hint: " in result.err
    assert "script .:" not in result.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ask", "how", "many", "days"), ("the question must be in quotes", 'ragheal ask "how many days"')),
        (("search", "a", "b"), ("the query must be in quotes", 'ragheal search "a b"')),
        (("ask", "-5 degrees"), ("goes after `--`",)),
        (("ask", "q", "--bogus"), ("unknown option `--bogus`", "`ragheal ask --help`")),
        (("ask", "q", "--rounds", "3"), ("did you mean `--max-rounds`?",)),
        (("ask", "q", "--top-k"), ("`ragheal ask --help`",)),
        (("index", ""), ("it is empty",)),
        (("status", "--index", ""), ("it is empty",)),
        (("search", ""), ("the query is empty", "ragheal search")),
    ],
)
def test_slips_of_the_keyboard(run, place, arguments, words):
    """The hint must be what to type, not a guess that leads elsewhere; an empty name is not the folder one is in."""
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert all(word in result.err for word in words), result.err
    assert list(place.iterdir()) == []
