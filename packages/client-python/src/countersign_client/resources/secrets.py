# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Secrets(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Secret, ListBody[m.Secret]]:
        """List the names of secrets."""
        return self._page(
            "GET",
            "/secrets",
            lambda: ListBody[m.Secret],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def put(
        self,
        name: str,
        /,
        *,
        value: str,
        **call_options: Unpack[CallOptions],
    ) -> m.Secret:
        """Store a secret."""
        _answer: m.Secret = self._json(
            "PUT",
            f"/secrets/{quote(name)}",
            lambda: m.Secret,
            call_options,
            body={"value": value},
        )
        return _answer

    def remove(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a secret."""
        return self._none(
            "DELETE",
            f"/secrets/{quote(name)}",
            call_options,
        )


class AsyncSecrets(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Secret, ListBody[m.Secret]]:
        """List the names of secrets."""
        return self._page(
            "GET",
            "/secrets",
            lambda: ListBody[m.Secret],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def put(
        self,
        name: str,
        /,
        *,
        value: str,
        **call_options: Unpack[CallOptions],
    ) -> m.Secret:
        """Store a secret."""
        _answer: m.Secret = await self._json(
            "PUT",
            f"/secrets/{quote(name)}",
            lambda: m.Secret,
            call_options,
            body={"value": value},
        )
        return _answer

    async def remove(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a secret."""
        return await self._none(
            "DELETE",
            f"/secrets/{quote(name)}",
            call_options,
        )
