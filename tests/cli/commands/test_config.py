"""Settings: documented in full, and each with its origin."""

from pathlib import Path

import pytest
import ragheal_configs

from ragheal.settings import KEYS, Settings, load

FOLDER = Path(ragheal_configs.__path__[0])


def test_default_preset_is_the_defaults():
    """The documented default is the one in force, and no setting is undocumented."""
    loaded = load(preset="default", env={})
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {"preset default"}
    text = (FOLDER / "default.yaml").read_text(encoding="utf-8")
    for key in KEYS:
        assert f"  {key.partition('.')[2]}: " in text


@pytest.mark.parametrize("name", ["fast", "strict", "scale"])
def test_presets_load(name):
    """A preset that names a setting of yesterday would fail at the user's."""
    assert load(preset=name, env={}).settings != Settings()


def test_config_shows_origins(run, place, monkeypatch):
    """Flag over environment over project file over preset over default, each named."""
    (place / "ragheal.yaml").write_text(
        "preset: strict\nretrieval:\n  top_k: 7\n  rrf_k: 50\nloop:\n  max_rounds: 5\n", encoding="utf-8"
    )
    monkeypatch.setenv("RAGHEAL_RETRIEVAL__RRF_K", "40")
    settings = run("config", "--set", "loop.max_rounds=4", "--json").json["settings"]
    assert settings["loop.max_rounds"] == {"value": 4, "origin": "flag"}
    assert settings["retrieval.rrf_k"] == {"value": 40, "origin": "environment"}
    assert settings["retrieval.top_k"] == {"value": 7, "origin": "ragheal.yaml"}
    assert settings["loop.strategy"] == {"value": "self_rag", "origin": "preset strict"}
    assert settings["retrieval.fusion"] == {"value": "adaptive", "origin": "default"}
    assert list(settings) == list(KEYS)
    assert "loop.max_rounds\t5\tragheal.yaml\n" in run("config").out


def test_errors_in_the_project_file(run, place):
    """A misspelt key must not be a setting that silently does nothing."""
    (place / "ragheal.yaml").write_text("retrieval:\n  topk: 7\n", encoding="utf-8")
    result = run("config")
    assert result.code == 2
    assert "did you mean `retrieval.top_k`?" in result.err
    (place / "ragheal.yaml").write_text("a: [", encoding="utf-8")
    assert "not valid YAML" in run("config").err
