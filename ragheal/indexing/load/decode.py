"""Bytes to text: byte order marks, UTF-8, UTF-16, Chinese encodings, and whatever charset-normalizer finds."""

from __future__ import annotations

import codecs
import re

from ragheal.errors import LoadError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ENOUGH = 0.12  # share of everyday characters from which a reading as Chinese is believed
_LEAST_HEAD = 400  # bytes of text before a binary tail
_SAMPLE = 32_768  # bytes looked at to guess an encoding
_DECLARED = re.compile(rb"(?:charset|coding|encoding)\s*[=:]\s*[\"']?([A-Za-z][-\w.]{2,20})")
# What Western languages write beyond ASCII.
_WESTERN = re.compile("[\u00a0-\u00b1\u00b4-\u00b7\u00ba-\u00ff\u0152\u0153\u2013-\u2026\u20ac]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_READABLE = re.compile("[\\s -~\u00a0-\u024f\u0370-\u04ff\u2010-\u2026\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]")
_HAN = re.compile("[\u3400-\u9fff]")
# Characters that any page of Chinese holds many of, simplified and traditional.
_COMMON = re.compile(
    "[的一是了不在人有我他這这個个們们中來来上大為为和國国地到以說说時时要就出會会可也你對对生能而子那得于於著着下自之"
    "年過过發发後后作裡里用道行所然家種种事成方多經经么去法學学如都同現现當当沒没動动面起看定天分還还進进好小部其些主"
    "樣样理心本前開开但因只從从想實实日軍军者意無无力它與与長长把機机十民第公此已工使情明性知全三又關关點点正業业外]"
)
# Encodings that charset-normalizer is asked about: those in use, so that rare ones cannot win by a hair.
_ASKED = [
    "cp1252", "latin_1", "iso8859_15", "cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1253", "cp1254",
    "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949", "gb18030", "big5", "mac_roman",
]  # fmt: skip
_LATIN = frozenset({"cp1252", "latin_1", "iso8859_15", "cp1250", "iso8859_2", "cp1254", "mac_roman", "ascii"})


def decode(data: bytes) -> tuple[str, str, str]:
    """The text of a file, its encoding, and a remark on what was lost ("" when nothing was).

    Raises LoadError "empty" for nothing but white space and "binary" for what is no text.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _checked(
                data[len(mark) :].decode(encoding, "replace"), encoding, _invalid(data, mark, encoding)
            )
    if not data.strip():
        raise LoadError("empty", skipped=True)
    wide = _utf16(data[:_SAMPLE]) if len(data) % 2 == 0 or len(data) > _SAMPLE else ""
    if wide:
        return _checked(data.decode(wide, "replace"), wide, 0)
    try:
        text = data.decode("utf-8")
        return _head(data) if data.count(b"\0") * 1000 > len(data) else _checked(text, "utf-8", 0)
    except UnicodeDecodeError:
        pass
    if data.count(b"\0") * 1000 > len(data):
        return _head(data)
    if _is_damaged_utf8(data):
        text = data.decode("utf-8", "replace")
        return _checked(text, "utf-8", text.count("\ufffd"))
    encoding = _guess(data)
    text = data.decode(encoding, "replace")
    return _checked(text, encoding, text.count("\ufffd"))


def _checked(text: str, encoding: str, replaced: int) -> tuple[str, str, str]:
    if not text.strip("\0 \t\r\n\f\v\ufeff") or text.isspace():
        raise LoadError("binary" if "\0" in text else "empty", skipped=True)
    controls = len(_CONTROL.findall(text)) if not text.isprintable() else 0
    if controls * 200 > len(text) or text.count("\0") * 1000 > len(text) or replaced * 10 > len(text):
        raise LoadError("binary", skipped=True)
    nuls = text.count("\0")
    if nuls:
        # Same length, so offsets hold; databases and index files do not take NULs.
        text = text.replace("\0", "\ufffd")
    lost = replaced + nuls
    return text, encoding, f"{lost} character{'s' if lost > 1 else ''} replaced" if lost else ""


def _head(data: bytes) -> tuple[str, str, str]:
    """The text before a binary tail. Raises LoadError "binary" when there is none to speak of."""
    end = data.rfind(b"\n", 0, data.find(b"\0")) + 1
    try:
        text = data[:end].decode("utf-8")
    except UnicodeDecodeError:
        raise LoadError("binary", skipped=True) from None
    if end < _LEAST_HEAD or len(_READABLE.findall(text)) < 0.98 * len(text):
        raise LoadError("binary", skipped=True)
    return text, "utf-8", f"{len(data) - end} bytes of binary data left out"


def _invalid(data: bytes, mark: bytes, encoding: str) -> int:
    try:
        data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        return data[len(mark) :].decode(encoding, "replace").count("\ufffd")
    return 0


def _utf16(sample: bytes) -> str:
    """ "utf-16-le" or "utf-16-be" when the bytes read well in it, else ""."""
    sample = sample[: len(sample) // 2 * 2]
    # Every UTF-16 text of some length has NULs, in its spaces, line breaks or Latin letters; others have none.
    if b"\0" not in sample:
        return ""
    for encoding, high in (("utf-16-le", 1), ("utf-16-be", 0)):
        nuls = sample[high::2].count(0)
        if _chinese_score(sample, encoding) >= _ENOUGH:
            return encoding
        if nuls == 0 or sample[1 - high :: 2].count(0) * 50 > nuls:
            continue
        text = sample.decode(encoding, "replace")
        if len(_READABLE.findall(text)) >= 0.95 * len(text):
            return encoding
    return ""


def _is_damaged_utf8(data: bytes) -> bool:
    """Whether this is UTF-8 with a few bad bytes: far more good multi-byte characters than bad ones."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = len(text) - bad - len(text.encode("ascii", "ignore"))
    return good >= 4 * bad


def _guess(data: bytes) -> str:
    declared = _DECLARED.search(data, 0, 1024)
    if declared and (name := _known(declared.group(1).decode("ascii"))) and _fits(data, name):
        return name
    sample = _sample(data)
    scores = {name: _chinese_score(sample, name) for name in ("gb18030", "big5", "utf-16-le", "utf-16-be")}
    best = max(scores, key=lambda name: scores[name])
    if scores[best] >= _ENOUGH:
        return best
    from charset_normalizer import from_bytes

    try:
        found = from_bytes(sample, cp_isolation=_ASKED, threshold=0.3).best()
    except Exception:  # a guess that fails is no guess: the library documents no errors
        found = None
    name = found.encoding if found else "cp1252"
    if name in _LATIN:
        high = [char for char in sample.decode("cp1252", "replace") if char > "\x7f"]
        if sum(bool(_WESTERN.match(char)) for char in high) >= 0.97 * len(high):
            return "cp1252"  # the commonest of a family that differs in a few signs
    return name


def _sample(data: bytes) -> bytes:
    """Some lines around the first bytes that are not ASCII, which alone tell encodings apart."""
    first = re.search(rb"[\x80-\xff]", data)
    start = max(0, first.start() - 200) if first else 0
    start = max(0, data.rfind(b"\n", 0, start) + 1) if start - data.rfind(b"\n", 0, start) < 4096 else start
    sample = data[start : start + _SAMPLE]
    cut = sample.rfind(b"\n")
    return sample[:cut] if len(sample) == _SAMPLE and cut > _SAMPLE // 2 else sample


def _chinese_score(sample: bytes, encoding: str) -> float:
    """The share of everyday characters among the Han of the sample; 0 where it is no valid text."""
    try:
        # The sample may end within a character.
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeDecodeError:
        text = sample.decode(encoding, "replace")
        if text.count("\ufffd") * 200 > len(text):
            return 0.0
    han = _HAN.findall(text)
    high = sum(1 for char in text if char > "\x7f")
    if not han or len(han) < 0.6 * high:
        return 0.0
    return len(_COMMON.findall(text)) / len(han)


def _known(name: str) -> str:
    try:
        found = codecs.lookup(name)
    except LookupError:
        return ""
    if not getattr(found, "_is_text_encoding", True) or found.name.startswith(("utf-16", "utf-32", "utf-7")):
        return ""
    # Pages that say GB2312 use its supersets.
    return "gb18030" if found.name in {"gb2312", "gbk"} else found.name


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeDecodeError, UnicodeError):
        return False
    return True
