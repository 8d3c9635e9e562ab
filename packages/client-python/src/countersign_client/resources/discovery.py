# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, Dict, Literal

from typing_extensions import Unpack

from .. import models as m
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource


class Discovery(Resource):
    def agent_docs(
        self,
        *,
        all: Given[Literal["true", "false"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Dict[str, Any]:
        """Get the documentation for agents."""
        _answer: Dict[str, Any] = self._json(
            "GET",
            "/agent-docs",
            lambda: Dict[str, Any],
            call_options,
            query={"all": all},
        )
        return _answer

    def openapi(
        self,
        **call_options: Unpack[CallOptions],
    ) -> Dict[str, Any]:
        """Get this document."""
        _answer: Dict[str, Any] = self._json(
            "GET",
            "/openapi.json",
            lambda: Dict[str, Any],
            call_options,
        )
        return _answer

    def health(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.Health:
        """Check whether the process is alive."""
        _answer: m.Health = self._json(
            "GET",
            "/health",
            lambda: m.Health,
            call_options,
        )
        return _answer

    def ready(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.Ready:
        """Check whether the hub can serve requests."""
        _answer: m.Ready = self._json(
            "GET",
            "/ready",
            lambda: m.Ready,
            call_options,
        )
        return _answer


class AsyncDiscovery(AsyncResource):
    async def agent_docs(
        self,
        *,
        all: Given[Literal["true", "false"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Dict[str, Any]:
        """Get the documentation for agents."""
        _answer: Dict[str, Any] = await self._json(
            "GET",
            "/agent-docs",
            lambda: Dict[str, Any],
            call_options,
            query={"all": all},
        )
        return _answer

    async def openapi(
        self,
        **call_options: Unpack[CallOptions],
    ) -> Dict[str, Any]:
        """Get this document."""
        _answer: Dict[str, Any] = await self._json(
            "GET",
            "/openapi.json",
            lambda: Dict[str, Any],
            call_options,
        )
        return _answer

    async def health(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.Health:
        """Check whether the process is alive."""
        _answer: m.Health = await self._json(
            "GET",
            "/health",
            lambda: m.Health,
            call_options,
        )
        return _answer

    async def ready(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.Ready:
        """Check whether the hub can serve requests."""
        _answer: m.Ready = await self._json(
            "GET",
            "/ready",
            lambda: m.Ready,
            call_options,
        )
        return _answer
