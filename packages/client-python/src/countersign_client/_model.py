"""The base of all models."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class HubModel(BaseModel):
    """Keeps fields that a newer hub adds, and builds its validator at the first use."""

    model_config = ConfigDict(
        extra="allow", populate_by_name=True, protected_namespaces=(), defer_build=True, frozen=True
    )
