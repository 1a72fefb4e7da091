"""Ways to show diagnostics: each module has `render(diagnostics, sources) -> str`."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kernelpath.diagnostics.diagnostic import Diagnostic
    from kernelpath.diagnostics.source import Source

FORMATS = ("text", "json", "sarif", "junit", "github")


def render(
    format: str,
    diagnostics: Sequence[Diagnostic],
    sources: Mapping[str, Source] | None = None,
    **options: object,
) -> str:
    """Return the diagnostics in one of `FORMATS`; options are those of the format's own `render`.

    All of them take `account`, which is what there is to say besides the diagnostics.
    """
    if format not in FORMATS:
        raise ValueError(f"no such format: {format}")
    made: str = import_module(f"kernelpath.diagnostics.render.{format}").render(diagnostics, sources, **options)
    return made
