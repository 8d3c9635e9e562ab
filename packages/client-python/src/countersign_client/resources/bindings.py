# Generated from resources/openapi.json by `npm run generate`. Do not edit.
from __future__ import annotations

from typing import Literal, Mapping, Sequence, Union

from typing_extensions import Unpack

from .. import models as m
from .. import params as p
from .._options import OMIT, CallOptions, Given
from .._resource import AsyncResource, Resource, quote


class Bindings(Resource):
    def put(
        self,
        id: str,
        /,
        *,
        service: str,
        operations: Sequence[Union[Literal["*"], str]],
        app_id: Given[str] = OMIT,
        monthly_cap_cents: Given[int] = OMIT,
        daily_request_limit: Given[int] = OMIT,
        approval_threshold_cents: Given[int] = OMIT,
        per_operation: Given[Mapping[str, p.OperationCaps]] = OMIT,
        enabled: Given[bool] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Binding:
        """Bind an agent to a service."""
        _answer: m.Binding = self._json(
            "POST",
            f"/agents/{quote(id)}/services",
            lambda: m.Binding,
            call_options,
            body={"service": service, "operations": operations, "app_id": app_id, "monthly_cap_cents": monthly_cap_cents, "daily_request_limit": daily_request_limit, "approval_threshold_cents": approval_threshold_cents, "per_operation": per_operation, "enabled": enabled, "expected_version": expected_version},
        )
        return _answer

    def disable(
        self,
        id: str,
        service: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Disable a binding."""
        return self._none(
            "DELETE",
            f"/agents/{quote(id)}/services/{quote(service)}",
            call_options,
        )


class AsyncBindings(AsyncResource):
    async def put(
        self,
        id: str,
        /,
        *,
        service: str,
        operations: Sequence[Union[Literal["*"], str]],
        app_id: Given[str] = OMIT,
        monthly_cap_cents: Given[int] = OMIT,
        daily_request_limit: Given[int] = OMIT,
        approval_threshold_cents: Given[int] = OMIT,
        per_operation: Given[Mapping[str, p.OperationCaps]] = OMIT,
        enabled: Given[bool] = OMIT,
        expected_version: Given[int] = OMIT,
        **call_options: Unpack[CallOptions],
    ) -> m.Binding:
        """Bind an agent to a service."""
        _answer: m.Binding = await self._json(
            "POST",
            f"/agents/{quote(id)}/services",
            lambda: m.Binding,
            call_options,
            body={"service": service, "operations": operations, "app_id": app_id, "monthly_cap_cents": monthly_cap_cents, "daily_request_limit": daily_request_limit, "approval_threshold_cents": approval_threshold_cents, "per_operation": per_operation, "enabled": enabled, "expected_version": expected_version},
        )
        return _answer

    async def disable(
        self,
        id: str,
        service: str,
        /,
        **call_options: Unpack[CallOptions],
    ) -> None:
        """Disable a binding."""
        return await self._none(
            "DELETE",
            f"/agents/{quote(id)}/services/{quote(service)}",
            call_options,
        )
