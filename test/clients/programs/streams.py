"""Reads the scripted streams of standard input and verifies its webhooks; prints what came of them."""

import asyncio
import json
import sys

from countersign_client import AsyncCountersign, Countersign, CountersignError, SignatureError, TurnError
from countersign_client import _retry, verify_webhook

SAY = {"session_id": "cht_1", "message": "hi"}


async def no_pause(_):
    return None


_retry.sleep = lambda _: None
_retry.async_sleep = no_pause


def sync(addresses):
    def client(name):
        return Countersign(addresses[name], token="svc_pat_live_x")

    def turn(name):
        return client(name).chat.turn(**SAY)

    versions = []
    for event in client("events").events.stream():
        versions.append(event.data["version"])
        if versions[-1] == 3:
            break
    try:
        refused = list(client("events-refused").events.stream())
    except CountersignError as error:
        refused = error.code
    one = turn("turn")
    types = [event.type for event in one]
    try:
        failed = turn("turn-error").final_message()
    except TurnError as error:
        failed = [error.code, error.data["retryable"]]
    return {
        "events": versions,
        "events-refused": refused,
        "turn": [types, one.final_message().id, one.reason],
        "turn-before": turn("turn-before").final_message().id,
        "turn-error": failed,
    }


async def asynchronous(addresses):
    def client(name):
        return AsyncCountersign(addresses[name], token="svc_pat_live_x")

    def turn(name):
        return client(name).chat.turn(**SAY)

    versions = []
    async for event in client("events").events.stream():
        versions.append(event.data["version"])
        if versions[-1] == 3:
            break
    try:
        refused = [event async for event in client("events-refused").events.stream()]
    except CountersignError as error:
        refused = error.code
    one = turn("turn")
    types = [event.type async for event in one]
    try:
        failed = await turn("turn-error").final_message()
    except TurnError as error:
        failed = [error.code, error.data["retryable"]]
    return {
        "events": versions,
        "events-refused": refused,
        "turn": [types, (await one.final_message()).id, one.reason],
        "turn-before": (await turn("turn-before").final_message()).id,
        "turn-error": failed,
    }


def webhook(delivery, secret, now):
    try:
        assert verify_webhook(delivery["body"], delivery["headers"], secret, now=now) == json.loads(delivery["body"])
    except SignatureError as error:
        return error.code
    return None


given = json.load(sys.stdin)
print(
    json.dumps(
        {
            "sync": sync(given["addresses"]["sync"]),
            "async": asyncio.run(asynchronous(given["addresses"]["async"])),
            "webhooks": [webhook(each, given["secret"], given["now"]) for each in given["deliveries"]],
        }
    )
)
