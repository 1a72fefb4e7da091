"""Where each member of a merged object came from."""

from __future__ import annotations

from typing import Any

import pytest

from kernelpath.execution_graph.origins import trace
from kernelpath.language import EvaluationError


def sources(resolved: Any, over: Any, under: Any) -> dict[str, str]:
    """Return the source of each leaf."""
    given = trace(resolved, [over, under], ["overlay", "manifest"], "session")
    return {path: source["source"] for path, source in given.items()}


def test_the_first_layer_that_has_a_leaf_gives_it() -> None:
    """Null and empty lists are there; an empty object has no leaf; what no layer has is derived."""
    resolved = {"a": 1, "b": {"c": [], "d": None, "e": {}}, "f": {"g": {"h": "x"}}, "z": False}
    over = {"b": {"d": 5}, "f": {"g": {"h": None}}}
    under = {"a": 0, "b": {"c": 1, "d": 2}, "f": {}}
    assert sources(resolved, over, under) == {
        "session.a": "manifest",
        "session.b.c": "manifest",
        "session.b.d": "overlay",
        "session.f.g.h": "overlay",
        "session.z": "derived",
    }


@pytest.mark.parametrize("resolved", [None, 5, "text", [1], True])
def test_what_is_no_object_has_no_leaves(resolved: Any) -> None:
    """A session that was replaced by something else has no members to trace."""
    assert sources(resolved, {}, {}) == {}


def test_layers_that_are_lists_or_texts() -> None:
    """A layer's member is found as JavaScript finds it: by index, or by `length`."""
    resolved = {"0": 1, "1": 1, "length": 1, "01": 1, "9" * 5_000: 1}
    assert list(sources(resolved, "x", [1, 2]).values()) == ["overlay", "manifest", "overlay", "derived", "derived"]


def test_nesting_beyond_the_limit_is_refused() -> None:
    """Depth is bounded, and the limit named."""
    deep: Any = 1
    for _ in range(300):
        deep = {"a": deep}
    with pytest.raises(EvaluationError, match="nested deeper than 200 levels"):
        sources(deep, {}, {})
