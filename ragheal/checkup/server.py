"""What a model server answers, and how."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.checkup.finding import Finding, bad
from ragheal.settings import Loaded
from ragheal.settings.trust import refusal

if TYPE_CHECKING:
    from ragheal.models.chat.probe import Probe

NO_ANSWER = 6
_JSON = {"schema": "JSON by schema", "object": "JSON without schema", "text": "JSON only as text"}


def asked(loaded: Loaded, folder: Path | None) -> tuple[Finding, Probe | None]:
    """What it answers; None where it must not be asked. Raises ConfigError."""
    from ragheal.models.chat.probe import probe

    refused = refusal(loaded)
    if refused is not None:
        return bad("server", refused), None
    probed = probe(loaded.settings, folder)
    return _told(probed), probed


def named(loaded: Loaded) -> list[Finding]:
    """The server of the settings, which is not asked; nothing where there is none."""
    model = loaded.settings.model
    if model.backend != "openai":
        return []
    refused = refusal(loaded)
    if refused is not None:
        return [bad("server", refused)]
    text = f"{model.name or 'no model named'} at {model.base_url}, not asked"
    return [Finding("server", "ok", text, "to ask it: ragheal doctor --model")]


def _told(found: Probe) -> Finding:
    where = f"{found.model} at {found.base_url}"
    if not found.answers:
        do = "is the server started? --base-url URL names another" if "no server" in found.detail else ""
        who = found.model if found.base_url in found.detail else where
        return Finding("server", "bad", f"{who} does not answer: {found.detail}", do, NO_ANSWER)
    parts = [f"first words after {found.seconds:.2f} s"]
    if found.tokens_per_second:
        parts.append(f"{found.tokens_per_second:.0f} tokens/s")
    parts.append(_JSON.get(found.output or "", "no usable JSON"))
    parts.append("streams" if found.streams else "does not stream")
    parts.append("takes a seed" if found.takes_seed else "takes no seed")
    if found.insecure:
        parts.append("the key is sent unencrypted: use https")
    if found.detail:
        parts.append(found.detail)
    lacking = found.insecure or found.detail or not found.output
    return Finding("server", "warning" if lacking else "ok", f"{where} answers: {', '.join(parts)}")
