"""Verifies signed webhooks (Standard Webhooks), without a client."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Optional, Union

from ._errors import SignatureError

TOLERANCE_SECONDS = 300.0


def _header(headers: Mapping[str, str], name: str) -> str:
    for key, value in headers.items():
        if key.lower() == name and value:
            return value
    raise SignatureError(f"The header {name} is missing.", code="missing_header")


def _decoded(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def verify_webhook(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance: float = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> Any:
    """
    Returns the event of a delivery whose signature is valid; raises ``SignatureError`` otherwise. ``body`` is the body
    as it arrived, before any parser; ``secret`` is the endpoint's ``whsec_…``; ``tolerance`` is in seconds.
    """
    delivery = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    moment = time.time() if now is None else now
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None or abs(moment - int(timestamp)) > tolerance:
        raise SignatureError("The delivery is too old, or its time is in the future.", code="expired_timestamp")
    key = _decoded(secret[6:] if secret.startswith("whsec_") else secret)
    if not key:
        raise SignatureError("The secret is not base64.", code="invalid_secret")
    text = body.encode() if isinstance(body, str) else body
    expected = hmac.new(key, f"{delivery}.{timestamp}.".encode() + text, hashlib.sha256).digest()
    is_valid = False
    # All are tried, because a secret that was rotated signs twice.
    for each in signatures.split(" "):
        version, _, value = each.partition(",")
        signature = _decoded(value) if version == "v1" else None
        if signature is not None and hmac.compare_digest(signature, expected):
            is_valid = True
    if not is_valid:
        raise SignatureError("No signature is valid for this body.", code="invalid_signature")
    try:
        return json.loads(text)
    except ValueError:
        raise SignatureError("The body is signed and not JSON.", code="unreadable_body") from None
