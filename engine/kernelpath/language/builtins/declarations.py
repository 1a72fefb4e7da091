"""What a built-in is: one declaration of signatures, documentation, examples and implementation.

Declarations hold text only, so that importing them costs next to nothing; `signatures.py` reads the text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])


class Failure:
    """The expected outcome of an example that has no value: the message of its EvaluationError."""

    __slots__ = ("message",)

    def __init__(self, message: str) -> None:
        self.message = message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Failure) and self.message == other.message

    def __hash__(self) -> int:
        return hash(self.message)

    def __repr__(self) -> str:
        return f"Failure({self.message!r})"


class Declaration:
    """One built-in.

    `signatures` are texts such as `lower(s: string) -> string`, the first that fits counts. `examples` are pairs of
    expression and expected value or Failure. `python` is an inline template for compiled code, where `{0}` is an
    argument, `{0.}` one that binds as tight as a name, and `{0:}` one beside a comparison. `narrows` is the type that
    a true answer proves of the first argument. A `metered` implementation gets the meter first. `work` says what an
    operation in a loop is charged for: places of arguments, or "result", each with "wide" where it looks at every item
    or character of that, or "deep" where it goes through all that is inside, too. `pattern` says that the second
    argument is a literal pattern.
    """

    __slots__ = (
        *("name", "signatures", "doc", "examples", "implementation"),
        *("python", "level", "narrows", "metered", "pattern", "work"),
    )

    def __init__(
        self,
        name: str,
        signatures: tuple[str, ...],
        doc: str,
        examples: tuple[tuple[str, Any], ...],
        implementation: Callable[..., Any],
        python: str | None = None,
        level: str = "postfix",
        narrows: str | None = None,
        metered: bool = False,
        pattern: bool = False,
        work: Mapping[int | str, str] | None = None,
    ) -> None:
        self.name = name
        self.signatures = signatures
        self.doc = doc
        self.examples = examples
        self.implementation = implementation
        self.python = python
        self.level = level
        self.narrows = narrows
        self.metered = metered
        self.pattern = pattern
        self.work: Mapping[int | str, str] = work or {}


DECLARED: dict[str, Declaration] = {}
"""All built-ins by name, in the order of declaration; filled once, when the modules beside this one are imported."""


def builtin(
    *signatures: str, doc: str, examples: Sequence[tuple[str, Any]], **options: Any
) -> Callable[[Function], Function]:
    """Declare the decorated function as the built-in that the signatures name."""
    name = signatures[0].partition("(")[0]

    def declare(function: Function) -> Function:
        DECLARED[name] = Declaration(name, signatures, doc, tuple(examples), function, **options)
        return function

    return declare
