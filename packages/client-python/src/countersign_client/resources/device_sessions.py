# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class DeviceSessions(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        device_id: Given[str] = OMIT,
        status: Given[Literal["online", "offline", "ended"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.DeviceSession, ListBody[m.DeviceSession]]:
        """List device sessions."""
        return self._page(
            "GET",
            "/devices/sessions",
            lambda: ListBody[m.DeviceSession],
            call_options,
            query={"limit": limit, "cursor": cursor, "device_id": device_id, "status": status},
        )

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSession:
        """Get a device session."""
        _answer: m.DeviceSession = self._json(
            "GET",
            f"/devices/sessions/{quote(id)}",
            lambda: m.DeviceSession,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        status: Given[Literal["ended"]] = OMIT,
        working_directory: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSession:
        """Change a device session."""
        _answer: m.DeviceSession = self._json(
            "PATCH",
            f"/devices/sessions/{quote(id)}",
            lambda: m.DeviceSession,
            call_options,
            body={"status": status, "working_directory": working_directory},
        )
        return _answer

    def queue(
        self,
        id: str,
        /,
        *,
        tool: Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"],
        input: Mapping[str, Any],
        working_directory: Given[str] = OMIT,
        reason: Given[str] = OMIT,
        timeout_seconds: Given[int] = OMIT,
        queue_seconds: Given[int] = OMIT,
        idempotency_key: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceCommand:
        """Queue a command."""
        _answer: m.DeviceCommand = self._json(
            "POST",
            f"/devices/sessions/{quote(id)}/commands",
            lambda: m.DeviceCommand,
            call_options,
            body={"tool": tool, "input": input, "working_directory": working_directory, "reason": reason, "timeout_seconds": timeout_seconds, "queue_seconds": queue_seconds, "idempotency_key": idempotency_key},
        )
        return _answer

    def commands(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["queued", "leased", "awaiting_consent", "running", "done", "cancelled", "expired"]] = OMIT,
        wait: Given[int] = OMIT,
        max: Given[int] = OMIT,
        boot_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSessionsCommandsAnswer:
        """List or lease commands."""
        _answer: m.DeviceSessionsCommandsAnswer = self._json(
            "GET",
            f"/devices/sessions/{quote(id)}/commands",
            lambda: m.DeviceSessionsCommandsAnswer,
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "wait": wait, "max": max, "boot_id": boot_id},
        )
        return _answer


class AsyncDeviceSessions(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        device_id: Given[str] = OMIT,
        status: Given[Literal["online", "offline", "ended"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.DeviceSession, ListBody[m.DeviceSession]]:
        """List device sessions."""
        return self._page(
            "GET",
            "/devices/sessions",
            lambda: ListBody[m.DeviceSession],
            call_options,
            query={"limit": limit, "cursor": cursor, "device_id": device_id, "status": status},
        )

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSession:
        """Get a device session."""
        _answer: m.DeviceSession = await self._json(
            "GET",
            f"/devices/sessions/{quote(id)}",
            lambda: m.DeviceSession,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        status: Given[Literal["ended"]] = OMIT,
        working_directory: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSession:
        """Change a device session."""
        _answer: m.DeviceSession = await self._json(
            "PATCH",
            f"/devices/sessions/{quote(id)}",
            lambda: m.DeviceSession,
            call_options,
            body={"status": status, "working_directory": working_directory},
        )
        return _answer

    async def queue(
        self,
        id: str,
        /,
        *,
        tool: Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"],
        input: Mapping[str, Any],
        working_directory: Given[str] = OMIT,
        reason: Given[str] = OMIT,
        timeout_seconds: Given[int] = OMIT,
        queue_seconds: Given[int] = OMIT,
        idempotency_key: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceCommand:
        """Queue a command."""
        _answer: m.DeviceCommand = await self._json(
            "POST",
            f"/devices/sessions/{quote(id)}/commands",
            lambda: m.DeviceCommand,
            call_options,
            body={"tool": tool, "input": input, "working_directory": working_directory, "reason": reason, "timeout_seconds": timeout_seconds, "queue_seconds": queue_seconds, "idempotency_key": idempotency_key},
        )
        return _answer

    async def commands(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["queued", "leased", "awaiting_consent", "running", "done", "cancelled", "expired"]] = OMIT,
        wait: Given[int] = OMIT,
        max: Given[int] = OMIT,
        boot_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSessionsCommandsAnswer:
        """List or lease commands."""
        _answer: m.DeviceSessionsCommandsAnswer = await self._json(
            "GET",
            f"/devices/sessions/{quote(id)}/commands",
            lambda: m.DeviceSessionsCommandsAnswer,
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "wait": wait, "max": max, "boot_id": boot_id},
        )
        return _answer
