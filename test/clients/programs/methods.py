"""
Calls every method of standard input on a hub, synchronously and asynchronously, and prints what came of it: one line of
JSON for each call. Without calls it prints the methods that the clients have.
"""

import asyncio
import json
import sys

from countersign_client import AsyncCountersign, Countersign, CountersignError
from countersign_client._resources import AsyncResources, Resources



def names(value):
    return sorted(name for name in dir(value) if not name.startswith("_"))


def methods_of(client, groups):
    return {group: names(getattr(client, group)) for group in names(groups)}


def report(call, mode, result=None, error=None):
    line = {"id": call["id"], "mode": mode}
    if error is not None:
        line["error"] = {"kind": type(error).__name__, "code": error.code, "status": error.status}
        line["error"]["message"] = str(error)
        line["error"]["details"] = error.details
    print(json.dumps(line))


def find(client, call):
    return getattr(getattr(client, call["group"]), call["method"])


def run(clients, call):
    try:
        arguments = [item.encode() if call["bytes"] else item for item in call["data"]]
        found = find(clients[call["credential"]], call)
        report(call, "sync", found(*call["path"], *arguments, **call["input"], retries=0))
    except CountersignError as error:
        report(call, "sync", error=error)


async def run_async(clients, call):
    try:
        arguments = [item.encode() if call["bytes"] else item for item in call["data"]]
        found = find(clients[call["credential"]], call)
        report(call, "async", await found(*call["path"], *arguments, **call["input"], retries=0))
    except CountersignError as error:
        report(call, "async", error=error)


def credentials(hub):
    return {"session": {"session": hub["session"]}, "key": {"api_key": hub["key"]}}


async def main_async(hub):
    clients = {name: AsyncCountersign(hub["base_url"], **given) for name, given in credentials(hub).items()}
    for call in hub["calls"]:
        await run_async(clients, call)
    for client in clients.values():
        await client.close()


hub = json.load(sys.stdin)
if not hub["calls"]:
    client = Countersign(hub["base_url"])
    other = AsyncCountersign(hub["base_url"])
    print(json.dumps([methods_of(client, Resources), methods_of(other, AsyncResources)]))
else:
    clients = {name: Countersign(hub["base_url"], **given) for name, given in credentials(hub).items()}
    for call in hub["calls"]:
        run(clients, call)
    asyncio.run(main_async(hub))
