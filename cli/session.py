"""What a command starts from: where the index is, which settings hold, the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragheal.errors import ConfigError, RaghealError

from . import options

if TYPE_CHECKING:
    from ragheal.engine import Engine
    from ragheal.settings import Loaded
    from ragheal.types import Trace


@dataclass(frozen=True)
class Place:
    """Where the index is: in the folder of --index, else in the nearest .ragheal upwards."""

    index: options.Index = None

    def existing(self) -> Path:
        """The index folder to read. Raises IndexMissing."""
        from ragheal.engine import find_index

        return find_index(Path.cwd(), self.index)

    def found(self) -> Path | None:
        """The index folder, which may not be there when it was given; None when there is none upwards."""
        from ragheal.indexing.folder import find

        return self.index or find(Path.cwd())

    def to_write(self) -> Path:
        """The index folder `index` writes: the one given, one that exists upwards, else a new one here."""
        from ragheal.indexing.folder import NAME

        return self.found() or Path.cwd() / NAME


@dataclass(frozen=True)
class Project(Place):
    """The same with the settings: of --set, of the project beside the index, of --preset."""

    preset: options.Preset = None
    set_: options.Set = None

    def settings(self, index: Path | None, flags: Mapping[str, Any] = {}) -> Loaded:
        """Settings from every source; `index` is the index folder, whose parent may hold the `ragheal.yaml`."""
        from ragheal.settings import load

        given = {key: value for key, value in flags.items() if value is not None}  # a flag outdoes --set
        return load(project=project_file(index), preset=self.preset, flags={**_assigned(self.set_ or []), **given})

    @contextmanager
    def engine(self, flags: Mapping[str, Any] = {}, *, asks: bool = True) -> Iterator[Engine]:
        """The engine of the index and its settings. Raises IndexMissing, and ConfigError as `engine` does."""
        folder = self.existing()
        with engine(self.settings(folder, flags), folder, asks=asks) as made:
            yield made


@dataclass(frozen=True)
class Server:
    """Who does the thinking."""

    backend: options.Backend = None
    base_url: options.BaseUrl = None
    model: options.Model = None

    @property
    def flags(self) -> dict[str, Any]:
        """As settings: whoever names a server or a model wants it asked."""
        backend = "openai" if self.backend is None and (self.base_url or self.model) else self.backend
        return {"model.backend": backend, "model.base_url": self.base_url, "model.name": self.model}


def project_file(index: Path | None) -> Path | None:
    """The project's `ragheal.yaml`: next to the index folder, else in the working directory."""
    from ragheal.settings import PROJECT_FILE

    folders = [index.absolute().parent] if index else []
    return next((f / PROJECT_FILE for f in (*folders, Path.cwd()) if (f / PROJECT_FILE).is_file()), None)


def addresses(index: Path, sources: Iterable[str]) -> dict[str, str]:
    """`file:` addresses of documents of an index, for a terminal to open; those that are known."""
    from ragheal.indexing.opened import OpenIndex

    try:
        with OpenIndex.open(index) as opened:
            paths = {source: opened.path_of(source) for source in sources}
    except RaghealError:
        return {}  # the answer is there all the same
    return {source: path.absolute().as_uri() for source, path in paths.items() if path is not None}


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
    elif settings.model.backend == "openai":
        from ragheal.settings.trust import refusal

        if (refused := refusal(loaded)) is not None:
            raise refused
    made = Engine(settings, index)
    try:
        yield made
    finally:
        made.close()


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
