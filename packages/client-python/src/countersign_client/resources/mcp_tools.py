# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List

from typing_extensions import Unpack

from .. import models as m
from .._options import CallOptions
from .._resource import AsyncResource, Resource, quote


class McpTools(Resource):
    def list(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.McpToolList:
        """List the tools of an MCP service."""
        _answer: m.McpToolList = self._json(
            "GET",
            f"/services/{quote(name)}/tools",
            lambda: m.McpToolList,
            call_options,
        )
        return _answer

    def accept(
        self,
        name_in_path: str,
        /,
        *,
        name: str,
        digest: str,
        **call_options: Unpack[CallOptions],
    ) -> m.McpTool:
        """Accept a tool of an MCP service."""
        _answer: m.McpTool = self._json(
            "POST",
            f"/services/{quote(name_in_path)}/tools/accept",
            lambda: m.McpTool,
            call_options,
            body={"name": name, "digest": digest},
        )
        return _answer

    def refuse(
        self,
        name_in_path: str,
        /,
        *,
        name: str,
        digest: str,
        **call_options: Unpack[CallOptions],
    ) -> m.McpTool:
        """Refuse a tool of an MCP service."""
        _answer: m.McpTool = self._json(
            "POST",
            f"/services/{quote(name_in_path)}/tools/refuse",
            lambda: m.McpTool,
            call_options,
            body={"name": name, "digest": digest},
        )
        return _answer

    def refresh(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.McpToolList:
        """Read the tools of an MCP service again."""
        _answer: m.McpToolList = self._json(
            "POST",
            f"/services/{quote(name)}/tools/refresh",
            lambda: m.McpToolList,
            call_options,
        )
        return _answer


class AsyncMcpTools(AsyncResource):
    async def list(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.McpToolList:
        """List the tools of an MCP service."""
        _answer: m.McpToolList = await self._json(
            "GET",
            f"/services/{quote(name)}/tools",
            lambda: m.McpToolList,
            call_options,
        )
        return _answer

    async def accept(
        self,
        name_in_path: str,
        /,
        *,
        name: str,
        digest: str,
        **call_options: Unpack[CallOptions],
    ) -> m.McpTool:
        """Accept a tool of an MCP service."""
        _answer: m.McpTool = await self._json(
            "POST",
            f"/services/{quote(name_in_path)}/tools/accept",
            lambda: m.McpTool,
            call_options,
            body={"name": name, "digest": digest},
        )
        return _answer

    async def refuse(
        self,
        name_in_path: str,
        /,
        *,
        name: str,
        digest: str,
        **call_options: Unpack[CallOptions],
    ) -> m.McpTool:
        """Refuse a tool of an MCP service."""
        _answer: m.McpTool = await self._json(
            "POST",
            f"/services/{quote(name_in_path)}/tools/refuse",
            lambda: m.McpTool,
            call_options,
            body={"name": name, "digest": digest},
        )
        return _answer

    async def refresh(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.McpToolList:
        """Read the tools of an MCP service again."""
        _answer: m.McpToolList = await self._json(
            "POST",
            f"/services/{quote(name)}/tools/refresh",
            lambda: m.McpToolList,
            call_options,
        )
        return _answer
