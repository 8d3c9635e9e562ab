# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, BaseOptions, CallOptions, DispatchOptions, Given, KeyedOptions
from .._resource import AsyncResource, Resource, quote


class ServiceRequests(Resource):
    def dispatch(
        self,
        *,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        **call_options: Unpack[DispatchOptions],
    ) -> m.ServiceRequest:
        """Request a paid action."""
        _answer: m.ServiceRequest = self._json(
            "POST",
            "/service-requests",
            lambda: m.ServiceRequest,
            call_options,
            body={"service": service, "operation": operation, "payload": payload},
            keyed=True,
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Union[Literal["executed", "blocked", "approval_required", "failed", "running"], Sequence[Literal["executed", "blocked", "approval_required", "failed", "running"]]]] = OMIT,
        agent_id: Given[str] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        standing_approval_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        reason_code: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        q: Given[str] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "cost_cents", "-cost_cents"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.ServiceRequest, ListBody[m.ServiceRequest]]:
        """List requests."""
        return self._page(
            "GET",
            "/service-requests",
            lambda: ListBody[m.ServiceRequest],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id, "service": service, "operation": operation, "standing_approval_id": standing_approval_id, "mode": mode, "reason_code": reason_code, "min_cents": min_cents, "max_cents": max_cents, "from": from_, "to": to, "q": q, "sort": sort},
        )

    def test(
        self,
        id: str,
        /,
        *,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        outcome: Given[Literal["approval", "failure", "running", "blocked"]] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.ServiceRequest:
        """Send a test request as an agent."""
        _answer: m.ServiceRequest = self._json(
            "POST",
            f"/agents/{quote(id)}/test-requests",
            lambda: m.ServiceRequest,
            call_options,
            body={"service": service, "operation": operation, "payload": payload, "outcome": outcome},
            keyed=True,
        )
        return _answer

    def export(
        self,
        *,
        format: Given[Literal["csv", "jsonl"]] = OMIT,
        workspace: Given[str] = OMIT,
        status: Given[Union[Literal["executed", "blocked", "approval_required", "failed", "running"], Sequence[Literal["executed", "blocked", "approval_required", "failed", "running"]]]] = OMIT,
        agent_id: Given[str] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        standing_approval_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        reason_code: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        q: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Export requests."""
        return self._text(
            "GET",
            "/service-requests/export",
            call_options,
            query={"format": format, "workspace": workspace, "status": status, "agent_id": agent_id, "service": service, "operation": operation, "standing_approval_id": standing_approval_id, "mode": mode, "reason_code": reason_code, "min_cents": min_cents, "max_cents": max_cents, "from": from_, "to": to, "q": q},
        )

    def estimate(
        self,
        *,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Estimate:
        """Estimate a request without making it."""
        _answer: m.Estimate = self._json(
            "POST",
            "/service-requests/estimate",
            lambda: m.Estimate,
            call_options,
            body={"service": service, "operation": operation, "payload": payload, "agent_id": agent_id},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        *,
        wait: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ServiceRequest:
        """Get a request, or wait for its outcome."""
        _answer: m.ServiceRequest = self._json(
            "GET",
            f"/service-requests/{quote(id)}",
            lambda: m.ServiceRequest,
            call_options,
            query={"wait": wait},
        )
        return _answer

    def settle(
        self,
        id: str,
        /,
        *,
        status: Literal["executed", "failed", "blocked"],
        comment: str,
        cost_cents: Given[int] = OMIT,
        result: Given[Any] = OMIT,
        detail: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ServiceRequest:
        """Settle a running request manually."""
        _answer: m.ServiceRequest = self._json(
            "POST",
            f"/service-requests/{quote(id)}/settle",
            lambda: m.ServiceRequest,
            call_options,
            body={"status": status, "cost_cents": cost_cents, "result": result, "detail": detail, "comment": comment},
        )
        return _answer

    def cancel(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ServiceRequest:
        """Cancel a request."""
        _answer: m.ServiceRequest = self._json(
            "POST",
            f"/service-requests/{quote(id)}/cancel",
            lambda: m.ServiceRequest,
            call_options,
        )
        return _answer


class AsyncServiceRequests(AsyncResource):
    async def dispatch(
        self,
        *,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        **call_options: Unpack[DispatchOptions],
    ) -> m.ServiceRequest:
        """Request a paid action."""
        _answer: m.ServiceRequest = await self._json(
            "POST",
            "/service-requests",
            lambda: m.ServiceRequest,
            call_options,
            body={"service": service, "operation": operation, "payload": payload},
            keyed=True,
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Union[Literal["executed", "blocked", "approval_required", "failed", "running"], Sequence[Literal["executed", "blocked", "approval_required", "failed", "running"]]]] = OMIT,
        agent_id: Given[str] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        standing_approval_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        reason_code: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        q: Given[str] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "cost_cents", "-cost_cents"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.ServiceRequest, ListBody[m.ServiceRequest]]:
        """List requests."""
        return self._page(
            "GET",
            "/service-requests",
            lambda: ListBody[m.ServiceRequest],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id, "service": service, "operation": operation, "standing_approval_id": standing_approval_id, "mode": mode, "reason_code": reason_code, "min_cents": min_cents, "max_cents": max_cents, "from": from_, "to": to, "q": q, "sort": sort},
        )

    async def test(
        self,
        id: str,
        /,
        *,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        outcome: Given[Literal["approval", "failure", "running", "blocked"]] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.ServiceRequest:
        """Send a test request as an agent."""
        _answer: m.ServiceRequest = await self._json(
            "POST",
            f"/agents/{quote(id)}/test-requests",
            lambda: m.ServiceRequest,
            call_options,
            body={"service": service, "operation": operation, "payload": payload, "outcome": outcome},
            keyed=True,
        )
        return _answer

    async def export(
        self,
        *,
        format: Given[Literal["csv", "jsonl"]] = OMIT,
        workspace: Given[str] = OMIT,
        status: Given[Union[Literal["executed", "blocked", "approval_required", "failed", "running"], Sequence[Literal["executed", "blocked", "approval_required", "failed", "running"]]]] = OMIT,
        agent_id: Given[str] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        standing_approval_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        reason_code: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        max_cents: Given[int] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        q: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Export requests."""
        return await self._text(
            "GET",
            "/service-requests/export",
            call_options,
            query={"format": format, "workspace": workspace, "status": status, "agent_id": agent_id, "service": service, "operation": operation, "standing_approval_id": standing_approval_id, "mode": mode, "reason_code": reason_code, "min_cents": min_cents, "max_cents": max_cents, "from": from_, "to": to, "q": q},
        )

    async def estimate(
        self,
        *,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Estimate:
        """Estimate a request without making it."""
        _answer: m.Estimate = await self._json(
            "POST",
            "/service-requests/estimate",
            lambda: m.Estimate,
            call_options,
            body={"service": service, "operation": operation, "payload": payload, "agent_id": agent_id},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        *,
        wait: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ServiceRequest:
        """Get a request, or wait for its outcome."""
        _answer: m.ServiceRequest = await self._json(
            "GET",
            f"/service-requests/{quote(id)}",
            lambda: m.ServiceRequest,
            call_options,
            query={"wait": wait},
        )
        return _answer

    async def settle(
        self,
        id: str,
        /,
        *,
        status: Literal["executed", "failed", "blocked"],
        comment: str,
        cost_cents: Given[int] = OMIT,
        result: Given[Any] = OMIT,
        detail: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ServiceRequest:
        """Settle a running request manually."""
        _answer: m.ServiceRequest = await self._json(
            "POST",
            f"/service-requests/{quote(id)}/settle",
            lambda: m.ServiceRequest,
            call_options,
            body={"status": status, "cost_cents": cost_cents, "result": result, "detail": detail, "comment": comment},
        )
        return _answer

    async def cancel(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ServiceRequest:
        """Cancel a request."""
        _answer: m.ServiceRequest = await self._json(
            "POST",
            f"/service-requests/{quote(id)}/cancel",
            lambda: m.ServiceRequest,
            call_options,
        )
        return _answer
