# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Union

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Invites(Resource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["pending", "accepted", "revoked", "expired"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Invite, ListBody[m.Invite]]:
        """List invites."""
        return self._page(
            "GET",
            f"/orgs/{quote(id)}/invites",
            lambda: ListBody[m.Invite],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def create(
        self,
        id: str,
        /,
        *,
        email: str,
        role: Literal["owner", "admin", "operator", "member", "viewer"],
        team_id: Given[str] = OMIT,
        team_role: Given[Literal["lead", "worker"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.CreatedInvite:
        """Invite a person."""
        _answer: m.CreatedInvite = self._json(
            "POST",
            f"/orgs/{quote(id)}/invites",
            lambda: m.CreatedInvite,
            call_options,
            body={"email": email, "role": role, "team_id": team_id, "team_role": team_role},
        )
        return _answer

    def revoke_by_query(
        self,
        id: str,
        /,
        *,
        invite_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke an invite named by the query."""
        return self._none(
            "DELETE",
            f"/orgs/{quote(id)}/invites",
            call_options,
            query={"invite_id": invite_id},
        )

    def revoke(
        self,
        id: str,
        invite_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke an invite."""
        return self._none(
            "DELETE",
            f"/orgs/{quote(id)}/invites/{quote(invite_id)}",
            call_options,
        )

    def get(
        self,
        token: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.OpenInvite:
        """Get an invite by its token."""
        _answer: m.OpenInvite = self._json(
            "GET",
            f"/invites/{quote(token)}",
            lambda: m.OpenInvite,
            call_options,
        )
        return _answer

    def accept(
        self,
        token: str,
        /,
        *,
        name: Given[Union[Literal[""], str]] = OMIT,
        password: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Accept an invite."""
        _answer: m.Me = self._json(
            "POST",
            f"/invites/{quote(token)}/accept",
            lambda: m.Me,
            call_options,
            body={"name": name, "password": password},
        )
        return _answer


class AsyncInvites(AsyncResource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["pending", "accepted", "revoked", "expired"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Invite, ListBody[m.Invite]]:
        """List invites."""
        return self._page(
            "GET",
            f"/orgs/{quote(id)}/invites",
            lambda: ListBody[m.Invite],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    async def create(
        self,
        id: str,
        /,
        *,
        email: str,
        role: Literal["owner", "admin", "operator", "member", "viewer"],
        team_id: Given[str] = OMIT,
        team_role: Given[Literal["lead", "worker"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.CreatedInvite:
        """Invite a person."""
        _answer: m.CreatedInvite = await self._json(
            "POST",
            f"/orgs/{quote(id)}/invites",
            lambda: m.CreatedInvite,
            call_options,
            body={"email": email, "role": role, "team_id": team_id, "team_role": team_role},
        )
        return _answer

    async def revoke_by_query(
        self,
        id: str,
        /,
        *,
        invite_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke an invite named by the query."""
        return await self._none(
            "DELETE",
            f"/orgs/{quote(id)}/invites",
            call_options,
            query={"invite_id": invite_id},
        )

    async def revoke(
        self,
        id: str,
        invite_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Revoke an invite."""
        return await self._none(
            "DELETE",
            f"/orgs/{quote(id)}/invites/{quote(invite_id)}",
            call_options,
        )

    async def get(
        self,
        token: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.OpenInvite:
        """Get an invite by its token."""
        _answer: m.OpenInvite = await self._json(
            "GET",
            f"/invites/{quote(token)}",
            lambda: m.OpenInvite,
            call_options,
        )
        return _answer

    async def accept(
        self,
        token: str,
        /,
        *,
        name: Given[Union[Literal[""], str]] = OMIT,
        password: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Accept an invite."""
        _answer: m.Me = await self._json(
            "POST",
            f"/invites/{quote(token)}/accept",
            lambda: m.Me,
            call_options,
            body={"name": name, "password": password},
        )
        return _answer
