"""Runs the transport cases of standard input, and prints what the client did: one line of JSON for each."""

import asyncio
import json
import sys

from countersign_client import AsyncCountersign, Countersign, CountersignError, _retry

REQUEST = "req_01j00000000000000000000000"
SAY = {"service": "echo", "operation": "say", "payload": {"n": 1}}


def facts(error):
    found = {
        "kind": type(error).__name__,
        "code": error.code,
        "status": error.status,
        "request_id": error.request_id,
        "details": error.details or None,
        "data": error.data or None,
    }
    return {name: value for name, value in found.items() if value is not None}


def options_of(case):
    given = case.get("options", {})
    client = {name: given[name] for name in ("retries", "timeout") if name in given}
    call = {"idempotency_key": given["key"]} if "key" in given else {}
    workspace = "org_01j00000000000000000000000"
    return {"base_url": case["base_url"], "api_key": "agent_key_live_abc", "workspace": workspace, **client}, call


def run(case, pauses):
    _retry.sleep = pauses.append
    options, call = options_of(case)
    with Countersign(**options) as client:
        calls = {
            "agents.list": lambda: {"items": len(client.agents.list().data)},
            "secrets.all": lambda: {"items": len(list(client.secrets.list()))},
            "secrets.put": lambda: client.secrets.put("stripe", value="x") and {},
            "secrets.remove": lambda: client.secrets.remove("stripe") or {},
            "agents.create": lambda: client.agents.create(name="a") and {},
            "agents.rotateKey": lambda: client.agents.rotate_key("agt_1") and {},
            "ledger.topUp": lambda: client.ledger.top_up(amount_cents=100, **call) and {},
            "dispatch": lambda: {"status": client.dispatch(**SAY, **call).status},
            "dispatchAndWait": lambda: {"status": client.dispatch(**SAY, wait=True).status},
            "poll": lambda: {"status": client.poll(REQUEST).status},
            "pollUntilDecided": lambda: {"status": client.poll(REQUEST, until_decided=True).status},
        }
        return calls[case["call"]]()


async def run_async(case, pauses):
    async def sleep(seconds):
        pauses.append(seconds)

    _retry.async_sleep = sleep
    options, key = options_of(case)
    async with AsyncCountersign(**options) as client:
        name = case["call"]
        if name == "agents.list":
            return {"items": len((await client.agents.list()).data)}
        if name == "secrets.all":
            return {"items": len([secret async for secret in client.secrets.list()])}
        if name == "secrets.put":
            await client.secrets.put("stripe", value="x")
        if name == "secrets.remove":
            await client.secrets.remove("stripe")
        if name == "agents.create":
            await client.agents.create(name="a")
        if name == "agents.rotateKey":
            await client.agents.rotate_key("agt_1")
        if name == "ledger.topUp":
            await client.ledger.top_up(amount_cents=100, **key)
        if name == "dispatch":
            return {"status": (await client.dispatch(**SAY, **key)).status}
        if name == "dispatchAndWait":
            return {"status": (await client.dispatch(**SAY, wait=True)).status}
        if name == "poll":
            return {"status": (await client.poll(REQUEST)).status}
        if name == "pollUntilDecided":
            return {"status": (await client.poll(REQUEST, until_decided=True)).status}
        return {}


for case in json.load(sys.stdin):
    pauses = []
    try:
        report = run(case, pauses) if case["mode"] == "sync" else asyncio.run(run_async(case, pauses))
    except CountersignError as error:
        report = {"error": facts(error)}
    print(json.dumps({**report, "pauses": pauses}))
