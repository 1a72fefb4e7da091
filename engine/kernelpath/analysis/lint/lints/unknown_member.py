"""A member of a JSON value that is read once, known nowhere else, and spelt much like one that is known."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import takewhile

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage
from kernelpath.analysis.rule_text import nodes_of
from kernelpath.diagnostics import did_you_mean
from kernelpath.language import Expression
from kernelpath.language.ast import Call, Index, Literal, Member
from kernelpath.language.types import Record, required
from kernelpath.packs.contents import FileContent, read_content
from kernelpath.packs.documents import Mapping, Scalar
from kernelpath.packs.model import Table

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_HOLE = re.compile(r"\{[^}]*\}[^/]*")
_SHORTEST = 3  # below it every name is near to every other: `kv`, `k`, `id`
_PLACED = ("items", "flows", "stages")
_BY_NAME = ("has", "member", "omit")
_FILES = ("*.yaml", "*/*.yaml", "*.json", "*/*.json")


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each member whose name stands once in all files of the pack, one slip from a name that stands there more.

    Every word counts, of keys, tests, constants and prose alike: a name that anything else has is known. In a place,
    any name that stands once is one: a finding would be put where no document has anything.
    """
    placed = {name: node for node in _places(pack) for name in _steps(node)}
    read = {name for node in Usage(pack).nodes for name in _members(node)} | placed.keys()
    words = Counter(word for file in _files(pack) for word in _WORD.findall(file.content.decode("utf-8", "replace")))
    known = {name for name in read | _written(pack) if words[name] > 1}
    nearest = {name: did_you_mean(name, _one_slip_away(name, known)) for name in read if words[name] == 1}
    wrong = {name for name, near in nearest.items() if near or name in placed}
    for scalar in _texts(pack) if wrong else ():
        for match in _WORD.finditer(scalar.text):
            if match[0] in wrong:
                near = nearest[match[0]]
                message = f"nothing else reads or gives a member `{match[0]}`"
                yield Finding(message, scalar.text_span(*match.span()), f"did you mean `{near}`?" if near else None)


def _places(pack: LintedPack) -> Iterator[Scalar]:
    """Yield the places that the pack's own tables, flows, stages and rules give."""
    entries = (node for section in _PLACED for _, node in pack.section(section) if isinstance(node, Mapping))
    for node in (*(entry.get("at") for entry in entries), *(text.root.get("at") for text in pack.own_rules)):
        if isinstance(node, Scalar):
            yield node


def _steps(node: Scalar) -> Iterator[str]:
    """Yield the members that a place names as they are written, those in its expressions left out."""
    pointer = _HOLE.sub("", node.text.partition("#")[2] or node.text)
    yield from (step for step in pointer.split("/")[1:] if _WORD.fullmatch(step))


def _one_slip_away(name: str, known: set[str]) -> list[str]:
    """Return the names that differ in one part alone, by one slip; `model` and `modelName` are both meant."""
    return [other for other in known if _folded(other) == _folded(name) or _is_slip(name, other)]


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _is_slip(name: str, other: str) -> bool:
    parts, others = _PART.findall(name), _PART.findall(other)
    apart = [pair for pair in zip(parts, others, strict=False) if pair[0] != pair[1]]
    return len(parts) == len(others) and len(apart) == 1 and _is_slip_of_a_part(*apart[0])


def _is_slip_of_a_part(part: str, other: str) -> bool:
    """Say whether a letter is missing, one too many or another one, or two are swapped; a plural is no slip."""
    if max(len(part), len(other)) < _SHORTEST or part in (f"{other}s", other.removesuffix("s")):
        return False
    before = _shared(part, other)
    after = _shared(part[before:][::-1], other[before:][::-1])
    left, right = part[before : len(part) - after], other[before : len(other) - after]
    return max(len(left), len(right)) <= 1 or (len(left) == 2 and left == right[::-1])


def _shared(text: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(text, other, strict=False)))


def _members(node: Expression) -> Iterator[str]:
    """Yield the names that a node reads from a value that takes any member."""
    match node:
        case Member(object=owner, name=name) if not isinstance(required(owner.type), Record):
            yield name
        case Index(index=Literal(value=str() as name)):
            yield name
        case Call(function=function, arguments=(_, *names)) if function in _BY_NAME:
            yield from (each.value for each in names if isinstance(each, Literal) and isinstance(each.value, str))


def _written(pack: LintedPack) -> set[str]:
    """Return the names that tables put into the objects that they build."""
    tables = (rule for model in pack.models for rule in model.rules() if isinstance(rule, Table))
    return {name for table in tables for row in table.rows for name in row.path}


def _files(pack: LintedPack) -> Iterable[FileContent]:
    """Return the files of the pack, of those that it extends, and of those beside it that extend it.

    One that cannot be read has no content, and so no words.
    """
    beside = (pack.layer.folder.parent / model.name for model in pack.models)
    folders = {folder.resolve() for folder in (*beside, *(layer.folder for layer in pack.chain))}
    paths = {(path, folder) for folder in folders for pattern in _FILES for path in folder.glob(pattern)}
    return [read_content(path, folder) for path, folder in paths]


def _texts(pack: LintedPack) -> Iterator[Scalar]:
    """Yield every value that stands in the pack's own pack.yaml and rule files."""
    for root in (pack.layer.root, *(text.root for text in pack.own_rules)):
        yield from (node for node in nodes_of(root) if isinstance(node, Scalar))


LINT = Lint(
    code="unknown-member",
    summary="a member of a JSON value that is read in one place is no slip of the pen",
    why="a JSON value takes any member, so that a misspelt one is null, and changes verdicts in silence",
    bad="""
        # pack.yaml
        records:
          Box: {fields: {maker: {type: json, doc: 'who made it: name, country'}}}
        # boxes/maker.yaml
        summary: A box from abroad has a lid.
        why: It travels by sea.
        when: box.maker.country != null and box.maker.contry != "here"
        check: box.lid
        message: box `{box.id}` from `{box.maker.country}` has no lid
        """,
    good="""
        # pack.yaml
        records:
          Box: {fields: {maker: {type: json, doc: 'who made it: name, country'}}}
        # boxes/maker.yaml
        summary: A box from abroad has a lid.
        why: It travels by sea.
        when: box.maker.country != null and box.maker.country != "here"
        check: box.lid
        message: box `{box.id}` from `{box.maker.country}` has no lid
        """,
    find=find,
)
