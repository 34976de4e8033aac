"""Where the server is, which model plays which role, and the key, which is seen nowhere else."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

import msgspec

from ragheal.errors import ConfigError
from ragheal.settings import Settings
from ragheal.settings.trust import is_local
from ragheal.types import ModelRole

#: The library insists on a key; servers without keys ignore this one.
NO_KEY = "no-key"
#: Characters of a server's own words that are passed on.
DETAIL_CHARS = 300
_SECRETS = re.compile(
    r"\b(?:sk|pk|gsk|xai|api)[-_][\w*.-]{6,}|\b(?:Bearer|Basic)\s+[\w*.~+/=-]{4,}", re.IGNORECASE
)
_HIDDEN = "***"


class Endpoint(msgspec.Struct, frozen=True):
    """A server and its models. `models` holds the roles that have one of their own; others use `model`."""

    base_url: str
    model: str
    models: dict[ModelRole, str]
    key_env: str

    def model_of(self, role: ModelRole) -> str:
        return self.models.get(role) or self.model

    @property
    def key(self) -> str:
        """Read at each use, so that no object holds it. Empty: none is set."""
        return os.environ.get(self.key_env, "").strip() if self.key_env else ""

    @property
    def local(self) -> bool:
        """Whether the server is on this machine."""
        return is_local(self.base_url)

    @property
    def private(self) -> bool:
        """Whether nobody on the way can read the key."""
        return self.local or self.base_url.startswith("https:")

    def clean(self, text: str) -> str:
        """Words of a server or a library as one line that holds no key."""
        key = self.key
        if len(key) >= 4:
            text = text.replace(key, _HIDDEN)
        text = " ".join(_SECRETS.sub(_HIDDEN, text).split())
        text = "".join(char for char in text if char.isprintable())
        return text if len(text) <= DETAIL_CHARS else text[: DETAIL_CHARS - 1] + "…"


def endpoint(settings: Settings, *, named: bool = True) -> Endpoint:
    """The endpoint that the settings name. Raises ConfigError for one that cannot be used.

    `named` False: it may lack a model's name.
    """
    model = settings.model
    roles: tuple[tuple[ModelRole, str], ...] = (
        ("planner", model.planner),
        ("judge", model.judge),
        ("rewriter", model.rewriter),
        ("generator", model.generator),
        ("verifier", model.verifier),
        ("classifier", model.classifier),
    )
    own = {role: name.strip() for role, name in roles if name.strip()}
    if named and not model.name.strip() and len(own) < len(roles):
        raise ConfigError(
            "no model is named for the model server",
            hint="--model NAME, or model.name in ragheal.yaml; the server's own list tells the names",
        )
    made = Endpoint(_address(model.base_url), model.name.strip(), own, model.key_env.strip())
    if not re.fullmatch(r"[\x21-\x7e]*", made.key):
        raise ConfigError(
            f"the key in {made.key_env} holds characters that cannot be sent", hint="copy it again, without quotes"
        )
    return made


def _address(given: str) -> str:
    """The address as the library wants it: with the path under which `/chat/completions` lies."""
    text = given.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid or re.search(r"\s", text):
        raise ConfigError(
            f"model.base_url {_shown(given)} is no address of a server", hint="such as http://localhost:11434/v1"
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        # The settings are kept in every trace.
        raise ConfigError(
            "model.base_url must hold no key, password or query",
            hint="put the key in the environment variable that model.key_env names",
        )
    path = parts.path.removesuffix("/chat/completions").rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"


def _shown(given: str) -> str:
    # What stands before an @ may be a password.
    return repr(re.sub(r"//[^/@]*@", f"//{_HIDDEN}@", given.split("?")[0]))
