"""Write the lints' documentation, README.md beside this file, from their declarations."""

from __future__ import annotations

from textwrap import dedent

from kernelpath.analysis.lint.catalogue import LINTS
from kernelpath.analysis.lint.declaration import Lint

_HEAD = """\
# Lints

`kernelpath pack lint` looks for what a pack can be read with and yet is most likely not what its author meant. A miss
is acceptable, a false finding is not. `--fix` makes the fixes that change no verdict.

This page is what `python -m kernelpath.analysis.lint.documentation` prints, from the declarations in `lints/`.

A finding that is meant is allowed by a comment above its entry, or behind it: `# allow CODE: REASON`. At the top of a
file, with a blank line below, it holds for the whole file.

| code | what holds | `--fix` |
|---|---|---|
"""


def render() -> str:
    """Return the page as Markdown."""
    rows = "".join(f"| [{lint.code}](#{lint.code}) | {lint.summary} | {lint.fixed} |\n" for lint in LINTS)
    return _HEAD + rows + "".join(_section(lint) for lint in LINTS)


def _section(lint: Lint) -> str:
    fix = f"`--fix` {lint.fixed}.\n\n" if lint.fixed else ""
    return (
        f"\n## {lint.code}\n\n{lint.summary[0].upper()}{lint.summary[1:]}: {lint.why}.\n\n{fix}"
        f"Found:\n\n{_example(lint.bad)}\nNot found:\n\n{_example(lint.good)}"
    )


def _example(text: str) -> str:
    return f"```yaml\n{dedent(text).strip()}\n```\n"


if __name__ == "__main__":
    print(render(), end="")
