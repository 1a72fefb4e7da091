"""Lints for rule packs: what is unused, constant, shadowed, untested, badly worded or changed in silence."""

from kernelpath.analysis.lint.catalogue import LINTS
from kernelpath.analysis.lint.declaration import Lint
from kernelpath.analysis.lint.linted import LintedPack, read_linted
from kernelpath.analysis.lint.linting import apply_fixes, fix_pack, lint, lint_pack, pack_texts

__all__ = [
    "LINTS",
    "Lint",
    "LintedPack",
    "apply_fixes",
    "fix_pack",
    "lint",
    "lint_pack",
    "pack_texts",
    "read_linted",
]
