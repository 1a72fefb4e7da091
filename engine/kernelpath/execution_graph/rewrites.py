"""Read what a pack says of kernels that take the place of others, and of the graphs that this makes.

A map says which file replaces which. A derivation is a list of rows, the first that fits a kernel gives the kernel that
takes its place. A transform is a list of edits: each finds kernels, derives others from them, stores these in place or
under a new key, and assigns that key to steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kernelpath.language.builtins import DataFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Kernel = Mapping[str, Any]
    Where = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a derivation: what it is from, and what a kernel becomes; it stays itself if `to` is empty.

    `used` are sections of which one must have a flat step with the kernel, `unused` such of which none may. `to` maps
    a file to the file that replaces it; "" stands for every file.
    """

    files: frozenset[str] | None = None
    prefixes: tuple[str, ...] = ()
    suffix: str = ""
    entries: frozenset[str] | None = None
    used: frozenset[str] = frozenset()
    unused: frozenset[str] = frozenset()
    when: str = ""
    to: Mapping[str, str] = field(default_factory=dict)
    entry: Mapping[str, str] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    precision: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps of some ops (None: any) in some sections, those of groups too if `groups` says so."""

    sections: tuple[str, ...]
    ops: frozenset[str] | None = None
    groups: bool = False


@dataclass(frozen=True, slots=True)
class Assigned:
    """Steps that get a key: the `new` one, the `found` one, or the one that their own key was `mapped` to."""

    steps: Steps
    key: str = "new"


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit; `find` None means all kernels of the table. See `read_rewrites` for the members."""

    apply: str = ""
    find: Steps | None = None
    first: bool = False
    source: bool = False
    spare: tuple[Mapping[str, Any], ...] = ()
    needed: bool = False
    derive: tuple[Row, ...] = ()
    suffix: str | None = None
    counts: bool = False
    assign: tuple[Assigned, ...] = ()
    when: str = ""
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Transform:
    """One transform: when it applies at all, and its edits."""

    edits: tuple[Edit, ...] = ()
    when: tuple[str, ...] = ()
    unless_files: frozenset[str] = frozenset()
    needs_files: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Rewrites:
    """All that a pack says of rewriting: the precisions of derived kernels, and the transforms by name."""

    precisions: Mapping[str, Mapping[str, Any]]
    named: tuple[tuple[str, str, Mapping[str, Any]], ...]
    transforms: Mapping[str, Transform]


class Reader:
    """Reads one file; what is wrong is raised as DataFault with its place."""

    def __init__(self, raw: Any) -> None:
        known = ("precisions", "precisions_by_name", "maps", "derivations", "transforms")
        self.raw = self.members(raw, (), known)
        self.maps = {name: dict(self.mapping(rows, ("maps", name))) for name, rows in self.section("maps").items()}
        self.derivations = {
            name: tuple(self.row(row, ("derivations", name, at)) for at, row in self.items(rows, ("derivations", name)))
            for name, rows in self.section("derivations").items()
        }

    def read(self) -> Rewrites:
        """Return everything."""
        transforms = {
            name: self.transform(raw, ("transforms", name)) for name, raw in self.section("transforms").items()
        }
        for name, transform in transforms.items():
            self.refuse_applied(name, transform, transforms)
        named = self.items(self.raw.get("precisions_by_name", []), ("precisions_by_name",))
        return Rewrites(
            precisions=self.section("precisions"),
            named=tuple(self.named(row, ("precisions_by_name", at)) for at, row in named),
            transforms=transforms,
        )

    def refuse_applied(self, name: str, transform: Transform, known: Mapping[str, Transform]) -> None:
        """Refuse a transform that applies an unknown one, or one that applies another in turn."""
        for at, edit in enumerate(transform.edits):
            where = ("transforms", name, "edits", at, "apply")
            if edit.apply and edit.apply not in known:
                raise DataFault(f"there is no transform `{edit.apply}`", where)
            if edit.apply and any(inner.apply for inner in known[edit.apply].edits):
                raise DataFault(f"transform `{edit.apply}` applies another itself", where)

    def named(self, raw: Any, where: Where) -> tuple[str, str, Mapping[str, Any]]:
        """Return a row of `precisions_by_name`: how a file's name begins, what it has in it, and the precision."""
        row = self.members(raw, where, ("prefix", "has", "precision"))
        precision = self.mapping(row.get("precision", {}), (*where, "precision"))
        return self.text(row, "prefix", where), self.text(row, "has", where), precision

    def row(self, raw: Any, where: Where) -> Row:
        """Return a row of a derivation."""
        known = ("files", "prefixes", "suffix", "entries", "used", "unused", "when", "map", "to", "entry", "drop")
        row = self.members(raw, where, (*known, "precision"))
        to = self.replacing(row, where)
        entry = row.get("entry", {})
        return Row(
            files=self.words(row, "files", where) if "files" in row else frozenset(to) if "map" in row else None,
            prefixes=tuple(self.words(row, "prefixes", where)),
            suffix=self.text(row, "suffix", where),
            entries=self.words(row, "entries", where) if "entries" in row else None,
            used=self.words(row, "used", where),
            unused=self.words(row, "unused", where),
            when=self.text(row, "when", where),
            to=to,
            entry={"": entry} if isinstance(entry, str) else self.mapping(entry, (*where, "entry")),
            drop=tuple(self.words(row, "drop", where)),
            precision=self.mapping(row.get("precision", {}), (*where, "precision")),
        )

    def replacing(self, row: Mapping[str, Any], where: Where) -> Mapping[str, str]:
        """Return which file takes the place of which in a row: those of a map, or one for all."""
        if "map" not in row:
            return {"": self.text(row, "to", where)} if "to" in row else {}
        if row["map"] not in self.maps:
            raise DataFault(f"there is no map `{row['map']}`", (*where, "map"))
        return self.maps[row["map"]]

    def transform(self, raw: Any, where: Where) -> Transform:
        """Return a transform."""
        row = self.members(raw, where, ("when", "unless_files", "needs_map", "edits"))
        if "needs_map" in row and row["needs_map"] not in self.maps:
            raise DataFault(f"there is no map `{row['needs_map']}`", (*where, "needs_map"))
        edits = self.items(row.get("edits", []), (*where, "edits"))
        return Transform(
            edits=tuple(self.edit(edit, (*where, "edits", at)) for at, edit in edits),
            when=tuple(word for _, word in self.items(row.get("when", []), (*where, "when"))),
            unless_files=self.words(row, "unless_files", where),
            needs_files=frozenset(self.maps[row["needs_map"]]) if "needs_map" in row else None,
        )

    def edit(self, raw: Any, where: Where) -> Edit:
        """Return an edit."""
        known = ("apply", "find", "source", "spare", "needed", "derive", "suffix", "counts", "assign", "when", "unless")
        row = self.members(raw, where, known)
        find, first = self.found(row.get("find", "all"), (*where, "find"))
        assigned = self.items(row.get("assign", []), (*where, "assign"))
        spare = self.items(row.get("spare", []), (*where, "spare"))
        derived = self.items(row.get("derive", []), (*where, "derive"))
        return Edit(
            apply=self.text(row, "apply", where),
            find=find,
            first=first,
            source=row.get("source") is True,
            spare=tuple(self.mapping(each, (*where, "spare", at)) for at, each in spare),
            needed=row.get("needed") is True,
            derive=tuple(each for _, name in derived for each in self.rows_of(name, (*where, "derive"))),
            suffix=self.text(row, "suffix", where) if "suffix" in row else None,
            counts=row.get("counts") is True,
            assign=tuple(self.assigned(each, (*where, "assign", at)) for at, each in assigned),
            when=self.text(row, "when", where),
            unless=self.text(row, "unless", where),
        )

    def rows_of(self, name: Any, where: Where) -> tuple[Row, ...]:
        """Return the rows of a derivation."""
        if name not in self.derivations:
            raise DataFault(f"there is no derivation `{name}`", where)
        return self.derivations[name]

    def found(self, raw: Any, where: Where) -> tuple[Steps | None, bool]:
        """Return which steps' kernels an edit finds, None for all kernels, and whether only the first step's."""
        if raw == "all":
            return None, False
        row = self.members(raw, where, ("every", "first"))
        name = "first" if "first" in row else "every"
        return self.steps(row.get(name, {}), (*where, name)), name == "first"

    def assigned(self, raw: Any, where: Where) -> Assigned:
        """Return which steps get a key, and which key."""
        row = dict(self.mapping(raw, where))
        key = row.pop("key", "new")
        if key not in ("new", "found", "mapped"):
            raise DataFault(f"`{key}` is not a key that a step may get", (*where, "key"))
        return Assigned(self.steps(row, where), key)

    def steps(self, raw: Any, where: Where) -> Steps:
        """Return steps of sections and ops."""
        row = self.members(raw, where, ("sections", "ops", "groups"))
        sections = tuple(word for _, word in self.items(row.get("sections", []), (*where, "sections")))
        return Steps(sections, self.words(row, "ops", where) if "ops" in row else None, row.get("groups") is True)

    def section(self, name: str) -> Mapping[str, Any]:
        """Return one of the file's mappings."""
        return self.mapping(self.raw.get(name, {}), (name,))

    def members(self, raw: Any, where: Where, known: Iterable[str]) -> Mapping[str, Any]:
        """Return a mapping whose members are known ones."""
        found = self.mapping(raw, where)
        for name in found:
            if name not in known:
                raise DataFault(f"unknown member `{name}`; known are {', '.join(known)}", (*where, name))
        return found

    def mapping(self, raw: Any, where: Where) -> Mapping[str, Any]:
        """Return a mapping."""
        if not isinstance(raw, dict):
            raise DataFault("this must be a mapping", where)
        return raw

    def items(self, raw: Any, where: Where) -> list[tuple[int, Any]]:
        """Return the items of a list, or of one that stands alone, with their places."""
        return list(enumerate(raw if isinstance(raw, list) else [raw]))

    def words(self, row: Mapping[str, Any], name: str, where: Where) -> frozenset[str]:
        """Return a member that is a list of words, or one word."""
        words = [word for _, word in self.items(row.get(name, []), (*where, name))]
        if not all(isinstance(word, str) for word in words):
            raise DataFault("this must be a list of words", (*where, name))
        return frozenset(words)

    def text(self, row: Mapping[str, Any], name: str, where: Where) -> str:
        """Return a member that is text, empty if it is absent."""
        value = row.get(name, "")
        if not isinstance(value, str):
            raise DataFault("this must be text", (*where, name))
        return value


def read_rewrites(raw: Any) -> Rewrites:
    """Return what plain data says of rewriting.

    `precisions`: the precision of a derived kernel by its file; `precisions_by_name`: rows of which the first counts
    whose `prefix` the file begins with and whose `has` it has. `maps`: files by the file that they replace.
    `derivations`: rows with what a kernel must be (`files`, `prefixes`, `suffix`, `entries`, `used`, `unused`, `when`)
    and what it becomes (`to` or `map`, `entry`, `drop`, `precision`). `transforms`: `when`, `unless_files`, `needs_map`
    and `edits` (`apply`; or `find`, `source`, `spare`, `needed`, `derive`, `suffix`, `counts`, `assign`, `when`,
    `unless`). Raises DataFault for anything else.
    """
    return Reader(raw).read()
