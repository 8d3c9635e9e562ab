# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations


from typing_extensions import Unpack

from .. import models as m
from .._options import CallOptions
from .._resource import AsyncResource, Resource, quote


class Traces(Resource):
    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.RequestTrace:
        """Get the timeline of a request."""
        _answer: m.RequestTrace = self._json(
            "GET",
            f"/service-requests/{quote(id)}/trace",
            lambda: m.RequestTrace,
            call_options,
        )
        return _answer


class AsyncTraces(AsyncResource):
    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.RequestTrace:
        """Get the timeline of a request."""
        _answer: m.RequestTrace = await self._json(
            "GET",
            f"/service-requests/{quote(id)}/trace",
            lambda: m.RequestTrace,
            call_options,
        )
        return _answer
