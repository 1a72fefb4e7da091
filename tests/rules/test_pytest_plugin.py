"""`pytest rules/` collects the tests beside rules as items, with readable failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.small_pack import write_pack
from rules.test_runner import FITS, GOOD

pytest_plugins = ["pytester"]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Return a function that runs pytest over a folder with this plugin alone."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run_over(folder: Path, *options: str) -> pytest.RunResult:
        return pytester.runpytest("-p", "kernelpath.pytest_plugin", "-p", "no:cacheprovider", *options, str(folder))

    return run_over


def test_every_case_is_an_item(pytester: pytest.Pytester, run) -> None:  # type: ignore[no-untyped-def]
    """Each case of each test file is collected and passes."""
    run(write_pack(pytester.path, GOOD)).assert_outcomes(passed=18)


def test_items_are_named_by_file_and_case(pytester: pytest.Pytester, run) -> None:  # type: ignore[no-untyped-def]
    """A case goes by the path of its file and its own name."""
    result = run(write_pack(pytester.path, {"boxes/fits": FITS}), "--collect-only", "-q")
    assert result.outlines[:4] == [
        "shop/boxes/fits.test.yaml::small",
        "shop/boxes/fits.test.yaml::large",
        "shop/boxes/fits.test.yaml::another limit",
        "shop/boxes/fits.test.yaml::blue",
    ]


def test_failure_shows_the_line_and_no_traceback(pytester: pytest.Pytester, run) -> None:  # type: ignore[no-untyped-def]
    """A failed case shows message, place and line of its YAML, and nothing of the engine."""
    case = "  - name: new\n    given: {box: {size: 1, colour: green}}\n    expect: skip\n"
    result = run(write_pack(pytester.path, {"boxes/fits": FITS + case}))
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        [
            "error[[]test/mismatch]: expected `skip`, but the rule gives `pass`",
            " *--> shop/boxes/fits.test.yaml:20:13",
            "20 |     expect: skip",
            "   |             ^^^^",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_faulty_file_is_a_failed_item(pytester: pytest.Pytester, run) -> None:  # type: ignore[no-untyped-def]
    """A test file that cannot be read fails, and the good files still run."""
    result = run(write_pack(pytester.path, {"boxes/fits": FITS, "boxes/shade": "cases: 5\n"}))
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["*expected a list, but this is `5`"])


def test_unreadable_pack_is_a_collection_error(pytester: pytest.Pytester, run) -> None:  # type: ignore[no-untyped-def]
    """A pack with mistakes is told once per test file, with the rule's line."""
    pack = write_pack(pytester.path, {"boxes/fits": FITS})
    rule = pack / "boxes" / "fits.yaml"
    rule.write_text(rule.read_text(encoding="utf-8").replace("box.size <=", "box.sise <="), encoding="utf-8")
    result = run(pack)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*did you mean `size`?*"])


def test_yaml_outside_of_packs_is_left_alone(pytester: pytest.Pytester, run) -> None:  # type: ignore[no-untyped-def]
    """A file of the same ending that lies below no pack is not collected."""
    (pytester.path / "other.test.yaml").write_text("a: 1\n", encoding="utf-8")
    run(pytester.path).assert_outcomes()


def test_a_named_pack_without_tests_is_refused(pytester: pytest.Pytester, run) -> None:  # type: ignore[no-untyped-def]
    """A pack that is named must have tests, even if others pass beside it; one that is only found need not."""
    write_pack(pytester.path, {"boxes/fits": FITS})
    bare = pytester.path / "bare"
    bare.mkdir()
    (bare / "pack.yaml").write_text("summary: Nothing.\n", encoding="utf-8")
    result = run(bare, "shop")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: pack bare has no tests: a rule's test lies beside it"])
    run(pytester.path).assert_outcomes(passed=4)
    run(pytester.path / "shop", "-k", "small").assert_outcomes(passed=1, deselected=3)
