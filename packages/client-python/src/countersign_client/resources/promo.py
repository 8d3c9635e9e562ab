# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given, KeyedOptions
from .._resource import AsyncResource, Resource, quote


class Promo(Resource):
    def redeem(
        self,
        *,
        code: str,
        **call_options: Unpack[KeyedOptions],
    ) -> m.Redemption:
        """Redeem a promo code."""
        _answer: m.Redemption = self._json(
            "POST",
            "/promo/redeem",
            lambda: m.Redemption,
            call_options,
            body={"code": code},
            keyed=True,
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.PromoCode, ListBody[m.PromoCode]]:
        """List promo codes."""
        return self._page(
            "GET",
            "/promo/codes",
            lambda: ListBody[m.PromoCode],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        *,
        code: str,
        amount_cents: int,
        max_redemptions: Given[int] = OMIT,
        expires_at: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PromoCode:
        """Create a promo code."""
        _answer: m.PromoCode = self._json(
            "POST",
            "/promo/codes",
            lambda: m.PromoCode,
            call_options,
            body={"code": code, "amount_cents": amount_cents, "max_redemptions": max_redemptions, "expires_at": expires_at},
        )
        return _answer

    def get(
        self,
        code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.PromoCode:
        """Get a promo code."""
        _answer: m.PromoCode = self._json(
            "GET",
            f"/promo/codes/{quote(code)}",
            lambda: m.PromoCode,
            call_options,
        )
        return _answer

    def remove(
        self,
        code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a promo code."""
        return self._none(
            "DELETE",
            f"/promo/codes/{quote(code)}",
            call_options,
        )


class AsyncPromo(AsyncResource):
    async def redeem(
        self,
        *,
        code: str,
        **call_options: Unpack[KeyedOptions],
    ) -> m.Redemption:
        """Redeem a promo code."""
        _answer: m.Redemption = await self._json(
            "POST",
            "/promo/redeem",
            lambda: m.Redemption,
            call_options,
            body={"code": code},
            keyed=True,
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.PromoCode, ListBody[m.PromoCode]]:
        """List promo codes."""
        return self._page(
            "GET",
            "/promo/codes",
            lambda: ListBody[m.PromoCode],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        *,
        code: str,
        amount_cents: int,
        max_redemptions: Given[int] = OMIT,
        expires_at: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PromoCode:
        """Create a promo code."""
        _answer: m.PromoCode = await self._json(
            "POST",
            "/promo/codes",
            lambda: m.PromoCode,
            call_options,
            body={"code": code, "amount_cents": amount_cents, "max_redemptions": max_redemptions, "expires_at": expires_at},
        )
        return _answer

    async def get(
        self,
        code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.PromoCode:
        """Get a promo code."""
        _answer: m.PromoCode = await self._json(
            "GET",
            f"/promo/codes/{quote(code)}",
            lambda: m.PromoCode,
            call_options,
        )
        return _answer

    async def remove(
        self,
        code: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a promo code."""
        return await self._none(
            "DELETE",
            f"/promo/codes/{quote(code)}",
            call_options,
        )
