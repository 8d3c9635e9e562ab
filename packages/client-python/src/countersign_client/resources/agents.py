# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping, Union

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, BaseOptions, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Agents(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        parent_agent_id: Given[Union[str, Literal["none"]]] = OMIT,
        status: Given[Literal["active", "paused", "disabled"]] = OMIT,
        q: Given[str] = OMIT,
        team_id: Given[str] = OMIT,
        kind: Given[Literal["standard", "yupi", "chat"]] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "name", "-name", "spent_this_month_cents", "-spent_this_month_cents", "last_seen_at", "-last_seen_at"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Agent, ListBody[m.Agent]]:
        """List agents."""
        return self._page(
            "GET",
            "/agents",
            lambda: ListBody[m.Agent],
            call_options,
            query={"limit": limit, "cursor": cursor, "parent_agent_id": parent_agent_id, "status": status, "q": q, "team_id": team_id, "kind": kind, "sort": sort},
        )

    def create(
        self,
        *,
        name: str,
        kind: Given[Literal["standard", "yupi"]] = OMIT,
        description: Given[str] = OMIT,
        icon: Given[Union[str, None]] = OMIT,
        category: Given[Union[str, None]] = OMIT,
        personality: Given[Union[str, None]] = OMIT,
        voiceConfig: Given[Union[Mapping[str, Any], None]] = OMIT,
        monthly_budget_cents: Given[int] = OMIT,
        team_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.CreatedAgent:
        """Create an agent."""
        _answer: m.CreatedAgent = self._json(
            "POST",
            "/agents",
            lambda: m.CreatedAgent,
            call_options,
            body={"name": name, "kind": kind, "description": description, "icon": icon, "category": category, "personality": personality, "voiceConfig": voiceConfig, "monthly_budget_cents": monthly_budget_cents, "team_id": team_id, "mode": mode},
        )
        return _answer

    def export(
        self,
        *,
        workspace: Given[str] = OMIT,
        parent_agent_id: Given[Union[str, Literal["none"]]] = OMIT,
        status: Given[Literal["active", "paused", "disabled"]] = OMIT,
        q: Given[str] = OMIT,
        team_id: Given[str] = OMIT,
        kind: Given[Literal["standard", "yupi", "chat"]] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "name", "-name", "spent_this_month_cents", "-spent_this_month_cents", "last_seen_at", "-last_seen_at"]] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Export agents."""
        return self._text(
            "GET",
            "/agents/export",
            call_options,
            query={"workspace": workspace, "parent_agent_id": parent_agent_id, "status": status, "q": q, "team_id": team_id, "kind": kind, "sort": sort},
        )

    def fleet_health(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.AgentHealth, ListBody[m.AgentHealth]]:
        """Get the health of all agents."""
        return self._page(
            "GET",
            "/agents/fleet-health",
            lambda: ListBody[m.AgentHealth],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Agent:
        """Get an agent."""
        _answer: m.Agent = self._json(
            "GET",
            f"/agents/{quote(id)}",
            lambda: m.Agent,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        description: Given[str] = OMIT,
        status: Given[Literal["active", "paused", "disabled"]] = OMIT,
        frozen: Given[bool] = OMIT,
        icon: Given[Union[str, None]] = OMIT,
        category: Given[Union[str, None]] = OMIT,
        personality: Given[Union[str, None]] = OMIT,
        voiceConfig: Given[Union[Mapping[str, Any], None]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Agent:
        """Change, pause, or freeze an agent."""
        _answer: m.Agent = self._json(
            "PATCH",
            f"/agents/{quote(id)}",
            lambda: m.Agent,
            call_options,
            body={"name": name, "description": description, "status": status, "frozen": frozen, "icon": icon, "category": category, "personality": personality, "voiceConfig": voiceConfig, "expected_version": expected_version},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete an agent."""
        return self._none(
            "DELETE",
            f"/agents/{quote(id)}",
            call_options,
        )

    def transfer(
        self,
        id: str,
        /,
        *,
        team_id: Given[Union[str, None]] = OMIT,
        owner_user_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Agent:
        """Transfer an agent."""
        _answer: m.Agent = self._json(
            "POST",
            f"/agents/{quote(id)}/transfer",
            lambda: m.Agent,
            call_options,
            body={"team_id": team_id, "owner_user_id": owner_user_id},
        )
        return _answer

    def rotate_key(
        self,
        id: str,
        /,
        *,
        mode: Given[Literal["live", "test"]] = OMIT,
        grace_seconds: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RotatedKey:
        """Rotate an agent's key."""
        _answer: m.RotatedKey = self._json(
            "PATCH",
            f"/agents/{quote(id)}/key",
            lambda: m.RotatedKey,
            call_options,
            body={"mode": mode, "grace_seconds": grace_seconds},
        )
        return _answer


class AsyncAgents(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        parent_agent_id: Given[Union[str, Literal["none"]]] = OMIT,
        status: Given[Literal["active", "paused", "disabled"]] = OMIT,
        q: Given[str] = OMIT,
        team_id: Given[str] = OMIT,
        kind: Given[Literal["standard", "yupi", "chat"]] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "name", "-name", "spent_this_month_cents", "-spent_this_month_cents", "last_seen_at", "-last_seen_at"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Agent, ListBody[m.Agent]]:
        """List agents."""
        return self._page(
            "GET",
            "/agents",
            lambda: ListBody[m.Agent],
            call_options,
            query={"limit": limit, "cursor": cursor, "parent_agent_id": parent_agent_id, "status": status, "q": q, "team_id": team_id, "kind": kind, "sort": sort},
        )

    async def create(
        self,
        *,
        name: str,
        kind: Given[Literal["standard", "yupi"]] = OMIT,
        description: Given[str] = OMIT,
        icon: Given[Union[str, None]] = OMIT,
        category: Given[Union[str, None]] = OMIT,
        personality: Given[Union[str, None]] = OMIT,
        voiceConfig: Given[Union[Mapping[str, Any], None]] = OMIT,
        monthly_budget_cents: Given[int] = OMIT,
        team_id: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.CreatedAgent:
        """Create an agent."""
        _answer: m.CreatedAgent = await self._json(
            "POST",
            "/agents",
            lambda: m.CreatedAgent,
            call_options,
            body={"name": name, "kind": kind, "description": description, "icon": icon, "category": category, "personality": personality, "voiceConfig": voiceConfig, "monthly_budget_cents": monthly_budget_cents, "team_id": team_id, "mode": mode},
        )
        return _answer

    async def export(
        self,
        *,
        workspace: Given[str] = OMIT,
        parent_agent_id: Given[Union[str, Literal["none"]]] = OMIT,
        status: Given[Literal["active", "paused", "disabled"]] = OMIT,
        q: Given[str] = OMIT,
        team_id: Given[str] = OMIT,
        kind: Given[Literal["standard", "yupi", "chat"]] = OMIT,
        sort: Given[Literal["created_at", "-created_at", "name", "-name", "spent_this_month_cents", "-spent_this_month_cents", "last_seen_at", "-last_seen_at"]] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Export agents."""
        return await self._text(
            "GET",
            "/agents/export",
            call_options,
            query={"workspace": workspace, "parent_agent_id": parent_agent_id, "status": status, "q": q, "team_id": team_id, "kind": kind, "sort": sort},
        )

    def fleet_health(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.AgentHealth, ListBody[m.AgentHealth]]:
        """Get the health of all agents."""
        return self._page(
            "GET",
            "/agents/fleet-health",
            lambda: ListBody[m.AgentHealth],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Agent:
        """Get an agent."""
        _answer: m.Agent = await self._json(
            "GET",
            f"/agents/{quote(id)}",
            lambda: m.Agent,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        description: Given[str] = OMIT,
        status: Given[Literal["active", "paused", "disabled"]] = OMIT,
        frozen: Given[bool] = OMIT,
        icon: Given[Union[str, None]] = OMIT,
        category: Given[Union[str, None]] = OMIT,
        personality: Given[Union[str, None]] = OMIT,
        voiceConfig: Given[Union[Mapping[str, Any], None]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Agent:
        """Change, pause, or freeze an agent."""
        _answer: m.Agent = await self._json(
            "PATCH",
            f"/agents/{quote(id)}",
            lambda: m.Agent,
            call_options,
            body={"name": name, "description": description, "status": status, "frozen": frozen, "icon": icon, "category": category, "personality": personality, "voiceConfig": voiceConfig, "expected_version": expected_version},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete an agent."""
        return await self._none(
            "DELETE",
            f"/agents/{quote(id)}",
            call_options,
        )

    async def transfer(
        self,
        id: str,
        /,
        *,
        team_id: Given[Union[str, None]] = OMIT,
        owner_user_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Agent:
        """Transfer an agent."""
        _answer: m.Agent = await self._json(
            "POST",
            f"/agents/{quote(id)}/transfer",
            lambda: m.Agent,
            call_options,
            body={"team_id": team_id, "owner_user_id": owner_user_id},
        )
        return _answer

    async def rotate_key(
        self,
        id: str,
        /,
        *,
        mode: Given[Literal["live", "test"]] = OMIT,
        grace_seconds: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RotatedKey:
        """Rotate an agent's key."""
        _answer: m.RotatedKey = await self._json(
            "PATCH",
            f"/agents/{quote(id)}/key",
            lambda: m.RotatedKey,
            call_options,
            body={"mode": mode, "grace_seconds": grace_seconds},
        )
        return _answer
