"""What pack.yaml can say, each on a pack of a few lines: tables, columns, values, questions, stages and composition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kernelpath import api
from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import Outcome, ask
from kernelpath.packs import libraries
from packs.folders import told, written

HEAD = "summary: A pack.\nuses: javascript\n"


def check(condition: str, message: str, **lines: str) -> str:
    """Return a check with further lines."""
    more = "".join(f"{key}: {value}\n" for key, value in lines.items())
    return f"summary: A\nwhy: b\ncheck: '{condition}'\nmessage: '{message}'\n{more}"


def resolve(variable: str, value: str) -> str:
    """Return a resolution with one candidate."""
    return f"summary: A\nwhy: b\nresolve: {variable}\nfirst:\n  - {{value: '{value}'}}\n"


def packed(folder: Path, text: str, name: str = "p", **rules: str) -> Path:
    """Write a pack; a rule `stage__name` lies in the folder of its stage."""
    files = {f"{rule.replace('__', '/')}.yaml": content for rule, content in rules.items()}
    pack = written(folder / name, {"pack.yaml": HEAD + text, **files})
    assert [found.message for found in told(pack)] == []
    return pack


def asked(pack: Path, question: str = "q", **documents: Any) -> Outcome:
    """Ask a question of a pack."""
    return ask(load_folder(pack), question, documents)


def found(outcome: Outcome) -> list[tuple[str | None, str | None, str]]:
    """Return subject, place and message of each finding."""
    return [(each.subject, each.pointer, each.message) for each in outcome.report.diagnostics]


DOCUMENT = "documents: {d: {doc: what is judged}}\n"
QUESTION = "questions: {q: {given: d, answer: answer}}\n"


def test_rows_of_a_map_have_keys(tmp_path: Path) -> None:
    """A table over a map binds each key, and its place ends in it."""
    text = "values: {answer: 'length(parts)'}\n"
    text += "items: {parts: {of: object(d.parts), as: part, key: name, subject: '{name}'}}\n"
    pack = packed(
        tmp_path,
        DOCUMENT + text + "stages: {shape: {each: parts}}\n" + QUESTION,
        shape__whole=check("is_integer(part)", "part {name} is not whole"),
    )
    assert asked(pack, d={"parts": {"a": 1, "b": 2}}).value == 2
    assert found(asked(pack, d={"parts": {"a": 1, "b": 1.5}})) == [("b", "/parts/b", "part b is not whole")]


NESTED = """\
values: {answer: '[leaf for leaf in leaves]'}
items:
  branches: {of: elements(d), as: branch, index: place}
  leaves: {within: branches, of: elements(branch.leaves), as: leaf, index: number, subject: '{place}.{number}'}
stages: {shape: {each: leaves}}
"""


def test_rows_stand_within_rows(tmp_path: Path) -> None:
    """A nested table has the variables of the row that its rows stand in, and their places."""
    pack = packed(tmp_path, DOCUMENT + NESTED + QUESTION, shape__green=check("leaf != branch.bad", "{leaf} on {place}"))
    assert asked(pack, d=[{"leaves": [1, 2]}, {"leaves": [3]}]).value == [1, 2, 3]
    assert found(asked(pack, d=[{"leaves": [1]}, {"leaves": [2, 3], "bad": 3}])) == [("1.1", "/1/leaves/1", "3 on 1")]


def test_a_nested_list_may_call_a_built_in(tmp_path: Path) -> None:
    """The list of a table without index is made by any built-in, whatever generated code calls its own variables."""
    text = "values: {answer: '[leaf for leaf in leaves]'}\n"
    text += "items:\n  branches: {of: elements(d), as: branch}\n"
    text += "  leaves: {within: branches, of: 'elements(at(branch, \"leaves\"))', as: leaf}\n"
    pack = packed(tmp_path, DOCUMENT + text + QUESTION)
    assert asked(pack, d=[{"leaves": [1, 2]}, {"leaves": [3]}]).value == [1, 2, 3]


ALIKE = """\
values:
  again: {is: 'if truthy(d.more) then elements(d.more) else steps'}
  answer: '[s for s in others.double]'
items:
  steps: {of: elements(d.steps), as: step, index: place, subject: '{place}'}
  others: {like: steps, of: again, subject: 'more {place}', at: 'd#/more/{place}'}
stages: {shape: {each: [steps, others], gives: {double: int}}}
"""


def test_a_table_like_another_is_judged_once(tmp_path: Path) -> None:
    """The rows of the very list are judged once, and what is given of them is there for both tables."""
    pack = packed(
        tmp_path,
        DOCUMENT + ALIKE + QUESTION,
        shape__whole=check("is_integer(step)", "{step} is not whole", guards="[step]"),
        shape__double=resolve("double", "if is_integer(step) then int(number(step)) * 2 else 0"),
    )
    assert asked(pack, d={"steps": [1, 2]}).value == [2, 4]
    assert found(asked(pack, d={"steps": [1, "x"]})) == [("1", "/steps/1", "x is not whole")]
    assert asked(pack, d={"steps": [1], "more": [5, 6]}).value == [10, 12]
    assert found(asked(pack, d={"steps": [1], "more": [5, "y"]})) == [("more 1", "/more/1", "y is not whole")]


WHOLE = """\
values: {answer: length(steps)}
items:
  steps:
    of: elements(d)
    as: step
    index: place
    subject: '{text(step)}'
    with: {firsts: 'first_positions([text(s) for s in steps])'}
stages: {shape: {each: steps}}
"""


def test_a_table_has_values_of_the_whole(tmp_path: Path) -> None:
    """What belongs to the table as a whole is a variable of each row's rules."""
    pack = packed(
        tmp_path, DOCUMENT + WHOLE + QUESTION, shape__once=check("firsts[text(step)] == place", "{text(step)} again")
    )
    assert found(asked(pack, d=["a", "b", "a"])) == [("a", "/2", "a again")]


COLUMNS = """\
values:
  answer: '[c.name + text(c.size) for c in cups]'
items:
  cups:
    of: elements(d)
    as: cup
    index: place
    fields: {name: text(raw.name), size: {type: float?, is: 'if is_number(raw.size) then number(raw.size) else null'}}
"""


def test_columns_are_made_of_what_was_read(tmp_path: Path) -> None:
    """Columns over `raw` make the row's record, whose members have the columns' types."""
    pack = packed(tmp_path, DOCUMENT + COLUMNS + QUESTION)
    assert asked(pack, d=[{"name": "a", "size": 2}, {"size": "x"}]).value == ["a2", "nullnull"]


VALUES = """\
documents: {d: {doc: what is judged}, e: {optional: true}}
values:
  size: {is: 'if is_integer(d.size) then int(number(d.size)) else 0', input: true}
  box: {type: Box, fields: {size: size, large: size > 5}}
  big: {is: size * 2, when: size > 1}
  inner: {ask: part, with: {d: d.inner, size: '7'}, places: {d: 'd#/inner'}, otherwise: '"none"'}
  answer: '[text(box.size), text(box.large), text(big), text(inner)]'
stages: {shape: {each: request, for: [part], at: 'd#'}}
questions:
  q: {given: [d, e], answer: answer}
  part: {given: d, answer: size}
  small: {given: d, with: {size: '1'}, answer: 'text(size)'}
  maybe: {given: d, when: truthy(d.ask), answer: size, else: '"not asked"'}
  lasting: {given: d, answer: 'length(findings)', always: true}
"""


def test_values_of_every_kind(tmp_path: Path) -> None:
    """Fields make a record; a condition makes null; a question's answer stands in, or what is said otherwise."""
    pack = packed(tmp_path, VALUES, shape__good=check("not truthy(d.bad)", "bad"))
    assert asked(pack, d={"size": 9, "inner": {}}).value == ["9", "true", "18", "7"]
    assert asked(pack, d={"size": 1}).value == ["1", "false", "null", "7"]
    assert asked(pack, d={"size": 1}, size=3).value[0] == "3"
    failed = asked(pack, d={"size": 1, "inner": {"bad": True}})
    assert (failed.value, found(failed)) == (None, [(None, "/inner", "bad")])


@pytest.mark.parametrize(
    ("question", "document", "value"),
    [
        ("small", {"size": 9}, "1"),
        ("maybe", {"ask": True, "size": 4}, 4),
        ("maybe", {"size": 4}, "not asked"),
        ("lasting", {}, 0),
    ],
)
def test_questions_of_every_kind(tmp_path: Path, question: str, document: Any, value: Any) -> None:
    """A question may set inputs, and say when it applies and what it answers otherwise."""
    pack = packed(tmp_path, VALUES, shape__good=check("not truthy(d.bad)", "bad"))
    assert asked(pack, question, d=document).value == value


STAGES = """\
values: {answer: 'length(steps)', marks: {is: '[m for m in steps.mark]'}}
items: {steps: {of: elements(d), as: step, index: place, subject: '{place}'}}
stages:
  first: {each: steps, gives: {mark: string}}
  second: {each: steps, after: [first]}
  apart: {each: steps}
"""


def test_a_row_that_failed_does_not_come_to_later_stages(tmp_path: Path) -> None:
    """Stages over one table go by rows: the one after it passes over the row that failed, one apart does not."""
    pack = packed(
        tmp_path,
        DOCUMENT + STAGES + QUESTION,
        first__whole=check("is_integer(step)", "not whole"),
        first__mark=resolve("mark", "text(step)"),
        second__small=check("step != 9", "nine"),
        second__text=check('text(step) != "x"', "x"),
        apart__never=check('text(step) != "x"', "apart"),
    )
    assert asked(pack, d=[1, 2]).value == 2
    assert found(asked(pack, d=[9, "x"])) == [
        ("1", "/1", "not whole"), ("0", "/0", "nine"), ("1", "/1", "apart"),
    ]  # fmt: skip


GUARDED = """\
values: {answer: 'size + 1', kind: {is: text(d.kind)}}
stages:
  shape: {each: request, gives: {size: int}, at: 'd#'}
  later: {each: request, at: 'd#'}
  apart: {each: request, at: 'd#'}
"""


def test_a_guard_of_the_request_makes_the_cell_missing(tmp_path: Path) -> None:
    """What a failed check guards is missing for every other rule, and what is independent is still asked."""
    pack = packed(
        tmp_path,
        DOCUMENT + GUARDED + QUESTION,
        shape__known=check('kind in ["a", "b"]', "unknown kind", guards="[kind]"),
        shape__size=resolve("size", "length(kind)"),
        later__kind=check('kind == "a"', "not a"),
        apart__other=check("not truthy(d.other)", "other"),
    )
    assert asked(pack, d={"kind": "a"}).value == 2
    assert [message for _, _, message in found(asked(pack, d={"kind": "b"}))] == ["not a"]
    assert [message for _, _, message in found(asked(pack, d={"kind": "c", "other": 1}))] == ["unknown kind", "other"]


BASE = """\
vocabularies: {colour: {values: [red, blue]}}
constants: {most: {value: 3}}
values: {answer: 'length(elements(d))'}
items: {steps: {of: elements(d), as: step, index: place, subject: '{place}'}}
stages: {shape: {each: steps}}
"""
MORE = """\
extends: p
vocabularies: {colour: {values: [green]}}
values: {answer: {decisions: [A1]}, doubled: 'most * 2'}
stages: {count: {each: request, at: 'd#'}}
rules: {p/shape/colour: {level: warning, reason: they may be added}}
replace: {constants.most.value: 5}
"""


def test_a_pack_adds_to_another_and_replaces_in_it(tmp_path: Path) -> None:
    """Words, stages and decisions add up, what is replaced is replaced, and levels change what a finding is."""
    rules = {"shape__colour": check("colour(text(step)) != null", "no colour")}
    packed(tmp_path, DOCUMENT + BASE + QUESTION, **rules)
    more = packed(
        tmp_path, MORE, "more", count__most=check("length(elements(d)) <= most and doubled == 10", "over {most}")
    )
    assert found(asked(tmp_path / "p", d=["red", "green"])) == [("1", "/1", "no colour")]
    assert asked(more, d=["red", "green"]).value == 2
    warned = asked(more, d=["red", "pink"])
    assert (warned.value, found(warned)) == (2, [("1", "/1", "no colour")])
    assert found(asked(more, d=["red"] * 6)) == [(None, "", "over 5")]


def test_a_pack_of_two_others(tmp_path: Path) -> None:
    """Of several packs that it extends, each adds its own, and a rule of a later one has the place of an earlier's."""
    packed(tmp_path, DOCUMENT + BASE + QUESTION, shape__colour=check("colour(text(step)) != null", "no colour"))
    packed(tmp_path, "extends: p\n", "first", shape__short=check("length(text(step)) < 9", "long"))
    packed(tmp_path, "extends: p\n", "second", shape__colour=check('text(step) != ""', "empty"))
    both = packed(tmp_path, "extends: [first, second]\n", "both")
    assert [message for _, _, message in found(asked(both, d=["", "a very long word"]))] == ["empty", "long"]


def test_findings_are_read_with_their_messages(tmp_path: Path) -> None:
    """An answer may say what was found, in the words of the rules."""
    text = "values: {answer: '[f.message for f in findings]'}\nstages: {shape: {each: request}}\n"
    question = "questions: {q: {given: d, answer: answer, always: true}}\n"
    pack = packed(tmp_path, DOCUMENT + text + question, shape__whole=check("is_integer(d)", "{text(d)} is not whole"))
    assert asked(pack, d=1.5).value == ["1.5 is not whole"]
    assert asked(pack, d=1).value == []


def test_a_resource_may_name_what_is_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a resource, the data that a pack names is taken unless other is given."""
    monkeypatch.setitem(libraries.RESOURCES, "colours", lambda given: {"name": given})
    documents = "documents: {d: {doc: a}, e: {doc: b, resource: colours}, f: {doc: c, resource: colours/red}}\n"
    text = "values: {answer: '[e.name, f.name]'}\nstages: {shape: {each: request}}\n"
    question = "questions: {q: {given: [d, e, f], answer: answer}}\n"
    pack = load_folder(packed(tmp_path, documents + text + question))
    assert api.ask("q", pack=pack, d=1).value == [None, "red"]
    assert api.ask("q", pack=pack, d=1, e="blue", f="green").value == ["blue", "green"]


def test_shipped_data_is_read_for_the_questions_that_take_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data that neither a question nor one that it asks takes is not read; what is given by a name always is."""
    read: list[Any] = []
    monkeypatch.setitem(libraries.RESOURCES, "colours", lambda given: read.append(given) or ["red"])
    text = "documents: {d: {doc: what is judged}, colours: {doc: what there is, resource: colours}}\n"
    text += "values:\n  outer: {ask: inner}\n  own: d\n"
    text += "questions:\n  plain: {given: d, answer: own}\n  inner: {given: [d, colours], answer: colours}\n"
    text += "  asking: {given: d, answer: outer}\n"
    pack = load_folder(packed(tmp_path, text))
    assert api.ask("plain", pack=pack, d=1).value == 1
    assert read == []
    assert api.ask("asking", pack=pack, d=1).value == ["red"]
    assert api.ask("inner", pack=pack, d=1, colours="mine").value == ["red"]
    api.ask("plain", pack=pack, d=1, colours="mine")
    assert read == [None, "mine", "mine"]
