# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, BaseOptions, CallOptions, Given
from .._resource import AsyncResource, Resource


class Audit(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        actor_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        action: Given[str] = OMIT,
        subject_id: Given[str] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        outcome: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        q: Given[str] = OMIT,
        seq: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.AuditEntry, ListBody[m.AuditEntry]]:
        """List audit entries."""
        return self._page(
            "GET",
            "/audit-logs",
            lambda: ListBody[m.AuditEntry],
            call_options,
            query={"limit": limit, "cursor": cursor, "actor_id": actor_id, "agent_id": agent_id, "action": action, "subject_id": subject_id, "service": service, "operation": operation, "from": from_, "to": to, "outcome": outcome, "min_cents": min_cents, "max_cents": max_cents, "q": q, "seq": seq},
        )

    def verify(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.AuditVerification:
        """Verify the chain of the audit log."""
        _answer: m.AuditVerification = self._json(
            "GET",
            "/audit-logs/verify",
            lambda: m.AuditVerification,
            call_options,
        )
        return _answer

    def export(
        self,
        *,
        format: Given[Literal["csv", "jsonl"]] = OMIT,
        workspace: Given[str] = OMIT,
        actor_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        action: Given[str] = OMIT,
        subject_id: Given[str] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        outcome: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        q: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Export the audit log."""
        return self._text(
            "GET",
            "/audit-logs/export",
            call_options,
            query={"format": format, "workspace": workspace, "actor_id": actor_id, "agent_id": agent_id, "action": action, "subject_id": subject_id, "service": service, "operation": operation, "from": from_, "to": to, "outcome": outcome, "min_cents": min_cents, "max_cents": max_cents, "q": q},
        )


class AsyncAudit(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        actor_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        action: Given[str] = OMIT,
        subject_id: Given[str] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        outcome: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        q: Given[str] = OMIT,
        seq: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.AuditEntry, ListBody[m.AuditEntry]]:
        """List audit entries."""
        return self._page(
            "GET",
            "/audit-logs",
            lambda: ListBody[m.AuditEntry],
            call_options,
            query={"limit": limit, "cursor": cursor, "actor_id": actor_id, "agent_id": agent_id, "action": action, "subject_id": subject_id, "service": service, "operation": operation, "from": from_, "to": to, "outcome": outcome, "min_cents": min_cents, "max_cents": max_cents, "q": q, "seq": seq},
        )

    async def verify(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.AuditVerification:
        """Verify the chain of the audit log."""
        _answer: m.AuditVerification = await self._json(
            "GET",
            "/audit-logs/verify",
            lambda: m.AuditVerification,
            call_options,
        )
        return _answer

    async def export(
        self,
        *,
        format: Given[Literal["csv", "jsonl"]] = OMIT,
        workspace: Given[str] = OMIT,
        actor_id: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        action: Given[str] = OMIT,
        subject_id: Given[str] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        outcome: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        q: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Export the audit log."""
        return await self._text(
            "GET",
            "/audit-logs/export",
            call_options,
            query={"format": format, "workspace": workspace, "actor_id": actor_id, "agent_id": agent_id, "action": action, "subject_id": subject_id, "service": service, "operation": operation, "from": from_, "to": to, "outcome": outcome, "min_cents": min_cents, "max_cents": max_cents, "q": q},
        )
