"""Calls the tools of the adapters as their frameworks do; prints what they answered."""

import asyncio
import json
from typing import Any, Dict, List

from agents import FunctionTool
from agents.tool_context import ToolContext
from countersign_client import AsyncCountersign, Countersign
from countersign_client import openai_agents
from langchain_agent import agent_tools

client = Countersign()
found = {tool.name: tool for tool in agent_tools(client, "run-2")}
call: Dict[str, Any] = {"type": "tool_call", "id": "call_1", "name": "echo__say", "args": {"text": "d"}}
messages = [found["echo__say"].invoke(call), found["echo__say"].invoke(call)]
outcomes: List[Dict[str, Any]] = [json.loads(message.content) for message in messages]
waited = json.loads(
    found["countersign_wait"].invoke(
        {
            "type": "tool_call",
            "id": "call_2",
            "name": "countersign_wait",
            "args": {"service_request_id": outcomes[0]["service_request_id"]},
        }
    ).content
)


async def run() -> List[Dict[str, Any]]:
    async with AsyncCountersign() as other:
        tools = {tool.name: tool for tool in await openai_agents.tools(other, run_id="run-3")}
        tool = tools["echo__say"]
        assert isinstance(tool, FunctionTool)
        arguments = json.dumps({"text": "e"})
        context = ToolContext(context=None, tool_name=tool.name, tool_call_id="call_1", tool_arguments=arguments)
        return [json.loads(await tool.on_invoke_tool(context, arguments)) for _ in range(2)]


print(json.dumps({"names": sorted(found), "langchain": outcomes, "waited": waited, "agents": asyncio.run(run())}))
