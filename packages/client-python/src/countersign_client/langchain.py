"""Tools for LangChain: ``pip install countersign-client[langchain]``."""

from __future__ import annotations

import contextvars
import json
import uuid
from typing import Any, List, Optional, Sequence

from langchain_core.tools import BaseTool
from pydantic import PrivateAttr

from ._client import Countersign
from . import _tools as t

# The id of the tool call that runs, for the idempotency key: a repeated call does not execute twice.
_call_id: contextvars.ContextVar[Optional[str]] = contextvars.ContextVar("countersign_call_id", default=None)


class _HubTool(BaseTool):
    _client: Countersign = PrivateAttr()

    def run(self, tool_input: Any, *args: Any, tool_call_id: Optional[str] = None, **kwargs: Any) -> Any:
        token = _call_id.set(tool_call_id)
        try:
            return super().run(tool_input, *args, tool_call_id=tool_call_id, **kwargs)
        finally:
            _call_id.reset(token)

    async def arun(self, tool_input: Any, *args: Any, tool_call_id: Optional[str] = None, **kwargs: Any) -> Any:
        token = _call_id.set(tool_call_id)
        try:
            return await super().arun(tool_input, *args, tool_call_id=tool_call_id, **kwargs)
        finally:
            _call_id.reset(token)


class OperationTool(_HubTool):
    """One operation that the agent is bound to."""

    _bound: t.Bound = PrivateAttr()
    _run_id: str = PrivateAttr()
    _wait: bool = PrivateAttr()

    def _run(self, **payload: Any) -> str:
        payload.pop("config", None)
        payload.pop("run_manager", None)
        outcome = self._client.dispatch(
            self._bound.service,
            self._bound.operation,
            payload,
            idempotency_key=f"{self._run_id}:{_call_id.get() or uuid.uuid4()}",
        )
        if self._wait:
            outcome = self._client.poll(outcome.id, until_decided=True)
        return json.dumps(t.result_of(outcome))


class WaitTool(_HubTool):
    """``countersign_wait``."""

    def _run(self, service_request_id: str, seconds: int = t.WAIT_DEFAULT) -> str:
        budget = t.wait_seconds({"seconds": seconds})
        return json.dumps(t.result_of(self._client.poll(service_request_id, budget=budget, until_decided=True)))


def tools(
    client: Countersign,
    *,
    run_id: Optional[str] = None,
    wait: bool = False,
    services: Optional[Sequence[str]] = None,
) -> List[BaseTool]:
    """
    One tool for each operation that the agent is bound to, and ``countersign_wait``. ``run_id`` is a part of every
    idempotency key; ``wait`` waits for a person's decision in the call itself, at most five minutes.
    """
    run = run_id or str(uuid.uuid4())
    found: List[BaseTool] = []
    catalog = [client.services.get(each.name) for each in client.services.list() if t.is_wanted(each.name, services)]
    for bound in t.bound(catalog):
        tool = OperationTool(name=bound.name, description=bound.description, args_schema=bound.schema)
        tool._client, tool._bound, tool._run_id, tool._wait = client, bound, run, wait
        found.append(tool)
    waiting = WaitTool(name=t.WAIT_NAME, description=t.WAIT_DESCRIPTION, args_schema=t.WAIT_SCHEMA)
    waiting._client = client
    return [*found, waiting]


__all__ = ["tools"]
