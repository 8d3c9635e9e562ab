# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Literal, Sequence

from typing_extensions import Unpack

from .. import models as m
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class DeviceSignIn(Resource):
    def start(
        self,
        *,
        client_name: str,
        scopes: Sequence[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"]],
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSignInStarted:
        """Start the sign-in of a program."""
        _answer: m.DeviceSignInStarted = self._json(
            "POST",
            "/auth/device",
            lambda: m.DeviceSignInStarted,
            call_options,
            body={"client_name": client_name, "scopes": scopes},
        )
        return _answer

    def token(
        self,
        *,
        device_code: str,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceAccessToken:
        """Poll for the token of a device sign-in."""
        _answer: m.DeviceAccessToken = self._json(
            "POST",
            "/auth/device/token",
            lambda: m.DeviceAccessToken,
            call_options,
            body={"device_code": device_code},
        )
        return _answer

    def get(
        self,
        user_code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSignIn:
        """Get a pending device sign-in by its code."""
        _answer: m.DeviceSignIn = self._json(
            "GET",
            f"/auth/device/{quote(user_code)}",
            lambda: m.DeviceSignIn,
            call_options,
        )
        return _answer

    def confirm(
        self,
        user_code: str,
        /,
        *,
        workspace_id: Given[str] = OMIT,
        scopes: Given[Sequence[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"]]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Approve a device sign-in."""
        return self._none(
            "POST",
            f"/auth/device/{quote(user_code)}/confirm",
            call_options,
            body={"workspace_id": workspace_id, "scopes": scopes},
        )

    def reject(
        self,
        user_code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Reject a device sign-in."""
        return self._none(
            "POST",
            f"/auth/device/{quote(user_code)}/reject",
            call_options,
        )


class AsyncDeviceSignIn(AsyncResource):
    async def start(
        self,
        *,
        client_name: str,
        scopes: Sequence[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"]],
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSignInStarted:
        """Start the sign-in of a program."""
        _answer: m.DeviceSignInStarted = await self._json(
            "POST",
            "/auth/device",
            lambda: m.DeviceSignInStarted,
            call_options,
            body={"client_name": client_name, "scopes": scopes},
        )
        return _answer

    async def token(
        self,
        *,
        device_code: str,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceAccessToken:
        """Poll for the token of a device sign-in."""
        _answer: m.DeviceAccessToken = await self._json(
            "POST",
            "/auth/device/token",
            lambda: m.DeviceAccessToken,
            call_options,
            body={"device_code": device_code},
        )
        return _answer

    async def get(
        self,
        user_code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.DeviceSignIn:
        """Get a pending device sign-in by its code."""
        _answer: m.DeviceSignIn = await self._json(
            "GET",
            f"/auth/device/{quote(user_code)}",
            lambda: m.DeviceSignIn,
            call_options,
        )
        return _answer

    async def confirm(
        self,
        user_code: str,
        /,
        *,
        workspace_id: Given[str] = OMIT,
        scopes: Given[Sequence[Literal["agents:read", "agents:write", "agents:keys", "requests:read", "requests:write", "approvals:read", "approvals:decide", "audit:read", "usage:read", "budgets:read", "budgets:write", "billing:write", "members:read", "members:write", "workflows:read", "workflows:write", "workflows:run", "publish:review", "catalog:read", "catalog:write", "storage:read", "storage:write", "knowledge:read", "knowledge:write", "devices:read", "devices:write", "devices:grant_shell", "apps:read", "apps:write", "chat:read", "chat:write", "triggers:read", "triggers:write", "schedules:read", "schedules:write", "tokens:write", "promo:write", "workspace:write"]]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Approve a device sign-in."""
        return await self._none(
            "POST",
            f"/auth/device/{quote(user_code)}/confirm",
            call_options,
            body={"workspace_id": workspace_id, "scopes": scopes},
        )

    async def reject(
        self,
        user_code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Reject a device sign-in."""
        return await self._none(
            "POST",
            f"/auth/device/{quote(user_code)}/reject",
            call_options,
        )
