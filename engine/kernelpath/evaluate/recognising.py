"""Which document of a pack a JSON file is, or is a part of, and the question that is asked about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernelpath.evaluate.compiled import CompiledPack
from kernelpath.graph.locate import escaped, tokens
from kernelpath.language import EvaluationError

#: The raw file, as the conditions that recognise one see it.
_FILE = "file"


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file as a document of a pack: the document's name and its whole value, and where in it the file's value is."""

    name: str
    value: Any
    at: tuple[str, ...]

    @property
    def prefix(self) -> str:
        """The JSON pointer of the file's value in the document, empty for a whole one."""
        return "".join(f"/{escaped(step)}" for step in self.at)

    def inside(self, pointer: str) -> str | None:
        """Return a document's pointer as one of the file, None of what is not in the file."""
        if pointer != self.prefix and not pointer.startswith(f"{self.prefix}/"):
            return None
        return pointer.removeprefix(self.prefix)


def recognised(pack: CompiledPack, value: Any) -> Recognised | None:
    """Return which document of a pack a file's value is, None of a file that the pack does not know."""
    for name, document in pack.meta["documents"].items():
        part = document["part"]
        if part and _holds(pack, part[0], value):
            at = tuple(tokens(part[1]))
            return Recognised(name, _placed(value, at), at)
        if document["recognise"] and _holds(pack, document["recognise"], value):
            return Recognised(name, value, ())
    return None


def _holds(pack: CompiledPack, term: Any, value: Any) -> bool:
    try:
        return pack.value(term, {**pack.meta["constants"], _FILE: value}) is True
    except (EvaluationError, AttributeError, TypeError):
        return False  # what cannot be asked of a file does not hold of it


def _placed(value: Any, at: tuple[str, ...]) -> Any:
    for step in reversed(at):
        value = {step: value}
    return value


def question_about(pack: CompiledPack, document: str) -> str | None:
    """Return the first question of a pack that can be asked with one document alone, None if there is none."""
    for name, question in pack.meta["questions"].items():
        if document in question["given"] and set(question["needed"]) <= {document}:
            return str(name)
    return None
