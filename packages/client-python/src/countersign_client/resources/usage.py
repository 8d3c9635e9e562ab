# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Literal

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, Page
from .._options import OMIT, BaseOptions, Given
from .._resource import AsyncResource, Resource


class Usage(Resource):
    def report(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agentId: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        includeChart: Given[Literal["true", "false", "1", "0"]] = OMIT,
        chartBy: Given[Literal["service", "operation", "agent"]] = OMIT,
        format: Given[Literal["json", "csv"]] = OMIT,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> Page[m.UsageRecord, m.UsageReport]:
        """Report usage and cost."""
        return self._page(
            "GET",
            "/usage",
            lambda: m.UsageReport,
            call_options,
            query={"limit": limit, "cursor": cursor, "agentId": agentId, "mode": mode, "service": service, "operation": operation, "from": from_, "to": to, "includeChart": includeChart, "chartBy": chartBy, "format": format, "workspace": workspace},
        )


class AsyncUsage(AsyncResource):
    def report(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        agentId: Given[str] = OMIT,
        mode: Given[Literal["live", "test"]] = OMIT,
        service: Given[str] = OMIT,
        operation: Given[str] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        includeChart: Given[Literal["true", "false", "1", "0"]] = OMIT,
        chartBy: Given[Literal["service", "operation", "agent"]] = OMIT,
        format: Given[Literal["json", "csv"]] = OMIT,
        workspace: Given[str] = OMIT,
        **call_options: Unpack[BaseOptions],
    ) -> AsyncPages[m.UsageRecord, m.UsageReport]:
        """Report usage and cost."""
        return self._page(
            "GET",
            "/usage",
            lambda: m.UsageReport,
            call_options,
            query={"limit": limit, "cursor": cursor, "agentId": agentId, "mode": mode, "service": service, "operation": operation, "from": from_, "to": to, "includeChart": includeChart, "chartBy": chartBy, "format": format, "workspace": workspace},
        )
