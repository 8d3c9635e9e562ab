# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given, KeyedOptions
from .._resource import AsyncResource, Resource, quote


class Billing(Resource):
    def checkout(
        self,
        *,
        amount_cents: int,
        success_url: Given[str] = OMIT,
        cancel_url: Given[str] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.CheckoutSession:
        """Open a checkout session."""
        _answer: m.CheckoutSession = self._json(
            "POST",
            "/billing/checkout-sessions",
            lambda: m.CheckoutSession,
            call_options,
            body={"amount_cents": amount_cents, "success_url": success_url, "cancel_url": cancel_url},
            keyed=True,
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["open", "paid", "expired", "failed", "refunded", "disputed"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.CheckoutSession, ListBody[m.CheckoutSession]]:
        """List checkout sessions."""
        return self._page(
            "GET",
            "/billing/checkout-sessions",
            lambda: ListBody[m.CheckoutSession],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.CheckoutSession:
        """Get a checkout session."""
        _answer: m.CheckoutSession = self._json(
            "GET",
            f"/billing/checkout-sessions/{quote(id)}",
            lambda: m.CheckoutSession,
            call_options,
        )
        return _answer


class AsyncBilling(AsyncResource):
    async def checkout(
        self,
        *,
        amount_cents: int,
        success_url: Given[str] = OMIT,
        cancel_url: Given[str] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.CheckoutSession:
        """Open a checkout session."""
        _answer: m.CheckoutSession = await self._json(
            "POST",
            "/billing/checkout-sessions",
            lambda: m.CheckoutSession,
            call_options,
            body={"amount_cents": amount_cents, "success_url": success_url, "cancel_url": cancel_url},
            keyed=True,
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["open", "paid", "expired", "failed", "refunded", "disputed"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.CheckoutSession, ListBody[m.CheckoutSession]]:
        """List checkout sessions."""
        return self._page(
            "GET",
            "/billing/checkout-sessions",
            lambda: ListBody[m.CheckoutSession],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.CheckoutSession:
        """Get a checkout session."""
        _answer: m.CheckoutSession = await self._json(
            "GET",
            f"/billing/checkout-sessions/{quote(id)}",
            lambda: m.CheckoutSession,
            call_options,
        )
        return _answer
