# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class NoticeChannels(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        kind: Given[Literal["slack", "discord"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.NoticeChannel, ListBody[m.NoticeChannel]]:
        """List notice channels."""
        return self._page(
            "GET",
            "/notice-channels",
            lambda: ListBody[m.NoticeChannel],
            call_options,
            query={"limit": limit, "cursor": cursor, "kind": kind},
        )

    def create(
        self,
        *,
        kind: Literal["slack", "discord"],
        target: str,
        app_id: Given[str] = OMIT,
        secret: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        agent_ids: Given[Sequence[str]] = OMIT,
        events: Given[Sequence[Literal["approval.created", "agent_request.created", "budget_request.updated"]]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NoticeChannel:
        """Create a notice channel."""
        _answer: m.NoticeChannel = self._json(
            "POST",
            "/notice-channels",
            lambda: m.NoticeChannel,
            call_options,
            body={"kind": kind, "app_id": app_id, "secret": secret, "target": target, "min_cents": min_cents, "agent_ids": agent_ids, "events": events},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.NoticeChannel:
        """Get a notice channel."""
        _answer: m.NoticeChannel = self._json(
            "GET",
            f"/notice-channels/{quote(id)}",
            lambda: m.NoticeChannel,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        app_id: Given[str] = OMIT,
        secret: Given[str] = OMIT,
        target: Given[str] = OMIT,
        min_cents: Given[Union[int, None]] = OMIT,
        agent_ids: Given[Union[Sequence[str], None]] = OMIT,
        events: Given[Sequence[Literal["approval.created", "agent_request.created", "budget_request.updated"]]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NoticeChannel:
        """Update a notice channel."""
        _answer: m.NoticeChannel = self._json(
            "PATCH",
            f"/notice-channels/{quote(id)}",
            lambda: m.NoticeChannel,
            call_options,
            body={"app_id": app_id, "secret": secret, "target": target, "min_cents": min_cents, "agent_ids": agent_ids, "events": events, "expected_version": expected_version},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a notice channel."""
        return self._none(
            "DELETE",
            f"/notice-channels/{quote(id)}",
            call_options,
        )

    def test(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.NoticeChannelTest:
        """Send a test message to a notice channel."""
        _answer: m.NoticeChannelTest = self._json(
            "POST",
            f"/notice-channels/{quote(id)}/test",
            lambda: m.NoticeChannelTest,
            call_options,
        )
        return _answer


class AsyncNoticeChannels(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        kind: Given[Literal["slack", "discord"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.NoticeChannel, ListBody[m.NoticeChannel]]:
        """List notice channels."""
        return self._page(
            "GET",
            "/notice-channels",
            lambda: ListBody[m.NoticeChannel],
            call_options,
            query={"limit": limit, "cursor": cursor, "kind": kind},
        )

    async def create(
        self,
        *,
        kind: Literal["slack", "discord"],
        target: str,
        app_id: Given[str] = OMIT,
        secret: Given[str] = OMIT,
        min_cents: Given[int] = OMIT,
        agent_ids: Given[Sequence[str]] = OMIT,
        events: Given[Sequence[Literal["approval.created", "agent_request.created", "budget_request.updated"]]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NoticeChannel:
        """Create a notice channel."""
        _answer: m.NoticeChannel = await self._json(
            "POST",
            "/notice-channels",
            lambda: m.NoticeChannel,
            call_options,
            body={"kind": kind, "app_id": app_id, "secret": secret, "target": target, "min_cents": min_cents, "agent_ids": agent_ids, "events": events},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.NoticeChannel:
        """Get a notice channel."""
        _answer: m.NoticeChannel = await self._json(
            "GET",
            f"/notice-channels/{quote(id)}",
            lambda: m.NoticeChannel,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        app_id: Given[str] = OMIT,
        secret: Given[str] = OMIT,
        target: Given[str] = OMIT,
        min_cents: Given[Union[int, None]] = OMIT,
        agent_ids: Given[Union[Sequence[str], None]] = OMIT,
        events: Given[Sequence[Literal["approval.created", "agent_request.created", "budget_request.updated"]]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NoticeChannel:
        """Update a notice channel."""
        _answer: m.NoticeChannel = await self._json(
            "PATCH",
            f"/notice-channels/{quote(id)}",
            lambda: m.NoticeChannel,
            call_options,
            body={"app_id": app_id, "secret": secret, "target": target, "min_cents": min_cents, "agent_ids": agent_ids, "events": events, "expected_version": expected_version},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a notice channel."""
        return await self._none(
            "DELETE",
            f"/notice-channels/{quote(id)}",
            call_options,
        )

    async def test(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.NoticeChannelTest:
        """Send a test message to a notice channel."""
        _answer: m.NoticeChannelTest = await self._json(
            "POST",
            f"/notice-channels/{quote(id)}/test",
            lambda: m.NoticeChannelTest,
            call_options,
        )
        return _answer
