# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations


from typing_extensions import Unpack

from .. import models as m
from .._options import CallOptions
from .._resource import AsyncResource, Resource


class Setup(Resource):
    def state(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.SetupState:
        """Check whether the hub needs its first owner."""
        _answer: m.SetupState = self._json(
            "GET",
            "/auth/setup",
            lambda: m.SetupState,
            call_options,
        )
        return _answer


class AsyncSetup(AsyncResource):
    async def state(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.SetupState:
        """Check whether the hub needs its first owner."""
        _answer: m.SetupState = await self._json(
            "GET",
            "/auth/setup",
            lambda: m.SetupState,
            call_options,
        )
        return _answer
