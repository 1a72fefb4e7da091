"""Random edits of a pack and a manifest, made by an editor that then asks for everything.

Run as a program, this goes on for as many seconds as its argument says: `python -m lsp.random_edits 60` from `tests`.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from lsp.client import Client, ResponseError

DATA = Path(__file__).parent / "data"
FILES = (
    "boxes/pack.yaml",
    "boxes/checks/tin-is-blue.yaml",
    "boxes/checks/finish.yaml",
    "boxes/checks/label.yaml",
    "boxes/shape/box-object.yaml",
    "boxes/drying/shade.yaml",
    "boxes/drying/dries.yaml",
    "boxes/checks/tin-is-blue.test.yaml",
    "strict-boxes/pack.yaml",
    "manifest.json",
)
SCRAPS = (
    *(":", "- ", "{", "}", "[", "]", '"', "'", "\n", "\n  ", "#", "|", ">", "\t", "\r\n", "&a ", "*a", ", ", "  "),
    *("\u2028", "\x0c", "\U0001f4e6", "\ud7ff"),
    *("guards: [", "check: ", "boxes.label", "strokes.first.slots", "let:\n  x: ", "box.", "wanted", " and ", "null"),
)


def edited(text: str, chance: random.Random) -> str:
    """Return a text with a stretch dropped, doubled, swapped or replaced by a scrap."""
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice((0, 0, 1, 3, 10, 60)))
    middle = chance.choice((chance.choice(SCRAPS), "", text[start:end] * 2, text[start:end][::-1]))
    return text[:start] + middle + text[end:]


class Storm:
    """Edits files at random through one editor, and compares what is shown with what a fresh server shows."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder / "work"
        shutil.copytree(DATA, self.folder)
        self.chance = random.Random(seed)
        self.client = Client(self.folder, {"lintDelay": 0})
        self.originals = {path: path.read_text(encoding="utf-8") for name in FILES for path in [self.folder / name]}
        for path in self.originals:
            self.client.open(path)
        self.initial = self.shown()

    def step(self) -> Path:
        """Make one edit, or put a file back, and ask the server something about the place."""
        path = self.chance.choice(list(self.originals))
        text = self.client.texts[path]
        reset = self.chance.random() < 0.15 or not text
        self.client.change(path, self.originals[path] if reset else edited(text, self.chance))
        self._ask(path)
        return path

    def _ask(self, path: Path) -> None:
        text = self.client.texts[path]
        line = self.chance.randrange(text.count("\n") + 2)
        position = {"line": line, "character": self.chance.randrange(40)}
        params: dict[str, Any] = {"textDocument": {"uri": path.as_uri()}, "position": position}
        method, extra = self.chance.choice(REQUESTS)
        refusals = (ResponseError,) if method in ("rename", "prepareRename") else ()
        with suppress(*refusals):
            self.client.request(f"textDocument/{method}", {**params, **extra})

    def shown(self) -> dict[str, Any]:
        """Return all diagnostics that the editor shows."""
        return self.client.settled()

    def expected(self) -> dict[str, Any]:
        """Return the diagnostics that a server shows which was started on the texts as they are now."""
        fresh = Client(self.folder, {"lintDelay": 0})
        for path in self.originals:
            fresh.open(path, self.client.texts[path])
        found = fresh.settled()
        assert fresh.close() == 0
        return found

    def calm(self) -> dict[str, Any]:
        """Put every file back, and return what is shown then."""
        for path, text in self.originals.items():
            self.client.change(path, text)
        return self.shown()


RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 500, "character": 0}}
REQUESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("completion", {}),
    ("hover", {}),
    ("definition", {}),
    ("references", {"context": {"includeDeclaration": True}}),
    ("prepareRename", {}),
    ("rename", {"newName": "other"}),
    ("foldingRange", {}),
    ("inlayHint", {"range": RANGE}),
    ("codeAction", {"range": RANGE, "context": {"diagnostics": []}}),
    ("formatting", {"options": {"tabSize": 2, "insertSpaces": True}}),
)


def difference(shown: dict[str, Any], expected: dict[str, Any]) -> str:
    """Return which findings of which files differ."""
    files = [uri for uri in {*shown, *expected} if shown.get(uri) != expected.get(uri)]
    return "\n".join(f"{uri}: shown {shown.get(uri)}, expected {expected.get(uri)}" for uri in files)


def storms(folder: Path, seed: int, seconds: float) -> Iterator[int]:
    """Edit for a time; every so often compare with a fresh server, and put everything back. Yield the edits made."""
    storm = Storm(folder, seed)
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for _ in range(40):
            storm.step()
        count += 40
        shown, expected = storm.shown(), storm.expected()
        assert shown == expected, difference(shown, expected)
        assert storm.calm() == storm.initial
        assert storm.client.shown == []
        yield count
    assert storm.client.close() == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        for done in storms(Path(name), int(sys.argv[2]) if len(sys.argv) > 2 else 0, float(sys.argv[1])):
            print(f"{done} edits, nothing stale")
