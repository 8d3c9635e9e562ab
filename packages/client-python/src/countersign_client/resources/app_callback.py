# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations


from typing_extensions import Unpack

from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource


class AppCallback(Resource):
    def callback(
        self,
        *,
        state: Given[str] = OMIT,
        code: Given[str] = OMIT,
        error: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> str:
        """End a sign-in at a provider."""
        return self._text(
            "GET",
            "/apps/callback",
            call_options,
            query={"state": state, "code": code, "error": error},
        )


class AsyncAppCallback(AsyncResource):
    async def callback(
        self,
        *,
        state: Given[str] = OMIT,
        code: Given[str] = OMIT,
        error: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> str:
        """End a sign-in at a provider."""
        return await self._text(
            "GET",
            "/apps/callback",
            call_options,
            query={"state": state, "code": code, "error": error},
        )
