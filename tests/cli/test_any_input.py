"""Any JSON at all, as a manifest, an overlay or a config, gives a verdict or a message: never exit code 3."""

from __future__ import annotations

import contextlib
import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import kernelpath.cli.demo as demo
from kernelpath.cli import main

PASSES = json.loads((Path(demo.__file__).parent / "passes.json").read_text())
OVERLAY = json.loads((Path(__file__).parent / "data" / "overlay.json").read_text())
ODD = st.sampled_from(
    [None, True, 0, -1, 1.5, 1e300, 10**400, "", "f16", "F32 ", "state", "\ud800", "__proto__", [], {}, [[]], {"id": 1}]
)
ANY = st.recursive(
    ODD | st.text(max_size=4) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["inference", "execution", "steps", "schema", "session", "id", "kernelPath", "sessionDefaults"]
            ),
            inner,
            max_size=4,
        )
    ),
)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, inner in items for found in ((*path, key), *_places(inner, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn, document: Any) -> Any:
    """Draw a document in which a few values are replaced or taken away."""
    changed = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        places = _places(changed)
        if not places:
            break
        *path, last = draw(st.sampled_from(places))
        owner = changed
        for key in path:
            owner = owner[key]
        if draw(st.booleans()):
            owner[last] = draw(ANY)
        else:
            del owner[last]
    return changed


def _run(*words: str) -> tuple[int, str]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main(words)
    return code, output.getvalue()


# Shrinking a document of a hundred members takes minutes, and says no more than the one that was found.
@settings(max_examples=60, phases=[Phase.explicit, Phase.generate])
@given(
    manifest=ANY | mutated(PASSES),
    runtime=ANY | mutated(OVERLAY) | mutated({"inference": OVERLAY}),
    step=st.integers(0, 9),
)
def test_any_documents(tmp_path_factory: pytest.TempPathFactory, manifest: Any, runtime: Any, step: int) -> None:
    """Every command that takes documents ends with a verdict or says what is wrong with them."""
    folder = tmp_path_factory.mktemp("any")
    (folder / "m.json").write_text(json.dumps(manifest))
    (folder / "r.json").write_text(json.dumps(runtime))
    files = (str(folder / "m.json"), "--runtime", str(folder / "r.json"))
    for words in (
        ("check", *files),
        ("check", *files, "--format", "sarif"),
        ("compile", *files, "-q"),
        ("explain", files[0], str(step), *files[1:]),
        ("explain", files[0], str(step), *files[1:], "--format", "json"),
        ("apply", files[0], files[2]),
    ):
        code, output = _run(*words)
        assert code in (0, 1, 2), output
        assert output or words[-1] == "-q"


@settings(max_examples=100)
@given(content=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """A file of any bytes is refused in words."""
    path = tmp_path_factory.mktemp("any") / "m.json"
    path.write_bytes(content)
    code, output = _run("check", str(path))
    assert code == 2
    assert output.startswith("error[")
