"""Whether a project's file may choose where questions, passages and a key are sent.

A `ragheal.yaml` comes with its folder, and the folder may be somebody else's. What it says of the address
(`model.base_url`) and of the variable that holds the key (`model.key_env`) counts for a server elsewhere only
once the user has said so: `trust()` keeps that, in the user's own configuration folder, as a digest of these
two values. Whatever flags, the environment and presets of the user's own choice say needs no trust, and neither
does a server on this machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ragheal.errors import ConfigError, StorageError
from ragheal.settings.loading import Loaded
from ragheal.settings.sections import ModelSettings
from ragheal.storage.files import write_whole

ADDRESS, KEY_VARIABLE = "model.base_url", "model.key_env"
#: Set to 1, it trusts every project's file: for CI and containers.
VARIABLE = "RAGHEAL_TRUST"
NAME = "trusted.json"
_VERSION = 1
_MOST_SHOWN = 400  # characters; more than the longest name of a host, whose end must not be cut off
# The whole address, so that no two readers of URLs can disagree about its host ("127.0.0.1.example.com").
_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_LOCAL = re.compile(
    rf"https?://(?:localhost|127(?:\.{_BYTE}){{3}}|\[::1\])(?::\d{{1,5}})?(?:/[^\s\\@?#]*)?",
    re.IGNORECASE | re.ASCII,
)


class Claim(msgspec.Struct, frozen=True):
    """What a project's file says of the server and the key, and what is in force."""

    file: str  # resolved
    base_url: str  # in force
    key_env: str  # in force
    keys: tuple[str, ...]  # which of the two are in force because the file says so
    own: dict[str, str]  # what the file itself says of them, also where something else is in force

    @property
    def needs_trust(self) -> bool:
        return bool(self.keys) and not is_local(self.base_url)

    @property
    def digest(self) -> str:
        said = [self.own.get(ADDRESS), self.own.get(KEY_VARIABLE)]
        return hashlib.sha256(msgspec.json.encode(said)).hexdigest()


class Standing(msgspec.Struct, frozen=True):
    """Whether a claim is trusted. `by`: environment, user, or empty; `trouble`: why what was kept is not known."""

    trusted: bool
    by: str = ""
    trouble: str = ""


class _Kept(msgspec.Struct):
    version: int
    files: dict[str, str]  # path of a project's file -> digest of its claim


def is_local(base_url: str) -> bool:
    """Whether an address is one of this machine: a loopback name or number, and nothing that looks like one."""
    return _LOCAL.fullmatch(base_url.strip()) is not None


def claim(loaded: Loaded) -> Claim | None:
    """What the project's file claims; None when there is none, or it says nothing of a server or a key."""
    both = (ADDRESS, KEY_VARIABLE)
    own = {key: str(loaded.chosen[key]).strip() for key in both if key in loaded.chosen}
    if loaded.project is None or not own:
        return None
    keys = tuple(key for key in own if loaded.origins[key] not in {"environment", "flag"})
    model = loaded.settings.model
    file = os.path.realpath(loaded.project)
    return Claim(file, model.base_url.strip(), model.key_env.strip(), keys, own)


def standing(claimed: Claim, env: Mapping[str, str] | None = None) -> Standing:
    """Whether the user trusts a claim. Raises nothing: what cannot be read counts as not there, and is said."""
    env = os.environ if env is None else env
    if env.get(VARIABLE, "").strip() == "1":
        return Standing(True, "environment")
    files, trouble = _read(env)
    if files.get(_name(claimed)) == claimed.digest:
        return Standing(True, "user")
    return Standing(False, trouble=trouble)


def refusal(loaded: Loaded, env: Mapping[str, str] | None = None) -> ConfigError | None:
    """Why the server of the settings must not be asked, whatever the back end; None: it may."""
    claimed = claim(loaded)
    if claimed is None or not claimed.needs_trust:
        return None
    env = os.environ if env is None else env
    stands = standing(claimed, env)
    if stands.trusted:
        return None
    message = f"{_plain(claimed.file)} is not trusted to send {_sent(claimed.base_url, claimed.key_env, env)}"
    if stands.trouble:
        message += f" ({stands.trouble})"
    if claimed.keys == (ADDRESS,):
        own = "give the address yourself: --base-url or RAGHEAL_MODEL__BASE_URL"
    elif claimed.keys == (KEY_VARIABLE,):
        own = "name the key's variable yourself: RAGHEAL_MODEL__KEY_ENV"
    else:
        own = "give both yourself: RAGHEAL_MODEL__BASE_URL and RAGHEAL_MODEL__KEY_ENV"
    return ConfigError(message, hint=f"look at it, then `ragheal config --trust`; or {own}")


def refusal_of_record(
    recorded: object, loaded: Loaded, what: str, env: Mapping[str, str] | None = None
) -> ConfigError | None:
    """Why the server that a trace (`what`) was made with must not be asked again; None: it may.

    `recorded` is the trace's `model` section. A trace is a file that anybody may have written, so it may choose
    no server elsewhere: that server and key must be those of the settings, which are held to `refusal`.
    """
    env = os.environ if env is None else env
    try:
        model = msgspec.convert(recorded, ModelSettings, strict=False)
    except msgspec.ValidationError:
        return None  # no settings of this version, with which nothing can be run either
    if model.backend != "openai" or is_local(model.base_url) or env.get(VARIABLE, "").strip() == "1":
        return None
    now = loaded.settings.model
    address, variable = model.base_url.strip(), model.key_env.strip()
    if (address.rstrip("/"), variable) == (now.base_url.strip().rstrip("/"), now.key_env.strip()):
        return refusal(loaded, env)
    needed = [f"RAGHEAL_MODEL__BASE_URL={shown(address)}"]
    if variable != ModelSettings().key_env:
        needed.append(f"RAGHEAL_MODEL__KEY_ENV={_plain(variable)}")
    return ConfigError(
        f"{what} would send {_sent(address, variable, env)}, which is not the server of your settings",
        hint=f"if that is yours: {' and '.join(needed)} in the environment",
    )


def trust(claimed: Claim, env: Mapping[str, str] | None = None) -> str:
    """Keep that the user trusts a claim; gives what was wrong with the file kept so far. Raises StorageError."""
    files, trouble = _read(env)
    _write({**files, _name(claimed): claimed.digest}, env)
    return trouble


def untrust(project: Path, env: Mapping[str, str] | None = None) -> bool:
    """Take the trust in a project's file back; whether there was any. Raises StorageError."""
    files, trouble = _read(env)
    if files.pop(_normal(os.path.realpath(project)), None) is None and not trouble:
        return False
    _write(files, env)
    return not trouble


def place(env: Mapping[str, str] | None = None, platform: str = sys.platform) -> Path | None:
    """Where trust is kept. None: this user has no folder of their own.

    A relative path in a variable is passed over: it would be looked for in the folder that is in question.
    """
    env = os.environ if env is None else env
    home = env.get("USERPROFILE" if platform == "win32" else "HOME") or os.path.expanduser("~")
    if platform == "win32":
        folders = [env.get("APPDATA", ""), os.path.join(home, "AppData", "Roaming")]
    elif platform == "darwin":
        folders = [os.path.join(home, "Library", "Application Support")]
    else:
        folders = [env.get("XDG_CONFIG_HOME", ""), os.path.join(home, ".config")]
    folder = next((folder for folder in folders if os.path.isabs(folder)), None)
    return Path(folder, "ragheal", NAME) if folder else None


def shown(address: str) -> str:
    """An address to be printed: on one line, what may be a password hidden, look-alike letters as escapes."""
    hidden = re.sub(r"//[^/?#\\]*@", "//***@", address)
    return _plain(hidden.encode("ascii", "backslashreplace").decode())


def _sent(address: str, variable: str, env: Mapping[str, str]) -> str:
    key = f", passages and the key in {_plain(variable)}" if env.get(variable, "").strip() else " and passages"
    return f"questions{key} to {shown(address)}"


def _plain(text: str) -> str:
    text = "".join(char if char.isprintable() else "�" for char in text)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _name(claimed: Claim) -> str:
    return _normal(claimed.file)


def _normal(path: str) -> str:
    # A name that is no text has to fit into JSON.
    return os.fsencode(os.path.normcase(path)).decode("utf-8", "backslashreplace")


def _read(env: Mapping[str, str] | None) -> tuple[dict[str, str], str]:
    """What is kept, and what is wrong with it, in words."""
    path = place(env)
    if path is None:
        return {}, ""
    try:
        kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (FileNotFoundError, NotADirectoryError):
        return {}, ""
    except OSError as error:
        return {}, f"{path} cannot be read: {error.strerror or error}"
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}, f"{path} is damaged and counts as empty"
    if kept.version != _VERSION:
        return {}, f"{path} is of another version and counts as empty"
    return kept.files, ""


def _write(files: dict[str, str], env: Mapping[str, str] | None) -> None:
    hint = f"these need no file: RAGHEAL_MODEL__BASE_URL and RAGHEAL_MODEL__KEY_ENV, or {VARIABLE}=1"
    found = place(env)
    if found is None:
        raise StorageError("there is no home folder to keep trust in", hint=hint)
    data = msgspec.json.format(msgspec.json.encode(_Kept(_VERSION, dict(sorted(files.items())))), indent=1)
    try:
        Path(os.path.realpath(found)).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(found, data + b"\n", private=True)
    except OSError as error:
        raise StorageError(f"cannot write {found}: {error.strerror or error}", hint=hint) from None
