# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Memories(Resource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        kind: Given[Literal["fact", "preference", "event", "skill"]] = OMIT,
        tag: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Memory, ListBody[m.Memory]]:
        """List or search an agent's memories."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/memories",
            lambda: ListBody[m.Memory],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "kind": kind, "tag": tag},
        )

    def create(
        self,
        id: str,
        /,
        *,
        content: str,
        kind: Literal["fact", "preference", "event", "skill"],
        tags: Given[Sequence[str]] = OMIT,
        importance: Given[float] = OMIT,
        links: Given[Sequence[str]] = OMIT,
        expires_at: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Memory:
        """Create a memory."""
        _answer: m.Memory = self._json(
            "POST",
            f"/agents/{quote(id)}/memories",
            lambda: m.Memory,
            call_options,
            body={"content": content, "kind": kind, "tags": tags, "importance": importance, "links": links, "expires_at": expires_at},
        )
        return _answer

    def graph(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.MemoryGraph:
        """Get the graph of an agent's memories."""
        _answer: m.MemoryGraph = self._json(
            "GET",
            f"/agents/{quote(id)}/memories/graph",
            lambda: m.MemoryGraph,
            call_options,
        )
        return _answer

    def get(
        self,
        id: str,
        memory_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Memory:
        """Get a memory."""
        _answer: m.Memory = self._json(
            "GET",
            f"/agents/{quote(id)}/memories/{quote(memory_id)}",
            lambda: m.Memory,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        memory_id: str,
        /,
        *,
        content: Given[str] = OMIT,
        kind: Given[Literal["fact", "preference", "event", "skill"]] = OMIT,
        tags: Given[Sequence[str]] = OMIT,
        importance: Given[float] = OMIT,
        links: Given[Sequence[str]] = OMIT,
        expires_at: Given[Union[str, None]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Memory:
        """Update a memory."""
        _answer: m.Memory = self._json(
            "PATCH",
            f"/agents/{quote(id)}/memories/{quote(memory_id)}",
            lambda: m.Memory,
            call_options,
            body={"content": content, "kind": kind, "tags": tags, "importance": importance, "links": links, "expires_at": expires_at},
        )
        return _answer

    def remove(
        self,
        id: str,
        memory_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a memory."""
        return self._none(
            "DELETE",
            f"/agents/{quote(id)}/memories/{quote(memory_id)}",
            call_options,
        )


class AsyncMemories(AsyncResource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        kind: Given[Literal["fact", "preference", "event", "skill"]] = OMIT,
        tag: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Memory, ListBody[m.Memory]]:
        """List or search an agent's memories."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/memories",
            lambda: ListBody[m.Memory],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "kind": kind, "tag": tag},
        )

    async def create(
        self,
        id: str,
        /,
        *,
        content: str,
        kind: Literal["fact", "preference", "event", "skill"],
        tags: Given[Sequence[str]] = OMIT,
        importance: Given[float] = OMIT,
        links: Given[Sequence[str]] = OMIT,
        expires_at: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Memory:
        """Create a memory."""
        _answer: m.Memory = await self._json(
            "POST",
            f"/agents/{quote(id)}/memories",
            lambda: m.Memory,
            call_options,
            body={"content": content, "kind": kind, "tags": tags, "importance": importance, "links": links, "expires_at": expires_at},
        )
        return _answer

    async def graph(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.MemoryGraph:
        """Get the graph of an agent's memories."""
        _answer: m.MemoryGraph = await self._json(
            "GET",
            f"/agents/{quote(id)}/memories/graph",
            lambda: m.MemoryGraph,
            call_options,
        )
        return _answer

    async def get(
        self,
        id: str,
        memory_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Memory:
        """Get a memory."""
        _answer: m.Memory = await self._json(
            "GET",
            f"/agents/{quote(id)}/memories/{quote(memory_id)}",
            lambda: m.Memory,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        memory_id: str,
        /,
        *,
        content: Given[str] = OMIT,
        kind: Given[Literal["fact", "preference", "event", "skill"]] = OMIT,
        tags: Given[Sequence[str]] = OMIT,
        importance: Given[float] = OMIT,
        links: Given[Sequence[str]] = OMIT,
        expires_at: Given[Union[str, None]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Memory:
        """Update a memory."""
        _answer: m.Memory = await self._json(
            "PATCH",
            f"/agents/{quote(id)}/memories/{quote(memory_id)}",
            lambda: m.Memory,
            call_options,
            body={"content": content, "kind": kind, "tags": tags, "importance": importance, "links": links, "expires_at": expires_at},
        )
        return _answer

    async def remove(
        self,
        id: str,
        memory_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a memory."""
        return await self._none(
            "DELETE",
            f"/agents/{quote(id)}/memories/{quote(memory_id)}",
            call_options,
        )
