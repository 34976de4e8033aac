"""Which files can be read, and as what: the table behind both the walk and the loaders."""

from __future__ import annotations

import re

_BY_KIND = {
    "markdown": "md markdown mdown mkd mdx qmd rmd",
    "text": "txt text log adoc asciidoc org tex me",
    "rst": "rst rest",
    "html": "html htm xhtml",
    "pdf": "pdf",
    "docx": "docx",
    "csv": "csv tsv tab psv",
    "json": "json geojson webmanifest",
    "jsonl": "jsonl ndjson",
    "notebook": "ipynb",
    "code": (
        "py pyi pyx js mjs cjs jsx ts mts cts tsx vue svelte java kt kts scala groovy gradle go rs rb php pl pm "
        "c h cc cpp cxx hh hpp hxx m mm cs fs swift dart lua r jl hs ml mli ex exs erl clj cljs lisp el scm "
        "sh bash zsh fish ps1 bat cmd awk sql graphql gql proto thrift css scss sass less "
        "yaml yml toml ini cfg conf properties env tf hcl cmake mk make dockerfile nix zig v vim xml xsd xsl "
        "plist diff patch jsonc json5 srt vtt bib"
    ),
}
KINDS = {extension: kind for kind, names in _BY_KIND.items() for extension in names.split()}

# "notes.2024" and "v1.2" have no extension: one begins with a letter and is short.
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9_+-]{0,11})\Z")


def extension(name: str) -> str:
    """The extension of a file name in lower case, without its dot; "" when it has none."""
    found = _EXTENSION.search(name, 1)  # from 1: the dot of ".env" begins a name, not an extension
    return found.group(1).lower() if found else ""


def kind_of(name: str) -> str | None:
    """The kind (as in `Document.kind`) of a file by its name; None when its type is not supported.

    Names without an extension (README, LICENSE, Makefile) are text until their content says otherwise.
    """
    ending = extension(name)
    return KINDS.get(ending) if ending else "text"
