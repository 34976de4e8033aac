"""A run recorded at its doors runs again offline, and any difference is named."""

import msgspec
import pytest

from ragheal.errors import CheckFailed, TraceError
from ragheal.tracing import requests
from ragheal.tracing.record import CHAT, Recorder
from ragheal.tracing.replay import NOT_SAVED, Player, check, compare
from ragheal.types import ChatRequest, Exchange, Query, Reading, RouteStep, Routing, SearchStep


class Doors:
    """Doors with a little behind them."""

    def __init__(self, samples):
        self.samples = samples
        self.reader = True

    @property
    def fingerprints(self):
        return {"search": "generation 1"}

    def search(self, query):
        return (self.samples.hit(self.samples.LEAD, 0.875, 1, 2),) if "team" in query.text else ()

    def frequencies(self, terms):
        return {"": 10, **dict.fromkeys(terms, 3)}

    def similarity(self, query, texts):
        return tuple(round(1 / (1 + len(text)), 6) for text in texts)

    def read(self, question, passages):
        return tuple(Reading(0.5, start=0, end=3) for _ in passages) if self.reader else None


def visit(doors, samples):
    """Every door once."""
    return (
        doors.search(Query("team lead", "plan", depth=5, paths=("a/*",))),
        doors.frequencies(["team", "lead", "团队"]),
        doors.similarity("who leads?", ["a", "bb", "三"]),
        doors.read("who leads?", [("Teams", "text")]),
        doors.search(Query("nothing")),
    )


def recorded(samples, doors=None):
    recorder = Recorder(doors or Doors(samples))
    replies = visit(recorder, samples)
    return msgspec.structs.replace(samples.healed(), exchanges=recorder.exchanges), replies


def test_player_gives_what_was_recorded(samples):
    """A replay that sees other numbers than the run would fail for no reason."""
    trace, replies = recorded(samples)
    player = Player(msgspec.json.decode(msgspec.json.encode(trace), type=type(trace)))
    assert visit(player, samples) == replies
    player.finish()
    assert player.fingerprints == trace.models


def test_another_call_is_named_with_the_nearest(samples):
    """Without both queries in the message nobody finds out what changed."""
    trace, _ = recorded(samples)
    with pytest.raises(
        CheckFailed, match=r"step 1: asked search “team leads”, but lookup 1 .* search “team lead”"
    ) as e:
        Player(trace).search(Query("team leads"))
    assert "nearest" in e.value.hint
    with pytest.raises(CheckFailed) as later:
        Player(trace).search(Query("nothing"))
    assert "as lookup 5" in later.value.hint
    with pytest.raises(CheckFailed, match="asked similarity"):
        Player(trace).similarity("who leads?", ["other"])


JUDGE = ChatRequest("judge", "be strict", "is it in [1]?", prompt="judge.en 1 0a1b")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"user": "is it in [2]?"}, "the texts the judge was shown differ"),
        ({"schema": "{}"}, "the texts the judge was shown differ"),
        ({"role": "planner"}, "the role was judge, is now planner"),
        ({"prompt": "judge.en 2 0a1b"}, "the prompt was judge.en 1 0a1b, is now judge.en 2 0a1b"),
        ({"prompt": ""}, "the prompt was judge.en 1 0a1b, is now none"),
        ({"attempt": 2}, "the attempt was 1, is now 2"),
    ],
)
def test_another_chat_is_told_in_words(samples, change, words):
    """Two digests tell nobody what was edited."""
    exchange = Exchange(CHAT, requests.chat(JUDGE), msgspec.Raw(b"{}"))
    player = Player(msgspec.structs.replace(samples.healed(), exchanges=(exchange,)))
    with pytest.raises(CheckFailed) as error:
        player.chat(msgspec.structs.replace(JUDGE, **change))
    assert error.value.message == f"step 1: lookup 1 is another chat than in the trace: {words}"
    assert "edited" in error.value.hint
    with pytest.raises(CheckFailed, match=r"but lookup 1 of the trace is chat of the judge \(judge.en 1 0a1b, "):
        player.search(Query("q"))


def test_other_texts_of_one_length_are_another_call(samples):
    """The digest covers all texts and where one ends."""
    trace, _ = recorded(samples)
    player = Player(msgspec.structs.replace(trace, exchanges=trace.exchanges[2:3]))
    with pytest.raises(CheckFailed):
        player.similarity("who leads?", ["ab", "b", "三"])


def test_calls_too_many_and_too_few(samples):
    """A replay that leaves recorded calls unused was another run."""
    trace, _ = recorded(samples)
    player = Player(trace)
    with pytest.raises(CheckFailed, match="5 recorded lookups were not made again, first search"):
        player.finish()
    visit(player, samples)
    with pytest.raises(CheckFailed, match="the trace ends after 5 lookups"):
        player.search(Query("one more"))


def test_damaged_reply_is_a_trace_error(samples):
    """A reply edited by hand is the trace's fault, not the program's."""
    trace, _ = recorded(samples)
    bad = msgspec.structs.replace(trace.exchanges[0], reply=msgspec.Raw(b'[{"score": "high"}]'))
    with pytest.raises(TraceError, match="reply of lookup 1"):
        Player(msgspec.structs.replace(trace, exchanges=(bad,))).search(
            Query("team lead", "plan", depth=5, paths=("a/*",))
        )


def test_compare_ignores_time_and_the_disk(samples):
    """Two runs of one question never take the same time; a full disk is no drift."""
    old = samples.healed()
    answer = msgspec.structs.replace(
        old.answer,
        citations=tuple(msgspec.structs.replace(c, changed=not c.changed) for c in old.answer.citations),
        degraded=(f"{NOT_SAVED}: full",),
    )
    steps = tuple(msgspec.structs.replace(s, seconds=9.0) if isinstance(s, SearchStep) else s for s in old.steps)
    new = msgspec.structs.replace(old, id="zzz", created="later", seconds=5.0, steps=steps, answer=answer)
    assert compare(old, new) is None


def test_compare_names_the_first_step_and_field(samples):
    """ "They differ" helps nobody."""
    old = samples.healed()
    search = old.steps[2]
    hits = (msgspec.structs.replace(search.hits[0], score=0.5), *search.hits[1:])
    steps = (*old.steps[:2], msgspec.structs.replace(search, hits=hits), *old.steps[3:])
    difference = compare(old, msgspec.structs.replace(old, steps=steps))
    assert difference == "step 3 (search): hits[0].score was 0.871, is now 0.5"
    assert "step 9 (check) is in the trace" in compare(old, msgspec.structs.replace(old, steps=old.steps[:-1]))
    text = msgspec.structs.replace(old, answer=msgspec.structs.replace(old.answer, text="no"))
    assert compare(old, text).startswith("the answer differs: text was “Mara")


def test_check_stops_at_the_first_different_step(samples):
    """Later differences follow from the first; only that one says what happened."""
    trace, _ = recorded(samples)

    def run(doors, on_step, *, reason="a thing of a thing of a thing"):
        on_step(RouteStep(Routing("multi_hop", reason, "rule", "chain.of_of")))
        visit(doors, samples)
        for step in trace.steps[1:]:
            on_step(step)
        return trace

    check(trace, run)
    with pytest.raises(CheckFailed, match=r"step 1 \(route\): routing.reason was “a thing .* is now “other”"):
        check(trace, lambda doors, on_step: run(doors, on_step, reason="other"))

    def wander(doors, on_step):
        on_step(trace.steps[0])
        doors.search(Query("elsewhere"))
        return trace

    with pytest.raises(CheckFailed, match="step 2: asked search “elsewhere”"):
        check(trace, wander)
