"""Which document of a pack a file is, or is a part of, and the question that is asked about it."""

from __future__ import annotations

from kernelpath.graph.pointers import escaped, tokens
from kernelpath.language import EvaluationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from kernelpath.evaluate.compiled import CompiledPack

#: The raw file, as the conditions that recognise one see it.
_FILE = "file"


class Recognised:
    """A file as a document of a pack: the document's name and whole value, and where in it the file's value is.

    `at` has the reference tokens of that place, none if the file is the whole document.
    """

    __slots__ = ("at", "name", "value")

    def __init__(self, name: str, value: Any, at: tuple[str, ...]) -> None:
        self.name = name
        self.value = value
        self.at = at

    @property
    def prefix(self) -> str:
        """The JSON pointer of the file's value in the document, empty for a whole one."""
        return "".join(f"/{escaped(step)}" for step in self.at)

    def inside(self, pointer: str) -> str | None:
        """Return a document's pointer as one of the file, None of what is not in the file."""
        if pointer != self.prefix and not pointer.startswith(f"{self.prefix}/"):
            return None
        return pointer.removeprefix(self.prefix)


def recognised(
    pack: CompiledPack, value: Any, among: Collection[str] | None = None, meant: bool = False
) -> Recognised | None:
    """Return which document of a pack a file's value is, None of a file that the pack does not know.

    Documents that no question can be asked about alone are left out, unless `among` names those that may be meant. With
    `meant` a file that only resembles a document is one, too. A pack that does not say how its documents are recognised
    takes any file for the first document of its first question.
    """
    documents = pack.meta["documents"]
    known = _alone(pack) if among is None else [name for name in documents if name in among]
    for key, part_key in (("recognise", "when"), ("resembles", "resembles")) if meant else (("recognise", "when"),):
        for name in known:
            part = documents[name]["part"]
            if part and _holds(pack, part[part_key], value):
                return _document(pack, name, value, tuple(tokens(part["at"])))
            if _holds(pack, documents[name][key], value):
                return _document(pack, name, value, ())
    if known and not any(documents[name]["recognise"] for name in known):
        return _document(pack, known[0], value, ())
    return None


def _alone(pack: CompiledPack) -> list[str]:
    """Return the documents that a question can be asked with alone, in the order of the questions."""
    questions = pack.meta["questions"].values()
    alone = [question["needed"] or question["given"][:1] for question in questions]
    return list(dict.fromkeys(needed[0] for needed in alone if len(needed) == 1))


def _document(pack: CompiledPack, name: str, value: Any, at: tuple[str, ...]) -> Recognised:
    for step in reversed(at):
        value = {step: value}
    completed = pack.meta["documents"][name]["completed"]
    return Recognised(name, pack.value(completed, _environment(pack, value)) if completed else value, at)


def _environment(pack: CompiledPack, value: Any) -> Mapping[str, Any]:
    return {**pack.meta["constants"], _FILE: value}


def _holds(pack: CompiledPack, term: Any, value: Any) -> bool:
    try:
        return term is not None and pack.value(term, _environment(pack, value)) is True
    except (EvaluationError, AttributeError, TypeError):
        return False  # what cannot be asked of a file does not hold of it


def replaces(pack: CompiledPack, document: str, value: Any) -> tuple[str, str] | None:
    """Return the document whose items a file replaces, and the pointer of what it brings instead, if it does so."""
    instead = pack.meta["documents"][document]["instead"]
    return instead[1:] if instead is not None and _holds(pack, instead[0], value) else None


def question_about(pack: CompiledPack, *documents: str) -> str | None:
    """Return the first question of a pack that can be asked with just these documents, None if there is none."""
    for name, question in pack.meta["questions"].items():
        if set(documents) <= set(question["given"]) and set(question["needed"]) <= set(documents):
            return str(name)
    return None


def beside(pack: CompiledPack, document: str) -> list[str]:
    """Return the documents that may be given beside one: with each of them there is a question about both."""
    others = [name for name, each in pack.meta["documents"].items() if each["resource"] is None and name != document]
    return [name for name in others if question_about(pack, document, name) is not None]


def profiles(pack: CompiledPack, question: str) -> list[str]:
    """Return the documents of a question that may change its first one: those that hold an overlay come first."""
    documents = pack.meta["documents"]
    known = [name for name in pack.meta["questions"][question]["given"][1:] if documents[name]["resource"] is None]
    return sorted(known, key=lambda name: (not documents[name]["holds"], not documents[name]["over"]))


def recognisable(pack: CompiledPack, among: Iterable[str] | None = None) -> list[tuple[str, str]]:
    """Return the names of the documents that files are taken for, each with its line of docs."""
    documents = pack.meta["documents"]
    return [(name, documents[name]["doc"]) for name in (_alone(pack) if among is None else among)]
