# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, BaseOptions, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Approvals(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Union[Literal["pending", "approved", "rejected", "expired", "cancelled"], Sequence[Literal["pending", "approved", "rejected", "expired", "cancelled"]]]] = OMIT,
        agent_id: Given[str] = OMIT,
        kind: Given[Literal["service_request", "workflow_step", "chat_tool_call", "agent_request", "device_command"]] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        min_age_seconds: Given[int] = OMIT,
        max_age_seconds: Given[int] = OMIT,
        q: Given[str] = OMIT,
        sort: Given[Literal["requested_at", "-requested_at", "cost_cents", "-cost_cents", "expires_at", "-expires_at"]] = OMIT,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> Page[m.Approval, ListBody[m.Approval]]:
        """List approvals."""
        return self._page(
            "GET",
            "/approvals",
            lambda: ListBody[m.Approval],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id, "kind": kind, "service": service, "operation": operation, "min_cents": min_cents, "max_cents": max_cents, "min_age_seconds": min_age_seconds, "max_age_seconds": max_age_seconds, "q": q, "sort": sort, "workspace": workspace},
        )

    def export(
        self,
        *,
        status: Given[Union[Literal["pending", "approved", "rejected", "expired", "cancelled"], Sequence[Literal["pending", "approved", "rejected", "expired", "cancelled"]]]] = OMIT,
        agent_id: Given[str] = OMIT,
        kind: Given[Literal["service_request", "workflow_step", "chat_tool_call", "agent_request", "device_command"]] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        min_age_seconds: Given[int] = OMIT,
        max_age_seconds: Given[int] = OMIT,
        q: Given[str] = OMIT,
        sort: Given[Literal["requested_at", "-requested_at", "cost_cents", "-cost_cents", "expires_at", "-expires_at"]] = OMIT,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Export approvals."""
        return self._text(
            "GET",
            "/approvals/export",
            call_options,
            query={"status": status, "agent_id": agent_id, "kind": kind, "service": service, "operation": operation, "min_cents": min_cents, "max_cents": max_cents, "min_age_seconds": min_age_seconds, "max_age_seconds": max_age_seconds, "q": q, "sort": sort, "workspace": workspace},
        )

    def counts(
        self,
        *,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> m.WaitingCounts:
        """Count pending approvals."""
        _answer: m.WaitingCounts = self._json(
            "GET",
            "/approvals/counts",
            lambda: m.WaitingCounts,
            call_options,
            query={"workspace": workspace},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Approval:
        """Get an approval."""
        _answer: m.Approval = self._json(
            "GET",
            f"/approvals/{quote(id)}",
            lambda: m.Approval,
            call_options,
        )
        return _answer

    def approve(
        self,
        id: str,
        /,
        *,
        comment: Given[str] = OMIT,
        payload_digest: Given[str] = OMIT,
        remember: Given[p.Remember] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ApproveResult:
        """Approve a request."""
        _answer: m.ApproveResult = self._json(
            "POST",
            f"/approvals/{quote(id)}/approve",
            lambda: m.ApproveResult,
            call_options,
            body={"comment": comment, "payload_digest": payload_digest, "remember": remember},
        )
        return _answer

    def reject(
        self,
        id: str,
        /,
        *,
        comment: Given[str] = OMIT,
        payload_digest: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Approval:
        """Reject a request."""
        _answer: m.Approval = self._json(
            "POST",
            f"/approvals/{quote(id)}/reject",
            lambda: m.Approval,
            call_options,
            body={"comment": comment, "payload_digest": payload_digest},
        )
        return _answer

    def decide(
        self,
        *,
        decision: Literal["approve", "reject"],
        items: Given[Sequence[p.ApprovalsDecideItemsItem]] = OMIT,
        ids: Given[Sequence[str]] = OMIT,
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ApprovalsDecideAnswer:
        """Decide several approvals at once."""
        _answer: m.ApprovalsDecideAnswer = self._json(
            "POST",
            "/approvals/decide",
            lambda: m.ApprovalsDecideAnswer,
            call_options,
            body={"items": items, "ids": ids, "decision": decision, "comment": comment},
        )
        return _answer

    def edit(
        self,
        id: str,
        /,
        *,
        payload: Mapping[str, Any],
        payload_digest: str,
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ApprovalsEditAnswer:
        """Replace a pending request with an edited one."""
        _answer: m.ApprovalsEditAnswer = self._json(
            "POST",
            f"/approvals/{quote(id)}/edit",
            lambda: m.ApprovalsEditAnswer,
            call_options,
            body={"payload": payload, "payload_digest": payload_digest, "comment": comment},
        )
        return _answer


class AsyncApprovals(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Union[Literal["pending", "approved", "rejected", "expired", "cancelled"], Sequence[Literal["pending", "approved", "rejected", "expired", "cancelled"]]]] = OMIT,
        agent_id: Given[str] = OMIT,
        kind: Given[Literal["service_request", "workflow_step", "chat_tool_call", "agent_request", "device_command"]] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        min_age_seconds: Given[int] = OMIT,
        max_age_seconds: Given[int] = OMIT,
        q: Given[str] = OMIT,
        sort: Given[Literal["requested_at", "-requested_at", "cost_cents", "-cost_cents", "expires_at", "-expires_at"]] = OMIT,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> AsyncPages[m.Approval, ListBody[m.Approval]]:
        """List approvals."""
        return self._page(
            "GET",
            "/approvals",
            lambda: ListBody[m.Approval],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id, "kind": kind, "service": service, "operation": operation, "min_cents": min_cents, "max_cents": max_cents, "min_age_seconds": min_age_seconds, "max_age_seconds": max_age_seconds, "q": q, "sort": sort, "workspace": workspace},
        )

    async def export(
        self,
        *,
        status: Given[Union[Literal["pending", "approved", "rejected", "expired", "cancelled"], Sequence[Literal["pending", "approved", "rejected", "expired", "cancelled"]]]] = OMIT,
        agent_id: Given[str] = OMIT,
        kind: Given[Literal["service_request", "workflow_step", "chat_tool_call", "agent_request", "device_command"]] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        min_age_seconds: Given[int] = OMIT,
        max_age_seconds: Given[int] = OMIT,
        q: Given[str] = OMIT,
        sort: Given[Literal["requested_at", "-requested_at", "cost_cents", "-cost_cents", "expires_at", "-expires_at"]] = OMIT,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Export approvals."""
        return await self._text(
            "GET",
            "/approvals/export",
            call_options,
            query={"status": status, "agent_id": agent_id, "kind": kind, "service": service, "operation": operation, "min_cents": min_cents, "max_cents": max_cents, "min_age_seconds": min_age_seconds, "max_age_seconds": max_age_seconds, "q": q, "sort": sort, "workspace": workspace},
        )

    async def counts(
        self,
        *,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> m.WaitingCounts:
        """Count pending approvals."""
        _answer: m.WaitingCounts = await self._json(
            "GET",
            "/approvals/counts",
            lambda: m.WaitingCounts,
            call_options,
            query={"workspace": workspace},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Approval:
        """Get an approval."""
        _answer: m.Approval = await self._json(
            "GET",
            f"/approvals/{quote(id)}",
            lambda: m.Approval,
            call_options,
        )
        return _answer

    async def approve(
        self,
        id: str,
        /,
        *,
        comment: Given[str] = OMIT,
        payload_digest: Given[str] = OMIT,
        remember: Given[p.Remember] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ApproveResult:
        """Approve a request."""
        _answer: m.ApproveResult = await self._json(
            "POST",
            f"/approvals/{quote(id)}/approve",
            lambda: m.ApproveResult,
            call_options,
            body={"comment": comment, "payload_digest": payload_digest, "remember": remember},
        )
        return _answer

    async def reject(
        self,
        id: str,
        /,
        *,
        comment: Given[str] = OMIT,
        payload_digest: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Approval:
        """Reject a request."""
        _answer: m.Approval = await self._json(
            "POST",
            f"/approvals/{quote(id)}/reject",
            lambda: m.Approval,
            call_options,
            body={"comment": comment, "payload_digest": payload_digest},
        )
        return _answer

    async def decide(
        self,
        *,
        decision: Literal["approve", "reject"],
        items: Given[Sequence[p.ApprovalsDecideItemsItem]] = OMIT,
        ids: Given[Sequence[str]] = OMIT,
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ApprovalsDecideAnswer:
        """Decide several approvals at once."""
        _answer: m.ApprovalsDecideAnswer = await self._json(
            "POST",
            "/approvals/decide",
            lambda: m.ApprovalsDecideAnswer,
            call_options,
            body={"items": items, "ids": ids, "decision": decision, "comment": comment},
        )
        return _answer

    async def edit(
        self,
        id: str,
        /,
        *,
        payload: Mapping[str, Any],
        payload_digest: str,
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ApprovalsEditAnswer:
        """Replace a pending request with an edited one."""
        _answer: m.ApprovalsEditAnswer = await self._json(
            "POST",
            f"/approvals/{quote(id)}/edit",
            lambda: m.ApprovalsEditAnswer,
            call_options,
            body={"payload": payload, "payload_digest": payload_digest, "comment": comment},
        )
        return _answer
