"""A conflict that is none makes a sure answer doubtful; one that is missed makes a doubtful answer sure."""

from __future__ import annotations

import pytest

from ragheal.text.agreement import Statement, contradict
from ragheal.text.questions import analyze


def rivals(question: str, one: str | Statement, other: str | Statement) -> tuple[str, str] | None:
    a, b = (Statement(text) if isinstance(text, str) else text for text in (one, other))
    found, back = contradict(analyze(question), a, b), contradict(analyze(question), b, a)
    assert (found is None) == (back is None)
    return found


@pytest.mark.parametrize(
    ("question", "one", "other", "pair"),
    [
        (
            "How long is the warranty?",
            "The warranty is 2 years.",
            "Every lamp has a warranty of 3 years.",
            ("2 years", "3 years"),
        ),
        (
            "What does the ferry cost?",
            "The ferry costs 4 euros.",
            "The ferry costs 6 euros.",
            ("4 euros", "6 euros"),
        ),
        (
            "How many moorings does the harbour have?",
            "The harbour has 40 moorings.",
            "The harbour has 52 moorings in all.",
            ("40", "52"),
        ),
        (
            "When was the pier built?",
            "The pier was built in 1931.",
            "The pier was built in 1935.",
            ("1931", "1935"),
        ),
        ("When does the kiosk open?", "The kiosk opens at 8:00.", "The kiosk opens at 9:30.", ("8:00", "9:30")),
        (
            "Which is the deposit for a canoe?",
            "The deposit for a canoe is 40 euros.",
            "The deposit for a canoe is 55 euros.",
            ("40 euros", "55 euros"),
        ),
        ("渡轮票价是多少？", "渡轮票价为4元。", "渡轮票价为6元。", ("4元", "6元")),
        ("保修期是多久？", "灯具保修期为两年。", "灯具保修期为三年。", ("两年", "三年")),
        ("码头是哪一年建成的？", "码头建成于1931年。", "码头于1935年建成。", ("1931年", "1935年")),
    ],
)
def test_two_values_for_one_thing(question: str, one: str, other: str, pair: tuple[str, str]) -> None:
    """The reader must hear that the files disagree."""
    assert rivals(question, one, other) == pair


def test_two_names_for_one_post() -> None:
    """Two harbour masters at once are told as a conflict."""
    one = Statement("The harbour master is Ida Kolk.", value="Ida Kolk")
    other = Statement("The harbour master is Piet Loos.", value="Piet Loos")
    assert rivals("Who is the harbour master?", one, other) == ("Ida Kolk", "Piet Loos")
    full = Statement("The harbour master is Ms I. Kolk.", value="Ms I. Kolk")
    assert rivals("Who is the harbour master?", one, full) is None


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        # another place, product, version, plan, number, year
        ("How many days of leave are there?", "Staff at the Oslo yard have 30 days of leave.", "Staff at the Bergen yard have 25 days of leave."),
        ("What is the deposit?", "The deposit for a kayak is 40 euros.", "The deposit for a canoe is 55 euros."),
        ("What is the deposit?", "The deposit is 40 euros.", "The deposit for groups is 100 euros."),
        ("What is the request limit?", "The request limit of the free plan is 100.", "The request limit of the pro plan is 1,000."),
        ("What is the request limit?", "The request limit is 100.", "The gold request limit is 1,000."),
        ("Who sweeps room 7?", "Room 7 is swept by crew 3.", "Room 8 is swept by crew 4."),
        ("How long does a sweep take?", "In room 7 a sweep takes 20 minutes.", "In room 8 a sweep takes 30 minutes."),
        ("How many ships docked?", "In 2019, 340 ships docked.", "In 2020, 355 ships docked."),
        ("What is the default timeout?", "In v2.1 the default timeout is 30 seconds.", "In v2.2 the default timeout is 60 seconds."),
        ("When does the kiosk open?", "On weekdays the kiosk opens at 8:00.", "At weekends the kiosk opens at 9:30."),
        ("What does the ferry cost?", "For adults the ferry costs 4 euros.", "For children the ferry costs 2 euros."),
        # both can hold
        ("When was the pier built?", "The pier was built in 1931.", "The pier was built on 5 March 1931."),
        ("How long is the loan?", "The loan is at least 7 days.", "The loan is up to 30 days."),
        ("How long is the loan?", "The loan is half an hour.", "The loan is 30 minutes."),
        ("How many people live in Vik?", "About 5,000 people live in Vik.", "5,120 people live in Vik."),
        # another time, a proposal, an example, an average
        ("What does the ferry cost?", "The ferry cost 4 euros until 2021.", "The ferry costs 6 euros."),
        ("What does the ferry cost?", "It was proposed that the ferry costs 9 euros.", "The ferry costs 6 euros."),
        ("How long is a loan?", "A loan is, for example, 10 days.", "A loan is 30 days."),
        ("How long is a repair?", "A repair is on average 10 days.", "A repair is 12 days."),
        # other things are counted or measured
        ("How many pumps does the hall have?", "The hall has 7 pumps.", "The hall has 2 cranes."),
        ("What does the ferry cost?", "The ferry costs 4 euros per day.", "The ferry costs 20 euros per week."),
        # only one speaks of what is asked
        ("How long is the warranty of the Heron?", "The warranty of the Heron is 2 years.", "The warranty of the Puffin is 3 years."),
        ("How long is the warranty of the Heron?", "The warranty of the Heron is 2 years.", "The warranty is 3 years."),
        ("年假有多少天？", "奥斯陆办公室的年假为30天。", "卑尔根办公室的年假为25天。"),
        ("押金是多少？", "成人押金为40元。", "儿童押金为20元。"),
        ("借期是多久？", "借期为三十分钟。", "借期为半小时。"),
        ("7号箱有多重？", "7号箱重5公斤。", "8号箱重6公斤。"),
        ("渡轮票价是多少？", "2021年之前，渡轮票价为4元。", "渡轮票价为6元。"),
        ("票价是多少？", "夏季票价为4元。", "冬季票价为3元。"),
    ],
)  # fmt: skip
def test_different_things_are_no_conflict(question: str, one: str, other: str) -> None:
    """Rooms, plans, years and places have values of their own."""
    assert rivals(question, one, other) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Oslo yard > Leave", "Bergen yard > Leave"),
        ("Heron 2", "Heron 3"),
        ("Prices 2023", "Prices 2024"),
        ("Free plan", "Pro plan"),
        ("Puffin", "Heron"),
    ],
)
def test_the_headings_tell_them_apart(one: str, other: str) -> None:
    """One page for each product, all in the same words."""
    a, b = Statement("The limit is 30 days.", one), Statement("The limit is 45 days.", other)
    assert rivals("What is the limit?", a, b) is None


def test_headings_that_tell_nothing_apart() -> None:
    """Numbers of sections and the files' own titles are no difference."""
    a = Statement("The limit is 30 days.", "House rules of the harbour > 3. Limit")
    b = Statement("The limit is 45 days.", "4 Limit")
    assert rivals("What is the limit?", a, b) == ("30 days", "45 days")


def test_what_holds_places_and_lists_is_no_conflict() -> None:
    """A town and its country, or two of several members, are all right."""
    town = Statement("The yard lies in Oslo.", value="Oslo")
    country = Statement("The yard lies in Norway.", value="Norway")
    assert rivals("Where is the yard?", town, country) is None
    one = Statement("Ida Kolk is a member of the board.", value="Ida Kolk")
    other = Statement("Piet Loos is a member of the board.", value="Piet Loos")
    assert rivals("Who are the members of the board?", one, other) is None
