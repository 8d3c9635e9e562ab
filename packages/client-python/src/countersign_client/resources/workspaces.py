# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Workspaces(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Workspace, ListBody[m.Workspace]]:
        """List your workspaces."""
        return self._page(
            "GET",
            "/workspaces",
            lambda: ListBody[m.Workspace],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        *,
        name: str,
        **call_options: Unpack[CallOptions],
    ) -> m.Workspace:
        """Create a workspace."""
        _answer: m.Workspace = self._json(
            "POST",
            "/workspaces",
            lambda: m.Workspace,
            call_options,
            body={"name": name},
        )
        return _answer

    def switch(
        self,
        *,
        workspace_id: str,
        **call_options: Unpack[CallOptions],
    ) -> m.Workspace:
        """Switch to another workspace."""
        _answer: m.Workspace = self._json(
            "POST",
            "/workspaces/switch",
            lambda: m.Workspace,
            call_options,
            body={"workspace_id": workspace_id},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Workspace:
        """Get a workspace."""
        _answer: m.Workspace = self._json(
            "GET",
            f"/workspaces/{quote(id)}",
            lambda: m.Workspace,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        frozen: Given[bool] = OMIT,
        approval_threshold_cents: Given[int] = OMIT,
        approval_life_seconds: Given[int] = OMIT,
        separation_of_duties: Given[bool] = OMIT,
        retention_days: Given[Union[int, None]] = OMIT,
        device_output_days: Given[int] = OMIT,
        alert_levels: Given[Sequence[int]] = OMIT,
        step_up_cents: Given[Union[int, None]] = OMIT,
        second_factor: Given[Literal["off", "deciders", "all"]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Workspace:
        """Change a workspace's settings."""
        _answer: m.Workspace = self._json(
            "PATCH",
            f"/workspaces/{quote(id)}",
            lambda: m.Workspace,
            call_options,
            body={"name": name, "frozen": frozen, "approval_threshold_cents": approval_threshold_cents, "approval_life_seconds": approval_life_seconds, "separation_of_duties": separation_of_duties, "retention_days": retention_days, "device_output_days": device_output_days, "alert_levels": alert_levels, "step_up_cents": step_up_cents, "second_factor": second_factor, "expected_version": expected_version},
        )
        return _answer


class AsyncWorkspaces(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Workspace, ListBody[m.Workspace]]:
        """List your workspaces."""
        return self._page(
            "GET",
            "/workspaces",
            lambda: ListBody[m.Workspace],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        *,
        name: str,
        **call_options: Unpack[CallOptions],
    ) -> m.Workspace:
        """Create a workspace."""
        _answer: m.Workspace = await self._json(
            "POST",
            "/workspaces",
            lambda: m.Workspace,
            call_options,
            body={"name": name},
        )
        return _answer

    async def switch(
        self,
        *,
        workspace_id: str,
        **call_options: Unpack[CallOptions],
    ) -> m.Workspace:
        """Switch to another workspace."""
        _answer: m.Workspace = await self._json(
            "POST",
            "/workspaces/switch",
            lambda: m.Workspace,
            call_options,
            body={"workspace_id": workspace_id},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Workspace:
        """Get a workspace."""
        _answer: m.Workspace = await self._json(
            "GET",
            f"/workspaces/{quote(id)}",
            lambda: m.Workspace,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        frozen: Given[bool] = OMIT,
        approval_threshold_cents: Given[int] = OMIT,
        approval_life_seconds: Given[int] = OMIT,
        separation_of_duties: Given[bool] = OMIT,
        retention_days: Given[Union[int, None]] = OMIT,
        device_output_days: Given[int] = OMIT,
        alert_levels: Given[Sequence[int]] = OMIT,
        step_up_cents: Given[Union[int, None]] = OMIT,
        second_factor: Given[Literal["off", "deciders", "all"]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Workspace:
        """Change a workspace's settings."""
        _answer: m.Workspace = await self._json(
            "PATCH",
            f"/workspaces/{quote(id)}",
            lambda: m.Workspace,
            call_options,
            body={"name": name, "frozen": frozen, "approval_threshold_cents": approval_threshold_cents, "approval_life_seconds": approval_life_seconds, "separation_of_duties": separation_of_duties, "retention_days": retention_days, "device_output_days": device_output_days, "alert_levels": alert_levels, "step_up_cents": step_up_cents, "second_factor": second_factor, "expected_version": expected_version},
        )
        return _answer
