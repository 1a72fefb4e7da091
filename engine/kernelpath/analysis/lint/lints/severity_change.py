"""A rule that is of another severity than the one that it replaces."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.diagnostics import ERROR, Label
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, read_yaml
from kernelpath.packs.files import RuleFile, rule_source
from kernelpath.packs.model import Check


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each check whose severity differs from that of the extended pack's rule of the same path."""
    for text in pack.own_rules:
        before = _replaced(pack, text.rule.stage, text.rule.name)
        root = read_yaml(rule_source(before)) if before else None
        if not isinstance(text.rule, Check) or before is None or not isinstance(root, documents.Mapping):
            continue
        was, now = _severity(root), _severity(text.root)
        if "check" in root and was != now:
            message = f"the rule was of severity `{was}` in pack `{before.pack}`, and is `{now}` here"
            label = Label(_place(root).span, "the severity that it had")
            yield Finding(message, _place(text.root).span, f"keep `{was}`, or give the rule another name", (label,))


def _replaced(pack: LintedPack, stage: str, name: str) -> RuleFile | None:
    """Return the file of the last extended pack that has the rule."""
    files = (file for layer in reversed(pack.chain[:-1]) for file in layer.rules)
    return next((file for file in files if (file.stage, file.name) == (stage, name)), None)


def _severity(root: documents.Mapping) -> str:
    """Return the severity of a check, `error` unless it is said."""
    return str(documents.to_plain(root["severity"])) if "severity" in root else ERROR


def _place(root: documents.Mapping) -> Node:
    """Return where a rule says its severity; its first key if it does not."""
    return root["severity"] if "severity" in root else root.entries[0][0]


LINT = Lint(
    code="severity-change",
    summary="a rule is of the severity that the extended pack gave it",
    why="who knows the extended pack takes its errors for errors; as warnings they pass unseen",
    bad="""
        # pack.yaml
        extends: boxes
        # boxes/size-limit.yaml
        summary: A box is no larger than twice the limit.
        why: Larger ones do not fit the shelf.
        severity: warning
        check: box.size <= 2 * limit
        message: box `{box.id}` has size {box.size}
        """,
    good="""
        # pack.yaml
        extends: boxes
        # boxes/size-limit.yaml
        summary: A box is no larger than twice the limit.
        why: Larger ones do not fit the shelf.
        check: box.size <= 2 * limit
        message: box `{box.id}` has size {box.size}
        """,
    find=find,
)
