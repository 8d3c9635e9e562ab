# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Conversations(Resource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Conversation, ListBody[m.Conversation]]:
        """List an agent's conversations."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/conversations",
            lambda: ListBody[m.Conversation],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        id: str,
        /,
        *,
        title: Given[str] = OMIT,
        metadata: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Conversation:
        """Create a conversation."""
        _answer: m.Conversation = self._json(
            "POST",
            f"/agents/{quote(id)}/conversations",
            lambda: m.Conversation,
            call_options,
            body={"title": title, "metadata": metadata},
        )
        return _answer

    def get(
        self,
        id: str,
        cid: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ConversationWithMessages:
        """Get a conversation and its messages."""
        _answer: m.ConversationWithMessages = self._json(
            "GET",
            f"/agents/{quote(id)}/conversations/{quote(cid)}",
            lambda: m.ConversationWithMessages,
            call_options,
            query={"limit": limit, "cursor": cursor},
        )
        return _answer

    def add_message(
        self,
        id: str,
        cid: str,
        /,
        *,
        role: Literal["user", "assistant", "system", "tool"],
        content: str,
        metadata: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ConversationMessage:
        """Add a message to a conversation."""
        _answer: m.ConversationMessage = self._json(
            "POST",
            f"/agents/{quote(id)}/conversations/{quote(cid)}/messages",
            lambda: m.ConversationMessage,
            call_options,
            body={"role": role, "content": content, "metadata": metadata},
        )
        return _answer


class AsyncConversations(AsyncResource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Conversation, ListBody[m.Conversation]]:
        """List an agent's conversations."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/conversations",
            lambda: ListBody[m.Conversation],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        id: str,
        /,
        *,
        title: Given[str] = OMIT,
        metadata: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Conversation:
        """Create a conversation."""
        _answer: m.Conversation = await self._json(
            "POST",
            f"/agents/{quote(id)}/conversations",
            lambda: m.Conversation,
            call_options,
            body={"title": title, "metadata": metadata},
        )
        return _answer

    async def get(
        self,
        id: str,
        cid: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ConversationWithMessages:
        """Get a conversation and its messages."""
        _answer: m.ConversationWithMessages = await self._json(
            "GET",
            f"/agents/{quote(id)}/conversations/{quote(cid)}",
            lambda: m.ConversationWithMessages,
            call_options,
            query={"limit": limit, "cursor": cursor},
        )
        return _answer

    async def add_message(
        self,
        id: str,
        cid: str,
        /,
        *,
        role: Literal["user", "assistant", "system", "tool"],
        content: str,
        metadata: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ConversationMessage:
        """Add a message to a conversation."""
        _answer: m.ConversationMessage = await self._json(
            "POST",
            f"/agents/{quote(id)}/conversations/{quote(cid)}/messages",
            lambda: m.ConversationMessage,
            call_options,
            body={"role": role, "content": content, "metadata": metadata},
        )
        return _answer
