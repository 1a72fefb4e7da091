"""What a question shows beside its answer: also beside errors, also of questions that it asks, and asking no stage."""

from __future__ import annotations

from pathlib import Path

from kernelpath.evaluate.loading import load_folder
from packs.folders import told, written

from .test_features import HEAD, asked, check, packed

PACK = """\
documents: {d: {doc: what is judged}}
values:
  parts: elements(d.parts)
  inner: {ask: inner, is: null, otherwise: 'null'}
  total: {is: length(parts), after: [shape]}
stages:
  shape: {each: request}
  extra: {each: request, for: [inner], gives: {more: string}}
questions:
  q:
    given: d
    answer: length(parts)
    matrix: true
    shows:
      parts: length(parts)
      total: total
      found: '[f.stage for f in findings]'
      more: more
"""
INNER = """\
  inner:
    given: d
    answer: more
    shows: {parts: '"inner " + text(length(parts))', more: more, size: d.size}
"""


def test_what_is_shown_is_what_could_be_computed(tmp_path: Path) -> None:
    """An error takes away only what depends on it; a stage that is not asked is not asked to show what it gives."""
    text = PACK.replace("  inner: {ask: inner, is: null, otherwise: 'null'}\n", "")
    pack = packed(
        tmp_path,
        text + INNER,
        shape__few=check("length(parts) < 3", "too many parts"),
        extra__said="summary: A\nwhy: b\nresolve: more\nfirst:\n  - {value: '\"x\"'}\n",
    )
    passed, failed = asked(pack, d={"parts": [1]}), asked(pack, d={"parts": [1, 2, 3]})
    assert passed.shown() == {"parts": 1, "total": 1, "found": [], "more": None}
    assert (failed.value, failed.shown()) == (None, {"parts": 3, "total": None, "found": ["shape"], "more": None})


def test_what_inner_questions_show_is_shown_too(tmp_path: Path) -> None:
    """Of equal names the outer one counts, unless it is null."""
    text = PACK.replace("{ask: inner, is: null, otherwise: 'null'}", "{ask: inner}")
    text = text.replace("    answer: length(parts)\n", "    answer: inner\n")
    pack = packed(
        tmp_path,
        text + INNER,
        shape__few=check("length(parts) < 3", "too many parts"),
        extra__said="summary: A\nwhy: b\nresolve: more\nfirst:\n  - {value: '\"x\"'}\n",
    )
    outcome = asked(pack, d={"parts": [1], "size": 7})
    assert outcome.value == "x"
    assert outcome.shown() == {"parts": 1, "more": "x", "size": 7, "total": 1, "found": []}
    assert [each.shown() for each in outcome.inner] == [{"parts": "inner 1", "more": "x", "size": 7}]


def test_a_mistake_in_what_is_shown_is_at_its_place(tmp_path: Path) -> None:
    """An unknown name is underlined in the expression."""
    text = "documents: {d: {}}\nquestions: {q: {given: d, answer: 'null', shows: {a: dd}}}\n"
    (found,) = told(written(tmp_path / "p", {"pack.yaml": HEAD + text}))
    assert (found.span.line, found.message, found.help) == (4, "unknown name `dd`", "did you mean `d`?")  # type: ignore[union-attr]


def test_one_question_at_most_is_that_of_a_matrix(tmp_path: Path) -> None:
    """A second one is reported, and a pack that extends another may choose another one."""
    base = HEAD + "documents: {d: {}}\nquestions:\n  a: {given: d, answer: 'null', matrix: true}\n"
    two = base + "  b: {given: d, answer: 'null', matrix: true}\n"
    (found,) = told(written(tmp_path / "two", {"pack.yaml": two}))
    assert (found.span.line, found.message) == (6, "a matrix asks one question, and `a` is it already")  # type: ignore[union-attr]
    assert found.help == "leave one out, or `replace` `questions.a.matrix` by false"
    written(tmp_path / "one", {"pack.yaml": base + "  b: {given: d, answer: 'null'}\n"})
    more = "summary: B.\nextends: one\nquestions: {b: {matrix: true}}\nreplace: {questions.a.matrix: false}\n"
    other = written(tmp_path / "other", {"pack.yaml": more})
    assert told(other) == []
    questions = load_folder(other).meta["questions"]
    assert {name: question["matrix"] for name, question in questions.items()} == {"a": False, "b": True}
