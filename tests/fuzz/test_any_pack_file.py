"""Whatever stands in a pack's files, every command on packs ends with a verdict or says what is wrong with them."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from kernelpath.cli import main
from packs.folders import BOXES, copied
from packs.test_any_pack import damaged

Chance = random.Random
TEST = """\
cases:
  - name: a red coat is known
    given: {box: {coat: red}}
    expect: pass
"""
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("pack", "lint", "{pack}"),
    ("pack", "fmt", "--check", "{pack}"),
    ("pack", "show", "{pack}"),
    ("pack", "show", "{pack}", "--python"),
    ("pack", "show", "{pack}", "paint/coat"),
    ("pack", "doc", "{pack}", "--out", "{pack}.pages"),
    ("pack", "test", "{pack}"),
    ("pack", "analyze", "{pack}"),
    ("pack", "diff", "{pack}", "{pack}"),
    ("explain", "paint/coat", "--pack", "{pack}"),
    ("check", "{manifest}", "--pack", "{pack}"),
)
#: What is put in the place of a value: each has ended a reader, a checker or a generated module before.
ODD = (
    *("9" * 400, "-" + "9" * 400, "0x" + "f" * 5_000, "1e999", ".nan", "-.inf", '"a\\0b"', '"\\e[31m"', '"\\ud800"'),
    *("a\u00a0b", "ｃoat", "сoat", "on", "012", "12:30:45", "2024-01-01", "=", "~", "'", '"', "&a 1", "*a", "!!int 1"),
    *("[" * 150, "{a: " * 150, "not " * 150 + "true", "(" * 150 + "1", "1 // 0", "x" * 300, "a.b." * 100 + "c"),
    *("{{", "{", "}", "{x", "'{x}'", "None", "list<" * 30 + "int" + ">" * 30, "list<int, 99999999999>", "|\n\ttext"),
    *("matches(x, '(a*)*')", "any x in x: x", '"' + "\\\\" * 50 + '"', "[for x in]", "{fail: 1}", ">9\n  x"),
    *("range(10000000)", "--- a", "a: b: c", "[[], {}, null]", "{}", "[]"),
)  # fmt: skip


def odd_value(chance: Chance, lines: list[str]) -> None:
    """Put an odd value in the place of one."""
    place = chance.randrange(len(lines))
    key, colon, _ = lines[place].partition(": ")
    lines[place] = f"{key}{colon}{chance.choice(ODD)}"


def odd_word(chance: Chance, lines: list[str]) -> None:
    """Put an odd text in the place of a word, inside whatever it stands in."""
    place = chance.randrange(len(lines))
    words = lines[place].split(" ")
    words[chance.randrange(len(words))] = chance.choice(ODD)
    lines[place] = " ".join(words)


def changed(path: Path, change: Callable[[Chance, list[str]], None], chance: Chance) -> None:
    """Change one line of a file."""
    lines = path.read_text(encoding="utf-8").splitlines() or [""]
    change(chance, lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")


def run(words: tuple[str, ...], pack: Path) -> tuple[int, str]:
    """Return the exit code of a command and what it prints."""
    manifest = pack.parent / "manifest.json"
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main([word.format(pack=pack, manifest=manifest) for word in words])
    return code, output.getvalue()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.sampled(4)
def test_any_pack_is_answered(words: tuple[str, ...], tmp_path: Path) -> None:
    """A pack damaged in any way is used, or refused in words; no command calls it a bug of its own."""
    chance = random.Random(" ".join(words))
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    original = copied(BOXES, tmp_path / "original")
    (original / "paint" / "coat-known.test.yaml").write_text(TEST, encoding="utf-8")
    for round_ in range(25):
        pack = copied(original, tmp_path / f"boxes-{round_}")
        (pack / "paint" / "coat-known.test.yaml").write_text(TEST, encoding="utf-8")
        if round_ % 3 == 0:
            damaged(pack, chance)
        else:
            path = chance.choice(sorted(pack.rglob("*.yaml")))
            changed(path, odd_value if round_ % 3 == 1 else odd_word, chance)
        code, output = run(words, pack)
        assert code in (0, 1, 2), output
        assert output, words
