"""Two true values and the wrong winner is a wrong answer with two good citations."""

from __future__ import annotations

import pytest

from ragheal.text.comparing import holds_for_all, options, outcome, told
from ragheal.text.questions import analyze


@pytest.mark.parametrize(
    ("question", "first", "second", "result"),
    [
        ("Which was launched earlier, the Heron or the Puffin?", "5 March 1950", "1948", "the Puffin"),
        ("Which was launched later, the Heron or the Puffin?", "5 March 1950", "1948", "the Heron"),
        ("Which opened more recently, the Heron or the Puffin?", "2004", "2011", "the Puffin"),
        ("Who is older, Ida Kolk or Piet Loos?", "born 3 May 1950", "born in 1962", "Ida Kolk"),
        ("Who is older, Ida Kolk or Piet Loos?", "34 years", "51 years old", "Piet Loos"),
        ("Who is younger, Ida Kolk or Piet Loos?", "1950", "1962", "Piet Loos"),
        ("Which is heavier, the Heron or the Puffin?", "900 g", "1.2 kg", "the Puffin"),
        ("Which is cheaper, the Heron or the Puffin?", "$900", "$1,200", "the Heron"),
        ("Which is faster, the Heron or the Puffin?", "40 km/h", "55 km/h", "the Puffin"),
        ("Which is faster, the Heron or the Puffin?", "40 minutes", "half an hour", "the Puffin"),
        ("Which takes fewer crates, the Heron or the Puffin?", "a dozen", "8", "the Puffin"),
        ("Is the Heron heavier than the Puffin?", "900 g", "1.2 kg", "No"),
        ("Is the Heron heavier than the Puffin?", "1.5 kg", "1.2 kg", "Yes"),
        ("Is the Heron heavier than the Puffin?", "1.2 kg", "1200 g", "No"),
        ("Do the Heron and the Puffin have the same length?", "12 m", "1200 cm", "Yes"),
        ("Are the Heron and the Puffin from the same yard?", "Kolk & Sons", "Loos", "No"),
        ("How much heavier is the Heron than the Puffin?", "1.5 kg", "1.2 kg", "0.3 kg"),
        ("How much heavier is the Heron than the Puffin?", "1.2 kg", "1.5 kg", "the Puffin (by 0.3 kg)"),
        ("How many days after the Heron did the Puffin sail?", "1 March 2024", "15 April 2024", "45 days"),
        ("How much older is Ida Kolk than Piet Loos?", "1950", "1962", "12 years"),
        ("雪鸮和白鹭，哪个更重？", "900克", "1.2公斤", "白鹭"),
        ("雪鸮和白鹭哪个更早下水？", "1950年3月", "1948年", "白鹭"),
        ("张三和李四谁更年轻？", "1990年", "1985年", "张三"),
        ("雪鸮比白鹭重吗？", "900克", "1.2公斤", "不是"),
        ("雪鸮比白鹭重多少？", "1.5公斤", "1.2公斤", "0.3公斤"),
        ("雪鸮和白鹭的长度相同吗？", "12米", "1200厘米", "是"),
    ],
)
def test_outcome(question: str, first: str, second: str, result: str) -> None:
    """The winner follows from the values and from what the question calls winning."""
    asked = analyze(question)
    names = options(asked) or ("the Heron", "the Puffin")
    assert outcome(asked, list(zip(names, (first, second), strict=True))) == result


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Which is heavier, the Heron or the Puffin?", "1.2 kg", "12 m"),
        ("Which is heavier, the Heron or the Puffin?", "1.2 kg", "1200 g"),
        ("Which is heavier, the Heron or the Puffin?", "about 1.2 kg", "1.25 kg"),
        ("Which is heavier, the Heron or the Puffin?", "1.2 kg", ""),
        ("Which was launched earlier, the Heron or the Puffin?", "1950", "5 March 1950"),
        ("Which was launched earlier, the Heron or the Puffin?", "12 m", "14 m"),
        ("Which is heavier, the Heron or the Puffin?", "1950", "1962"),
        ("雪鸮和白鹭，哪个更重？", "1.2公斤", "三天"),
    ],
)
def test_nothing_is_decided(question: str, first: str, second: str) -> None:
    """A guess between values that do not decide is worse than showing both."""
    asked = analyze(question)
    assert outcome(asked, list(zip(asked.options, (first, second), strict=True))) == ""


@pytest.mark.parametrize(
    ("question", "pair"),
    [
        ("Is the Heron heavier than the Puffin?", ("the Heron", "the Puffin")),
        ("How much longer is the Heron than the Puffin?", ("the Heron", "the Puffin")),
        ("Does the Heron carry more crates than the Puffin?", ("the Heron", "the Puffin")),
        ("How many more crates does the Heron carry than the Puffin?", ("the Heron", "the Puffin")),
        ("雪鸮比白鹭重吗？", ("雪鸮", "白鹭")),
        ("How heavy is the Heron?", ()),
    ],
)
def test_the_sides_of_than(question: str, pair: tuple[str, ...]) -> None:
    """A comparison whose sides are not seen is searched as one thing."""
    assert options(analyze(question)) == pair


LIVES = {
    "Ida Kolk": ("Ida Kolk (3 May 1901, in Ashgrove – 9 March 1977) built boats.", "3 May 1901"),
    "Piet Loos": ("Piet Loos (1899 – 1960) was a sailmaker.", "1899 – 1960"),
}


@pytest.mark.parametrize(
    ("question", "result"),
    [
        ("Who was born first, Ida Kolk or Piet Loos?", "Piet Loos"),
        ("Who died first, Ida Kolk or Piet Loos?", "Piet Loos"),
        ("Who died later, Ida Kolk or Piet Loos?", "Ida Kolk"),
        ("Who lived longer, Ida Kolk or Piet Loos?", "Ida Kolk"),
        ("Who reached the greater age, Ida Kolk or Piet Loos?", "Ida Kolk"),
    ],
)
def test_a_life_in_brackets_has_a_beginning_an_end_and_a_length(question: str, result: str) -> None:
    """Biographies give both years in one bracket: the wrong one makes the older person the younger."""
    asked = analyze(question)
    sides = [(name, told(asked, value, sentence)) for name, (sentence, value) in LIVES.items()]
    assert outcome(asked, sides) == result


@pytest.mark.parametrize(
    ("question", "first", "second", "holds"),
    [
        (
            "Are both the Heron and the Puffin built in Ashgrove?",
            "It was built in Ashgrove.",
            "Ashgrove built her.",
            True,
        ),
        (
            "Are both the Heron and the Puffin built in Ashgrove?",
            "It was built in Ashgrove.",
            "Built in Hollin.",
            False,
        ),
        (
            "Are both the Heron and the Puffin built in Ashgrove?",
            "Built in Ashgrove.",
            "Never built in Ashgrove.",
            False,
        ),
        ("Were Ida Kolk and Piet Loos both sailmakers?", "She was a sailmaker.", "He was a sailmaker.", True),
    ],
)
def test_both_is_yes_only_where_each_sentence_says_it(question: str, first: str, second: str, holds: bool) -> None:
    """A yes that one of the two quotations does not bear out is a made-up answer with citations."""
    asked = analyze(question)
    assert holds_for_all(asked, list(zip(asked.options, (first, second), strict=True))) is holds
