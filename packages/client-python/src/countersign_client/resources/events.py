# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Literal, Union

from typing_extensions import Unpack

from ..events import AsyncEventStream, EventStream
from .._options import OMIT, BaseOptions, Given
from .._resource import AsyncResource, Resource


class Events(Resource):
    def stream(
        self,
        *,
        workspace: Given[Union[Literal["all"], str]] = OMIT,
        last_event_id: Given[str] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> EventStream:
        """Stream events."""
        return self._events(
            "GET",
            "/events",
            call_options,
            query={"workspace": workspace, "last_event_id": last_event_id, "cursor": cursor},
        )


class AsyncEvents(AsyncResource):
    def stream(
        self,
        *,
        workspace: Given[Union[Literal["all"], str]] = OMIT,
        last_event_id: Given[str] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> AsyncEventStream:
        """Stream events."""
        return self._events(
            "GET",
            "/events",
            call_options,
            query={"workspace": workspace, "last_event_id": last_event_id, "cursor": cursor},
        )
