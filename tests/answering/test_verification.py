"""The veto: numbers, dates, times, identifiers and quotations of an answer stand in what it cites, however written."""

from __future__ import annotations

import pytest

from ragheal.answering.verification import split_claims, veto
from ragheal.types import Claim, Draft

HELD = [
    # numbers
    ("It has 1,200 seats.", "It has 1200 seats."),
    ("It has 1 200 seats.", "It has 1,200 seats."),
    ("It has 1200 seats.", "它有一千二百个座位。"),
    ("共有一千二百个座位。", "It has 1,200 seats."),
    ("It has twelve hundred seats.", "It has 1,200 seats."),
    ("It has 1,200 seats.", "It has one thousand two hundred seats."),
    ("It has one hundred and twenty seats.", "Seats: 120"),
    ("It cost 1.2 million.", "It cost 1,200,000 in all."),
    ("投资一百二十万。", "The investment was 1.2 million."),
    ("人口为3.5万。", "Population: 35,000"),
    ("约有三万五千人。", "有3.5万人参加。"),
    ("共3亿5000万次。", "350,000,000 times"),
    ("It weighs 9.40 kg.", "Weight | 9.4 kg"),
    ("The unit costs 84 EUR.", "Fulmar | €84.00"),
    ("单价为84欧元。", "price: EUR 84.00"),
    ("Each box has two doors.", "每个箱子有两扇门。"),
    ("该组有三名成员。", "The team has 3 members."),
    ("The limit is forty requests.", "The limit is 40 requests."),
    ("A dozen boxes fit.", "12 boxes fit."),
    ("Half a million rows were read.", "500000 rows were read."),
    # negative numbers, ranges, percentages, fractions, ordinals
    ("It works down to -20 °C.", "between −20 °C and +60 °C"),
    ("最低零下20度。", "It works down to -20 °C."),
    ("It works down to minus 20 degrees.", "最低工作温度为零下20摄氏度"),
    ("It reached 20 degrees below zero.", "最低 -20 ℃"),
    ("Use 10 to 20 MB.", "Use 10–20 MB."),
    ("使用10至20 MB。", "Use 10-20 MB."),
    ("About 35 % of all.", "35 percent of all"),
    ("占百分之三十五。", "35% of all"),
    ("三成的货物延误。", "30% of the goods were late"),
    ("One third of the goods were late.", "三分之一的货物延误"),
    ("They came 3rd.", "They came third."),
    ("获得第三名。", "They came 3rd."),
    ("in the third quarter", "第三季度"),
    # units
    ("Packages may have 5 GB.", "at most 5GB"),
    ("It takes 90 minutes.", "takes 1.5 hours"),
    ("暂停 30 分钟。", "pauses for 30 minutes"),
    ("等待半小时以上，即30分钟。", "wait 30 min"),
    ("It is 12.5 km long.", "全长12.5公里。"),
    ("It is 1,200 m long.", "It is 1.2 km long."),
    ("Readings are kept for 400 days.", '"raw_days": 400, kept by the day'),
    ("The timeout is 30 seconds.", "timeout_s = 30"),
    ("The timeout is 30 ms.", "timeout_ms = 30"),
    ("Reply within 3 business days.", "请在3个工作日内答复"),
    ("保修期为36个月。", "The warranty is 3 years."),
    ("每分钟最多600次。", "600 calls per minute"),
    ("At most 40 requests per second.", "a QPS quota of 40"),
    # dates and times
    ("It opened on 3 March 2026.", "opened 2026-03-03"),
    ("It opened on March 3rd, 2026.", "于2026年3月3日启用"),
    ("于2026年3月3日启用。", "It opened on 3 March 2026."),
    ("二〇二六年三月三日启用。", "opened 2026/3/3"),
    ("It opened in March 2026.", "It opened on 3 March 2026."),
    ("It opened in 2026.", "It opened on 2026-03-03."),
    ("2026年启用。", "opened 3 Mar 2026"),
    ("3月启用。", "It opens in March."),
    ("It opened on 3 March.", "于3月3日启用"),
    ("Closed from 12:30 PM.", "closed from 12:30"),
    ("中午12点半关门。", "closes at 12:30 PM"),
    ("closes at 12:30", "中午十二点半关门"),
    ("It starts at 7 pm.", "晚上7点开始"),
    ("19:00开始。", "starts at 7:00 p.m."),
    ("It ends at noon.", "12:00 结束"),
    ("Changes are made on Wednesdays at 22:00.", "每周三 22:00 至次日 02:00"),
    ("每逢星期三变更。", "Changes go out every Wednesday."),
    ("in the 1990s", "上世纪90年代"),
    ("建于十九世纪。", "built in the 19th century"),
    # identifiers
    ("Released as v2.3.1.", "version 2.3.1 was released"),
    ("已升级到v2.3.1版本。", "2.3.1"),
    ("Set max_rounds first.", "`max_rounds` is set"),
    ("The cell is an ER26500.", "电池型号ER26500。"),
    ("Incident INC 2041 was closed.", "INC-2041"),
    ("它的防护等级是IP68。", "rated IP 68"),
    ("It listens on 10.0.0.1:8471.", "listen = 10.0.0.1:8471"),
    # quotations
    ('The manual says "pauses dispatch".', "The scheduler pauses\n   dispatch for thirty minutes."),
    ("手册写道：“暂停派单”。", "调度器會暫停派單 30 分鐘。"),
    ("规定为「红色标签」。", "须贴“红色标签”。"),
    ("It says “keep … dry”.", "Please keep the box dry."),
    ("《员工手册》规定迟到扣分。", "迟到扣分，见规定。"),
    # what is not counted
    ("The one that pauses is the scheduler.", "The scheduler pauses."),
    ("这十分重要，千万不要忘记。", "重要，不要忘记。"),
    ("The plan has two parts: loading and sealing.", "The plan is loading, then sealing."),
]

ABSENT = [
    ("It has 1,200 seats.", "It has 1,300 seats.", "1,200"),
    ("It has 1200 seats.", "它有一千三百个座位。", "1200"),
    ("共有一千二百个座位。", "It has 1,300 seats.", "一千二百"),
    ("It has forty seats.", "It has 400 seats.", "forty"),
    ("该组有五名成员。", "The team has 3 members.", "五"),
    ("Packages may have 5 GB.", "at most 5 MB", "5 gb"),
    ("最大5 GB。", "最大 5 MB", "5 gb"),
    ("暂停 30 分钟。", "pauses for 30 seconds", "30 分钟"),
    ("保修期两年。", "保修期一年。", "两年"),
    ("Reply within 3 days.", "within 3 business days", "3 days"),
    ("It costs 84 USD.", "It costs 84 EUR.", "84 usd"),
    ("售价84元。", "costs 84 EUR", "84元"),
    ("The limit is 40 MB.", "The limit is 40 requests.", "40 mb"),
    ("It works at 20 °C.", "works at −20 °C", "20 °c"),
    ("About 53 % of all.", "35 percent of all", "53 %"),
    ("占百分之五十三。", "35% of all", "百分之五十三"),
    ("It has 3 members.", "It was founded on 3 March 2026.", "3"),
    ("It opened on 3 March 2026.", "opened 2026-03-04", "3 march 2026"),
    ("于2026年3月3日启用。", "It opened on 3 April 2026.", "2026年3月3日"),
    ("It opened in March 2025.", "It opened on 3 March 2026.", "march 2025"),
    ("It opened on 3 March 2026.", "It opened in March 2026.", "3 march 2026"),
    ("It opened in 2025.", "It opened on 2026-03-03.", "2025"),
    ("2025年启用。", "opened in 2026", "2025年"),
    ("Closed from 12:30 AM.", "closed from 12:30", "12:30 am"),
    ("晚上7点开始。", "starts at 7 am", "晚上7点"),
    ("Changes are made on Mondays.", "每周三 22:00", "mondays"),
    ("每逢星期三变更。", "Changes go out every Monday.", "星期三"),
    ("in the 1980s", "上世纪90年代", "1980s"),
    ("Released as v2.3.1.", "version 2.3.10 was released", "v2.3.1"),
    ("Released as v2.3.10.", "version 2.3.1 was released", "v2.3.10"),
    ("Set max_hops first.", "`max_rounds` is set", "max_hops"),
    ("The cell is an ER26500.", "The cell is an ER14505.", "er26500"),
    ("Incident INC-2041 was closed.", "INC-2042", "inc-2041"),
    ('The manual says "stops dispatch".', "The scheduler pauses dispatch.", "stops dispatch"),
    ("手册写道：“停止派单”。", "调度器会暂停派单。", "停止派单"),
    ("The cat sat upon velvet cushions.", "The scheduler pauses dispatch.", "does not speak"),
    ("They came 4th.", "They came third.", "4th"),
    ("The limit is 40", "The limit is 400", "40"),
    ("It is v2.3.1", "It is v2.3.10.", "v2.3.1"),
    ("20 °C is the least", "-20 °C is the least", "20 °c"),
    ("Two thirds of the goods were late.", "三分之一的货物延误", "two third"),
]


def problems(claim: str, source: str, question: str = "") -> tuple[str, ...]:
    return veto(Draft((Claim(claim, (1,)),), ()), {1: source}, question)


@pytest.mark.parametrize(("claim", "source"), HELD)
def test_one_thing_however_written(claim: str, source: str) -> None:
    """A right answer in other words or another language must not be thrown away."""
    assert problems(claim, source) == ()


@pytest.mark.parametrize(("claim", "source", "said"), ABSENT)
def test_what_is_not_there_is_vetoed(claim: str, source: str, said: str) -> None:
    """A number that the source does not have is a wrong answer, however fluent it is."""
    found = problems(claim, source)
    assert found
    assert said in found[0].lower()


@pytest.mark.parametrize(("claim", "source"), HELD)
def test_a_passage_supports_itself(claim: str, source: str) -> None:
    """A verbatim quotation is never vetoed, whatever it holds."""
    assert problems(source, f"Before. {source} After.") == ()
    assert problems(claim, claim) == ()


def test_what_the_question_says_may_be_repeated() -> None:
    """ "Yes, 5 GB is too much" cites the limit; the 5 GB are the user's."""
    assert problems("A package of 5 GB is too large.", "A package has at most 180 MB.", "Is 5 GB fine?") == ()


def test_citations_exist_and_every_statement_has_one() -> None:
    """[5] with one source is invented; a sentence without a source is nobody's."""
    draft = Draft((Claim("Dispatch pauses.", (5,)), Claim("It lasts 30 minutes.")), ())
    assert veto(draft, {1: "Dispatch pauses."}, "") == (
        "claim 1: cites [5], which does not exist",
        "claim 2: no citation",
    )


@pytest.mark.parametrize(
    "text", ["The steps are:", "步骤如下：", "The documents do not say who led it.", "文档没有提到负责人。"]
)
def test_openings_and_doubts_need_no_source(text: str) -> None:
    """Saying that something is not in the documents cannot be cited from them."""
    assert veto(Draft((Claim(text),), ()), {}, "") == ()


def test_a_lead_is_held_to_the_sources() -> None:
    """The short head of an answer is what people read."""
    draft = Draft((Claim("It has 40 seats.", (1,)),), (), lead="400 seats")
    assert veto(draft, {1: "It has 40 seats."}, "") == ("lead: 400 is not in the cited text",)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("A is 5. [1] B is 6 [2].", [("A is 5.", (1,)), ("B is 6.", (2,))]),
        ("A is 5 [1, 2].", [("A is 5.", (1, 2))]),
        ("A is 5 [1][3]. B.", [("A is 5.", (1, 3)), ("B.", ())]),
        ("A [1-3] holds.", [("A holds.", (1, 2, 3))]),
        ("- A is 5 [1]\n- B is 6 [2]", [("A is 5", (1,)), ("B is 6", (2,))]),
        ("甲是五。[1]乙是六【2】。", [("甲是五。", (1,)), ("乙是六。", (2,))]),
        ("A is v2.3.1 [1].\n\n[2]", [("A is v2.3.1.", (1, 2))]),
        ("", []),
        ("[1]", []),
    ],
)
def test_prose_comes_apart_into_claims(text: str, claims: list[tuple[str, tuple[int, ...]]]) -> None:
    """A mark that slips to the next sentence would make the wrong source vouch for it."""
    language = "zh" if "甲" in text else "en"
    assert [(claim.text, claim.cites) for claim in split_claims(text, language)] == claims  # type: ignore[arg-type]
