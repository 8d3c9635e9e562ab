"""The operations that an agent is bound to, as tools of a model: names, schemas, prices, and results."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Set

from . import models as m
from .outcomes import ApprovalRequired, Blocked, Executed, Failed, Outcome

_NAME_MAX = 64
WAIT_NAME = "countersign_wait"
WAIT_DESCRIPTION = "Waits until a pending or running service request has an outcome, and returns it. Free."
WAIT_DEFAULT = 60
WAIT_MAX = 300
WAIT_SCHEMA: Dict[str, Any] = {
    "type": "object",
    "properties": {
        "service_request_id": {"type": "string"},
        "seconds": {"type": "integer", "minimum": 1, "maximum": WAIT_MAX, "default": WAIT_DEFAULT},
    },
    "required": ["service_request_id"],
}


@dataclass(frozen=True)
class Bound:
    """One operation as a tool."""

    service: str
    operation: str
    name: str
    description: str
    schema: Dict[str, Any]


def _name(service: str, operation: str, taken: Set[str]) -> str:
    """``service__operation`` with safe characters; a name that is too long or taken ends with a hash."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{service}__{operation}")
    if len(name) <= _NAME_MAX and name not in taken:
        return name
    digest = hashlib.sha256(f"{service}.{operation}".encode()).hexdigest()[:8]
    return f"{name[: _NAME_MAX - 9]}_{digest}"


def _price(price: Any) -> str:
    kind = getattr(price, "type", None)
    if kind == "fixed":
        return "Free." if price.cents == 0 else f"Costs ${price.cents / 100:.2f}."
    if kind == "quoted":
        return f"Costs at most {price.ceiling} cents (CEL over the payload)."
    return "Priced by tokens."


def bound(services: Iterable[m.CatalogService]) -> List[Bound]:
    found: List[Bound] = []
    taken: Set[str] = set()
    for service in services:
        for operation in service.operations:
            name = _name(service.name, operation.name, taken)
            taken.add(name)
            words = ". ".join(text for text in (operation.title, operation.description) if text)
            description = f"{words or f'{service.name}.{operation.name}'} {_price(operation.price)}"
            schema = {"properties": {}, **operation.payload_schema, "type": "object"}
            found.append(Bound(service.name, operation.name, name, description, schema))
    return found


def is_wanted(name: str, services: Optional[Sequence[str]]) -> bool:
    return services is None or name in services


def wait_seconds(input: Mapping[str, Any]) -> float:
    return float(min(max(1, int(input.get("seconds", WAIT_DEFAULT))), WAIT_MAX))


def result_of(outcome: Outcome) -> Dict[str, Any]:
    """What the model reads: the outcome, and the next step where there is one."""
    result: Dict[str, Any] = {
        "status": outcome.status,
        "service_request_id": outcome.id,
        "cost_cents": outcome.cost_cents,
    }
    if isinstance(outcome, Executed):
        result["result"] = outcome.result
    elif isinstance(outcome, Blocked):
        message = outcome.block.message if outcome.block is not None else None
        result["reason_code"] = outcome.reason_code
        result["message"] = message or "The hub refused the action. Nothing was paid."
        if outcome.block is not None:
            result["next_action"] = outcome.block.next_action.model_dump(exclude_none=True)
    elif isinstance(outcome, ApprovalRequired):
        result["approval_id"] = outcome.approval_id
        result["message"] = (
            "A person must approve this. Call countersign_wait with the service_request_id; do not call again."
        )
    elif isinstance(outcome, Failed):
        result["code"] = outcome.code
        result["message"] = outcome.detail
        if outcome.fate is not None:
            result["fate"] = outcome.fate
            result["warning"] = "The action may have happened. Do not call again without checking."
    else:
        result["message"] = "Still running. Call countersign_wait with the service_request_id."
    return result
