# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Mapping, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Devices(Resource):
    def register(
        self,
        *,
        name: str,
        platform: str,
        arch: str,
        app_version: str,
        capabilities: Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]],
        public_key: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RegisteredDevice:
        """Register a device."""
        _answer: m.RegisteredDevice = self._json(
            "POST",
            "/devices",
            lambda: m.RegisteredDevice,
            call_options,
            body={"name": name, "platform": platform, "arch": arch, "app_version": app_version, "capabilities": capabilities, "public_key": public_key},
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        state: Given[Literal["pending", "active", "draining", "paused", "revoked"]] = OMIT,
        q: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Device, ListBody[m.Device]]:
        """List devices."""
        return self._page(
            "GET",
            "/devices",
            lambda: ListBody[m.Device],
            call_options,
            query={"limit": limit, "cursor": cursor, "state": state, "q": q},
        )

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Device:
        """Get a device."""
        _answer: m.Device = self._json(
            "GET",
            f"/devices/{quote(id)}",
            lambda: m.Device,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        granted: Given[Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]]] = OMIT,
        agents: Given[Union[Literal["*"], Sequence[str]]] = OMIT,
        labels: Given[Sequence[str]] = OMIT,
        state: Given[Literal["active", "draining", "paused", "revoked"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Device:
        """Change a device."""
        _answer: m.Device = self._json(
            "PATCH",
            f"/devices/{quote(id)}",
            lambda: m.Device,
            call_options,
            body={"name": name, "granted": granted, "agents": agents, "labels": labels, "state": state},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke a device."""
        return self._none(
            "DELETE",
            f"/devices/{quote(id)}",
            call_options,
        )

    def heartbeat(
        self,
        id: str,
        /,
        *,
        session_id: Given[str] = OMIT,
        app_version: Given[str] = OMIT,
        instance_id: Given[str] = OMIT,
        boot_id: Given[str] = OMIT,
        status: Given[Literal["online", "draining", "paused"]] = OMIT,
        load: Given[Mapping[str, float]] = OMIT,
        running: Given[Sequence[p.DevicesHeartbeatRunningItem]] = OMIT,
        roots: Given[Sequence[str]] = OMIT,
        working_directory: Given[str] = OMIT,
        capabilities: Given[Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]]] = OMIT,
        timeout_seconds_max: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceHeartbeatAnswer:
        """Keep a device's session alive."""
        _answer: m.DeviceHeartbeatAnswer = self._json(
            "POST",
            f"/devices/{quote(id)}/heartbeat",
            lambda: m.DeviceHeartbeatAnswer,
            call_options,
            body={"session_id": session_id, "app_version": app_version, "instance_id": instance_id, "boot_id": boot_id, "status": status, "load": load, "running": running, "roots": roots, "working_directory": working_directory, "capabilities": capabilities, "timeout_seconds_max": timeout_seconds_max},
        )
        return _answer


class AsyncDevices(AsyncResource):
    async def register(
        self,
        *,
        name: str,
        platform: str,
        arch: str,
        app_version: str,
        capabilities: Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]],
        public_key: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RegisteredDevice:
        """Register a device."""
        _answer: m.RegisteredDevice = await self._json(
            "POST",
            "/devices",
            lambda: m.RegisteredDevice,
            call_options,
            body={"name": name, "platform": platform, "arch": arch, "app_version": app_version, "capabilities": capabilities, "public_key": public_key},
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        state: Given[Literal["pending", "active", "draining", "paused", "revoked"]] = OMIT,
        q: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Device, ListBody[m.Device]]:
        """List devices."""
        return self._page(
            "GET",
            "/devices",
            lambda: ListBody[m.Device],
            call_options,
            query={"limit": limit, "cursor": cursor, "state": state, "q": q},
        )

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Device:
        """Get a device."""
        _answer: m.Device = await self._json(
            "GET",
            f"/devices/{quote(id)}",
            lambda: m.Device,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        granted: Given[Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]]] = OMIT,
        agents: Given[Union[Literal["*"], Sequence[str]]] = OMIT,
        labels: Given[Sequence[str]] = OMIT,
        state: Given[Literal["active", "draining", "paused", "revoked"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Device:
        """Change a device."""
        _answer: m.Device = await self._json(
            "PATCH",
            f"/devices/{quote(id)}",
            lambda: m.Device,
            call_options,
            body={"name": name, "granted": granted, "agents": agents, "labels": labels, "state": state},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke a device."""
        return await self._none(
            "DELETE",
            f"/devices/{quote(id)}",
            call_options,
        )

    async def heartbeat(
        self,
        id: str,
        /,
        *,
        session_id: Given[str] = OMIT,
        app_version: Given[str] = OMIT,
        instance_id: Given[str] = OMIT,
        boot_id: Given[str] = OMIT,
        status: Given[Literal["online", "draining", "paused"]] = OMIT,
        load: Given[Mapping[str, float]] = OMIT,
        running: Given[Sequence[p.DevicesHeartbeatRunningItem]] = OMIT,
        roots: Given[Sequence[str]] = OMIT,
        working_directory: Given[str] = OMIT,
        capabilities: Given[Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]]] = OMIT,
        timeout_seconds_max: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceHeartbeatAnswer:
        """Keep a device's session alive."""
        _answer: m.DeviceHeartbeatAnswer = await self._json(
            "POST",
            f"/devices/{quote(id)}/heartbeat",
            lambda: m.DeviceHeartbeatAnswer,
            call_options,
            body={"session_id": session_id, "app_version": app_version, "instance_id": instance_id, "boot_id": boot_id, "status": status, "load": load, "running": running, "roots": roots, "working_directory": working_directory, "capabilities": capabilities, "timeout_seconds_max": timeout_seconds_max},
        )
        return _answer
