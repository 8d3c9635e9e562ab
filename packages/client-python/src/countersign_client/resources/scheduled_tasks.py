# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class ScheduledTasks(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        status: Given[Literal["active", "paused"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.ScheduledTask, ListBody[m.ScheduledTask]]:
        """List scheduled tasks."""
        return self._page(
            "GET",
            "/scheduled-tasks",
            lambda: ListBody[m.ScheduledTask],
            call_options,
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id, "status": status},
        )

    def create(
        self,
        *,
        name: str,
        agent_id: str,
        cron: str,
        action: p.FiringAction,
        timezone: Given[str] = OMIT,
        catch_up: Given[Literal["skip", "once"]] = OMIT,
        overlap: Given[Literal["skip", "allow", "queue"]] = OMIT,
        jitter_seconds: Given[int] = OMIT,
        enabled: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduledTask:
        """Create a scheduled task."""
        _answer: m.ScheduledTask = self._json(
            "POST",
            "/scheduled-tasks",
            lambda: m.ScheduledTask,
            call_options,
            body={"name": name, "agent_id": agent_id, "cron": cron, "timezone": timezone, "action": action, "catch_up": catch_up, "overlap": overlap, "jitter_seconds": jitter_seconds, "enabled": enabled},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduledTask:
        """Get a scheduled task."""
        _answer: m.ScheduledTask = self._json(
            "GET",
            f"/scheduled-tasks/{quote(id)}",
            lambda: m.ScheduledTask,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        cron: Given[str] = OMIT,
        timezone: Given[str] = OMIT,
        action: Given[p.FiringAction] = OMIT,
        catch_up: Given[Literal["skip", "once"]] = OMIT,
        overlap: Given[Literal["skip", "allow", "queue"]] = OMIT,
        jitter_seconds: Given[int] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduledTask:
        """Update a scheduled task."""
        _answer: m.ScheduledTask = self._json(
            "PATCH",
            f"/scheduled-tasks/{quote(id)}",
            lambda: m.ScheduledTask,
            call_options,
            body={"name": name, "agent_id": agent_id, "cron": cron, "timezone": timezone, "action": action, "catch_up": catch_up, "overlap": overlap, "jitter_seconds": jitter_seconds, "expected_version": expected_version},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a scheduled task."""
        return self._none(
            "DELETE",
            f"/scheduled-tasks/{quote(id)}",
            call_options,
        )

    def list_runs(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["fired", "queued", "skipped", "missed"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.ScheduleRun, ListBody[m.ScheduleRun]]:
        """List runs of a scheduled task."""
        return self._page(
            "GET",
            f"/scheduled-tasks/{quote(id)}/runs",
            lambda: ListBody[m.ScheduleRun],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def run(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduleRun:
        """Run a scheduled task now."""
        _answer: m.ScheduleRun = self._json(
            "POST",
            f"/scheduled-tasks/{quote(id)}/run",
            lambda: m.ScheduleRun,
            call_options,
        )
        return _answer

    def set_status(
        self,
        id: str,
        /,
        *,
        status: Literal["active", "paused"],
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduledTask:
        """Pause or resume a scheduled task."""
        _answer: m.ScheduledTask = self._json(
            "PATCH",
            f"/scheduled-tasks/{quote(id)}/status",
            lambda: m.ScheduledTask,
            call_options,
            body={"status": status},
        )
        return _answer


class AsyncScheduledTasks(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        status: Given[Literal["active", "paused"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.ScheduledTask, ListBody[m.ScheduledTask]]:
        """List scheduled tasks."""
        return self._page(
            "GET",
            "/scheduled-tasks",
            lambda: ListBody[m.ScheduledTask],
            call_options,
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id, "status": status},
        )

    async def create(
        self,
        *,
        name: str,
        agent_id: str,
        cron: str,
        action: p.FiringAction,
        timezone: Given[str] = OMIT,
        catch_up: Given[Literal["skip", "once"]] = OMIT,
        overlap: Given[Literal["skip", "allow", "queue"]] = OMIT,
        jitter_seconds: Given[int] = OMIT,
        enabled: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduledTask:
        """Create a scheduled task."""
        _answer: m.ScheduledTask = await self._json(
            "POST",
            "/scheduled-tasks",
            lambda: m.ScheduledTask,
            call_options,
            body={"name": name, "agent_id": agent_id, "cron": cron, "timezone": timezone, "action": action, "catch_up": catch_up, "overlap": overlap, "jitter_seconds": jitter_seconds, "enabled": enabled},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduledTask:
        """Get a scheduled task."""
        _answer: m.ScheduledTask = await self._json(
            "GET",
            f"/scheduled-tasks/{quote(id)}",
            lambda: m.ScheduledTask,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        cron: Given[str] = OMIT,
        timezone: Given[str] = OMIT,
        action: Given[p.FiringAction] = OMIT,
        catch_up: Given[Literal["skip", "once"]] = OMIT,
        overlap: Given[Literal["skip", "allow", "queue"]] = OMIT,
        jitter_seconds: Given[int] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduledTask:
        """Update a scheduled task."""
        _answer: m.ScheduledTask = await self._json(
            "PATCH",
            f"/scheduled-tasks/{quote(id)}",
            lambda: m.ScheduledTask,
            call_options,
            body={"name": name, "agent_id": agent_id, "cron": cron, "timezone": timezone, "action": action, "catch_up": catch_up, "overlap": overlap, "jitter_seconds": jitter_seconds, "expected_version": expected_version},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a scheduled task."""
        return await self._none(
            "DELETE",
            f"/scheduled-tasks/{quote(id)}",
            call_options,
        )

    def list_runs(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["fired", "queued", "skipped", "missed"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.ScheduleRun, ListBody[m.ScheduleRun]]:
        """List runs of a scheduled task."""
        return self._page(
            "GET",
            f"/scheduled-tasks/{quote(id)}/runs",
            lambda: ListBody[m.ScheduleRun],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    async def run(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduleRun:
        """Run a scheduled task now."""
        _answer: m.ScheduleRun = await self._json(
            "POST",
            f"/scheduled-tasks/{quote(id)}/run",
            lambda: m.ScheduleRun,
            call_options,
        )
        return _answer

    async def set_status(
        self,
        id: str,
        /,
        *,
        status: Literal["active", "paused"],
        **call_options: Unpack[CallOptions],
    ) -> m.ScheduledTask:
        """Pause or resume a scheduled task."""
        _answer: m.ScheduledTask = await self._json(
            "PATCH",
            f"/scheduled-tasks/{quote(id)}/status",
            lambda: m.ScheduledTask,
            call_options,
            body={"status": status},
        )
        return _answer
