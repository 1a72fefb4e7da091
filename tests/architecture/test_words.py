"""The engine has no word of the domain: what packs and catalogues call things is data to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import kernelpath as kp
from kernelpath.packs.reading import read_pack
from kernelpath.resources import resource

ENGINE = Path(kp.__file__).parent
NEUTRAL = ("language", "packs", "evaluate", "diagnostics")
#: Words of packs and catalogues that are also plain English or programming, and stand for nothing of the domain there.
PLAIN = frozenset(
    {
        *("apply", "both", "config", "count", "default", "error", "fused", "layer", "load", "locked"),
        *("model", "none", "off", "save", "shared", "small", "update"),
    }
)


@cache
def domain() -> frozenset[str]:
    """Return the words that shipped packs and catalogues are made of: values, ops, variants, kernels, entries."""
    words: set[str] = set()
    for folder in resource("rules").glob("*/pack.yaml"):
        pack = read_pack(folder.parent)
        words |= {value for vocabulary in pack.vocabularies.values() for value in vocabulary.values}
    for path in resource("kernels", "catalogs").glob("*.yaml"):
        for kernel in kp.load_catalog(path.stem).values():
            words |= {kernel.op, kernel.variant, kernel.kernel.removesuffix(".wgsl"), kernel.entry}
    return frozenset(word for word in words if len(word) > 2) - PLAIN


def found(path: Path) -> Iterator[str]:
    """Yield the words of the domain in a source file, each with its line; comments and docstrings count."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for word in re.findall(r"[A-Za-z][A-Za-z0-9_-]*", re.sub(r"\.(en|de)code\(", "", line)):
            parts = {word, word.lower(), *re.split(r"[_-]", word)}
            yield from (f"{path.relative_to(ENGINE)}:{number}: {part}" for part in sorted(parts & domain()))


@pytest.mark.parametrize("package", NEUTRAL)
def test_no_word_of_the_domain(package: str) -> None:
    """Not one value, op or kernel is named, in no comment either."""
    assert [hit for path in sorted((ENGINE / package).rglob("*.py")) for hit in found(path)] == []


def test_the_words_are_there() -> None:
    """What is looked for are the words that matter, so that finding none means something."""
    wanted = {"attention", "f16", "f32", "prefill", "decode", "rmsnorm", "matmul_f32", "sampling", "per-token", "bdpa"}
    assert wanted <= domain()
