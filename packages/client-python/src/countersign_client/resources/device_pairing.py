# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Literal, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class DevicePairing(Resource):
    def start(
        self,
        *,
        name: str,
        platform: str,
        arch: str,
        app_version: str,
        capabilities: Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]],
        public_key: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PairingStarted:
        """Start a pairing."""
        _answer: m.PairingStarted = self._json(
            "POST",
            "/devices/pair",
            lambda: m.PairingStarted,
            call_options,
            body={"name": name, "platform": platform, "arch": arch, "app_version": app_version, "capabilities": capabilities, "public_key": public_key},
        )
        return _answer

    def current(
        self,
        *,
        wait: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PairingProgress:
        """Wait for the decision on a pairing."""
        _answer: m.PairingProgress = self._json(
            "GET",
            "/devices/pair/current",
            lambda: m.PairingProgress,
            call_options,
            query={"wait": wait},
        )
        return _answer

    def get(
        self,
        code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Pairing:
        """Get a pairing by its code."""
        _answer: m.Pairing = self._json(
            "GET",
            f"/devices/pair/{quote(code)}",
            lambda: m.Pairing,
            call_options,
        )
        return _answer

    def confirm(
        self,
        code: str,
        /,
        *,
        granted: Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]],
        agents: Given[Union[Literal["*"], Sequence[str]]] = OMIT,
        name: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Device:
        """Confirm a pairing."""
        _answer: m.Device = self._json(
            "POST",
            f"/devices/pair/{quote(code)}/confirm",
            lambda: m.Device,
            call_options,
            body={"granted": granted, "agents": agents, "name": name},
        )
        return _answer

    def reject(
        self,
        code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Reject a pairing."""
        return self._none(
            "POST",
            f"/devices/pair/{quote(code)}/reject",
            call_options,
        )


class AsyncDevicePairing(AsyncResource):
    async def start(
        self,
        *,
        name: str,
        platform: str,
        arch: str,
        app_version: str,
        capabilities: Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]],
        public_key: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PairingStarted:
        """Start a pairing."""
        _answer: m.PairingStarted = await self._json(
            "POST",
            "/devices/pair",
            lambda: m.PairingStarted,
            call_options,
            body={"name": name, "platform": platform, "arch": arch, "app_version": app_version, "capabilities": capabilities, "public_key": public_key},
        )
        return _answer

    async def current(
        self,
        *,
        wait: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PairingProgress:
        """Wait for the decision on a pairing."""
        _answer: m.PairingProgress = await self._json(
            "GET",
            "/devices/pair/current",
            lambda: m.PairingProgress,
            call_options,
            query={"wait": wait},
        )
        return _answer

    async def get(
        self,
        code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Pairing:
        """Get a pairing by its code."""
        _answer: m.Pairing = await self._json(
            "GET",
            f"/devices/pair/{quote(code)}",
            lambda: m.Pairing,
            call_options,
        )
        return _answer

    async def confirm(
        self,
        code: str,
        /,
        *,
        granted: Sequence[Literal["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"]],
        agents: Given[Union[Literal["*"], Sequence[str]]] = OMIT,
        name: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Device:
        """Confirm a pairing."""
        _answer: m.Device = await self._json(
            "POST",
            f"/devices/pair/{quote(code)}/confirm",
            lambda: m.Device,
            call_options,
            body={"granted": granted, "agents": agents, "name": name},
        )
        return _answer

    async def reject(
        self,
        code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Reject a pairing."""
        return await self._none(
            "POST",
            f"/devices/pair/{quote(code)}/reject",
            call_options,
        )
