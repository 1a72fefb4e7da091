"""Characters that are not what they look like: such as cannot be seen, and such as look like another's."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: Letters of other scripts that are drawn as letters of ASCII are.
_LETTERS = (
    ("АВЕЅІЈКМНОРСТУХаеѕіјорсухԁԛԝһ", "ABESIJKMHOPCTYXaesijopcyxdqwh"),  # Cyrillic
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονɡ", "ABEZHIKMNOPTYXovg"),  # Greek, and the g of phonetics
)
_LOOKS_LIKE = {odd: plain for odds, plains in _LETTERS for odd, plain in zip(odds, plains, strict=True)}
#: What word processors and keyboards put in the place of a sign of the language.
_SIGNS = {
    **dict.fromkeys("“”„‟″", '"'),
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "×": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "∈": "in",
    "∧": "and",
    "∨": "or",
    "¬": "not",
    "…": "...",
}
#: Characters that Python takes for printable, and that show nothing.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_WIDE = re.compile("[\uff01-\uff5e\u2160-\u217f\U0001d400-\U0001d7ff]")
_WORD = re.compile(r"\w+")


def is_invisible(character: str) -> bool:
    """Return whether a character shows nothing, or a space that is not the space bar's.

    >>> [is_invisible(character) for character in "a \\u00e9\\u00a0\\u200b\\u3164"]
    [False, False, False, True, True, True]
    """
    return not character.isprintable() or _BLANK.match(character) is not None


def looks_like(character: str) -> str | None:
    """Return the ASCII letter or digit that a character of another script looks like, None where it looks like none.

    >>> looks_like("\\u0430"), looks_like("\\uff16"), looks_like("é")
    ('a', '6', None)
    """
    if _WIDE.match(character):
        plain = unicodedata.normalize("NFKC", character)
        return plain if len(plain) == 1 and plain.isascii() else None
    return _LOOKS_LIKE.get(character)


def meant_by(character: str) -> str | None:
    """Return what was probably meant by a character that the language does not have, None where nothing is near."""
    if character.isspace():
        return " "
    return _SIGNS.get(character) or looks_like(character)


def described(character: str) -> str:
    """Return a character as a message shows it: as it is if it can be seen, its code point, and its name.

    >>> described("\\u00a0"), described("\\u0430")
    ('the character U+00A0 (no-break space)', '`\\u0430` (U+0430, cyrillic small letter a)')
    """
    code, name = f"U+{ord(character):04X}", unicodedata.name(character, "").lower()
    if is_invisible(character):
        return f"the character {code} ({name})" if name else f"the character {code}"
    return f"`{character}` ({code}, {name})" if name else f"`{character}` ({code})"


def utf16_units(character: str) -> list[int]:
    """Return the units that a character is written with as escapes: two beyond U+FFFF."""
    units = character.encode("utf-16-be", "surrogatepass")
    return [units[at] << 8 | units[at + 1] for at in range(0, len(units), 2)]


def odd_characters(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield each odd character of a text: its offset, itself, and what it looks like, None where it is invisible.

    A letter that looks like another's is odd in a word that has letters of ASCII, too: a whole word may be Greek.
    """
    if text.isascii() and text.isprintable():
        return
    for at, character in enumerate(text):
        if is_invisible(character) and character not in "\n\t":
            yield at, character, None
    for word in _WORD.finditer(text):
        if any(letter.isascii() and letter.isalpha() for letter in word[0]):
            for at, character in enumerate(word[0], word.start()):
                if plain := looks_like(character):
                    yield at, character, plain
