"""Waivers: findings that somebody answers for, until a day."""

from kernelpath.analysis.waivers.applying import Waived, apply_waivers
from kernelpath.analysis.waivers.reading import Waiver, WaiverErrors, read_waivers

__all__ = ["Waived", "Waiver", "WaiverErrors", "apply_waivers", "read_waivers"]
