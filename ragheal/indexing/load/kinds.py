"""Which files can be read, and as what: by name where the name tells, else by content.

The walk asks what can be told without opening a file, the loaders the rest.
"""

from __future__ import annotations

import re

_BY_KIND = {
    "markdown": "md markdown mdown mkd mdx qmd rmd mdwn mdtext",
    "text": "txt text log me",
    "rst": "rst rest",
    "asciidoc": "adoc asciidoc asc",
    "org": "org",
    "tex": "tex latex ltx",
    "roff": "man roff mdoc nroff",
    "captions": "vtt srt",
    "html": "html htm xhtml",
    "pdf": "pdf",
    "docx": "docx docm",
    "pptx": "pptx pptm",
    "xlsx": "xlsx xlsm",
    "odt": "odt ott",
    "epub": "epub",
    "mail": "eml",
    "mbox": "mbox mbx",
    "csv": "csv tsv tab psv",
    "json": "json geojson webmanifest jsonc json5",
    "jsonl": "jsonl ndjson",
    "yaml": "yaml yml",
    "ini": "toml ini cfg conf properties",
    "notebook": "ipynb",
    "code": (
        "py pyi pyx js mjs cjs jsx ts mts cts tsx vue svelte java kt kts scala groovy gradle go rs rb php pl pm "
        "c h cc cpp cxx hh hpp hxx m mm cs fs swift dart lua r jl hs ml mli ex exs erl clj cljs lisp el scm "
        "sh bash zsh fish ps1 bat cmd awk sql graphql gql proto thrift css scss sass less "
        "tf hcl cmake mk make dockerfile nix zig v vim xml xsd xsl plist diff patch bib"
    ),
}
KINDS = {ending: kind for kind, names in _BY_KIND.items() for ending in names.split()}
#: Formats that are no text, and how their files begin.
PACKED = frozenset({"pdf", "docx", "pptx", "xlsx", "odt", "epub"})

# What is filled in by a program: the ending before tells what it becomes.
_TEMPLATES = frozenset(
    "erb njk j2 jinja jinja2 liquid tmpl tpl ejs hbs mustache in dist example sample template".split()
)
_PAGES = frozenset("erb njk liquid ejs hbs mustache".split())
_BINARY = frozenset(
    """png jpg jpeg gif bmp ico icns webp avif heic tif tiff psd ai eps raw mp3 mp4 m4a m4v mov avi mkv webm wav flac ogg opus
    zip gz tgz bz2 xz zst 7z rar tar jar war whl egg deb rpm dmg iso apk exe dll so dylib o a obj lib class pyc pyo wasm bin dat
    db sqlite sqlite3 mdb parquet arrow feather npy npz pkl pickle pt pth onnx safetensors gguf h5 hdf5 mat rds ttf otf woff
    woff2 eot swf doc xls ppt pages numbers odp ods mobi azw3 djvu faiss lance idx pack dxf dwg stl blend""".split()
)  # fmt: skip

# "notes.2024" and "v1.2" have no extension: one begins with a letter and is short.
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9_+-]{0,11}|7z)\Z")
_SECRET = re.compile(
    r"(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_\w+)?|\.env(?:\.(?!example|sample|template|dist)[\w.-]+)?|\.netrc|_netrc|\.npmrc|"
    r"\.pypirc|\.pgpass|\.htpasswd|\.git-credentials|\.dockercfg|credentials|(?:api[_-]?|access[_-]?|auth[_-]?)?tokens?(?:\.txt)?|"
    r"secrets?\.(?:ya?ml|json|toml|ini|txt|env)|service[_-]account[\w-]*\.json|.*\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx?|ppk|"
    r"ovpn|env))\Z",
    re.IGNORECASE,
)
_GENERATED = (
    (re.compile(
        r"(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|poetry\.lock|uv\.lock|pdm\.lock|"
        r"Pipfile\.lock|Cargo\.lock|composer\.lock|Gemfile\.lock|mix\.lock|flake\.lock|Podfile\.lock|go\.sum|gradle\.lockfile)\Z"
    ), "generated: a lock file"),
    (re.compile(r".*[.-]min\.(?:js|css|mjs)\Z"), "generated: minified code"),
    (re.compile(r".*\.(?:js|mjs|css|ts)\.map\Z"), "generated: a source map"),
    (re.compile(r".*\.svg\Z", re.IGNORECASE), "a picture (SVG)"),
    (re.compile(r"sitemap[\w-]*\.xml\Z"), "generated: a sitemap"),
    (re.compile(r"(?:searchindex\.js|search[_-]index\.json|lunr[\w-]*\.json)\Z"), "generated: a search index"),
)  # fmt: skip
_KEY = re.compile(rb"\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----|PuTTY-User-Key-File-\d")
_TOKEN = re.compile(
    rb"\s*(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|sk-[A-Za-z0-9_-]{20,}|xox[abprs]-[\w-]{20,}|AKIA[A-Z0-9]{16}|"
    rb"glpat-[\w-]{20,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})\s*\Z"
)
_SVG = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.{0,2000}?-->\s*)*(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]", re.DOTALL
)
_SITEMAP = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:urlset|sitemapindex)[\s>]")
_MINIFIED = 5_000  # bytes in one line on average, in code
_HTML = re.compile(r"\s*(?:<!--.{0,2000}?-->\s*)*<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_HEADERS = re.compile(
    r"(?:(?:From|To|Cc|Date|Subject|Received|Return-Path|Message-ID|MIME-Version|Delivered-To|DKIM-Signature|X-[\w-]+|Reply-To|"
    r"Content-Type|Sender):[^\n]*\n(?:[ \t][^\n]*\n)*){3,}\r?\n", re.IGNORECASE
)  # fmt: skip


def extension(name: str) -> str:
    """The extension of a file name in lower case, without its dot; "" when it has none."""
    found = _EXTENSION.search(name, 1)  # from 1: the dot of ".env" begins a name, not an extension
    return found.group(1).lower() if found else ""


def kind_of(name: str) -> str | None:
    """The kind (as in `Document.kind`) of a file by its name; None for what is known to be no text.

    A name that says nothing (README, notes.2024, page.zz) is "text" until the content says otherwise.
    """
    ending = extension(name)
    if ending in _BINARY:
        return None
    if ending in _TEMPLATES:
        inner = name[: -len(ending) - 1]
        return KINDS.get(extension(inner)) or ("html" if ending in _PAGES else "text")
    return KINDS.get(ending, "text")


def refused(name: str) -> str:
    """Why a file of this name is not read: it may hold keys, or a program wrote it; "" when it is."""
    if _SECRET.fullmatch(name):
        return "may hold keys or passwords: not read"
    return next((reason for pattern, reason in _GENERATED if pattern.match(name)), "")


def refused_content(kind: str, data: bytes) -> str:
    """Why a file with this content is not read; "" when it is."""
    head = data[:4096]
    if _KEY.match(head) or (len(data) < 2000 and _TOKEN.match(data)):
        return "holds a key: not read"
    if _SVG.match(head):
        return "a picture (SVG)"
    if _SITEMAP.match(head):
        return "generated: a sitemap"
    lines = 1 + data.count(b"\n") + data.count(b"\r")
    if kind == "code" and len(data) > 20_000 and len(data) // lines > _MINIFIED:
        return "generated: minified code"
    return ""


def kind_by_content(text: str) -> str:
    """What a text of unknown kind is."""
    from ragheal.indexing.load.roff import BEGINS

    head = text[:8192].lstrip("\ufeff")
    if BEGINS.match(head):
        return "roff"
    if head.startswith("WEBVTT"):
        return "captions"
    if head.startswith("From ") and _HEADERS.search(head):
        return "mbox"
    if _HEADERS.match(head):
        return "mail"
    return "html" if _HTML.match(head) else "text"
