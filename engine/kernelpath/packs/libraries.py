"""Libraries of built-ins that packs may use: found by name, and declared by importing the module that has them.

Other projects add theirs by an entry point `kernelpath.libraries`, whose name is the library's and whose value is the
module.

Beside built-ins, the module of a library may have functions that say in its own words what became of a document:
`unjudged(document, constants, answer, looked)` gives an `Unjudged` if nothing of the document was judged, and
`extent(answer, document)` how much was, such as `8 steps`.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import Any

ENTRY_POINTS = "kernelpath.libraries"
#: The libraries of this package, and the module that declares each; the language itself has those without one.
SHIPPED: dict[str, str | None] = {
    "javascript": None,
    "execution-graph": "kernelpath.execution_graph.library",
}


def known_libraries() -> dict[str, str | None]:
    """Return the modules of all libraries by name, those of other installed packages included."""
    from importlib.metadata import entry_points  # slow: only a pack that is not cached needs it

    return {**{point.name: point.value for point in entry_points(group=ENTRY_POINTS)}, **SHIPPED}


def load_modules(modules: Iterable[str]) -> None:
    """Declare the built-ins of these modules."""
    for module in modules:
        import_module(module)


class Unjudged:
    """What stands in a document in the place of what a pack judges; `judges` says what that would have been.

    `pointer` leads from the document; `at_key` says that it is the member's name that matters, not its value; `meant`
    is the name that was probably meant.
    """

    __slots__ = ("at_key", "judges", "meant", "message", "pointer")

    def __init__(
        self,
        message: str | None,
        pointer: str = "",
        at_key: bool = False,
        meant: str | None = None,
        judges: str | None = None,
    ) -> None:
        self.message = message
        self.pointer = pointer
        self.at_key = at_key
        self.meant = meant
        self.judges = judges

    def help(self, pack: str) -> str | None:
        """Return what a pack would have judged, after what was probably meant."""
        meant = f"did you mean `{self.meant}`?" if self.meant else None
        judges = f"pack `{pack}` judges {self.judges}" if self.judges else None
        return " ".join(each for each in (meant, judges) if each) or None


def said(modules: Iterable[str], name: str, *arguments: Any) -> Any:
    """Return what the first library says that has a function of this name, and something to say; None if none has."""
    for module in modules:
        function = getattr(import_module(module), name, None)
        found = function(*arguments) if function is not None else None
        if found is not None:
            return found
    return None


#: How the data of a `resource` is read: from what is given for it, a name or the data itself, or None for the default.
RESOURCES: dict[str, Callable[[Any], Any]] = {}
#: The names by which the data of a `resource` is shipped.
NAMES: dict[str, Callable[[], Iterable[str]]] = {}
#: Where the data of a `resource` is written that goes by a name: what findings about it point into.
FILES: dict[str, Callable[[str], Path]] = {}


def resource_kind(name: str) -> str:
    """Return the kind of a resource's data: `catalogs` for `catalogs/mine`, which names the data that is shipped.

    >>> resource_kind("catalogs/mine")
    'catalogs'
    """
    return name.partition("/")[0]


def resource_value(name: str, given: Any) -> Any:
    """Return the data of a resource, that which its name ends in if none is given.

    Data of a kind that no library declares is taken as it is given.
    """
    kind, _, shipped = name.partition("/")
    reader = RESOURCES.get(kind)
    return given if reader is None else reader((shipped or None) if given is None else given)
