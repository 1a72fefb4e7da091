"""Run a model on a prompt: text as it comes, where it stopped, and how fast it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelpath.execute.backend import Array, Observer
from kernelpath.execute.sampling import GREEDY, Sampling, sample
from kernelpath.execute.session import NotFinite, Session
from kernelpath.models import errors
from kernelpath.models.model import Model
from kernelpath.models.tokenizer import Message, Tokenizer

END, LENGTH, CAPACITY, INTERRUPTED, BROKEN = "end", "length", "capacity", "interrupted", "not-finite"

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: at most `max_tokens` new tokens; `top` logits of each are kept, 0 for none.

    Keeping logits, or observing steps, waits for each token; without either, greedy tokens are made ahead on a device.
    """

    max_tokens: int = 128
    sampling: Sampling = GREEDY
    ignore_end: bool = False
    top: int = 0
    observer: Observer | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: new ids (an end token is the last of them), text, and seconds for prompt and for the rest.

    `top` has, for each new token, the largest logits that it was chosen from, as (id, logit), largest first.
    `stopped` is "end", "length", "capacity" (the session is full), "interrupted", or "not-finite" (no token could be
    chosen: the error that the run raised says why).
    """

    prompt_ids: tuple[int, ...]
    ids: tuple[int, ...]
    text: str
    stopped: str
    prefill_seconds: float
    decode_seconds: float
    top: tuple[tuple[tuple[int, float], ...], ...] = ()

    @property
    def prefill_rate(self) -> float:
        """Prompt tokens per second, up to the first new token."""
        return _rate(len(self.prompt_ids), self.prefill_seconds)

    @property
    def decode_rate(self) -> float:
        """New tokens per second, after the first."""
        return _rate(len(self.ids) - 1, self.decode_seconds)

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain JSON."""
        timings = {
            "prefillTokens": len(self.prompt_ids),
            "prefillSeconds": self.prefill_seconds,
            "prefillTokensPerSecond": self.prefill_rate,
            "decodeTokens": max(len(self.ids) - 1, 0),
            "decodeSeconds": self.decode_seconds,
            "decodeTokensPerSecond": self.decode_rate,
        }
        members = {
            "promptIds": list(self.prompt_ids),
            "ids": list(self.ids),
            "text": self.text,
            "stopped": self.stopped,
        }
        top = {"topLogits": [[list(pair) for pair in pairs] for pairs in self.top]} if self.top else {}
        return {**members, **top, "timings": timings}


def prompt_ids(
    model: Model, prompt: str | None = None, messages: Sequence[Message] = (), ids: Sequence[int] = ()
) -> list[int]:
    """Return the ids that a run begins with: `ids` as they are, a conversation's, or a text's.

    Raises `ModelErrors` for a model without tokenizer or, for a conversation, without chat template.
    """
    if ids:
        return list(ids)
    if model.tokenizer is None:
        raise model.no_tokenizer or errors.no_tokenizer(model.name)
    return model.tokenizer.chat(messages) if messages else model.tokenizer.encode(prompt or "")


@dataclass(slots=True)
class Run:
    """One run of a session. Iterate it once for pieces of text as they come; `outcome` then says what came of it.

    Without a tokenizer the pieces are ids, a space after each. An interrupt (Ctrl-C) ends the run with what there is.
    Logits that are not finite raise NotFinite, after the text that came before them.
    """

    session: Session
    tokenizer: Tokenizer | None
    prompt: Sequence[int]
    options: Options = field(default_factory=Options)
    clock: Clock = time.perf_counter
    _ids: list[int] = field(default_factory=list, init=False)
    _top: list[tuple[tuple[int, float], ...]] = field(default_factory=list, init=False)
    _text: list[str] = field(default_factory=list, init=False)
    _marks: list[float] = field(default_factory=list, init=False)
    _interrupted: bool = field(default=False, init=False)
    _fault: NotFinite | None = field(default=None, init=False)

    def __iter__(self) -> Iterator[str]:
        """Yield text as soon as it is whole characters; pieces join to the outcome's text."""
        tokens = self._tokens()
        pieces = self.tokenizer.stream(tokens) if self.tokenizer else (f"{token} " for token in tokens)
        for piece in pieces:
            self._text.append(piece)
            yield piece
        if self._fault:
            raise self._fault

    def _tokens(self) -> Iterator[int]:
        """Yield new ids and keep the times; an interrupt ends them like any other end, so that the text is finished."""
        self._marks.append(self.clock())
        try:
            for token in self._source():
                self._marks.append(self.clock())
                self._ids.append(token)
                yield token
        except KeyboardInterrupt:
            self._interrupted = True
        except NotFinite as fault:
            self._fault = fault

    def _source(self) -> Iterator[int]:
        options, most = self.options, self._most()
        if options.top or options.observer:
            return self._watched(most)
        return self.session.generate(self.prompt, most, options.sampling, self._end_ids())

    def _watched(self, most: int) -> Iterator[int]:
        """Yield ids one by one, keeping the largest logits of each and letting the observer see every step."""
        options, generator = self.options, np.random.default_rng(self.options.sampling.seed)
        logits = self.session.prefill(self.prompt, options.observer)
        for count in range(1, most + 1):
            last = self.session.finite(logits.reshape(-1, logits.shape[-1])[-1])
            token = sample(last, options.sampling, generator)
            if options.top:
                self._top.append(largest(last, options.top))
            yield token
            if token in self._end_ids() or count == most:
                return
            logits = self.session.decode(token, options.observer)

    def _end_ids(self) -> frozenset[int]:
        ends = self.tokenizer.end_ids if self.tokenizer else frozenset[int]()
        return frozenset() if self.options.ignore_end else ends

    def _most(self) -> int:
        """Return how many tokens may come: the first needs no position of its own."""
        return min(self.options.max_tokens, self._room())

    def _room(self) -> int:
        return max(self.session.plans.decode.capacity - len(self.prompt) + 1, 1)

    @property
    def outcome(self) -> Outcome:
        """Return what came of the run, at any time."""
        marks = self._marks
        return Outcome(
            prompt_ids=tuple(self.prompt),
            ids=tuple(self._ids),
            text="".join(self._text),
            stopped=self._stopped(),
            prefill_seconds=marks[1] - marks[0] if len(marks) > 1 else 0.0,
            decode_seconds=marks[-1] - marks[1] if len(marks) > 1 else 0.0,
            top=tuple(self._top),
        )

    def _stopped(self) -> str:
        if self._fault:
            return BROKEN
        if self._ids and self._ids[-1] in self._end_ids():
            return END
        if len(self._ids) >= self.options.max_tokens:
            return LENGTH
        return INTERRUPTED if self._interrupted or len(self._ids) < self._room() else CAPACITY


def largest(logits: Array, count: int) -> tuple[tuple[int, float], ...]:
    """Return the largest logits as (id, logit), of equal ones the lowest id first; NaN is never among them."""
    values = np.where(np.isnan(logits), -np.inf, logits)
    order = np.argsort(-values, kind="stable")[:count]
    return tuple((int(token), float(values[token])) for token in order if not np.isnan(logits[token]))


def statistics(values: Array) -> Mapping[str, Any]:
    """Return a step's output in numbers: shape, smallest, largest, mean, root mean square, and how many are NaN or Inf.

    The four numbers are of the finite values, and None where there are none.
    """
    flat = np.asarray(values, np.float64).reshape(-1)
    finite = flat[np.isfinite(flat)]
    names = ("min", "max", "mean", "rms")
    numbers = [finite.min(), finite.max(), finite.mean(), np.sqrt(np.mean(finite * finite))] if finite.size else []
    return {
        "shape": list(values.shape),
        **(dict(zip(names, map(float, numbers), strict=True)) if numbers else dict.fromkeys(names)),
        "nan": int(np.isnan(flat).sum()),
        "inf": int(np.isinf(flat).sum()),
    }


def _rate(tokens: int, seconds: float) -> float:
    return tokens / seconds if tokens > 0 and seconds > 0 else 0.0
