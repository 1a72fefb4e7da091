"""Names in `fixes` that nothing has are mistakes of the pack, and not of a document that is to be fixed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.packs.folders import PackErrors
from kernelpath.packs.reading import read_pack

from .folders import copied

JOBS = Path(__file__).parents[2] / "examples" / "jobs"
#: An edit of the example's fixes, with what is said of it.
MISTAKES = {
    ("question: plan", "question: pln"): ("there is no question `pln`", "did you mean `plan`?"),
    ("list: pipeline#", "list: pipelin#"): ("there is no document `pipelin`", "did you mean `pipeline`?"),
    ("{each: format}", "{each: frmat}"): ("there is no vocabulary `frmat`", "did you mean `format`?"),
    ("{each: format}", "{eech: format}"): ("`eech` does not say how a value is found", "did you mean `each`?"),
    ("{removed: true}", "{remove: true}"): ("`remove` does not say how a value is found", "did you mean `removed`?"),
    ("{removed: true}", "{removed: false}"): ("`removed` is true, or left out", None),
}


@pytest.mark.parametrize("edit", MISTAKES)
def test_a_name_that_nothing_has(tmp_path: Path, edit: tuple[str, str]) -> None:
    """It is refused when the pack is read, with what was meant."""
    pack = copied(JOBS, tmp_path / "jobs")
    text = (pack / "pack.yaml").read_text(encoding="utf-8")
    before, fixes, after = text.partition("\nfixes:")
    assert edit[0] in after
    (pack / "pack.yaml").write_text(before + fixes + after.replace(*edit, 1), encoding="utf-8")
    with pytest.raises(PackErrors) as raised:
        read_pack(pack)
    assert [(found.message, found.help) for found in raised.value.diagnostics] == [MISTAKES[edit]]
