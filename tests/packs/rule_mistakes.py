"""Mistakes that people make in rule files: a name for each, and the file that has it.

A name is a place in the pack: `flow/tab` is written to `flow/tab.yaml`.
"""

# ruff: noqa: E501

from __future__ import annotations


def check(**lines: str | None) -> str:
    """Return a good check of stage `flow`, with some of its lines replaced, left out (None), or added."""
    usual: dict[str, str | None] = {
        "summary": "summary: A step reads a slot as it is.",
        "why": "why: |\n  A kernel reads words.",
        "severity": "severity: error",
        "when": 'when: step.op != "cast"',
        "check": "check: input == held",
        "message": 'message: "step `{step.id}` reads {input}, but {held} is there"',
    }
    return "\n".join(line for line in (usual | lines).values() if line is not None) + "\n"


def resolve(body: str) -> str:
    """Return a resolution of stage `flow`, from its third line on as given."""
    return f"summary: A\nwhy: b\n{body}\n"


YAML: dict[str, str | bytes] = {
    "flow/empty": "",
    "flow/only-a-comment": "# nothing\n",
    "flow/a-list": "- a\n- b\n",
    "flow/a-text": "hello\n",
    "flow/not-utf-8": b"summary: A\nwhy: \xff\n",
    "flow/control-character": check(summary="summary: A\x07"),
    "flow/escaped-control-character": check(summary='summary: "A\\0b"'),
    "flow/escaped-control-in-a-message": check(message='message: "step `{step.id}` \\e[31m"'),
    "flow/unseen-character": check(why="why: a\u200bb"),
    "flow/turned-round": check(message="message: 'step \u202e{step.id}'"),
    "flow/number-of-400-digits": check(check=f"check: {'9' * 400}"),
    "flow/number-of-5000-digits": check(check=f"check: 0x{'f' * 5000}"),
    "flow/number-nan": check(check="check: .nan"),
    "flow/number-infinite": check(check="check: -1e400"),
    "flow/tab": check(check="check:\n\tinput == held"),
    "flow/open-bracket": check(check="check: [input == held"),
    "flow/open-quote": check(message='message: "step reads'),
    "flow/indented-key": check(check="  check: input == held"),
    "flow/wrong-indent-in-block": check(check="check: |\n    input == held\n  and step.pinned"),
    "flow/duplicate-key": check(extra="severity: warning"),
    "flow/number-as-key": check(extra="5: a"),
    "flow/anchor": check(check="check: &a input == held"),
    "flow/alias": check(check="check: *a"),
    "flow/tag": check(check="check: !x input == held"),
    "flow/merge-key": check(extra="<<: {a: 1}"),
    "flow/second-document": check(extra="---\nsummary: a"),
    "flow/unquoted-message": check(message="message: step: reads"),
    "flow/unquoted-quantifier": check(check='check: any k in keys(step.raw): k == "a"'),
    "flow/unquoted-comma": resolve("resolve: math\nfirst:\n  - {value: max(1, 2)}"),
}
SHAPE: dict[str, str | bytes] = {
    "flow/unknown-key": check(extra="weight: 5"),
    "flow/misspelt-message": check(message='mesage: "no"'),
    "flow/no-message": check(message=None),
    "flow/no-why": check(why=None),
    "flow/no-kind": check(check=None),
    "flow/two-kinds": check(extra="resolve: math\nfirst:\n  - value: held"),
    "flow/misspelt-kind": check(check="chekc: input == held"),
    "flow/list-as-check": check(check="check: [input, held]"),
    "flow/mapping-as-check": check(check="check: {a: 1}"),
    "flow/misspelt-severity": check(severity="severity: eror"),
    "flow/unknown-severity": check(severity="severity: fatal"),
    "flow/number-as-summary": check(summary="summary: 5"),
    "flow/text-as-decisions": check(extra="decisions: E55"),
    "flow/text-as-guards": check(extra="guards: held"),
    "flow/text-as-tags": check(extra="tags: kv"),
    "flow/number-as-message": check(message="message: 5"),
    "flow/bad-name-of-let": check(extra="let: {Bad-Name: held}"),
    "flow/no-candidates": resolve("resolve: math\nfirst: []"),
    "flow/unknown-candidate-key": resolve('resolve: math\nfirst:\n  - {if: "true", value: default_math}'),
    "flow/misspelt-hit-policy": resolve("table: math\nhit: frist\nrows:\n  - {value: default_math}"),
}
NAMES: dict[str, str | bytes] = {
    "flow/misspelt-field": check(check="check: step.pahse == phase"),
    "flow/misspelt-variable": check(check="check: inptu == held"),
    "flow/misspelt-value": check(when='when: step.op == "cats"'),
    "flow/misspelt-dtype": check(check='check: input == "f23"'),
    "flow/misspelt-value-in-list": check(check='check: step.op in ["cast", "lod"]'),
    "flow/unknown-function": check(check="check: lenght(step.id) > 1"),
    "flow/foreign-function": check(check='check: step.id.startsWith("a")'),
    "flow/foreign-null": check(check="check: input == None"),
    "flow/foreign-true": check(check="check: True"),
    "flwo/unknown-stage": check(),
    "flow/misspelt-given": resolve("resolve: mth\nfirst:\n  - {value: held}"),
    "flow/given-by-two-rules": resolve("resolve: math\nfirst:\n  - {value: default_math}"),
    "flow/let-that-hides-a-variable": check(extra="let: {input: held}"),
    "flow/misspelt-field-in-let": check(extra="let: {wanted: step.precison.inputDtype}", check="check: wanted == held"),
    "flow/misspelt-table-input": resolve(
        "table: math\ninputs: {colour: step.op}\nrows:\n  - {match: {color: cast}, value: default_math}"
    ),
    "flow/misspelt-table-cell": resolve(
        "table: math\ninputs: {colour: step.op}\nrows:\n  - {match: {colour: cats}, value: default_math}"
    ),
    "flow/source-of-what-is-not-resolved": check(check='check: source(step) == "manifest"'),
    "flow/source-without-quotes": resolve('resolve: kv_io\nfirst:\n  - {value: "null", source: manifest}'),
    "flow/misspelt-placeholder": check(message='message: "step {stp.id} reads"'),
    "flow/misspelt-name-in-help": check(extra='help: "cast to {inpt}"'),
    "flow/let-that-is-a-word": check(extra="let: {all: held}"),
    "flow/-odd name": check(),
    "flow/unknown-name-in-at": check(extra='at: "/{nope}"'),
    "flow/misspelt-in-block": check(check="check: |\n  input == held and\n    step.pahse == phase"),
    "flow/misspelt-in-folded-block": check(check="check: >-\n  input == held\n  and step.pahse == phase"),
}
SYNTAX: dict[str, str | bytes] = {
    "flow/chained-comparison": check(check="check: 0 < step.index < 5"),
    "flow/assignment": check(check="check: input = held"),
    "flow/foreign-and": check(check="check: input == held && step.pinned"),
    "flow/foreign-not": check(check='check: "!step.pinned"'),
    "flow/foreign-conditional": check(check='check: "step.pinned ? true : false"'),
    "flow/is-null": check(check="check: input is null"),
    "flow/unclosed-string": check(check="check: 'step.id == \"abc'"),
    "flow/unclosed-parenthesis": check(check="check: (step.index > 1"),
    "flow/nothing-after-operator": check(check="check: input =="),
    "flow/if-without-else": check(check="check: if step.pinned then true"),
    "flow/set-in-braces": check(check='check: "step.op in {\\"cast\\"}"'),
    "flow/open-placeholder": check(message='message: "step {step.id reads"'),
    "flow/stray-brace": check(message='message: "step step.id} reads"'),
    "flow/empty-placeholder": check(message='message: "step {} reads"'),
    "flow/ambiguous-pattern": check(check='check: matches(step.id, "(a*)*b")'),
    "flow/unclosed-class": check(check='check: matches(step.id, "[a-")'),
    "flow/huge-integer": check(check="check: step.index < 99999999999999999999"),
    "flow/endless-expression": check(check="check: " + " or ".join(["step.pinned"] * 3000)),
    "flow/deep-expression": check(check="check: " + "not " * 300 + "step.pinned"),
}
TYPES: dict[str, str | bytes] = {
    "flow/null-read": check(check='check: step.kernel.output == "f16"'),
    "flow/check-that-is-no-boolean": check(check="check: step.index"),
    "flow/when-that-is-no-boolean": check(when="when: step.id"),
    "flow/json-as-boolean": check(check="check: step.precision"),
    "flow/never-equal": check(check='check: step.index == "a"'),
    "flow/text-plus-number": check(check='check: step.id + 1 == "a"'),
    "flow/in-a-text": check(check='check: step.op in "cast"'),
    "flow/index-of-a-text": check(check='check: step.id[0] == "a"'),
    "flow/too-many-arguments": check(check='check: trim(step.id, 1) == "a"'),
    "flow/too-many-for-a-pack-function": check(check='check: kernel_key(step.raw, 1) == "a"'),
    "flow/wrong-argument": check(check='check: trim(5) == "a"'),
    "flow/value-of-another-type": resolve("resolve: kv_io\nfirst:\n  - {value: default_math}"),
    "flow/json-as-dtype": resolve("resolve: math\nfirst:\n  - {value: step.precision.mathDtype ?? default_math}"),
    "flow/source-that-is-no-text": resolve('resolve: kv_io\nfirst:\n  - {value: "null", source: 5}'),
    "flow/slot-that-is-no-text": resolve("transition: {slot: step.index, holds: output}"),
    "flow/slot-of-another-type": resolve("transition: {slot: step.dst, holds: step.index}"),
    "gate/transition-without-flow": ("summary: A\nwhy: b\ntransition: {slot: schema_name, holds: schema_name}\n"),
    "flow/built-row-without-path": resolve("table: kv_io\nhit: build\nrows:\n  - {value: default_math}"),
    "flow/table-that-builds-a-dtype": resolve("table: math\nhit: build\nrows:\n  - {path: a, value: default_math}"),
    "flow/table-that-collects-a-dtype": resolve("table: math\nhit: collect\nrows:\n  - {value: default_math}"),
    "flow/base-without-build": resolve("table: math\nbase: step.raw\nrows:\n  - {value: default_math}"),
    "flow/base-that-is-no-object": resolve(
        "table: kv_io\nhit: build\nbase: step.id\nrows:\n  - {path: a, value: held}"
    ),
    "flow/path-without-build": resolve("table: math\nrows:\n  - {path: a, value: default_math}"),
    "flow/path-inside-another": resolve(
        "table: kv_io\nhit: build\nrows:\n  - {path: a, value: held}\n  - {path: a.b, value: held}"
    ),
    "flow/division-by-a-written-zero": check(check="check: length(step.id) // 0 == 1"),
    "flow/division-by-zero-in-a-message": check(message='message: "{length(step.id)} {1 // 0}"'),
    "flow/no-break-space": check(check="check: input\u00a0== held"),
    "flow/letter-of-another-script": check(check="check: input == h\u0435ld"),
    "flow/quote-of-a-word-processor": check(check="check: 'input == “f16”'"),
    "flow/unseen-character-in-a-string": check(check='check: step.op != "ca\u00a0st"'),
    "flow/letter-of-another-script-in-a-string": check(check='check: step.op != "c\u0430st"'),
    "flow/letter-of-another-script-in-a-cell": resolve(
        "table: math\ninputs: {colour: step.op}\nrows:\n  - {match: {colour: [cast, attenti\u043en]}, value: default_math}"
    ),
    "flow/path-of-250-members": resolve(
        f"table: kv_io\nhit: build\nrows:\n  - {{path: {'.'.join(['a'] * 250)}, value: held}}"
    ),
    "flow/path-that-is-none": resolve("table: kv_io\nhit: build\nrows:\n  - {path: a..b, value: held}"),
    "flow/match-and-when": resolve(
        "table: math\ninputs: {colour: step.op}\nrows:\n  - {match: {colour: cast}, when: step.pinned, value: default_math}"
    ),
    "flow/mapping-as-cell": resolve(
        "table: math\ninputs: {colour: step.op}\nrows:\n  - {match: {colour: {a: 1}}, value: default_math}"
    ),
    "path-steps/perhaps-no-candidate": (
        "summary: A\nwhy: b\nresolve: part\nfirst:\n  - {when: step.pinned, value: step.id}\n"
    ),
    "path-steps/perhaps-not-at-all": (
        "summary: A\nwhy: b\nresolve: part\nwhen: step.pinned\nfirst:\n  - {value: step.id}\n"
    ),
    "flow/fix-with-unknown-member": check(extra="fix: {insert_befor: step, cast: {from: held, to: input}}"),
    "flow/fix-with-unknown-member-inside": check(extra="fix: {insert_before: step, cast: {form: held, to: input}}"),
    "flow/fix-with-unknown-variable": check(extra="fix: {insert_before: step, cast: {from: hold, to: input}}"),
    "flow/place-that-is-no-pointer": check(extra="at: kernel"),
    "layer-overrides/place-below-nothing": ("summary: A\nwhy: b\ncheck: layer.index > 0\nmessage: no\nat: /decode\n"),
    "flow/too-costly": check(check='check: "all a in range(9000): all b in range(9000): a + b > 0"'),
}
RULE_MISTAKES = {**YAML, **SHAPE, **NAMES, **SYNTAX, **TYPES}
