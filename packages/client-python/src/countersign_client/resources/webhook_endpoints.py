# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class WebhookEndpoints(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.WebhookEndpoint, ListBody[m.WebhookEndpoint]]:
        """List webhook endpoints."""
        return self._page(
            "GET",
            "/webhook-endpoints",
            lambda: ListBody[m.WebhookEndpoint],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        *,
        url: str,
        types: Given[Sequence[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"]]] = OMIT,
        description: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NewWebhookEndpoint:
        """Create a webhook endpoint."""
        _answer: m.NewWebhookEndpoint = self._json(
            "POST",
            "/webhook-endpoints",
            lambda: m.NewWebhookEndpoint,
            call_options,
            body={"url": url, "types": types, "description": description},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookEndpoint:
        """Get a webhook endpoint."""
        _answer: m.WebhookEndpoint = self._json(
            "GET",
            f"/webhook-endpoints/{quote(id)}",
            lambda: m.WebhookEndpoint,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        url: Given[str] = OMIT,
        types: Given[Union[Sequence[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"]], None]] = OMIT,
        description: Given[str] = OMIT,
        status: Given[Literal["enabled", "disabled"]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookEndpoint:
        """Update, enable, or disable a webhook endpoint."""
        _answer: m.WebhookEndpoint = self._json(
            "PATCH",
            f"/webhook-endpoints/{quote(id)}",
            lambda: m.WebhookEndpoint,
            call_options,
            body={"url": url, "types": types, "description": description, "status": status, "expected_version": expected_version},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a webhook endpoint."""
        return self._none(
            "DELETE",
            f"/webhook-endpoints/{quote(id)}",
            call_options,
        )

    def rotate_secret(
        self,
        id: str,
        /,
        *,
        grace_seconds: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RotatedWebhookSecret:
        """Rotate the signing secret of a webhook endpoint."""
        _answer: m.RotatedWebhookSecret = self._json(
            "POST",
            f"/webhook-endpoints/{quote(id)}/rotate-secret",
            lambda: m.RotatedWebhookSecret,
            call_options,
            body={"grace_seconds": grace_seconds},
        )
        return _answer

    def test(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookDelivery:
        """Send a test message to a webhook endpoint."""
        _answer: m.WebhookDelivery = self._json(
            "POST",
            f"/webhook-endpoints/{quote(id)}/test",
            lambda: m.WebhookDelivery,
            call_options,
        )
        return _answer

    def replay(
        self,
        id: str,
        /,
        *,
        since: str,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookReplay:
        """Send past events to a webhook endpoint again."""
        _answer: m.WebhookReplay = self._json(
            "POST",
            f"/webhook-endpoints/{quote(id)}/replay",
            lambda: m.WebhookReplay,
            call_options,
            body={"since": since},
        )
        return _answer

    def list_deliveries(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["pending", "delivered", "failed"]] = OMIT,
        type: Given[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.WebhookDelivery, ListBody[m.WebhookDelivery]]:
        """List the deliveries of a webhook endpoint."""
        return self._page(
            "GET",
            f"/webhook-endpoints/{quote(id)}/deliveries",
            lambda: ListBody[m.WebhookDelivery],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "type": type},
        )

    def redeliver(
        self,
        id: str,
        did: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookDelivery:
        """Send a webhook delivery again."""
        _answer: m.WebhookDelivery = self._json(
            "POST",
            f"/webhook-endpoints/{quote(id)}/deliveries/{quote(did)}/redeliver",
            lambda: m.WebhookDelivery,
            call_options,
        )
        return _answer


class AsyncWebhookEndpoints(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.WebhookEndpoint, ListBody[m.WebhookEndpoint]]:
        """List webhook endpoints."""
        return self._page(
            "GET",
            "/webhook-endpoints",
            lambda: ListBody[m.WebhookEndpoint],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        *,
        url: str,
        types: Given[Sequence[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"]]] = OMIT,
        description: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NewWebhookEndpoint:
        """Create a webhook endpoint."""
        _answer: m.NewWebhookEndpoint = await self._json(
            "POST",
            "/webhook-endpoints",
            lambda: m.NewWebhookEndpoint,
            call_options,
            body={"url": url, "types": types, "description": description},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookEndpoint:
        """Get a webhook endpoint."""
        _answer: m.WebhookEndpoint = await self._json(
            "GET",
            f"/webhook-endpoints/{quote(id)}",
            lambda: m.WebhookEndpoint,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        url: Given[str] = OMIT,
        types: Given[Union[Sequence[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"]], None]] = OMIT,
        description: Given[str] = OMIT,
        status: Given[Literal["enabled", "disabled"]] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookEndpoint:
        """Update, enable, or disable a webhook endpoint."""
        _answer: m.WebhookEndpoint = await self._json(
            "PATCH",
            f"/webhook-endpoints/{quote(id)}",
            lambda: m.WebhookEndpoint,
            call_options,
            body={"url": url, "types": types, "description": description, "status": status, "expected_version": expected_version},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a webhook endpoint."""
        return await self._none(
            "DELETE",
            f"/webhook-endpoints/{quote(id)}",
            call_options,
        )

    async def rotate_secret(
        self,
        id: str,
        /,
        *,
        grace_seconds: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.RotatedWebhookSecret:
        """Rotate the signing secret of a webhook endpoint."""
        _answer: m.RotatedWebhookSecret = await self._json(
            "POST",
            f"/webhook-endpoints/{quote(id)}/rotate-secret",
            lambda: m.RotatedWebhookSecret,
            call_options,
            body={"grace_seconds": grace_seconds},
        )
        return _answer

    async def test(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookDelivery:
        """Send a test message to a webhook endpoint."""
        _answer: m.WebhookDelivery = await self._json(
            "POST",
            f"/webhook-endpoints/{quote(id)}/test",
            lambda: m.WebhookDelivery,
            call_options,
        )
        return _answer

    async def replay(
        self,
        id: str,
        /,
        *,
        since: str,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookReplay:
        """Send past events to a webhook endpoint again."""
        _answer: m.WebhookReplay = await self._json(
            "POST",
            f"/webhook-endpoints/{quote(id)}/replay",
            lambda: m.WebhookReplay,
            call_options,
            body={"since": since},
        )
        return _answer

    def list_deliveries(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["pending", "delivered", "failed"]] = OMIT,
        type: Given[Literal["approval.created", "approval.updated", "approval.decided", "approval.expired", "service_request.updated", "agent.updated", "balance.changed", "standing_approval.updated", "device.updated", "device_command.updated", "run.updated", "workflow.updated", "budget.alert", "budget_request.updated", "delegated_task.updated", "payment.updated", "agent_request.created", "agent_request.updated", "publish_request.updated", "workspace.updated", "catalog.updated", "app.updated", "knowledge.updated", "schedule.updated", "trigger.updated", "chat.updated", "webhook.test"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.WebhookDelivery, ListBody[m.WebhookDelivery]]:
        """List the deliveries of a webhook endpoint."""
        return self._page(
            "GET",
            f"/webhook-endpoints/{quote(id)}/deliveries",
            lambda: ListBody[m.WebhookDelivery],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status, "type": type},
        )

    async def redeliver(
        self,
        id: str,
        did: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.WebhookDelivery:
        """Send a webhook delivery again."""
        _answer: m.WebhookDelivery = await self._json(
            "POST",
            f"/webhook-endpoints/{quote(id)}/deliveries/{quote(did)}/redeliver",
            lambda: m.WebhookDelivery,
            call_options,
        )
        return _answer
