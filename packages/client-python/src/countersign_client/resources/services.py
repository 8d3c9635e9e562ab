# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Services(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.ListedService, ListBody[m.ListedService]]:
        """List services."""
        return self._page(
            "GET",
            "/services",
            lambda: ListBody[m.ListedService],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        *,
        name: str,
        kind: Union[Literal["http"], Literal["mcp"]],
        title: Given[str] = OMIT,
        description: Given[str] = OMIT,
        enabled: Given[bool] = OMIT,
        base_url: Given[str] = OMIT,
        auth: Given[p.ServiceAuth] = OMIT,
        operations: Given[Sequence[p.HttpOperation]] = OMIT,
        url: Given[str] = OMIT,
        default_price: Given[p.ServicesCreateDefaultPrice] = OMIT,
        prices: Given[Mapping[str, p.ServicesCreatePricesValue]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SavedService:
        """Declare a service."""
        _answer: m.SavedService = self._json(
            "POST",
            "/services",
            lambda: m.SavedService,
            call_options,
            body={"name": name, "title": title, "description": description, "enabled": enabled, "kind": kind, "base_url": base_url, "auth": auth, "operations": operations, "url": url, "default_price": default_price, "prices": prices},
        )
        return _answer

    def import_(
        self,
        *,
        name: str,
        price: p.Price,
        openapi: Given[Union[str, Mapping[str, Any]]] = OMIT,
        url: Given[str] = OMIT,
        base_url: Given[str] = OMIT,
        auth: Given[p.ServiceAuth] = OMIT,
        tags: Given[Sequence[str]] = OMIT,
        operation_ids: Given[Sequence[str]] = OMIT,
        prices: Given[Mapping[str, p.Price]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ImportedService:
        """Import a service from an OpenAPI document."""
        _answer: m.ImportedService = self._json(
            "POST",
            "/services/import",
            lambda: m.ImportedService,
            call_options,
            body={"name": name, "openapi": openapi, "url": url, "base_url": base_url, "auth": auth, "tags": tags, "operation_ids": operation_ids, "price": price, "prices": prices},
        )
        return _answer

    def preview_import(
        self,
        *,
        openapi: Given[Union[str, Mapping[str, Any]]] = OMIT,
        url: Given[str] = OMIT,
        base_url: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ImportPreview:
        """Preview an import."""
        _answer: m.ImportPreview = self._json(
            "POST",
            "/services/import/preview",
            lambda: m.ImportPreview,
            call_options,
            body={"openapi": openapi, "url": url, "base_url": base_url},
        )
        return _answer

    def get(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.CatalogService:
        """Get a service."""
        _answer: m.CatalogService = self._json(
            "GET",
            f"/services/{quote(name)}",
            lambda: m.CatalogService,
            call_options,
        )
        return _answer

    def update(
        self,
        name: str,
        /,
        *,
        title: Given[str] = OMIT,
        description: Given[str] = OMIT,
        enabled: Given[bool] = OMIT,
        base_url: Given[str] = OMIT,
        auth: Given[p.ServiceAuth] = OMIT,
        operations: Given[Sequence[p.HttpOperation]] = OMIT,
        price: Given[Union[p.OperationPrice, None]] = OMIT,
        prices: Given[Mapping[str, Union[p.OperationPrice, None]]] = OMIT,
        url: Given[str] = OMIT,
        default_price: Given[p.ServicesUpdateDefaultPrice] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SavedService:
        """Change a service."""
        _answer: m.SavedService = self._json(
            "PATCH",
            f"/services/{quote(name)}",
            lambda: m.SavedService,
            call_options,
            body={"title": title, "description": description, "enabled": enabled, "base_url": base_url, "auth": auth, "operations": operations, "price": price, "prices": prices, "url": url, "default_price": default_price, "expected_version": expected_version},
        )
        return _answer

    def remove(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a service."""
        return self._none(
            "DELETE",
            f"/services/{quote(name)}",
            call_options,
        )


class AsyncServices(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.ListedService, ListBody[m.ListedService]]:
        """List services."""
        return self._page(
            "GET",
            "/services",
            lambda: ListBody[m.ListedService],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        *,
        name: str,
        kind: Union[Literal["http"], Literal["mcp"]],
        title: Given[str] = OMIT,
        description: Given[str] = OMIT,
        enabled: Given[bool] = OMIT,
        base_url: Given[str] = OMIT,
        auth: Given[p.ServiceAuth] = OMIT,
        operations: Given[Sequence[p.HttpOperation]] = OMIT,
        url: Given[str] = OMIT,
        default_price: Given[p.ServicesCreateDefaultPrice] = OMIT,
        prices: Given[Mapping[str, p.ServicesCreatePricesValue]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SavedService:
        """Declare a service."""
        _answer: m.SavedService = await self._json(
            "POST",
            "/services",
            lambda: m.SavedService,
            call_options,
            body={"name": name, "title": title, "description": description, "enabled": enabled, "kind": kind, "base_url": base_url, "auth": auth, "operations": operations, "url": url, "default_price": default_price, "prices": prices},
        )
        return _answer

    async def import_(
        self,
        *,
        name: str,
        price: p.Price,
        openapi: Given[Union[str, Mapping[str, Any]]] = OMIT,
        url: Given[str] = OMIT,
        base_url: Given[str] = OMIT,
        auth: Given[p.ServiceAuth] = OMIT,
        tags: Given[Sequence[str]] = OMIT,
        operation_ids: Given[Sequence[str]] = OMIT,
        prices: Given[Mapping[str, p.Price]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ImportedService:
        """Import a service from an OpenAPI document."""
        _answer: m.ImportedService = await self._json(
            "POST",
            "/services/import",
            lambda: m.ImportedService,
            call_options,
            body={"name": name, "openapi": openapi, "url": url, "base_url": base_url, "auth": auth, "tags": tags, "operation_ids": operation_ids, "price": price, "prices": prices},
        )
        return _answer

    async def preview_import(
        self,
        *,
        openapi: Given[Union[str, Mapping[str, Any]]] = OMIT,
        url: Given[str] = OMIT,
        base_url: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ImportPreview:
        """Preview an import."""
        _answer: m.ImportPreview = await self._json(
            "POST",
            "/services/import/preview",
            lambda: m.ImportPreview,
            call_options,
            body={"openapi": openapi, "url": url, "base_url": base_url},
        )
        return _answer

    async def get(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.CatalogService:
        """Get a service."""
        _answer: m.CatalogService = await self._json(
            "GET",
            f"/services/{quote(name)}",
            lambda: m.CatalogService,
            call_options,
        )
        return _answer

    async def update(
        self,
        name: str,
        /,
        *,
        title: Given[str] = OMIT,
        description: Given[str] = OMIT,
        enabled: Given[bool] = OMIT,
        base_url: Given[str] = OMIT,
        auth: Given[p.ServiceAuth] = OMIT,
        operations: Given[Sequence[p.HttpOperation]] = OMIT,
        price: Given[Union[p.OperationPrice, None]] = OMIT,
        prices: Given[Mapping[str, Union[p.OperationPrice, None]]] = OMIT,
        url: Given[str] = OMIT,
        default_price: Given[p.ServicesUpdateDefaultPrice] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SavedService:
        """Change a service."""
        _answer: m.SavedService = await self._json(
            "PATCH",
            f"/services/{quote(name)}",
            lambda: m.SavedService,
            call_options,
            body={"title": title, "description": description, "enabled": enabled, "base_url": base_url, "auth": auth, "operations": operations, "price": price, "prices": prices, "url": url, "default_price": default_price, "expected_version": expected_version},
        )
        return _answer

    async def remove(
        self,
        name: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a service."""
        return await self._none(
            "DELETE",
            f"/services/{quote(name)}",
            call_options,
        )
