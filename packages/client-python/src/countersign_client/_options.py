"""The settings of a client and the options of a call, checked before anything is sent."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Any, Dict, Final, Literal, Mapping, Optional, TypeVar, Union
from urllib.parse import urlsplit

from typing_extensions import TypedDict

from ._errors import input_error


class Omit:
    """The default of an argument that is left out; ``None`` is sent as ``null``."""

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "OMIT"


OMIT: Final = Omit()
_T = TypeVar("_T")
Given = Union[_T, Omit]


class BaseOptions(TypedDict, total=False):
    retries: int
    """Attempts after the first; 0 disables retries."""
    timeout: float
    """The time limit of one attempt in seconds."""


class CallOptions(BaseOptions, total=False):
    workspace: str
    """Overrides the client's workspace."""


class KeyedOptions(CallOptions, total=False):
    """Options of an endpoint that declares ``idempotency-key``."""

    idempotency_key: str
    """1 to 255 printable ASCII characters; a new UUID by default. The same key never executes twice."""


class DispatchOptions(KeyedOptions, total=False):
    test_outcome: Literal["approval", "failure", "running", "blocked"]
    """Sets the outcome; for test keys only."""
    delegated_task: str
    """The delegated task that the request is for."""


RETRIES_DEFAULT: Final = 2
RETRIES_MAX: Final = 10
TIMEOUT_DEFAULT: Final = 60.0
DISPATCH_TIMEOUT_DEFAULT: Final = 660.0
_TIMEOUT_MAX: Final = 86_400.0


@dataclass(frozen=True)
class Settings:
    base_url: str
    credential: Mapping[str, str]
    workspace: Optional[str]
    retries: int
    timeout: float
    dispatch_timeout: float


def _read_base_url(text: str) -> str:
    expected = "expected an http(s) address without user, query, and fragment"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise input_error("base_url", expected) from None
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or parts.query or parts.fragment:
        raise input_error("base_url", expected)
    name = f"[{host}]" if ":" in host else host
    origin = f"{parts.scheme}://{name}" + ("" if port is None else f":{port}")
    return origin + re.sub(r"/api/v1$", "", parts.path.rstrip("/"))


def read_token(name: str, value: str) -> str:
    """A value that fills a header alone. No message contains it, because it may be a secret."""
    if re.fullmatch(r"[\x21-\x7e]{1,4096}", value) is None:
        raise input_error(name, "expected printable ASCII without blanks")
    return value


def read_idempotency_key(value: str) -> str:
    if re.fullmatch(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?", value) is None:
        raise input_error(
            "idempotency_key", "expected 1 to 255 printable ASCII characters, without blanks at the ends"
        )
    return value


def read_retries(value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= RETRIES_MAX:
        raise input_error("retries", f"expected an integer from 0 to {RETRIES_MAX}")
    return value


def read_seconds(name: str, value: float) -> float:
    if not 0.001 <= value <= _TIMEOUT_MAX:
        raise input_error(name, f"expected 0.001 to {_TIMEOUT_MAX:.0f} seconds")
    return value


def _environment(name: str) -> Optional[str]:
    return os.environ.get(name) or None


def _credential(api_key: Optional[str], token: Optional[str], session: Optional[str]) -> Dict[str, str]:
    """An option counts before the environment; of the environment, the agent's key counts first."""
    if sum(given is not None for given in (api_key, token, session)) > 1:
        raise input_error("api_key", "expected only one of api_key, token, and session")
    if session is not None:
        return {"cookie": "svc_session=" + read_token("session", re.sub(r"^svc_session=", "", session))}
    bearer = api_key or token or _environment("COUNTERSIGN_API_KEY") or _environment("COUNTERSIGN_TOKEN")
    return {} if bearer is None else {"authorization": "Bearer " + read_token("api_key", bearer)}


def read_settings(
    *,
    base_url: Optional[str],
    api_key: Optional[str],
    token: Optional[str],
    session: Optional[str],
    workspace: Optional[str],
    retries: int,
    timeout: float,
    dispatch_timeout: float,
) -> Settings:
    address = base_url or _environment("COUNTERSIGN_URL")
    if address is None:
        raise input_error("base_url", "give the hub's address, or set the environment variable COUNTERSIGN_URL")
    return Settings(
        base_url=_read_base_url(address),
        credential=_credential(api_key, token, session),
        workspace=None if workspace is None else read_token("workspace", workspace),
        retries=read_retries(retries),
        timeout=read_seconds("timeout", timeout),
        dispatch_timeout=read_seconds("dispatch_timeout", dispatch_timeout),
    )


def changed(settings: Settings, options: Mapping[str, Any]) -> Settings:
    """The settings with other options; a new credential replaces the old one, of whatever kind."""
    given = {name: value for name, value in options.items() if value is not None}
    if any(name in given for name in ("api_key", "token", "session")):
        credential = _credential(given.get("api_key"), given.get("token"), given.get("session"))
        settings = replace(settings, credential=credential)
    if "workspace" in given:
        settings = replace(settings, workspace=read_token("workspace", given["workspace"]))
    if "retries" in given:
        settings = replace(settings, retries=read_retries(given["retries"]))
    if "timeout" in given:
        settings = replace(settings, timeout=read_seconds("timeout", given["timeout"]))
    if "dispatch_timeout" in given:
        timeout = read_seconds("dispatch_timeout", given["dispatch_timeout"])
        settings = replace(settings, dispatch_timeout=timeout)
    return settings
