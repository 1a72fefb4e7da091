"""The wording of every mistake that the language reports, one function per mistake.

Each returns the message and the help: lower case, no full stop, what the user wrote in backticks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelpath.diagnostics import did_you_mean
from kernelpath.language.odd_characters import described, is_invisible, meant_by, utf16_units

Wording = tuple[str, str | None]

_SHOWN = 60


def cut(text: str) -> str:
    """Return user text for a message, without its end where it is long."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _meant(word: str, candidates: Iterable[str]) -> str | None:
    close = did_you_mean(word, candidates)
    return None if close is None else f"did you mean `{close}`?"


def _one_of(names: Iterable[str]) -> str | None:
    listed = list(names)
    return None if not listed or len(listed) > 12 else "one of " + ", ".join(f"`{name}`" for name in listed)


# ---- the text ----


def text_too_long(limit: int) -> Wording:
    """An expression that is longer than the parser accepts."""
    return f"the expression is longer than {limit:,} characters", "split it into several rules"


def too_deep(limit: int) -> Wording:
    """An expression nested deeper than the evaluators accept."""
    return f"the expression is nested deeper than {limit} levels", "split it into several rules"


def integer_too_large() -> Wording:
    """An int literal out of range."""
    return "an int must be within ±2**63", "write a float, such as `1e20`"


def float_too_large() -> Wording:
    """A float literal that would be infinite."""
    return "this float is too large to be held", None


def bad_escape(escape: str) -> Wording:
    """A backslash before something that cannot be escaped."""
    return f"`{escape}` is not an escape", "the escapes are `\\n`, `\\t`, `\\\\`, `\\\"`, `\\'` and `\\u0000`"


def empty_expression() -> Wording:
    """No text at all."""
    return "expected an expression", None


def unclosed_string() -> Wording:
    """A quote without its partner on the same line."""
    return "unclosed string", None


def unclosed_bracket(bracket: str) -> Wording:
    """An opening bracket without its partner."""
    return f"unclosed `{bracket}`", None


def unopened_bracket(bracket: str) -> Wording:
    """A closing bracket without its partner."""
    return f"`{bracket}` closes nothing", None


def mismatched_bracket(closing: str, opening: str) -> Wording:
    """A closing bracket of the wrong kind."""
    return f"`{closing}` does not close `{opening}`", None


def foreign_symbol(written: str, meant: str) -> Wording:
    """A symbol that another language has."""
    return f"`{written}` is not an operator", f"write `{meant}`"


def single_equals() -> Wording:
    """An assignment, or a comparison with one sign too few."""
    return "`=` is not a comparison, write `==`", None


def strange_character(character: str) -> Wording:
    """A character that no token begins with."""
    if character.isascii() and character.isprintable():
        return f"`{character}` has no meaning here", None
    meant = meant_by(character)
    help_ = "write a space" if meant == " " else f"write `{meant}`" if meant else None
    if help_ is None and is_invisible(character):
        help_ = "delete it"
    return f"{described(character)} has no meaning here", help_


def odd_in_text(character: str, plain: str | None) -> Wording:
    """A character in a string that cannot be seen, or that looks like another."""
    escape = "".join(f"\\u{unit:04x}" for unit in utf16_units(character))
    if plain:
        return f"{described(character)} looks like `{plain}`", f"write `{plain}`, or `{escape}` if it is meant"
    instead = "write a space, or" if character.isspace() else "delete it, or write"
    return f"{described(character)} cannot be seen in a string", f"{instead} `{escape}` if it is meant"


def chained_comparison() -> Wording:
    """`a < b < c`."""
    return "comparisons do not chain", "write `a < b and b < c`"


def expected_expression_after(token: str) -> Wording:
    """An operator or keyword with nothing behind it."""
    return f"expected an expression after `{token}`", None


def expected_expression_before(token: str) -> Wording:
    """A token that needs something in front of it."""
    return f"expected an expression before `{token}`", None


def expected_name_after(token: str, found: str | None) -> Wording:
    """A dot, `any` and the like without a name behind it."""
    tail = "" if found is None else f", but found `{found}`"
    return f"expected a name after `{token}`{tail}", None


def needs_parentheses(keyword: str) -> Wording:
    """A conditional or a quantifier as an operand."""
    return f"`{keyword} ...` must stand in parentheses inside an operator", f"write `({keyword} ...)`"


def missing_part(keyword: str, part: str) -> Wording:
    """`if` without `then` or `else`, a quantifier without `in` or `:`."""
    return f"expected `{part}` to go on with `{keyword}`", None


def missing_operator(found: str) -> Wording:
    """Two expressions in a row."""
    return f"expected an operator before `{found}`", None


def safe_call(name: str) -> Wording:
    """`x?.f(y)`."""
    return f"`?.` reads a member, and `{name}(...)` is a call", f"write `.{name}(...)`"


def only_names_are_called() -> Wording:
    """`(a)(b)`."""
    return "only a function name can be called", None


def unexpected(found: str) -> Wording:
    """A token that cannot stand where it does."""
    return f"`{found}` cannot stand here", None


# ---- names and members ----


def unknown_variable(name: str, candidates: Sequence[str]) -> Wording:
    """A name that is no variable here."""
    foreign = {"True": "true", "False": "false", "None": "null", "undefined": "null", "nil": "null"}
    help_ = f"did you mean `{foreign[name]}`?" if name in foreign else _meant(name, candidates)
    return f"unknown name `{name}`", help_ or _one_of(candidates)


def function_as_value(name: str) -> Wording:
    """The name of a function without a call."""
    return f"`{name}` is a function, and must be called", f"write `{name}(...)`"


def shadowed(name: str) -> Wording:
    """A loop variable named like another variable."""
    return f"`{name}` is the name of another variable", "choose another name for the loop"


def unknown_field(record: str, name: str, fields: Sequence[str]) -> Wording:
    """A member that the record does not have."""
    return f"`{record}` has no field `{name}`", _meant(name, fields) or _one_of(fields)


def no_members(type_: str, name: str) -> Wording:
    """A member read from a number, a string, a list."""
    return f"a value of type `{type_}` has no members, so `.{name}` cannot be read", None


def not_indexable(type_: str) -> Wording:
    """An index into something that has none."""
    return f"a value of type `{type_}` cannot be indexed", None


def wrong_index(type_: str, wanted: str) -> Wording:
    """An index of the wrong type."""
    return f"the index must be of type `{wanted}`, not `{type_}`", None


def maybe_null(text: str, type_: str, wanted: str | None = None) -> Wording:
    """An optional value where a value is needed."""
    need = "" if wanted is None else f", and `{wanted}` is needed"
    help_ = f"test `{cut(text)} != null` first, or give a default with `??`"
    return f"`{cut(text)}` may be null (`{type_}`){need}", help_


def maybe_null_member(text: str, type_: str, name: str) -> Wording:
    """A member read through an optional value."""
    shown = cut(text)
    help_ = f"write `{shown}?.{name}`, or test `{shown} != null` first"
    return f"`{shown}` may be null (`{type_}`), so `.{name}` cannot be read", help_


def needless_safe(text: str) -> Wording:
    """`?.` on a value that cannot be null."""
    return f"`{cut(text)}` is never null", "write `.` for `?.`"


def needless_default(text: str) -> Wording:
    """`??` after a value that cannot be null."""
    return f"`{cut(text)}` is never null, so `??` has no use", None


def never_null(text: str) -> Wording:
    """A comparison with null of a value that cannot be null."""
    return f"`{cut(text)}` is never null", None


# ---- types ----


def wrong_type(found: str, wanted: str) -> Wording:
    """A value of one type where another is needed."""
    return f"expected `{wanted}`, but this is `{found}`", _conversion(found, wanted)


def _conversion(found: str, wanted: str) -> str | None:
    if found == "json":
        tests = {
            "bool": "test it with `is_bool(x)` first, or use `truthy(x)`",
            "int": "test it with `is_integer(x)` first",
            "float": "test it with `is_number(x)` first, or use `number(x)`",
            "string": "test it with `is_string(x)` first, or use `text(x)`",
        }
        return tests.get(wanted) or _json_container(wanted) or _vocabulary(wanted, "text(x)")
    if wanted == "bool":
        return "there is no truthiness: compare it, or use `truthy(x)`"
    if found == "string":
        return _vocabulary(wanted, "x")
    if (found, wanted) == ("float", "int"):
        return "use `floor(x)`, `ceil(x)` or `int(x)`"
    return "use `text(x)`" if wanted == "string" and found in ("int", "float", "bool") else None


def _json_container(wanted: str) -> str | None:
    if wanted.startswith("list<"):
        return "test it with `is_list(x)` first"
    return "test it with `is_object(x)` first" if wanted.startswith("map<") else None


def _vocabulary(wanted: str, argument: str) -> str | None:
    """How a text becomes a value of a vocabulary, whose name begins small as a record's does not."""
    name = wanted.removesuffix("?")
    if not (name.isidentifier() and name[0].islower()) or name in ("bool", "int", "float", "string", "json", "null"):
        return None
    return f"use `{name}({argument})`, which is null where the text is no value of `{name}`"


def not_a_value(text: str, vocabulary: str, values: Sequence[str]) -> Wording:
    """A string literal that its vocabulary does not have."""
    return f"`{cut(text)}` is not a value of `{vocabulary}`", _meant(text, values) or _one_of(values)


def cannot_operate(operator: str, left: str, right: str) -> Wording:
    """An operator between types that it does not take."""
    json = "json" in (left, right)
    help_ = "test it with `is_number(x)` or `is_string(x)` first, or use `number(x)` or `text(x)`" if json else None
    return f"`{operator}` does not work on `{left}` and `{right}`", help_


def cannot_negate(type_: str) -> Wording:
    """A minus before something that is no number."""
    return f"`-` does not work on `{type_}`", None


def never_equal(left: str, right: str) -> Wording:
    """A comparison that is false whatever the values are."""
    return f"`{left}` and `{right}` are never equal", None


def not_a_list(type_: str, place: str) -> Wording:
    """`in`, or a loop, over something else than a list."""
    help_ = {"string": "use `contains(s, x)`", "json": "test it with `is_list(x)` first"}.get(type_)
    if type_.startswith("map<"):
        help_ = 'use `has(m, "key")`, `keys(m)` or `values(m)`'
    return f"{place} needs a list, but this is `{type_}`", help_


def no_common_type(left: str, right: str, place: str) -> Wording:
    """Branches or items that are of unlike types."""
    return f"{place} must be of one type, but are `{left}` and `{right}`", None


# ---- calls ----


def unused_library(name: str, library: str) -> Wording:
    """A built-in of a library that the pack does not use."""
    return f"`{name}` is of the library `{library}`, which this pack does not use", f"add `{library}` to its `uses`"


def unknown_function(name: str, candidates: Sequence[str]) -> Wording:
    """A call of a function that does not exist."""
    return f"unknown function `{name}`", _meant(name, candidates)


def wrong_arguments(name: str, found: Sequence[str], signatures: Sequence[str]) -> Wording:
    """Arguments that no signature of the function takes."""
    given = ", ".join(f"`{type_}`" for type_ in found)
    message = f"`{name}` does not take {given}" if given else f"`{name}` needs arguments"
    return message, "it is " + " or ".join(f"`{signature}`" for signature in signatures)


def source_argument() -> Wording:
    """`source(...)` of something else than a name."""
    return "`source` takes the name of one resolved variable", None


def source_unresolved(name: str, resolved: Sequence[str]) -> Wording:
    """`source(x)` of a variable that no resolution gave."""
    return f"`{name}` is not a resolved variable, so it has no source", _meant(name, resolved) or _one_of(resolved)


def pattern_not_literal() -> Wording:
    """A pattern that is not written out."""
    return "a pattern must be a string literal", None


def not_shown(type_: str) -> Wording:
    """A record in a message."""
    return f"a value of type `{type_}` cannot be shown in a message", "show one of its fields"


# ---- type spellings and messages ----


def unknown_type(name: str, candidates: Sequence[str]) -> Wording:
    """A type name that is none."""
    return f"unknown type `{name}`", _meant(name, candidates) or _one_of(candidates)


def bad_type(text: str) -> Wording:
    """A type spelling that cannot be read."""
    return f"`{cut(text)}` is not a type", "types are spelled like `int`, `string?`, `list<int>`, `map<json>`"


def unclosed_brace() -> Wording:
    """`{` without its partner in a message."""
    return "unclosed `{`", "write `{{` for a brace"


def lone_brace() -> Wording:
    """`}` without its partner in a message."""
    return "`}` closes nothing", "write `}}` for a brace"


# ---- patterns ----


def pattern_problem(what: str) -> Wording:
    """A pattern that cannot be read."""
    return what, None


def ambiguous_pattern(character: str) -> Wording:
    """A pattern that would need to try several ways."""
    return (
        f"the pattern is ambiguous: `{character}` may be read in two ways here",
        "a pattern must decide by the next character alone, so that it takes linear time",
    )
