"""What other dialects of Markdown add to its blocks, brought to what CommonMark reads, line for line.

Fences of admonitions (`:::`, `///`, `!!!`, `> [!note]`), tabs, include directives, table-of-contents tags, lines
of attributes, remarks between `%%`, and the imports of MDX. Lines keep their number, so places stay right.
"""

from __future__ import annotations

import re

_ANY = re.compile(
    r"^\s*(?::::|///|!!!|\?\?\?|===|>\s*\[!|--8<--|\{[%{:#!]|%%|import\s|export\s|\[\[?_?toc|<<<|@include|\.\.\.)"
    r"|\{%|^ {4,}</?[a-z]",
    re.MULTILINE | re.IGNORECASE,
)
_CODE = re.compile(r"\s*(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_FENCED = re.compile(r"(\s*)(?::{3,}|/{3,})[ \t]*(?:\{[^{}]*\}|[\w-]*)[ \t]*[|:]?[ \t]*(.*?)\s*\Z")
_INDENTED = re.compile(r"(\s*)(?:!!!|\?\?\?\+?|===[!+]?)[ \t]+([\w -]*?)[ \t]*(?:\"([^\"]*)\")?[ \t]*\Z")
_CALLOUT = re.compile(r"(\s*(?:>\s*)+)\[![\w/|-]+\][+-]?[ \t]*(.*?)\s*\Z")
_TITLE = re.compile(r"\[([^\[\]]*)\]|title=[\"']([^\"']*)[\"']")
_WHOLE = re.compile(
    r"\s*(?:--8<--.*|<<<\s.*|@include.*|\[\[?_?TOC_?\]\]?|\{:[^{}]*\}|\{![^{}]*!\}|"
    r"\{%-?\s*(?:include|raw|endraw|comment|endcomment|assign|capture|endcapture|if|elsif|else|endif|unless|endunless|for|endfor|"
    r"case|when|endcase|block|endblock|extends|import|from|set|macro|endmacro|tab|endtab|tabs|endtabs|note|endnote|warning|"
    r"endwarning|tip|endtip|ifversion)\b[^%]*%\}|\{\{[<%]\s*/?\s*(?!param|var|value|get)[\w/-]+(?:\s[^{}]*)?[>%]\}\}|\{#.*#\}|:::+|///+|%%.*%%)\s*\Z",
    re.IGNORECASE,
)
_TAGS = re.compile(r"<.*>\Z|.*</[\w-]+>\Z")
_DEEP = re.compile(r"(?: {4}|\t)\s*\S")
_TABLE = re.compile(r"<table\b")
_INDENTED_TAG = re.compile(r"(?: {4}|\t)\s*</?[a-zA-Z][^<>]*(?:>|\Z)")
_HIGHLIGHT = re.compile(
    r"(\s*)(?:\{%-?\s*(?P<end>end)?(?:highlight|code|codeblock)\b[^%{}]*%\}"
    r"|\{\{[<%]\s*(?P<close>/)?\s*(?:highlight|code)\b[^{}]*[>%]\}\})\s*\Z"
)
_MODULE = re.compile(r"(?:import\s+(?:[\w*{}\s,$]+from\s+)?[\"']|export\s+(?:const|default|let|function)\b)")
_HIGHLIGHTED = "~" * 9  # the fence that a block of a template becomes: longer than any within it
_CONTENTS = re.compile(r"\s*(?:[-*+]|\d+\.)\s+(?:TOC|Table of contents)\s*\Z", re.IGNORECASE)


def prepared(text: str, first: int) -> str:
    """The text with the lines of dialects changed; `first` is the line, from 0, on which the body begins.

    The number of lines stays; a line that is kept ends in the words that it has in the file.
    """
    if not _ANY.search(text):
        return text
    lines = re.split(r"\r\n|\r|\n", text)
    fence = ""
    indents: list[int] = []  # of the admonitions that the line may be within
    remark, before, tables = False, "", 0
    for number in range(first, len(lines)):
        line = lines[number]
        bare = line.strip()
        if not bare:
            # Else the HTML would end here, and what follows be code.
            below = lines[number + 1] if number + 1 < len(lines) else ""
            if not fence and (
                _DEEP.match(below) if tables > 0 else _TAGS.match(before) and _INDENTED_TAG.match(below)
            ):
                lines[number] = "<!-- -->"
            continue
        before = bare
        if bare[0] == "#":
            tables = 0  # one that is never closed must not hold the next section
        elif bare[0] == "<" and "table" in bare:
            tables += len(_TABLE.findall(bare)) - bare.count("</table")
        depth = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        while indents and depth < indents[-1] + 4:
            indents.pop()
        line = _dedented(line, 4 * len(indents))
        lines[number] = line
        if found := _HIGHLIGHT.match(line):
            closing = bool(found["end"] or found["close"])
            if closing == (fence == _HIGHLIGHTED):
                fence = "" if closing else _HIGHLIGHTED
                lines[number] = found[1] + _HIGHLIGHTED
            continue
        if mark := _CODE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
            continue
        if fence:
            continue
        if bare == "%%":
            remark = not remark
            lines[number] = ""
        elif remark or _WHOLE.match(line) or _MODULE.match(line):
            lines[number] = ""
            if bare.startswith("{:toc") and number and _CONTENTS.match(lines[number - 1]):
                lines[number - 1] = ""
        elif found := _INDENTED.match(line):
            indents.append(depth)
            lines[number] = _titled(found[1], found[3] or (found[2] if bare.startswith("===") else ""))
        elif bare.startswith((":::", "///")) and (found := _FENCED.match(line)):
            title = _TITLE.search(line)
            lines[number] = _titled(found[1], ((title[1] or title[2]) if title else found[2]) or "")
        elif found := _CALLOUT.match(line):
            lines[number] = _titled(found[1], found[2])
    return "\n".join(lines)


def _titled(lead: str, title: str) -> str:
    """A title on a line of its own: two spaces at its end keep the next line from running on."""
    return f"{lead}{title}  " if title.strip() else lead


def _dedented(line: str, most: int) -> str:
    if not most:
        return line
    wide = line.expandtabs(4)
    return wide[min(most, len(wide) - len(wide.lstrip())) :]
