"""`pack test`, `pack lint`, `pack fmt` and `pack new`: what they write, change and return."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

import kernelpath.cli as cli_package
import kernelpath.diagnostics.render as render_package
from kernelpath import resources
from kernelpath.cli import main
from kernelpath.resources import resource

SHOP = Path(__file__).parent.parent / "planted" / "shop"
Ran = tuple[int, str, str]
Cli = Callable[[str], Ran]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the shop, beside which commands run."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(SHOP, tmp_path / "shop"))


@pytest.fixture
def cli(shop: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Return a function that runs a pack command, and gives its exit code and what it wrote."""

    def run(words: str) -> Ran:
        code = main(["pack", *words.split()])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def change(shop: Path, file: str, old: str, new: str) -> None:
    """Replace a text that a file of the shop has once."""
    path = shop / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_success_is_told_with_what_it_covers(cli: Cli) -> None:
    """A pack whose tests pass and cover it is told in three lines, and nothing goes to standard error."""
    assert cli("test shop --coverage --mutate") == (
        0,
        "shop: 7 passed, of 3 rules\n"
        "  covered: rules 3 of 3 (100.0 %), branches 8 of 8 (100.0 %), atoms 4 of 4 (100.0 %)\n"
        "  mutants noticed: 16 of 16 (100.0 %); 0 equivalent ones and 4 that the checker refuses are left out\n",
        "",
    )


def test_failure_is_shown_in_the_test_file(shop: Path, cli: Cli) -> None:
    """A case that does not hold is underlined, with the values that decided."""
    change(shop, "boxes/label.test.yaml", "value: later", "value: first")
    assert cli("test shop")[:2] == (
        1,
        'error[test/mismatch]: expected value "first", but the rule gives value "later"\n'
        " --> shop/boxes/label.test.yaml:7:13\n"
        "  |\n"
        "7 |     expect: {value: first}\n"
        "  |             ^^^^^^^^^^^^^^\n"
        "  |\n"
        "  = values:\n"
        "      shade = green\n"
        "      tint = green\n"
        "\n"
        "1 error\n"
        "shop: 6 passed, 1 failed, of 3 rules\n",
    )


def test_selection_and_first_failure(shop: Path, cli: Cli) -> None:
    """`-k` keeps cases by rule and name; `--fail-fast` stops at the first that fails."""
    assert cli("test shop -k red")[1] == "shop: 1 passed, of 1 rule\n"
    assert "covered: rules 1 of 1 (100.0 %)" in cli("test shop -k label --coverage")[1]
    change(shop, "boxes/fits.test.yaml", "size: 10,", "size: 12, name: hat,")
    code, out, _ = cli("test shop --fail-fast")
    assert (code, out.splitlines()[-1]) == (1, "shop: 1 failed, of 1 rule")


@pytest.mark.parametrize("words", ["test shop -k nothing", "test bare"])
def test_nothing_run_is_a_failure(words: str, shop: Path, cli: Cli) -> None:
    """A pack without tests, and a selection of none, never pass."""
    shutil.copytree(shop, "bare", ignore=shutil.ignore_patterns("*.test.yaml"))
    code, out, _ = cli(words)
    assert code == 1
    assert "error[test/no-tests]" in out


@pytest.mark.parametrize("words", ["test nowhere", "test shop --fail-under 90", "test shop --coverage --fail-under x"])
def test_bad_input_and_usage(words: str, cli: Cli) -> None:
    """What cannot be run at all ends with 2."""
    assert cli(words)[0] == 2


def test_pack_that_cannot_be_read_is_in_the_one_report(cli: Cli) -> None:
    """Tools get one document, with what kept a pack from being tested among its findings."""
    code, out, err = cli("test shop nowhere --format json")
    assert (code, err) == (2, "")
    assert [found["message"] for found in json.loads(out)["diagnostics"]] == ["there is no pack `nowhere`"]


def test_two_processes_find_what_one_finds(shop: Path, cli: Cli) -> None:
    """How many processes run the tests changes nothing of what is told."""
    change(shop, "boxes/fits.test.yaml", "size: 10,", "size: 9,")
    words = "test shop --coverage --mutate --format json --jobs "
    assert cli(words + "2") == cli(words + "1")


def test_update_rewrites_expectations_alone(shop: Path, cli: Cli) -> None:
    """`--update` puts in what the rule gives, shows the difference, and keeps comments and layout."""
    path = shop / "boxes" / "fits.test.yaml"
    change(shop, "boxes/fits.test.yaml", "  - name: one that", "  # the door is ten wide\n  - name: one that")
    change(shop, "boxes/fits.yaml", "is larger than", "is over")
    before = path.read_text(encoding="utf-8")
    code, out, _ = cli("test shop --update")
    assert (code, out.splitlines()[-1]) == (0, "shop: 7 passed, of 3 rules")
    assert (
        "-      fail: box `crate` of size 11 is larger than 10\n+      fail: box `crate` of size 11 is over 10\n" in out
    )
    assert path.read_text(encoding="utf-8") == before.replace("is larger than", "is over")
    assert cli("test shop --update") == (0, "shop: 7 passed, of 3 rules\n", "")


def test_update_of_another_kind_of_outcome(shop: Path, cli: Cli) -> None:
    """An expectation whose kind changes is written anew as a whole."""
    change(shop, "boxes/fits.test.yaml", "size: 10,", "size: 12, name: hat,")
    assert cli("test shop --update -k largest")[0] == 0
    text = (shop / "boxes" / "fits.test.yaml").read_text(encoding="utf-8")
    assert "expect: {fail: box `hat` of size 12 is larger than 10, subject: hat, help: take a box of at most 10" in text


def test_reports_for_tools(shop: Path, cli: Cli) -> None:
    """JSON, JUnit, SARIF and annotations tell of the same failure at its line."""
    change(shop, "boxes/label.test.yaml", "value: later", "value: first")
    told = json.loads(cli("test shop --format json")[1])
    assert told["summary"] == {"error": 1, "warning": 0, "note": 0}
    assert [case["outcome"] for case in told["packs"][0]["cases"]] == ["passed"] * 4 + ["failed"] + ["passed"] * 2
    suites = ElementTree.fromstring(cli("test shop --format junit")[1])
    assert (suites.get("tests"), suites.get("failures")) == ("7", "1")
    assert [case.get("name") for case in suites.iter("testcase") if len(case)] == ["others later"]
    [result] = json.loads(cli("test shop --format sarif")[1])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 7
    assert cli("test shop --format github")[1].startswith("::error file=shop/boxes/label.test.yaml,line=7,")


@pytest.mark.parametrize("old", ["value: later", "value: first}", "cases:"], ids=["one fails", "another", "unreadable"])
def test_json_is_as_its_schema_says(old: str, shop: Path, cli: Cli) -> None:
    """The report has the shape that is documented, whatever it tells of."""
    schema = json.loads((Path(cli_package.__file__).parent / "pack_test.schema.json").read_text(encoding="utf-8"))
    findings = json.loads((Path(render_package.__file__).parent / "report.schema.json").read_text(encoding="utf-8"))
    whole = json.loads(cli("test shop --coverage --mutate --format json")[1])
    change(shop, "boxes/label.test.yaml", old, old + "~ [")
    faulty = json.loads(cli("test shop --coverage --mutate --format json")[1])
    for told in (whole, faulty):
        jsonschema.validate(told, schema)
        jsonschema.validate({name: told[name] for name in ("version", "diagnostics", "summary")}, findings)
    assert (len(whole["diagnostics"]), "mutants" in whole["packs"][0]) == (0, True)
    assert (faulty["summary"]["error"], "mutants" in faulty["packs"][0]) == (1, False)


def test_format_writes_checks_and_shows(shop: Path, cli: Cli) -> None:
    """`pack fmt` writes what `--check` and `--diff` only tell."""
    change(shop, "boxes/fits.yaml", "box.size <= most", "box.size<=most")
    assert cli("fmt shop --check")[0] == 1
    code, out, _ = cli("fmt shop --diff")
    assert (code, out.splitlines()[-4:-2]) == (1, ["-check: box.size<=most", "+check: box.size <= most"])
    assert cli("fmt shop") == (0, "formatted shop/boxes/fits.yaml\n", "")
    assert cli("fmt shop --check") == (0, "all 7 files are formatted\n", "")


def test_lint_fixes_what_is_safe(shop: Path, cli: Cli) -> None:
    """`pack lint --fix` takes out what nothing reads, and says which files it changed."""
    before = (shop / "boxes" / "fits.yaml").read_text(encoding="utf-8")
    change(shop, "boxes/fits.yaml", "check: box.size", "let:\n  limit: most\ncheck: box.size")
    assert cli("lint shop")[0] == 1
    assert cli("lint shop --fix") == (0, "shop: clean\n", "fixed shop/boxes/fits.yaml\n")
    assert (shop / "boxes" / "fits.yaml").read_text(encoding="utf-8") == before


def test_new_rule_runs_and_fails_until_it_is_written(cli: Cli) -> None:
    """`pack new` writes a rule that can be read, and tests that fail."""
    code, out, _ = cli("new shop/boxes/closed")
    assert code == 0
    assert out.splitlines()[:2] == ["wrote shop/boxes/closed.yaml", "wrote shop/boxes/closed.test.yaml"]
    assert cli("test shop -k closed")[0] == 1
    assert cli("new shop/boxes/closed")[0] == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("new boxes-of-all/boxes/more", "pack `boxes-of-all` belongs to the installed kernelpath"),
        ("fmt boxes-of-all", "cannot be written: it belongs to the installed kernelpath"),
        ("lint --fix boxes-of-all", "cannot be written: it belongs to the installed kernelpath"),
        ("test --update boxes-of-all", "cannot be written: it belongs to the installed kernelpath"),
    ],
)
def test_what_is_installed_is_not_changed(
    cli: Cli, shop: Path, monkeypatch: pytest.MonkeyPatch, words: str, told: str
) -> None:
    """No command writes into a pack that came with an installed kernelpath."""
    change(shop, "boxes/fits.yaml", "when: box", "let: {one: 1}\nwhen:   box")
    change(shop, "boxes/label.test.yaml", "value: later", "value: first")
    package = shop.parent / "site" / "kernelpath"
    shutil.copytree(resource("grammars"), package / "_data" / "grammars")
    shutil.copytree(resource("kernels"), package / "_data" / "kernels")
    shutil.move(shop, package / "_data" / "rules" / "boxes-of-all")
    monkeypatch.setattr(resources, "_PACKAGE", package)
    monkeypatch.setattr(resources, "_INSTALLED", package / "_data")
    before = {path: path.read_bytes() for path in package.rglob("*") if path.is_file()}
    code, _, err = cli(words)
    assert (code, told in err) == (2, True)
    assert {path: path.read_bytes() for path in package.rglob("*") if path.is_file()} == before
