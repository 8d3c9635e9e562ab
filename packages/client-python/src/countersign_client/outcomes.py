"""Outcomes of a dispatch: values, never errors."""

from __future__ import annotations

from typing import Any, Literal, Optional, Union

from . import models as m
from ._errors import AnswerError
from ._model import HubModel


class _Common(HubModel):
    id: str
    mode: str
    service: str
    operation: str
    cost_cents: int
    ceiling_cents: int
    agent_id: str
    created_at: str
    completed_at: Optional[str] = None


class Executed(_Common):
    """Executed: the provider's JSON, and the debited amount."""

    status: Literal["executed"]
    result: Any = None


class Blocked(_Common):
    """A policy, a limit, the wallet, a person, or the provider refused; nothing was debited."""

    status: Literal["blocked"]
    reason_code: str
    block: Optional[m.Block] = None


class ApprovalRequired(_Common):
    """A person must decide first. Then the same request continues by itself: poll its ``id``."""

    status: Literal["approval_required"]
    approval_id: str
    reason_code: str


class Failed(_Common):
    """
    Nothing was debited. With ``fate`` ``"unknown"`` the provider may have acted: a new idempotency key may pay for the
    action twice.
    """

    status: Literal["failed"]
    code: str
    detail: str
    fate: Optional[str] = None


class Running(_Common):
    """Not finished: poll its ``id``."""

    status: Literal["running"]
    waiting_for: Optional[m.WaitingFor] = None


Outcome = Union[Executed, Blocked, ApprovalRequired, Failed, Running]


def _unexpected(request: m.ServiceRequest, what: str) -> AnswerError:
    return AnswerError(
        f"The hub's answer about {request.id} {what}. Update this client.", code="unexpected_answer"
    )


def outcome_of(request: m.ServiceRequest) -> Outcome:
    fields = request.model_dump(exclude_none=True, by_alias=True)
    status = request.status
    if status == "executed":
        return Executed.model_validate({**fields, "result": request.result})
    if status == "blocked":
        return Blocked.model_validate({"reason_code": "unknown", **fields})
    if status == "approval_required":
        if request.approval_id is None:
            raise _unexpected(request, "names no approval")
        return ApprovalRequired.model_validate({"reason_code": "approval_threshold", **fields})
    if status == "failed":
        result = request.result if isinstance(request.result, dict) else {}
        code = result.get("code")
        detail = result.get("detail")
        return Failed.model_validate(
            {
                **fields,
                "code": code if isinstance(code, str) else request.reason_code or "unknown",
                "detail": detail if isinstance(detail, str) else "",
                "fate": "unknown" if result.get("fate") == "unknown" else None,
            }
        )
    if status == "running":
        return Running.model_validate(fields)
    raise _unexpected(request, f"has the status {status!r}")
