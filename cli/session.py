"""What a command starts from: the index folder, the settings, the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragheal.errors import ConfigError

if TYPE_CHECKING:
    from ragheal.engine import Engine
    from ragheal.settings import Loaded
    from ragheal.types import Trace


def existing_index(given: Path | None) -> Path:
    """The index folder to read. Raises IndexMissing."""
    from ragheal.engine import find_index

    return find_index(Path.cwd(), given)


def index_to_write(given: Path | None) -> Path:
    """The index folder `index` writes: the one given, one that exists upwards, else a new one here."""
    from ragheal.indexing.folder import NAME

    return given or found_upwards() or Path.cwd() / NAME


def found_upwards() -> Path | None:
    from ragheal.indexing.folder import find

    return find(Path.cwd())


def settings(
    index: Path | None,
    preset: str | None = None,
    assignments: list[str] | None = None,
    flags: Mapping[str, Any] = {},
) -> Loaded:
    """Settings from every source; `index` is the index folder, whose parent may hold the `ragheal.yaml`."""
    from ragheal.settings import load

    given = {key: value for key, value in flags.items() if value is not None}  # a flag outdoes --set
    return load(project=project_file(index), preset=preset, flags={**_assigned(assignments or []), **given})


def server_flags(backend: str | None, base_url: str | None, model: str | None) -> dict[str, Any]:
    """The flags that choose who does the thinking: whoever names a server or a model wants it asked."""
    if backend is None and (base_url or model):
        backend = "openai"
    return {"model.backend": backend, "model.base_url": base_url, "model.name": model}


def project_file(index: Path | None) -> Path | None:
    """The project's `ragheal.yaml`: next to the index folder, else in the working directory."""
    from ragheal.settings import PROJECT_FILE

    folders = [index.absolute().parent] if index else []
    return next((f / PROJECT_FILE for f in (*folders, Path.cwd()) if (f / PROJECT_FILE).is_file()), None)


@contextmanager
def engine(loaded: Loaded, index: Path, *, asks: bool = True) -> Iterator[Engine]:
    """The engine of a command. Raises ConfigError for a model server that only an untrusted project names.

    `asks` False: the command needs no model server, so it gets an engine that knows of none, and needs no trust.
    """
    from ragheal.engine import Engine

    settings = loaded.settings
    if not asks:
        import msgspec

        from ragheal.settings import ModelSettings

        settings = msgspec.structs.replace(settings, model=ModelSettings())
    elif settings.model.backend == "openai" and (refused := untrusted(loaded)) is not None:
        raise refused
    made = Engine(settings, index)
    try:
        yield made
    finally:
        made.close()


def untrusted(loaded: Loaded) -> ConfigError | None:
    """Why the model server of the settings must not be asked; None: it may."""
    from ragheal.settings.trust import refusal

    return refusal(loaded)


def require_server_of(trace: Trace, loaded: Loaded) -> None:
    """Raises ConfigError when running a trace again would ask a server elsewhere that the user did not choose."""
    from ragheal.settings.trust import refusal_of_record

    refused = refusal_of_record(trace.settings.get("model", {}), loaded, f"trace {trace.id}")
    if refused is not None:
        raise refused


def _assigned(assignments: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals:
            raise ConfigError(f"`--set {assignment}` has no value", hint="write --set section.key=value")
        listed = key.strip() in {"index.exclude", "retrieval.paths"}
        values[key.strip()] = [part for part in text.split(",") if part] if listed else text.strip()
    return values
