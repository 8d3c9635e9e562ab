# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from .._options import OMIT, BaseOptions, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Notifications(Resource):
    def settings(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.NotificationSettings:
        """Get the notification settings."""
        _answer: m.NotificationSettings = self._json(
            "GET",
            "/notification-settings",
            lambda: m.NotificationSettings,
            call_options,
        )
        return _answer

    def update(
        self,
        *,
        approval_created: Given[p.NoticePlacesChange] = OMIT,
        agent_request_created: Given[p.NoticePlacesChange] = OMIT,
        budget_alert: Given[p.NoticePlacesChange] = OMIT,
        run_failed: Given[p.NoticePlacesChange] = OMIT,
        app_needs_reauth: Given[p.NoticePlacesChange] = OMIT,
        webhook_endpoint_disabled: Given[p.NoticePlacesChange] = OMIT,
        quiet_hours: Given[Union[p.QuietHours, None]] = OMIT,
        email_digest_minutes: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NotificationSettings:
        """Change the notification settings."""
        _answer: m.NotificationSettings = self._json(
            "PATCH",
            "/notification-settings",
            lambda: m.NotificationSettings,
            call_options,
            body={"approval.created": approval_created, "agent_request.created": agent_request_created, "budget.alert": budget_alert, "run.failed": run_failed, "app.needs_reauth": app_needs_reauth, "webhook_endpoint.disabled": webhook_endpoint_disabled, "quiet_hours": quiet_hours, "email_digest_minutes": email_digest_minutes},
        )
        return _answer

    def preview(
        self,
        *,
        event: Given[Literal["approval.created", "agent_request.created", "budget.alert", "run.failed", "app.needs_reauth", "webhook_endpoint.disabled"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.MailPreview:
        """Preview a mail."""
        _answer: m.MailPreview = self._json(
            "GET",
            "/notification-settings/preview",
            lambda: m.MailPreview,
            call_options,
            query={"event": event},
        )
        return _answer

    def preview_page(
        self,
        *,
        event: Given[Literal["approval.created", "agent_request.created", "budget.alert", "run.failed", "app.needs_reauth", "webhook_endpoint.disabled"]] = OMIT,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Preview a mail as a page."""
        return self._text(
            "GET",
            "/notification-settings/preview.html",
            call_options,
            query={"event": event, "workspace": workspace},
        )

    def push_key(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.PushKey:
        """Get the key of browser push."""
        _answer: m.PushKey = self._json(
            "GET",
            "/push/key",
            lambda: m.PushKey,
            call_options,
        )
        return _answer

    def subscriptions(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.NotificationsSubscriptionsAnswer:
        """List subscribed browsers."""
        _answer: m.NotificationsSubscriptionsAnswer = self._json(
            "GET",
            "/push/subscriptions",
            lambda: m.NotificationsSubscriptionsAnswer,
            call_options,
        )
        return _answer

    def subscribe(
        self,
        *,
        endpoint: str,
        keys: p.NotificationsSubscribeKeys,
        expirationTime: Given[Union[float, Literal["Infinity", "-Infinity", "NaN"], None]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PushSubscription:
        """Subscribe a browser."""
        _answer: m.PushSubscription = self._json(
            "POST",
            "/push/subscriptions",
            lambda: m.PushSubscription,
            call_options,
            body={"endpoint": endpoint, "expirationTime": expirationTime, "keys": keys},
        )
        return _answer

    def unsubscribe(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Unsubscribe a browser."""
        return self._none(
            "DELETE",
            f"/push/subscriptions/{quote(id)}",
            call_options,
        )


class AsyncNotifications(AsyncResource):
    async def settings(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.NotificationSettings:
        """Get the notification settings."""
        _answer: m.NotificationSettings = await self._json(
            "GET",
            "/notification-settings",
            lambda: m.NotificationSettings,
            call_options,
        )
        return _answer

    async def update(
        self,
        *,
        approval_created: Given[p.NoticePlacesChange] = OMIT,
        agent_request_created: Given[p.NoticePlacesChange] = OMIT,
        budget_alert: Given[p.NoticePlacesChange] = OMIT,
        run_failed: Given[p.NoticePlacesChange] = OMIT,
        app_needs_reauth: Given[p.NoticePlacesChange] = OMIT,
        webhook_endpoint_disabled: Given[p.NoticePlacesChange] = OMIT,
        quiet_hours: Given[Union[p.QuietHours, None]] = OMIT,
        email_digest_minutes: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.NotificationSettings:
        """Change the notification settings."""
        _answer: m.NotificationSettings = await self._json(
            "PATCH",
            "/notification-settings",
            lambda: m.NotificationSettings,
            call_options,
            body={"approval.created": approval_created, "agent_request.created": agent_request_created, "budget.alert": budget_alert, "run.failed": run_failed, "app.needs_reauth": app_needs_reauth, "webhook_endpoint.disabled": webhook_endpoint_disabled, "quiet_hours": quiet_hours, "email_digest_minutes": email_digest_minutes},
        )
        return _answer

    async def preview(
        self,
        *,
        event: Given[Literal["approval.created", "agent_request.created", "budget.alert", "run.failed", "app.needs_reauth", "webhook_endpoint.disabled"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.MailPreview:
        """Preview a mail."""
        _answer: m.MailPreview = await self._json(
            "GET",
            "/notification-settings/preview",
            lambda: m.MailPreview,
            call_options,
            query={"event": event},
        )
        return _answer

    async def preview_page(
        self,
        *,
        event: Given[Literal["approval.created", "agent_request.created", "budget.alert", "run.failed", "app.needs_reauth", "webhook_endpoint.disabled"]] = OMIT,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> str:
        """Preview a mail as a page."""
        return await self._text(
            "GET",
            "/notification-settings/preview.html",
            call_options,
            query={"event": event, "workspace": workspace},
        )

    async def push_key(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.PushKey:
        """Get the key of browser push."""
        _answer: m.PushKey = await self._json(
            "GET",
            "/push/key",
            lambda: m.PushKey,
            call_options,
        )
        return _answer

    async def subscriptions(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.NotificationsSubscriptionsAnswer:
        """List subscribed browsers."""
        _answer: m.NotificationsSubscriptionsAnswer = await self._json(
            "GET",
            "/push/subscriptions",
            lambda: m.NotificationsSubscriptionsAnswer,
            call_options,
        )
        return _answer

    async def subscribe(
        self,
        *,
        endpoint: str,
        keys: p.NotificationsSubscribeKeys,
        expirationTime: Given[Union[float, Literal["Infinity", "-Infinity", "NaN"], None]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PushSubscription:
        """Subscribe a browser."""
        _answer: m.PushSubscription = await self._json(
            "POST",
            "/push/subscriptions",
            lambda: m.PushSubscription,
            call_options,
            body={"endpoint": endpoint, "expirationTime": expirationTime, "keys": keys},
        )
        return _answer

    async def unsubscribe(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Unsubscribe a browser."""
        return await self._none(
            "DELETE",
            f"/push/subscriptions/{quote(id)}",
            call_options,
        )
