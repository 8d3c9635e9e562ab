"""Which calls are sent again, and after which pause: the rules of every client."""

from __future__ import annotations

import random
import re
import time
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Final, Optional

from ._errors import CountersignError, NetworkError, RateLimitError

_BASE_SECONDS: Final = 0.5
_CAP_SECONDS: Final = 8.0
# A longer Retry-After is not waited out: the 429 is raised at once.
_RETRY_AFTER_MAX: Final = 300.0
_TRANSIENT: Final = frozenset({429, 502, 503, 504})
_REPEATABLE: Final = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})


def sleep(seconds: float) -> None:
    time.sleep(seconds)


async def async_sleep(seconds: float) -> None:
    import asyncio

    await asyncio.sleep(seconds)


def may_repeat(method: str, has_key: bool) -> bool:
    """A POST or PATCH is sent again only with an idempotency key."""
    return has_key or method in _REPEATABLE


def is_transient(error: Exception) -> bool:
    """Whether another attempt of the same call may succeed."""
    if isinstance(error, NetworkError):
        return True
    return isinstance(error, CountersignError) and error.status in _TRANSIENT


def pause_seconds(error: Exception, attempts: int) -> Optional[float]:
    """The pause before the next attempt; ``None`` if the hub requests a longer one than the client waits."""
    if isinstance(error, RateLimitError) and error.retry_after_seconds is not None:
        return error.retry_after_seconds if error.retry_after_seconds <= _RETRY_AFTER_MAX else None
    return random.random() * min(_CAP_SECONDS, _BASE_SECONDS * float(2**attempts))


def _date(text: str) -> Optional[datetime]:
    try:
        date = parsedate_to_datetime(text) if re.match(r"[A-Z][a-z]{2}", text) else None
    except (TypeError, ValueError):
        return None
    return date.replace(tzinfo=timezone.utc) if date is not None and date.tzinfo is None else date


def parse_retry_after(value: Optional[str], date: Optional[str]) -> Optional[float]:
    """Whole seconds, or an HTTP date, which is counted from the answer's own ``Date`` if present."""
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]{1,10}", text) is not None:
        return float(text)
    until = _date(text)
    if until is None:
        return None
    return max(0.0, (until - (_date(date or "") or datetime.now(timezone.utc))).total_seconds())
