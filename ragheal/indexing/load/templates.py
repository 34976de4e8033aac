"""Values that another program fills in: `{{ site.version }}`, `{% include x %}`, `{{< param "x" >}}`, `|name|`.

What only steers the page is nothing; what stands for a value is told as unresolved, so that nobody takes its
name for the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragheal.text.instructions import CLOSE, OPEN

__all__ = ["CLOSE", "OPEN", "RAW", "TEMPLATE", "filled", "shown"]

_PAGE = r"\{\{\{?(?:(?!\}\}).){0,400}\}\}\}?|\{%(?:(?!%\}).){0,400}%\}|\{#(?:(?!#\})[^\n]){1,400}#\}"
#: Liquid, Jinja, Hugo, Vue, Handlebars.
TEMPLATE = re.compile(_PAGE + r"|\$\{[A-Za-z_][\w.]{0,60}\}", re.DOTALL)
_IN_PAGE = re.compile(_PAGE, re.DOTALL)
_VALUE = re.compile(
    r"\{%-?\s*(?:data|var|value)\s+([\w.-]+)|\{\{[<%]\s*(?:param|var|value|get)\s+\"?([\w.-]+)|\{\{[<%]\s*([\w.-]+)\s*/?[>%]"
    r"|\$\{([\w.]+)\}|\{\{\{?-?\s*([^{}<%/#>!][^{}|]*?)\s*(?:\|[^{}]*)?-?\}"
)
# Shortcodes that show something of their own, or frame what stands between them.
_FRAMES = re.compile(
    r"(?:note|tip|info|hint|warning|caution|danger|alert|callout|admonition|tabs?|tabpane|details|expand|columns?|"
    r"steps?|cards?|center|highlight|figure|youtube|toc|br|icon|button|ref|relref|pageinfo|comment|include|raw)\Z",
    re.IGNORECASE,
)
# Values of the site, which its generator fills in within code as well.
_SITE = re.compile(
    r"\{\{-?\s*(?:site|page|include|layout|config|book|vars|data|theme)\.[\w.\[\]\"'-]+[^{}]*\}\}"
    r"|\{\{[<%]\s*(?:param|var|value|get)\s[^{}]{1,200}[>%]\}\}"
)
#: What stands between is meant as it stands; the tags around it are not.
RAW = re.compile(r"\{%-?\s*(?:raw|verbatim)\s*-?%\}(.{0,4000}?)\{%-?\s*end(?:raw|verbatim)\s*-?%\}", re.DOTALL)
_SIGNS = ("{{", "{%", "{#")
_INCLUDED = re.compile(r"\{%-?\s*include(?:_relative|_cached)?\s+[\"']?([\w./-]{1,60})")
_WORDS = re.compile(r"\{%-?\s*data\s+(?:[\w-]+\.)*([\w-]+)\s*-?%\}")


def filled(template: str, *, within: bool = False) -> str:
    """What a reader of the source sees of a template: "⟪name⟫" for a value, "" for what steers the page.

    `within` a line, what is included stands for some words of it.
    """
    if within and (included := _INCLUDED.match(template)):
        return f"{OPEN}{included[1]}{CLOSE}"
    if named := _WORDS.match(template):
        return named[1].replace("_", " ")  # the name of a product or the like: it reads on
    found = _VALUE.match(template)
    name = next((part for part in found.groups() if part), "") if found else ""
    name = " ".join(name.split())
    if not name or _FRAMES.match(name):
        return ""
    return f"{OPEN}{name[:60]}{CLOSE}"


def shown(text: str, *, code: bool = False) -> Iterator[tuple[str, int, int]]:
    """The pieces of a text as they are seen, each with the offsets that it stands for.

    In code only the values of the site are unresolved; all else in it is meant as it stands.
    """
    at = 0
    if any(sign in text for sign in _SIGNS):
        for start, end, inner, said in sorted(
            _templates(text, _SITE if code else _IN_PAGE), key=lambda one: (one[0], -one[1])
        ):
            if start < at:
                continue
            if start > at:
                yield text[at:start], at, start
            if inner:
                yield said, *inner
            elif said:
                yield said, start, end
            at = end
    if at < len(text):
        yield text[at:], at, len(text)


def _templates(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, tuple[int, int] | None, str]]:
    for found in RAW.finditer(text):
        yield *found.span(), found.span(1), found[1]
    for found in pattern.finditer(text):
        yield *found.span(), None, filled(found.group())
