"""A pack as the engine runs it: generated functions, and plain data that says which function is what."""

from __future__ import annotations

from kernelpath.language.builtins import DATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

#: A term is the name of a generated function and the names of its parameters.
Term = tuple[str, tuple[str, ...]]


class CompiledPack:
    """The generated namespace of a pack and its metadata, as `packs.generate` wrote them.

    `meta` has the members name, summary, digest, documents, stages, scopes, questions, constants and more; all plain
    data, so that a cached pack costs no more than reading a file. `folder` is where it was read from, empty for a pack
    that was made from its model.
    """

    __slots__ = ("_data", "folder", "meta", "namespace")

    def __init__(self, namespace: Mapping[str, Any], meta: Mapping[str, Any], folder: str = "") -> None:
        self.namespace = namespace
        self.meta = meta
        self.folder = folder
        self._data: Mapping[str, Any] | None = None

    @property
    def data(self) -> Mapping[str, Any]:
        """The constants that libraries make of data, made once; what is made is shared by all that is asked."""
        if self._data is None:
            made = self.meta["data"].items()
            self._data = {name: DATA[wanted](value) for name, (wanted, value) in made}
        return self._data

    def function(self, name: str) -> Callable[..., Any]:
        """Return a generated function by its name."""
        return self.namespace[name]  # type: ignore[no-any-return]

    def value(self, term: Term, environment: Mapping[str, Any]) -> Any:
        """Return a term's value where its parameters have the environment's values; KeyError where one is missing."""
        name, parameters = term
        return self.namespace[name](*[environment[parameter] for parameter in parameters])
