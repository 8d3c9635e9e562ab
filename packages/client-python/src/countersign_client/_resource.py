"""
The base of all resources: from arguments to a call, and from an answer to a model. pydantic, which takes longer to import
than everything else, is imported by the first call, and so are the modules that use it.
"""

from __future__ import annotations

import json
import uuid
from functools import lru_cache
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncContextManager,
    AsyncIterator,
    Callable,
    ContextManager,
    Dict,
    Iterator,
    Mapping,
    Optional,

)
from urllib.parse import quote as _quote

from ._errors import AnswerError, input_error
from ._options import Omit, Settings, read_idempotency_key, read_retries, read_seconds, read_token
from ._transport import Answer, AsyncTransport, Call, Transport
from .events import AsyncEventStream, EventStream

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from .chat import AsyncChatTurn, ChatTurn, Resume
    from .pages import AsyncPages, Page

_LONG_PATHS = ("/service-requests", "/test-requests", "/chat/turn")


def quote(value: str) -> str:
    """A path parameter. An empty one would address another endpoint."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise input_error("path", "expected a text that is not empty")
    return _quote(value, safe="")


@lru_cache(maxsize=None)
def _adapter(type_: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(type_)


def _unreadable(answer: Answer, message: str, code: str = "unreadable_answer") -> AnswerError:
    return AnswerError(message, code=code, status=answer.status, request_id=answer.request_id)


def _json(answer: Answer) -> Any:
    try:
        return json.loads(answer.body)
    except ValueError:
        what = "no body" if answer.body == b"" else answer.headers.get("content-type", "text")
        message = f"The answer is not JSON but {what}. Is this the hub's address?"
        raise _unreadable(answer, message) from None


def decode(answer: Answer, type_: Callable[[], Any]) -> Any:
    """The model of an answer. Unknown fields and values are kept."""
    from pydantic import ValidationError

    value = _json(answer)
    try:
        return _adapter(type_()).validate_python(value)
    except ValidationError as error:
        problems = [
            {"path": ".".join(str(part) for part in each["loc"]), "message": each["msg"]} for each in error.errors()
        ]
        failure = _unreadable(answer, "The answer has an unexpected form. Update this client.", "unexpected_answer")
        failure.details = problems
        raise failure from None


def _text(answer: Answer) -> str:
    if answer.headers.get("content-type", "").startswith("application/json"):
        raise _unreadable(answer, "The answer is JSON where text is expected.")
    return answer.body.decode()


def _given(fields: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    return {name: value for name, value in (fields or {}).items() if not isinstance(value, Omit)}


def _make_call(
    settings: Settings,
    method: str,
    path: str,
    options: Any,
    *,
    query: Optional[Mapping[str, Any]] = None,
    body: Optional[Mapping[str, Any]] = None,
    data: Optional[bytes] = None,
    keyed: bool = False,
    accept: str = "application/json, */*;q=0.5",
    follows: bool = False,
) -> Call:
    headers = {"accept": accept}
    workspace = options.get("workspace")
    workspace = settings.workspace if workspace is None else read_token("workspace", workspace)
    if workspace is not None:
        headers["svc-workspace"] = workspace
    if keyed:
        key = options.get("idempotency_key")
        headers["idempotency-key"] = read_idempotency_key(str(uuid.uuid4()) if key is None else key)
    if options.get("test_outcome") is not None:
        headers["x-test-outcome"] = options["test_outcome"]
    if options.get("delegated_task") is not None:
        headers["x-delegated-task"] = read_token("delegated_task", options["delegated_task"])
    content = data
    if body is not None:
        headers["content-type"] = "application/json"
        content = json.dumps(_given(body), ensure_ascii=False, allow_nan=False).encode()
    elif data is not None:
        headers["content-type"] = "application/octet-stream"
    is_long = method == "POST" and path.endswith(_LONG_PATHS)
    retries = options.get("retries")
    timeout = options.get("timeout")
    return Call(
        method=method,
        path=path,
        query=_given(query),
        headers=headers,
        body=content,
        retries=settings.retries if retries is None else read_retries(retries),
        timeout=(settings.dispatch_timeout if is_long else settings.timeout)
        if timeout is None
        else read_seconds("timeout", timeout),
        follows=follows,
    )


def _resumed(call: Call, resume: Resume, body: Optional[Mapping[str, Any]]) -> Call:
    """The call that continues a turn: no new key, because it creates nothing."""
    headers = {name: value for name, value in call.headers.items() if name != "idempotency-key"}
    if resume.last_event_id is not None:
        headers["last-event-id"] = resume.last_event_id
    content = json.dumps({"session_id": (body or {}).get("session_id"), "continue_from": resume.turn_id}).encode()
    return Call(**{**call.__dict__, "headers": headers, "body": content})


def _after(call: Call, last: Optional[str]) -> Call:
    if last is None:
        return call
    return Call(**{**call.__dict__, "headers": {**call.headers, "last-event-id": last}})


class Core:
    """What all resources of a client share."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    @property
    def settings(self) -> Settings:
        return self.transport.settings


class AsyncCore:
    """What all resources of an asynchronous client share."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.transport = transport

    @property
    def settings(self) -> Settings:
        return self.transport.settings


class Resource:
    def __init__(self, core: Core) -> None:
        self._core = core

    def _send(self, method: str, path: str, options: Any, **parts: Any) -> Answer:
        return self._core.transport.send(_make_call(self._core.settings, method, path, options, **parts))

    def _json(self, method: str, path: str, type_: Callable[[], Any], options: Any, **parts: Any) -> Any:
        return decode(self._send(method, path, options, **parts), type_)

    def _none(self, method: str, path: str, options: Any, **parts: Any) -> None:
        self._send(method, path, options, **parts)

    def _text(self, method: str, path: str, options: Any, **parts: Any) -> str:
        return _text(self._send(method, path, options, **parts))

    def _bytes(self, method: str, path: str, options: Any, **parts: Any) -> bytes:
        return self._send(method, path, options, follows=True, **parts).body

    def _page(
        self, method: str, path: str, type_: Callable[[], Any], options: Any, *, query: Mapping[str, Any]
    ) -> Page[Any, Any]:
        from .pages import Page

        def request(cursor: str) -> Any:
            return self._json(method, path, type_, options, query={**query, "cursor": cursor})

        return Page(self._json(method, path, type_, options, query=query), request)

    def _events(self, method: str, path: str, options: Any, **parts: Any) -> EventStream:
        call = _make_call(self._core.settings, method, path, options, accept="text/event-stream", **parts)

        def connect(last: Optional[str]) -> ContextManager[Iterator[bytes]]:
            return self._core.transport.stream(_after(call, last))

        return EventStream(connect, retries=call.retries, is_endless=path == "/events")

    def _turn(self, method: str, path: str, options: Any, **parts: Any) -> ChatTurn:
        from .chat import ChatTurn

        call = _make_call(self._core.settings, method, path, options, accept="text/event-stream", **parts)

        def connect(resume: Optional[Resume]) -> ContextManager[Iterator[bytes]]:
            resumed = call if resume is None else _resumed(call, resume, parts.get("body"))
            return self._core.transport.stream(resumed)

        return ChatTurn(connect, retries=call.retries)


class AsyncResource:
    def __init__(self, core: AsyncCore) -> None:
        self._core = core

    async def _send(self, method: str, path: str, options: Any, **parts: Any) -> Answer:
        return await self._core.transport.send(_make_call(self._core.settings, method, path, options, **parts))

    async def _json(self, method: str, path: str, type_: Callable[[], Any], options: Any, **parts: Any) -> Any:
        return decode(await self._send(method, path, options, **parts), type_)

    async def _none(self, method: str, path: str, options: Any, **parts: Any) -> None:
        await self._send(method, path, options, **parts)

    async def _text(self, method: str, path: str, options: Any, **parts: Any) -> str:
        return _text(await self._send(method, path, options, **parts))

    async def _bytes(self, method: str, path: str, options: Any, **parts: Any) -> bytes:
        return (await self._send(method, path, options, follows=True, **parts)).body

    def _page(
        self, method: str, path: str, type_: Callable[[], Any], options: Any, *, query: Mapping[str, Any]
    ) -> AsyncPages[Any, Any]:
        from .pages import AsyncPages

        async def request(cursor: Optional[str]) -> Any:
            fields = query if cursor is None else {**query, "cursor": cursor}
            return await self._json(method, path, type_, options, query=fields)

        return AsyncPages(request)

    def _events(self, method: str, path: str, options: Any, **parts: Any) -> AsyncEventStream:
        call = _make_call(self._core.settings, method, path, options, accept="text/event-stream", **parts)

        def connect(last: Optional[str]) -> AsyncContextManager[AsyncIterator[bytes]]:
            return self._core.transport.stream(_after(call, last))

        return AsyncEventStream(connect, retries=call.retries, is_endless=path == "/events")

    def _turn(self, method: str, path: str, options: Any, **parts: Any) -> AsyncChatTurn:
        from .chat import AsyncChatTurn

        call = _make_call(self._core.settings, method, path, options, accept="text/event-stream", **parts)

        def connect(resume: Optional[Resume]) -> AsyncContextManager[AsyncIterator[bytes]]:
            resumed = call if resume is None else _resumed(call, resume, parts.get("body"))
            return self._core.transport.stream(resumed)

        return AsyncChatTurn(connect, retries=call.retries)
