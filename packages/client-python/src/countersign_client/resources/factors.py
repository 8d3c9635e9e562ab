# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Factors(Resource):
    def list(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.FactorList:
        """List your second factors."""
        _answer: m.FactorList = self._json(
            "GET",
            "/auth/factors",
            lambda: m.FactorList,
            call_options,
        )
        return _answer

    def add(
        self,
        *,
        kind: Union[Literal["totp"], Literal["passkey"]],
        id: Given[str] = OMIT,
        code: Given[str] = OMIT,
        name: Given[str] = OMIT,
        credential: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AddedFactor:
        """Add a second factor."""
        _answer: m.AddedFactor = self._json(
            "POST",
            "/auth/factors",
            lambda: m.AddedFactor,
            call_options,
            body={"kind": kind, "id": id, "code": code, "name": name, "credential": credential},
        )
        return _answer

    def totp_options(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.TotpEnrollment:
        """Create the secret of an authenticator app."""
        _answer: m.TotpEnrollment = self._json(
            "POST",
            "/auth/factors/totp/options",
            lambda: m.TotpEnrollment,
            call_options,
        )
        return _answer

    def passkey_options(
        self,
        *,
        purpose: Literal["register", "login", "step_up"],
        challenge_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Dict[str, Any]:
        """Get the options of a passkey call."""
        _answer: Dict[str, Any] = self._json(
            "POST",
            "/auth/factors/passkey/options",
            lambda: Dict[str, Any],
            call_options,
            body={"purpose": purpose, "challenge_id": challenge_id},
        )
        return _answer

    def recovery_codes(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.FactorsRecoveryCodesAnswer:
        """Replace your recovery codes."""
        _answer: m.FactorsRecoveryCodesAnswer = self._json(
            "POST",
            "/auth/factors/recovery-codes",
            lambda: m.FactorsRecoveryCodesAnswer,
            call_options,
        )
        return _answer

    def rename(
        self,
        id: str,
        /,
        *,
        name: str,
        **call_options: Unpack[CallOptions],
    ) -> m.Factor:
        """Rename a second factor."""
        _answer: m.Factor = self._json(
            "PATCH",
            f"/auth/factors/{quote(id)}",
            lambda: m.Factor,
            call_options,
            body={"name": name},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a second factor."""
        return self._none(
            "DELETE",
            f"/auth/factors/{quote(id)}",
            call_options,
        )


class AsyncFactors(AsyncResource):
    async def list(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.FactorList:
        """List your second factors."""
        _answer: m.FactorList = await self._json(
            "GET",
            "/auth/factors",
            lambda: m.FactorList,
            call_options,
        )
        return _answer

    async def add(
        self,
        *,
        kind: Union[Literal["totp"], Literal["passkey"]],
        id: Given[str] = OMIT,
        code: Given[str] = OMIT,
        name: Given[str] = OMIT,
        credential: Given[Mapping[str, Any]] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.AddedFactor:
        """Add a second factor."""
        _answer: m.AddedFactor = await self._json(
            "POST",
            "/auth/factors",
            lambda: m.AddedFactor,
            call_options,
            body={"kind": kind, "id": id, "code": code, "name": name, "credential": credential},
        )
        return _answer

    async def totp_options(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.TotpEnrollment:
        """Create the secret of an authenticator app."""
        _answer: m.TotpEnrollment = await self._json(
            "POST",
            "/auth/factors/totp/options",
            lambda: m.TotpEnrollment,
            call_options,
        )
        return _answer

    async def passkey_options(
        self,
        *,
        purpose: Literal["register", "login", "step_up"],
        challenge_id: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Dict[str, Any]:
        """Get the options of a passkey call."""
        _answer: Dict[str, Any] = await self._json(
            "POST",
            "/auth/factors/passkey/options",
            lambda: Dict[str, Any],
            call_options,
            body={"purpose": purpose, "challenge_id": challenge_id},
        )
        return _answer

    async def recovery_codes(
        self,
        **call_options: Unpack[CallOptions],
    ) -> m.FactorsRecoveryCodesAnswer:
        """Replace your recovery codes."""
        _answer: m.FactorsRecoveryCodesAnswer = await self._json(
            "POST",
            "/auth/factors/recovery-codes",
            lambda: m.FactorsRecoveryCodesAnswer,
            call_options,
        )
        return _answer

    async def rename(
        self,
        id: str,
        /,
        *,
        name: str,
        **call_options: Unpack[CallOptions],
    ) -> m.Factor:
        """Rename a second factor."""
        _answer: m.Factor = await self._json(
            "PATCH",
            f"/auth/factors/{quote(id)}",
            lambda: m.Factor,
            call_options,
            body={"name": name},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Remove a second factor."""
        return await self._none(
            "DELETE",
            f"/auth/factors/{quote(id)}",
            call_options,
        )
