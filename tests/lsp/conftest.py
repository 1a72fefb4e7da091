"""A pack of boxes, a manifest, and an editor that has them open."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lsp.client import Client

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def session_editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Return an editor with a server, which all tests share."""
    folder = tmp_path_factory.mktemp("editor") / "our wörk"
    shutil.copytree(DATA, folder)
    client = Client(folder, {"lintDelay": -1})
    yield client
    assert client.close() == 0


@pytest.fixture
def editor(session_editor: Client) -> Iterator[Client]:
    """Return an editor in which nothing is open."""
    yield session_editor
    session_editor.close_all()
    assert session_editor.shown == []


@pytest.fixture
def pack(editor: Client) -> Path:
    """Return the folder of the pack of boxes."""
    return editor.folder / "boxes"


@pytest.fixture
def rule(editor: Client, pack: Path) -> Path:
    """Return an open rule: a tin box is blue."""
    path = pack / "checks" / "tin-is-blue.yaml"
    assert editor.open(path) == []
    return path


@pytest.fixture
def manifest(editor: Client) -> Path:
    """Return an open manifest that is sound."""
    path = editor.folder / "manifest.json"
    assert editor.open(path) == []
    return path
