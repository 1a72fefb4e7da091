"""The progress bar of weights."""

from __future__ import annotations

import io

from kernelpath.models.progress import WatchedWeights

from .tiny import tiny_model


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_weights_as_they_are_taken() -> None:
    """The bar starts at nothing, and is wiped when the last weight is taken; a tied LM head counts once."""
    model, stream = tiny_model("llama"), Terminal()
    watched = WatchedWeights(model.weights, stream)
    assert "weights:   0%" in stream.getvalue()
    taken = [watched[name] for name in watched]
    assert taken == list(model.weights.values())
    assert stream.getvalue().endswith("\r")


def test_a_file_shows_nothing() -> None:
    """Where standard error is no terminal, nothing is written."""
    stream = io.StringIO()
    watched = WatchedWeights(tiny_model("llama").weights, stream)
    assert [watched[name].name for name in ("final_norm", "lm_head")] == ["final_norm", "embed_tokens"]
    assert stream.getvalue() == ""


def test_asking_is_not_taking() -> None:
    """Whether a weight is there can be asked without moving the bar."""
    stream = Terminal()
    watched = WatchedWeights(tiny_model("llama").weights, stream)
    before = stream.getvalue()
    assert "final_norm" in watched
    assert "nothing" not in watched
    assert stream.getvalue() == before
