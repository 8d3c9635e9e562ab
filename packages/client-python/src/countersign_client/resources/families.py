# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from .._options import OMIT, CallOptions, Given, KeyedOptions
from .._resource import AsyncResource, Resource, quote


class Families(Resource):
    def spawn(
        self,
        *,
        name: str,
        services: Sequence[p.BindingTerms],
        monthly_budget_cents: Union[int, None],
        description: Given[str] = OMIT,
        personality: Given[str] = OMIT,
        ttl_seconds: Given[int] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.SpawnedAgent:
        """Spawn a child agent."""
        _answer: m.SpawnedAgent = self._json(
            "POST",
            "/agents/spawn",
            lambda: m.SpawnedAgent,
            call_options,
            body={"name": name, "description": description, "services": services, "monthly_budget_cents": monthly_budget_cents, "personality": personality, "ttl_seconds": ttl_seconds},
            keyed=True,
        )
        return _answer

    def estimate(
        self,
        *,
        name: str,
        services: Sequence[p.BindingTerms],
        monthly_budget_cents: Union[int, None],
        description: Given[str] = OMIT,
        personality: Given[str] = OMIT,
        ttl_seconds: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SpawnEstimate:
        """Estimate a spawn."""
        _answer: m.SpawnEstimate = self._json(
            "POST",
            "/agents/spawn/estimate",
            lambda: m.SpawnEstimate,
            call_options,
            body={"name": name, "description": description, "services": services, "monthly_budget_cents": monthly_budget_cents, "personality": personality, "ttl_seconds": ttl_seconds},
        )
        return _answer

    def clone(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        include_memories: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.CreatedAgent:
        """Clone an agent."""
        _answer: m.CreatedAgent = self._json(
            "POST",
            f"/agents/{quote(id)}/clone",
            lambda: m.CreatedAgent,
            call_options,
            body={"name": name, "include_memories": include_memories},
        )
        return _answer


class AsyncFamilies(AsyncResource):
    async def spawn(
        self,
        *,
        name: str,
        services: Sequence[p.BindingTerms],
        monthly_budget_cents: Union[int, None],
        description: Given[str] = OMIT,
        personality: Given[str] = OMIT,
        ttl_seconds: Given[int] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.SpawnedAgent:
        """Spawn a child agent."""
        _answer: m.SpawnedAgent = await self._json(
            "POST",
            "/agents/spawn",
            lambda: m.SpawnedAgent,
            call_options,
            body={"name": name, "description": description, "services": services, "monthly_budget_cents": monthly_budget_cents, "personality": personality, "ttl_seconds": ttl_seconds},
            keyed=True,
        )
        return _answer

    async def estimate(
        self,
        *,
        name: str,
        services: Sequence[p.BindingTerms],
        monthly_budget_cents: Union[int, None],
        description: Given[str] = OMIT,
        personality: Given[str] = OMIT,
        ttl_seconds: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SpawnEstimate:
        """Estimate a spawn."""
        _answer: m.SpawnEstimate = await self._json(
            "POST",
            "/agents/spawn/estimate",
            lambda: m.SpawnEstimate,
            call_options,
            body={"name": name, "description": description, "services": services, "monthly_budget_cents": monthly_budget_cents, "personality": personality, "ttl_seconds": ttl_seconds},
        )
        return _answer

    async def clone(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        include_memories: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.CreatedAgent:
        """Clone an agent."""
        _answer: m.CreatedAgent = await self._json(
            "POST",
            f"/agents/{quote(id)}/clone",
            lambda: m.CreatedAgent,
            call_options,
            body={"name": name, "include_memories": include_memories},
        )
        return _answer
