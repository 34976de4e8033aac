"""Documents as people write them, through the whole command: where an address, a date or a field stands."""

import pytest

PAGES = {
    "releases.md": "# Sparrow releases\n\n## 4.1.0 (2023-06-02)\n\n- Added: export to PDF\n- Fixed: the clock in exports\n\n"
    "## 4.0.2 (2022-12-11)\n\n- Fixed: a hang at start\n",
    "lark.md": "# Lark history\n\n## 6.2.0 / 2021-05-04\n\n### Fixes\n\n- Tails are counted\n\n## 6.1.0 / 2020-01-09\n\n### New\n\n- Wings\n",
    "history.rst": "Wren changes\n============\n\n1.8\n---\n\n*Released on 7 March 2020.*\n\n* New parser.\n\n1.7\n---\n\n*Released on 9 May 2018.*\n\n* Faster start.\n",
    "rules.html": "<!doctype html><title>House rules</title><h1>House rules</h1><ol start=4><li>Bicycles stay in the yard."
    "<li>The cellar is locked at ten.</ol>",
    "statutes.txt": "STATUTES OF THE ROWING CLUB\n\nArticle III Fees\n\nMembers pay in January.\n\nArticle IV Boats\n\nBoats are washed after use.\n",
    "手册.md": "# 员工手册\n\n## 第三章 假期\n\n年假为十二天。\n\n## 第四章 差旅\n\n出差须提前三天申请。\n",
    "masts.md": "---\ntitle: Care of masts\nowner: Ines Vold\nstatus: under review\nreviewed: 2024-08-19\ntags:\n  - rigging\n  - varnish\n---\n\nMasts are oiled in April.\n",
    "canteen.md": "# Canteen\n\nThe canteen opens at noon.\n\n## Section 2 Menu\n\nOn Fridays there is fish.\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, one_embedder):
    place = tmp_path_factory.mktemp("pages")
    for name, text in PAGES.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def ask(folder, run, monkeypatch):
    monkeypatch.chdir(folder)
    assert run("index", ".", "--quiet").code == 0
    return lambda question: run("ask", question, "--json", "--no-store").json


@pytest.mark.parametrize(
    ("question", "said", "source", "line"),
    [
        ("When was 4.1.0 released?", "2023-06-02", "releases.md", 3),
        ("When was Sparrow 4.0.2 released?", "2022-12-11", "releases.md", 8),
        ("What's new in 4.1.0?", "export to PDF", "releases.md", 5),
        ("When was Lark 6.2.0 released?", "2021-05-04", "lark.md", 3),
        ("When was Wren 1.8 released?", "7 March 2020", "history.rst", 7),
        ("What does item 5 of the house rules say?", "locked at ten", "rules.html", 1),
        ("What does article 4 of the statutes say?", "washed after use", "statutes.txt", 9),
        ("What is said in section 2?", "fish", "canteen.md", 7),
        ("员工手册第四章规定了什么？", "提前三天", "手册.md", 9),
    ],
)
def test_what_is_asked_for_by_its_number_is_found(ask, question, said, source, line):
    """Whoever holds a contract, statutes or release notes asks by number, and would be told it is not there."""
    envelope = ask(question)
    assert envelope["status"] == "answered", envelope["answer"]
    assert said in envelope["answer"]
    first = envelope["citations"][0]
    assert (first["source"], first["start_line"]) == (source, line)


@pytest.mark.parametrize(
    "question",
    [
        "When was 4.2.0 released?",
        "What does article 9 of the statutes say?",
        "员工手册第八章规定了什么？",
        "What is in section 5?",
    ],
)
def test_a_number_that_is_not_there_is_not_answered_with_another(ask, question):
    """The neighbouring article, told as the one asked for."""
    assert ask(question)["status"] != "answered"


@pytest.mark.parametrize(
    ("question", "said", "line"),
    [
        ("Who is the owner of the page on the care of masts?", "Ines Vold", 3),
        ("What is the status of the page on the care of masts?", "under review", 4),
        ("When was the page on the care of masts reviewed?", "2024-08-19", 5),
    ],
)
def test_fields_above_a_page_can_be_asked_for(ask, question, said, line):
    """Owner, status and date stand in most wikis above the text, and would be read by nobody."""
    envelope = ask(question)
    assert said in envelope["answer"]
    cited = [one for one in envelope["citations"] if said in one["quote"] and one["source"] == "masts.md"]
    assert any(one["start_line"] <= line <= one["end_line"] for one in cited)
