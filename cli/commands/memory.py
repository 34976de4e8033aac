"""`ragheal memory`: the plans that are remembered of verified answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ragheal.errors import ConfigError

from .. import arguments, render
from ..console import whole
from ..options import argument, option
from ..output import Output
from ..session import Place, Project

if TYPE_CHECKING:
    from ragheal.memory import PlanMemory

_PLAN = "A plan's id, or its first characters."


def listed(
    place: Place,
    limit: Annotated[int, option("--limit -n N", "How many to list, last used first.")] = 20,
) -> Output:
    """List the remembered plans, last used first."""
    arguments.at_least("--limit", limit, 1, "without --limit there are 20")
    memory = _memory(place)
    plans = memory.list(limit)
    return Output(
        "memory list",
        {"count": memory.count(), "plans": whole(plans)},
        lambda page: render.stores.plans(page, plans),
        note="" if plans else "no plans are remembered yet",
    )


def show(place: Place, plan: Annotated[str, argument("ID", _PLAN)]) -> Output:
    """Show a remembered plan: its queries, documents and results."""
    entry = _memory(place).show(plan)
    return Output("memory show", {"plan": whole(entry)}, lambda page: render.stores.plan(page, entry))


def forget(
    place: Place,
    plan: Annotated[str | None, argument("ID", _PLAN)] = None,
    everything: Annotated[bool, option("--all", "Forget every plan.")] = False,
) -> Output:
    """Forget one remembered plan, or all with --all."""
    if (plan is None) != everything:
        raise ConfigError("give either a plan or --all", hint="`ragheal memory list` shows the plans")
    count = _memory(place).forget(plan)
    return Output("memory forget", {"forgotten": count}, note=f"forgot {count:,} plan{'' if count == 1 else 's'}")


def rebuild(project: Project) -> Output:
    """Rebuild the memory from the saved traces, after damage or with a new embedder."""
    from ragheal.history.relearn import relearn
    from ragheal.indexing.opened import OpenIndex
    from ragheal.models import load_embedder

    folder = project.existing()
    settings = project.settings(folder).settings
    chosen = settings.embedding
    embedder = load_embedder(chosen.model, chosen.query_prefix, chosen.passage_prefix, threads=chosen.threads)
    with OpenIndex.open(folder) as opened:
        memory = relearn(folder, settings.memory, embedder.embed_query, embedder.fingerprint, opened.documents())
    count = memory.count()
    said = f"{count:,} plan{'' if count == 1 else 's'} remembered"
    fields = {"count": count, "notes": list(memory.notes)}
    return Output("memory rebuild", fields, note="\n".join([*memory.notes, said]))


def _memory(place: Place) -> PlanMemory:
    from ragheal.memory import PlanMemory

    return PlanMemory(place.existing())
