"""Each format shows diagnostics exactly so, and no text that a user can write breaks one."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kernelpath.diagnostics import Diagnostic, Label, Source, Span
from kernelpath.diagnostics.account import Account, NotAsked, RuleText
from kernelpath.diagnostics.render import FORMATS, render
from kernelpath.diagnostics.render.text import render_one

SOURCE = Source("box.json", '{\n  "name": "lid",\n\t"size": 12\n}\n')
AT = SOURCE.text.index("12")
TOO_BIG = Diagnostic(
    rule="box/size/too-big",
    decisions=("B7",),
    severity="error",
    message="box `lid` has size 12, but 9 is the most",
    subject="lid",
    document="box",
    pointer="/size",
    span=SOURCE.span(AT, AT + 2),
    secondary=(
        Label(SOURCE.span(4, 10), "the box is named here"),
        Label(Span("rules/box/size/too-big.yaml", 12, 8, 12, 20), "rule"),
    ),
    values=(("size", "12"), ("most", "9")),
    help="make it smaller",
    fix={
        "description": "set it to 9",
        "edits": [{"file": "box.json", "line": 3, "column": 10, "endLine": 3, "endColumn": 12, "text": "9"}],
    },
)
WARNING = Diagnostic("box/name", (), "warning", "100% a name, is it: yes", span=Span("c:d,e.json", 1, 1, 2, 1))
NOTE = Diagnostic("box/note", (), "note", "said", pointer="/a", document="box")
SOURCES = {"box.json": SOURCE}


def test_text() -> None:
    """A diagnostic reads like a compiler's: place, lines with carets, values, rule and help."""
    assert render("text", [TOO_BIG, NOTE], SOURCES) == (
        "error[box/size/too-big]: box `lid` has size 12, but 9 is the most\n"
        " --> box.json:3:10\n"
        "  |\n"
        '2 |   "name": "lid",\n'
        "  |   ------ the box is named here\n"
        '3 |     "size": 12\n'
        "  |             ^^\n"
        "  |\n"
        "  = values:\n"
        "      size = 12\n"
        "      most = 9\n"
        "  = rule: rules/box/size/too-big.yaml:12\n"
        "  = help: make it smaller\n"
        "\n"
        "note[box/note]: said\n"
        " --> box#/a\n"
        "\n"
        "1 error, 1 note\n"
    )


def test_text_without_findings_is_empty() -> None:
    """Where there is nothing to say, nothing is said."""
    assert render("text", []) == ""


def test_text_without_sources_names_the_place_only() -> None:
    """A file that is not at hand is named, not shown, and second places in it as well."""
    text = render_one(TOO_BIG)
    assert text.startswith(
        "error[box/size/too-big]: box `lid` has size 12, but 9 is the most\n --> box.json:3:10\n  = values:\n"
    )
    assert "  = the box is named here: box.json:2\n" in text


def test_text_colours_only_when_asked() -> None:
    """Colours change the look and not a word."""
    plain, coloured = (render("text", [TOO_BIG], SOURCES, colour=colour) for colour in (False, True))
    assert "\x1b" not in plain
    assert coloured.startswith("\x1b[1;31merror[box/size/too-big]\x1b[0m\x1b[1m: ")
    stripped = coloured
    for code in ("1;31", "1;33", "1;36", "1", "34", "0"):
        stripped = stripped.replace(f"\x1b[{code}m", "")
    assert stripped == plain


def marked(text: str, start: int, end: int) -> list[str]:
    """Return the source line and the carets under it, as shown."""
    source = Source("a", text)
    shown = render_one(Diagnostic("r", (), "error", "m", span=source.span(start, end)), {"a": source})
    return [line[4:] for line in shown.split("\n")[3:5]]


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("ab\n", 0, 2, ["ab", "^^"]),
        ("ab\n", 2, 2, ["ab", "  ^"]),
        ("ab", 1, 1, ["ab", " ^"]),
        ("", 0, 0, ["", "^"]),
        ("a\tb", 2, 3, ["a    b", "     ^"]),
        ("a\x1b[31mb", 6, 7, ["a\\x1b[31mb", "         ^"]),
        ("世界b", 1, 2, ["世界b", "  ^^"]),
        ("e\u0301b", 2, 3, ["e\u0301b", " ^"]),
        ("a\u202eb", 1, 2, ["a\\u202eb", " ^^^^^^"]),
        ("a\ud800b", 2, 3, ["a\\ud800b", "       ^"]),
        ("one\ntwo\n", 1, 6, ["one", " ^^"]),
        ("x\r\ny", 0, 1, ["x", "^"]),
    ],
)
def test_carets_stand_under_what_they_mean(text: str, start: int, end: int, expected: list[str]) -> None:
    """Tabs, escapes, wide and combining characters, and empty places are marked where they are seen."""
    assert marked(text, start, end) == expected


def test_long_lines_are_cut_round_the_caret() -> None:
    """Of a line of a million characters a window is shown, with the mark in it."""
    text = "x" * 500_000 + "HERE" + "x" * 500_000
    line, carets = marked(text, 500_000, 500_004)
    assert line == "..." + "x" * 40 + "HERE" + "x" * 76 + "..."
    assert carets == " " * 43 + "^^^^"


def test_json_is_as_its_schema_says() -> None:
    """The report validates, and carries each diagnostic's own JSON and the counts."""
    report = json.loads(render("json", [TOO_BIG, WARNING, NOTE], SOURCES))
    schema = json.loads((resources.files("kernelpath.diagnostics.render") / "report.schema.json").read_text("utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(report)) == []
    assert report["version"] == 1
    assert report["diagnostics"][0] == json.loads(json.dumps(TOO_BIG.to_dict()))
    assert report["summary"] == {"error": 1, "warning": 1, "note": 1}


def test_sarif() -> None:
    """A result has its rule, its places, its related places and its fix."""
    account = Account(
        rules={"box/size/too-big": RuleText("Boxes are small.", "Large ones do not fit."), "other": RuleText("")}
    )
    log = json.loads(render("sarif", [TOO_BIG, NOTE], SOURCES, tool_version="1.2", account=account))
    run = log["runs"][0]
    assert (log["version"], run["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert run["tool"]["driver"] == {
        "name": "kernelpath",
        "version": "1.2",
        "rules": [
            {"id": "box/note", "shortDescription": {"text": "Note"}},
            {
                "id": "box/size/too-big",
                "shortDescription": {"text": "Boxes are small."},
                "fullDescription": {"text": "Large ones do not fit."},
                "help": {"text": "Large ones do not fit."},
            },
        ],
    }
    region = {"startLine": 3, "startColumn": 10, "endLine": 3, "endColumn": 12}
    result = run["results"][0]
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("box/size/too-big", 1, "error")
    assert result["locations"] == [
        {
            "physicalLocation": {"artifactLocation": {"uri": "box.json"}, "region": region},
            "logicalLocations": [{"name": "lid", "fullyQualifiedName": "box#/size"}],
        }
    ]
    assert [(place["id"], place["message"]["text"]) for place in result["relatedLocations"]] == [
        (1, "the box is named here"),
        (2, "rule"),
    ]
    assert result["fixes"] == [
        {
            "description": {"text": "set it to 9"},
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": "box.json"},
                    "replacements": [{"deletedRegion": region, "insertedContent": {"text": "9"}}],
                }
            ],
        }
    ]
    assert run["results"][1]["locations"] == [{"logicalLocations": [{"name": "/a", "fullyQualifiedName": "box#/a"}]}]


def uris(name: str) -> list[str]:
    """Return what a finding in a file is located by."""
    finding = Diagnostic(
        "r", (), "error", "m", span=Span(name, 1, 1, 1, 2), secondary=(Label(Span(name, 1, 1, 1, 2), ""),)
    )
    [result] = json.loads(render("sarif", [finding]))["runs"][0]["results"]
    places = [*result.get("locations", ()), *result.get("relatedLocations", ())]
    return [place["physicalLocation"]["artifactLocation"]["uri"] for place in places]


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("a b.json", "a%20b.json"),
        ("/x/y.json", "file:///x/y.json"),
        ("c:d", "c%3Ad"),
        ("./a.json", "a.json"),
        ("a//b.json", "a/b.json"),
        ("a/./b.json", "a/b.json"),
        ("a/../b.json", "b.json"),
        ("../a.json", "../a.json"),
        ("/x/../y.json", "file:///y.json"),
        pytest.param("a\\b.json", "a%5Cb.json", marks=pytest.mark.skipif(os.sep != "/", reason="a separator there")),
    ],
)
def test_sarif_names_files_by_uri(name: str, uri: str) -> None:
    """What is not a letter of a path is encoded, the way is the shortest, and absolute paths are `file:` URIs."""
    assert uris(name) == [uri, uri]


def test_sarif_follows_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A way through a link is not made shorter if it would lead to another file."""
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    monkeypatch.chdir(tmp_path)
    assert uris("link/../a.json") == ["link/../a.json"] * 2
    assert uris("far/../a.json") == ["a.json"] * 2


def test_standard_input_is_not_a_file() -> None:
    """Text that came by standard input has no place that a code host could open."""
    assert uris("<stdin>") == []
    finding = Diagnostic("r", (), "error", "m", span=Span("<stdin>", 1, 1, 1, 2))
    assert render("github", [finding]) == "::error title=r::m\n"


@pytest.mark.parametrize("others", [[NOTE], [WARNING, NOTE]])
def test_sarif_says_of_a_rule_what_holds_whatever_is_found(others: list[Diagnostic]) -> None:
    """Two runs that find other things describe a rule alike."""
    account = Account(rules={"box/size/too-big": RuleText("Boxes are small.", "Large ones do not fit.")})
    first = replace(TOO_BIG, help="another help", message="another message")
    rules = [
        {
            rule["id"]: rule
            for rule in json.loads(render("sarif", found, account=account))["runs"][0]["tool"]["driver"]["rules"]
        }
        for found in ([first, TOO_BIG, *others], [*others, TOO_BIG])
    ]
    assert rules[0] == rules[1]
    assert all(rule["shortDescription"]["text"] for rule in rules[0].values())


NOT_ASKED = NotAsked("2 rules were not asked", "box.json", ("a/b", "a/c"), ("box/size/too-big",), ("lid",))


@pytest.mark.parametrize("format", FORMATS)
def test_what_was_not_asked_is_in_every_format(format: str) -> None:
    """No format keeps it to itself, and none has anything of it where all was asked."""
    made = render(format, [TOO_BIG], SOURCES, account=Account(not_asked=(NOT_ASKED,)))
    assert made.count("2 rules were not asked") == 1
    assert "sked" not in render(format, [TOO_BIG], SOURCES, account=Account())


def test_what_was_not_asked_as_data() -> None:
    """Tools find it beside the findings: in JSON under its own name, in SARIF among the run's notifications."""
    account = Account(not_asked=(NOT_ASKED,))
    report = json.loads(render("json", [TOO_BIG], account=account))
    schema = json.loads(resources.files("kernelpath.diagnostics.render").joinpath("report.schema.json").read_text())
    assert list(Draft202012Validator(schema).iter_errors(report)) == []
    assert report["notAsked"] == [json.loads(json.dumps(NOT_ASKED.to_dict()))]
    [invocation] = json.loads(render("sarif", [TOO_BIG], account=account))["runs"][0]["invocations"]
    assert invocation == {
        "executionSuccessful": True,
        "toolExecutionNotifications": [
            {"level": "note", "descriptor": {"id": "not-asked"}, "message": {"text": "2 rules were not asked"}}
        ],
    }


def test_junit() -> None:
    """Errors are failures, warnings and notes are cases that pass and are printed."""
    suites = ElementTree.fromstring(render("junit", [TOO_BIG, WARNING], SOURCES))
    suite = suites[0]
    assert suite.attrib == {"name": "kernelpath", "tests": "2", "failures": "1", "errors": "0", "skipped": "0"}
    assert suite[0].attrib == {"classname": "box/size/too-big", "name": "box.json:3:10"}
    assert suite[0][0].attrib == {"message": "box `lid` has size 12, but 9 is the most"}
    assert suite[0][0].text == render_one(TOO_BIG, SOURCES)
    assert [child.tag for child in suite[1]] == ["system-out"]


def test_junit_without_findings_has_a_case_that_passes() -> None:
    """A clean run is not an empty suite, which CI systems take for a broken one."""
    suites = ElementTree.fromstring(render("junit", []))
    assert [(case.attrib["name"], len(case)) for case in suites[0]] == [("no findings", 0)]


def test_junit_has_a_case_for_all_that_passed() -> None:
    """What was looked at and is clean is a case of its own, beside those that fail."""
    suites = ElementTree.fromstring(render("junit", [TOO_BIG], account=Account(("a.json", "b\x1b.json"))))
    assert [(case.attrib["name"], len(case)) for case in suites[0]] == [
        ("box.json:3:10", 1),
        ("a.json", 0),
        ("b\\x1b.json", 0),
    ]
    assert suites.attrib == {"tests": "3", "failures": "1", "errors": "0", "skipped": "0"}


def test_github() -> None:
    """An annotation is one line, with what would end its parts escaped."""
    assert render("github", [TOO_BIG, WARNING, NOTE], SOURCES) == (
        "::error file=box.json,line=3,endLine=3,col=10,endColumn=12,title=box/size/too-big::"
        "box `lid` has size 12, but 9 is the most%0Asize = 12%0Amost = 9%0Ahelp: make it smaller\n"
        "::warning file=c%3Ad%2Ce.json,line=1,endLine=2,title=box/name::100%25 a name, is it: yes\n"
        "::notice title=box/note::said\n"
    )


ANY = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\x00\x1b\r\n\t\ud800\udfff\u202e\ufffe<>&\"':%,")))


@pytest.mark.parametrize("format", FORMATS)
@given(text=ANY, message=ANY, name=ANY, start=st.integers(0, 30), length=st.integers(0, 30))
def test_no_text_breaks_a_format(format: str, text: str, message: str, name: str, start: int, length: int) -> None:
    """Whatever a user wrote, every format can be encoded, parsed by its readers, and holds no control character."""
    source = Source(name, text)
    span = source.span(start, start + length)
    finding = Diagnostic(
        message, (name,), "error", message, subject=name, pointer=f"/{name}", span=span,
        secondary=(Label(span, message),), values=((name, message),), help=message, fix={"to": message}, docs=name,
    )  # fmt: skip
    made = render(format, [finding], {name: source})
    made.encode("utf-8")
    assert all(
        character == "\n" or character.isprintable() or character == "\u200d"
        for character in made
        if character != "\u3000"
    )
    if format in ("json", "sarif"):
        json.loads(made)
    elif format == "junit":
        ElementTree.fromstring(made)
    elif format == "github":
        assert made.count("\n") == 1
