"""Typed reading of metadata that a stranger's file gives: every wrong kind of value is a finding, not a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from kernelpath.models import errors

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The metadata of a model: flat keys for GGUF, dotted paths into config.json for safetensors."""

    values: Mapping[str, object]
    architecture: str = "model"

    def get(self, key: str) -> object:
        """Return a value as it is, or None."""
        return self.values.get(key)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string; without a default, its absence is an error."""
        return self._typed(key, str, default, "text")

    def integer(self, key: str, default: int | None = None) -> int:
        """Return a whole number."""
        return self._typed(key, int, default, "a whole number")

    def flag(self, key: str, default: bool | None = None) -> bool:
        """Return a truth value."""
        return self._typed(key, bool, default, "true or false")

    def texts(self, key: str) -> list[str]:
        """Return a list of strings."""
        return self._list(key, str, "a list of texts")

    def integers(self, key: str) -> list[int]:
        """Return a list of whole numbers."""
        return self._list(key, int, "a list of whole numbers")

    def numbers(self, key: str) -> list[float]:
        """Return a list of numbers, as floats."""
        value = self._typed(key, list, None, "a list of numbers")
        if not all(isinstance(item, int | float) and not isinstance(item, bool) for item in value):
            raise errors.wrong_value(key, value[:3], "a list of numbers")
        return list(map(float, value))

    def _typed(self, key: str, kind: type[_T], default: _T | None, wanted: str) -> _T:
        value = self.values.get(key)
        if value is None and default is not None:
            return default
        if value is None:
            raise errors.missing_key(self.architecture, key)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise errors.wrong_value(key, value, wanted)
        return value

    def _list(self, key: str, kind: type[_T], wanted: str) -> list[_T]:
        value = self._typed(key, list, None, wanted)
        if not all(isinstance(item, kind) for item in value):
            raise errors.wrong_value(key, value[:3], wanted)
        return value
