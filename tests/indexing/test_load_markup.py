"""The markup languages besides Markdown and HTML, as their readers see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragheal.indexing.load import load
from ragheal.types import Document


def read(name: str, content: str) -> Document:
    return load(Path("/docs") / name, name, content.encode())


def said(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


SEEN = [
    ("a.adoc", "= Kiln\n:temp: 900\n\n// hidden\nFired at {temp} or {none} by *Jo*, see <<x,the list>>.", ["Kiln", "Fired at 900 or ⟪none⟫ by Jo, see the list."]),
    ("a.adoc", "NOTE: It is `hot`.\n\n////\nhidden\n////\n\n----\nrun *it*\n----\n", ["It is hot.", "run *it*"]),
    ("a.adoc", "[options=header]\n|===\n|Glaze |Hours\n\n|Blue |12\n|Red |9\n|===\n", ["Glaze: Blue; Hours: 12\nGlaze: Red; Hours: 9"]),
    ("a.adoc", "Rest:: 2 days\nHeat::\n4 hours\n\n* one\n** two\n. first\n", ["Rest: 2 days\nHeat: 4 hours", "- one\n  - two\n1. first"]),
    ("a.rst", "T\n=\n\n.. |p| replace:: 84\n\nOn |p| and |q|, see :ref:`it <x>`, ``c`` and :class:`~a.B`.", ["T", "On 84 and ⟪q⟫, see it, c and B."]),
    ("a.rst", "T\n=\n\n.. the key is red\n\n.. note:: It is *wet*.\n\n.. toctree::\n\n   a\n\n.. todo:: ask\n\nEnd.", ["T", "It is wet.", "End."]),
    ("a.rst", "T\n=\n\n.. list-table::\n   :header-rows: 1\n\n   * - Plan\n     - Cost\n   * - Free\n     - 0 euros\n", ["T", "Plan: Free; Cost: 0 euros"]),
    ("a.rst", "T\n=\n\nterm\n   what it is\n\n:owner: Bea\n\n.. code-block:: sh\n   :caption: x\n\n   run\n\n   on\n", ["T", "term: what it is", "owner: Bea", "run\n\non"]),
    ("a.rst", "Text [#a]_ here.\n\n.. [#a] A note.\n\n.. _target:\n\n- one\n\n  - two\n", ["Text  here.", "A note.", "- one\n  - two"]),
    ("a.org", "* TODO Hives :tag:\nThe /third/ is [[https://x][weak]].\n# hidden\n| A | B |\n|---+---|\n| 1 | 2 |\n", ["Hives", "The third is weak.", "A: 1; B: 2"]),
    ("a.org", "- Term :: what\n- [ ] task\n#+begin_src sh\nrun *it*\n#+end_src\n#+begin_comment\nno\n#+end_comment\n", ["- Term: what\n- task", "run *it*"]),
    ("a.tex", "\\title{W}\\begin{document}\\section{Weir}\nIt is \\emph{nine} metres\\cite{x}. % no\n\\end{document}", ["Weir", "It is nine metres."]),
    ("a.tex", "\\begin{tabular}{ll}\nName & Length \\\\\nA & 10 m \\\\\n\\end{tabular}\n", ["Name: A; Length: 10 m"]),
    ("t.1", ".TH T 1\n.SH OPTIONS\n.TP\n.BR \\-k \", \" \\-\\-keep =\\fIn\\fR\nKeep\n.I n\nfiles, or\n.BR 14 .\n.\\\" hidden\n", ["OPTIONS", "-k, --keep=n: Keep n files, or 14."]),
    ("t.8", ".Dd x\n.Dt T 8\n.Sh NAME\n.Nm gate\n.Nd opens\n.Sh X\n.Bl -tag\n.It Fl v Ar n\nSay\n.Ar n .\n.El\n", ["NAME", "gate - opens", "X", "-v n: Say n."]),
    ("a.vtt", "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v Ann>The lift is\n\n2\n00:02.000 --> 00:03.000\n<v Ann><i>closed</i>.</v>\n\n3\n00:03.000 --> 00:04.000\n<v Bo>Why?", ["Ann: The lift is closed.", "Bo: Why?"]),
    ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nThe lift\n\n2\n00:00:02,000 --> 00:00:03,000\nis closed.\n", ["The lift is closed."]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "blocks"), SEEN)
def test_as_its_reader_sees_it(name: str, text: str, blocks: list[str]) -> None:
    """Requests, directives, hidden remarks and times would stand in answers, or cut them in two."""
    assert [" ".join(block.split(" ")) for block in said(read(name, text))] == blocks


def test_mail_says_who_wrote_what() -> None:
    """The sender and the day of a mail could not be asked for, and the words of another be taken for the writer's."""
    text = (
        "From: Ann <a@x.org>\nTo: b@x.org\nSubject: =?utf-8?q?Caf=C3=A9?=\nDate: Tue, 3 Mar 2026 10:00:00 +0100\n"
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
        "--b\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
        "The caf=C3=A9 is closed.\n\n> Since when?\n\n--=20\nAnn\n\n"
        "--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=plan.pdf\n"
        "Content-Transfer-Encoding: base64\n\nJVBERi0=\n--b--\n"
    )
    document = read("a.eml", text)
    assert document.title == "Café"
    assert document.metadata["date"] == "2026-03-03"
    assert said(document)[1:] == [
        "From: Ann <a@x.org>\nTo: b@x.org\nSubject: Café\nDate: Tue, 03 Mar 2026 10:00:00 +0100",
        "The café is closed.",
        "Quoted: Since when?",
        "Attachment: plan.pdf",
    ]
