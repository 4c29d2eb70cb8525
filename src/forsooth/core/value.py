"""The base of every value: frozen, strict, no unknown fields.

Defaults are part of the ledger's format, because a field at its default is not written: a default
may never change, and a new field must have one.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_json


class Value(BaseModel):
    """A frozen value that equals another of the same class and content."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", defer_build=True)

    def plain(self) -> dict[str, Any]:
        """The value as JSON data, without the fields that stand at their default."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def but(self, **changes: Any) -> Self:
        """A copy with some fields changed; the caller vouches for their types.

        Does by hand what `model_copy` does, because a fold makes one for every event.
        """
        copy = self.__class__.__new__(self.__class__)
        write = object.__setattr__
        write(copy, "__dict__", self.__dict__ | changes)
        write(copy, "__pydantic_fields_set__", self.__pydantic_fields_set__ | changes.keys())
        write(copy, "__pydantic_extra__", None)
        write(copy, "__pydantic_private__", None)
        return copy

    @classmethod
    def of(cls, data: Any) -> Self:
        """Read JSON data strictly, as if it had just been parsed from text."""
        return cls.model_validate_json(to_json(data))
