# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List

from typing_extensions import Unpack

from .. import models as m
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Models(Resource):
    def list(
        self,
        *,
        q: Given[str] = OMIT,
        provider: Given[str] = OMIT,
        modality: Given[str] = OMIT,
        max_price: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelList:
        """List models with their prices."""
        _answer: m.ModelList = self._json(
            "GET",
            "/models",
            lambda: m.ModelList,
            call_options,
            query={"q": q, "provider": provider, "modality": modality, "max_price": max_price},
        )
        return _answer

    def list_open_router(
        self,
        *,
        q: Given[str] = OMIT,
        provider: Given[str] = OMIT,
        modality: Given[str] = OMIT,
        max_price: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelList:
        """List models with their prices, in OpenRouter's shape."""
        _answer: m.ModelList = self._json(
            "GET",
            "/models/openrouter",
            lambda: m.ModelList,
            call_options,
            query={"q": q, "provider": provider, "modality": modality, "max_price": max_price},
        )
        return _answer

    def favorites(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelFavoriteList:
        """List favorite models."""
        _answer: m.ModelFavoriteList = self._json(
            "GET",
            "/models/favorites",
            lambda: m.ModelFavoriteList,
            call_options,
        )
        return _answer

    def add_favorite(
        self,
        *,
        model_id: str,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelFavorite:
        """Add a favorite model."""
        _answer: m.ModelFavorite = self._json(
            "POST",
            "/models/favorites",
            lambda: m.ModelFavorite,
            call_options,
            body={"model_id": model_id},
        )
        return _answer

    def favorite(
        self,
        model_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelFavorite:
        """Get a favorite model."""
        _answer: m.ModelFavorite = self._json(
            "GET",
            f"/models/favorites/{quote(model_id)}",
            lambda: m.ModelFavorite,
            call_options,
        )
        return _answer

    def remove_favorite(
        self,
        model_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a favorite model."""
        return self._none(
            "DELETE",
            f"/models/favorites/{quote(model_id)}",
            call_options,
        )


class AsyncModels(AsyncResource):
    async def list(
        self,
        *,
        q: Given[str] = OMIT,
        provider: Given[str] = OMIT,
        modality: Given[str] = OMIT,
        max_price: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelList:
        """List models with their prices."""
        _answer: m.ModelList = await self._json(
            "GET",
            "/models",
            lambda: m.ModelList,
            call_options,
            query={"q": q, "provider": provider, "modality": modality, "max_price": max_price},
        )
        return _answer

    async def list_open_router(
        self,
        *,
        q: Given[str] = OMIT,
        provider: Given[str] = OMIT,
        modality: Given[str] = OMIT,
        max_price: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelList:
        """List models with their prices, in OpenRouter's shape."""
        _answer: m.ModelList = await self._json(
            "GET",
            "/models/openrouter",
            lambda: m.ModelList,
            call_options,
            query={"q": q, "provider": provider, "modality": modality, "max_price": max_price},
        )
        return _answer

    async def favorites(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelFavoriteList:
        """List favorite models."""
        _answer: m.ModelFavoriteList = await self._json(
            "GET",
            "/models/favorites",
            lambda: m.ModelFavoriteList,
            call_options,
        )
        return _answer

    async def add_favorite(
        self,
        *,
        model_id: str,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelFavorite:
        """Add a favorite model."""
        _answer: m.ModelFavorite = await self._json(
            "POST",
            "/models/favorites",
            lambda: m.ModelFavorite,
            call_options,
            body={"model_id": model_id},
        )
        return _answer

    async def favorite(
        self,
        model_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.ModelFavorite:
        """Get a favorite model."""
        _answer: m.ModelFavorite = await self._json(
            "GET",
            f"/models/favorites/{quote(model_id)}",
            lambda: m.ModelFavorite,
            call_options,
        )
        return _answer

    async def remove_favorite(
        self,
        model_id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a favorite model."""
        return await self._none(
            "DELETE",
            f"/models/favorites/{quote(model_id)}",
            call_options,
        )
