"""Numbers and text as JavaScript converts them (ECMA-262, Number::toString and StringToNumber)."""

from __future__ import annotations

import math

from kernelpath.language.arithmetic import as_float

SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What String.prototype.trim removes: white space and line terminators."""

_EXACT = 2**53
_DIGITS = frozenset("0123456789")
_RADIX = {"0x": 16, "0o": 8, "0b": 2}
_RADIX_DIGITS = {16: frozenset("0123456789abcdefABCDEF"), 8: frozenset("01234567"), 2: frozenset("01")}


def number_text(value: float) -> str:
    """Return the shortest text of a number, as JavaScript writes it."""
    if type(value) is int and -_EXACT <= value <= _EXACT:
        return str(value)
    number = as_float(value)
    if number != number:
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    return sign + _layout(*_shortest(abs(number)))


def _shortest(number: float) -> tuple[str, int]:
    """Return the digits d1...dk and the exponent n with number = 0.d1...dk * 10**n."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    return digits.rstrip("0"), point


def _layout(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return digits[0] + ("." + digits[1:] if count > 1 else "") + exponent


def text_number(text: str) -> float:
    """Return the number that a text denotes in JavaScript, NaN where it denotes none."""
    body = text.strip(SPACE)
    if not body:
        return 0.0
    radix = _RADIX.get(body[:2].lower())
    if radix is not None:
        digits = body[2:]
        return as_float(int(digits, radix)) if digits and _RADIX_DIGITS[radix].issuperset(digits) else math.nan
    unsigned = body[1:] if body[0] in "+-" else body
    if unsigned == "Infinity":
        return -math.inf if body[0] == "-" else math.inf
    return float(body) if _is_decimal(unsigned) else math.nan


def _is_decimal(text: str) -> bool:
    mantissa, mark, exponent = text.replace("E", "e").partition("e")
    if mark:
        power = exponent[1:] if exponent[:1] in ("+", "-") else exponent
        if not power or not _DIGITS.issuperset(power):
            return False
    whole, _, fraction = mantissa.partition(".")
    return bool(whole or fraction) and _DIGITS.issuperset(whole) and _DIGITS.issuperset(fraction)
