# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal

from typing_extensions import Unpack

from .. import models as m
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Oidc(Resource):
    def methods(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.SignInMethods:
        """List how people sign in."""
        _answer: m.SignInMethods = self._json(
            "GET",
            "/auth/methods",
            lambda: m.SignInMethods,
            call_options,
        )
        return _answer

    def start(
        self,
        *,
        to: Given[str] = OMIT,
        purpose: Given[Literal["sign_in", "step_up"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> str:
        """Start a sign-in at the identity provider."""
        return self._text(
            "GET",
            "/auth/oidc/start",
            call_options,
            query={"to": to, "purpose": purpose},
        )

    def callback(
        self,
        *,
        state: Given[str] = OMIT,
        code: Given[str] = OMIT,
        error: Given[str] = OMIT,
        iss: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> str:
        """Complete a sign-in at the identity provider."""
        return self._text(
            "GET",
            "/auth/oidc/callback",
            call_options,
            query={"state": state, "code": code, "error": error, "iss": iss},
        )

    def identities(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.LinkedIdentityList:
        """List a person's identities at providers."""
        _answer: m.LinkedIdentityList = self._json(
            "GET",
            "/auth/identities",
            lambda: m.LinkedIdentityList,
            call_options,
        )
        return _answer

    def link(
        self,
        *,
        to: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.OidcLinkAnswer:
        """Start to link an identity."""
        _answer: m.OidcLinkAnswer = self._json(
            "POST",
            "/auth/identities",
            lambda: m.OidcLinkAnswer,
            call_options,
            body={"to": to},
        )
        return _answer

    def unlink(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Unlink an identity."""
        return self._none(
            "DELETE",
            f"/auth/identities/{quote(id)}",
            call_options,
        )

    def logout(
        self,
        data: bytes,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """End the sessions of the identity provider's logout."""
        return self._none(
            "POST",
            "/auth/oidc/backchannel-logout",
            call_options,
            data=data,
        )


class AsyncOidc(AsyncResource):
    async def methods(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.SignInMethods:
        """List how people sign in."""
        _answer: m.SignInMethods = await self._json(
            "GET",
            "/auth/methods",
            lambda: m.SignInMethods,
            call_options,
        )
        return _answer

    async def start(
        self,
        *,
        to: Given[str] = OMIT,
        purpose: Given[Literal["sign_in", "step_up"]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> str:
        """Start a sign-in at the identity provider."""
        return await self._text(
            "GET",
            "/auth/oidc/start",
            call_options,
            query={"to": to, "purpose": purpose},
        )

    async def callback(
        self,
        *,
        state: Given[str] = OMIT,
        code: Given[str] = OMIT,
        error: Given[str] = OMIT,
        iss: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> str:
        """Complete a sign-in at the identity provider."""
        return await self._text(
            "GET",
            "/auth/oidc/callback",
            call_options,
            query={"state": state, "code": code, "error": error, "iss": iss},
        )

    async def identities(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.LinkedIdentityList:
        """List a person's identities at providers."""
        _answer: m.LinkedIdentityList = await self._json(
            "GET",
            "/auth/identities",
            lambda: m.LinkedIdentityList,
            call_options,
        )
        return _answer

    async def link(
        self,
        *,
        to: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.OidcLinkAnswer:
        """Start to link an identity."""
        _answer: m.OidcLinkAnswer = await self._json(
            "POST",
            "/auth/identities",
            lambda: m.OidcLinkAnswer,
            call_options,
            body={"to": to},
        )
        return _answer

    async def unlink(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Unlink an identity."""
        return await self._none(
            "DELETE",
            f"/auth/identities/{quote(id)}",
            call_options,
        )

    async def logout(
        self,
        data: bytes,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """End the sessions of the identity provider's logout."""
        return await self._none(
            "POST",
            "/auth/oidc/backchannel-logout",
            call_options,
            data=data,
        )
