"""The clients: groups of endpoints, and the shortcuts of dispatch."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Mapping, Optional, Type

from typing_extensions import Self, TypedDict, Unpack

from . import _retry
from ._options import (
    DISPATCH_TIMEOUT_DEFAULT,
    OMIT,
    RETRIES_DEFAULT,
    TIMEOUT_DEFAULT,
    CallOptions,
    DispatchOptions,
    Given,
    changed,
    read_seconds,
    read_settings,
)
from ._resource import AsyncCore, Core
from ._resources import AsyncResources, Resources
from ._transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from . import models as m
    from .outcomes import Outcome

POLL_BUDGET: Final = 300.0
_FIRST: Final = 2.0
_FACTOR: Final = 1.5
_CAP: Final = 10.0


class ClientOptions(TypedDict, total=False):
    api_key: str
    token: str
    session: str
    workspace: str
    retries: int
    timeout: float
    dispatch_timeout: float


def _is_final(outcome: Outcome, until_decided: bool) -> bool:
    return outcome.status != "running" and not (until_decided and outcome.status == "approval_required")


def _pause(count: int, left: float) -> float:
    return min(left, _CAP, _FIRST * _FACTOR**count)


def _poll_options(options: Mapping[str, Any]) -> CallOptions:
    """The options of a dispatch that hold for its polls too."""
    kept: CallOptions = {}
    if "workspace" in options:
        kept["workspace"] = options["workspace"]
    if "retries" in options:
        kept["retries"] = options["retries"]
    return kept


class Countersign(Resources):
    """
    The client. ``base_url`` is the hub's root, without ``/api/v1``; give one of ``api_key`` (an agent's), ``token`` (a
    person's), and ``session`` (the cookie's value). Environment: ``COUNTERSIGN_URL``, ``COUNTERSIGN_API_KEY``,
    ``COUNTERSIGN_TOKEN``. Times are in seconds.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        *,
        api_key: Optional[str] = None,
        token: Optional[str] = None,
        session: Optional[str] = None,
        workspace: Optional[str] = None,
        retries: int = RETRIES_DEFAULT,
        timeout: float = TIMEOUT_DEFAULT,
        dispatch_timeout: float = DISPATCH_TIMEOUT_DEFAULT,
    ) -> None:
        settings = read_settings(
            base_url=base_url,
            api_key=api_key,
            token=token,
            session=session,
            workspace=workspace,
            retries=retries,
            timeout=timeout,
            dispatch_timeout=dispatch_timeout,
        )
        self._core = Core(Transport(settings))

    def dispatch(
        self,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        *,
        wait: bool = False,
        **options: Unpack[DispatchOptions],
    ) -> Outcome:
        """
        Sends one action. All attempts carry the same idempotency key, so a retry never pays twice. With ``wait``, a
        ``running`` request is polled until it is final, or the time is over.
        """
        from .outcomes import outcome_of

        request = self.service_requests.dispatch(service=service, operation=operation, payload=payload, **options)
        outcome = outcome_of(request)
        return self._poll(outcome, POLL_BUDGET, False, _poll_options(options)) if wait else outcome

    def poll(
        self, id: str, *, budget: float = POLL_BUDGET, until_decided: bool = False, **options: Unpack[CallOptions]
    ) -> Outcome:
        """
        Reads a request until it is final; one that still runs at the end of the time is ``Running``. With
        ``until_decided``, a person's decision is waited for too.
        """
        read_seconds("budget", budget)
        return self._poll(self._look(id, options), budget, until_decided, options)

    def estimate(
        self,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        *,
        agent_id: Given[str] = OMIT,
        **options: Unpack[CallOptions],
    ) -> m.Estimate:
        """The outcome that dispatch would have now; changes nothing."""
        return self.service_requests.estimate(
            service=service, operation=operation, payload=payload, agent_id=agent_id, **options
        )

    def _look(self, id: str, options: CallOptions) -> Outcome:
        from .outcomes import outcome_of

        return outcome_of(self.service_requests.get(id, **options))

    def _poll(self, outcome: Outcome, left: float, until_decided: bool, options: CallOptions) -> Outcome:
        count = 0
        while not _is_final(outcome, until_decided) and left > 0:
            pause = _pause(count, left)
            _retry.sleep(pause)
            began = time.monotonic()
            outcome = self._look(outcome.id, options)
            left -= pause + time.monotonic() - began
            count += 1
        return outcome

    def with_options(self, **options: Unpack[ClientOptions]) -> Countersign:
        """A client of the same connections with other options."""
        other = Countersign.__new__(Countersign)
        other._core = Core(self._core.transport.changed(changed(self._core.settings, options)))
        return other

    def close(self) -> None:
        self._core.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


class AsyncCountersign(AsyncResources):
    """The asynchronous client; its options are those of ``Countersign``."""

    def __init__(
        self,
        base_url: Optional[str] = None,
        *,
        api_key: Optional[str] = None,
        token: Optional[str] = None,
        session: Optional[str] = None,
        workspace: Optional[str] = None,
        retries: int = RETRIES_DEFAULT,
        timeout: float = TIMEOUT_DEFAULT,
        dispatch_timeout: float = DISPATCH_TIMEOUT_DEFAULT,
    ) -> None:
        settings = read_settings(
            base_url=base_url,
            api_key=api_key,
            token=token,
            session=session,
            workspace=workspace,
            retries=retries,
            timeout=timeout,
            dispatch_timeout=dispatch_timeout,
        )
        self._core = AsyncCore(AsyncTransport(settings))

    async def dispatch(
        self,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        *,
        wait: bool = False,
        **options: Unpack[DispatchOptions],
    ) -> Outcome:
        """
        Sends one action. All attempts carry the same idempotency key, so a retry never pays twice. With ``wait``, a
        ``running`` request is polled until it is final, or the time is over.
        """
        from .outcomes import outcome_of

        request = await self.service_requests.dispatch(
            service=service, operation=operation, payload=payload, **options
        )
        outcome = outcome_of(request)
        return await self._poll(outcome, POLL_BUDGET, False, _poll_options(options)) if wait else outcome

    async def poll(
        self, id: str, *, budget: float = POLL_BUDGET, until_decided: bool = False, **options: Unpack[CallOptions]
    ) -> Outcome:
        """
        Reads a request until it is final; one that still runs at the end of the time is ``Running``. With
        ``until_decided``, a person's decision is waited for too.
        """
        read_seconds("budget", budget)
        return await self._poll(await self._look(id, options), budget, until_decided, options)

    async def estimate(
        self,
        service: str,
        operation: str,
        payload: Mapping[str, Any],
        *,
        agent_id: Given[str] = OMIT,
        **options: Unpack[CallOptions],
    ) -> m.Estimate:
        """The outcome that dispatch would have now; changes nothing."""
        return await self.service_requests.estimate(
            service=service, operation=operation, payload=payload, agent_id=agent_id, **options
        )

    async def _look(self, id: str, options: CallOptions) -> Outcome:
        from .outcomes import outcome_of

        return outcome_of(await self.service_requests.get(id, **options))

    async def _poll(self, outcome: Outcome, left: float, until_decided: bool, options: CallOptions) -> Outcome:
        count = 0
        while not _is_final(outcome, until_decided) and left > 0:
            pause = _pause(count, left)
            await _retry.async_sleep(pause)
            began = time.monotonic()
            outcome = await self._look(outcome.id, options)
            left -= pause + time.monotonic() - began
            count += 1
        return outcome

    def with_options(self, **options: Unpack[ClientOptions]) -> AsyncCountersign:
        """A client of the same connections with other options."""
        other = AsyncCountersign.__new__(AsyncCountersign)
        other._core = AsyncCore(self._core.transport.changed(changed(self._core.settings, options)))
        return other

    async def close(self) -> None:
        await self._core.transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        await self.close()
