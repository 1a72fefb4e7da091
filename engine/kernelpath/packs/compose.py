"""Compose the layers of a pack into one: entries add up by name, and what is replaced is said under `replace`.

Under the same name, maps add their keys and lists of words their words; a doc of a later layer counts. Any other
difference is a conflict, unless the later layer says it under `replace`, by the path of what it replaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from kernelpath.diagnostics import ERROR, Diagnostic, did_you_mean
from kernelpath.packs.files import Layer
from kernelpath.packs.nodes import Mapping, Node, Scalar, to_plain
from kernelpath.packs.nodes import Sequence as NodeList

Path = tuple[str, ...]

#: Keys whose later value counts, whatever the earlier one said.
_LATER = frozenset(("summary", "doc"))
#: Keys of lists that are sets of words: a later layer adds to them.
_UNITED = frozenset(("decisions", "values", "after", "given", "for", "each", "uses"))
#: Keys whose mappings have names that the pack gives.
_NAMING = frozenset(
    ("fields", "with", "parameters", "reads", "pass", "gives", "passes", "start", "request", "places", "split")
)
#: Keys that belong to a layer itself, and are not added up.
_OWN = frozenset(("extends", "replace", "summary"))


@dataclass(slots=True)
class Composer:
    """Adds the layers of a chain up; what does not fit is collected."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def compose(self, layers: Sequence[Layer]) -> Mapping:
        """Return the mapping that all layers make together, the bases first."""
        whole = _without(layers[0].root, _OWN)
        self._refuse_replacing(layers[0].root)
        for layer in layers[1:]:
            whole = self._merged(self._replaced(whole, layer.root), _without(layer.root, _OWN), ())
        return whole

    def _refuse_replacing(self, root: Mapping) -> None:
        """Refuse that a pack without a base replaces something."""
        key = root.key("replace")
        if key is not None:
            message, help_text = "a pack that extends none has nothing to replace", "say it in its own section"
            self._fault("pack/replace", message, key, help_text)

    def _replaced(self, whole: Mapping, root: Mapping) -> Mapping:
        """Return what the bases say with the paths under a layer's `replace` replaced."""
        section = root.get("replace")
        for key, node in section.entries if isinstance(section, Mapping) else ():
            found = self._put(whole, tuple(key.text.split(".")), node, key)
            whole = found if found is not None else whole
        return whole

    def _put(self, whole: Mapping, path: Path, node: Node, key: Scalar) -> Mapping | None:
        """Return the mapping with the node at a path, or None after saying that nothing is there."""
        name, rest = path[0], path[1:]
        inner = _entry(whole.get(name), len(key.text.split(".")) - len(path), key.text)
        if inner is None:
            near = did_you_mean(name, whole.keys())
            message = f"`{key.text}` replaces nothing: no base has `{name}` there"
            help_text = f"did you mean `{near}`?" if near else "leave `replace` out, and say it in its own section"
            self._fault("pack/replace", message, key, help_text)
            return None
        changed: Node | None = node
        if rest:
            if not isinstance(inner, Mapping):
                self._fault("pack/replace", f"`{key.text}` replaces nothing: `{name}` has no keys", key, None)
                return None
            changed = self._put(inner, rest, node, key)
        return None if changed is None else _with(whole, name, changed)

    def _merged(self, base: Mapping, over: Mapping, path: Path) -> Mapping:
        entries = {key.text: (key, value) for key, value in base.entries}
        for key, value in over.entries:
            there = entries.get(key.text)
            inner = (*path, key.text)
            entries[key.text] = (key, value) if there is None else (key, self._both(there[1], value, inner, key))
        return Mapping(tuple(entries.values()), over.source, over.start, over.end)

    def _both(self, base: Node, over: Node, path: Path, key: Scalar) -> Node:
        """Return what two layers say under one path."""
        base, over = _as_entry(base, path), _as_entry(over, path)
        if path[-1] in _LATER and not _is_name(path):
            return over
        if isinstance(base, Mapping) and isinstance(over, Mapping) and not _is_literal(path):
            return self._merged(base, over, path)
        if path[-1] in _UNITED and not _is_literal(path) and not _is_name(path):
            return _union(_as_list(base), _as_list(over))
        if to_plain(base) != to_plain(over):
            where = f"{base.span.file}:{base.span.line}"
            dotted = ".".join(path)
            message = f"`{dotted}` is given another value here than in {where}"
            self._fault("pack/conflict", message, key, f"write it under `replace: {{{dotted}: ...}}` to replace it")
        return base

    def _fault(self, code: str, message: str, node: Node, help_text: str | None) -> None:
        self.diagnostics.append(Diagnostic(code, (), ERROR, message, span=node.span, help=help_text))


def _is_literal(path: Path) -> bool:
    """Return whether a path is that of literal data, which has no keys of its own to add to."""
    return len(path) >= 3 and path[0] == "constants" and path[2] == "value"


def _is_name(path: Path) -> bool:
    """Return whether the last part of a path is a name that the pack gives, not a key of the format."""
    return len(path) == 2 or (len(path) > 2 and path[-2] in _NAMING)


def _as_list(node: Node) -> NodeList:
    """Return a list of one for an item that stands alone."""
    return node if isinstance(node, NodeList) else NodeList((node,), node.source, node.start, node.end)


def _as_entry(node: Node, path: Path) -> Node:
    """Return the long form of a value or a column that is written as an expression alone."""
    short = (len(path) == 2 and path[0] == "values") or (len(path) == 4 and path[0] == "items" and path[2] == "fields")
    return node if not short else as_entry(node)


def as_entry(node: Node) -> Mapping:
    """Return `{is: node}` for an expression that stands alone, and a mapping as it is."""
    if isinstance(node, Mapping):
        return node
    name = Scalar("is", "is", "", node.source, node.start, node.start)
    return Mapping(((name, node),), node.source, node.start, node.end)


def _entry(node: Node | None, depth: int, dotted: str) -> Node | None:
    path = tuple(dotted.split(".")[: depth + 1])
    return None if node is None else _as_entry(node, path)


def _union(base: NodeList, over: NodeList) -> NodeList:
    known = [to_plain(item) for item in base.items]
    new = tuple(item for item in over.items if to_plain(item) not in known)
    return replace(over, items=(*base.items, *new))


def _without(root: Mapping, names: frozenset[str]) -> Mapping:
    kept = tuple(entry for entry in root.entries if entry[0].text not in names)
    return Mapping(kept, root.source, root.start, root.end)


def _with(mapping: Mapping, name: str, node: Node) -> Mapping:
    entries: Iterator[tuple[Scalar, Node]] = (
        (key, node if key.text == name else value) for key, value in mapping.entries
    )
    return Mapping(tuple(entries), mapping.source, mapping.start, mapping.end)
