"""Whatever a request holds, the pack answers: its rules find what is wrong, and the engine meets no limit."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from conformance_v1.recorded import FILES, pack, requests
from kernelpath.replay import Request, answer

#: Values that some part of a request is replaced by.
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 1e21, 1e308, float("inf"), 9007199254740993, -0.0, "", " ", "f16", "x" * 50,
    "__proto__", [], {}, [None], ["f16"], [[1]], {"a": 1}, {"0": 1},
)  # fmt: skip
MOST_CHANGES = 3


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each part of a JSON value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*way, key)
        yield from places(part, (*way, key))


def spoilt(request: Request, random: Random) -> Request:
    """Return a request with some of its parts replaced or taken away; steps are changed less often than the rest."""
    options = copy.deepcopy(request.options)
    for _ in range(random.randint(1, MOST_CHANGES)):
        ways = [way for way in places(options) if "execution" not in way[:-2] or random.random() < 0.05]
        if not ways:
            break
        way = random.choice(ways)
        held: Any = options
        for key in way[:-1]:
            held = held[key]
        if isinstance(held, dict) and random.random() < 0.2:
            del held[way[-1]]
        else:
            held[way[-1]] = copy.deepcopy(random.choice(ODD))
    return Request(request.identity, request.fn, options)


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 60), *(pytest.param(seed, 600, marks=pytest.mark.exhaustive) for seed in range(2, 6))]
)
@pytest.mark.parametrize("name", FILES)
def test_an_odd_request_has_an_answer(name: str, seed: int, count: int) -> None:
    """Each finding is a rule's, so that it says what is wrong and where; a limit of the language is none's."""
    random = Random(seed)
    for place in random.sample(range(len(requests(name))), count):
        request = spoilt(requests(name)[place], random)
        for found in answer(pack(), request)["diagnostics"]:
            said = found["rule"] == "replay/member" or found["rule"].count("/") == 2
            assert said, (request.identity, found, request.options)


def test_every_manifest_has_its_config_judged() -> None:
    """A manifest of any recorded request may be asked about, and no answer is a fault of the engine."""
    random = Random(9)
    for name in FILES:
        for place in random.sample(range(len(requests(name))), 40):
            options = spoilt(requests(name)[place], random).options
            asked = {"manifest": options["manifest"]} if "manifest" in options else {}
            found = answer(pack(), Request("c", "config", asked))["diagnostics"]
            assert all(each["rule"].startswith("execution-v1/") for each in found)
            assert all(each["rule"].count("/") == 2 for each in found), found
