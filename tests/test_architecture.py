"""The shape of the program: what no linter holds. Imports point one way by the contracts of import-linter."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
#: Calls that write in a way of their own, or open what `storage/` opens.
OF_STORAGE = {"sqlite3.connect", "os.replace", "os.fsync", "fcntl.flock", "FileLock", "shelve.open", "mkstemp"}


def test_the_page_and_the_contracts_say_the_same() -> None:
    """A newcomer reads the order on the page; what is checked is the order of the contracts."""
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    (order,) = re.findall(r"`(errors → [^`]+)`", page)
    told = [stage.split(", ") for stage in " ".join(order.split()).split(" → ")]
    assert told == [*(layer.split(" | ") for layer in reversed(layers)), ["cli"]]


def sources() -> Iterator[tuple[str, ast.AST]]:
    """Every file of the product, by its path, parsed."""
    for folder in ("ragheal", "cli"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def test_one_package_touches_the_disk() -> None:
    """Durability is promised once: a file written past it would be promised nothing."""
    calls = [
        f"{name}: {ast.unparse(node.func)}"
        for name, tree in sources()
        if not name.startswith("ragheal/storage/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in OF_STORAGE
    ]
    assert calls == []


def test_one_package_knows_the_history() -> None:
    """A column that is renamed must not be met again in another package, at run time."""
    from ragheal.history.database import HISTORY

    tables = [match[1] for text in HISTORY.schema if (match := re.search(r"TABLE IF NOT EXISTS (\w+)", text))]
    assert {"traces", "failures", "signals", "hours"} <= set(tables)
    sql = re.compile(rf"\b(?:FROM|INTO|UPDATE|JOIN|TABLE)\s+(?:{'|'.join(tables)})\b")
    found = [
        f"{name}: {node.value}"
        for name, tree in sources()
        if not name.startswith("ragheal/history/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and sql.search(node.value)
    ]
    assert found == []


def test_files_stay_small() -> None:
    """A file that cannot be read in one sitting hides its second module."""
    long = [
        f"{path.relative_to(ROOT)}: {count}"
        for folder in ("ragheal", "cli", "tools", "bench")
        for path in (ROOT / folder).rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 350
    ]
    assert long == []


def test_every_package_ships() -> None:
    """Setuptools drops a forgotten package without a word, and only an installed copy would miss it."""
    listed = PROJECT["tool"]["setuptools"]["packages"]
    folders = {
        ".".join((name, *path.parent.relative_to(ROOT / folder).parts))
        for folder, name in (("ragheal", "ragheal"), ("cli", "ragheal_cli"), ("configs", "ragheal_configs"))
        for path in (ROOT / folder).rglob("__init__.py")
    }
    assert set(listed) == folders


@pytest.mark.parametrize(
    ("module", "banned"),
    [
        ("ragheal_cli.app", ["numpy", "faiss", "onnxruntime", "tokenizers", "tantivy", "yaml", "torch"]),
        ("ragheal.engine", ["numpy", "faiss", "onnxruntime", "tokenizers", "tantivy", "torch"]),
        ("ragheal.answering.embedded", ["onnxruntime", "faiss", "torch", "transformers"]),
        ("ragheal.models.chat", ["openai", "httpx", "pydantic", "numpy", "faiss"]),
        ("ragheal.models.chat.probe", ["openai", "httpx", "pydantic", "numpy", "faiss"]),
        ("ragheal.answering.model", ["openai", "httpx", "pydantic", "json_repair", "numpy", "faiss"]),
        ("ragheal_cli.registry", ["openai", "httpx", "pydantic", "numpy", "faiss", "prometheus_client"]),
        ("ragheal.retrieval.live", ["onnxruntime", "faiss", "torch", "transformers"]),
    ],
)
def test_start_is_light(module: str, banned: list[str]) -> None:
    """Every `--help`, `replay` and `status` pays for what is imported before it is needed."""
    code = f"import sys, {module}; print([m for m in {banned!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
