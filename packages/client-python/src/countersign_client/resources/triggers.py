# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Triggers(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        kind: Given[Literal["webhook", "cron"]] = OMIT,
        status: Given[Literal["active", "paused"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Trigger, ListBody[m.Trigger]]:
        """List triggers."""
        return self._page(
            "GET",
            "/triggers",
            lambda: ListBody[m.Trigger],
            call_options,
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id, "kind": kind, "status": status},
        )

    def create(
        self,
        *,
        kind: Literal["webhook", "cron"],
        agent_id: str,
        action: p.FiringAction,
        name: Given[str] = OMIT,
        cron: Given[str] = OMIT,
        timezone: Given[str] = OMIT,
        payload_template: Given[Mapping[str, Any]] = OMIT,
        require_timestamp: Given[bool] = OMIT,
        enabled: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NewTrigger:
        """Create a trigger."""
        _answer: m.NewTrigger = self._json(
            "POST",
            "/triggers",
            lambda: m.NewTrigger,
            call_options,
            body={"name": name, "kind": kind, "agent_id": agent_id, "action": action, "cron": cron, "timezone": timezone, "payload_template": payload_template, "require_timestamp": require_timestamp, "enabled": enabled},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Trigger:
        """Get a trigger."""
        _answer: m.Trigger = self._json(
            "GET",
            f"/triggers/{quote(id)}",
            lambda: m.Trigger,
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
        action: Given[p.FiringAction] = OMIT,
        cron: Given[str] = OMIT,
        timezone: Given[str] = OMIT,
        payload_template: Given[Union[Mapping[str, Any], None]] = OMIT,
        require_timestamp: Given[bool] = OMIT,
        status: Given[Literal["active", "paused"]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Trigger:
        """Update a trigger."""
        _answer: m.Trigger = self._json(
            "PATCH",
            f"/triggers/{quote(id)}",
            lambda: m.Trigger,
            call_options,
            body={"name": name, "agent_id": agent_id, "action": action, "cron": cron, "timezone": timezone, "payload_template": payload_template, "require_timestamp": require_timestamp, "status": status, "expected_version": expected_version},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a trigger."""
        return self._none(
            "DELETE",
            f"/triggers/{quote(id)}",
            call_options,
        )

    def rotate_secret(
        self,
        id: str,
        /,
        *,
        grace_seconds: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RotatedTriggerSecret:
        """Rotate the secret of a trigger."""
        _answer: m.RotatedTriggerSecret = self._json(
            "POST",
            f"/triggers/{quote(id)}/rotate-secret",
            lambda: m.RotatedTriggerSecret,
            call_options,
            body={"grace_seconds": grace_seconds},
        )
        return _answer

    def test(
        self,
        id: str,
        /,
        *,
        body: Given[Any] = OMIT,
        headers: Given[Mapping[str, str]] = OMIT,
        query: Given[Mapping[str, str]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.TriggerTest:
        """Test a trigger without firing it."""
        _answer: m.TriggerTest = self._json(
            "POST",
            f"/triggers/{quote(id)}/test",
            lambda: m.TriggerTest,
            call_options,
            body={"body": body, "headers": headers, "query": query},
        )
        return _answer

    def list_deliveries(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["fired", "refused", "queued", "skipped", "missed"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.TriggerDelivery, ListBody[m.TriggerDelivery]]:
        """List deliveries of a trigger."""
        return self._page(
            "GET",
            f"/triggers/{quote(id)}/deliveries",
            lambda: ListBody[m.TriggerDelivery],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )


class AsyncTriggers(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agent_id: Given[str] = OMIT,
        kind: Given[Literal["webhook", "cron"]] = OMIT,
        status: Given[Literal["active", "paused"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Trigger, ListBody[m.Trigger]]:
        """List triggers."""
        return self._page(
            "GET",
            "/triggers",
            lambda: ListBody[m.Trigger],
            call_options,
            query={"limit": limit, "cursor": cursor, "agent_id": agent_id, "kind": kind, "status": status},
        )

    async def create(
        self,
        *,
        kind: Literal["webhook", "cron"],
        agent_id: str,
        action: p.FiringAction,
        name: Given[str] = OMIT,
        cron: Given[str] = OMIT,
        timezone: Given[str] = OMIT,
        payload_template: Given[Mapping[str, Any]] = OMIT,
        require_timestamp: Given[bool] = OMIT,
        enabled: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NewTrigger:
        """Create a trigger."""
        _answer: m.NewTrigger = await self._json(
            "POST",
            "/triggers",
            lambda: m.NewTrigger,
            call_options,
            body={"name": name, "kind": kind, "agent_id": agent_id, "action": action, "cron": cron, "timezone": timezone, "payload_template": payload_template, "require_timestamp": require_timestamp, "enabled": enabled},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Trigger:
        """Get a trigger."""
        _answer: m.Trigger = await self._json(
            "GET",
            f"/triggers/{quote(id)}",
            lambda: m.Trigger,
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
        action: Given[p.FiringAction] = OMIT,
        cron: Given[str] = OMIT,
        timezone: Given[str] = OMIT,
        payload_template: Given[Union[Mapping[str, Any], None]] = OMIT,
        require_timestamp: Given[bool] = OMIT,
        status: Given[Literal["active", "paused"]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Trigger:
        """Update a trigger."""
        _answer: m.Trigger = await self._json(
            "PATCH",
            f"/triggers/{quote(id)}",
            lambda: m.Trigger,
            call_options,
            body={"name": name, "agent_id": agent_id, "action": action, "cron": cron, "timezone": timezone, "payload_template": payload_template, "require_timestamp": require_timestamp, "status": status, "expected_version": expected_version},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a trigger."""
        return await self._none(
            "DELETE",
            f"/triggers/{quote(id)}",
            call_options,
        )

    async def rotate_secret(
        self,
        id: str,
        /,
        *,
        grace_seconds: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RotatedTriggerSecret:
        """Rotate the secret of a trigger."""
        _answer: m.RotatedTriggerSecret = await self._json(
            "POST",
            f"/triggers/{quote(id)}/rotate-secret",
            lambda: m.RotatedTriggerSecret,
            call_options,
            body={"grace_seconds": grace_seconds},
        )
        return _answer

    async def test(
        self,
        id: str,
        /,
        *,
        body: Given[Any] = OMIT,
        headers: Given[Mapping[str, str]] = OMIT,
        query: Given[Mapping[str, str]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.TriggerTest:
        """Test a trigger without firing it."""
        _answer: m.TriggerTest = await self._json(
            "POST",
            f"/triggers/{quote(id)}/test",
            lambda: m.TriggerTest,
            call_options,
            body={"body": body, "headers": headers, "query": query},
        )
        return _answer

    def list_deliveries(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["fired", "refused", "queued", "skipped", "missed"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.TriggerDelivery, ListBody[m.TriggerDelivery]]:
        """List deliveries of a trigger."""
        return self._page(
            "GET",
            f"/triggers/{quote(id)}/deliveries",
            lambda: ListBody[m.TriggerDelivery],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )
