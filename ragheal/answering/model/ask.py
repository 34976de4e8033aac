"""Asking: a request through the door, its reply parsed, asked once more when malformed, a fault told when lost."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from ragheal.answering.model import prompts
from ragheal.answering.model.parse import Malformed, visible
from ragheal.retrieval.base import Doors
from ragheal.settings import Settings
from ragheal.types import ChatReply, ChatRequest, FaultStep, Lang, ModelRole, Step, Tokens

if TYPE_CHECKING:
    from ragheal.answering.model.shapes import Shape

T = TypeVar("T")
S = TypeVar("S", bound="Shape")
_ROLES: Mapping[str, ModelRole] = {
    "classify": "classifier", "plan": "planner", "judge": "judge", "rewrite": "rewriter", "generate": "generator",
    "combine": "generator", "compose": "generator", "direct": "generator", "verify": "verifier",
}  # fmt: skip
#: Faults of calls that never left the program.
_NOT_SENT = frozenset({"breaker", "budget"})
_DETAIL = 200
_END = re.compile(r"(?:[.!?](?=\s)|[。！？])(?:\s*\[\d{1,2}\])*|\[\d{1,2}\][.。](?=\s|\Z)")


class Asker:
    """Every call of one question's roles. Counts calls and tokens, and the judge's lost replies."""

    def __init__(self, doors: Doors, settings: Settings, emit: Callable[[Step], None]) -> None:
        self._doors, self._emit = doors, emit
        self.folder = settings.model.prompts
        self.calls = 0
        self.tokens = Tokens()
        self.judge_errors = 0
        self._attempts: dict[tuple[str, str], int] = {}

    def object(
        self,
        name: str,
        language: Lang,
        values: Mapping[str, str],
        shape: type[S],
        use: Callable[[S], T],
        *,
        max_tokens: int = 0,
        topic: str = "",
        instead: str = "embedded",
    ) -> T | None:
        """A reply as a value: `use` turns its shape into one and may raise Malformed. None: a fault was told.

        `topic` names what is asked, as askings of one topic are numbered; left empty, it is the filled prompt.
        """
        from ragheal.answering.model import shapes

        def parsed(text: str, echo: str) -> T:
            return use(shapes.read(text, shape, echo))

        return self._twice(
            name, language, values, parsed, shapes.schema(shape), max_tokens, topic, instead, stream=False
        )

    def prose(
        self,
        name: str,
        language: Lang,
        values: Mapping[str, str],
        use: Callable[[str], T],
        *,
        stream: bool,
    ) -> T | None:
        """The same for a reply in prose."""
        return self._twice(
            name, language, values, lambda text, _: use(visible(text)), "", 0, "", "embedded", stream=stream
        )

    def _twice(
        self,
        name: str,
        language: Lang,
        values: Mapping[str, str],
        parsed: Callable[[str, str], T],
        schema: str,
        max_tokens: int,
        topic: str,
        instead: str,
        *,
        stream: bool,
    ) -> T | None:
        prompt = prompts.load(name, language, self.folder)
        role = _ROLES[name]
        user = prompt.filled(values)
        problem = ""
        for again in (False, True):
            note = prompt.sections.get("again", "")
            request = ChatRequest(
                role,
                prompt.system,
                f"{user}\n\n{note}" if again and note else user,
                schema=schema,
                max_tokens=max_tokens,
                prompt=prompt.id,
                attempt=self._attempt(role, topic or user),
                stream=stream and not again,
            )
            reply = self._send(request)
            if reply.fault:
                return self._of_fault(role, reply, parsed, user, instead, prose=not schema)
            try:
                return parsed(reply.text, user)
            except Malformed as error:
                problem = str(error)
        self._lost(role, "malformed", problem, instead)
        return None

    def _of_fault(
        self,
        role: ModelRole,
        reply: ChatReply,
        parsed: Callable[[str, str], T],
        user: str,
        instead: str,
        *,
        prose: bool,
    ) -> T | None:
        """None, or what a reply that was cut off says in whole sentences or whole fields."""
        if reply.fault == "cut_off" and reply.text:
            try:
                value = parsed(_whole(reply.text) if prose else reply.text, user)
            except Malformed:
                pass
            else:
                self._lost(role, reply.fault, reply.detail, "the part that came")
                return value
        self._lost(role, reply.fault, reply.detail, instead)
        return None

    def _attempt(self, role: ModelRole, topic: str) -> int:
        key = (role, topic)
        self._attempts[key] = self._attempts.get(key, 0) + 1
        return self._attempts[key]

    def _send(self, request: ChatRequest) -> ChatReply:
        reply = self._doors.chat(request)
        if reply.fault not in _NOT_SENT:
            self.calls += 1
        self.tokens = Tokens(
            self.tokens.prompt + reply.tokens.prompt, self.tokens.completion + reply.tokens.completion
        )
        return reply

    def _lost(self, role: ModelRole, kind: str, detail: str, instead: str) -> None:
        if role == "judge" and kind == "malformed":
            self.judge_errors += 1
        detail = " ".join(detail.split())
        detail = detail if len(detail) <= _DETAIL else detail[: _DETAIL - 1] + "…"
        self._emit(FaultStep(role, kind, detail, instead))


def _whole(text: str) -> str:
    """A text without the sentence that it breaks off in."""
    ends = [match.end() for match in _END.finditer(text)]
    return text[: ends[-1]] if ends else ""
