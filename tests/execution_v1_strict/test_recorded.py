"""Recorded requests: strict refuses what the reference refuses, and what both accept has one answer."""

from __future__ import annotations

from random import Random

import pytest

from conformance_v1.recorded import ANSWERING, FILES, requests
from conformance_v1.test_conformance_v1 import COUNTS
from kernelpath.replay import Request, answer

from .test_items import REFERENCE, STRICT, loaded

SAMPLE = 150
#: Questions that go on with what compile gives; where it is refused, the rest is not judged.
APPLYING = ("apply", "load")


def sampled(name: str) -> list[Request]:
    """Return some requests of a file, the same each time."""
    return [requests(name)[place] for place in Random(23).sample(range(COUNTS[name]), SAMPLE)]


def difference(request: Request) -> str | None:
    """Return how strict answers otherwise than the reference's pack, beside refusing more; None if it does not."""
    base, strict = answer(loaded(REFERENCE), request), answer(loaded(STRICT), request)
    if strict["ok"] and not base["ok"]:
        return "accepted by strict alone"
    if (strict["ok"] or request.fn in ANSWERING) and strict["value"] != base["value"]:
        return "another value"
    if request.fn in APPLYING:
        return None
    rules = {each["rule"] for each in strict["diagnostics"]}
    missing = [each["rule"] for each in base["diagnostics"] if each["rule"] not in rules]
    return f"without {missing}" if missing else None


@pytest.mark.parametrize("name", FILES)
def test_strict_only_refuses_more(name: str) -> None:
    """In compile strict has every finding of the reference's pack, and what it accepts has the same answer."""
    assert {each.identity: words for each in sampled(name) if (words := difference(each))} == {}
