"""Each lint finds its own example and nothing else, not the example's near twin, and its fix puts it right."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.analysis.lint import LINTS, Lint, fix_pack, lint
from kernelpath.analysis.lint.documentation import render
from lint.packs import boxes, example

README = Path(__file__).parents[2] / "engine/kernelpath/analysis/lint/README.md"


@pytest.mark.parametrize("each", LINTS, ids=lambda each: each.code)
def test_bad_example(each: Lint, tmp_path: Path) -> None:
    """What a lint's docs show as found is found, once, by no other lint, with a place in the pack's files."""
    pack = example(tmp_path, each.bad, tested=each.code != "untested-rule")
    [found] = lint(pack)
    assert found.rule == each.rule
    assert found.span is not None
    assert (tmp_path / found.span.file).is_file() or Path(found.span.file).is_file()
    assert found.docs == each.why
    assert (found.fix is not None) == bool(each.fixed) or each.code in ("always-true",)


@pytest.mark.parametrize("each", LINTS, ids=lambda each: each.code)
def test_good_example(each: Lint, tmp_path: Path) -> None:
    """The near twin that a lint's docs show as not found is free of any finding."""
    assert lint(example(tmp_path, each.good, tested=each.code != "untested-rule")) == []


FIXED = [each for each in LINTS if each.fixed and each.code != "always-true"]


@pytest.mark.parametrize("each", FIXED, ids=lambda each: each.code)
def test_fix(each: Lint, tmp_path: Path) -> None:
    """A fix leaves a pack without findings, in which nothing but the finding's lines changed."""
    pack = example(tmp_path, each.bad)
    [found] = lint(pack)
    assert found.span is not None
    before = {path: path.read_text(encoding="utf-8") for path in pack.rglob("*.yaml")}
    remaining, changed = fix_pack(pack)
    assert remaining == []
    assert [path.name for path in changed] == [Path(found.span.file).name]
    after = changed[0].read_text(encoding="utf-8")
    assert len(after) < len(before[changed[0]])
    assert all(path.read_text(encoding="utf-8") == text for path, text in before.items() if path not in changed)


def test_boxes_are_clean(tmp_path: Path) -> None:
    """The pack that the examples are put into is free of findings."""
    assert lint(boxes(tmp_path)) == []


def test_documentation() -> None:
    """The page of lints is the one that their declarations give."""
    assert README.read_text(encoding="utf-8") == render()


def test_codes() -> None:
    """Codes are distinct, and each lint says what holds, why, and shows both sides."""
    assert len({each.code for each in LINTS}) == len(LINTS)
    assert all(each.summary and each.why and each.bad.strip() != each.good.strip() for each in LINTS)
