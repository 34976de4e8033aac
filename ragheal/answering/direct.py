"""Questions that need no documents: greetings, thanks, talk about the conversation, arithmetic."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable

from ragheal.text.script import fold, lang
from ragheal.types import Lang

_REPLIES: dict[str, dict[Lang, str]] = {
    "greeting": {
        "en": "Hello. Ask me something about the indexed documents.",
        "zh": "你好。请就已索引的文档提问。",
    },
    "thanks": {"en": "You are welcome.", "zh": "不客气。"},
    "conversation": {
        "en": "I am ragheal: I answer questions from the documents you indexed, with sources, or say that they do not answer.",
        "zh": "我是 ragheal：根据你索引的文档回答问题并给出来源；文档里没有的，我会直说。",
    },
}
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_FRAME = re.compile(
    r"^(?:please |请)?(?:(?:what is|what's|what does|how much is|calculate|compute|evaluate|work out)\b|计算一下|计算|算一下|算算|请问)?\s*"
    r"(?P<sum>[\d\s.,()+\-*/%^x×÷−·加减乘除以]+?)\s*(?:equals?|=|等于多少|等于几|是多少|是几|得多少|得几)?\s*[?？=]*$"
)
_WORDS = (
    ("除以", "/"),
    ("加", "+"),
    ("减", "-"),
    ("乘以", "*"),
    ("乘", "*"),
    ("×", "*"),
    ("x", "*"),
    ("÷", "/"),
    ("−", "-"),
    ("^", "**"),
)


def reply(rule: str, question: str) -> str | None:
    """The reply of a named rule ("greeting", "thanks", "conversation", "arithmetic")."""
    if rule == "arithmetic":
        return arithmetic(question)
    replies = _REPLIES.get(rule)
    return replies[lang(question)] if replies else None


def arithmetic(question: str) -> str | None:
    """The value of a sum such as "what is 17*3"; None when the question is anything else or cannot be worked out."""
    match = _FRAME.match(fold(question).strip())
    if not match:
        return None
    text = match["sum"]
    for word, sign in _WORDS:
        text = text.replace(word, sign)
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text).strip()
    if not re.search(r"\d\s*(?:[-+/%]|\*{1,2})\s*[\d(]", text) or re.search(r"\d-\d+-\d", text):
        return None  # a lone number or a date is no sum
    try:
        value = _value(ast.parse(text, mode="eval").body)
    except ZeroDivisionError:
        return f"{text}: 除数不能为零。" if lang(question) == "zh" else f"{text}: division by zero has no value."
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return f"{text.replace('**', '^')} = {value:,.10g}" if isinstance(value, float) else f"{text} = {value}"


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
        return node.value  # type: ignore[return-value]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow) and (abs(right) > 64 or abs(left) > 1e6):
            raise ValueError("too large")  # 9**9**9 must not hang the terminal
        return _OPERATORS[type(node.op)](left, right)
    raise ValueError("not arithmetic")
