# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import List, Literal, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from ..pages import AsyncPages, ListBody, Page
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Policies(Resource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> Page[m.Policy, ListBody[m.Policy]]:
        """List policies."""
        return self._page(
            "GET",
            "/policies",
            lambda: ListBody[m.Policy],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    def create(
        self,
        *,
        name: str,
        when: str,
        then: Literal["allow", "block", "require_approval"],
        position: Given[int] = OMIT,
        enabled: Given[bool] = OMIT,
        required_approvals: Given[int] = OMIT,
        deciders: Given[p.Deciders] = OMIT,
        expires_in_seconds: Given[int] = OMIT,
        reason: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SavedPolicy:
        """Create a policy."""
        _answer: m.SavedPolicy = self._json(
            "POST",
            "/policies",
            lambda: m.SavedPolicy,
            call_options,
            body={"name": name, "position": position, "enabled": enabled, "when": when, "then": then, "required_approvals": required_approvals, "deciders": deciders, "expires_in_seconds": expires_in_seconds, "reason": reason},
        )
        return _answer

    def test(
        self,
        *,
        policy_id: Given[str] = OMIT,
        rule: Given[p.CreatePolicyInput] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        limit: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PolicyReplay:
        """Test a policy on past requests."""
        _answer: m.PolicyReplay = self._json(
            "POST",
            "/policies/test",
            lambda: m.PolicyReplay,
            call_options,
            body={"policy_id": policy_id, "rule": rule, "from": from_, "to": to, "limit": limit},
        )
        return _answer

    def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Policy:
        """Get a policy."""
        _answer: m.Policy = self._json(
            "GET",
            f"/policies/{quote(id)}",
            lambda: m.Policy,
            call_options,
        )
        return _answer

    def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        position: Given[int] = OMIT,
        enabled: Given[bool] = OMIT,
        when: Given[str] = OMIT,
        then: Given[Literal["allow", "block", "require_approval"]] = OMIT,
        required_approvals: Given[Union[int, None]] = OMIT,
        deciders: Given[Union[p.Deciders, None]] = OMIT,
        expires_in_seconds: Given[Union[int, None]] = OMIT,
        reason: Given[str] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SavedPolicy:
        """Change a policy."""
        _answer: m.SavedPolicy = self._json(
            "PATCH",
            f"/policies/{quote(id)}",
            lambda: m.SavedPolicy,
            call_options,
            body={"name": name, "position": position, "enabled": enabled, "when": when, "then": then, "required_approvals": required_approvals, "deciders": deciders, "expires_in_seconds": expires_in_seconds, "reason": reason, "expected_version": expected_version},
        )
        return _answer

    def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a policy."""
        return self._none(
            "DELETE",
            f"/policies/{quote(id)}",
            call_options,
        )


class AsyncPolicies(AsyncResource):
    def list(
        self,
        *,
        limit: Given[int] = OMIT,
        cursor: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> AsyncPages[m.Policy, ListBody[m.Policy]]:
        """List policies."""
        return self._page(
            "GET",
            "/policies",
            lambda: ListBody[m.Policy],
            call_options,
            query={"limit": limit, "cursor": cursor},
        )

    async def create(
        self,
        *,
        name: str,
        when: str,
        then: Literal["allow", "block", "require_approval"],
        position: Given[int] = OMIT,
        enabled: Given[bool] = OMIT,
        required_approvals: Given[int] = OMIT,
        deciders: Given[p.Deciders] = OMIT,
        expires_in_seconds: Given[int] = OMIT,
        reason: Given[str] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SavedPolicy:
        """Create a policy."""
        _answer: m.SavedPolicy = await self._json(
            "POST",
            "/policies",
            lambda: m.SavedPolicy,
            call_options,
            body={"name": name, "position": position, "enabled": enabled, "when": when, "then": then, "required_approvals": required_approvals, "deciders": deciders, "expires_in_seconds": expires_in_seconds, "reason": reason},
        )
        return _answer

    async def test(
        self,
        *,
        policy_id: Given[str] = OMIT,
        rule: Given[p.CreatePolicyInput] = OMIT,
        from_: Given[str] = OMIT,
        to: Given[str] = OMIT,
        limit: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.PolicyReplay:
        """Test a policy on past requests."""
        _answer: m.PolicyReplay = await self._json(
            "POST",
            "/policies/test",
            lambda: m.PolicyReplay,
            call_options,
            body={"policy_id": policy_id, "rule": rule, "from": from_, "to": to, "limit": limit},
        )
        return _answer

    async def get(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> m.Policy:
        """Get a policy."""
        _answer: m.Policy = await self._json(
            "GET",
            f"/policies/{quote(id)}",
            lambda: m.Policy,
            call_options,
        )
        return _answer

    async def update(
        self,
        id: str,
        /,
        *,
        name: Given[str] = OMIT,
        position: Given[int] = OMIT,
        enabled: Given[bool] = OMIT,
        when: Given[str] = OMIT,
        then: Given[Literal["allow", "block", "require_approval"]] = OMIT,
        required_approvals: Given[Union[int, None]] = OMIT,
        deciders: Given[Union[p.Deciders, None]] = OMIT,
        expires_in_seconds: Given[Union[int, None]] = OMIT,
        reason: Given[str] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.SavedPolicy:
        """Change a policy."""
        _answer: m.SavedPolicy = await self._json(
            "PATCH",
            f"/policies/{quote(id)}",
            lambda: m.SavedPolicy,
            call_options,
            body={"name": name, "position": position, "enabled": enabled, "when": when, "then": then, "required_approvals": required_approvals, "deciders": deciders, "expires_in_seconds": expires_in_seconds, "reason": reason, "expected_version": expected_version},
        )
        return _answer

    async def remove(
        self,
        id: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Delete a policy."""
        return await self._none(
            "DELETE",
            f"/policies/{quote(id)}",
            call_options,
        )
