"""What a model decided about a question is not asked for twice within the hour."""

import msgspec

from ragheal.caching import database
from ragheal.caching.decisions import CachedDecisions, DecisionCache
from ragheal.settings import Settings
from ragheal.settings.sections import CacheSettings
from ragheal.types import ChatReply, ChatRequest, Tokens

REQUEST = ChatRequest(role="classifier", system="Choose a route.", user="Who leads payments?", prompt="classify 1")


class Model:
    """A chat model that counts what it is asked."""

    fingerprint = "qwen at localhost"

    def __init__(self, *replies):
        self.replies = list(replies) or [ChatReply('{"route":"standard"}', tokens=Tokens(90, 8), seconds=0.4)]
        self.asked = []

    def complete(self, request):
        self.asked.append(request)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]


def test_asked_once(tmp_path):
    """A second asking costs no call, no token and no time, in another process as well."""
    model = Model()
    first = CachedDecisions(model, DecisionCache(tmp_path, Settings()), "1").complete(REQUEST)
    again = CachedDecisions(model, DecisionCache(tmp_path, Settings()), "1").complete(REQUEST)
    assert first == model.replies[0]
    assert again == ChatReply('{"route":"standard"}')
    assert len(model.asked) == 1


def test_other_requests_other_roles_other_models(tmp_path):
    """A judge's verdict hangs on passages of the day, and another model decides otherwise."""
    model = Model()
    cached = CachedDecisions(model, DecisionCache(tmp_path, Settings()), "1")
    assert cached.fingerprint == model.fingerprint
    for request in (
        REQUEST,
        msgspec.structs.replace(REQUEST, user="Who leads cards?"),
        msgspec.structs.replace(REQUEST, prompt="classify 2"),
        msgspec.structs.replace(REQUEST, role="judge"),
        msgspec.structs.replace(REQUEST, role="judge"),
    ):
        cached.complete(request)
    assert len(model.asked) == 5
    other = Model()
    other.fingerprint = "llama at localhost"
    CachedDecisions(other, DecisionCache(tmp_path, Settings()), "1").complete(REQUEST)
    CachedDecisions(model, DecisionCache(tmp_path, Settings()), "2").complete(REQUEST)
    assert (len(other.asked), len(model.asked)) == (1, 6)


def test_no_decision_is_not_kept(tmp_path):
    """A failed call, or a reply that had to be asked for again, must not hold for an hour."""
    failed, good = ChatReply(fault="timeout"), ChatReply('{"route":"standard"}')
    model = Model(failed, ChatReply("well …"), good)
    cached = CachedDecisions(model, DecisionCache(tmp_path, Settings()), "1")
    second = msgspec.structs.replace(REQUEST, attempt=2)
    asked = [cached.complete(request) for request in (REQUEST, REQUEST, second, REQUEST, REQUEST)]
    assert asked == [failed, ChatReply("well …"), good, good, good]
    assert len(model.asked) == 4


def test_kept_for_an_hour(tmp_path, monkeypatch):
    """A model that was replaced under the same name is noticed in the end."""

    class Clock:
        now = 1_800_000_000.0

        def time(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(database, "time", clock)
    model = Model()
    cached = CachedDecisions(model, DecisionCache(tmp_path, Settings()), "1")
    cached.complete(REQUEST)
    clock.now += 3599
    cached.complete(REQUEST)
    assert len(model.asked) == 1
    clock.now += 1
    cached.complete(REQUEST)
    assert len(model.asked) == 2
    off = CachedDecisions(model, DecisionCache(tmp_path, Settings(cache=CacheSettings(decisions=0))), "1")
    off.complete(REQUEST)
    assert len(model.asked) == 3
