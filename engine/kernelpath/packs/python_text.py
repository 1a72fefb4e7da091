"""Pieces of generated Python: names, indentation, and expressions as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from keyword import iskeyword

from kernelpath.language import RUNTIME, Checked, CheckedMessage, PythonWriter
from kernelpath.language.messages import message_to_python


def identifier(text: str) -> str:
    """Return a Python identifier for the name of a rule, stage or program."""
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")


def local_name(variable: str) -> str:
    """Return the local variable of a generated function that holds a scope's variable.

    A trailing underscore keeps the names of Python and of the generator apart from the author's. INVARIANT: a name with
    one is never a name without, and no author's name ends in `__of`, so that two variables never share a local.
    """
    if "." in variable:  # a column
        return f"{variable.replace('.', '__')}__of"
    own = variable.endswith("_") or "__" in variable or variable.startswith("out_")
    return f"{variable}_" if own or iskeyword(variable) or variable in TAKEN else variable


#: What generated code calls by name; a local of that name would hide it.
TAKEN = frozenset(
    (
        *("items", "start", "ws", "slots", "out", "position", "failed", "records", "meter", "islice"),
        *("enumerate", "isinstance", "len", "type", "any", "all", "sum", "min", "max", "abs", "range", "sorted"),
        *("print", "bool", "int", "float", "str", "dict", "list", "tuple", "set", "frozenset", "None", "True", "False"),
        *(name for name in RUNTIME if not name.startswith("_")),
    )
)


def source_name(variable: str) -> str:
    """Return the local variable that holds the provenance of a resolved variable."""
    return f"{variable}__source"


class Lines:
    """Lines of Python with their indentation."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self._depth = 0

    def add(self, line: str) -> None:
        """Add one line at the present depth; it may be several, each at that depth."""
        self.text.extend("    " * self._depth + part for part in line.split("\n"))

    def add_all(self, lines: Iterable[str]) -> None:
        """Add lines at the present depth."""
        for line in lines:
            self.add(line)

    def extend(self, other: Lines) -> None:
        """Add another block's lines at the present depth."""
        self.add_all(other.text)

    @contextmanager
    def indented(self, deeper: bool = True) -> Iterator[None]:
        """Indent what is added in the block; `deeper` false leaves it where it is."""
        self._depth += deeper
        try:
            yield
        finally:
            self._depth -= deeper


def _body(checked: Checked | CheckedMessage, writer: PythonWriter) -> str:
    return message_to_python(checked, writer) if isinstance(checked, CheckedMessage) else writer.expression(checked)


@dataclass(slots=True)
class ExpressionWriter:
    """Writes checked expressions whose variables are locals; remembers whether any needs the meter."""

    constants: dict[str, object] = field(default_factory=dict)

    def write(self, checked: Checked, lets: Mapping[str, str]) -> str:
        """Return the Python text of an expression; `lets` renames a rule's own names."""
        writer = self._writer(checked, lets)
        text = writer.expression(checked)
        return text if not writer.uses_meter else _metered(text)

    def parameters(self, checked: Checked | CheckedMessage) -> list[str]:
        """Return the names that a term's own function takes: variables, then `source(name)` for provenances."""
        return sorted(checked.variables) + [f"source({name})" for name in sorted(checked.sources)]

    def function(self, name: str, checked: Checked | CheckedMessage) -> list[str]:
        """Return the lines of a function of its own for a term."""
        writer = self._writer(checked, {})
        body = _body(checked, writer)
        spelled = [local_name(v) for v in sorted(checked.variables)] + [source_name(s) for s in sorted(checked.sources)]
        head = [f"def {name}({', '.join(spelled)}):"]
        return [*head, *(["    meter = Meter()"] if writer.uses_meter else []), f"    return {body}", ""]

    def _writer(self, checked: Checked | CheckedMessage, lets: Mapping[str, str]) -> PythonWriter:
        names = {name: lets.get(name, local_name(name)) for name in checked.variables}
        return PythonWriter(names, {name: source_name(name) for name in checked.sources})


def _metered(text: str) -> str:
    """Give an expression with loops a budget of its own, where it stands in a larger function.

    An expression with one loop makes its meter there, so that it costs nothing where the loop is not reached.
    """
    if text.count("meter") == 1:
        return text.replace("meter.over(", "Meter().over(").replace("(meter, ", "(Meter(), ")
    return f"(meter := Meter(), {text})[1]"


def joined(names: Sequence[str]) -> str:
    """Return names as a Python tuple display's inside."""
    return ", ".join(repr(name) for name in names)
