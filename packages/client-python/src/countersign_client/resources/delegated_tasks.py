# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Sequence

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..events import AsyncEventStream, EventStream
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given, KeyedOptions
from .._resource import AsyncResource, Resource, quote


class DelegatedTasks(Resource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["accepted", "in_progress", "completed", "failed", "cancelled"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.DelegatedTask, ListBody[m.DelegatedTask]]:
        """List delegated tasks of an agent."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/delegated-tasks",
            lambda: ListBody[m.DelegatedTask],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def create(
        self,
        id: str,
        /,
        *,
        to_agent_id: str,
        goal: str,
        budget_cents: int,
        services: Sequence[str],
        input: Given[Any] = OMIT,
        deadline_at: Given[str] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.DelegatedTask:
        """Delegate a task."""
        _answer: m.DelegatedTask = self._json(
            "POST",
            f"/agents/{quote(id)}/delegated-tasks",
            lambda: m.DelegatedTask,
            call_options,
            body={"to_agent_id": to_agent_id, "goal": goal, "input": input, "budget_cents": budget_cents, "services": services, "deadline_at": deadline_at},
            keyed=True,
        )
        return _answer

    def update(
        self,
        id: str,
        task_id: str,
        /,
        *,
        status: Literal["accepted", "in_progress", "completed", "failed", "cancelled"],
        result: Given[Any] = OMIT,
        error: Given[p.TaskError] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DelegatedTask:
        """Report on a delegated task, or cancel it."""
        _answer: m.DelegatedTask = self._json(
            "PATCH",
            f"/agents/{quote(id)}/delegated-tasks/{quote(task_id)}",
            lambda: m.DelegatedTask,
            call_options,
            body={"status": status, "result": result, "error": error},
        )
        return _answer

    def reattach(
        self,
        id: str,
        task_id: str,
        /,
        *,
        after: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Reattached:
        """Continue to follow a delegated task."""
        _answer: m.Reattached = self._json(
            "POST",
            f"/agents/{quote(id)}/delegated-tasks/{quote(task_id)}/reattach",
            lambda: m.Reattached,
            call_options,
            body={"after": after},
        )
        return _answer

    def list_all(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["accepted", "in_progress", "completed", "failed", "cancelled"]] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.DelegatedTask, ListBody[m.DelegatedTask]]:
        """List delegated tasks."""
        return self._page(
            "GET",
            "/delegated-tasks",
            lambda: ListBody[m.DelegatedTask],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id},
        )

    def get(
        self,
        task_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DelegatedTask:
        """Get a delegated task."""
        _answer: m.DelegatedTask = self._json(
            "GET",
            f"/delegated-tasks/{quote(task_id)}",
            lambda: m.DelegatedTask,
            call_options,
        )
        return _answer

    def events(
        self,
        task_id: str,
        /,
        *,
        last_event_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> EventStream:
        """Follow a delegated task."""
        return self._events(
            "GET",
            f"/delegated-tasks/{quote(task_id)}/events",
            call_options,
            query={"last_event_id": last_event_id},
        )


class AsyncDelegatedTasks(AsyncResource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["accepted", "in_progress", "completed", "failed", "cancelled"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.DelegatedTask, ListBody[m.DelegatedTask]]:
        """List delegated tasks of an agent."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/delegated-tasks",
            lambda: ListBody[m.DelegatedTask],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    async def create(
        self,
        id: str,
        /,
        *,
        to_agent_id: str,
        goal: str,
        budget_cents: int,
        services: Sequence[str],
        input: Given[Any] = OMIT,
        deadline_at: Given[str] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.DelegatedTask:
        """Delegate a task."""
        _answer: m.DelegatedTask = await self._json(
            "POST",
            f"/agents/{quote(id)}/delegated-tasks",
            lambda: m.DelegatedTask,
            call_options,
            body={"to_agent_id": to_agent_id, "goal": goal, "input": input, "budget_cents": budget_cents, "services": services, "deadline_at": deadline_at},
            keyed=True,
        )
        return _answer

    async def update(
        self,
        id: str,
        task_id: str,
        /,
        *,
        status: Literal["accepted", "in_progress", "completed", "failed", "cancelled"],
        result: Given[Any] = OMIT,
        error: Given[p.TaskError] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DelegatedTask:
        """Report on a delegated task, or cancel it."""
        _answer: m.DelegatedTask = await self._json(
            "PATCH",
            f"/agents/{quote(id)}/delegated-tasks/{quote(task_id)}",
            lambda: m.DelegatedTask,
            call_options,
            body={"status": status, "result": result, "error": error},
        )
        return _answer

    async def reattach(
        self,
        id: str,
        task_id: str,
        /,
        *,
        after: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Reattached:
        """Continue to follow a delegated task."""
        _answer: m.Reattached = await self._json(
            "POST",
            f"/agents/{quote(id)}/delegated-tasks/{quote(task_id)}/reattach",
            lambda: m.Reattached,
            call_options,
            body={"after": after},
        )
        return _answer

    def list_all(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["accepted", "in_progress", "completed", "failed", "cancelled"]] = OMIT,
        agent_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.DelegatedTask, ListBody[m.DelegatedTask]]:
        """List delegated tasks."""
        return self._page(
            "GET",
            "/delegated-tasks",
            lambda: ListBody[m.DelegatedTask],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "agent_id": agent_id},
        )

    async def get(
        self,
        task_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DelegatedTask:
        """Get a delegated task."""
        _answer: m.DelegatedTask = await self._json(
            "GET",
            f"/delegated-tasks/{quote(task_id)}",
            lambda: m.DelegatedTask,
            call_options,
        )
        return _answer

    def events(
        self,
        task_id: str,
        /,
        *,
        last_event_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncEventStream:
        """Follow a delegated task."""
        return self._events(
            "GET",
            f"/delegated-tasks/{quote(task_id)}/events",
            call_options,
            query={"last_event_id": last_event_id},
        )
