"""Golden files: what commands print, to the character.

They change only where KERNELPATH_UPDATE_GOLDEN=1 says so; what changed is then to be read in the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"
UPDATE = "KERNELPATH_UPDATE_GOLDEN"


def assert_golden(name: str, text: str) -> None:
    """Compare a text with the golden file of a name, or write it there where that was asked for."""
    path = GOLDEN / name
    if os.environ.get(UPDATE) == "1":
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"there is no golden file {name}; {UPDATE}=1 writes it"
    assert text == path.read_text(encoding="utf-8"), f"{name} differs; {UPDATE}=1 rewrites it"
