"""The engine knows no document: the members of manifests are named in packs and in the rooms of their domain alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import kernelpath as kp

ENGINE = Path(kp.__file__).parent
#: The rooms of the domain, from the library of execution graphs down to what runs them, and the demo's manifests.
DOMAIN = ("execution_graph/", "emit/plan/", "execute/", "models/", "cli/demo/")
MEMBERS = re.compile(r"(?<![\w-])(?:inference|execution|sessionDefaults|modelId|kernelRef)(?![\w-])")
#: What is called so in English, and the names of the library and of the packs, which are not members.
ENGLISH = re.compile(r"execution graphs?|execution-graph|execution_graph|execution-v\d[\w.-]*")


def named(text: str) -> list[str]:
    """Return the members that a line names.

    >>> named('value["inference"].get("kernelRef")  # of an execution graph')
    ['inference', 'kernelRef']
    >>> named('from kernelpath.execution_graph import x; pack = "execution-v0"')
    []
    """
    return MEMBERS.findall(ENGLISH.sub("", text))


def found() -> Iterator[str]:
    """Yield each line of the engine that names a member, comments and docstrings included."""
    for path in sorted(ENGINE.rglob("*.py")):
        place = path.relative_to(ENGINE).as_posix()
        if place.startswith((*DOMAIN, "_data/")):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield from (f"{place}:{number}: {name}" for name in named(line))


def test_no_member_of_a_manifest_is_named() -> None:
    """Whoever adds a command for manifests alone puts what it knows of them into a room of the domain."""
    assert list(found()) == []


def test_members_are_found() -> None:
    """What is looked for is found where it may be, so that finding none elsewhere means something."""
    text = (ENGINE / "execution_graph" / "answers.py").read_text(encoding="utf-8")
    assert {"inference", "modelId", "kernelRef"} <= set(named(text))
    assert named('a("inference", execution.steps, "/inference/sessionDefaults", modelId)') == [
        "inference",
        "execution",
        "inference",
        "sessionDefaults",
        "modelId",
    ]
    assert named("an execution graph of pack execution-v0-0.1.5; kernelpath.execution_graph") == []
