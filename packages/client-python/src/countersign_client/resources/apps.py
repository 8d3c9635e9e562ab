# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Mapping, Sequence

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Apps(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.App, ListBody[m.App]]:
        """List connected apps."""
        return self._page(
            "GET",
            "/apps",
            lambda: ListBody[m.App],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        *,
        provider: str,
        name: Given[str] = OMIT,
        scopes: Given[Sequence[str]] = OMIT,
        params: Given[Mapping[str, str]] = OMIT,
        visibility: Given[Literal["private", "workspace"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StartedApp:
        """Connect an app."""
        _answer: m.StartedApp = self._json(
            "POST",
            "/apps",
            lambda: m.StartedApp,
            call_options,
            body={"provider": provider, "name": name, "scopes": scopes, "params": params, "visibility": visibility},
        )
        return _answer

    def providers(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.AppsProvidersAnswer:
        """List providers of apps."""
        _answer: m.AppsProvidersAnswer = self._json(
            "GET",
            "/apps/providers",
            lambda: m.AppsProvidersAnswer,
            call_options,
        )
        return _answer

    def put_provider(
        self,
        name: str,
        /,
        *,
        client_id: str,
        client_secret: str,
        definition: Given[p.AppDefinition] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AppProvider:
        """Set a provider's OAuth client."""
        _answer: m.AppProvider = self._json(
            "PUT",
            f"/apps/providers/{quote(name)}",
            lambda: m.AppProvider,
            call_options,
            body={"client_id": client_id, "client_secret": client_secret, "definition": definition},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.App:
        """Get a connected app."""
        _answer: m.App = self._json(
            "GET",
            f"/apps/{quote(id)}",
            lambda: m.App,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        visibility: Given[Literal["private", "workspace"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.App:
        """Change a connected app."""
        _answer: m.App = self._json(
            "PATCH",
            f"/apps/{quote(id)}",
            lambda: m.App,
            call_options,
            body={"name": name, "visibility": visibility},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a connected app."""
        return self._none(
            "DELETE",
            f"/apps/{quote(id)}",
            call_options,
        )

    def refresh(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.App:
        """Renew an app's access token."""
        _answer: m.App = self._json(
            "POST",
            f"/apps/{quote(id)}/refresh",
            lambda: m.App,
            call_options,
        )
        return _answer

    def reconnect(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StartedApp:
        """Sign in to an app again."""
        _answer: m.StartedApp = self._json(
            "POST",
            f"/apps/{quote(id)}/reconnect",
            lambda: m.StartedApp,
            call_options,
        )
        return _answer

    def revoke(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.App:
        """Disconnect an app."""
        _answer: m.App = self._json(
            "POST",
            f"/apps/{quote(id)}/revoke",
            lambda: m.App,
            call_options,
        )
        return _answer


class AsyncApps(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.App, ListBody[m.App]]:
        """List connected apps."""
        return self._page(
            "GET",
            "/apps",
            lambda: ListBody[m.App],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        *,
        provider: str,
        name: Given[str] = OMIT,
        scopes: Given[Sequence[str]] = OMIT,
        params: Given[Mapping[str, str]] = OMIT,
        visibility: Given[Literal["private", "workspace"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.StartedApp:
        """Connect an app."""
        _answer: m.StartedApp = await self._json(
            "POST",
            "/apps",
            lambda: m.StartedApp,
            call_options,
            body={"provider": provider, "name": name, "scopes": scopes, "params": params, "visibility": visibility},
        )
        return _answer

    async def providers(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.AppsProvidersAnswer:
        """List providers of apps."""
        _answer: m.AppsProvidersAnswer = await self._json(
            "GET",
            "/apps/providers",
            lambda: m.AppsProvidersAnswer,
            call_options,
        )
        return _answer

    async def put_provider(
        self,
        name: str,
        /,
        *,
        client_id: str,
        client_secret: str,
        definition: Given[p.AppDefinition] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AppProvider:
        """Set a provider's OAuth client."""
        _answer: m.AppProvider = await self._json(
            "PUT",
            f"/apps/providers/{quote(name)}",
            lambda: m.AppProvider,
            call_options,
            body={"client_id": client_id, "client_secret": client_secret, "definition": definition},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.App:
        """Get a connected app."""
        _answer: m.App = await self._json(
            "GET",
            f"/apps/{quote(id)}",
            lambda: m.App,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        visibility: Given[Literal["private", "workspace"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.App:
        """Change a connected app."""
        _answer: m.App = await self._json(
            "PATCH",
            f"/apps/{quote(id)}",
            lambda: m.App,
            call_options,
            body={"name": name, "visibility": visibility},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a connected app."""
        return await self._none(
            "DELETE",
            f"/apps/{quote(id)}",
            call_options,
        )

    async def refresh(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.App:
        """Renew an app's access token."""
        _answer: m.App = await self._json(
            "POST",
            f"/apps/{quote(id)}/refresh",
            lambda: m.App,
            call_options,
        )
        return _answer

    async def reconnect(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.StartedApp:
        """Sign in to an app again."""
        _answer: m.StartedApp = await self._json(
            "POST",
            f"/apps/{quote(id)}/reconnect",
            lambda: m.StartedApp,
            call_options,
        )
        return _answer

    async def revoke(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.App:
        """Disconnect an app."""
        _answer: m.App = await self._json(
            "POST",
            f"/apps/{quote(id)}/revoke",
            lambda: m.App,
            call_options,
        )
        return _answer
