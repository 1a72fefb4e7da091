"""Processes to which permissions of files apply, whoever runs the tests."""

from __future__ import annotations

import ctypes
import os
from typing import Any

_DROP_FROM_BOUNDS = 24  # PR_CAPBSET_DROP of prctl(2)
_PASS_OVER_PERMISSIONS = (1, 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of capabilities(7)


def plain_user() -> dict[str, Any]:
    """Return the settings of `subprocess.run` by which a process may not pass over permissions, even if it is root's.

    It keeps root's id: the interpreter may lie in a folder that only root can enter.
    """
    return {"preexec_fn": _give_up} if os.geteuid() == 0 else {}


def _give_up() -> None:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for capability in _PASS_OVER_PERMISSIONS:
        if prctl(_DROP_FROM_BOUNDS, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "a capability cannot be given up")
