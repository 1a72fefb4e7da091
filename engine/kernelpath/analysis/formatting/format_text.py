"""Format the text of one pack file."""

from __future__ import annotations

from kernelpath.analysis.formatting.comments import attached
from kernelpath.analysis.formatting.expressions import EXPRESSION, canonical, role
from kernelpath.analysis.formatting.layout import Layout
from kernelpath.diagnostics import Source
from kernelpath.packs.documents import DocumentErrors, Mapping, Node, Scalar, Sequence, read_yaml
from kernelpath.packs.grammar import Path

KINDS = ("rule", "pack", "test")


def format_text(text: str, kind: str = "rule", name: str = "") -> str:
    """Return the canonical text of a pack file of a kind of `KINDS`; formatting it again changes nothing.

    Line breaks are those of the first line. Raises DocumentErrors, with places in the file `name`, where the text is
    not YAML that a pack may have; expressions that cannot be parsed stay as they are.
    """
    root = read_yaml(Source(name, text))
    formatted = "\n".join(Layout(kind, attached(root)).document(root)) + "\n"
    _hold(root, formatted, kind, name)
    first, _, _ = text.partition("\n")
    return formatted.replace("\n", "\r\n") if first.endswith("\r") else formatted


def _hold(root: Node, formatted: str, kind: str, name: str) -> None:
    """INVARIANT: what is written means what was read; anything else is a fault of the formatter, and is not written."""
    try:
        same = _meaning(read_yaml(Source(name, formatted)), kind, ()) == _meaning(root, kind, ())
    except DocumentErrors as errors:
        raise AssertionError(f"the formatted text of {name} cannot be read: {errors}") from errors
    if not same:
        raise AssertionError(f"the formatted text of {name} would mean something else")


def _meaning(node: Node, kind: str, path: Path) -> object:
    """Return a node's value, expressions in their canonical text."""
    if isinstance(node, Mapping):
        return {key.text: _meaning(value, kind, (*path, key.text)) for key, value in node.entries}
    if isinstance(node, Sequence):
        return [_meaning(item, kind, (*path, index)) for index, item in enumerate(node.items)]
    return _scalar_meaning(node, role(kind, path))


def _scalar_meaning(node: Scalar, role_: str) -> object:
    if not isinstance(node.value, str):
        return (type(node.value).__name__, repr(node.value))
    text = canonical(node.text, role_)
    return " ".join(text.split()) if role_ == EXPRESSION and text == node.text else text


__all__ = ["KINDS", "format_text"]
