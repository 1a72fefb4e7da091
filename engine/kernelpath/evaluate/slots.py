"""The slots of a flow, and what is not known of them after a fault."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Slots:
    """The slots of a flow: their values, which of them are unknown, and whether all unwritten ones are."""

    __slots__ = ("poisoned", "unknown", "values")

    def __init__(
        self, values: dict[str, Any] | None = None, unknown: set[str] | None = None, poisoned: bool = False
    ) -> None:
        self.values = {} if values is None else values
        self.unknown = set() if unknown is None else unknown
        self.poisoned = poisoned

    def is_unknown(self, key: str) -> bool:
        """Return whether an earlier fault left the slot's value open."""
        return key in self.unknown or (self.poisoned and key not in self.values)

    def poison(self) -> None:
        """Forget everything: a step that could not be read may have written any slot."""
        self.values.clear()
        self.unknown.clear()
        self.poisoned = True

    def write(self, key: str, value: Any) -> None:
        """Set a slot to a known value."""
        self.values[key] = value
        self.unknown.discard(key)

    def forget(self, key: str) -> None:
        """Mark a slot's value as unknown."""
        self.values.pop(key, None)
        self.unknown.add(key)

    @property
    def doubtful(self) -> bool:
        """Whether some slot's value is unknown."""
        return self.poisoned or bool(self.unknown)
