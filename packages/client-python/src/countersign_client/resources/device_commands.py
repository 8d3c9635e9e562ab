# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, Literal, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class DeviceCommands(Resource):
    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceCommand:
        """Get a command."""
        _answer: m.DeviceCommand = self._json(
            "GET",
            f"/devices/commands/{quote(id)}",
            lambda: m.DeviceCommand,
            call_options,
        )
        return _answer

    def read_output(
        self,
        id: str,
        /,
        *,
        after_seq: Given[int] = OMIT,
        limit: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceOutputPage:
        """Read a command's output."""
        _answer: m.DeviceOutputPage = self._json(
            "GET",
            f"/devices/commands/{quote(id)}/output",
            lambda: m.DeviceOutputPage,
            call_options,
            query={"after_seq": after_seq, "limit": limit},
        )
        return _answer

    def output(
        self,
        id: str,
        /,
        *,
        lease: int,
        seq: int,
        stream: Literal["stdout", "stderr"],
        data: str,
        encoding: Given[Literal["utf8", "base64"]] = OMIT,
        offset: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceOutputAnswer:
        """Send a command's output."""
        _answer: m.DeviceOutputAnswer = self._json(
            "POST",
            f"/devices/commands/{quote(id)}/output",
            lambda: m.DeviceOutputAnswer,
            call_options,
            body={"lease": lease, "seq": seq, "stream": stream, "data": data, "encoding": encoding, "offset": offset},
        )
        return _answer

    def ack(
        self,
        id: str,
        /,
        *,
        lease: int,
        **call_options: Unpack[CallOptions],
    ) -> m.AckedDeviceCommand:
        """Acknowledge a leased command."""
        _answer: m.AckedDeviceCommand = self._json(
            "POST",
            f"/devices/commands/{quote(id)}/ack",
            lambda: m.AckedDeviceCommand,
            call_options,
            body={"lease": lease},
        )
        return _answer

    def state(
        self,
        id: str,
        /,
        *,
        lease: int,
        state: Literal["awaiting_consent", "running"],
        plan_digest: Given[str] = OMIT,
        plan: Given[p.DevicePlan] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AckedDeviceCommand:
        """Report a command's state."""
        _answer: m.AckedDeviceCommand = self._json(
            "POST",
            f"/devices/commands/{quote(id)}/state",
            lambda: m.AckedDeviceCommand,
            call_options,
            body={"lease": lease, "state": state, "plan_digest": plan_digest, "plan": plan},
        )
        return _answer

    def done(
        self,
        id: str,
        /,
        *,
        lease: int,
        outcome: Literal["succeeded", "failed", "denied", "timed_out", "interrupted", "cancelled"],
        exit_code: Given[Union[int, None]] = OMIT,
        result: Given[Any] = OMIT,
        error: Given[p.DeviceCommandError] = OMIT,
        artifacts: Given[Sequence[Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.EndedDeviceCommand:
        """Report a command's end."""
        _answer: m.EndedDeviceCommand = self._json(
            "POST",
            f"/devices/commands/{quote(id)}/done",
            lambda: m.EndedDeviceCommand,
            call_options,
            body={"lease": lease, "outcome": outcome, "exit_code": exit_code, "result": result, "error": error, "artifacts": artifacts},
        )
        return _answer

    def cancel(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceCommand:
        """Cancel a command."""
        _answer: m.DeviceCommand = self._json(
            "POST",
            f"/devices/commands/{quote(id)}/cancel",
            lambda: m.DeviceCommand,
            call_options,
        )
        return _answer


class AsyncDeviceCommands(AsyncResource):
    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceCommand:
        """Get a command."""
        _answer: m.DeviceCommand = await self._json(
            "GET",
            f"/devices/commands/{quote(id)}",
            lambda: m.DeviceCommand,
            call_options,
        )
        return _answer

    async def read_output(
        self,
        id: str,
        /,
        *,
        after_seq: Given[int] = OMIT,
        limit: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceOutputPage:
        """Read a command's output."""
        _answer: m.DeviceOutputPage = await self._json(
            "GET",
            f"/devices/commands/{quote(id)}/output",
            lambda: m.DeviceOutputPage,
            call_options,
            query={"after_seq": after_seq, "limit": limit},
        )
        return _answer

    async def output(
        self,
        id: str,
        /,
        *,
        lease: int,
        seq: int,
        stream: Literal["stdout", "stderr"],
        data: str,
        encoding: Given[Literal["utf8", "base64"]] = OMIT,
        offset: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceOutputAnswer:
        """Send a command's output."""
        _answer: m.DeviceOutputAnswer = await self._json(
            "POST",
            f"/devices/commands/{quote(id)}/output",
            lambda: m.DeviceOutputAnswer,
            call_options,
            body={"lease": lease, "seq": seq, "stream": stream, "data": data, "encoding": encoding, "offset": offset},
        )
        return _answer

    async def ack(
        self,
        id: str,
        /,
        *,
        lease: int,
        **call_options: Unpack[CallOptions],
    ) -> m.AckedDeviceCommand:
        """Acknowledge a leased command."""
        _answer: m.AckedDeviceCommand = await self._json(
            "POST",
            f"/devices/commands/{quote(id)}/ack",
            lambda: m.AckedDeviceCommand,
            call_options,
            body={"lease": lease},
        )
        return _answer

    async def state(
        self,
        id: str,
        /,
        *,
        lease: int,
        state: Literal["awaiting_consent", "running"],
        plan_digest: Given[str] = OMIT,
        plan: Given[p.DevicePlan] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AckedDeviceCommand:
        """Report a command's state."""
        _answer: m.AckedDeviceCommand = await self._json(
            "POST",
            f"/devices/commands/{quote(id)}/state",
            lambda: m.AckedDeviceCommand,
            call_options,
            body={"lease": lease, "state": state, "plan_digest": plan_digest, "plan": plan},
        )
        return _answer

    async def done(
        self,
        id: str,
        /,
        *,
        lease: int,
        outcome: Literal["succeeded", "failed", "denied", "timed_out", "interrupted", "cancelled"],
        exit_code: Given[Union[int, None]] = OMIT,
        result: Given[Any] = OMIT,
        error: Given[p.DeviceCommandError] = OMIT,
        artifacts: Given[Sequence[Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.EndedDeviceCommand:
        """Report a command's end."""
        _answer: m.EndedDeviceCommand = await self._json(
            "POST",
            f"/devices/commands/{quote(id)}/done",
            lambda: m.EndedDeviceCommand,
            call_options,
            body={"lease": lease, "outcome": outcome, "exit_code": exit_code, "result": result, "error": error, "artifacts": artifacts},
        )
        return _answer

    async def cancel(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceCommand:
        """Cancel a command."""
        _answer: m.DeviceCommand = await self._json(
            "POST",
            f"/devices/commands/{quote(id)}/cancel",
            lambda: m.DeviceCommand,
            call_options,
        )
        return _answer
