"""Whether the installation is whole: Python, the packages it needs, the models that are shipped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from ragheal.checkup.finding import Finding, bad

#: Packages with compiled parts, and the module that loads them: they can be installed and still not load.
_COMPILED = {
    "faiss-cpu": "faiss", "msgspec": "msgspec", "numpy": "numpy", "onnxruntime": "onnxruntime",
    "opencc": "opencc", "openai": "openai", "pypdfium2": "pypdfium2", "PyStemmer": "Stemmer", "rjieba": "rjieba",
    "tantivy": "tantivy", "tokenizers": "tokenizers",
}  # fmt: skip
_REINSTALL = "pip install --force-reinstall ragheal"


def findings() -> Iterator[Finding]:
    yield Finding("python", "ok", ".".join(map(str, sys.version_info[:3])))
    yield _packages()
    yield _models()


def _packages() -> Finding:
    import importlib
    from importlib.metadata import PackageNotFoundError, requires, version

    try:
        needed = [text for text in requires("ragheal") or [] if "extra ==" not in text]
    except PackageNotFoundError:
        return Finding(
            "packages", "warning", "ragheal runs from its source and is not installed", "pip install -e ."
        )
    troubles = []
    for text in needed:
        name, _, least = (part.strip() for part in text.partition(">="))
        try:
            found = version(name)
        except PackageNotFoundError:
            troubles.append(f"{name} is missing")
            continue
        if least and _numbers(found) < _numbers(least):
            troubles.append(f"{name} {found} is older than {least}")
        elif name in _COMPILED:
            try:
                importlib.import_module(_COMPILED[name])
            except Exception as error:  # whatever a broken library raises
                troubles.append(f"{name} {found} does not load: {type(error).__name__}: {error}")
    if troubles:
        return Finding("packages", "bad", "; ".join(troubles), _REINSTALL, 1)
    return Finding("packages", "ok", f"{len(needed)}, all there and loading")


def _numbers(version: str) -> tuple[int, ...]:
    import re

    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])


def _models() -> Finding:
    import hashlib

    from ragheal.errors import ModelError
    from ragheal.models import onnx

    folder = Path(onnx.__file__).parent / "data"
    names = []
    for part in sorted(path for path in folder.glob("*") if path.is_dir()):
        try:
            for name, expected in onnx.sums(part, (), part.name).items():
                with (part / name).open("rb") as file:
                    if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                        raise ModelError(f"{part.name}: {name} is damaged", hint=onnx.REINSTALL)
        except ModelError as error:
            return bad("models", error)
        except OSError as error:
            return Finding("models", "bad", f"{part.name}: {error.strerror or error}", onnx.REINSTALL, 6)
        names.append(part.name)
    return Finding("models", "ok", f"{', '.join(names)}: as shipped")
