"""Every mistake in a test file, in words: one function per mistake, each giving message and help."""

from __future__ import annotations

from collections.abc import Iterable

from kernelpath.diagnostics import ERROR, Diagnostic, Span, did_you_mean

Words = tuple[str, str, str | None]


def told(words: Words, span: Span | None) -> Diagnostic:
    """Return the diagnostic that says the words at a place."""
    code, message, help_text = words
    return Diagnostic(f"test/{code}", (), ERROR, message, span=span, help=help_text)


def _meant(word: str, known: Iterable[str], otherwise: str) -> str:
    names = sorted(known)
    near = did_you_mean(word, names)
    return f"did you mean `{near}`?" if near else f"{otherwise} {', '.join(names) or 'none'}"


def no_rule(name: str, known: Iterable[str]) -> Words:
    """A test file that lies beside no rule."""
    names = list(known)
    near = did_you_mean(name, names)
    return "no-rule", f"there is no rule `{name}` for this test", f"did you mean `{near}`?" if near else None


def misplaced() -> Words:
    """A test file that lies in no stage's folder."""
    return "no-rule", "a test file lies beside its rule, in the folder of a stage", None


def name_twice(name: str, line: int) -> Words:
    """Two cases of one name."""
    return "name-twice", f"there is a case `{name}` already, in line {line}", "name the case by what it alone shows"


def same_given(line: int) -> Words:
    """Two cases that evaluate the same."""
    return "same-given", f"this is given in line {line} already, so the case tests nothing new", None


def unknown_variable(name: str, scope: str, known: Iterable[str]) -> Words:
    """A variable that the rules of a scope do not see."""
    help_text = _meant(name, known, "its variables are")
    return "unknown-variable", f"{_rules_of(scope)} read no variable `{name}`", help_text


def _rules_of(scope: str) -> str:
    """Return how rules of a scope are called: by their table or flow, or by their stage."""
    kind, _, stage = scope.partition(" ")
    return f"rules of stage `{stage}`" if stage else f"rules over `{kind}`"


def unknown_source(name: str, scope: str, known: Iterable[str]) -> Words:
    """A provenance of what no rule of the scope resolves."""
    help_text = _meant(name, known, "its resolved variables are")
    return "unknown-variable", f"{_rules_of(scope)} give no variable `{name}`", help_text


def unread_variable(name: str, read: Iterable[str]) -> Words:
    """A variable that the rule does not look at."""
    help_text = f"it reads {', '.join(sorted(read)) or 'nothing'}"
    return "unread", f"the rule does not read `{name}`, so giving it tests nothing", help_text


def unread_field(record: str, name: str, read: Iterable[str]) -> Words:
    """A field of a record that the rule does not look at."""
    help_text = f"of a {record} it reads {', '.join(sorted(read)) or 'nothing'}"
    return "unread", f"the rule does not read `{name}` of a {record}, so giving it tests nothing", help_text


def own_variable(name: str) -> Words:
    """A given variable that the rule itself is to give."""
    message = f"`{name}` is what the rule gives, so a case cannot give it"
    return "own-variable", message, "expect it: `expect: {value: ...}`"


def unknown_field(record: str, name: str, known: Iterable[str]) -> Words:
    """A field that a record does not have."""
    return "unknown-field", f"a {record} has no field `{name}`", _meant(name, known, "its fields are")


def unknown_document(question: str, name: str, known: Iterable[str]) -> Words:
    """A document or an input that a question is not asked with."""
    message = f"question `{question}` is not asked with `{name}`"
    return "unknown-variable", message, _meant(name, known, "it is asked with")


def unknown_question(name: str, known: Iterable[str]) -> Words:
    """A question that the pack does not have."""
    return "unknown-question", f"unknown question `{name}`", _meant(name, known, "questions are")


def question_of_check(kind: str) -> Words:
    """A whole question asked for a rule that reports nothing."""
    message = f"asking a question shows what a check reports, but this rule is a {kind}"
    return "expectation", message, "leave `run` out, and give the rule's variables"


def question_expects() -> Words:
    """An expectation that a whole question cannot meet."""
    return "expectation", "if a question is asked, expect `pass` or `fail`", None


def many_fails() -> Words:
    """A list of messages for one item."""
    return "expectation", "one item breaks a rule once, so `fail` is one message", "a list is for cases with `run`"


def wrong_type(wanted: str, found: str) -> Words:
    """A value of another type than the scope declares."""
    return "type", f"expected {wanted}, but this is {found}", None


def no_word(name: str, value: str, known: Iterable[str]) -> Words:
    """A text that its vocabulary does not have."""
    return "vocabulary", f"`{value}` is no {name}", _meant(value, known, "its values are")


def expects(kind: str, given: str, ways: str) -> Words:
    """An expectation of another kind of rule."""
    return "expectation", f"a {kind} cannot give `{given}`", f"expect {ways}"


def never_skips() -> Words:
    """A skip that is expected of a rule without condition."""
    return "expectation", "the rule has no `when`, so it never skips", None


def no_source() -> Words:
    """A resolved value whose provenance the case leaves open."""
    return "expectation", "the rule says where its value comes from, and the case does not", "add `source` to `expect`"


def source_of(kind: str) -> Words:
    """A provenance that is expected of a rule that gives none."""
    return "expectation", f"a {kind} gives its value no source", "leave `source` out"


def never(what: str) -> Words:
    """A file whose cases show only one side of a check."""
    return "one-sided", f"no case shows the rule's check {what}", "a check needs a case that passes and one that fails"


def no_value(kind: str) -> Words:
    """A file whose cases never show what the rule gives."""
    return "one-sided", f"no case shows what the {kind} gives", None


def not_given(path: str) -> Words:
    """A variable or field that the rule read and the case leaves out."""
    return "not-given", f"the rule reads {path}, which the case does not give", None


def mismatch(expected: str, actual: str, difference: str | None) -> Words:
    """An outcome that is not the expected one."""
    return "mismatch", f"expected {expected}, but the rule gives {actual}", difference


def disagreement(meaning: str, compiled: str) -> Words:
    """The two evaluators do not agree: a mistake of ours, not of the rule's author."""
    message = f"the rule means {meaning}, but its compiled form gives {compiled}"
    return "disagreement", message, "this is a fault of the engine: please report it"


def not_reached(stage: str, message: str | None) -> Words:
    """A question that met another error, so that the rule's silence shows nothing."""
    found = f"stops at another error: {message}" if message else f"does not come to stage `{stage}`"
    return "not-reached", f"the question {found}", None
