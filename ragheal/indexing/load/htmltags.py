"""What the elements of HTML are to a reader: blocks, lists, rows, or nothing."""

from __future__ import annotations

import re

SKIPPED = frozenset(
    "script style noscript template svg math head select button iframe object canvas video audio".split()
)
ASIDE = frozenset(
    "nav footer aside dialog menu".split()
)  # around the main part; read only when there is nothing else
MAIN = frozenset({"main", "article"})
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
BLOCK = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main nav ol p pre section summary table tbody "
    "td tfoot th thead tr ul".split()
)
LISTS = ("ul", "ol", "menu", "dl")
ROWS = frozenset({"tbody", "thead", "tfoot", "tr", "td", "th", "table", "caption"})
HEADING = re.compile(r"h[1-6]\Z")
# An opening tag that closes an element of the same sort that was left open, up to the given container.
IMPLIED = {
    "li": ({"li"}, {"ul", "ol", "menu"}),
    "p": ({"p"}, {"div", "td", "th", "li", "section", "article", "body", "blockquote"}),
    "dt": ({"dt", "dd"}, {"dl"}), "dd": ({"dt", "dd"}, {"dl"}),
    "tr": ({"tr", "td", "th"}, {"table"}),
    "td": ({"td", "th"}, {"tr", "table"}), "th": ({"td", "th"}, {"tr", "table"}),
    "option": ({"option"}, {"select"}),
}  # fmt: skip
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
ANCHOR = re.compile(r"headerlink|hash-?link|anchor-?link|permalink|heading-anchor", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
STRUCK = frozenset({"s", "del", "strike"})
CODE = ("code", "kbd", "samp", "tt", "textarea")
#: Marks of Markdown that a text within HTML may hold.
MARKED = re.compile(r"`[^`\n]|\*\*\S|\]\(|\]\[|\{[:{%#]")


def is_hidden(attributes: dict[str, str]) -> bool:
    """Whether an element with these attributes is not shown."""
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden", "").lower() == "true"
        or bool(HIDDEN_STYLE.search(attributes.get("style", "")))
    )


def tell(attributes: dict[str, str], metadata: dict[str, str]) -> None:
    """Take what a <meta> element tells of the page."""
    name = (attributes.get("name") or attributes.get("property") or "").lower()
    content = " ".join(attributes.get("content", "").split())
    if content and name in {"author", "date", "description", "keywords"}:
        metadata.setdefault(name, content)
    elif "date" not in metadata and re.search("published|modified|date", name) and (found := DATE.search(content)):
        metadata["date"] = found.group()
