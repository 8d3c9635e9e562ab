"""Tools for OpenAI Agents: ``pip install countersign-client[openai-agents]``. Leave its own approval off."""

from __future__ import annotations

import json
import uuid
from typing import Any, Dict, List, Optional, Sequence

from agents import FunctionTool
from agents.tool_context import ToolContext

from . import _tools as t
from ._client import AsyncCountersign


def _input(text: str) -> Dict[str, Any]:
    value = json.loads(text or "{}")
    return value if isinstance(value, dict) else {}


def _operation(client: AsyncCountersign, bound: t.Bound, run_id: str, wait: bool) -> FunctionTool:
    async def invoke(context: ToolContext[Any], text: str) -> str:
        outcome = await client.dispatch(
            bound.service, bound.operation, _input(text), idempotency_key=f"{run_id}:{context.tool_call_id}"
        )
        if wait:
            outcome = await client.poll(outcome.id, until_decided=True)
        return json.dumps(t.result_of(outcome))

    return FunctionTool(
        name=bound.name,
        description=bound.description,
        params_json_schema=bound.schema,
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )


def _waiting(client: AsyncCountersign) -> FunctionTool:
    async def invoke(context: ToolContext[Any], text: str) -> str:
        given = _input(text)
        budget = t.wait_seconds(given)
        outcome = await client.poll(str(given.get("service_request_id")), budget=budget, until_decided=True)
        return json.dumps(t.result_of(outcome))

    return FunctionTool(
        name=t.WAIT_NAME,
        description=t.WAIT_DESCRIPTION,
        params_json_schema=t.WAIT_SCHEMA,
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )


async def tools(
    client: AsyncCountersign,
    *,
    run_id: Optional[str] = None,
    wait: bool = False,
    services: Optional[Sequence[str]] = None,
) -> List[FunctionTool]:
    """
    One tool for each operation that the agent is bound to, and ``countersign_wait``. ``run_id`` is a part of every
    idempotency key; ``wait`` waits for a person's decision in the call itself, at most five minutes.
    """
    run = run_id or str(uuid.uuid4())
    catalog = [
        await client.services.get(each.name)
        async for each in client.services.list()
        if t.is_wanted(each.name, services)
    ]
    return [*(_operation(client, bound, run, wait) for bound in t.bound(catalog)), _waiting(client)]


__all__ = ["tools"]
