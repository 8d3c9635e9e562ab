"""The client library of Countersign."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._client import AsyncCountersign, Countersign
from ._errors import (
    AccessError,
    AnswerError,
    ConflictError,
    CountersignError,
    InputError,
    NetworkError,
    RateLimitError,
    SignatureError,
    StatusError,
    TurnError,
)
from ._options import OMIT
from .events import ServerEvent
from .webhooks import verify_webhook

if TYPE_CHECKING:
    from .outcomes import ApprovalRequired, Blocked, Executed, Failed, Outcome, Running

__version__ = "0.2.0"

__all__ = [
    "OMIT",
    "AccessError",
    "AnswerError",
    "ApprovalRequired",
    "AsyncCountersign",
    "Blocked",
    "ConflictError",
    "Countersign",
    "CountersignError",
    "Executed",
    "Failed",
    "InputError",
    "NetworkError",
    "Outcome",
    "RateLimitError",
    "Running",
    "ServerEvent",
    "SignatureError",
    "StatusError",
    "TurnError",
    "verify_webhook",
]

_OUTCOMES = frozenset({"ApprovalRequired", "Blocked", "Executed", "Failed", "Outcome", "Running"})


def __getattr__(name: str) -> Any:
    """Outcomes need all models, which take a while to import: they are loaded at the first use."""
    if name in _OUTCOMES:
        return getattr(import_module(".outcomes", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
