"""Errors of the client. ``blocked``, ``approval_required``, and ``failed`` are outcomes, not errors."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional


class CountersignError(Exception):
    """The base of all errors of the client."""

    code: str
    """The hub's code, an open set; the client's own code where the hub sent none."""
    status: Optional[int]
    """The status of the answer; ``None`` without an answer."""
    request_id: Optional[str]
    """The id of the call in the hub's log."""
    details: List[Dict[str, str]]
    data: Dict[str, Any]
    """The facts of the code, such as ``status`` and ``decided_by`` of ``approval_not_pending``."""
    retry_after_seconds: Optional[float]
    """The wait that the hub requests."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        details: Optional[List[Dict[str, str]]] = None,
        data: Optional[Mapping[str, Any]] = None,
        retry_after_seconds: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.request_id = request_id
        self.details = details if details is not None else []
        self.data = dict(data) if data is not None else {}
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return self.message if self.request_id is None else f"{self.message} (request {self.request_id})"


class NetworkError(CountersignError):
    """No complete answer arrived: ``network_error``, or ``timeout``. The hub may have acted or not."""


class AccessError(CountersignError):
    """401 or 403: the credential is missing, revoked, of the wrong kind, or without the permission."""


class ConflictError(CountersignError):
    """409: ``idempotency_conflict``, ``approval_not_pending``, and similar codes."""


class RateLimitError(CountersignError):
    """429, still after the last retry."""


class StatusError(CountersignError):
    """Any other status that is not 2xx."""


class AnswerError(CountersignError):
    """A 2xx whose body is not JSON (``unreadable_answer``), or has an unexpected form (``unexpected_answer``)."""


class InputError(CountersignError):
    """An invalid argument, found before sending."""


class SignatureError(CountersignError):
    """A webhook whose signature, time, or headers are not valid."""


class TurnError(CountersignError):
    """A chat turn that ended with the event ``error``."""


def input_error(path: str, message: str) -> InputError:
    return InputError(
        f'The argument "{path}" is not acceptable: {message}',
        code="invalid_request",
        details=[{"path": path, "message": message}],
    )


# Codes for answers without the error envelope, such as a gateway's HTML.
_CODES = {
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    410: "gone",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    500: "internal_error",
    502: "upstream_error",
    503: "unavailable",
    504: "upstream_timeout",
}


def _text(value: object) -> Optional[str]:
    return value if isinstance(value, str) and value != "" else None


def _envelope(body: bytes) -> Dict[str, Any]:
    try:
        parsed = json.loads(body)
    except ValueError:
        return {}
    error = parsed.get("error") if isinstance(parsed, dict) else None
    return error if isinstance(error, dict) else {}


def _details(value: object) -> List[Dict[str, str]]:
    if not isinstance(value, list):
        return []
    return [
        {"path": item["path"], "message": item["message"]}
        for item in value
        if isinstance(item, dict) and isinstance(item.get("path"), str) and isinstance(item.get("message"), str)
    ]


def status_error(
    status: int, body: bytes, request_id: Optional[str], retry_after_seconds: Optional[float]
) -> CountersignError:
    """The error for an answer that is not 2xx."""
    envelope = _envelope(body)
    data = envelope.get("data")
    kind = (
        AccessError
        if status in (401, 403)
        else ConflictError
        if status == 409
        else RateLimitError
        if status == 429
        else StatusError
    )
    return kind(
        _text(envelope.get("message")) or f"The hub, or a gateway before it, answered {status} without a reason.",
        code=_text(envelope.get("code")) or _CODES.get(status, f"http_{status}"),
        status=status,
        request_id=_text(envelope.get("request_id")) or request_id,
        details=_details(envelope.get("details")),
        data=data if isinstance(data, dict) else None,
        retry_after_seconds=retry_after_seconds,
    )
