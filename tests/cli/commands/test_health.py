"""`ragheal health`: the figures for people, for scripts, for cron and for Prometheus."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from made_runs import keep, made
from prometheus_client.parser import text_string_to_metric_families
from ragheal_cli.render.health import sparkline

from ragheal.history.database import HISTORY
from ragheal.types import Tokens

NOW = datetime.now(UTC)


@pytest.fixture
def folder(place):
    folder = place / ".ragheal"
    (folder / "generations" / "000001").mkdir(parents=True)
    return folder


@pytest.fixture
def ill(folder):
    """24 questions of this week, 12 of which healed, 4 in vain; all well before."""
    keep(folder, *(made(created=NOW - timedelta(days=9)) for _ in range(30)))
    for days in range(4):
        day = NOW - timedelta(days=days)
        keep(folder, *(made(created=day, tokens=Tokens(10, 5), calls=1) for _ in range(3)))
        keep(folder, *(made(created=day, rounds=2) for _ in range(2)))
        keep(folder, made(created=day, rounds=3, status="abstained", degraded=("server down: refused",)))
    return folder


def test_json(run, ill):
    """The keys that scripts rely on, and the figures of the window alone."""
    fields = run("health", "--json").json
    assert fields["questions"] == 24
    assert fields["heal_rate"] == 0.5
    assert fields["heal_success_rate"] == pytest.approx(8 / 12, abs=1e-3)
    assert fields["mean_recoveries"] == pytest.approx(4 / 3, abs=1e-3)
    assert fields["cache_hit_rate"] == 0.0
    assert fields["routes"] == {"standard": {"runs": 24, "share": 1.0}}
    assert fields["latency"] == {"standard": {"runs": 24, "p50": 0.5, "p95": 0.5}}
    assert [alert["name"] for alert in fields["alerts"]] == ["heal_rate", "heal_success_rate", "degraded_rate"]
    assert fields["days"] == 7
    assert run("health", "--days", "30", "--json").json["questions"] == 54
    assert run("health", "--days", "0", "--json").json["questions"] == 54


def test_exit_code(run, ill):
    """A cron job acts on the exit code; without --fail looking is no failure."""
    assert run("health").code == 0
    assert run("health", "--fail").code == 7
    assert run("health", "--fail", "--json").code == 7
    assert run("health", "--fail", "--exit-zero").code == 0
    assert run("health", "--fail", "--days", "30", "--set", "health.min_heal_success=0.6").code == 0
    assert run("health", "--fail", "--set", "health.min_questions=1000").code == 0


def test_for_people(run, ill):
    """What is wrong comes first, then each figure with its threshold and its course."""
    lines = run("health").out.splitlines()
    assert lines[0] == "24 questions in the last 7 days"
    assert lines[1].split(None, 2)[2].startswith("50% of the questions needed more than one round")
    text = "\n".join(lines)
    assert "50% of 24 questions that searched (alert above 30%)" in text
    assert "67% of 12 (alert below 80%)" in text
    assert "standard: half within 500 ms, 95 % within 500 ms" in text
    assert "one round: 100% accepted" in text
    assert "server down (4)" in text
    assert "120 read, 60 written in 12 calls" in text
    assert "▄" in text or "▅" in text


def test_all_is_well(run, folder):
    """Good news is said, and too few questions for any news as well."""
    keep(folder, made(created=NOW))
    assert "fewer than 20 questions" in run("health").out
    keep(folder, *(made(created=NOW) for _ in range(30)))
    assert "no alerts" in run("health", "--fail").out


@pytest.mark.parametrize("arguments", [[], ["--fail"], ["--json"]])
def test_nothing_yet(run, folder, arguments):
    """A new index is not ill."""
    result = run("health", *arguments)
    assert result.code == 0
    if "--json" in arguments:
        assert result.json["heal_rate"] is None
        assert result.json["alerts"] == []
    else:
        assert "no questions in the last 7 days" in result.out


def test_damaged(run, folder):
    """A damaged history must not pass for a healthy one."""
    (folder / HISTORY.name).write_bytes(b"no database" * 500)
    result = run("health", "--fail")
    assert result.code == 2
    assert "cannot read" in result.err


def test_prometheus(run, ill, place):
    """The file holds what the screen shows, and is replaced whole."""
    path = place / "ragheal.prom"
    path.write_text("old\n")
    assert run("health", "--prometheus", "ragheal.prom", "--fail").code == 7
    families = {f.name: f for f in text_string_to_metric_families(path.read_text(encoding="utf-8"))}
    assert families["ragheal_heal_ratio"].samples[0].value == 0.5
    assert [p.name for p in place.iterdir() if p.name.startswith("ragheal.prom")] == ["ragheal.prom"]


def test_dashboard(run, folder, place):
    """Who installed the program gets the dashboard from it."""
    assert run("health", "--dashboard", "board.json", "--quiet").err == ""
    assert json.loads((place / "board.json").read_text(encoding="utf-8"))["title"] == "ragheal"
    (place / "board.json").write_text("mine")
    assert run("health", "--dashboard", "board.json", "--quiet").code == 0
    assert [p.name for p in place.iterdir() if "board" in p.name or p.name.endswith(".new")] == ["board.json"]


@pytest.mark.parametrize("flag", ["--prometheus", "--dashboard"])
@pytest.mark.parametrize(("path", "words"), [("no/such/folder/x", "there is no folder"), (".", "is a folder")])
def test_a_place_that_cannot_be(run, folder, flag, path, words):
    """A slip in the path is the user's to mend, and it is told how before anything is counted."""
    result = run("health", flag, path)
    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert "hint: " in result.err


@pytest.mark.parametrize("days", ["-1", "1e300", "nan", "soon"])
def test_bad_windows(run, folder, days):
    """A window that is none is named, not a traceback."""
    result = run("health", "--days", days)
    assert result.code == 2
    assert "days" in result.err
    assert "hint: " in result.err


def test_a_narrow_terminal_and_ascii(run, ill, process, monkeypatch):
    """On a console that knows no bars there are none, and nothing is cut off in the middle."""
    result = process("health", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert result.code == 0
    assert "\\u25" not in result.out
    assert "50% of 24 questions" in result.out


def test_sparkline():
    """Heights in order, a gap where nothing was measured, nothing for a single value."""
    assert sparkline([0, 1, 2, 4]) == "▁▃▅█"
    assert sparkline([0.0, None, 1.0], 1.0) == "▁·█"
    assert sparkline([1]) == ""
    assert sparkline([0, 0]) == "▁▁"
