"""A message that does not say what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.language.ast import Member, Name, walk
from kernelpath.packs.model import Check, Scope

_WORD = re.compile("[a-z]+")


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each message that shows no variable; where there is one item only, naming what the check reads will do."""
    for text in pack.own_rules:
        rule = text.rule
        if not isinstance(rule, Check) or rule.message.checked.variables | rule.message.checked.sources:
            continue
        scope = pack.pack.scopes[rule.scope]
        if scope.item is not None or not _words(rule.message.text) & _names(rule, scope):
            help_text = f"show what decided, such as `{_example(rule, scope)}`"
            yield Finding("the message names no input", text.node(rule.message.place).span, help_text)


def _words(text: str) -> set[str]:
    """Return the words of a text in small letters, those inside a name such as `boxSize` too."""
    whole = set(_WORD.findall(text.lower()))
    return whole | set(_WORD.findall(re.sub("([A-Z])", r" \1", text).lower()))


def _names(rule: Check, scope: Scope) -> set[str]:
    """Return the words in the names that the rule's conditions read, and in the scope's own."""
    terms = [rule.holds, *([rule.when] if rule.when else []), *(term for _, term in rule.lets)]
    nodes = [node for term in terms for node in walk(term.checked.expression) if isinstance(node, Name | Member)]
    return _words(" ".join([scope.name, *(node.name for node in nodes)]))


def _example(rule: Check, scope: Scope) -> str:
    if scope.subject and scope.subject.checked.variables:
        return scope.subject.text
    read = sorted(rule.holds.checked.variables) or sorted(scope.variables) or ["value"]
    return f"{{{read[0]}}}"


LINT = Lint(
    code="silent-message",
    summary="a message shows what it is about",
    why="who has two hundred items must be told which one is wrong, and what of it",
    bad="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: a red box has no lid
        """,
    good="""
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    find=find,
)
