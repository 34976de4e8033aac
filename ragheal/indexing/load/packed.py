"""Formats that are a ZIP of XML: opened with a bound on what they unpack to."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from ragheal.errors import LoadError

OLE = b"\xd0\xcf\x11\xe0"  # the container of encrypted files and of the old binary formats
_MOST_BYTES = 500_000_000  # unpacked; more is a bomb or nothing to hold in memory
_MOST_PART = 100_000_000  # of one part that is parsed as XML


def opened(data: bytes, name: str) -> zipfile.ZipFile:
    """The archive. Raises LoadError: "encrypted …", "damaged …", or that it unpacks to more than 500 MB."""
    if data.startswith(OLE):
        raise LoadError(f"encrypted {name}, or an old binary one", hint="save it anew without a password")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise LoadError(f"damaged {name}") from error
    if size > _MOST_BYTES:
        raise LoadError("unpacks to more than 500 MB", skipped=True)
    if any(entry.flag_bits & 1 for entry in archive.infolist()):
        raise LoadError(f"encrypted {name}")
    return archive


def part(archive: zipfile.ZipFile, path: str) -> bytes | None:
    """The bytes of a part; None when it is not there or cannot be read. Raises LoadError for one that says it is
    small and is not."""
    try:
        with archive.open(path) as file:
            data = file.read(_MOST_PART + 1)
    except (KeyError, zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
        return None
    except Exception as error:  # zlib.error has no public base
        if type(error).__name__ != "error":
            raise
        return None
    if len(data) > _MOST_PART:
        raise LoadError("unpacks to more than 500 MB", skipped=True)
    return data


def tree(archive: zipfile.ZipFile, path: str) -> Any:
    """The XML of a part, without entities and without the network; None when it is not there or is no XML."""
    from lxml import etree

    data = part(archive, path)
    if data is None:
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, recover=True)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
