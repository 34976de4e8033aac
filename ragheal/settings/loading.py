"""`load()` fills the settings and says for every value where it came from.

Precedence: flags > environment (`RAGHEAL_SECTION__KEY`) > `ragheal.yaml` of the project > a preset of
`configs/` > defaults. Keys of model servers are no settings: they stay in the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from ragheal.errors import ConfigError, nearest
from ragheal.settings.sections import Settings

ENV_PREFIX = "RAGHEAL_"
#: Variables of the program that are no settings.
ENV_OTHERS = frozenset({"RAGHEAL_INDEX", "RAGHEAL_PRESET", "RAGHEAL_DEBUG", "RAGHEAL_TRUST"})
PROJECT_FILE = "ragheal.yaml"
_LISTED = "`ragheal config` lists every setting"


class Loaded(msgspec.Struct, frozen=True):
    """Settings and, for every dotted key, where its value came from ("default", a file, a variable, a flag).

    `chosen` is what the project itself decides: its file, above a preset of its own that the file names. It holds
    a value also where the environment or a flag has another.
    """

    settings: Settings
    origins: dict[str, str]
    project: Path | None = None
    chosen: dict[str, Any] = {}


def flat(settings: Settings) -> dict[str, Any]:
    """Every value under its dotted key, such as `retrieval.top_k`, in order."""
    return {
        f"{section}.{key}": value
        for section, values in msgspec.to_builtins(settings).items()
        for key, value in values.items()
    }


KEYS = tuple(flat(Settings()))


def load(
    *,
    project: Path | None = None,
    preset: str | None = None,
    flags: Mapping[str, Any] | None = None,
    env: Mapping[str, str] | None = None,
) -> Loaded:
    """Merge every source of settings.

    `project` is a `ragheal.yaml` (None: none), `preset` the name of a file of `configs/` or a path,
    `flags` maps dotted keys to values (None values are left out).
    Raises ConfigError for an unknown key (naming the nearest), a bad value or a file that is no YAML.
    """
    values: dict[str, Any] = {}
    origins = dict.fromkeys(KEYS, "default")

    def take(items: Iterator[tuple[str, Any]], origin: str) -> None:
        for key, value in items:
            if key not in origins:
                where = "on the command line" if origin == "flag" else f"in {origin}"
                raise ConfigError(f"unknown setting `{key}` {where}", hint=_nearest(key, KEYS))
            values[key], origins[key] = value, origin

    project_values: dict[str, Any] = {}
    chosen: dict[str, Any] = {}
    named: str | None = None
    if project is not None:
        project_values = _read_yaml(project)
        named = _text(project_values.pop("preset", None), project)
    env = os.environ if env is None else env
    given = preset
    preset = given or named or env.get("RAGHEAL_PRESET")
    if preset:
        path = preset_path(preset)
        of_preset = dict(_flatten(_read_yaml(path), path))
        take(iter(of_preset.items()), f"preset {preset}")
        if not given and named and not _shipped(path):
            chosen |= of_preset
    if project is not None:
        of_project = dict(_flatten(project_values, project))
        take(iter(of_project.items()), project.name)
        chosen |= of_project
    take(_from_env(env), "environment")
    for key, value in (flags or {}).items():
        if value is not None:
            take(iter([(key, value)]), "flag")
    return Loaded(_build(values, origins), origins, project, chosen)


def preset_path(name: str) -> Path:
    """The file of a preset: a path as it is, a bare name within `configs/`."""
    direct = Path(name)
    if direct.suffix in {".yaml", ".yml"} and direct.exists():
        return direct
    folder = _shipped_folder()
    path = folder / f"{name}.yaml"
    if not path.exists():
        names = sorted(p.stem for p in folder.glob("*.yaml") if not p.stem.startswith("rules"))
        raise ConfigError(f"no preset named `{name}`", hint=f"presets: {', '.join(names)}, or the path of a .yaml")
    return path


def _shipped_folder() -> Path:
    from importlib.resources import files

    return Path(str(files("ragheal_configs")))


def _shipped(path: Path) -> bool:
    """Whether a preset is one of the program's own; a name such as `../../preset` leads out of its folder."""
    return path.resolve().parent == _shipped_folder().resolve()


def _build(values: Mapping[str, Any], origins: Mapping[str, str]) -> Settings:
    nested: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        section, _, name = key.partition(".")
        # Each value is converted alone, so that the message can name its key and its origin.
        probe = {section: {name: value}}
        try:
            msgspec.convert(probe, Settings, strict=False)
        except msgspec.ValidationError as error:
            raise ConfigError(
                f"`{key}` = {value!r} ({origins[key]}): {_plain(str(error), key)}", hint=_default(key)
            ) from None
        nested.setdefault(section, {})[name] = value
    settings = msgspec.convert(nested, Settings, strict=False)
    _check_ranges(settings, origins)
    return settings


_AT_LEAST = {
    "index.chunk_tokens": 32, "index.max_file_mb": 0.001, "retrieval.top_k": 1, "retrieval.channel_k": 1,
    "retrieval.rrf_k": 1, "loop.max_rounds": 1, "loop.deep_k": 1, "answer.max_sentences": 1,
    "answer.max_sentences_unsure": 1, "answer.max_chars": 40, "embedding.threads": 0,
    "index.chunk_overlap": 0, "retrieval.dense_weight": 0.0, "retrieval.lexical_weight": 0.0,
    "loop.max_hops": 1, "model.timeout": 0.1, "model.retries": 0, "model.max_tokens": 16,
    "model.context_chars": 500, "model.temperature": 0.0, "model.breaker_failures": 1,
    "model.breaker_seconds": 0.0,
    "budget.seconds": 0.0, "budget.tokens": 0, "budget.tokens_per_day": 0, "budget.cost": 0.0,
    "budget.cost_per_day": 0.0, "budget.reserve": 0.0, "cache.entries": 1, "memory.similarity": 0.0,
    "memory.plans": 1, "history.keep_days": 0.0, "history.keep_mb": 0.0, "health.days": 0.0,
}  # fmt: skip
_AT_MOST = {
    "index.chunk_tokens": 480,
    "loop.max_rounds": 10,
    "retrieval.top_k": 200,
    "loop.max_hops": 5,
    "memory.similarity": 1.0,
    "budget.reserve": 0.9,
}


def _check_ranges(settings: Settings, origins: Mapping[str, str]) -> None:
    values = flat(settings)
    for key, low in _AT_LEAST.items():
        if values[key] < low:
            raise ConfigError(
                f"`{key}` = {values[key]} ({origins[key]}): must be at least {low}", hint=_default(key)
            )
    for key, high in _AT_MOST.items():
        if values[key] > high:
            raise ConfigError(
                f"`{key}` = {values[key]} ({origins[key]}): must be at most {high}", hint=_default(key)
            )


def _flatten(tree: Mapping[str, Any], path: Path) -> Iterator[tuple[str, Any]]:
    sections = Settings.__struct_fields__
    for section, values in tree.items():
        if section not in sections:
            raise ConfigError(f"unknown section `{section}` in {path.name}", hint=_nearest(section, sections))
        if not isinstance(values, Mapping):
            raise ConfigError(
                f"`{section}` in {path.name} must hold settings, such as `{_example(section)}`", hint=_LISTED
            )
        for key, value in values.items():
            yield f"{section}.{key}", value


def _from_env(env: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    for name, text in sorted(env.items()):
        if not name.startswith(ENV_PREFIX) or name in ENV_OTHERS:
            continue
        section, _, key = name[len(ENV_PREFIX) :].lower().partition("__" if "__" in name else "_")
        dotted = f"{section}.{key}"
        if "__" not in name:
            raise ConfigError(
                f"unknown variable in the environment: {name}",
                hint=f"a setting is written RAGHEAL_SECTION__KEY; {_nearest(dotted, KEYS, env=True)}",
            )
        if dotted not in KEYS:
            raise ConfigError(f"unknown setting in the environment: {name}", hint=_nearest(dotted, KEYS, env=True))
        listed = dotted in {"index.exclude", "retrieval.paths"}
        yield dotted, [part for part in text.split(",") if part] if listed else text


def _read_yaml(path: Path) -> dict[str, Any]:
    import yaml

    try:
        tree = yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except OSError as error:
        raise ConfigError(
            f"cannot read {path}: {error.strerror}", hint="it must be a text file that you may read"
        ) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where else ""
        raise ConfigError(f"{path}{line} is not valid YAML", hint="check the indentation and the colons") from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} must hold sections such as `retrieval:`", hint=_LISTED)
    return tree


def _text(value: Any, path: Path) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ConfigError(f"`preset` in {path.name} must be a name", hint="such as `preset: fast`")


def _nearest(key: str, known: tuple[str, ...], *, env: bool = False) -> str:
    # The section may be wrong while the key is right: "loop.top_k".
    tail = key.rpartition(".")[2]
    close = nearest(key, known) or next((k for k in known if k.rpartition(".")[2] == tail), "")
    if not close:
        return _LISTED
    name = ENV_PREFIX + close.replace(".", "__").upper() if env else close
    return f"did you mean `{name}`?"


def _default(key: str) -> str:
    """What to do about a value that cannot be used."""
    value = flat(Settings())[key]
    shown = msgspec.json.encode(value).decode() if not isinstance(value, str) else value or '""'
    return f"`ragheal config` shows every setting; the default of `{key}` is {shown}"


def _example(section: str) -> str:
    key = next(k for k in KEYS if k.startswith(section + "."))
    return f"{key.partition('.')[2]}: …"


def _plain(message: str, key: str) -> str:
    """What is wrong with a value, in words; a choice lists what can be chosen."""
    section, _, name = key.partition(".")
    kind = get_type_hints(get_type_hints(Settings)[section])[name]
    if get_origin(kind) is Literal:
        return "must be one of " + ", ".join(str(choice) for choice in get_args(kind))
    found = re.match(r"Expected `([\w| ]+)`", message)
    words = {
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "str": "a text",
        "array": "a list",
    }
    if found:
        kinds = [
            words.get(part.strip(), part.strip()) for part in found.group(1).split("|") if part.strip() != "null"
        ]
        return "must be " + " or ".join(kinds)
    return message.split(" - at ")[0].replace("`", "")
