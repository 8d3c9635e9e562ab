# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class StandingApprovals(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.StandingApproval, ListBody[m.StandingApproval]]:
        """List standing approvals."""
        return self._page(
            "GET",
            "/standing-approvals",
            lambda: ListBody[m.StandingApproval],
            call_options,
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id},
        )

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StandingApproval:
        """Get a standing approval."""
        _answer: m.StandingApproval = self._json(
            "GET",
            f"/standing-approvals/{quote(id)}",
            lambda: m.StandingApproval,
            call_options,
        )
        return _answer

    def withdraw(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke a standing approval."""
        return self._none(
            "DELETE",
            f"/standing-approvals/{quote(id)}",
            call_options,
        )

    def preview(
        self,
        *,
        agent_id: str,
        service: str,
        operation: str,
        max_cost_cents: int,
        mode: Given[Literal["live", "test"]] = OMIT,
        max_total_cents: Given[int] = OMIT,
        max_uses: Given[int] = OMIT,
        when: Given[str] = OMIT,
        approval_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StandingPreview:
        """Preview which requests a standing approval covers."""
        _answer: m.StandingPreview = self._json(
            "POST",
            "/standing-approvals/preview",
            lambda: m.StandingPreview,
            call_options,
            body={"agent_id": agent_id, "service": service, "operation": operation, "mode": mode, "max_cost_cents": max_cost_cents, "max_total_cents": max_total_cents, "max_uses": max_uses, "when": when, "approval_id": approval_id},
        )
        return _answer


class AsyncStandingApprovals(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.StandingApproval, ListBody[m.StandingApproval]]:
        """List standing approvals."""
        return self._page(
            "GET",
            "/standing-approvals",
            lambda: ListBody[m.StandingApproval],
            call_options,
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id},
        )

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StandingApproval:
        """Get a standing approval."""
        _answer: m.StandingApproval = await self._json(
            "GET",
            f"/standing-approvals/{quote(id)}",
            lambda: m.StandingApproval,
            call_options,
        )
        return _answer

    async def withdraw(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke a standing approval."""
        return await self._none(
            "DELETE",
            f"/standing-approvals/{quote(id)}",
            call_options,
        )

    async def preview(
        self,
        *,
        agent_id: str,
        service: str,
        operation: str,
        max_cost_cents: int,
        mode: Given[Literal["live", "test"]] = OMIT,
        max_total_cents: Given[int] = OMIT,
        max_uses: Given[int] = OMIT,
        when: Given[str] = OMIT,
        approval_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StandingPreview:
        """Preview which requests a standing approval covers."""
        _answer: m.StandingPreview = await self._json(
            "POST",
            "/standing-approvals/preview",
            lambda: m.StandingPreview,
            call_options,
            body={"agent_id": agent_id, "service": service, "operation": operation, "mode": mode, "max_cost_cents": max_cost_cents, "max_total_cents": max_total_cents, "max_uses": max_uses, "when": when, "approval_id": approval_id},
        )
        return _answer
