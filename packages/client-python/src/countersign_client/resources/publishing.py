# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Publishing(Resource):
    def publish_agent(
        self,
        id: str,
        /,
        *,
        scope: Literal["team", "org"],
        team_id: Given[str] = OMIT,
        note: Given[str] = OMIT,
        listed: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PublishRequest:
        """Request the publication of an agent."""
        _answer: m.PublishRequest = self._json(
            "POST",
            f"/agents/{quote(id)}/publish",
            lambda: m.PublishRequest,
            call_options,
            body={"scope": scope, "team_id": team_id, "note": note, "listed": listed},
        )
        return _answer

    def list_requests(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["pending", "approved", "rejected", "withdrawn"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.PublishRequest, ListBody[m.PublishRequest]]:
        """List publish requests."""
        return self._page(
            "GET",
            "/publish-requests",
            lambda: ListBody[m.PublishRequest],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def get_request(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.PublishRequest:
        """Get a publish request."""
        _answer: m.PublishRequest = self._json(
            "GET",
            f"/publish-requests/{quote(id)}",
            lambda: m.PublishRequest,
            call_options,
        )
        return _answer

    def decide(
        self,
        id: str,
        /,
        *,
        status: Literal["approved", "rejected", "withdrawn"],
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PublishRequest:
        """Approve, reject, or withdraw a publish request."""
        _answer: m.PublishRequest = self._json(
            "PATCH",
            f"/publish-requests/{quote(id)}",
            lambda: m.PublishRequest,
            call_options,
            body={"status": status, "comment": comment},
        )
        return _answer

    def list_publications(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["active", "revoked"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Publication, ListBody[m.Publication]]:
        """List publications."""
        return self._page(
            "GET",
            "/publications",
            lambda: ListBody[m.Publication],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    def revoke(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Publication:
        """Revoke a publication."""
        _answer: m.Publication = self._json(
            "POST",
            f"/publications/{quote(id)}/revoke",
            lambda: m.Publication,
            call_options,
        )
        return _answer

    def listings(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        category: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Listing, ListBody[m.Listing]]:
        """Search the marketplace."""
        return self._page(
            "GET",
            "/marketplace/listings",
            lambda: ListBody[m.Listing],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "category": category},
        )


class AsyncPublishing(AsyncResource):
    async def publish_agent(
        self,
        id: str,
        /,
        *,
        scope: Literal["team", "org"],
        team_id: Given[str] = OMIT,
        note: Given[str] = OMIT,
        listed: Given[bool] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PublishRequest:
        """Request the publication of an agent."""
        _answer: m.PublishRequest = await self._json(
            "POST",
            f"/agents/{quote(id)}/publish",
            lambda: m.PublishRequest,
            call_options,
            body={"scope": scope, "team_id": team_id, "note": note, "listed": listed},
        )
        return _answer

    def list_requests(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["pending", "approved", "rejected", "withdrawn"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.PublishRequest, ListBody[m.PublishRequest]]:
        """List publish requests."""
        return self._page(
            "GET",
            "/publish-requests",
            lambda: ListBody[m.PublishRequest],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    async def get_request(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.PublishRequest:
        """Get a publish request."""
        _answer: m.PublishRequest = await self._json(
            "GET",
            f"/publish-requests/{quote(id)}",
            lambda: m.PublishRequest,
            call_options,
        )
        return _answer

    async def decide(
        self,
        id: str,
        /,
        *,
        status: Literal["approved", "rejected", "withdrawn"],
        comment: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PublishRequest:
        """Approve, reject, or withdraw a publish request."""
        _answer: m.PublishRequest = await self._json(
            "PATCH",
            f"/publish-requests/{quote(id)}",
            lambda: m.PublishRequest,
            call_options,
            body={"status": status, "comment": comment},
        )
        return _answer

    def list_publications(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        status: Given[Literal["active", "revoked"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Publication, ListBody[m.Publication]]:
        """List publications."""
        return self._page(
            "GET",
            "/publications",
            lambda: ListBody[m.Publication],
            call_options,
            query={"limit": limit, "cursor": cursor, "status": status},
        )

    async def revoke(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Publication:
        """Revoke a publication."""
        _answer: m.Publication = await self._json(
            "POST",
            f"/publications/{quote(id)}/revoke",
            lambda: m.Publication,
            call_options,
        )
        return _answer

    def listings(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        q: Given[str] = OMIT,
        category: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Listing, ListBody[m.Listing]]:
        """Search the marketplace."""
        return self._page(
            "GET",
            "/marketplace/listings",
            lambda: ListBody[m.Listing],
            call_options,
            query={"limit": limit, "cursor": cursor, "q": q, "category": category},
        )
