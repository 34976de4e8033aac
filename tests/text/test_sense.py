"""A sentence with all the right words can still be no answer: these are the answers that would be wrong with exit 0."""

from __future__ import annotations

import pytest

from ragheal.text.questions import analyze
from ragheal.text.sense import needs_next, objection, placeholder
from ragheal.text.tenses import current_part


def why(question: str, sentence: str, heading: str = "") -> str | None:
    return objection(analyze(question), sentence, heading)


@pytest.mark.parametrize(
    ("question", "sentence", "heading", "reason"),
    [
        ("Who keeps the key of box 7?", "The key of box 8 is kept by Tilda.", "", "other number"),
        ("Who keeps the key of box 7?", "The key of shelf 7 is kept by Tilda.", "", "other number"),
        ("Who sweeps hall B?", "Hall C is swept by the night crew.", "", "other number"),
        ("What is stored in bay 4?", "Bricks are stored here.", "Yard > Bay 3", "other number"),
        ("When was order KX-2207 packed?", "Order KX-2206 was packed on 4 June.", "", "other identifier"),
        ("How fast does the P-30 spin?", "The P-20 spins at 900 rpm.", "", "other identifier"),
        ("Which bug does version 2.3 fix?", "Version 2.4 fixes the crash at start.", "", "other identifier"),
        ("When was v4.1 released?", "Released on 3 May 2021.", "Changes > v4.0", "other identifier"),
        ("7号箱里放了什么？", "8号箱里放了螺丝。", "", "other number"),
        ("7号箱里放了什么？", "7号架上放了螺丝。", "", "other number"),
        ("第三章讲什么？", "第四章讲述灯塔的历史。", "", "other number"),
        ("KX-2207号订单何时发货？", "KX-2206号订单于六月四日发货。", "", "other identifier"),
    ],
)
def test_another_thing(question: str, sentence: str, heading: str, reason: str) -> None:
    """The neighbour's value is told as the value of the thing asked about."""
    assert why(question, sentence, heading) == reason


@pytest.mark.parametrize(
    ("question", "sentence", "heading"),
    [
        ("Who keeps the key of box 7?", "Tilda keeps the key of box 7.", ""),
        ("Who sweeps room 7?", "Rooms 5–9 are swept by Otto.", ""),
        ("Who sweeps box 7?", "Boxes 6, 7 and 9 are swept by Otto.", ""),
        ("Where is box 7?", "It is on shelf 3.", "Store > Box 7"),
        ("Where is box 7?", "Box 7 stands on shelf 3 beside box 8.", ""),
        ("When was order KX-2207 packed?", "It was packed on 4 June.", ""),
        ("When was order KX-2185 packed?", "Orders KX-2180 to KX-2190 were packed on 4 June.", ""),
        ("Does version 2.3 run on Linux?", "Linux is supported in version 2.1 and later.", ""),
        ("Which bug does version 2.3 fix?", "Version 2.3.1 fixes the crash at start.", ""),
        ("How many pumps does hall 3 have?", "Hall 3 has 7 pumps.", ""),
        ("Which shop sells 7 kinds of bread?", "The corner shop sells 7 kinds of bread.", ""),
        ("7号箱里放了什么？", "5至9号箱里放了螺丝。", ""),
        ("7号箱里放了什么？", "6、7、9号箱里放了螺丝。", ""),
        ("7号箱在哪里？", "7号箱在3号架上。", ""),
    ],
)
def test_the_thing_itself(question: str, sentence: str, heading: str) -> None:
    """A good answer that is turned away ends in a refusal."""
    assert why(question, sentence, heading) is None


@pytest.mark.parametrize(
    ("question", "sentence", "reason"),
    [
        ("Who is the harbour master?", "Until 2021 the harbour master was Piet Loos.", "former"),
        ("Who is the harbour master?", "Piet Loos used to be the harbour master.", "former"),
        ("What does the ferry cost?", "The ferry previously cost 4 euros.", "former"),
        ("When does the kiosk open?", "The kiosk was open from 9:00 before the reform.", "former"),
        ("港务长是谁？", "港务长原先是罗斯。", "former"),
        ("港务长是谁？", "罗斯曾任港务长。", "former"),
        ("渡轮票价是多少？", "2021年之前，渡轮票价为4元。", "former"),
        ("Who was the harbour master before?", "Since May 2021 the harbour master is Ida Kolk.", "current"),
        ("Who was harbour master in 2019?", "Since 2021 the harbour master has been Ida Kolk.", "other year"),
        ("How many ships docked in 2019?", "In 2020, 340 ships docked.", "other year"),
        ("2019年有多少船靠港？", "2020年有340艘船靠港。", "other year"),
    ],
)
def test_another_time(question: str, sentence: str, reason: str) -> None:
    """Who was it until then is told as who it is."""
    assert why(question, sentence) == reason


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who is the harbour master?", "Since May 2021 the harbour master has been Ida Kolk."),
        ("Who is the harbour master?", "Until 2021 it was Piet Loos; since then it has been Ida Kolk."),
        ("Who is the harbour master?", "Piet Loos was harbour master until 2021, then Ida Kolk."),
        ("Who was the harbour master until 2021?", "Until 2021 the harbour master was Piet Loos."),
        ("Who used to be the harbour master?", "Piet Loos used to be the harbour master."),
        ("How long is the pass valid?", "The pass is valid until May 2031."),
        ("What is the brush used for?", "The brush is used to clean the hull."),
        ("What cleans the hull?", "The yard has brushes used to clean the hull."),
        ("Which stone lines the quay?", "Granite lines the quay, which was formerly a beach."),
        ("When was the pier built?", "The pier was built in 1931, before the war."),
        ("Who was harbour master in 2019?", "Piet Loos was harbour master from 2015 to 2021."),
        ("Who was harbour master in 2019?", "Piet Loos became harbour master in 2015."),
        ("港务长是谁？", "港务长原先是罗斯，现为科尔克。"),
        ("港务长是谁？", "自2021年起，港务长为科尔克。"),
        ("以前的港务长是谁？", "罗斯曾任港务长。"),
        ("他得过什么奖？", "他曾获得金帆奖。"),
    ],
)
def test_the_time_that_is_asked_about(question: str, sentence: str) -> None:
    """What holds, and what held when that is asked, must pass."""
    assert why(question, sentence) is None


@pytest.mark.parametrize(
    ("question", "sentence", "heading", "reason"),
    [
        ("What does the ferry cost?", "What does the ferry cost?", "", "a question"),
        ("渡轮票价是多少？", "渡轮票价是多少？", "", "a question"),
        ("What is the deposit?", "Deposit:", "", "a label"),
        ("押金是多少？", "押金：", "", "a label"),
        ("What is the deposit?", "**Deposit**", "", "a label"),
        ("What is the code of the north gate?", "| Gate | Code |", "", "a label"),
        ("What are the opening hours?", "# Opening hours", "", "a label"),
        ("How high is the deposit?", "Rental terms", "Terms > Rental terms", "a label"),
    ],
)
def test_what_says_nothing(question: str, sentence: str, heading: str, reason: str) -> None:
    """The question's own words come back as a verified answer."""
    assert why(question, sentence, heading) == reason


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("What does the ferry cost?", "What does it cost? The ferry costs 4 euros."),
        ("What is the deposit?", "Deposit: 40 euros"),
        ("Which show did Ida Kolk win?", "Ida Kolk was the first winner of the show Who Sails Best?"),
        ("押金是多少？", "押金：40元"),
        ("What is the code of the north gate?", "| North gate | 5512 |"),
        ("When was v2.6 released?", "## v2.6 - 2024-11-19"),
        ("Is the hull waterproof?", "The hull is waterproof."),
        ("Who keeps the north gate?", "| North gate | Tilda Roos |"),
    ],
)
def test_what_says_something(question: str, sentence: str) -> None:
    """Rows, headings and short replies that hold the value are answers."""
    assert why(question, sentence) is None


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How long is the loan?", "We considered 45 days and decided against it."),
        ("How much is the berth?", "It was proposed to raise the berth to 150 euros."),
        ("How much is the berth?", "The proposal was rejected."),
        ("How much is the berth?", "The motion for 150 euros was voted down."),
        ("借期是多少天？", "有人提议借期改为45天。"),
        ("借期是多少天？", "45天的提案未获通过。"),
        ("泊位费是多少？", "会上曾建议提高到150元，但未被采纳。"),
    ],
)
def test_what_was_only_proposed(question: str, sentence: str) -> None:
    """A figure that was voted down is told as the price."""
    assert why(question, sentence) == "rejected"


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("How much is the berth?", "The proposal to charge 150 euros was approved."),
        ("What was proposed for the berth?", "It was proposed to raise the berth to 150 euros."),
        ("How heavy may a parcel be?", "Parcels above 30 kg are rejected."),
        ("What is the dose?", "The suggested dose is 5 mg."),
        ("借期是多少天？", "借期改为45天的提案获得通过。"),
        ("委员会提议了什么？", "委员会提议把借期改为45天。"),
    ],
)
def test_what_was_agreed(question: str, sentence: str) -> None:
    """Words of proposals alone do not make a statement void."""
    assert why(question, sentence) is None


@pytest.mark.parametrize(
    "text",
    [
        "{{ site.port }}",
        "{% include x %}",
        "${PORT}",
        "port |port|.",
        "<your-token>",
        "Fee: TBD",
        "费用待定",
        "The {port-number} is",
        "TODO",
    ],
)
def test_gaps(text: str) -> None:
    """A template's tag is given as the value."""
    assert placeholder(text)


@pytest.mark.parametrize(
    "text", ["a | b | c", "|a|b|", "x < y and y > z", "<b>bold</b>", "GET /users/{id}", "a {set} of", "40 euros"]
)
def test_no_gaps(text: str) -> None:
    """Tables, markup and paths are text as any other."""
    assert placeholder(text) is (text == "a {set} of")


def test_a_gap_matters_where_the_value_should_stand() -> None:
    """The value may stand beside the gap."""
    assert why("Which port does the relay use?", "The relay uses port {{ relay.port }}.") == "a placeholder"
    assert why("How many workers start?", "{{ product }} starts 6 workers.") is None
    assert (
        why("How do I sign in?", "Send the header X-Key with <your-token> and call the login page first.") is None
    )


@pytest.mark.parametrize(
    ("sentence", "following", "needed"),
    [
        ("Loans run for 30 days.", "Except for maps, which may not leave the house.", True),
        ("Loans run for 30 days.", "However, maps must be returned the same day.", True),
        ("Loans run for 30 days.", "This does not apply to maps.", True),
        ("Loans run for 30 days.", "However, the library is in the old mill.", False),
        ("Loans run for 30 days.", "The library is in the old mill.", False),
        ("It was proposed to charge 150 euros.", "The proposal was rejected.", True),
        ("借期为30天。", "但地图除外。", True),
        ("借期为30天。", "除非另有约定。", True),
        ("借期为30天。", "图书馆在老磨坊里。", False),
    ],
)
def test_exceptions_belong_to_their_rule(sentence: str, following: str, needed: bool) -> None:
    """The rule without its exception is a wrong answer for whoever falls under it."""
    assert needs_next(sentence, following) is needed


def test_the_current_part_of_a_sentence_that_tells_both() -> None:
    """Short, and the part that holds."""
    now = analyze("What does the ferry cost?")
    both = "The ferry cost 4 euros until 2021, but now it costs 6 euros."
    assert current_part(both, now) == "now it costs 6 euros."
    assert current_part(both, analyze("What did the ferry cost until 2021?")) == both
