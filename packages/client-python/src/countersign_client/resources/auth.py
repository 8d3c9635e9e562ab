# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, List, Literal, Mapping, Union

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Auth(Resource):
    def setup(
        self,
        *,
        token: str,
        email: str,
        password: str,
        name: Given[Union[Literal[""], str]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Create the first owner."""
        _answer: m.Me = self._json(
            "POST",
            "/auth/setup",
            lambda: m.Me,
            call_options,
            body={"token": token, "email": email, "password": password, "name": name},
        )
        return _answer

    def login(
        self,
        *,
        email: str,
        password: str,
        **call_options: Unpack[CallOptions],
    ) -> m.AuthLoginAnswer:
        """Sign in."""
        _answer: m.AuthLoginAnswer = self._json(
            "POST",
            "/auth/login",
            lambda: m.AuthLoginAnswer,
            call_options,
            body={"email": email, "password": password},
        )
        return _answer

    def login_factor(
        self,
        *,
        challenge_id: str,
        totp: Given[str] = OMIT,
        recovery_code: Given[str] = OMIT,
        passkey: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Complete a sign-in with a second factor."""
        _answer: m.Me = self._json(
            "POST",
            "/auth/login/factor",
            lambda: m.Me,
            call_options,
            body={"challenge_id": challenge_id, "totp": totp, "recovery_code": recovery_code, "passkey": passkey},
        )
        return _answer

    def logout(
        self,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Sign out."""
        return self._none(
            "POST",
            "/auth/logout",
            call_options,
        )

    def password(
        self,
        *,
        current_password: str,
        new_password: str,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Change the password."""
        return self._none(
            "POST",
            "/auth/password",
            call_options,
            body={"current_password": current_password, "new_password": new_password},
        )

    def step_up(
        self,
        *,
        password: Given[str] = OMIT,
        totp: Given[str] = OMIT,
        recovery_code: Given[str] = OMIT,
        passkey: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AuthStepUpAnswer:
        """Confirm your identity for sensitive actions."""
        _answer: m.AuthStepUpAnswer = self._json(
            "POST",
            "/auth/step-up",
            lambda: m.AuthStepUpAnswer,
            call_options,
            body={"password": password, "totp": totp, "recovery_code": recovery_code, "passkey": passkey},
        )
        return _answer

    def me(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Get the signed-in person."""
        _answer: m.Me = self._json(
            "GET",
            "/auth/me",
            lambda: m.Me,
            call_options,
        )
        return _answer

    def update_me(
        self,
        *,
        name: Given[Union[Literal[""], str]] = OMIT,
        time_zone: Given[Union[str, None]] = OMIT,
        locale: Given[Union[str, None]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Update the signed-in person."""
        _answer: m.Me = self._json(
            "PATCH",
            "/auth/me",
            lambda: m.Me,
            call_options,
            body={"name": name, "time_zone": time_zone, "locale": locale},
        )
        return _answer

    def sessions(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Session, ListBody[m.Session]]:
        """List your sessions."""
        return self._page(
            "GET",
            "/auth/sessions",
            lambda: ListBody[m.Session],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def end_session(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """End one of your sessions."""
        return self._none(
            "DELETE",
            f"/auth/sessions/{quote(id)}",
            call_options,
        )


class AsyncAuth(AsyncResource):
    async def setup(
        self,
        *,
        token: str,
        email: str,
        password: str,
        name: Given[Union[Literal[""], str]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Create the first owner."""
        _answer: m.Me = await self._json(
            "POST",
            "/auth/setup",
            lambda: m.Me,
            call_options,
            body={"token": token, "email": email, "password": password, "name": name},
        )
        return _answer

    async def login(
        self,
        *,
        email: str,
        password: str,
        **call_options: Unpack[CallOptions],
    ) -> m.AuthLoginAnswer:
        """Sign in."""
        _answer: m.AuthLoginAnswer = await self._json(
            "POST",
            "/auth/login",
            lambda: m.AuthLoginAnswer,
            call_options,
            body={"email": email, "password": password},
        )
        return _answer

    async def login_factor(
        self,
        *,
        challenge_id: str,
        totp: Given[str] = OMIT,
        recovery_code: Given[str] = OMIT,
        passkey: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Complete a sign-in with a second factor."""
        _answer: m.Me = await self._json(
            "POST",
            "/auth/login/factor",
            lambda: m.Me,
            call_options,
            body={"challenge_id": challenge_id, "totp": totp, "recovery_code": recovery_code, "passkey": passkey},
        )
        return _answer

    async def logout(
        self,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Sign out."""
        return await self._none(
            "POST",
            "/auth/logout",
            call_options,
        )

    async def password(
        self,
        *,
        current_password: str,
        new_password: str,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Change the password."""
        return await self._none(
            "POST",
            "/auth/password",
            call_options,
            body={"current_password": current_password, "new_password": new_password},
        )

    async def step_up(
        self,
        *,
        password: Given[str] = OMIT,
        totp: Given[str] = OMIT,
        recovery_code: Given[str] = OMIT,
        passkey: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AuthStepUpAnswer:
        """Confirm your identity for sensitive actions."""
        _answer: m.AuthStepUpAnswer = await self._json(
            "POST",
            "/auth/step-up",
            lambda: m.AuthStepUpAnswer,
            call_options,
            body={"password": password, "totp": totp, "recovery_code": recovery_code, "passkey": passkey},
        )
        return _answer

    async def me(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Get the signed-in person."""
        _answer: m.Me = await self._json(
            "GET",
            "/auth/me",
            lambda: m.Me,
            call_options,
        )
        return _answer

    async def update_me(
        self,
        *,
        name: Given[Union[Literal[""], str]] = OMIT,
        time_zone: Given[Union[str, None]] = OMIT,
        locale: Given[Union[str, None]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Me:
        """Update the signed-in person."""
        _answer: m.Me = await self._json(
            "PATCH",
            "/auth/me",
            lambda: m.Me,
            call_options,
            body={"name": name, "time_zone": time_zone, "locale": locale},
        )
        return _answer

    def sessions(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Session, ListBody[m.Session]]:
        """List your sessions."""
        return self._page(
            "GET",
            "/auth/sessions",
            lambda: ListBody[m.Session],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def end_session(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """End one of your sessions."""
        return await self._none(
            "DELETE",
            f"/auth/sessions/{quote(id)}",
            call_options,
        )
