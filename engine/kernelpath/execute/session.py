"""Run a model: prefill in chunks, then decode token by token over the key and value cache."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelpath.diagnostics import Diagnostic
from kernelpath.emit.plan.limits import Limits, problem
from kernelpath.emit.plan.lower import Lowered, decode_shape, lower, prefill_shape
from kernelpath.emit.plan.model import Plan
from kernelpath.execute.backend import NOT_FINITE, Array, Backend, Observer
from kernelpath.execute.nonfinite import Call, diagnose, is_finite
from kernelpath.execute.sampling import GREEDY, Sampling, sample
from kernelpath.execute.weights import Weights, check_weights

CHUNK = 512
"""Tokens of a prefill that run in one call, unless the caller says otherwise."""

AHEAD = 16
"""Greedy tokens that are submitted before the first of them is read; those after an end token are thrown away."""


class SessionError(Exception):
    """A session that cannot be made, or cannot go on; `diagnostics` say why."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("; ".join(diagnostic.message for diagnostic in diagnostics))
        self.diagnostics = tuple(diagnostics)


class NotFinite(SessionError):
    """Logits that are not all numbers: no token can be chosen from them, and no text goes on from them."""


@dataclass(frozen=True, slots=True)
class Plans:
    """The two plans of a session, which share weights and caches by their names."""

    prefill: Plan
    decode: Plan


def make_plans(
    path: Mapping[str, Any],
    architecture: Mapping[str, Any],
    limits: Limits | None = None,
    capacity: int | None = None,
    chunk: int = CHUNK,
    all_rows: bool = False,
    share: bool = True,
    fuse: bool = True,
) -> Plans:
    """Lower a kernel path for a session of at most `capacity` positions; raises SessionError with all that is wrong.

    `capacity` is the model's context length unless it is given, and a prefill's `chunk` is never more than that.
    """
    positions = capacity or int(architecture["context_length"])
    prefill = prefill_shape(positions, min(chunk, positions), all_rows, share, fuse)
    decode = decode_shape(positions, share, fuse)
    lowered = [lower(path, architecture, shape, limits) for shape in (prefill, decode)]
    _refuse_faults(lowered)
    return Plans(lowered[0].plan, lowered[1].plan)


def _refuse_faults(lowered: Sequence[Lowered]) -> None:
    found = [diagnostic for each in lowered for diagnostic in each.diagnostics]
    if found:
        raise SessionError(list(dict.fromkeys(found)))


class Session:
    """A running model: its position, and what stands in its cache.

    All calls take token ids. Positions run from 0; a call that would pass the plans' capacity raises SessionError.
    Logits are returned as they are; where a token is to be chosen from some that are not all finite, NotFinite names
    the step that first gave such a value.
    """

    def __init__(self, plans: Plans, backend: Backend, weights: Weights) -> None:
        missing = check_weights(plans.prefill, weights) or check_weights(plans.decode, weights)
        if missing:
            raise SessionError(missing)
        self.plans = plans
        self.backend = backend
        self.position = 0
        self._weights = weights
        self._calls: list[Call] = []
        for plan in (plans.prefill, plans.decode):
            backend.load(plan)

    def reset(self) -> None:
        """Begin a new text: what the cache holds is overwritten."""
        self._rewind(0)

    def _rewind(self, position: int) -> None:
        """Forget the calls from a position on."""
        self.position = position
        while self._calls and self._calls[-1].start >= position:
            self._calls.pop()

    def prefill(self, ids: Sequence[int], observer: Observer | None = None) -> Array:
        """Run a text's tokens in chunks, and return the logits of the last as f32 [vocabulary].

        Plans made with `all_rows` return those of every token, [tokens, vocabulary].
        """
        logits = [self._chunk(chunk, observer) for chunk in self._chunks(ids)]
        whole: Array = np.concatenate(logits) if self.plans.prefill.all_rows else logits[-1][-1]
        return whole

    def _chunks(self, ids: Sequence[int]) -> Iterator[Sequence[int]]:
        if not ids:
            raise SessionError([problem("empty", "prefill", "a text has at least one token, and this one has none")])
        self._refuse_ids(ids)
        self._refuse_overflow(len(ids))
        most = self.plans.prefill.max_rows
        for begin in range(0, len(ids), most):
            yield ids[begin : begin + most]

    def _chunk(self, ids: Sequence[int], observer: Observer | None) -> Array:
        return self._logits(self._run_rows(ids, observer))

    def decode(self, token: int, observer: Observer | None = None) -> Array:
        """Run one more token, and return its logits as f32 [vocabulary]."""
        self._refuse_ids([token])
        self._refuse_overflow(1)
        self._run(self.plans.decode, [token], observer)
        logits: Array = self._logits(self.plans.decode)[-1]
        return logits

    def _run_rows(self, ids: Sequence[int], observer: Observer | None = None) -> Plan:
        plan = self.plans.prefill if len(ids) >= self.plans.prefill.min_rows else self.plans.decode
        self._run(plan, ids, observer)
        return plan

    def _run(self, plan: Plan, ids: Sequence[int] | None, observer: Observer | None = None) -> None:
        self._calls.append(Call(plan, ids, self.position))
        self.backend.run(plan, ids, self.position, observer)
        self.position += self._calls[-1].rows

    def finite(self, logits: Array) -> Array:
        """Return the last call's logits, from which a token is to be chosen; raises NotFinite if one is no number."""
        if not is_finite(logits):
            raise self._not_finite(self._calls)
        return logits

    def _not_finite(self, calls: Sequence[Call]) -> NotFinite:
        return NotFinite([diagnose(self.backend, calls, self._weights)])

    def _logits(self, plan: Plan) -> Array:
        logits = self.backend.read(plan, "logits")
        return logits.reshape(-1, logits.shape[-1])

    def generate(
        self, ids: Sequence[int], most: int, sampling: Sampling = GREEDY, end_ids: Collection[int] = ()
    ) -> Iterator[int]:
        """Run a text, and yield the tokens that follow: at most `most`, up to an end token, which is yielded last.

        Greedy tokens are sampled on the device and several are under way at once; others are drawn from the logits.
        """
        if sampling.greedy and self._samples_on_device():
            yield from self._generate_ahead(ids, most, frozenset(end_ids))
        else:
            yield from self._generate_sampled(ids, most, sampling, frozenset(end_ids))

    def _samples_on_device(self) -> bool:
        return all(
            any(buffer.name == "next" for buffer in plan.buffers) for plan in (self.plans.prefill, self.plans.decode)
        )

    def _generate_sampled(
        self, ids: Sequence[int], most: int, sampling: Sampling, end_ids: frozenset[int]
    ) -> Iterator[int]:
        generator = np.random.default_rng(sampling.seed)
        logits = self.prefill(ids)
        for count in range(1, most + 1):
            token = sample(self.finite(logits.reshape(-1, logits.shape[-1])[-1]), sampling, generator)
            yield token
            if token in end_ids or count == most:
                return
            logits = self.decode(token)

    def _generate_ahead(self, ids: Sequence[int], most: int, end_ids: frozenset[int]) -> Iterator[int]:
        for chunk in self._chunks(ids):
            self._run_rows(chunk)
        base, given = self.position, 0
        pending = min(1, most)  # sampled on the device and not read: now the prefill's, later those submitted ahead
        try:
            while pending:
                for token in self._sampled(pending):
                    given += 1
                    yield token
                    if token in end_ids:
                        return
                pending = self._submit_ahead(most - given)
        finally:  # what was submitted past the last token that was taken does not count
            self._rewind(base + max(given - 1, 0))

    def _sampled(self, count: int) -> Iterator[int]:
        """Yield the tokens of the last calls; raises NotFinite at the first whose logits are not all numbers."""
        calls = self._calls
        for place, token in enumerate(self.backend.sampled(calls[-1].plan, count), len(calls) - count + 1):
            if token == NOT_FINITE:
                raise self._not_finite(calls[:place])
            yield token

    def _submit_ahead(self, wanted: int) -> int:
        """Submit decodes, each of the token that the call before sampled; return how many tokens are to be read."""
        if wanted:
            self._refuse_overflow(1)
        count = min(AHEAD, wanted, self.plans.decode.capacity - self.position)
        for _ in range(count):
            self._run(self.plans.decode, None)
        return count

    def _refuse_overflow(self, count: int) -> None:
        capacity = self.plans.decode.capacity
        if self.position + count > capacity:
            message = f"the text would have {self.position + count:,} tokens, and the session holds {capacity:,}"
            help_text = "make the session with a larger capacity"
            raise SessionError([problem("capacity", "session", message, help=help_text)])

    def _refuse_ids(self, ids: Sequence[int]) -> None:
        vocabulary = self._vocabulary()
        for token in ids:
            if not 0 <= token < vocabulary:
                message = f"the token id {token} is not one of the model's, 0 to {vocabulary - 1}"
                raise SessionError([problem("token", "session", message)])

    def _vocabulary(self) -> int:
        tables = [dispatch.names["V"] for dispatch in self.plans.decode.dispatches if dispatch.op == "embed"]
        return sum(rows for rows in tables if isinstance(rows, int))
