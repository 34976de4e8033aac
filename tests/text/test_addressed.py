"""Passages that a question names by number: which they are, and which they are not."""

from __future__ import annotations

import pytest

from ragheal.text.addressed import named

LIST = "1. The gate is closed at ten.\n2. Dogs are kept on a lead.\n3. Fires are forbidden."


@pytest.mark.parametrize(
    ("question", "context", "text", "said"),
    [
        ("What does rule 2 of the park say?", "Park", LIST, "2. Dogs are kept on a lead."),
        ("What is stated in § 9?", "Statutes > § 9 Dues", "Dues are paid in May.", "Dues are paid in May."),
        ("What does chapter IV cover?", "Guide > Chapter 4: Sails", "How to mend them.", "How to mend them."),
        ("请问公园规定第三条的内容是什么？", "公园规定", "第二条 牵狗。\n第三条 禁止生火。", "第三条 禁止生火。"),
        ("When did 3.2 come out?", "News > 3.2.0", "3.2.0\n\n*Released 4 June 2019*", "4 June 2019"),
        ("3.2.0 有哪些变化？", "更新 > 3.2.0", "3.2.0\n- 新增搜索\n- 修复崩溃", "- 新增搜索\n- 修复崩溃"),
    ],
)  # fmt: skip
def test_the_passage_with_the_number(question: str, context: str, text: str, said: str) -> None:
    """An address is answered with what stands there, though the text repeats no word of the question."""
    found = named(question, context, text)
    assert found is not None
    assert text[slice(*found)] == said


@pytest.mark.parametrize(
    ("question", "context", "text"),
    [
        ("What is step 2?", "Anything", LIST),  # of which of a thousand lists?
        ("What does rule 2 of the harbour say?", "Park", LIST),
        ("What does section 4 say?", "Guide > 4.2 Sails", "How to mend them."),
        ("What does section 4 say?", "Guide > Chapter 4 Sails", "How to mend them."),
        ("What does section 4 say about masts?", "Guide > Section 4 Sails", "How to mend them."),
        ("What is the fee in section 4?", "Guide > Section 4 Sails", "How to mend them."),
        ("When did 3.2 come out?", "News > 3.2.5", "3.2.5\n\nReleased 4 June 2019"),
        ("When did 3.2 come out?", "Upgrading from 3.2 to 3.3", "Released 4 June 2019"),
        ("When did 3.2.0 come out?", "News > 3.2.0", "Support for the old server, of which few were left, ends on 1 May 2020."),
        ("第三条规定了什么？", "规定 > 第三章", "禁止生火。"),
    ],
)  # fmt: skip
def test_not_a_passage_with_another(question: str, context: str, text: str) -> None:
    """What is taken for the place asked for is told with certainty, so nothing near may be."""
    assert named(question, context, text) is None
