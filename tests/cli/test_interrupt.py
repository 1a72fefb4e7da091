"""Ctrl-C while a model answers: a real signal, a real process, and what came stands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.model_files import model_file
from cli.test_running import COMMAND

# Far more tokens than are made before the signal comes; the cache for them is small.
ENDLESS = ("--ids", "5,6,7", "--max-tokens", "8000", "--ignore-end")
BACKENDS = ["numpy", pytest.param("wgpu", marks=pytest.mark.gpu)]


@pytest.fixture
def model(folder: Path) -> str:
    """Return the name of a model that goes on for long, and answers in ids."""
    return model_file(folder, dtype="f32", tokenizer=False, context_length=10_000)


def _start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, "run", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.sampled(2)
def test_the_text_so_far_stands(model: str, backend: str) -> None:
    """The process ends with 130, having printed what there was and said that it was interrupted, and no traceback."""
    process = _start(model, *ENDLESS, "--backend", backend)
    assert process.stdout is not None
    begin = process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    rest, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert all(word.isdecimal() for word in (begin + rest).split())
    assert rest.endswith("\n")
    assert error.endswith(" tokens/s, stopped: interrupted\n")
    assert error.count("\n") == 1


@pytest.mark.parametrize("calls", [1, 3])
def test_the_document_is_whole(model: str, folder: Path, calls: int) -> None:
    """In a format for tools the document has what came before the signal: in the prompt, nothing; later, the tokens."""
    os.mkfifo(folder / "trace")
    process = _start(model, *ENDLESS, "--backend", "numpy", "--format", "json", "--trace", "trace")
    _interrupt_in_call(process, folder / "trace", calls)
    out, error = process.communicate(timeout=60)
    told: Any = json.loads(out)
    assert (process.returncode, error) == (130, "")
    assert told["stopped"] == "interrupted"
    assert len(told["ids"]) >= calls - 1
    assert len(told.get("topLogits", [])) == len(told["ids"])


def _interrupt_in_call(process: subprocess.Popen[str], trace: Path, calls: int) -> None:
    """Send the signal in the `calls`-th call of a plan, and read on until the process closes the trace."""
    with trace.open(encoding="utf-8") as lines:
        for line in lines:
            calls -= '"step": "embed"' in line
            if not calls:
                process.send_signal(signal.SIGINT)
                break
        for _ in lines:
            pass


def test_a_signal_while_the_model_is_read(folder: Path) -> None:
    """Before anything is made, the process ends with 130 and says nothing."""
    reading, writing = os.pipe()
    words = ["run", model_file(folder), "--ids", "5", "--backend", "numpy", "--manifest", f"/dev/fd/{reading}"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([*COMMAND, *words], pass_fds=[reading], **pipes)
    os.write(writing, b" " * 1_000_000)  # more than a pipe holds: the process is reading, and waits for the rest
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    for descriptor in (reading, writing):
        os.close(descriptor)
    assert (process.returncode, out, error) == (130, "", "")
