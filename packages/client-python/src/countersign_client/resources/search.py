# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations


from typing_extensions import Unpack

from .. import models as m
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource


class Search(Resource):
    def find(
        self,
        *,
        q: Given[str] = OMIT,
        limit: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SearchFindAnswer:
        """Search the workspace."""
        _answer: m.SearchFindAnswer = self._json(
            "GET",
            "/search",
            lambda: m.SearchFindAnswer,
            call_options,
            query={"q": q, "limit": limit},
        )
        return _answer


class AsyncSearch(AsyncResource):
    async def find(
        self,
        *,
        q: Given[str] = OMIT,
        limit: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SearchFindAnswer:
        """Search the workspace."""
        _answer: m.SearchFindAnswer = await self._json(
            "GET",
            "/search",
            lambda: m.SearchFindAnswer,
            call_options,
            query={"q": q, "limit": limit},
        )
        return _answer
