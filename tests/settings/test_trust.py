"""Who chose the server and the key: the user, or a file that came with a folder."""

from __future__ import annotations

import json
import os
import stat

import pytest

from ragheal.errors import StorageError
from ragheal.models.chat.endpoint import Endpoint
from ragheal.settings import load
from ragheal.settings.trust import (
    Claim,
    claim,
    is_local,
    place,
    refusal,
    refusal_of_record,
    shown,
    standing,
    trust,
    untrust,
)

AWAY = "https://models.example.test/v1"
KEY = "sk-do-not-print-me"


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder


@pytest.fixture
def project(tmp_path, home):
    """Writes the project's file and loads it: `project("base_url: …", flags=…)`."""

    def make(*lines, top="", name="cloned", **sources):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        file = folder / "ragheal.yaml"
        body = "".join(f"  {line}\n" for line in lines)
        file.write_text(top + (f"model:\n{body}" if body else ""), encoding="utf-8")
        return load(project=file, **{"env": {}, **sources})

    return make


# --- which addresses are this machine ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:11434/v1", "http://LOCALHOST", "https://127.0.0.1:8000/", "http://127.1.2.3/v1",
        "http://[::1]:8080/v1", " http://localhost/v1 ",
    ],
)  # fmt: skip
def test_this_machine(address):
    """Who runs a model at home should not be asked to trust himself."""
    assert is_local(address)
    assert Endpoint(address.strip(), "", {}, "").local


@pytest.mark.parametrize(
    "address",
    [
        AWAY, "http://127.0.0.1.example.test/v1", "http://127.example.test", "http://localhost.example.test",
        "http://localhost@example.test/v1", "http://example.test/localhost", "http://[::1]example.test/",
        "http://example.test[::1]/", "http://localhost\\@example.test", "http://localhost\\.example.test/",
        "http://127.0.0.256/", "http://10.0.0.1/v1", "http://0.0.0.0/", "http://example.test#@localhost/",
        "http://example.test?@localhost/", "http://localhost/@example.test", "http://１２７.0.0.1/", "localhost", "",
        "ftp://localhost/", "http://localhost\n.example.test/", "http://localhost:80:x@example.test",
    ],
)  # fmt: skip
def test_not_this_machine(address):
    """A host that only looks like loopback would get the key without a question."""
    assert not is_local(address)
    assert not Endpoint(address, "", {}, "").local


# --- when trust is needed ------------------------------------------------------------------------------------


def test_a_cloned_folder_cannot_choose_where_the_key_goes(project):
    """The first question in somebody else's folder would send a key to a stranger."""
    loaded = project("backend: openai", f"base_url: {AWAY}", "key_env: SOME_SECRET")
    refused = refusal(loaded, {"SOME_SECRET": KEY, "HOME": "/nowhere"})
    for part in ("cloned/ragheal.yaml is not trusted", "the key in SOME_SECRET", AWAY):
        assert part in refused.message
    assert KEY not in refused.message + refused.hint
    assert "ragheal config --trust" in refused.hint
    assert "RAGHEAL_MODEL__BASE_URL and RAGHEAL_MODEL__KEY_ENV" in refused.hint
    assert (refused.exit_code, "\n" in refused.message + refused.hint) == (2, False)
    assert "SOME_SECRET" not in refusal(loaded, {"HOME": "/nowhere"}).message  # none is set, none would be sent


@pytest.mark.parametrize(
    ("lines", "sources", "keys"),
    [
        # The user's address, but the project says which of his secrets goes there.
        (["key_env: AWS_SECRET_ACCESS_KEY"], {"flags": {"model.base_url": AWAY}}, ("model.key_env",)),
        (["key_env: OTHER"], {"env": {"RAGHEAL_MODEL__BASE_URL": AWAY}}, ("model.key_env",)),
        # His key, but the project says where it goes.
        ([f"base_url: {AWAY}"], {"flags": {"model.backend": "openai"}}, ("model.base_url",)),
        ([f"base_url: {AWAY}"], {"env": {"RAGHEAL_MODEL__KEY_ENV": "MINE"}}, ("model.base_url",)),
    ],
)  # fmt: skip
def test_half_of_the_choice_is_a_choice(project, lines, sources, keys):
    """An address of one's own with a key of the project's choice loses that key all the same."""
    loaded = project(*lines, **sources)
    assert claim(loaded).keys == keys
    assert refusal(loaded) is not None


@pytest.mark.parametrize(
    ("lines", "sources"),
    [
        ([f"base_url: {AWAY}", "key_env: OTHER"],
         {"env": {"RAGHEAL_MODEL__BASE_URL": AWAY, "RAGHEAL_MODEL__KEY_ENV": "MINE"}}),
        ([f"base_url: {AWAY}"], {"flags": {"model.base_url": "https://mine.example.test/v1"}}),
        (["backend: openai", "name: any"], {"env": {"RAGHEAL_MODEL__BASE_URL": AWAY}}),
        (["backend: openai", "base_url: http://localhost:1234/v1", "key_env: OTHER"], {}),
        (["backend: openai", "name: any"], {}),
    ],
)  # fmt: skip
def test_what_the_user_chose_himself_needs_no_trust(project, lines, sources):
    """A question about one's own flags, or about a server at home, teaches people to say yes to everything."""
    assert refusal(project(*lines, **sources)) is None


def test_the_rest_of_a_file_is_not_asked_about(project):
    """A project that sets top_k is no danger."""
    assert claim(project(top="retrieval:\n  top_k: 5\n")) is None
    assert claim(load(env={})) is None


def test_a_preset_of_the_projects_own_counts_as_its_file(project, tmp_path, monkeypatch):
    """Else the address is put into a second file and nobody is asked."""
    away = f"model:\n  base_url: {AWAY}\n"
    (tmp_path / "cloned").mkdir()
    (tmp_path / "cloned/team.yaml").write_text(away, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "cloned")
    for name in ("team.yaml", str(tmp_path / "cloned/team"), os.path.relpath("team", _configs())):
        assert refusal(project(top=f"preset: {name}\n")) is not None, name
    assert refusal(project("name: any", preset="team.yaml")) is None  # the user's own --preset
    assert refusal(project("name: any", env={"RAGHEAL_PRESET": "team.yaml"})) is None
    assert claim(project(top="preset: default\n")) is None  # one of the program's own


def _configs():
    import ragheal_configs

    return ragheal_configs.__path__[0]


# --- trust that is kept --------------------------------------------------------------------------------------


def test_trust_is_of_these_values_in_this_file(project):
    """Asked at every edit nobody looks any more; not asked at a new address, the look was for nothing."""
    lines = ["backend: openai", f"base_url: {AWAY}", "key_env: A"]
    trust(claim(project(*lines)))
    assert refusal(project(*lines)) is None
    assert refusal(project(*lines, "name: another", top="retrieval:\n  top_k: 5\n")) is None
    assert refusal(project(*lines[:2], "key_env: B")) is not None
    assert refusal(project(lines[0], "base_url: https://models.example.test/v2", lines[2])) is not None
    assert refusal(project(*lines[:2])) is not None
    assert refusal(project(*lines, name="copied")) is not None
    assert refusal(project(*lines)) is None


def test_a_trusted_file_stays_so_beside_a_flag(project):
    """Another key variable for one run must not cost the trust, nor be needed for it."""
    trust(claim(project(f"base_url: {AWAY}")))
    assert refusal(project(f"base_url: {AWAY}", env={"RAGHEAL_MODEL__KEY_ENV": "MINE"})) is None


def test_trust_is_taken_back(project):
    """A trust that cannot be ended is for ever."""
    loaded = project(f"base_url: {AWAY}")
    trust(claim(loaded))
    assert untrust(loaded.project)
    assert refusal(loaded) is not None
    assert not untrust(loaded.project)


def test_a_link_to_the_file_is_the_file(project, tmp_path):
    """The same file reached by another way is not asked about twice."""
    trust(claim(project(f"base_url: {AWAY}")))
    (tmp_path / "way").symlink_to(tmp_path / "cloned", target_is_directory=True)
    assert refusal(load(project=tmp_path / "way/ragheal.yaml", env={})) is None


def test_what_is_kept(project, home):
    """Other users of the machine need not know which servers one uses, and a key has no place in a file."""
    trust(claim(project(f"base_url: {AWAY}", "key_env: A")))
    file = home / "ragheal/trusted.json"
    text = file.read_text(encoding="utf-8")
    assert list(json.loads(text)["files"]) == [str(home.parent / "cloned/ragheal.yaml")]
    assert AWAY not in text
    assert [path.name for path in file.parent.iterdir()] == ["trusted.json"]
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"\xff\xfe", b"[]", b'{"version": 1, "files": []}', b'{"version": 9, "files": {}}']
)
def test_a_damaged_file_trusts_nobody(project, home, damage):
    """Half a file must be no consent and no crash, and trust can be given again."""
    loaded = project(f"base_url: {AWAY}")
    trust(claim(loaded))
    (home / "ragheal/trusted.json").write_bytes(damage)
    assert "counts as empty" in refusal(loaded).message
    assert "counts as empty" in trust(claim(loaded))
    assert refusal(loaded) is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_cannot_be_written(project, home):
    """A service without a home learns what to do instead."""
    home.mkdir()
    home.chmod(0o500)
    with pytest.raises(StorageError, match=r"cannot write .*trusted.json: Permission denied") as caught:
        trust(claim(project(f"base_url: {AWAY}")))
    home.chmod(0o700)
    assert "RAGHEAL_MODEL__BASE_URL" in caught.value.hint
    assert "RAGHEAL_TRUST=1" in caught.value.hint


def test_a_home_that_is_no_folder(project, home):
    """The same where a file stands in the way, as whoever runs as root meets it."""
    home.write_text("")
    loaded = project(f"base_url: {AWAY}")
    assert refusal(loaded) is not None
    with pytest.raises(StorageError, match=r"cannot write"):
        trust(claim(loaded))


def test_no_home_at_all(project):
    """A relative home would be looked for in the very folder that is in question."""
    env = {"HOME": "here", "XDG_CONFIG_HOME": "."}
    assert place(env, "linux") is None
    claimed = claim(project(f"base_url: {AWAY}"))
    assert not standing(claimed, env).trusted
    with pytest.raises(StorageError, match="no home folder"):
        trust(claimed, env)


@pytest.mark.skipif(os.name == "nt", reason="paths of this system")
def test_where_it_is_kept():
    """Where each system's users expect it, and where their backups find it."""
    assert str(place({"HOME": "/h"}, "linux")) == "/h/.config/ragheal/trusted.json"
    assert str(place({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "linux")) == "/x/ragheal/trusted.json"
    assert str(place({"HOME": "/h", "XDG_CONFIG_HOME": "x"}, "linux")) == "/h/.config/ragheal/trusted.json"
    assert str(place({"HOME": "/h"}, "darwin")) == "/h/Library/Application Support/ragheal/trusted.json"
    assert str(place({"APPDATA": "/a"}, "win32")) == "/a/ragheal/trusted.json"


def test_a_variable_trusts_every_file(project):
    """A container has nobody to ask. Only a plain 1 does it: what else stands there may be meant otherwise."""
    loaded = project(f"base_url: {AWAY}", env={"RAGHEAL_TRUST": "1"})
    assert refusal(loaded, {"RAGHEAL_TRUST": "1"}) is None
    for other in ("0", "", "no", "false"):
        assert refusal(loaded, {"RAGHEAL_TRUST": other, "HOME": "/nowhere"}) is not None


# --- traces --------------------------------------------------------------------------------------------------


def test_a_trace_chooses_no_server_either(project):
    """A trace file from somebody else, run again, would send one's key as well as a settings file would."""
    recorded = {"backend": "openai", "base_url": AWAY, "name": "any", "key_env": "A"}
    env = {"A": KEY, "HOME": "/nowhere"}
    refused = refusal_of_record(recorded, load(env={}), "trace 1a2b", env)
    assert "trace 1a2b would send questions, passages and the key in A to" in refused.message
    assert f"RAGHEAL_MODEL__BASE_URL={AWAY} and RAGHEAL_MODEL__KEY_ENV=A" in refused.hint
    assert KEY not in refused.message + refused.hint
    own = {"RAGHEAL_MODEL__BASE_URL": AWAY + "/", "RAGHEAL_MODEL__KEY_ENV": "A"}
    assert refusal_of_record(recorded, load(env=own), "trace", env) is None
    assert refusal_of_record(recorded, load(env={}), "trace", {**env, "RAGHEAL_TRUST": "1"}) is None
    for harmless in ({}, {"backend": "openai"}, {**recorded, "backend": "embedded"}):
        assert refusal_of_record(harmless, load(env={}), "trace", env) is None


def test_a_trace_of_a_trusted_project_runs_again(project):
    """What may be asked may be asked again, and what may not be asked may not by way of a trace."""
    lines = ["backend: openai", f"base_url: {AWAY}"]
    recorded = {"backend": "openai", "base_url": AWAY}
    assert "ragheal config --trust" in refusal_of_record(recorded, project(*lines), "trace").hint
    trust(claim(project(*lines)))
    assert refusal_of_record(recorded, project(*lines), "trace") is None


# --- words ---------------------------------------------------------------------------------------------------


def test_what_is_shown_deceives_nobody():
    """Trust is given to what is read: an address must not hide its host, nor show a password."""
    assert shown("https://user:secret@example.test/v1") == "https://***@example.test/v1"
    assert shown("https://example.test/@mine.test/") == "https://example.test/@mine.test/"
    assert shown("https://ex\u0430mple.test") == "https://ex\\u0430mple.test"
    assert "\x1b" not in shown("https://\x1b[2Jexample.test")
    host = "a." * 120 + "example.test"
    assert host in shown(f"https://{host}/v1")
    odd = Claim("/p/\udcff\x1b.yaml", AWAY, "A\nB", ("model.key_env",), {"model.key_env": "A\nB"})
    assert odd.needs_trust
    assert not standing(odd).trusted
    trust(odd)
    assert standing(odd).trusted
