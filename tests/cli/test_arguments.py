"""Arguments are read as argparse reads them, only faster; and in any order, which argparse does not."""

from __future__ import annotations

import contextlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelpath.cli.arguments import Arguments, _Reading
from kernelpath.cli.options import add_request, add_shared


def _check() -> Arguments:
    arguments = Arguments("check", "say whether boxes close")
    arguments.add("files", nargs="+", metavar="FILE")
    add_request(arguments)
    add_shared(arguments)
    return arguments


def _explain() -> Arguments:
    arguments = Arguments("explain", "say why")
    arguments.add("subject")
    arguments.add("step", nargs="?")
    arguments.add("--python", action="store_true")
    add_shared(arguments)
    return arguments


WORDS = [
    "a",
    "b.json",
    "-",
    "--runtime",
    "--device",
    "--with",
    "--device=d",
    "--format",
    "json",
    "yaml",
    "-q",
    "-v",
    "--quiet",
    "--num-layers",
    "4",
    "-4",
]
WORDS += [
    "x",
    "--runtime=c",
    "--num-layers=7",
    "--num-layers=",
    "--python",
    "--pyth",
    "--output",
    "--",
    "-qv",
    "",
    "-h",
]


@pytest.mark.parametrize("make", [_check, _explain])
@given(words=st.lists(st.sampled_from(WORDS), max_size=6))
def test_what_is_read_fast_is_what_argparse_reads(make: object, words: list[str]) -> None:
    """Words that can be read without argparse have the values that argparse gives them."""
    arguments: Arguments = make()  # type: ignore[operator]
    fast = _Reading(arguments).read(words)
    if fast is not None:
        assert fast == vars(arguments._parser().parse_intermixed_args(words))


@given(words=st.lists(st.sampled_from(WORDS), max_size=6))
def test_what_argparse_refuses_is_refused(words: list[str]) -> None:
    """Words that argparse refuses end the process with its exit code, or with 0 where they ask for help."""
    arguments = _check()
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            expected: object = vars(arguments._parser().parse_intermixed_args(words))
    except SystemExit as ended:
        expected = ended.code
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            read: object = vars(arguments.parse(words))
    except SystemExit as ended:
        read = ended.code
    assert read == expected


def test_options_may_stand_anywhere() -> None:
    """Files may stand before, between and after options."""
    options = _check().parse(["a", "--runtime", "o", "b", "-q", "c"])
    assert (options.files, options.runtime, options.quiet) == (["a", "b", "c"], "o", True)
    options = _explain().parse(["m.json", "--format", "json", "step.field"])
    assert (options.subject, options.step, options.format) == ("m.json", "step.field", "json")


def test_no_abbreviations() -> None:
    """An option goes by its whole name, so that a new one never changes what an old script means."""
    with contextlib.redirect_stderr(io.StringIO()) as told, pytest.raises(SystemExit) as ended:
        _check().parse(["a", "--run", "o"])
    assert ended.value.code == 2
    assert "kernelpath check: error: unrecognized arguments: --run" in told.getvalue()
