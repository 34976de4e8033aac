"""Routing: a simple question sent to multi-hop is a cost bug, a medical one sent to standard a risk."""

from __future__ import annotations

import pytest

from ragheal.settings import Settings, load
from ragheal.strategies import STRATEGIES
from ragheal.strategies.adaptive import route
from ragheal.types import ROUTES


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("hello", "direct"),
        ("Thanks a lot!", "direct"),
        ("what is 17*3", "direct"),
        ("你好！", "direct"),
        ("謝謝", "direct"),
        ("3 乘以 8 是多少", "direct"),
        ("What is the default port?", "standard"),
        ("How many days of leave do I have?", "standard"),
        ("默认端口是多少？", "standard"),
        ("Which was released earlier, the Heron or the Puffin?", "multi_hop"),
        ("Who is the manager of the author of the handbook?", "multi_hop"),
        ("雪鸮和白鹭哪个容积更大？", "multi_hop"),
        ("维护调度器的那个团队的负责人是谁？", "multi_hop"),
        ("What is the maximum dosage of paracetamol?", "self_rag"),
        ("这种药有什么禁忌？", "self_rag"),
        ("Write me a poem about gateways", "generative"),
        ("帮我写一封邮件", "generative"),
    ],
)
def test_route(question: str, expected: str) -> None:
    """The rules of both languages."""
    assert route(question, Settings()).route == expected


def test_a_flag_decides_first() -> None:
    """`--strategy` is an order, and the trace says that it was one."""
    routing = route("hello", load(env={}, flags={"loop.strategy": "self_rag"}).settings)
    assert (routing.route, routing.decided_by) == ("self_rag", "flag")


def test_every_route_has_a_strategy() -> None:
    """A route without a strategy is a crash that waits for its question."""
    assert set(STRATEGIES) == set(ROUTES)
