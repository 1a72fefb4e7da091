"""Runs: what comes as text, where they stop, what they report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from execute.paths import plain_path
from kernelpath.execute.place import choose_place
from kernelpath.execute.run import Options, Run, largest, prompt_ids, statistics
from kernelpath.execute.sampling import Sampling
from kernelpath.execute.session import Session, make_plans
from kernelpath.models.errors import ModelErrors
from kernelpath.models.model import Model
from kernelpath.models.tokenizer import Tokenizer

from .oracle import Oracle, greedy
from .test_tokenizer import built, byte_level
from .tiny import tiny_model

PROMPT = [5, 3, 8]


@dataclass
class Scripted:
    """A session that gives the tokens of a script, whatever it is asked; `breaks` is the one that Ctrl-C cuts off."""

    script: Sequence[int]
    capacity: int = 100
    breaks: int = -1
    asked: list[Any] = field(default_factory=list)

    @property
    def plans(self) -> Any:
        return SimpleNamespace(decode=SimpleNamespace(capacity=self.capacity))

    def generate(self, ids: Sequence[int], most: int, sampling: Sampling, end_ids: frozenset[int]) -> Iterator[int]:
        self.asked.append((list(ids), most, sampling, end_ids))
        for position, token in enumerate(self.script[:most]):
            if position == self.breaks:
                raise KeyboardInterrupt
            yield token
            if token in end_ids:
                return


def run(script: Sequence[int], tokenizer: Tokenizer | None = None, **options: Any) -> tuple[list[str], Run]:
    capacity, breaks = options.pop("capacity", 100), options.pop("breaks", -1)
    session: Any = Scripted(script, capacity, breaks)
    started = Run(session, tokenizer, PROMPT, Options(**options), clock=map(float, count()).__next__)
    return list(started), started


def numpy_session(model: Model) -> Session:
    place = choose_place("numpy", compute="f64")
    plans = make_plans(plain_path("llama"), model.architecture, place.limits)
    return Session(plans, place.make(model.weights), model.weights)


def test_text_comes_in_whole_characters_up_to_the_end_token() -> None:
    """An end token ends the run, is among the ids, and is no text."""
    tokenizer = built(byte_level())
    ids = [*tokenizer.encode("the ß"), 2, 7]
    pieces, done = run(ids, tokenizer)
    assert "".join(pieces) == done.outcome.text == "the ß"
    assert all("\ufffd" not in piece for piece in pieces)
    assert (done.outcome.ids, done.outcome.stopped) == (tuple(ids[:-1]), "end")


def test_end_tokens_can_be_ignored() -> None:
    """With `ignore_end` the run goes on to its length."""
    tokenizer = built(byte_level())
    _, done = run([2, 2, 2, 2], tokenizer, ignore_end=True, max_tokens=3)
    assert (done.outcome.ids, done.outcome.stopped) == ((2, 2, 2), "length")


def test_a_full_session_ends_the_run() -> None:
    """A session of 5 positions holds a prompt of 3 and gives 3 tokens: the last one needs no position."""
    _, done = run([9] * 50, capacity=5)
    assert (done.outcome.ids, done.outcome.stopped) == ((9, 9, 9), "capacity")


def test_an_interrupt_keeps_what_there_is() -> None:
    """Ctrl-C ends the run without an exception; ids and text so far are kept, a cut character as U+FFFD."""
    tokenizer = built(byte_level())
    pieces, done = run(tokenizer.encode("aß"), tokenizer, breaks=2)
    assert (pieces, done.outcome.stopped, len(done.outcome.ids)) == (["a", "\ufffd"], "interrupted", 2)


def test_without_a_tokenizer_the_pieces_are_ids() -> None:
    """Ids go in and come out as they are."""
    pieces, done = run([7, 11], max_tokens=2)
    assert (pieces, done.outcome.text) == (["7 ", "11 "], "7 11 ")


def test_rates_are_tokens_by_seconds() -> None:
    """At a second a token: 3 prompt tokens in 1 s, which end with the first new one, then 3 tokens in 3 s."""
    _, done = run([9] * 4, max_tokens=4)
    assert done.outcome.to_dict() == {
        "promptIds": PROMPT,
        "ids": [9, 9, 9, 9],
        "text": "9 9 9 9 ",
        "stopped": "length",
        "timings": {
            "prefillTokens": 3,
            "prefillSeconds": 1.0,
            "prefillTokensPerSecond": 3.0,
            "decodeTokens": 3,
            "decodeSeconds": 3.0,
            "decodeTokensPerSecond": 1.0,
        },
    }
    assert json.loads(json.dumps(done.outcome.to_dict())) == done.outcome.to_dict()


def test_prompts_come_from_ids_messages_or_text() -> None:
    """Ids are taken as they are, also for a model without tokenizer; text and conversations need one."""
    model = tiny_model("llama")
    assert prompt_ids(model, "ignored", ids=[4, 5]) == [4, 5]
    with pytest.raises(ModelErrors, match="model `tiny-llama` has no tokenizer"):
        prompt_ids(model, "the")


def test_the_largest_logits_come_first_and_equals_by_id() -> None:
    """NaN is left out, infinity is a logit like others."""
    logits = np.array([1.0, np.nan, 3.0, np.inf, 3.0, -np.inf], np.float32)
    assert largest(logits, 4) == ((3, np.inf), (2, 3.0), (4, 3.0), (0, 1.0))
    assert largest(np.full(2, np.nan, np.float32), 2) == ()


def test_statistics_count_what_is_not_finite() -> None:
    """Numbers are of the finite values; NaN and both infinities are counted."""
    assert statistics(np.array([[3.0, -4.0], [np.nan, np.inf]], np.float16)) == {
        "shape": [2, 2],
        "min": -4.0,
        "max": 3.0,
        "mean": -0.5,
        "rms": float(np.sqrt(12.5)),
        "nan": 1,
        "inf": 1,
    }
    assert statistics(np.array([np.nan]))["max"] is None


@pytest.mark.parametrize("top", [0, 3], ids=["ahead", "watched"])
def test_a_tiny_model_gives_the_oracles_tokens(top: int) -> None:
    """A run in numpy chooses the oracle's tokens, made ahead or one by one, and keeps the oracle's logits."""
    model = tiny_model("llama", "f32")
    session = numpy_session(model)
    expected, logits = greedy(Oracle(model, np.float64), PROMPT, 8)
    started = Run(session, None, PROMPT, Options(max_tokens=8, top=top))
    assert "".join(started) == "".join(f"{token} " for token in expected)
    assert started.outcome.ids == tuple(expected)
    for kept, row in zip(started.outcome.top, logits, strict=bool(top)):
        assert [token for token, _ in kept] == [token for token, _ in largest(row, 3)]
        assert [logit for _, logit in kept] == pytest.approx([logit for _, logit in largest(row, 3)], abs=1e-4)


def test_an_observer_sees_every_step() -> None:
    """Each launch of the prefill and of each decode is shown with the arrays that it wrote."""
    model = tiny_model("llama", "f32")
    session, seen = numpy_session(model), list[str]()
    options = Options(max_tokens=3, observer=lambda dispatch, arrays: seen.append(dispatch.op))
    list(Run(session, None, PROMPT, options))
    assert seen.count("embed") == 3
    assert len(seen) == len(session.plans.prefill.dispatches) + 2 * len(session.plans.decode.dispatches)
