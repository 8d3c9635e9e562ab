# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Sequence

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class AgentRequests(Resource):
    def create(
        self,
        *,
        kind: Literal["question", "approval", "input", "handoff"],
        title: str,
        body: Given[str] = OMIT,
        options: Given[Sequence[str]] = OMIT,
        expires_at: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentRequest:
        """Create an agent request."""
        _answer: m.AgentRequest = self._json(
            "POST",
            "/agent-requests",
            lambda: m.AgentRequest,
            call_options,
            body={"kind": kind, "title": title, "body": body, "options": options, "expires_at": expires_at},
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["open", "answered", "dismissed", "expired"]] = OMIT,
        kind: Given[Literal["question", "approval", "input", "handoff"]] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.AgentRequest, ListBody[m.AgentRequest]]:
        """List agent requests."""
        return self._page(
            "GET",
            "/agent-requests",
            lambda: ListBody[m.AgentRequest],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "kind": kind, "agent_id": agent_id},
        )

    def get(
        self,
        id: str,
        /,
        *,
        wait: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentRequest:
        """Get an agent request, or wait for its answer."""
        _answer: m.AgentRequest = self._json(
            "GET",
            f"/agent-requests/{quote(id)}",
            lambda: m.AgentRequest,
            call_options,
            query={"wait": wait},
        )
        return _answer

    def answer(
        self,
        id: str,
        /,
        *,
        status: Literal["answered", "dismissed"],
        answer: Given[str] = OMIT,
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentRequest:
        """Answer or dismiss an agent request."""
        _answer: m.AgentRequest = self._json(
            "PATCH",
            f"/agent-requests/{quote(id)}",
            lambda: m.AgentRequest,
            call_options,
            body={"status": status, "answer": answer, "comment": comment},
        )
        return _answer


class AsyncAgentRequests(AsyncResource):
    async def create(
        self,
        *,
        kind: Literal["question", "approval", "input", "handoff"],
        title: str,
        body: Given[str] = OMIT,
        options: Given[Sequence[str]] = OMIT,
        expires_at: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentRequest:
        """Create an agent request."""
        _answer: m.AgentRequest = await self._json(
            "POST",
            "/agent-requests",
            lambda: m.AgentRequest,
            call_options,
            body={"kind": kind, "title": title, "body": body, "options": options, "expires_at": expires_at},
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["open", "answered", "dismissed", "expired"]] = OMIT,
        kind: Given[Literal["question", "approval", "input", "handoff"]] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.AgentRequest, ListBody[m.AgentRequest]]:
        """List agent requests."""
        return self._page(
            "GET",
            "/agent-requests",
            lambda: ListBody[m.AgentRequest],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "kind": kind, "agent_id": agent_id},
        )

    async def get(
        self,
        id: str,
        /,
        *,
        wait: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentRequest:
        """Get an agent request, or wait for its answer."""
        _answer: m.AgentRequest = await self._json(
            "GET",
            f"/agent-requests/{quote(id)}",
            lambda: m.AgentRequest,
            call_options,
            query={"wait": wait},
        )
        return _answer

    async def answer(
        self,
        id: str,
        /,
        *,
        status: Literal["answered", "dismissed"],
        answer: Given[str] = OMIT,
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AgentRequest:
        """Answer or dismiss an agent request."""
        _answer: m.AgentRequest = await self._json(
            "PATCH",
            f"/agent-requests/{quote(id)}",
            lambda: m.AgentRequest,
            call_options,
            body={"status": status, "answer": answer, "comment": comment},
        )
        return _answer
