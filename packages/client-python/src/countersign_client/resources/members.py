# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Members(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Member, ListBody[m.Member]]:
        """List members."""
        return self._page(
            "GET",
            "/members",
            lambda: ListBody[m.Member],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def holdings(
        self,
        user_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.MemberHoldings:
        """List the effects of removing a member."""
        _answer: m.MemberHoldings = self._json(
            "GET",
            f"/members/{quote(user_id)}/holdings",
            lambda: m.MemberHoldings,
            call_options,
        )
        return _answer

    def update(
        self,
        user_id: str,
        /,
        *,
        role: Literal["owner", "admin", "operator", "member", "viewer"],
        **call_options: Unpack[CallOptions],
    ) -> m.Member:
        """Change a member's role."""
        _answer: m.Member = self._json(
            "PATCH",
            f"/members/{quote(user_id)}",
            lambda: m.Member,
            call_options,
            body={"role": role},
        )
        return _answer

    def remove(
        self,
        user_id: str,
        /,
        *,
        transfer_to: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a member."""
        return self._none(
            "DELETE",
            f"/members/{quote(user_id)}",
            call_options,
            body={"transfer_to": transfer_to},
        )


class AsyncMembers(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Member, ListBody[m.Member]]:
        """List members."""
        return self._page(
            "GET",
            "/members",
            lambda: ListBody[m.Member],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def holdings(
        self,
        user_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.MemberHoldings:
        """List the effects of removing a member."""
        _answer: m.MemberHoldings = await self._json(
            "GET",
            f"/members/{quote(user_id)}/holdings",
            lambda: m.MemberHoldings,
            call_options,
        )
        return _answer

    async def update(
        self,
        user_id: str,
        /,
        *,
        role: Literal["owner", "admin", "operator", "member", "viewer"],
        **call_options: Unpack[CallOptions],
    ) -> m.Member:
        """Change a member's role."""
        _answer: m.Member = await self._json(
            "PATCH",
            f"/members/{quote(user_id)}",
            lambda: m.Member,
            call_options,
            body={"role": role},
        )
        return _answer

    async def remove(
        self,
        user_id: str,
        /,
        *,
        transfer_to: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a member."""
        return await self._none(
            "DELETE",
            f"/members/{quote(user_id)}",
            call_options,
            body={"transfer_to": transfer_to},
        )
