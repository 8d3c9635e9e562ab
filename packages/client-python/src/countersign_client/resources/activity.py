# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Activity(Resource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        type: Given[Literal["agent", "binding", "service_request", "approval", "standing_approval", "delegated_task", "budget_request", "memory", "skill", "child", "run", "device_command"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Activity, ListBody[m.Activity]]:
        """List an agent's activity."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/activity",
            lambda: ListBody[m.Activity],
            call_options,
            query={"limit": limit, "cursor": cursor, "type": type},
        )


class AsyncActivity(AsyncResource):
    def list(
        self,
        id: str,
        /,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        type: Given[Literal["agent", "binding", "service_request", "approval", "standing_approval", "delegated_task", "budget_request", "memory", "skill", "child", "run", "device_command"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Activity, ListBody[m.Activity]]:
        """List an agent's activity."""
        return self._page(
            "GET",
            f"/agents/{quote(id)}/activity",
            lambda: ListBody[m.Activity],
            call_options,
            query={"limit": limit, "cursor": cursor, "type": type},
        )
