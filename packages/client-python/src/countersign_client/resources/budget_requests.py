# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class BudgetRequests(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["pending", "approved", "rejected", "withdrawn"]] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.BudgetRequest, ListBody[m.BudgetRequest]]:
        """List budget requests."""
        return self._page(
            "GET",
            "/budget-requests",
            lambda: ListBody[m.BudgetRequest],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id},
        )

    def create(
        self,
        *,
        amount_cents: int,
        period: Literal["month", "once"],
        reason: str,
        agent_id: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.BudgetRequest:
        """Ask for a higher cap."""
        _answer: m.BudgetRequest = self._json(
            "POST",
            "/budget-requests",
            lambda: m.BudgetRequest,
            call_options,
            body={"agent_id": agent_id, "amount_cents": amount_cents, "period": period, "operation": operation, "reason": reason},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.BudgetRequest:
        """Get a budget request."""
        _answer: m.BudgetRequest = self._json(
            "GET",
            f"/budget-requests/{quote(id)}",
            lambda: m.BudgetRequest,
            call_options,
        )
        return _answer

    def decide(
        self,
        id: str,
        /,
        *,
        status: Literal["approved", "rejected", "withdrawn"],
        amount_cents: Given[int] = OMIT,
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.BudgetRequest:
        """Decide or withdraw a budget request."""
        _answer: m.BudgetRequest = self._json(
            "PATCH",
            f"/budget-requests/{quote(id)}",
            lambda: m.BudgetRequest,
            call_options,
            body={"status": status, "amount_cents": amount_cents, "comment": comment},
        )
        return _answer


class AsyncBudgetRequests(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["pending", "approved", "rejected", "withdrawn"]] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.BudgetRequest, ListBody[m.BudgetRequest]]:
        """List budget requests."""
        return self._page(
            "GET",
            "/budget-requests",
            lambda: ListBody[m.BudgetRequest],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id},
        )

    async def create(
        self,
        *,
        amount_cents: int,
        period: Literal["month", "once"],
        reason: str,
        agent_id: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.BudgetRequest:
        """Ask for a higher cap."""
        _answer: m.BudgetRequest = await self._json(
            "POST",
            "/budget-requests",
            lambda: m.BudgetRequest,
            call_options,
            body={"agent_id": agent_id, "amount_cents": amount_cents, "period": period, "operation": operation, "reason": reason},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.BudgetRequest:
        """Get a budget request."""
        _answer: m.BudgetRequest = await self._json(
            "GET",
            f"/budget-requests/{quote(id)}",
            lambda: m.BudgetRequest,
            call_options,
        )
        return _answer

    async def decide(
        self,
        id: str,
        /,
        *,
        status: Literal["approved", "rejected", "withdrawn"],
        amount_cents: Given[int] = OMIT,
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.BudgetRequest:
        """Decide or withdraw a budget request."""
        _answer: m.BudgetRequest = await self._json(
            "PATCH",
            f"/budget-requests/{quote(id)}",
            lambda: m.BudgetRequest,
            call_options,
            body={"status": status, "amount_cents": amount_cents, "comment": comment},
        )
        return _answer
