"""Characters that are not what they look like are found in every text of a pack, and escapes are meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.analysis.lint import lint
from lint.packs import boxes, write

RULE = """summary: {summary}
why: Red boxes are stored outside.
check: box.lid
message: {message}
"""
MESSAGE = '"box `{box.id}` has no lid"'


def _found(
    folder: Path, summary: str = "A box has a lid.", message: str = MESSAGE
) -> list[tuple[str, str | None, int]]:
    pack = boxes(folder)
    write(pack / "boxes" / "example.yaml", RULE.format(summary=summary, message=message))
    found = [each for each in lint(pack) if each.rule == "lint/odd-character"]
    return [(each.message, each.help, each.span.column if each.span else 0) for each in found]


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\u00a0", "U+00A0 (no-break space)"),
        ("\u3164", "U+3164 (hangul filler)"),
    ],
)
def test_what_is_not_seen_is_found(tmp_path: Path, character: str, name: str) -> None:
    """A message with a character that shows nothing is found, once however often it has it."""
    message = MESSAGE.replace(" has", f"{character} {character}has")
    wanted = (f"the text has the character {name}", "leave it out, or write a plain space", 25)
    assert _found(tmp_path, message=message) == [wanted]


def test_what_looks_like_another_letter_is_found(tmp_path: Path) -> None:
    """A letter of another script within a word is found, a word of another script is not."""
    assert _found(tmp_path, message=MESSAGE.replace("lid", "l\u0456d")) == [
        (
            "the text has `\u0456` (U+0456, cyrillic small letter byelorussian-ukrainian i), which looks like `i`",
            "write `i`",
            34,
        )
    ]


@pytest.mark.parametrize(
    "summary", ["Une bo\u00eete\u00a0: un couvercle.", "\u043a\u043e\u0440\u043e\u0431\u043a\u0430", "\u7bb1 \u84cb"]
)
def test_prose_of_any_language_is_not(tmp_path: Path, summary: str) -> None:
    """Spaces that typography asks for, and words of other scripts, stand where only people read."""
    assert _found(tmp_path, summary=f'"{summary}"') == []


def test_escapes_are_meant(tmp_path: Path) -> None:
    """A character that is written as an escape is seen by whoever reads the rule."""
    assert _found(tmp_path, message=MESSAGE.replace(" has", "\\u200b has")) == []
