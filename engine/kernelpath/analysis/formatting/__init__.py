"""Format pack files: canonical expressions, one order of keys, one layout; comments stay, and so does the meaning."""

from kernelpath.analysis.formatting.files import Formatted, difference, format_pack, kind_of
from kernelpath.analysis.formatting.format_text import KINDS, format_text

__all__ = ["KINDS", "Formatted", "difference", "format_pack", "format_text", "kind_of"]
