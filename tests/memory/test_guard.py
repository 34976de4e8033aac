"""Rewordings are told from other questions, in both languages."""

import pytest

from ragheal.memory.guard import alike, difference, subject
from ragheal.memory.normal import normalised


def same(one, other):
    return alike(subject(one), subject(other), 0.97, 0.93)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What are the limits of plan A?", "What are the limits of plan B?"),
        ("What did revenue come to in 2023?", "What did revenue come to in 2024?"),
        ("What changed in v2.3.1?", "What changed in v2.3.2?"),
        ("What caused incident INC-2041?", "What caused incident INC-2014?"),
        ("What does max_rounds do?", "What does max_hops do?"),
        ("What happens at 80 % load?", "What happens at 90 % load?"),
        ("Who leads the Firmware team?", "Who leads the Quality team?"),
        ("What is the maximum timeout of the gateway?", "What is the minimum timeout of the gateway?"),
        ("How do I enable the audit log?", "How do I disable the audit log?"),
        ("Which ports are open by default?", "Which ports are not open by default?"),
        ("What was the capital before 1920?", "What was the capital after 1920?"),
        ("When did the Heron gateway ship?", "Where did the Heron gateway ship?"),
        ("What is the price of the Heron gateway?", "What is the weight of the Heron gateway?"),
        ("What does the second phase cover?", "What does the third phase cover?"),
        ("A套餐的额度是多少？", "B套餐的额度是多少？"),
        ("2023年的营收是多少？", "2024年的营收是多少？"),
        ("李明负责哪个项目？", "王芳负责哪个项目？"),
        ("接口每分钟最多调用 600 次吗？", "接口每分钟最多调用 300 次吗？"),
        ("最高温度是多少？", "最低温度是多少？"),
        ("如何启用审计日志？", "如何停用审计日志？"),
        ("药房技术员的职责是什么？", "药房技术员以前的职责是什么？"),
        ("网关是什么时候发布的？", "网关是在哪里发布的？"),
        ("剑客生涯的作者是谁？", "剑客生涯的主角是谁？"),
        ("What is the limit?", "限制是多少？"),
    ],
)  # fmt: skip
def test_another_question(one, other):
    """Recalling the plan of another question spends searches on the wrong thing."""
    assert not same(one, other)
    assert not same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What are the limits of plan A?", "Could you tell me the limits of plan A?"),
        ("What is the price of a Fulmar tag?", "How much does a Fulmar tag cost?"),
        ("Which certificates are needed for the deployment?", "certificates required for deployment"),
        ("Who leads the team that maintains Ptarmigan?", "Who is the lead of the team that maintains Ptarmigan?"),
        ("What happens when the buffer is more than 80 % full?", "What happens if the buffer is over 80 percent full?"),
        ("What does max_rounds do?", "what is max_rounds doing?"),
        ("封存的货物要贴什么颜色的标签？", "封存货物要贴哪种颜色的标签？"),
        ("封存的货物要贴什么颜色的标签？", "被封存的貨物要貼什麼顏色的標籤？"),
        ("运单接口的限流策略是什么？", "请介绍一下运单接口的限流策略"),
        ("A套餐的额度是多少？", "请问A套餐的额度有多少？"),
        ("雪鸮冷藏箱空箱有多重？", "雪鸮冷藏箱的空箱重量是多少？"),
    ],
)  # fmt: skip
def test_the_same_question(one, other):
    """A guard that lets nothing through makes the memory useless."""
    assert same(one, other), (difference(subject(one), subject(other)), subject(one), subject(other))
    assert same(other, one)


def test_words_do_not_make_up_for_a_far_vector():
    """Both have to agree."""
    assert not alike(subject("price of a tag"), subject("price of a tag"), 0.92, 0.93)


def test_what_only_looks_different():
    """Width, script, case and punctuation are not worth a second entry; signs with sense are kept."""
    assert normalised("基隆倉一共有幾座月台？") == normalised(" 基隆仓一共有几座月台")
    assert normalised("What is Ｃ++?") == normalised("what is c++")
    assert normalised("above -20 °C") != normalised("above 20 °C")
