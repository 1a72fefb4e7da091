"""What generated code finds as its globals.

It imports neither the parser nor the syntax tree, so that it loads fast.
"""

from __future__ import annotations

from kernelpath.language import arithmetic, json_values
from kernelpath.language.builtins import DECLARED
from kernelpath.language.errors import EvaluationError
from kernelpath.language.lengths import joined_lists, joined_texts
from kernelpath.language.meter import Meter
from kernelpath.language.numerals import SPACE
from kernelpath.language.showing import shown

RUNTIME: dict[str, object] = {
    **{f"_{name}": declaration.implementation for name, declaration in DECLARED.items()},
    "json_equal": json_values.json_equal,
    "json_in": json_values.json_in,
    "json_member": json_values.member,
    "json_item": json_values.item,
    "checked_add": arithmetic.add,
    "checked_subtract": arithmetic.subtract,
    "checked_multiply": arithmetic.multiply,
    "checked_negate": arithmetic.negate,
    "checked_divide": arithmetic.divide,
    "checked_floor_divide": arithmetic.floor_divide,
    "checked_remainder": arithmetic.remainder,
    "json_float": arithmetic.as_float,
    "joined_lists": joined_lists,
    "joined_texts": joined_texts,
    "shown_text": shown,
    "SPACE": SPACE,
    "Meter": Meter,
    "EvaluationError": EvaluationError,
}
"""All names that generated code uses besides its variables and `meter`; built-in `f` of the language is `_f`."""
