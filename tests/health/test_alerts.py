"""An alert is raised for what is past its threshold, and for nothing else."""

import pytest

from ragheal.health.alerts import NAMES, alerts
from ragheal.history.figures import Figures, Latency
from ragheal.settings.sections import HealthSettings

GOOD = {
    "since": "", "until": "", "questions": 100, "retrieved": 100, "healed": 30, "heal_rate": 0.30,
    "heal_success_rate": 0.80, "mean_recoveries": 2.0, "degraded_rate": 0.10,
    "latency": {"standard": Latency(100, 1.0, 9.0)},
}  # fmt: skip


def raised(settings=None, **fields):
    return [alert.name for alert in alerts(Figures(**{**GOOD, **fields}), settings or HealthSettings())]


def test_at_the_threshold_all_is_well():
    """30 % is the limit, not beyond it."""
    assert raised() == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("heal_rate", 0.31), ("heal_success_rate", 0.79), ("mean_recoveries", 2.1), ("degraded_rate", 0.11)],
)
def test_each_beyond_its_threshold(field, value):
    """Each alert names figure, threshold and setting, and says what to do."""
    (alert,) = alerts(Figures(**{**GOOD, field: value}), HealthSettings())
    assert (alert.name, alert.value) == (field, value)
    assert alert.setting.startswith("health.")
    assert alert.hint


def test_latency_only_when_asked_for():
    """How long is too long is the user's to say."""
    assert raised(HealthSettings(max_p95_seconds=8.0)) == ["p95_seconds"]
    assert raised(HealthSettings(max_p95_seconds=10.0)) == []


def test_few_questions_raise_nothing():
    """One failure of three questions on a Monday morning must wake nobody."""
    assert raised(questions=19, heal_rate=1.0) == []
    assert raised(retrieved=19, heal_rate=1.0) == []
    assert raised(healed=2, heal_success_rate=0.0, mean_recoveries=3.0) == []
    assert raised(HealthSettings(min_questions=1), questions=1, retrieved=1, healed=1, heal_success_rate=0.0) == [
        "heal_success_rate"
    ]


def test_nothing_measured():
    """An empty window has no alert."""
    assert alerts(Figures("", ""), HealthSettings(min_questions=0)) == ()


def test_names_are_complete():
    """The export names every alert, also those that are quiet; a forgotten one would never be seen."""
    loud = {"heal_rate": 1.0, "heal_success_rate": 0.0, "mean_recoveries": 9.0, "degraded_rate": 1.0}
    assert tuple(raised(HealthSettings(max_p95_seconds=1.0), **loud)) == NAMES
