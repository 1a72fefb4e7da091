"""Where a catalogue describes a kernel."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kernelpath.files.reading import YAML_BYTES, read_file
from kernelpath.graph.catalog import Kernel
from kernelpath.resources import resource


def catalog_place(catalog: str, kernel: Kernel) -> str:
    """Return the catalogue's file and the line on which its entry of a kernel begins."""
    shipped = resource("kernels", "catalogs", f"{catalog}.yaml")
    path = shipped if shipped.is_file() else Path(catalog)
    line = _lines(path).get((kernel.kernel, kernel.entry))
    shown = f"kernels/catalogs/{path.name}" if path == shipped else catalog
    return f"{shown}:{line}" if line else shown


@lru_cache(maxsize=4)
def _lines(path: Path) -> dict[tuple[str, str], int]:
    """Return the line of each kernel, by file and entry; a look at the text costs less than reading the YAML."""
    lines: dict[tuple[str, str], int] = {}
    file, start = "", 0
    try:
        content = read_file(path, YAML_BYTES)
    except OSError:
        return {}  # it is gone since it was loaded, or was a stream
    for number, text in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        key, _, value = text.strip().removeprefix("- ").partition(": ")
        if key == "kernel":
            file, start = value.strip("'\""), number
        elif key == "entry":
            lines.setdefault((file, value.strip("'\"")), start)
    return lines
