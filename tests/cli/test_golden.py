"""Commands print exactly so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cli.conftest import Ran
from cli.golden import GOLDEN, assert_golden

COMMANDS = {
    "help-check": "check --help",
    "help-replay": "replay --help",
    "replay": "replay requests.jsonl",
    "check-passes": "check passes.json section.json",
    "check-fails": "check fails.json",
    "check-fails-quiet": "check -q fails.json passes.json",
    "check-fails-verbose": "check -v fails.json",
    "check-fails-json": "check fails.json --format json",
    "check-fails-sarif": "check fails.json --format sarif",
    "check-fails-junit": "check fails.json --format junit",
    "check-fails-github": "check fails.json --format github",
    "check-clean-junit": "check passes.json --format junit",
    "check-bad-overlay": "check passes.json --runtime bad-overlay.json",
    "check-bad-config": "check passes.json --runtime bad-config.json",
    "check-bad-path": "check passes.json --runtime bad-path-config.json",
    "check-missing-member": "check no-src.json",
    "check-duplicate": "check duplicate.json",
    "check-no-graph": "check no-graph.json",
    "check-unreadable": "check nosuch.json passes.json",
    "explain-step": "explain passes.json lm_head",
    "explain-attention": "explain passes.json attend_one.kvIO",
    "explain-slot": "explain passes.json widen.inputDtype",
    "explain-patched": "explain passes.json lm_head.mathDtype --runtime overlay.json",
    "explain-added": "explain passes.json cap.outputDtype --runtime overlay.json",
    "explain-refused": "explain fails.json attend",
    "explain-json": "explain passes.json widen.inputDtype --format json",
    "explain-rule": "explain flow/src-produced",
    "explain-decision": "explain E61",
    "show-stage": "pack show boundary",
    "show-rule": "pack show cast-takes-held",
    "show-rule-python": "pack show cast-takes-held --python",
    "show-stage-python": "pack show kv-layout --python",
    "show-rule-json": "pack show src-produced --format json",
    "kernels": "kernels list --op residual",
    "kernels-json": "kernels list --op rope --format json",
    "demo": "demo",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_output(name: str, cli: Callable[..., Ran]) -> None:
    """A command's output, errors and exit code are those of its golden file."""
    ran = cli(*COMMANDS[name].split(" "))
    errors = f"--- standard error\n{ran.err}" if ran.err else ""
    assert_golden(f"{name}.txt", f"$ kernelpath {COMMANDS[name]}\n{ran.out}{errors}--- exit code {ran.code}\n")


def test_no_golden_file_is_left_over() -> None:
    """Every golden file belongs to a command."""
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(COMMANDS)
