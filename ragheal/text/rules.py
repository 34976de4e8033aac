"""The word lists of `configs/rules.en.yaml` and `rules.zh.yaml`, compiled."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import msgspec

from ragheal.errors import ConfigError
from ragheal.text.script import simplified
from ragheal.types import Lang


class Rule(msgspec.Struct, frozen=True):
    """A named pattern. `target` is a route or a kind of value."""

    target: str
    name: str
    pattern: re.Pattern[str]


class Rules(msgspec.Struct, frozen=True):
    """One language's rules; lists are in order of precedence."""

    routes: tuple[Rule, ...]
    asks: tuple[Rule, ...]
    compare: dict[str, tuple[str, ...]]
    hedges: tuple[str, ...]


@lru_cache(maxsize=2)
def rules(lang: Lang) -> Rules:
    """The rules of a language. Raises ConfigError when the file is damaged."""
    import yaml

    path = Path(str(files("ragheal_configs"))) / f"rules.{lang}.yaml"
    try:
        tree = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        routes = tuple(
            Rule(route, item["name"], re.compile(item["match"], re.IGNORECASE))
            for route, items in tree["routes"].items()
            for item in items
        )
        asks = tuple(
            Rule(item["kind"], item["kind"], re.compile(item["match"], re.IGNORECASE)) for item in tree["asks"]
        )
        compare = {key: tuple(map(str, words)) for key, words in tree["compare"].items()}
        hedges = tuple(map(str, tree["hedges"]))
    except (OSError, yaml.YAMLError, KeyError, TypeError, re.error) as error:
        raise ConfigError(f"{path.name} cannot be used: {error}", hint="reinstall ragheal") from None
    return Rules(routes, asks, compare, hedges)


def hedged(text: str) -> str | None:
    """The first phrase in a text that says "I don't know", "无法确定"; None when it has none."""
    plain = simplified(text).replace("’", "'")
    match = _hedges().search(plain)
    return match.group() if match else None


@lru_cache(maxsize=1)
def _hedges() -> re.Pattern[str]:
    english = "|".join(map(re.escape, rules("en").hedges))
    chinese = "|".join(map(re.escape, rules("zh").hedges))
    return re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)
