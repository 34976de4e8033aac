"""A question in the form in which it is compared with itself: width, case, script and punctuation do not count."""

from __future__ import annotations

import re

from ragheal.text.script import fold, simplified


def normalised(question: str) -> str:
    """Equal for questions that only look different. Signs that carry sense, as in `c++` or `-20`, stay."""
    text = fold(simplified(question))
    text = re.sub(r"[\s\"'“”‘’「」『』，,。;；:：、!！?？]+", " ", text)
    return text.strip(" .")
