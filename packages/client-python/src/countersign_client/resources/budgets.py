# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Budgets(Resource):
    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentBudget:
        """Get an agent's budget."""
        _answer: m.AgentBudget = self._json(
            "GET",
            f"/agents/{quote(id)}/budget",
            lambda: m.AgentBudget,
            call_options,
        )
        return _answer

    def set(
        self,
        id: str,
        /,
        *,
        monthly_budget_cents: Union[int, None],
        approval_threshold_cents: Given[Union[int, None]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentBudget:
        """Set an agent's monthly cap."""
        _answer: m.AgentBudget = self._json(
            "PATCH",
            f"/agents/{quote(id)}/budget",
            lambda: m.AgentBudget,
            call_options,
            body={"monthly_budget_cents": monthly_budget_cents, "approval_threshold_cents": approval_threshold_cents, "expected_version": expected_version},
        )
        return _answer

    def alerts(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.BudgetAlert, ListBody[m.BudgetAlert]]:
        """List limits that are nearly used up."""
        return self._page(
            "GET",
            "/budget-alerts",
            lambda: ListBody[m.BudgetAlert],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )


class AsyncBudgets(AsyncResource):
    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentBudget:
        """Get an agent's budget."""
        _answer: m.AgentBudget = await self._json(
            "GET",
            f"/agents/{quote(id)}/budget",
            lambda: m.AgentBudget,
            call_options,
        )
        return _answer

    async def set(
        self,
        id: str,
        /,
        *,
        monthly_budget_cents: Union[int, None],
        approval_threshold_cents: Given[Union[int, None]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentBudget:
        """Set an agent's monthly cap."""
        _answer: m.AgentBudget = await self._json(
            "PATCH",
            f"/agents/{quote(id)}/budget",
            lambda: m.AgentBudget,
            call_options,
            body={"monthly_budget_cents": monthly_budget_cents, "approval_threshold_cents": approval_threshold_cents, "expected_version": expected_version},
        )
        return _answer

    def alerts(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.BudgetAlert, ListBody[m.BudgetAlert]]:
        """List limits that are nearly used up."""
        return self._page(
            "GET",
            "/budget-alerts",
            lambda: ListBody[m.BudgetAlert],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )
