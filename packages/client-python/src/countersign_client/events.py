"""Streams of server-sent events. A connection that is cut is opened again after the last event that was read."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass
from typing import Any, AsyncContextManager, AsyncIterator, Callable, ContextManager, Iterator, List, Optional

from . import _retry
from ._errors import AnswerError, CountersignError

# Attempts in a row without a message before a stream gives up, about 40 s. A client without retries gives up at once.
ATTEMPTS_MAX = 10
_LINE_MAX = 1_048_576


@dataclass(frozen=True)
class ServerEvent:
    id: str
    """The position to resume from."""
    event: str
    data: Any


@dataclass(frozen=True)
class Message:
    id: str
    event: str
    data: str

    def json(self) -> Any:
        try:
            return json.loads(self.data)
        except ValueError:
            raise AnswerError(f"The event {self.event} has no JSON.", code="unreadable_answer") from None


class EventParser:
    """Parses text in pieces of any size (WHATWG HTML, 9.2.6)."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest = ""
        self._id = ""
        self._event = ""
        self._data: List[str] = []
        # A line break may be split between its two characters.
        self._ended_with_return = False

    def push(self, piece: bytes) -> List[Message]:
        text = self._decoder.decode(piece)
        if text == "":
            return []
        if self._ended_with_return and self._rest == "" and text.startswith("\n"):
            text = text[1:]
        self._ended_with_return = text.endswith("\r")
        lines = (self._rest + text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = lines.pop()
        if len(self._rest) > _LINE_MAX:
            raise AnswerError("A line of the event stream does not end.", code="unreadable_answer")
        return [message for line in lines for message in self._take(line)]

    def _take(self, line: str) -> List[Message]:
        if line == "":
            data, event = self._data, self._event
            self._data, self._event = [], ""
            return [Message(self._id, event or "message", "\n".join(data))] if data else []
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        return []


def next_pause(error: Optional[Exception], failures: int, retries: int) -> float:
    """The pause before the stream is opened again; raises the error if it is not."""
    if error is None:
        return _retry.pause_seconds(AssertionError(), failures) or 0.0
    if not _retry.is_transient(error) or failures >= (0 if retries == 0 else ATTEMPTS_MAX):
        raise error
    pause = _retry.pause_seconds(error, failures)
    if pause is None:
        raise error
    return pause


class EventStream:
    """Events that are requested when they are iterated."""

    def __init__(
        self,
        connect: Callable[[Optional[str]], ContextManager[Iterator[bytes]]],
        *,
        retries: int,
        is_endless: bool,
    ) -> None:
        self._connect = connect
        self._retries = retries
        self._is_endless = is_endless

    def __iter__(self) -> Iterator[ServerEvent]:
        last: Optional[str] = None
        failures = 0
        while True:
            failure: Optional[Exception] = None
            try:
                with self._connect(last) as chunks:
                    parser = EventParser()
                    for chunk in chunks:
                        for message in parser.push(chunk):
                            failures = 0
                            last = message.id or last
                            yield ServerEvent(message.id, message.event, message.json())
                if not self._is_endless:
                    return
            except CountersignError as error:
                failure = error
            _retry.sleep(next_pause(failure, failures, self._retries))
            failures += 1


class AsyncEventStream:
    """Events that are requested when they are iterated."""

    def __init__(
        self,
        connect: Callable[[Optional[str]], AsyncContextManager[AsyncIterator[bytes]]],
        *,
        retries: int,
        is_endless: bool,
    ) -> None:
        self._connect = connect
        self._retries = retries
        self._is_endless = is_endless

    async def __aiter__(self) -> AsyncIterator[ServerEvent]:
        last: Optional[str] = None
        failures = 0
        while True:
            failure: Optional[Exception] = None
            try:
                async with self._connect(last) as chunks:
                    parser = EventParser()
                    async for chunk in chunks:
                        for message in parser.push(chunk):
                            failures = 0
                            last = message.id or last
                            yield ServerEvent(message.id, message.event, message.json())
                if not self._is_endless:
                    return
            except CountersignError as error:
                failure = error
            await _retry.async_sleep(next_pause(failure, failures, self._retries))
            failures += 1
