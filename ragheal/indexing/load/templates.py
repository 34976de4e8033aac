"""Values that another program fills in: `{{ site.version }}`, `{% include x %}`, `{{< param "x" >}}`, `|name|`.

What only steers the page is nothing; what stands for a value is told as unresolved, so that nobody takes its
name for the value.
"""

from __future__ import annotations

import re

#: Liquid, Jinja, Hugo, Vue, Handlebars.
TEMPLATE = re.compile(
    r"\{\{\{?(?:(?!\}\}).){0,400}\}\}\}?|\{%(?:(?!%\}).){0,400}%\}|\{#(?:(?!#\})[^\n]){1,400}#\}", re.DOTALL
)
_VALUE = re.compile(
    r"\{%-?\s*(?:data|var|value)\s+([\w.-]+)|\{\{[<%]\s*(?:param|var|value|get)\s+\"?([\w.-]+)|\{\{[<%]\s*([\w.-]+)\s*/?[>%]"
    r"|\{\{\{?-?\s*([^{}<%/#>!][^{}|]*?)\s*(?:\|[^{}]*)?-?\}"
)
# Shortcodes that show something of their own, or frame what stands between them.
_FRAMES = re.compile(
    r"(?:note|tip|info|hint|warning|caution|danger|alert|callout|admonition|tabs?|tabpane|details|expand|columns?|"
    r"steps?|cards?|center|highlight|figure|youtube|toc|br|icon|button|ref|relref|pageinfo|comment|include|raw)\Z",
    re.IGNORECASE,
)
#: A value that stands nowhere in the file.
OPEN, CLOSE = "⟨", "⟩"


def filled(template: str) -> str:
    """What a reader of the source sees of a template: "⟨name⟩" for a value, "" for what steers the page."""
    found = _VALUE.match(template)
    name = next((part for part in found.groups() if part), "") if found else ""
    name = " ".join(name.split())
    if not name or _FRAMES.match(name):
        return ""
    return f"{OPEN}{name[:60]}{CLOSE}"
