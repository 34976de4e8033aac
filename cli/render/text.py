"""Foreign text made safe and fitted to terminal cells, in both scripts; counts, sizes and times for people."""

from __future__ import annotations

from rich.cells import cell_len

# One character for one, so that offsets into the text stay true. Line breaks stay; what moves the cursor,
# starts an escape or turns the direction of writing does not.
_HARMLESS: dict[int, str] = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), "�")
_HARMLESS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029), "�")
_HARMLESS |= {ord("\n"): "\n", ord("\t"): " ", ord("\r"): " ", ord("\f"): " ", ord("\v"): " "}


def clean(text: str) -> str:
    """Text that can do nothing to a terminal but appear in it. As long as before."""
    return text.translate(_HARMLESS)


def one_line(text: str) -> str:
    """The same on one line, runs of blanks as one."""
    return " ".join(clean(text).split())


def fit(text: str, cells: int) -> str:
    """The beginning of a text, at most `cells` wide, with … where it was cut."""
    if cells <= 0:
        return ""
    if cell_len(text) <= cells:
        return text
    return _take(text, cells - 1) + "…"


def fit_end(text: str, cells: int) -> str:
    """The end of a text, at most `cells` wide: of a path, the file's name matters most."""
    if cells <= 0:
        return ""
    if cell_len(text) <= cells:
        return text
    return "…" + _take(text[::-1], cells - 1)[::-1]


def pad(text: str, cells: int) -> str:
    return text + " " * max(0, cells - cell_len(text))


def _take(text: str, cells: int) -> str:
    used = 0
    for i, char in enumerate(text):
        used += cell_len(char)
        if used > cells:
            return text[:i]
    return text


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def some(entries: list[str], most: int, more: str = "… and {:,} more") -> list[str]:
    """The first entries, and how many more there are."""
    return [*entries[:most], more.format(len(entries) - most)] if len(entries) > most else entries


def size(count: float) -> str:
    """Bytes for people: 1.4 MB."""
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def age(seconds: float) -> str:
    """How long ago: 3 h."""
    for length, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def duration(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 0.995 else f"{seconds:.1f} s"


def moment(stamp: str) -> str:
    """A time of the records, to the minute: 2026-03-04 05:06."""
    return stamp[:16].replace("T", " ")
