"""Lay a document out: a node and what surrounds it become lines.

Brackets stay where the author put them and one line holds them; what is longer, or has comments inside, becomes a
block, but for a list of many words, which fills several lines. Block scalars keep their lines, unless an expression in
them is rewritten or a line is too long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kernelpath.analysis.formatting.comments import Comment, Comments, is_flow
from kernelpath.analysis.formatting.expressions import EXPRESSION, TEXT, canonical, is_written_canonically, role
from kernelpath.analysis.formatting.scalars import WIDTH, folded, inline, is_foldable
from kernelpath.packs import documents
from kernelpath.packs.documents import Mapping, Node, Scalar
from kernelpath.packs.grammar import Path, ordered_keys

STEP = 2
#: Of how many words a list in brackets may take several lines.
MANY = 8
_WORD = re.compile(r"[A-Za-z0-9_.-]{1,40}")


@dataclass(frozen=True, slots=True)
class Block:
    """One entry as lines: the comments above it, its own lines, and the comments that close it."""

    above: list[str]
    lines: list[str]
    below: list[str]
    parted: bool

    def joined(self, first: bool) -> list[str]:
        """Return all lines, with a blank one on top where the author left one and the entry is not the first."""
        lines = [*self.above, *self.lines, *self.below]
        if first and lines[0] == "":
            return lines[1:]
        return ["", *lines] if self.parted and not first and lines[0] != "" else lines


class Layout:
    """Writes the nodes of one document of a kind."""

    def __init__(self, kind: str, comments: Comments) -> None:
        self.kind = kind
        self.comments = comments

    def document(self, root: Node) -> list[str]:
        """Return the lines of a document; a mapping or list at its top is always a block."""
        head = _comment_lines(self.comments.head, 0)
        body = self._body(root)
        while head and head[0] == "":
            head.pop(0)
        return [*head, "", *body] if head and body else head or body

    def _body(self, root: Node) -> list[str]:
        if isinstance(root, Scalar) or len(root) == 0:
            return self._value("", root, (), -STEP)
        return self._lines(self._blocks(root, (), 0))

    def _lines(self, blocks: Sequence[Block]) -> list[str]:
        return [line for place, block in enumerate(blocks) for line in block.joined(place == 0)]

    def _blocks(self, node: Mapping | documents.Sequence, path: Path, indent: int) -> list[Block]:
        if isinstance(node, Mapping):
            keys = ordered_keys(self.kind, path, node.keys())
            return [self._pair(key, node[key], (*path, key), indent) for key in keys]
        return [self._item(item, (*path, index), indent) for index, item in enumerate(node.items)]

    def _pair(self, key: str, value: Node, path: Path, indent: int) -> Block:
        lines = self._value(f"{' ' * indent}{inline(key, True)}:", value, path, indent)
        beside = self.comments.beside.get(path)
        if beside:
            lines[0] += f"  {beside}"
        return self._surrounded(lines, path, indent, [])

    def _item(self, item: Node, path: Path, indent: int) -> Block:
        """Write an item of a list; the first entry of a block in it stands on the line of its dash."""
        above: list[str] = []
        margin = " " * indent
        if self._is_block(f"{margin}-", item, path):
            assert not isinstance(item, Scalar)
            first, *rest = self._blocks(item, path, indent + STEP)
            above = [line[STEP:] for line in first.above]
            lines = [*first.lines, *first.below, *(line for block in rest for line in block.joined(False))]
            lines[0] = f"{margin}- {lines[0].lstrip()}"
        else:
            lines = self._value(f"{margin}-", item, path, indent)
        beside = self.comments.beside.get(path)
        if beside and (len(lines) == 1 or isinstance(item, Scalar)) and "  #" not in lines[0]:
            lines[0] += f"  {beside}"
        elif beside:
            above = [*above, f"{margin}{beside}"]
        return self._surrounded(lines, path, indent, above)

    def _surrounded(self, lines: list[str], path: Path, indent: int, inner: list[str]) -> Block:
        above = _comment_lines(self.comments.before.get(path, []), indent)
        parted = path in self.comments.blank
        if parted and (above or inner):  # the blank line stands between the comments and the entry
            comments = [*above, *inner]
            return Block([*comments, ""] if not inner else comments, lines, self._below(path, indent), False)
        return Block([*above, *inner], lines, self._below(path, indent), parted)

    def _below(self, path: Path, indent: int) -> list[str]:
        return _comment_lines(self.comments.after.get(path, []), indent)

    def _value(self, prefix: str, value: Node, path: Path, indent: int) -> list[str]:
        if isinstance(value, Scalar):
            return self._scalar(prefix, value, path, indent)
        if self._is_block(prefix, value, path):
            return [prefix, *self._lines(self._blocks(value, path, indent + STEP))]
        line = _after(prefix, self._flow(value, path) or "")
        return [line] if len(line) <= WIDTH else self._filled(prefix, value, path, indent + STEP)

    def _filled(self, prefix: str, words: Node, path: Path, indent: int) -> list[str]:
        """Return a list of words in brackets over several lines, each as long as it may be."""
        assert isinstance(words, documents.Sequence)
        texts = [self._flow(word, (*path, index)) for index, word in enumerate(words.items)]
        lines = [f"{_after(prefix, '[')}{texts[0]}"]
        for text in texts[1:]:
            if len(lines[-1]) + len(f", {text},") <= WIDTH:
                lines[-1] += f", {text}"
            else:
                lines[-1] += ","
                lines.append(f"{' ' * indent}{text}")
        return [*lines[:-1], f"{lines[-1]}]"]

    def _is_block(self, prefix: str, value: Node, path: Path) -> bool:
        if isinstance(value, Scalar) or len(value) == 0:
            return False
        if not is_flow(value) or self.comments.inside(path):
            return True
        line = self._flow(value, path)
        return line is None or (len(prefix) + 1 + len(line) > WIDTH and not _is_filled(value))

    def _flow(self, node: Node, path: Path) -> str | None:
        """Return a node on one line in brackets, or None where it cannot be written so."""
        if isinstance(node, Scalar):
            return None if node.style in ("|", ">") else self._inline(node, path, True)
        parts = []
        for key, value, inner in self._children(node, path):
            text = self._flow(value, inner)
            if text is None:
                return None
            parts.append(f"{inline(key, True)}: {text}" if key is not None else text)
        return f"{{{', '.join(parts)}}}" if isinstance(node, Mapping) else f"[{', '.join(parts)}]"

    def _children(self, node: Mapping | documents.Sequence, path: Path) -> list[tuple[str | None, Node, Path]]:
        if isinstance(node, Mapping):
            keys = ordered_keys(self.kind, path, node.keys())
            return [(key, node[key], (*path, key)) for key in keys]
        return [(None, item, (*path, index)) for index, item in enumerate(node.items)]

    def _inline(self, node: Scalar, path: Path, flow: bool) -> str:
        """Return a scalar on one line: what is no text stays as it was written."""
        if not isinstance(node.value, str):
            return node.text
        return inline(canonical(node.text, role(self.kind, path)), flow, node.style)

    def _scalar(self, prefix: str, node: Scalar, path: Path, indent: int) -> list[str]:
        if node.style in ("|", ">"):
            return self._block_scalar(prefix, node, path, indent)
        line = _after(prefix, self._inline(node, path, False))
        role_ = role(self.kind, path)
        text = canonical(node.text, role_)
        if len(line) <= WIDTH or not isinstance(node.value, str) or not is_foldable(text):
            return [line]
        return _folded_block(prefix, text, role_, indent)

    def _block_scalar(self, prefix: str, node: Scalar, path: Path, indent: int) -> list[str]:
        role_ = role(self.kind, path)
        text = canonical(node.text, role_)
        written = is_written_canonically(node.text, text) if role_ == EXPRESSION else text == node.text
        lines = _body(node)
        if lines is None:
            return [_after(prefix, inline(text, False))]
        short = all(len(line) + indent + STEP <= WIDTH for line in lines)
        if written and (short or node.style == "|" or not is_foldable(text)):
            return [_after(prefix, _header(node, lines)), *_indented(lines, indent + STEP)]
        if is_foldable(text) and (role_ == EXPRESSION or node.style == ">"):
            return _folded_block(prefix, text, role_, indent)
        return [_after(prefix, _header(node, lines)), *_indented(lines, indent + STEP)]


def _is_filled(node: Node) -> bool:
    """Return whether a list in brackets is one of many words, which a block would spread over as many lines."""
    words = node.items if isinstance(node, documents.Sequence) else ()
    return len(words) >= MANY and all(isinstance(word, Scalar) and _WORD.fullmatch(word.text) for word in words)


def _after(prefix: str, text: str) -> str:
    return f"{prefix} {text}" if prefix and text else prefix or text


def _folded_block(prefix: str, text: str, role_: str, indent: int) -> list[str]:
    lines = folded(text, WIDTH - indent - STEP, role_)
    return [_after(prefix, ">-"), *_indented(lines, indent + STEP)]


def _body(node: Scalar) -> list[str] | None:
    """Return the lines of a block scalar without its indentation, or None where it has no text to see."""
    lead = len(node.text) - len(node.text.lstrip("\n"))
    if not node.text.strip():
        return None
    if node.style == "|":
        return node.text.removesuffix("\n").split("\n")
    indent = node.position(lead)[1] - 1
    lines = node.source.text[node.start : node.end].replace("\r\n", "\n").replace("\r", "\n").split("\n")[1:]
    kept = len(node.text) - len(node.text.rstrip("\n")) - 1
    return [*(line[indent:] for line in lines), *[""] * max(kept, 0)]


def _header(node: Scalar, lines: Sequence[str]) -> str:
    """Return a block scalar's sign, with its indentation where the text begins with a blank, and how its end counts."""
    first = next(line for line in lines if line)
    ending = node.text[len(node.text.rstrip("\n")) :]
    chomping = {"": "-", "\n": ""}.get(ending, "+")
    return f"{node.style}{STEP if first.startswith(' ') else ''}{chomping}"


def _indented(lines: Sequence[str], indent: int) -> list[str]:
    return [" " * indent + line if line else "" for line in lines]


def _comment_lines(comments: Sequence[Comment], indent: int) -> list[str]:
    lines: list[str] = []
    for comment in comments:
        lines += ["", " " * indent + comment.text] if comment.after_blank else [" " * indent + comment.text]
    return lines


__all__ = ["TEXT", "Layout"]
