"""Calls the model door with the official client of OpenAI, and prints what it received."""

import asyncio
import json
import os
from typing import Any, Dict, List

from openai import APIStatusError, AsyncOpenAI, OpenAI

url = os.environ["COUNTERSIGN_URL"] + "/v1"
client = OpenAI(base_url=url, api_key=os.environ["COUNTERSIGN_API_KEY"])
poor = OpenAI(base_url=url, api_key=os.environ["POOR_API_KEY"])
tools: Any = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
script = '#script\nsay One moment.\nusage 1000 50 200\nlocal weather {"city":"Łódź"}\n---\nsay It is 20 degrees.'
messages: List[Any] = [{"role": "user", "content": script}]

with client.chat.completions.stream(
    model="offline/echo-priced", messages=messages, tools=tools, stream_options={"include_usage": True}
) as stream:
    deltas = [event.delta for event in stream if event.type == "content.delta"]
    completion = stream.get_final_completion()
first = completion.choices[0]
call = first.message.tool_calls[0]
messages += [
    first.message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}),
    {"role": "tool", "tool_call_id": call.id, "content": "20"},
]
second = client.chat.completions.create(model="offline/echo-priced", messages=messages, tools=tools)
response = client.responses.create(model="offline/echo", input="#script\nsay Sunny.")


async def at_once() -> List[str]:
    async with AsyncOpenAI(base_url=url, api_key=client.api_key) as other:

        async def read(at: int) -> str:
            chunks = await other.chat.completions.create(
                model="offline/echo", messages=[{"role": "user", "content": f"number {at}"}], stream=True
            )
            return "".join([choice.delta.content or "" async for chunk in chunks for choice in chunk.choices])

        return list(await asyncio.gather(*[read(at) for at in range(8)]))


def refusal(stream: bool) -> Dict[str, Any]:
    try:
        poor.chat.completions.create(
            model="offline/echo-priced", messages=[{"role": "user", "content": "hello"}], stream=stream
        )
    except APIStatusError as error:
        return {"status": error.status_code, "type": type(error).__name__, "code": error.code, "message": str(error)}
    raise AssertionError("the call was not refused")


usage: Any = completion.usage
print(
    json.dumps(
        {
            "deltas": deltas,
            "finish": first.finish_reason,
            "call": [call.function.name, json.loads(call.function.arguments)],
            "cost": usage.cost,
            "answer": second.choices[0].message.content,
            "response": response.output_text,
            "at_once": asyncio.run(at_once()),
            "models": len(client.models.list().data),
            "refusals": [refusal(False), refusal(True)],
        }
    )
)
