"""A workspace value that a scope lets its rules see, and none of them looks at."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage
from kernelpath.packs import documents


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each name under a scope's `uses` that no rule, record, flow, subject or place of the scope reads."""
    usage = Usage(pack)
    for key, node in pack.section("scopes"):
        assert isinstance(node, documents.Mapping)
        uses = node.get("uses")
        read = usage.read_in_scope(key.text)
        for index, item in enumerate(uses.items if isinstance(uses, documents.Sequence) else ()):
            name = documents.to_plain(item)
            if name not in read:
                edits = removal(pack.layer.root, ("scopes", key.text, "uses", index))
                message = f"nothing in scope `{key.text}` reads `{name}`"
                yield Finding(message, item.span, edits=edits, fix="take it out of `uses`")


LINT = Lint(
    code="unused-scope-variable",
    summary="what a scope uses is read by something in the scope",
    why="`uses` says what the rules of a scope depend on; a name too many misleads whoever changes what it stands for",
    bad="""
        # pack.yaml
        values:
          shelf: {type: int, doc: where the boxes stand}
        scopes:
          box: {uses: [limit, shelf]}
        programs:
          look: {inputs: [boxes, limit, shelf]}
        """,
    good="""
        # pack.yaml
        values:
          shelf: {type: int, doc: where the boxes stand}
        scopes:
          box: {uses: [limit, shelf], at: 'boxes#/{shelf}/{index}'}
        programs:
          look: {inputs: [boxes, limit, shelf]}
        """,
    find=find,
    fixed="takes the name out of `uses`",
)
