# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..chat import AsyncChatTurn, ChatTurn
from ..events import AsyncEventStream, EventStream
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Chat(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.ChatSession, ListBody[m.ChatSession]]:
        """List chat sessions."""
        return self._page(
            "GET",
            "/chat/sessions",
            lambda: ListBody[m.ChatSession],
            call_options,
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id},
        )

    def create(
        self,
        *,
        agent_id: Given[str] = OMIT,
        title: Given[str] = OMIT,
        model: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatSession:
        """Create a chat session."""
        _answer: m.ChatSession = self._json(
            "POST",
            "/chat/sessions",
            lambda: m.ChatSession,
            call_options,
            body={"agent_id": agent_id, "title": title, "model": model, "mode": mode},
        )
        return _answer

    def close(
        self,
        *,
        session_id: str,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Close a chat session."""
        return self._none(
            "DELETE",
            "/chat/sessions",
            call_options,
            query={"session_id": session_id},
        )

    def get(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatSessionWithMessages:
        """Get a chat session with its messages."""
        _answer: m.ChatSessionWithMessages = self._json(
            "GET",
            f"/chat/sessions/{quote(id)}",
            lambda: m.ChatSessionWithMessages,
            call_options,
            query={"limit": limit, "cursor": cursor},
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        title: Given[str] = OMIT,
        model: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatSession:
        """Rename a chat session, or set its model."""
        _answer: m.ChatSession = self._json(
            "PATCH",
            f"/chat/sessions/{quote(id)}",
            lambda: m.ChatSession,
            call_options,
            body={"title": title, "model": model},
        )
        return _answer

    def turn(
        self,
        *,
        session_id: str,
        message: Given[str] = OMIT,
        attachments: Given[Sequence[str]] = OMIT,
        parent_id: Given[Union[str, None]] = OMIT,
        background: Given[bool] = OMIT,
        model: Given[str] = OMIT,
        force_approval: Given[bool] = OMIT,
        continue_from: Given[str] = OMIT,
        tool_results: Given[Sequence[p.LocalToolResult]] = OMIT,
        local_tools: Given[Sequence[p.LocalTool]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> ChatTurn:
        """Run a turn, and stream its events."""
        return self._turn(
            "POST",
            "/chat/turn",
            call_options,
            body={"session_id": session_id, "message": message, "attachments": attachments, "parent_id": parent_id, "background": background, "model": model, "force_approval": force_approval, "continue_from": continue_from, "tool_results": tool_results, "local_tools": local_tools},
        )

    def get_turn(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatTurn:
        """Get a turn with its steps."""
        _answer: m.ChatTurn = self._json(
            "GET",
            f"/chat/turns/{quote(id)}",
            lambda: m.ChatTurn,
            call_options,
        )
        return _answer

    def events(
        self,
        id: str,
        /,
        *,
        last_event_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> EventStream:
        """Stream the events of a turn."""
        return self._events(
            "GET",
            f"/chat/turns/{quote(id)}/events",
            call_options,
            query={"last_event_id": last_event_id},
        )

    def cancel(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatTurn:
        """Cancel a turn."""
        _answer: m.ChatTurn = self._json(
            "POST",
            f"/chat/turns/{quote(id)}/cancel",
            lambda: m.ChatTurn,
            call_options,
        )
        return _answer

    def decide(
        self,
        id: str,
        /,
        *,
        decision: Literal["approve", "reject"],
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DecidedChatCall:
        """Decide a pending call of a turn."""
        _answer: m.DecidedChatCall = self._json(
            "POST",
            f"/chat/approvals/{quote(id)}",
            lambda: m.DecidedChatCall,
            call_options,
            body={"decision": decision, "comment": comment},
        )
        return _answer

    def artifact(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> bytes:
        """Download an artifact of a chat."""
        return self._bytes(
            "GET",
            f"/chat/artifacts/{quote(id)}",
            call_options,
        )


class AsyncChat(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.ChatSession, ListBody[m.ChatSession]]:
        """List chat sessions."""
        return self._page(
            "GET",
            "/chat/sessions",
            lambda: ListBody[m.ChatSession],
            call_options,
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id},
        )

    async def create(
        self,
        *,
        agent_id: Given[str] = OMIT,
        title: Given[str] = OMIT,
        model: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatSession:
        """Create a chat session."""
        _answer: m.ChatSession = await self._json(
            "POST",
            "/chat/sessions",
            lambda: m.ChatSession,
            call_options,
            body={"agent_id": agent_id, "title": title, "model": model, "mode": mode},
        )
        return _answer

    async def close(
        self,
        *,
        session_id: str,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Close a chat session."""
        return await self._none(
            "DELETE",
            "/chat/sessions",
            call_options,
            query={"session_id": session_id},
        )

    async def get(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatSessionWithMessages:
        """Get a chat session with its messages."""
        _answer: m.ChatSessionWithMessages = await self._json(
            "GET",
            f"/chat/sessions/{quote(id)}",
            lambda: m.ChatSessionWithMessages,
            call_options,
            query={"limit": limit, "cursor": cursor},
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        title: Given[str] = OMIT,
        model: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatSession:
        """Rename a chat session, or set its model."""
        _answer: m.ChatSession = await self._json(
            "PATCH",
            f"/chat/sessions/{quote(id)}",
            lambda: m.ChatSession,
            call_options,
            body={"title": title, "model": model},
        )
        return _answer

    def turn(
        self,
        *,
        session_id: str,
        message: Given[str] = OMIT,
        attachments: Given[Sequence[str]] = OMIT,
        parent_id: Given[Union[str, None]] = OMIT,
        background: Given[bool] = OMIT,
        model: Given[str] = OMIT,
        force_approval: Given[bool] = OMIT,
        continue_from: Given[str] = OMIT,
        tool_results: Given[Sequence[p.LocalToolResult]] = OMIT,
        local_tools: Given[Sequence[p.LocalTool]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncChatTurn:
        """Run a turn, and stream its events."""
        return self._turn(
            "POST",
            "/chat/turn",
            call_options,
            body={"session_id": session_id, "message": message, "attachments": attachments, "parent_id": parent_id, "background": background, "model": model, "force_approval": force_approval, "continue_from": continue_from, "tool_results": tool_results, "local_tools": local_tools},
        )

    async def get_turn(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatTurn:
        """Get a turn with its steps."""
        _answer: m.ChatTurn = await self._json(
            "GET",
            f"/chat/turns/{quote(id)}",
            lambda: m.ChatTurn,
            call_options,
        )
        return _answer

    def events(
        self,
        id: str,
        /,
        *,
        last_event_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncEventStream:
        """Stream the events of a turn."""
        return self._events(
            "GET",
            f"/chat/turns/{quote(id)}/events",
            call_options,
            query={"last_event_id": last_event_id},
        )

    async def cancel(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ChatTurn:
        """Cancel a turn."""
        _answer: m.ChatTurn = await self._json(
            "POST",
            f"/chat/turns/{quote(id)}/cancel",
            lambda: m.ChatTurn,
            call_options,
        )
        return _answer

    async def decide(
        self,
        id: str,
        /,
        *,
        decision: Literal["approve", "reject"],
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DecidedChatCall:
        """Decide a pending call of a turn."""
        _answer: m.DecidedChatCall = await self._json(
            "POST",
            f"/chat/approvals/{quote(id)}",
            lambda: m.DecidedChatCall,
            call_options,
            body={"decision": decision, "comment": comment},
        )
        return _answer

    async def artifact(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> bytes:
        """Download an artifact of a chat."""
        return await self._bytes(
            "GET",
            f"/chat/artifacts/{quote(id)}",
            call_options,
        )
