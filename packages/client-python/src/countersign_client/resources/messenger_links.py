# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class MessengerLinks(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.MessengerLink, ListBody[m.MessengerLink]]:
        """List linked accounts."""
        return self._page(
            "GET",
            "/auth/messenger-links",
            lambda: ListBody[m.MessengerLink],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.NewMessengerLink:
        """Create a code that links an account."""
        _answer: m.NewMessengerLink = self._json(
            "POST",
            "/auth/messenger-links",
            lambda: m.NewMessengerLink,
            call_options,
        )
        return _answer

    def confirm(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.MessengerLink:
        """Confirm a linked account."""
        _answer: m.MessengerLink = self._json(
            "POST",
            f"/auth/messenger-links/{quote(id)}/confirm",
            lambda: m.MessengerLink,
            call_options,
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a linked account."""
        return self._none(
            "DELETE",
            f"/auth/messenger-links/{quote(id)}",
            call_options,
        )


class AsyncMessengerLinks(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.MessengerLink, ListBody[m.MessengerLink]]:
        """List linked accounts."""
        return self._page(
            "GET",
            "/auth/messenger-links",
            lambda: ListBody[m.MessengerLink],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.NewMessengerLink:
        """Create a code that links an account."""
        _answer: m.NewMessengerLink = await self._json(
            "POST",
            "/auth/messenger-links",
            lambda: m.NewMessengerLink,
            call_options,
        )
        return _answer

    async def confirm(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.MessengerLink:
        """Confirm a linked account."""
        _answer: m.MessengerLink = await self._json(
            "POST",
            f"/auth/messenger-links/{quote(id)}/confirm",
            lambda: m.MessengerLink,
            call_options,
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a linked account."""
        return await self._none(
            "DELETE",
            f"/auth/messenger-links/{quote(id)}",
            call_options,
        )
