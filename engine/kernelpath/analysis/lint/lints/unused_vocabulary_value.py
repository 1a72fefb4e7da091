"""A value of a closed vocabulary that nothing can ever have and no rule names."""

from __future__ import annotations

from collections.abc import Iterator

from kernelpath.analysis.lint.declaration import Finding, Lint
from kernelpath.analysis.lint.edits import removal
from kernelpath.analysis.lint.linted import LintedPack
from kernelpath.analysis.lint.usage import Usage, parts_of
from kernelpath.language import Type, Vocabulary
from kernelpath.packs import documents
from kernelpath.packs.model import Pack


def find(pack: LintedPack) -> Iterator[Finding]:
    """Yield each value of a closed vocabulary that no expression names, where values come from expressions alone.

    An open vocabulary's values say what users may write, and so do those of a closed one that texts are converted to
    or that callers give: such values are used even where no rule names them.
    """
    usage = Usage(pack)
    outside = _from_outside(pack)
    for key, node in pack.section("vocabularies"):
        vocabulary = pack.pack.vocabularies[key.text]
        if vocabulary.open or key.text in usage.conversions | outside or key.text not in usage.words_of_types:
            continue
        assert isinstance(node, documents.Mapping)
        values, named = node["values"], usage.named_values(key.text) | usage.plain_texts
        for index, value in enumerate(values.items if isinstance(values, documents.Sequence) else ()):
            text = vocabulary.values[index]
            if text not in named:
                edits = removal(pack.layer.root, ("vocabularies", key.text, "values", index), alone=False)
                message = f"nothing names or gives value `{text}` of vocabulary `{key.text}`"
                yield Finding(message, value.span, edits=edits, fix="take it out")


def _from_outside(pack: LintedPack) -> set[str]:
    """Return the vocabularies whose values callers or operations of the engine give."""
    return {name for model in pack.models for name in _from_outside_of(model)}


def _from_outside_of(model: Pack) -> set[str]:
    types: list[Type] = [f.type for r in model.records.values() for f in r.fields if f.value is None]
    types += [type_ for scope in model.scopes.values() for type_ in scope.locals.values()]
    given = {name for program in model.programs.values() for name in program.inputs}
    for program in model.programs.values():
        for entry in program.entries:
            into = entry.settings.get("into") if entry.verb in ("run", "call", "judge") else None
            given |= set(into) if isinstance(into, dict) else {into} if isinstance(into, str) else set()
    types += [model.values[name] for name in given if name in model.values]
    return {part.name for type_ in types for part in parts_of(type_) if isinstance(part, Vocabulary)}


LINT = Lint(
    code="unused-vocabulary-value",
    summary="a value of a closed vocabulary is named by a rule, or can be given",
    why="a value that nothing gives and no rule names is a case that somebody meant to handle",
    bad="""
        # pack.yaml
        vocabularies:
          grade_name: {doc: how large a box is, values: [small, large, huge]}
        scopes:
          box: {given: {grade: grade_name}}
        """,
    good="""
        # pack.yaml
        vocabularies:
          grade_name: {doc: how large a box is, values: [small, large]}
        scopes:
          box: {given: {grade: grade_name}}
        """,
    find=find,
    fixed="takes the value out",
)
