# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Sequence

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Tokens(Resource):
    def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"]],
        expires_in_days: Given[int] = OMIT,
        expires_at: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.MintedToken:
        """Create a personal access token."""
        _answer: m.MintedToken = self._json(
            "POST",
            "/tokens",
            lambda: m.MintedToken,
            call_options,
            body={"name": name, "scopes": scopes, "expires_in_days": expires_in_days, "expires_at": expires_at},
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Token, ListBody[m.Token]]:
        """List your personal access tokens."""
        return self._page(
            "GET",
            "/tokens",
            lambda: ListBody[m.Token],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Token:
        """Get a personal access token."""
        _answer: m.Token = self._json(
            "GET",
            f"/tokens/{quote(id)}",
            lambda: m.Token,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        enabled: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Token:
        """Rename a personal access token."""
        _answer: m.Token = self._json(
            "PATCH",
            f"/tokens/{quote(id)}",
            lambda: m.Token,
            call_options,
            body={"name": name, "enabled": enabled},
        )
        return _answer

    def revoke(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke a personal access token."""
        return self._none(
            "DELETE",
            f"/tokens/{quote(id)}",
            call_options,
        )


class AsyncTokens(AsyncResource):
    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"]],
        expires_in_days: Given[int] = OMIT,
        expires_at: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.MintedToken:
        """Create a personal access token."""
        _answer: m.MintedToken = await self._json(
            "POST",
            "/tokens",
            lambda: m.MintedToken,
            call_options,
            body={"name": name, "scopes": scopes, "expires_in_days": expires_in_days, "expires_at": expires_at},
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Token, ListBody[m.Token]]:
        """List your personal access tokens."""
        return self._page(
            "GET",
            "/tokens",
            lambda: ListBody[m.Token],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Token:
        """Get a personal access token."""
        _answer: m.Token = await self._json(
            "GET",
            f"/tokens/{quote(id)}",
            lambda: m.Token,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        enabled: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Token:
        """Rename a personal access token."""
        _answer: m.Token = await self._json(
            "PATCH",
            f"/tokens/{quote(id)}",
            lambda: m.Token,
            call_options,
            body={"name": name, "enabled": enabled},
        )
        return _answer

    async def revoke(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke a personal access token."""
        return await self._none(
            "DELETE",
            f"/tokens/{quote(id)}",
            call_options,
        )
