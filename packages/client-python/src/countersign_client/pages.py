"""Lists: the first page, and an iterator over the items of all pages."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Generator, Generic, Iterator, List, Optional, Protocol, TypeVar

from ._errors import AnswerError
from ._model import HubModel

Item = TypeVar("Item")
Body = TypeVar("Body", bound="PageBody")


class PageBody(Protocol):
    """A page as the hub sends it."""

    @property
    def next_cursor(self) -> Optional[str]: ...


class ListBody(HubModel, Generic[Item]):
    """A page of a list without other fields."""

    data: List[Item]
    next_cursor: Optional[str]
    as_of: str
    """The position from which ``/events`` continues this list."""


def _items(body: Any) -> List[Any]:
    items: List[Any] = body.data
    return items


def _next(body: PageBody, cursor: str) -> None:
    if body.next_cursor == cursor:
        raise AnswerError("The next page has the cursor of the page before.", code="unexpected_answer")


class Page(Generic[Item, Body]):
    """The first page of a list. Iterating it requests the other pages when they are reached."""

    def __init__(self, body: Body, request: Callable[[str], Body]) -> None:
        self.body = body
        """The page as the hub sent it, with all its fields."""
        self._request = request

    @property
    def data(self) -> List[Item]:
        return _items(self.body)

    @property
    def next_cursor(self) -> Optional[str]:
        return self.body.next_cursor

    def pages(self) -> Iterator[Body]:
        """Every page, this one first."""
        body = self.body
        while True:
            yield body
            cursor = body.next_cursor
            if cursor is None:
                return
            body = self._request(cursor)
            _next(body, cursor)

    def __iter__(self) -> Iterator[Item]:
        for body in self.pages():
            yield from _items(body)


class AsyncPage(Generic[Item, Body]):
    """The first page of a list, as ``await`` returns it."""

    def __init__(self, body: Body, pages: AsyncPages[Item, Body]) -> None:
        self.body = body
        """The page as the hub sent it, with all its fields."""
        self._pages = pages

    @property
    def data(self) -> List[Item]:
        return _items(self.body)

    @property
    def next_cursor(self) -> Optional[str]:
        return self.body.next_cursor

    def pages(self) -> AsyncIterator[Body]:
        """Every page, this one first."""
        return self._pages._from(self.body)

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for body in self.pages():
            items: List[Item] = _items(body)
            for item in items:
                yield item


class AsyncPages(Generic[Item, Body]):
    """A list that is requested when it is awaited or iterated."""

    def __init__(self, request: Callable[[Optional[str]], Awaitable[Body]]) -> None:
        self._request = request

    def __await__(self) -> Generator[object, None, AsyncPage[Item, Body]]:
        return self._first().__await__()

    async def _first(self) -> AsyncPage[Item, Body]:
        return AsyncPage(await self._request(None), self)

    async def _from(self, body: Body) -> AsyncIterator[Body]:
        while True:
            yield body
            cursor = body.next_cursor
            if cursor is None:
                return
            body = await self._request(cursor)
            _next(body, cursor)

    async def pages(self) -> AsyncIterator[Body]:
        """Every page, each requested when it is reached."""
        async for body in self._from(await self._request(None)):
            yield body

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for body in self.pages():
            items: List[Item] = _items(body)
            for item in items:
                yield item
