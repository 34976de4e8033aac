"""`ChatClient`: budget, breaker, retries and output modes around one HTTP call."""

from __future__ import annotations

import hashlib
import math
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec

from ragheal.models.chat import deadline as bounded
from ragheal.models.chat import output
from ragheal.models.chat.breaker import SICK, Breaker
from ragheal.models.chat.budget import Budget, Grant, Usage, estimate
from ragheal.models.chat.endpoint import Endpoint, endpoint
from ragheal.models.chat.ledger import Ledger
from ragheal.models.chat.output import Abilities, Output
from ragheal.models.chat.received import Received
from ragheal.models.chat.wire import Failed, Wire
from ragheal.settings import Settings
from ragheal.types import ChatReply, ChatRequest, Fault, ModelRole, Tokens

__all__ = ["ChatClient", "Usage", "open_chat"]

_FIRST_PAUSE = 0.25  # seconds before the first retry; doubled for each further one
_LONGEST_PAUSE = 8.0
#: A wait this long without an answer says something of the server, even where a budget ended it.
_TELLING_SECONDS = 5.0
_PROMPT_OVERHEAD = 16  # tokens that the chat's frame adds


def open_chat(settings: Settings, folder: Path | None) -> ChatClient:
    """The model server of the settings; `folder` is the index folder, None keeps everything in memory.

    Nothing is connected yet. Raises ConfigError for an address, model name or key that cannot be used.
    """
    return ChatClient(endpoint(settings), settings, Ledger(folder))


class ChatClient:
    """Has the shape of `ChatModel`. May be used by several threads; `start_question` belongs between questions."""

    def __init__(self, place: Endpoint, settings: Settings, ledger: Ledger) -> None:
        self.endpoint = place
        self._settings = settings.model
        self._wire = Wire(place)
        self._ledger = ledger
        self._breaker = Breaker(ledger, place.base_url, settings.model)
        self._budget = Budget(settings.budget, ledger, place.base_url)
        self._budget_name = f"the question's {settings.budget.seconds:g} seconds (budget.seconds)"
        self._known: dict[str, Abilities] = {}
        self._notes: list[str] = []
        self._lock = threading.Lock()
        #: Called with the text of requests with `stream`, piece by piece as it comes, in the caller's thread.
        self.on_text: Callable[[str], None] | None = None

    @property
    def fingerprint(self) -> str:
        """Which models answer, where, and with which settings: what a reply depends on beside its request."""
        models = self.endpoint.models
        own = " ".join(f"{role}={models[role]}" for role in sorted(models))
        chosen = [self._settings.temperature, self._settings.seed, self._settings.output, own]
        digest = hashlib.sha256(msgspec.json.encode(chosen)).hexdigest()[:8]
        return f"{self.endpoint.model or own} at {self.endpoint.base_url} {digest}"

    @property
    def usage(self) -> Usage:
        """What the calls since `start_question` took."""
        return self._budget.usage

    @property
    def notes(self) -> tuple[str, ...]:
        """What was given up since `start_question`, in words, each once."""
        trouble = (self._ledger.trouble,) if self._ledger.trouble else ()
        return (*self._notes, *trouble)

    def start_question(self) -> None:
        """A new question: its budget is whole and its clock at zero."""
        self._budget.start()
        self._notes = []

    def warm(self) -> None:
        """Begin to load the library beside other work."""
        threading.Thread(target=self._wire_warm, daemon=True).start()

    def close(self) -> None:
        self._wire.close()

    def complete(self, request: ChatRequest) -> ChatReply:
        """Ask the server. Whatever it does, and whatever is refused, comes back as a reply with a fault."""
        started = time.monotonic()
        model = self.endpoint.model_of(request.role)
        try:
            reply = self._complete(request, model)
        except bounded.ListenerFailed as failure:
            raise failure.error from None
        except Exception as error:  # nothing of a library or of this file may cost the user the answer
            words = self.endpoint.clean(f"{type(error).__name__}: {error}")
            reply = ChatReply(fault="unavailable", detail=f"the call failed: {words}")
        if reply.fault and not any(reply.detail in note for note in self._notes):
            self._note(f"{request.role} failed: {reply.detail}")
        seconds = round(time.monotonic() - started, 4)
        return msgspec.structs.replace(reply, model=reply.model or model, seconds=seconds)

    # --- one call ---

    def _complete(self, request: ChatRequest, model: str) -> ChatReply:
        prompt = estimate(request.system, request.user) + _PROMPT_OVERHEAD
        grant = self._budget.grant(request.role, prompt, request.max_tokens or self._settings.max_tokens)
        if isinstance(grant, str):
            return self._refused("budget", grant)
        refusal = self._breaker.refusal(request.role)
        if refusal:
            return self._refused("breaker", refusal)
        started = time.monotonic()
        try:
            reply = self._negotiated(request, model, grant, prompt)
        except BaseException:
            self._breaker.undecided()
            raise
        finally:
            self._budget.count(time.monotonic() - started)
        waited = time.monotonic() - started
        if reply.fault in SICK or (reply.fault == "budget" and waited >= _TELLING_SECONDS):
            self._breaker.failed(reply.detail)
        elif reply.fault == "budget":
            self._breaker.undecided()
        else:
            self._breaker.succeeded()
        return reply

    def _refused(self, fault: Fault, detail: str) -> ChatReply:
        self._note(f"model server not asked: {detail}")
        return ChatReply(fault=fault, detail=detail)

    def _negotiated(self, request: ChatRequest, model: str, grant: Grant, prompt: int) -> ChatReply:
        """Ask in the best output mode that the server takes, and remember which it is."""
        known = self._abilities(model)
        without = known.without
        modes = output.candidates(self._settings.output, known) if request.schema else ("text",)
        reply, tokens = ChatReply(), Tokens()
        position = 0
        while position < len(modes):
            mode: Output = modes[position]
            last = position == len(modes) - 1
            finding = bool(request.schema) and not known.output and self._settings.output == "auto"
            # A reply that may have to be asked for again is not shown yet.
            asked = msgspec.structs.replace(request, stream=request.stream and (last or not finding))
            sent = output.body(asked, model, self._settings, mode, without, grant.max_tokens)
            try:
                received = self._persistent(sent, grant)
            except Failed as failure:
                refused = output.refused_parameter(failure.status, failure.words, sent)
                if refused:
                    without = (*without, refused)
                    continue
                reply = ChatReply(fault=failure.fault, detail=failure.detail, output=mode)
                if not request.schema or not output.refused_format(failure.status, failure.words):
                    break
                if last and known.output and mode != "text" and self._settings.output == "auto":
                    # The server is no longer what it was.
                    known, modes, position = Abilities(without=without), output.OUTPUTS, 0
                    continue
                position += 1
                continue
            tokens = self._spend(received, tokens, model, prompt)
            if request.schema:
                output.unhide(received)
            reply = self._reply(received, mode)
            silent = output.said_nothing(received)
            if finding and not last and (silent or not (reply.fault or output.is_object(reply.text))):
                position += 1  # it took the format and did not keep to it
                continue
            if silent and known.output not in {"", "text"} and self._settings.output == "auto":
                known, modes, position = Abilities(without=without), output.OUTPUTS, 0
                continue
            found: Output | Literal[""] = mode if finding and not reply.fault else known.output
            if (found, without) != (known.output, known.without) and not reply.fault:
                self._learn(model, Abilities(found, without))
            break
        return msgspec.structs.replace(reply, tokens=tokens)

    def _persistent(self, sent: dict[str, Any], grant: Grant) -> Received:
        """Try again after 429, 5xx and lost connections, as long as the time allows. Raises Failed."""
        started = time.monotonic()
        pause, tries = _FIRST_PAUSE, 0
        while True:
            try:
                return self._once(sent, grant)
            except Failed as failure:
                wait = failure.wait if failure.wait >= 0 else pause * random.uniform(1.0, 1.25)
                # A server that still loads its model is no failing one: it gets the time of a whole call.
                loading = failure.status == 503 and "loading" in failure.words.lower()
                end = started + self._settings.timeout if loading else math.inf
                if not failure.again or (tries == self._settings.retries and not loading):
                    raise
                if time.monotonic() + wait >= min(grant.deadline, end) or wait > self._settings.timeout:
                    failure.detail += (
                        f"; it asks to wait {wait:.0f} s" if failure.wait >= 0 else "; no time to retry"
                    )
                    raise
                time.sleep(wait)
                tries += not loading
                pause = min(2 * pause, 1.0 if loading else _LONGEST_PAUSE)

    def _once(self, sent: dict[str, Any], grant: Grant) -> Received:
        end = min(time.monotonic() + self._settings.timeout, grant.deadline)
        short = end == grant.deadline
        seconds = max(0.01, end - time.monotonic())
        streaming = bool(sent.get("stream"))

        def work(emit: Callable[[str], None]) -> Received:
            return self._wire.call(sent, seconds, emit)

        late: Fault = "budget" if short and not math.isinf(grant.deadline) else "timeout"
        why = self._budget_name if late == "budget" else f"{self._settings.timeout:g} s (model.timeout)"
        try:
            return bounded.run(work, end, self.on_text if streaming else None)
        except bounded.Late as stopped:
            if stopped.text:
                return Received(text=stopped.text, choices=True, broken=f"the reply was not complete within {why}")
            raise Failed(late, f"no answer within {why}") from None
        except Failed as failure:
            if failure.fault == "timeout":
                raise Failed(late, f"no answer within {why}") from None
            raise

    def _reply(self, received: Received, mode: Output) -> ChatReply:
        fault, detail = _fault(received)
        detail = self.endpoint.clean(detail)
        return ChatReply(received.text, fault, detail, model=received.model, output=mode)

    def _spend(self, received: Received, before: Tokens, model: str, prompt: int) -> Tokens:
        """Note the tokens of a reply, estimated where the server does not tell; the sum with those `before`."""
        tokens = Tokens(received.prompt_tokens or prompt, received.completion_tokens or estimate(received.text))
        self._budget.spend(model, tokens)
        return Tokens(before.prompt + tokens.prompt, before.completion + tokens.completion)

    # --- what is remembered ---

    def forget(self) -> None:
        """Find out anew what the server takes, and try it even while it is left alone."""
        self._breaker.succeeded()
        for model in {self.endpoint.model, *self.endpoint.models.values()} - {""}:
            self._learn(model, Abilities())

    def abilities(self, role: ModelRole) -> Abilities:
        """What is known of a role's model."""
        return self._abilities(self.endpoint.model_of(role))

    def _abilities(self, model: str) -> Abilities:
        if model not in self._known:
            self._known[model] = self._ledger.abilities(self.endpoint.base_url, model)
        return self._known[model]

    def _learn(self, model: str, abilities: Abilities) -> None:
        self._known[model] = abilities
        self._ledger.learn(self.endpoint.base_url, model, abilities)

    def _note(self, text: str) -> None:
        with self._lock:
            if text not in self._notes:
                self._notes.append(text)

    def _wire_warm(self) -> None:
        try:
            self._wire.warm()
        except Exception:
            return  # the first call meets it


def _fault(received: Received) -> tuple[Fault, str]:
    """What is wrong with a reply that came."""
    if received.refusal and not received.text:
        return "rejected", f"the model refused: {received.refusal}"
    if received.finish == "content_filter":
        return "rejected", "the server's content filter stopped the reply"
    if not received.text.strip():
        if received.finish == "length":
            return "cut_off", "the model used all its tokens before it answered; raise model.max_tokens"
        if received.reasoning:
            return "rejected", "the model sent its reasoning and no answer"
        if not received.choices:
            return "unavailable", "the reply holds no choices" if received.complete else received.broken
        return ("rejected", "the reply is empty") if received.complete else ("unavailable", received.broken)
    if not received.complete:
        return "cut_off", received.broken
    if received.finish == "length":
        return "cut_off", "the reply reached its longest length (model.max_tokens)"
    return "", ""
