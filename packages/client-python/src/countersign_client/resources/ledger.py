# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List

from typing_extensions import Unpack

from .. import models as m
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given, KeyedOptions
from .._resource import AsyncResource, Resource


class Ledger(Resource):
    def balance(
        self,
        *,
        teamId: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Balance:
        """Get the balance."""
        _answer: m.Balance = self._json(
            "GET",
            "/balance",
            lambda: m.Balance,
            call_options,
            query={"teamId": teamId},
        )
        return _answer

    def top_up(
        self,
        *,
        amount_cents: int,
        note: Given[str] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.TopUp:
        """Credit the wallet."""
        _answer: m.TopUp = self._json(
            "POST",
            "/balance/top-up",
            lambda: m.TopUp,
            call_options,
            body={"amount_cents": amount_cents, "note": note},
            keyed=True,
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        account: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.LedgerEntry, ListBody[m.LedgerEntry]]:
        """List ledger entries."""
        return self._page(
            "GET",
            "/ledger",
            lambda: ListBody[m.LedgerEntry],
            call_options,
            query={"limit": limit, "cursor": cursor, "account": account},
        )


class AsyncLedger(AsyncResource):
    async def balance(
        self,
        *,
        teamId: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Balance:
        """Get the balance."""
        _answer: m.Balance = await self._json(
            "GET",
            "/balance",
            lambda: m.Balance,
            call_options,
            query={"teamId": teamId},
        )
        return _answer

    async def top_up(
        self,
        *,
        amount_cents: int,
        note: Given[str] = OMIT,
        **call_options: Unpack[KeyedOptions],
    ) -> m.TopUp:
        """Credit the wallet."""
        _answer: m.TopUp = await self._json(
            "POST",
            "/balance/top-up",
            lambda: m.TopUp,
            call_options,
            body={"amount_cents": amount_cents, "note": note},
            keyed=True,
        )
        return _answer

    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        account: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.LedgerEntry, ListBody[m.LedgerEntry]]:
        """List ledger entries."""
        return self._page(
            "GET",
            "/ledger",
            lambda: ListBody[m.LedgerEntry],
            call_options,
            query={"limit": limit, "cursor": cursor, "account": account},
        )
