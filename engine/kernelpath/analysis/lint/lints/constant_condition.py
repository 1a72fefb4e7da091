"""A condition that always has one value: `always-true` and `always-false`."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.conditions import Evaluated, evaluated
from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import Edit, removal
from kernelpath.analysis.lint.folding import Constant
from kernelpath.analysis.lint.linted import LintedPack, LintedRule
from kernelpath.language import Expression, unparse
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, Scalar

_LONGEST = 60


def find_true(pack: LintedPack) -> Iterator[Finding]:
    """Yield each condition that is true whatever the input is."""
    return _find(pack, True)


def find_false(pack: LintedPack) -> Iterator[Finding]:
    """Yield each condition that is false whatever the input is."""
    return _find(pack, False)


def _find(pack: LintedPack, value: bool) -> Iterator[Finding]:
    for text in pack.own_rules:
        for each in evaluated(text.rule):
            for constant in each.constants():
                if constant.value is value:
                    yield _finding(text, each, constant)


def _finding(text: LintedRule, each: Evaluated, constant: Constant) -> Finding:
    node, word = constant.node, "true" if constant.value else "false"
    span = text.part(each.term, node.start, node.end)
    whole = span == text.node(each.term.place).span
    message = f"{_shown(node)} is always {word}" + ("" if whole else " here")
    edits = _without_when(text, text.node(each.term.place)) if constant.value and whole else []
    return Finding(message, span, edits=edits, fix="take the condition out")


def _shown(node: Expression) -> str:
    written = unparse(node)
    return f"`{written}`" if len(written) <= _LONGEST else "this condition"


def _without_when(text: LintedRule, node: Node) -> list[Edit]:
    """Return the edit that takes out a `when` that is just `true`."""
    if not isinstance(node, Scalar) or node.text.strip() != "true":
        return []
    path = next((path for path, value in _whens(text.root) if value is node), None)
    return removal(text.root, path) if path else []


def _whens(root: documents.Mapping) -> Iterator[tuple[tuple[str | int, ...], Node]]:
    if "when" in root:
        yield ("when",), root["when"]
    for section in ("first", "rows"):
        items = root.get(section)
        for index, item in enumerate(items.items if isinstance(items, documents.Sequence) else ()):
            if isinstance(item, documents.Mapping) and "when" in item:
                yield (section, index, "when"), item["when"]


ALWAYS_TRUE = Lint(
    code="always-true",
    summary="a condition can be false",
    why="a condition that is always true decides nothing: it is not the one that was meant, or can go",
    bad="""
        summary: A box is no larger than the limit, or has a lid.
        why: Large boxes without a lid spill.
        when: box.colour == "red" or box.colour != "red"
        check: box.size <= limit or box.lid
        message: box `{box.id}` is too large
        """,
    good="""
        summary: A box is no larger than the limit, or has a lid.
        why: Large boxes without a lid spill.
        when: box.colour == "red" or box.colour == "blue"
        check: box.size <= limit or box.lid
        message: box `{box.id}` is too large
        """,
    find=find_true,
    fixed="takes out `when: true`",
)
ALWAYS_FALSE = Lint(
    code="always-false",
    summary="a condition can be true",
    why="a condition that is always false is a rule, a candidate or a branch that never applies",
    bad="""
        summary: A small red box has a lid.
        why: It is easily lost.
        when: box.size < 3 and box.size > 5
        check: box.lid
        message: box `{box.id}` has no lid
        """,
    good="""
        summary: A small red box has a lid.
        why: It is easily lost.
        when: box.size < 5 and box.size > 3
        check: box.lid
        message: box `{box.id}` has no lid
        """,
    find=find_false,
)
