"""The export parses, keeps to the naming rules of `promtool check metrics`, and feeds the dashboard."""

import json
import re
import tomllib

import msgspec
import pytest
from made_runs import NOW, keep, made
from prometheus_client.parser import text_string_to_metric_families

from ragheal.errors import StorageError
from ragheal.health.alerts import alerts
from ragheal.health.prometheus import export
from ragheal.history.figures import Figures, figures, totals
from ragheal.settings.sections import HealthSettings
from ragheal.types import Hop, Tokens

SUFFIXES = re.compile(r"_(bucket|sum|count)$")
TYPE_WORDS = {"gauge", "counter", "summary", "histogram", "info", "metric", "untyped"} - {"info"}
NOT_BASE = {"milliseconds", "minutes", "hours", "days", "ms", "sec", "kb", "mb", "percent", "percentage", "bits"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("history")
    keep(
        path,
        *(made(rounds=2) for _ in range(3)),
        made(status="abstained"),
        made(route="multi_hop", hops=(Hop(1, "a", "b"),), tokens=Tokens(5, 6), calls=1, seconds=3.0),
        made(degraded=('reader "off": \\ here',)),
    )
    return path


@pytest.fixture(scope="module")
def families(folder):
    return families_of(folder, figures(folder, days=7, now=NOW))


def families_of(folder, found):
    found = msgspec.structs.replace(found, signals={"thumbs_up": 2})
    path = folder / "ragheal.prom"
    export(path, found, alerts(found, HealthSettings(min_questions=1)), totals(folder), "1.2.3")
    return {family.name: family for family in text_string_to_metric_families(path.read_text(encoding="utf-8"))}


def value(families, name, **labels):
    return next(
        sample.value
        for family in families.values()
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


def test_values(families):
    """What is exported is what `ragheal health` shows."""
    assert value(families, "ragheal_heal_ratio") == 0.5
    assert value(families, "ragheal_questions_total", route="standard", status="answered") == 4
    assert value(families, "ragheal_tokens_total", kind="completion") == 6
    assert value(families, "ragheal_accepted_ratio", healing="healed") == 1.0
    assert value(families, "ragheal_window_seconds") == 7 * 86_400
    assert value(families, "ragheal_alert_active", alert="heal_rate") == 1
    assert value(families, "ragheal_alert_active", alert="mean_recoveries") == 0
    assert value(families, "ragheal_degraded_questions_total") == 1
    assert value(families, "ragheal_build_info", version="1.2.3") == 1


def test_histogram_is_cumulative(families):
    """`histogram_quantile` gives nonsense for buckets that do not add up."""
    name = "ragheal_question_duration_seconds"
    buckets = [
        s.value for s in families[name].samples if s.name == f"{name}_bucket" and s.labels["route"] == "standard"
    ]
    assert buckets == sorted(buckets)
    assert buckets[-1] == value(families, f"{name}_count", route="standard") == 5
    assert value(families, f"{name}_sum", route="multi_hop") == 3.0


def test_naming_rules(families):
    """Prometheus' own linter complains about these, and so do the people who own the server."""
    assert len(families) > 25
    for name, family in families.items():
        assert re.fullmatch(r"ragheal_[a-z0-9_]+", name)
        assert family.documentation.strip().endswith(".")
        words = set(name.split("_"))
        assert not words & TYPE_WORDS, name
        assert not words & NOT_BASE, name
        for sample in family.samples:
            assert sample.name.endswith("_total") == (family.type == "counter"), sample.name
            if family.type != "histogram":
                assert not SUFFIXES.search(sample.name), sample.name
                assert "le" not in sample.labels
            assert "quantile" not in sample.labels


def test_no_data_no_sample(tmp_path):
    """A rate that was not measured is absent; as a 0 it would raise alarms or hide them."""
    families = families_of(tmp_path, Figures("2026-06-08T00:00:00.000Z", "2026-06-15T00:00:00.000Z"))
    assert families["ragheal_heal_ratio"].samples == []
    assert value(families, "ragheal_window_questions") == 0
    assert value(families, "ragheal_recoveries_total") == 0


def test_a_file_that_cannot_be_written(folder, tmp_path):
    """A full disk or a wrong path is said in one line."""
    found = figures(folder, days=7, now=NOW)
    for path in (tmp_path, tmp_path / "no folder" / "x.prom"):
        with pytest.raises(StorageError, match="cannot write") as error:
            export(path, found, (), totals(folder), "1")
        assert error.value.hint


def test_the_dashboard_asks_for_what_is_exported(repository, families):
    """A panel whose metric was renamed stays empty for ever, and nobody is told."""
    dashboard = json.loads((repository / "configs" / "grafana" / "ragheal.json").read_text(encoding="utf-8"))
    exported = {sample.name for family in families.values() for sample in family.samples}
    asked = set()
    for panel in dashboard["panels"]:
        assert panel["title"]
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
        for target in panel["targets"]:
            names = set(re.findall(r"\bragheal_\w+", target["expr"]))
            assert names, panel["title"]
            assert names <= exported, panel["title"]
            labels = re.findall(r"by \((\w+)\)", target["expr"]) + re.findall(r"{{(\w+)}}", target["legendFormat"])
            known = {label for f in families.values() for s in f.samples if s.name in names for label in s.labels}
            assert set(labels) <= known, panel["title"]
            for name in names:
                counted = re.search(rf"(increase|rate)\(\s*{name}\b", target["expr"]) is not None
                assert counted == name.endswith(("_total", "_bucket")), panel["title"]
            asked |= names
    assert dashboard["schemaVersion"] >= 36
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    assert {"ragheal_heal_ratio", "ragheal_heal_success_ratio", "ragheal_recoveries_mean"} <= asked


def test_the_dashboard_ships(repository):
    """A dashboard that only the repository has is none for who installed the program."""
    data = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert "grafana/*.json" in data["package-data"]["ragheal_configs"]
