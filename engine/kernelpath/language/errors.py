"""What goes wrong with an expression: problems found before it runs, and errors while it runs."""

from __future__ import annotations

from collections.abc import Sequence


class Problem:
    """One mistake in an expression: message, the half-open span of code points it concerns, and help apart."""

    __slots__ = ("end", "help", "message", "start")

    def __init__(self, message: str, start: int, end: int, help: str | None = None) -> None:
        self.message = message
        self.start = start
        self.end = end
        self.help = help

    def _key(self) -> tuple[str, int, int, str | None]:
        return (self.message, self.start, self.end, self.help)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Problem{self._key()!r}"

    def shifted(self, offset: int) -> Problem:
        """Return the same problem, `offset` code points further on."""
        return Problem(self.message, self.start + offset, self.end + offset, self.help)


class LanguageErrors(Exception):
    """The problems of one expression or message, in the order of their place."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problem.message for problem in self.problems))


class EvaluationError(Exception):
    """An expression that is well typed has no value for these inputs, such as a division by zero."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)
