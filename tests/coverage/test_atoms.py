"""When an atom is decided, what is shown of one that is not, and that the cases shown do decide it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kernelpath.analysis.coverage import Observer, PackCoverage, findings, measure
from kernelpath.analysis.coverage.observing import Vector, is_decided
from kernelpath.analysis.testing import load_pack_tests

SHOP = Path(__file__).parent.parent / "planted" / "shop"
T, F, X = True, False, None


@pytest.mark.parametrize(
    ("vectors", "decided"),
    [
        ({(T, T): T, (F, X): F}, [True, False]),
        ({(T, T): T, (T, F): F}, [False, True]),
        ({(T, T): T, (T, F): F, (F, X): F}, [True, True]),
        ({(T, T): T, (F, F): F}, [False, False]),
        ({(T, F): F, (F, X): F}, [False, False]),
        ({(T, X): T, (F, T): T, (F, F): F}, [True, True]),
        ({}, [False, False]),
    ],
    ids=["only the first", "only the second", "both", "both differ at once", "one outcome", "an or", "no case"],
)
def test_atom_is_decided_by_two_that_differ_in_it_alone(vectors: dict[Vector, bool], decided: list[bool]) -> None:
    """Two evaluations that differ in an atom and in the outcome decide it; what was not asked equals anything."""
    assert [is_decided(vectors, atom) for atom in (0, 1)] == decided


def covered(folder: Path) -> PackCoverage:
    """Return what the tests of a pack cover."""
    tests, observer = load_pack_tests(folder), Observer()
    list(tests.run(observe=observer.observe))
    return measure(tests.pack, observer)


CHECK = 'box.size <= most or (box.name == "hat" and not box.note == "red")'


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the shop whose check has atoms that no case decides."""
    monkeypatch.chdir(tmp_path)
    folder = Path(shutil.copytree(SHOP, tmp_path / "shop"))
    rule = folder / "boxes" / "fits.yaml"
    text = rule.read_text(encoding="utf-8").replace("check: box.size <= most", f"check: '{CHECK}'")
    rule.write_text(text, encoding="utf-8")
    tests = folder / "boxes" / "fits.test.yaml"
    given = tests.read_text(encoding="utf-8").replace("size: 11,", "size: 11, note: null,")
    tests.write_text(given, encoding="utf-8")
    return folder


def test_undecided_atoms_are_shown_in_the_rule(shop: Path) -> None:
    """A finding stands at the atom's own stretch of the rule, and gives the smallest case that decides it."""
    found = findings(covered(shop), shop)
    assert [(str(each.span), each.message) for each in found] == [
        ("shop/boxes/fits.yaml:4:30", 'no case decides `box.name == "hat"`'),
        ("shop/boxes/fits.yaml:4:56", 'no case decides `box.note == "red"`'),
    ]
    assert found[0].help == (
        'this case would: `- {name: box.name == "hat" decides, given: {box: {colour: red, size: 11, name: hat}}, '
        "expect: pass}`"
    )


def test_cases_that_are_shown_decide(shop: Path) -> None:
    """Once the cases that are shown are added, every atom is decided."""
    tests = shop / "boxes" / "fits.test.yaml"
    added: list[dict[str, object]] = []
    for atom in next(rule for rule in covered(shop).rules if rule.rule.name == "fits").undecided():
        for number, case in enumerate(case for case in atom.deciding.cases if case.given not in added):
            added.append(case.given)
            lines = case.text(f"{atom.text} {number}").splitlines()
            text = tests.read_text(encoding="utf-8") + "".join(f"  {line}\n" for line in lines)
            tests.write_text(text, encoding="utf-8")
    assert [each.message for result in load_pack_tests(shop).run() for each in result.diagnostics] == []
    assert str(covered(shop).shares["atoms"]) == "6 of 6 (100.0 %)"


def test_what_no_input_decides_is_left_out(shop: Path) -> None:
    """An atom that another one settles is told to be impossible, and does not count."""
    rule = shop / "boxes" / "fits.yaml"
    tests = shop / "boxes" / "fits.test.yaml"
    tests.write_text(tests.read_text(encoding="utf-8").replace(" note: null,", ""), encoding="utf-8")
    text = rule.read_text(encoding="utf-8").replace(CHECK, 'box.size <= most or (box.colour == "blue" and false)')
    rule.write_text(text, encoding="utf-8")
    coverage = covered(shop)
    assert coverage.impossible == 1
    assert str(coverage.shares["atoms"]) == "4 of 4 (100.0 %)"


def test_rule_that_is_never_reached_is_not_covered(shop: Path) -> None:
    """Cases that only skip a rule show nothing of it."""
    (shop / "boxes" / "shade.test.yaml").unlink()
    coverage = covered(shop)
    assert str(coverage.shares["rules"]) == "2 of 3 (66.7 %)"
    assert [each.message for each in findings(coverage, shop)][-1:] != []
    assert "no case comes to what the rule decides" in [each.message for each in findings(coverage, shop)]
