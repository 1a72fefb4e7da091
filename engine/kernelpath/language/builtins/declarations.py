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
    argument is a literal pattern. A built-in of a `library` is there for the packs that use it.
    """

    __slots__ = (
        *("name", "signatures", "doc", "examples", "implementation"),
        *("python", "level", "narrows", "metered", "pattern", "work", "library"),
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
        library: str | None = None,
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
        self.library = library


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


#: The record types that libraries' built-ins give: the type of each field, by the record's name.
RECORDS: dict[str, dict[str, str]] = {}


def library_record(name: str, **fields: str) -> None:
    """Declare a record type that built-ins of a library give, with the text of each field's type."""
    RECORDS[name] = fields


class DataFault(Exception):
    """Data of a pack that a library cannot read: what is wrong, and where, as keys and places from the top."""

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


#: What a library makes of a pack's data, by the name of the type that the constant has.
DATA: dict[str, Callable[[Any], Any]] = {}


def library_data(name: str) -> Callable[[Function], Function]:
    """Declare a type without fields whose values the decorated function makes of plain data.

    A constant of such a type is made once, when its pack is loaded, and is shared by all that is asked; only built-ins
    can look into it. The function raises DataFault for data that it cannot read.
    """
    RECORDS[name] = {}

    def declare(function: Function) -> Function:
        DATA[name] = function
        return function

    return declare
