# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Views(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        screen: Given[Literal["inbox", "requests", "audit", "agents"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.View, ListBody[m.View]]:
        """List saved views."""
        return self._page(
            "GET",
            "/views",
            lambda: ListBody[m.View],
            call_options,
            query={"limit": limit, "cursor": cursor, "screen": screen},
        )

    def create(
        self,
        *,
        screen: Literal["inbox", "requests", "audit", "agents"],
        name: str,
        query: str,
        shared: Given[bool] = OMIT,
        position: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.View:
        """Save a view."""
        _answer: m.View = self._json(
            "POST",
            "/views",
            lambda: m.View,
            call_options,
            body={"screen": screen, "name": name, "query": query, "shared": shared, "position": position},
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        query: Given[str] = OMIT,
        shared: Given[bool] = OMIT,
        position: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.View:
        """Change a saved view."""
        _answer: m.View = self._json(
            "PATCH",
            f"/views/{quote(id)}",
            lambda: m.View,
            call_options,
            body={"name": name, "query": query, "shared": shared, "position": position},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a saved view."""
        return self._none(
            "DELETE",
            f"/views/{quote(id)}",
            call_options,
        )


class AsyncViews(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        screen: Given[Literal["inbox", "requests", "audit", "agents"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.View, ListBody[m.View]]:
        """List saved views."""
        return self._page(
            "GET",
            "/views",
            lambda: ListBody[m.View],
            call_options,
            query={"limit": limit, "cursor": cursor, "screen": screen},
        )

    async def create(
        self,
        *,
        screen: Literal["inbox", "requests", "audit", "agents"],
        name: str,
        query: str,
        shared: Given[bool] = OMIT,
        position: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.View:
        """Save a view."""
        _answer: m.View = await self._json(
            "POST",
            "/views",
            lambda: m.View,
            call_options,
            body={"screen": screen, "name": name, "query": query, "shared": shared, "position": position},
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        query: Given[str] = OMIT,
        shared: Given[bool] = OMIT,
        position: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.View:
        """Change a saved view."""
        _answer: m.View = await self._json(
            "PATCH",
            f"/views/{quote(id)}",
            lambda: m.View,
            call_options,
            body={"name": name, "query": query, "shared": shared, "position": position},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a saved view."""
        return await self._none(
            "DELETE",
            f"/views/{quote(id)}",
            call_options,
        )
