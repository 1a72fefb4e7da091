"""A rule that is of another severity than the one that it replaces."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.diagnostics import Label
from kernelpath.packs import documents
from kernelpath.packs.documents import Node, read_yaml
from kernelpath.packs.files import RuleFile, rule_source


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each check whose severity differs from that of the extended pack's rule of the same path."""
    for text in pack.own_rules:
        own = text.root.get("severity")
        before = _replaced(pack, text.rule.stage, text.rule.name)
        old = _severity(before) if before else None
        if own is None or before is None or old is None or documents.to_plain(own) == documents.to_plain(old):
            continue
        was, now = documents.to_plain(old), documents.to_plain(own)
        message = f"the rule was of severity `{was}` in pack `{before.pack}`, and is `{now}` here"
        label = Label(old.span, "the severity that it had")
        yield Finding(message, own.span, f"keep `{was}`, or give the rule a name of its own", (label,))


def _replaced(pack: LintedPack, stage: str, name: str) -> RuleFile | None:
    """Return the file of the last extended pack that has the rule."""
    files = (file for layer in reversed(pack.chain[:-1]) for file in layer.rules)
    return next((file for file in files if (file.stage, file.name) == (stage, name)), None)


def _severity(file: RuleFile) -> Node | None:
    root = read_yaml(rule_source(file))
    return root.get("severity") if isinstance(root, documents.Mapping) else None


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
        each: box
        check: box.size <= 2 * limit
        message: box `{box.id}` has size {box.size}
        """,
    good="""
        # pack.yaml
        extends: boxes
        # boxes/size-limit.yaml
        summary: A box is no larger than twice the limit.
        why: Larger ones do not fit the shelf.
        severity: error
        each: box
        check: box.size <= 2 * limit
        message: box `{box.id}` has size {box.size}
        """,
    find=find,
)
