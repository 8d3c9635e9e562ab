"""Chat turns: events that resume after a cut, and the final message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, AsyncContextManager, AsyncIterator, Callable, ContextManager, Dict, Iterator, List, Optional

from . import _retry
from ._errors import CountersignError, NetworkError, TurnError
from ._model import HubModel
from .events import EventParser, Message, next_pause


class ChatMessage(HubModel):
    id: str
    role: str
    parts: List[Dict[str, Any]]
    parent_id: Optional[str] = None
    created_at: str


class ChatEvent(HubModel):
    """
    One event of a turn. ``type`` is one of ``model``, ``status``, ``thinking``, ``message_delta``, ``tool_planned``,
    ``tool_executing``, ``tool_done``, ``tool_pending``, ``local_tools_pending``, ``usage``, ``message``, ``done``, and
    ``error``; a type that is unknown here comes from a newer hub. The other fields are those of the type.
    """

    type: str
    turn_id: str
    seq: int
    delta: Optional[str] = None
    part: Optional[int] = None
    offset: Optional[int] = None
    """Counts UTF-16 units of the part."""
    call_id: Optional[str] = None
    service: Optional[str] = None
    operation: Optional[str] = None
    payload: Optional[Any] = None
    status: Optional[str] = None
    service_request_id: Optional[str] = None
    approval_id: Optional[str] = None
    cost_cents: Optional[int] = None
    calls: Optional[List[Dict[str, Any]]] = None
    result: Optional[Any] = None
    reason: Optional[str] = None
    reason_code: Optional[str] = None
    message: Optional[Any] = None
    """The message of ``message``, and the text of ``error``."""
    code: Optional[str] = None
    retryable: Optional[bool] = None
    block: Optional[Dict[str, Any]] = None


@dataclass(frozen=True)
class Resume:
    turn_id: str
    last_event_id: Optional[str]


class _State:
    """What is known of a turn: each event is delivered once."""

    def __init__(self) -> None:
        self.turn_id: Optional[str] = None
        self.reason: Optional[str] = None
        self.message: Optional[ChatMessage] = None
        self.failure: Optional[TurnError] = None
        self.is_iterated = False
        self._last_id: Optional[str] = None
        self._last_seq = -1

    def begin(self) -> None:
        if self.is_iterated:
            raise RuntimeError("A chat turn is iterated once.")
        self.is_iterated = True

    @property
    def resume(self) -> Optional[Resume]:
        return None if self.turn_id is None else Resume(self.turn_id, self._last_id)

    def take(self, message: Message) -> Optional[ChatEvent]:
        self._last_id = message.id or self._last_id
        event = ChatEvent.model_validate({**message.json(), "type": message.event})
        if event.seq <= self._last_seq:
            return None
        self._last_seq = event.seq
        self.turn_id = event.turn_id
        if event.type == "message":
            self.message = ChatMessage.model_validate(event.message)
        elif event.type == "done":
            self.reason = event.reason
        elif event.type == "error":
            self.failure = TurnError(
                str(event.message),
                code=event.code or "unknown",
                data={"retryable": event.retryable, "block": event.block},
            )
        return event

    def final(self) -> Optional[ChatMessage]:
        if self.failure is not None:
            raise self.failure
        return self.message


def _is_last(event: ChatEvent) -> bool:
    return event.type in ("done", "error")


def _cut() -> NetworkError:
    return NetworkError("The stream of the turn ended without its last event.", code="network_error")


class ChatTurn:
    """One turn, sent when it is iterated or when its final message is read. It is iterated at most once."""

    def __init__(self, connect: Callable[[Optional[Resume]], ContextManager[Iterator[bytes]]], *, retries: int) -> None:
        self._connect = connect
        self._retries = retries
        self._state = _State()

    @property
    def turn_id(self) -> Optional[str]:
        """The id of the turn, after its first event."""
        return self._state.turn_id

    @property
    def reason(self) -> Optional[str]:
        """Why the turn stopped: ``end``, ``pending_approval``, ``pending_local_tools``, ``paused``, ``cancelled``."""
        return self._state.reason

    def __iter__(self) -> Iterator[ChatEvent]:
        self._state.begin()
        failures = 0
        while True:
            try:
                with self._connect(self._state.resume) as chunks:
                    parser = EventParser()
                    for chunk in chunks:
                        for message in parser.push(chunk):
                            failures = 0
                            event = self._state.take(message)
                            if event is None:
                                continue
                            yield event
                            if _is_last(event):
                                return
                raise _cut()
            except CountersignError as error:
                pause = next_pause(error, failures, self._retries)
            _retry.sleep(pause)
            failures += 1

    def final_message(self) -> Optional[ChatMessage]:
        """Reads the turn to its end. ``None`` if the turn stopped before a message, see ``reason``."""
        if not self._state.is_iterated:
            for _ in self:
                pass
        return self._state.final()


class AsyncChatTurn:
    """One turn, sent when it is iterated or when its final message is read. It is iterated at most once."""

    def __init__(
        self, connect: Callable[[Optional[Resume]], AsyncContextManager[AsyncIterator[bytes]]], *, retries: int
    ) -> None:
        self._connect = connect
        self._retries = retries
        self._state = _State()

    @property
    def turn_id(self) -> Optional[str]:
        """The id of the turn, after its first event."""
        return self._state.turn_id

    @property
    def reason(self) -> Optional[str]:
        """Why the turn stopped: ``end``, ``pending_approval``, ``pending_local_tools``, ``paused``, ``cancelled``."""
        return self._state.reason

    async def __aiter__(self) -> AsyncIterator[ChatEvent]:
        self._state.begin()
        failures = 0
        while True:
            try:
                async with self._connect(self._state.resume) as chunks:
                    parser = EventParser()
                    async for chunk in chunks:
                        for message in parser.push(chunk):
                            failures = 0
                            event = self._state.take(message)
                            if event is None:
                                continue
                            yield event
                            if _is_last(event):
                                return
                raise _cut()
            except CountersignError as error:
                pause = next_pause(error, failures, self._retries)
            await _retry.async_sleep(pause)
            failures += 1

    async def final_message(self) -> Optional[ChatMessage]:
        """Reads the turn to its end. ``None`` if the turn stopped before a message, see ``reason``."""
        if not self._state.is_iterated:
            async for _ in self:
                pass
        return self._state.final()
