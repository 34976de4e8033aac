"""The shape of the program, held by tests: one direction of imports, light start, packages that ship."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

#: A later one may use an earlier one, never the reverse.
ORDER = ["errors", "storage", "settings", "types", "text", "models", "indexing", "retrieval", "answering", "strategies",
         "tracing", "caching", "memory", "history", "evaluation", "healing", "health", "asking", "engine"]  # fmt: skip
ROOT = Path(__file__).resolve().parent.parent


def imports(path: Path) -> set[str]:
    """The parts of ragheal that a file imports, at top level or within functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module] if node.module != "ragheal" else [f"ragheal.{a.name}" for a in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("ragheal.")}
    return found


def test_imports_point_one_way() -> None:
    """A newcomer can read the stages in order only while no early stage reaches for a late one."""
    wrong = []
    for path in sorted((ROOT / "ragheal").rglob("*.py")):
        part = path.relative_to(ROOT / "ragheal").parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        assert part in ORDER, f"{path} is in no known stage"
        later = {name for name in imports(path) if name in ORDER and ORDER.index(name) > ORDER.index(part)}
        wrong += [f"{path.relative_to(ROOT)} imports {name}" for name in sorted(later)]
        assert "ragheal_cli" not in path.read_text(encoding="utf-8"), f"{path} knows the command line"
    assert wrong == []


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
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    folders = {
        ".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "ragheal").rglob("__init__.py")
    } | {"ragheal_cli", "ragheal_configs"}
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
        ("ragheal_cli.commands", ["openai", "httpx", "pydantic", "numpy", "faiss", "prometheus_client"]),
        ("ragheal.retrieval.live", ["onnxruntime", "faiss", "torch", "transformers"]),
    ],
)
def test_start_is_light(module: str, banned: list[str]) -> None:
    """Every `--help`, `replay` and `status` pays for what is imported before it is needed."""
    code = f"import sys, {module}; print([m for m in {banned!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
