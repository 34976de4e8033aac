"""Every setting is read where something is done: one that nobody reads promises what does not happen."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml

from ragheal.settings import Settings
from ragheal.settings.loading import KEYS

SECTIONS = {hint.__name__: name for name, hint in get_type_hints(Settings).items()}


def section_of(node: ast.expr | None, known: dict[str, str]) -> str | None:
    """The section that an expression stands for: `….loop`, or a name that was bound to one."""
    match node:
        case ast.Attribute(attr=name) if name in SECTIONS.values():
            return name
        case ast.Name() | ast.Attribute():
            return known.get(ast.unparse(node))
        case ast.Call(args=[first, *_]) if ast.unparse(node.func).endswith("replace"):
            return section_of(first, known)
        case ast.BoolOp(values=[first, *_]):
            return section_of(first, known)
    return None


def bound(scope: ast.AST) -> dict[str, str]:
    """Names and attributes of a file that hold a section, by annotation or by assignment."""
    known: dict[str, str] = {}
    for node in ast.walk(scope):
        match node:
            case ast.arg(arg=name, annotation=hint) if hint is not None:
                known |= [(name, section) for kind, section in SECTIONS.items() if kind in ast.unparse(hint)]
    for _ in range(2):
        for node in ast.walk(scope):
            match node:
                case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                    pairs = [(target, value)]
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                    pairs = list(zip(targets, values, strict=True))
                case _:
                    continue
            for target, value in pairs:
                section = section_of(value, known)
                if section is not None:
                    known[ast.unparse(target)] = section
    return known


def read(path: Path) -> Iterator[str]:
    """The settings that a file reads."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known = bound(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=name):
                yield f"{section_of(value, known)}.{name}"


@pytest.fixture(scope="session")
def readers(repository: Path) -> set[str]:
    files = [path for folder in ("ragheal", "cli") for path in (repository / folder).rglob("*.py")]
    return {key for path in files if path.parent.name != "settings" for key in read(path)}


def documented(repository: Path) -> dict[str, Any]:
    tree = yaml.safe_load((repository / "configs" / "default.yaml").read_text(encoding="utf-8"))
    return {f"{section}.{key}": value for section, values in tree.items() for key, value in values.items()}


def test_the_file_of_defaults_is_the_settings(repository: Path) -> None:
    """Users copy from it: what it lacks they never find, what it has too much of is refused."""
    assert set(documented(repository)) == set(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_every_setting_has_a_reader(key: str, readers: set[str]) -> None:
    """Whoever sets a dead one waits for an effect that never comes."""
    assert key in readers
