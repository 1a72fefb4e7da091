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
    """Return the vocabularies whose values documents hold, or questions and the engine give."""
    return {name for model in pack.models for name in _from_outside_of(model)}


def _from_outside_of(model: Pack) -> set[str]:
    made = {table.record for table in model.items.values()}
    made |= {str(value.type) for value in model.values.values() if value.fields}
    types: list[Type] = [document.type for document in model.documents.values()]
    types += [type_ for shape in model.records.values() if shape.name not in made for type_ in shape.fields.values()]
    types += [type_ for scope in model.scopes.values() for type_ in scope.locals.values()]
    types += [value.type for value in model.values.values() if value.input]
    return {part.name for type_ in types for part in parts_of(type_) if isinstance(part, Vocabulary)}


LINT = Lint(
    code="unused-vocabulary-value",
    summary="a value of a closed vocabulary is named by a rule, or can be given",
    why="a value that nothing gives and no rule names is a case that somebody meant to handle",
    bad="""
        # pack.yaml
        vocabularies:
          grade_name: {doc: how large a box is, values: [small, large, huge]}
        stages:
          boxes: {gives: {grade: grade_name}}
        """,
    good="""
        # pack.yaml
        vocabularies:
          grade_name: {doc: how large a box is, values: [small, large]}
        stages:
          boxes: {gives: {grade: grade_name}}
        """,
    find=find,
    fixed="takes the value out",
)
