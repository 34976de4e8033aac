"""`ragheal status`: what is indexed, and what has changed since."""

from __future__ import annotations

from .. import render
from ..output import Output
from ..session import Place


def status(place: Place) -> Output:
    """Show what is indexed, and what has changed since."""
    from ragheal.checkup.status import status
    from ragheal.indexing.opened import OpenIndex

    folder = place.existing()
    with OpenIndex.open(folder) as opened:
        fields = status(opened, folder)
    return Output("status", fields, lambda page: render.project.status(page, fields))
