"""A file's bytes to a `Document`, by its kind.

kinds.py      which names are read as what, what is not read and why
decode.py     bytes -> text, whatever the encoding
parsed.py     what a parser hands over, and the writer that notes the place of every word
records.py    rows of tables as records; trees.py keys and values; patterns.py markup within a line
titles.py  front.py  templates.py  welding.py   what several of them need
one file (or two) for each format, imported when the first such file comes
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from ragheal.errors import LoadError, RaghealError
from ragheal.indexing.load.decode import decode
from ragheal.indexing.load.kinds import PACKED, kind_by_content, kind_of, refused, refused_content
from ragheal.indexing.load.parsed import CONTROL, Parsed, identity
from ragheal.indexing.load.titles import title_of
from ragheal.types import Document

_PARSERS = {
    "markdown": ("markdown", "parse_markdown"),
    "text": ("plain", "parse_text"),
    "rst": ("rst", "parse_rst"),
    "asciidoc": ("asciidoc", "parse_asciidoc"),
    "org": ("orgmode", "parse_org"),
    "tex": ("tex", "parse_tex"),
    "roff": ("roff", "parse_roff"),
    "captions": ("captions", "parse_captions"),
    "html": ("html", "parse_html"),
    "csv": ("tabular", "parse_csv"),
    "json": ("structured", "parse_json"),
    "jsonl": ("structured", "parse_jsonl"),
    "yaml": ("settingsfile", "parse_yaml"),
    "ini": ("settingsfile", "parse_ini"),
    "notebook": ("notebook", "parse_notebook"),
    "mail": ("mail", "parse_mail"),
    "mbox": ("mail", "parse_mbox"),
    "code": ("code", "parse_code"),
    "pdf": ("pdf", "parse_pdf"),
    "docx": ("docx", "parse_docx"),
    "pptx": ("office", "parse_pptx"),
    "xlsx": ("office", "parse_xlsx"),
    "odt": ("opendocument", "parse_odt"),
    "epub": ("epub", "parse_epub"),
}
_TRACE = re.compile(rb'\s*\{\s*"checksum"\s*:\s*"[0-9a-f]{64}"')


def load(path: Path, source: str, data: bytes) -> Document:
    """Read a document from the content of its file.

    Raises LoadError with a short reason: `skipped` where there is nothing to read by the file's nature
    ("empty", "binary", "scanned PDF: no text layer"), else a failure worth another try ("encrypted PDF").
    """
    kind = kind_of(path.name)
    if data.startswith(b"%PDF-"):
        kind = "pdf"
    if reason := refused(path.name) or refused_content(kind or "", data):
        raise LoadError(reason, skipped=True)
    if kind is None:
        raise LoadError("unsupported type", skipped=True)
    if not data:
        raise LoadError("empty", skipped=True)
    if kind == "json" and _TRACE.match(data) and b'"exchanges"' in data:
        # A trace quotes documents: indexed beside them it would be found instead of them, and outlive them.
        raise LoadError("a trace of ragheal", skipped=True)
    try:
        return _read(kind, source, data)
    except RaghealError:
        raise
    except MemoryError:
        raise LoadError("too large for the memory at hand") from None
    except Exception as error:  # one bad file must never end a run, whatever a parser trips over
        raise LoadError(f"cannot be read as {kind} ({type(error).__name__})") from error


def _read(kind: str, source: str, data: bytes) -> Document:
    encoding, raw = "utf-8", ""
    if kind in PACKED:
        parsed = cast("Callable[[bytes], Parsed]", _parser(kind))(data)
    else:
        raw, encoding, remark = decode(data)
        kind = kind_by_content(raw) if kind == "text" else kind
        parsed = cast("Callable[[str, str], Parsed]", _parser(kind))(raw, source)
        if remark:
            parsed = parsed._replace(metadata={**parsed.metadata, "decoding": remark})
    if not parsed.blocks:
        raise LoadError("empty", skipped=True)
    # Where the text is the file itself, a control character becomes one that can be shown, so that offsets stay.
    text = CONTROL.sub("\ufffd", parsed.text) if parsed.runs is None else parsed.text
    return Document(
        source=source,
        kind=kind,
        text=text,
        blocks=tuple(parsed.blocks),
        title=parsed.title or title_of(source, kind),
        encoding=encoding,
        raw=raw,
        runs=identity(parsed.text) if parsed.runs is None else parsed.runs,
        metadata=parsed.metadata,
    )


def _parser(kind: str) -> Callable[..., Parsed]:
    module, name = _PARSERS[kind]
    return cast("Callable[..., Parsed]", getattr(import_module(f"{__name__}.{module}"), name))
