"""Routing: which strategy answers a question, by rules first, by a model where no rule fires."""

from __future__ import annotations

from ragheal.answering.direct import arithmetic
from ragheal.answering.roles import Roles
from ragheal.settings import Settings
from ragheal.text.rules import rules
from ragheal.text.script import lang, simplified
from ragheal.types import ROUTES, Route, Routing

_REASONS: dict[str, str] = {
    "direct": "nothing to look up",
    "multi_hop": "more than one thing must be found",
    "self_rag": "must be verified",
    "generative": "asks for something to be written",
}


def decide(question: str, settings: Settings, roles: Roles) -> Routing:
    """The route of a question: `route`, and where that only falls back, the opinion of the roles."""
    routing = route(question, settings)
    if routing.decided_by != "default":
        return routing
    return roles.classify(question) or routing


def route(question: str, settings: Settings) -> Routing:
    """The route of a question. A flag decides first, then the first rule that matches, else `standard`."""
    forced = settings.loop.strategy
    if forced != "adaptive":
        return Routing(forced, "asked for", decided_by="flag")
    if arithmetic(question) is not None:
        return Routing("direct", "arithmetic", rule="arithmetic")
    text = simplified(question.strip())
    matched: dict[str, str] = {}
    for rule in rules(lang(text)).routes:
        if rule.target not in matched and rule.pattern.search(text):
            matched[rule.target] = rule.name
    if "self_rag" in matched and "multi_hop" in matched:
        name = f"{matched['self_rag']} + {matched['multi_hop']}"
        return Routing("combined", f"several things must be found and verified ({name})", rule=name)
    for target in ROUTES:
        if target in matched:
            return Routing(_route(target), f"{_REASONS[target]} ({matched[target]})", rule=matched[target])
    return Routing("standard", "one fact", decided_by="default")


def _route(name: str) -> Route:
    return next(known for known in ROUTES if known == name)
