"""docutils, made to take the directives and roles of Sphinx and its extensions by what they hold."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

_ROLE = re.compile(r"(.*?)\s*<[^<>]*>\Z", re.DOTALL)
# Directives whose argument is what they are about; of the others the content is read.
_NAMED = re.compile(r"(?:[\w+-]+:)?(?:function|method|class|data|attribute|exception|module|option|confval|setting|envvar|"
                    r"describe|object|term|rubric|versionadded|versionchanged|deprecated|admonition|note|warning|tip|important|"
                    r"c:\w+|py:\w+)\Z")  # fmt: skip
_SILENT = re.compile(
    r"(?:toctree|include|literalinclude|contents|index|auto\w+|currentmodule|highlight|default-role|image|"
    r"figure|graphviz|only|tags|sectnum|todo|todolist|bibliography|raw|meta|title|ifconfig|plot|mermaid)\Z"
)
_CODE = frozenset(
    {"code-block", "sourcecode", "code", "parsed-literal", "prompt", "doctest", "testcode", "ipython"}
)


def tree_of(text: str) -> Any:
    """What docutils makes of a text. Raises what docutils raises on input that it did not foresee."""
    _prepare()
    from docutils.core import publish_doctree

    settings = {
        "report_level": 5, "halt_level": 6, "file_insertion_enabled": False, "raw_enabled": False, "_disable_config": True,
        "doctitle_xform": False, "sectsubtitle_xform": False, "docinfo_xform": False, "smart_quotes": False,
        "syntax_highlight": "none", "input_encoding": "unicode", "warning_stream": False, "line_length_limit": 1_000_000,
        "tab_width": 8,
    }  # fmt: skip
    return publish_doctree(text, settings_overrides=settings)


@cache
def _prepare() -> None:
    """Directives and roles of Sphinx and its extensions, of which docutils knows nothing: read by what they hold."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives, roles, states

    class Anything(Directive):  # type: ignore[misc]  # docutils has no types
        has_content = True
        optional_arguments = 100
        final_argument_whitespace = True

        def run(self) -> list[Any]:
            if _SILENT.match(self.name):
                return []
            if self.name in _CODE:
                block = nodes.literal_block(text="\n".join(self.content))
                block.line = self.content_offset + 1
                return [block]
            found: list[Any] = []
            words = " ".join(self.arguments).strip()
            if words and _NAMED.match(self.name):
                head = nodes.paragraph()
                head.line = self.lineno
                children, _ = self.state.inline_text(words, self.lineno)
                head += children
                found.append(head)
            holder = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, holder)
            return [*found, *holder.children]

    known = directives.directive

    def directive(name: str, language: Any, document: Any) -> Any:
        from docutils.parsers.rst.languages import en

        plain = en.directives.get(name.lower(), "")
        if plain and not _SILENT.match(name) and name not in _CODE:
            return known(name, language, document)

        class Open(Anything):
            option_spec = _Options()

        return Open, []

    def role(name: str, language: Any, line: int, reporter: Any) -> Any:
        def words(kind: str, raw: str, text: str, *_: Any) -> Any:
            shown = _ROLE.match(text)
            said = shown[1] if shown and shown[1] else text.lstrip("~!")
            if not shown and text.startswith("~"):
                said = text.rpartition(".")[2]
            if name in {"sup", "superscript"}:
                said = "^" + said
            return [nodes.inline(raw, said)], []

        return words, []

    # The two tables of docutils are its own way of extension, but take no "any other name".
    directives.directive = directive
    states.directives.directive = directive
    roles.role = role
    states.roles.role = role


class _Options(dict[str, Any]):
    """Any option of any directive."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> Any:
        return lambda value: value

    def __bool__(self) -> bool:
        return True
