"""Values that another program fills in: `{{ site.version }}`, `{% include x %}`, `{{< param "x" >}}`, `|name|`.

What only steers the page is nothing; what stands for a value is told as unresolved, so that nobody takes its
name for the value.
"""

from __future__ import annotations

import re

from ragheal.text.instructions import CLOSE, OPEN

__all__ = ["CLOSE", "OPEN", "TEMPLATE", "filled", "in_code"]

#: Liquid, Jinja, Hugo, Vue, Handlebars.
TEMPLATE = re.compile(
    r"\{\{\{?(?:(?!\}\}).){0,400}\}\}\}?|\{%(?:(?!%\}).){0,400}%\}|\{#(?:(?!#\})[^\n]){1,400}#\}|\$\{[A-Za-z_][\w.]{0,60}\}",
    re.DOTALL,
)
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
_SITE = re.compile(r"\{\{-?\s*(?:site|page|include|layout|config|book|vars|data|theme)\.[\w.\[\]\"'-]+[^{}]*\}\}")
_WORDS = re.compile(r"\{%-?\s*data\s+(?:[\w-]+\.)*([\w-]+)\s*-?%\}")


def filled(template: str) -> str:
    """What a reader of the source sees of a template: "⟪name⟫" for a value, "" for what steers the page."""
    if named := _WORDS.match(template):
        return named[1].replace("_", " ")  # the name of a product or the like: it reads on
    found = _VALUE.match(template)
    name = next((part for part in found.groups() if part), "") if found else ""
    name = " ".join(name.split())
    if not name or _FRAMES.match(name):
        return ""
    return f"{OPEN}{name[:60]}{CLOSE}"


def in_code(text: str) -> str:
    """A piece of code with the values of the site marked as unresolved; all else in it is meant as it stands."""
    return _SITE.sub(lambda found: filled(found.group()), text)
