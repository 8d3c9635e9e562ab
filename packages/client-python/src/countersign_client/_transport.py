"""One HTTP call over httpx: headers, time limit, retries, and errors. No other module imports httpx."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import AsyncIterator, Dict, Iterator, Mapping, Optional, Union

import httpx

from . import _retry
from ._errors import CountersignError, NetworkError, status_error
from ._options import Settings


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    """Below ``/api/v1``."""
    query: Mapping[str, object]
    headers: Mapping[str, str]
    body: Optional[bytes]
    retries: int
    timeout: float
    follows: bool = False
    """Follows redirects, as downloads need."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def request_id(self) -> Optional[str]:
        return self.headers.get("x-request-id")


def _query(query: Mapping[str, object]) -> Dict[str, Union[str, list[str]]]:
    def text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return {
        name: [text(each) for each in value] if isinstance(value, (list, tuple)) else text(value)
        for name, value in query.items()
        if value is not None
    }


def _network_error(base_url: str, error: Exception, answer: Optional[httpx.Response] = None) -> NetworkError:
    what = "could not be reached" if answer is None else "interrupted its answer"
    return NetworkError(
        f"{base_url} {what} ({error or type(error).__name__}).",
        code="network_error",
        status=None if answer is None else answer.status_code,
        request_id=None if answer is None else answer.headers.get("x-request-id"),
    )


def _late(base_url: str, timeout: float) -> NetworkError:
    return NetworkError(f"{base_url} did not answer within {timeout:g} s.", code="timeout")


def _refusal(response: httpx.Response, body: bytes) -> CountersignError:
    headers = response.headers
    retry_after = _retry.parse_retry_after(headers.get("retry-after"), headers.get("date"))
    return status_error(response.status_code, body, headers.get("x-request-id"), retry_after)


# The end of a stream that is silent for three missing comment lines.
_SILENCE_SECONDS = 45.0


def _request(client: Union[httpx.Client, httpx.AsyncClient], settings: Settings, call: Call) -> httpx.Request:
    return client.build_request(
        call.method,
        f"{settings.base_url}/api/v1{call.path}",
        params=_query(call.query),
        headers={**settings.credential, **call.headers},
        content=call.body,
        timeout=httpx.Timeout(call.timeout),
    )


def _next_try(call: Call, error: Exception, attempts: int) -> float:
    """The pause before the next attempt; raises the error if there is none."""
    repeatable = _retry.may_repeat(call.method, "idempotency-key" in call.headers)
    if not repeatable or attempts >= call.retries or not _retry.is_transient(error):
        raise error
    pause = _retry.pause_seconds(error, attempts)
    if pause is None:
        raise error
    return pause


def _is_gone(call: Call, error: Exception, attempts: int) -> bool:
    """An earlier attempt of this DELETE succeeded, and its answer was lost."""
    return attempts > 0 and call.method == "DELETE" and isinstance(error, CountersignError) and error.status == 404


class Transport:
    def __init__(self, settings: Settings, client: Optional[httpx.Client] = None) -> None:
        self.settings = settings
        self._client = httpx.Client() if client is None else client

    def changed(self, settings: Settings) -> Transport:
        """The same connections with other settings."""
        return Transport(settings, self._client)

    def close(self) -> None:
        self._client.close()

    def _attempt(self, call: Call) -> Answer:
        base_url = self.settings.base_url
        request = _request(self._client, self.settings, call)
        response: Optional[httpx.Response] = None
        end = time.monotonic() + call.timeout
        try:
            response = self._client.send(request, stream=True, follow_redirects=call.follows)
            chunks = []
            for chunk in response.iter_bytes():
                if time.monotonic() > end:
                    raise _late(base_url, call.timeout)
                chunks.append(chunk)
        except httpx.TimeoutException as error:
            raise _late(base_url, call.timeout) from error
        except (httpx.TransportError, httpx.StreamError) as error:
            raise _network_error(base_url, error, response) from error
        finally:
            if response is not None:
                response.close()
        body = b"".join(chunks)
        assert response is not None
        if not response.is_success:
            raise _refusal(response, body)
        return Answer(response.status_code, response.headers, body)

    def send(self, call: Call) -> Answer:
        attempts = 0
        while True:
            try:
                return self._attempt(call)
            except CountersignError as error:
                if _is_gone(call, error, attempts):
                    return Answer(204, {}, b"")
                pause = _next_try(call, error, attempts)
            _retry.sleep(pause)
            attempts += 1

    @contextlib.contextmanager
    def stream(self, call: Call) -> Iterator[Iterator[bytes]]:
        """The chunks of one answer; the end of the block closes the connection."""
        base_url = self.settings.base_url
        request = _request(self._client, self.settings, call)
        request.extensions["timeout"] = httpx.Timeout(call.timeout, read=_SILENCE_SECONDS).as_dict()
        try:
            response = self._client.send(request, stream=True)
        except httpx.TimeoutException as error:
            raise _late(base_url, call.timeout) from error
        except httpx.TransportError as error:
            raise _network_error(base_url, error) from error

        def chunks() -> Iterator[bytes]:
            try:
                yield from response.iter_bytes()
            except httpx.TransportError as error:
                raise _network_error(base_url, error, response) from error

        try:
            if not response.is_success:
                raise _refusal(response, response.read())
            yield chunks()
        finally:
            response.close()


class AsyncTransport:
    def __init__(self, settings: Settings, client: Optional[httpx.AsyncClient] = None) -> None:
        self.settings = settings
        self._client = httpx.AsyncClient() if client is None else client

    def changed(self, settings: Settings) -> AsyncTransport:
        """The same connections with other settings."""
        return AsyncTransport(settings, self._client)

    async def close(self) -> None:
        await self._client.aclose()

    async def _attempt(self, call: Call) -> Answer:
        base_url = self.settings.base_url
        request = _request(self._client, self.settings, call)
        response: Optional[httpx.Response] = None
        end = time.monotonic() + call.timeout
        try:
            response = await self._client.send(request, stream=True, follow_redirects=call.follows)
            chunks = []
            async for chunk in response.aiter_bytes():
                if time.monotonic() > end:
                    raise _late(base_url, call.timeout)
                chunks.append(chunk)
        except httpx.TimeoutException as error:
            raise _late(base_url, call.timeout) from error
        except (httpx.TransportError, httpx.StreamError) as error:
            raise _network_error(base_url, error, response) from error
        finally:
            if response is not None:
                await response.aclose()
        body = b"".join(chunks)
        assert response is not None
        if not response.is_success:
            raise _refusal(response, body)
        return Answer(response.status_code, response.headers, body)

    async def send(self, call: Call) -> Answer:
        attempts = 0
        while True:
            try:
                return await self._attempt(call)
            except CountersignError as error:
                if _is_gone(call, error, attempts):
                    return Answer(204, {}, b"")
                pause = _next_try(call, error, attempts)
            await _retry.async_sleep(pause)
            attempts += 1

    @contextlib.asynccontextmanager
    async def stream(self, call: Call) -> AsyncIterator[AsyncIterator[bytes]]:
        """The chunks of one answer; the end of the block closes the connection."""
        base_url = self.settings.base_url
        request = _request(self._client, self.settings, call)
        request.extensions["timeout"] = httpx.Timeout(call.timeout, read=_SILENCE_SECONDS).as_dict()
        try:
            response = await self._client.send(request, stream=True)
        except httpx.TimeoutException as error:
            raise _late(base_url, call.timeout) from error
        except httpx.TransportError as error:
            raise _network_error(base_url, error) from error

        async def chunks() -> AsyncIterator[bytes]:
            try:
                async for chunk in response.aiter_bytes():
                    yield chunk
            except httpx.TransportError as error:
                raise _network_error(base_url, error, response) from error

        try:
            if not response.is_success:
                raise _refusal(response, await response.aread())
            yield chunks()
        finally:
            await response.aclose()
