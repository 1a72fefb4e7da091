"""A rule that has no test file."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.packs.files import TEST_SUFFIX


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each rule beside whose file no test file lies; what is in the file is the matter of the test runner."""
    for text in pack.own_rules:
        tests = text.file.path.with_name(f"{text.file.name}{TEST_SUFFIX}")
        if not tests.is_file():
            message = f"rule `{text.rule.stage}/{text.rule.name}` has no tests"
            yield Finding(message, text.key_span("summary"), f"write them in `{tests.name}` beside it")


LINT = Lint(
    code="untested-rule",
    summary="a rule has tests beside it",
    why="nobody knows whether a rule that was never seen to pass and to fail does what it says",
    bad="""
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        """,
    good="""
        # boxes/red-lid.yaml
        summary: A red box has a lid.
        why: Red boxes are stored outside.
        when: box.colour == "red"
        check: box.lid
        message: box `{box.id}` is red and has no lid
        # boxes/red-lid.test.yaml
        cases:
          - {name: a red box with a lid, given: {box: {colour: red, lid: true}}, expect: pass}
          - name: a red box without one
            given: {box: {id: b, colour: red, lid: false}}
            expect: {fail: box `b` is red and has no lid}
        """,
    find=find,
)
