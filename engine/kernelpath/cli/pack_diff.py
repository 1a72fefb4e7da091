"""`kernelpath pack diff`: what changes for users from one pack to another."""

from __future__ import annotations

from kernelpath.cli.console import Console
from kernelpath.cli.inputs import unusable
from kernelpath.cli.judging import usable_catalog
from kernelpath.cli.options import add_shared
from kernelpath.cli.packs import no_rules, pack_model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import SimpleNamespace as Namespace

    from kernelpath.analysis.difference import Difference
    from kernelpath.cli.arguments import Arguments

MAX_FILES = 10_000
FORMATS = ("text", "json", "markdown")


def declare(arguments: Arguments) -> None:
    """Say what the command takes."""
    arguments.add("old", metavar="OLD", help="a shipped pack, or a pack's folder")
    arguments.add("new", metavar="NEW", help="the pack that it is compared with")
    arguments.add("--manifests", metavar="GLOB", help="say also which of these files change verdict or dtypes")
    arguments.add("--exit-code", action="store_true", help="exit with 1 where something changes")
    add_shared(arguments, formats=FORMATS)


def run(options: Namespace) -> int:
    """Print the difference; exit code 0, or with --exit-code 1 where there is one."""
    from kernelpath.analysis.difference.render import render_json, render_markdown, render_text

    difference = _difference(options)
    render = {"json": render_json, "markdown": render_markdown}.get(options.format, render_text)
    Console(options).write(render(difference))
    return 1 if options.exit_code and not difference.is_empty else 0


def _difference(options: Namespace) -> Difference:
    from kernelpath.analysis.difference import diff
    from kernelpath.analysis.difference.documents import DocumentErrors
    from kernelpath.cli.inputs import InputErrors
    from kernelpath.graph.catalog import load_presets

    shared = {"catalog": usable_catalog(options.catalog), "presets": load_presets()}
    old, new = pack_model(options.old), pack_model(options.new)
    if not (old.rules() or new.rules()):
        raise no_rules(f"{options.old}` and `{options.new}")
    try:
        return diff(old, new, _files(options.manifests), shared=shared)
    except DocumentErrors as errors:
        raise InputErrors(errors.diagnostics) from None


def _files(pattern: str | None) -> list[Path]:
    """Return the files that a glob names; one that names none is a mistake, not a pass."""
    from itertools import islice

    if pattern is None:
        return []
    try:
        found = sorted(islice(_named(pattern), MAX_FILES + 1))
    except ValueError as error:  # `**` beside other characters, or a name that no file has
        raise unusable("cli/input", f"`{pattern}` is not a glob", help_text=str(error).lower()) from None
    if not found:
        raise unusable("cli/input", f"`{pattern}` names no file")
    if len(found) > MAX_FILES:
        raise unusable("cli/input", f"`{pattern}` names over {MAX_FILES:,} files")
    return found


def _named(pattern: str) -> Iterator[Path]:
    """Yield what a glob names, hidden files left out; `**` goes into no link, which may lead back up."""
    from pathlib import Path

    parts = Path(pattern).parts
    fixed = next((place for place, part in enumerate(parts) if any(sign in part for sign in "*?[")), len(parts))
    folder, rest = Path(*parts[:fixed]), Path(*parts[fixed:])
    if fixed == len(parts):
        if pattern and folder.exists():
            yield folder
        return
    hidden = any(part.startswith(".") for part in rest.parts)
    for path in folder.glob(str(rest)):
        if hidden or not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path
