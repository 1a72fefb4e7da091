"""Mistakes that people make in pack.yaml: a name for each, the text that is replaced in the small pack, and by what."""

from __future__ import annotations

Edit = tuple[str, str]


def added(section: str, entry: str) -> Edit:
    """Return an edit that adds an entry at the start of a section."""
    return f"\n{section}:\n", f"\n{section}:\n  {entry}\n"


PAINT = "  paint: {each: shop, gives:"
SHAPE = "  shape: {each: orders,"
REPLY = "  reply: {each: request,"
ASKED = "    given: [order, stock]\n    answer: reply\n"

SHAPES: dict[str, Edit] = {
    "tab": ("  largest: {type", "\tlargest: {type"),
    "open-bracket": ("values: [red, green, blue]", "values: [red, green, blue"),
    "duplicate-section": ("\nquestions:\n", "\nvalues:\n  more: 1\nquestions:\n"),
    "duplicate-value": added("values", "floor: '1'"),
    "unknown-section": ("\nflows:\n", "\nflow:\n"),
    "section-of-the-old-format": ("\nflows:\n", "\nscopes:\n  order: {over: {raw: raws}}\nflows:\n"),
    "section-that-is-a-list": ("\nflows:\n", "\nrules: [paint/coat]\nflows:\n"),
    "no-summary": ("summary: A small pack about boxes that are painted one after the other.\n", ""),
    "text-as-values": ("values: [red, green, blue]", "values: red"),
    "misspelt-key-of-a-value": ("floor: {type: colour,", "floor: {typ: colour,"),
    "misspelt-key-of-a-table": ("    index: index\n", "    indx: index\n"),
    "misspelt-key-of-a-column": ("kind: {type: kind,", "kind: {tpe: kind,"),
    "misspelt-key-of-a-flow": ("    visits: box.size", "    vists: box.size"),
    "misspelt-key-of-a-pass": ("all: {start:", "all: {strt:"),
    "misspelt-key-of-a-stage": (REPLY, "  reply: {each: request, aftr: shape,"),
    "misspelt-key-of-a-question": ("    answer: reply\n", "    anser: reply\n"),
    "misspelt-key-of-a-document": ("stock: {optional:", "stock: {optionl:"),
    "stage-with-a-severity": (REPLY, "  reply: {each: request, severity: error,"),
    "bad-name-of-a-value": added("values", "An-swer: '1'"),
    "bad-name-of-a-record": added("records", "label: {fields: {a: int}}"),
    "bad-name-of-a-table": added("items", "the boxes: {of: order, as: it}"),
    "record-with-a-line-break": added("records", '"Meter\\n": {fields: {a: int}}'),
    "record-without-fields": added("records", "Empty: {fields: {}}"),
    "value-of-a-list": added("values", "more: [1, 2]"),
    "value-of-nothing": added("values", "more: {doc: nothing}"),
    "function-without-body": ("    is: colour(lower(trim(text(value))))\n", ""),
    "table-without-of": ("    of: elements(order.boxes)\n", ""),
    "table-without-as": ("    as: raw\n", ""),
    "column-without-is": ("kind: {type: kind, is: text(raw.kind)}", "kind: {type: kind}"),
    "flow-without-over": ("    over: boxes\n", ""),
    "flow-without-slots": ("    slots: colour\n", ""),
    "flow-without-passes": ("    passes:\n      all: {start: {floor: floor}}\n", ""),
    "pass-until-something-else": ("all: {start: {floor: floor}}", "all: {start: {floor: floor}, until: fixpoint}"),
    "stage-without-each": (REPLY, "  reply: {"),
    "question-without-answer": ("    answer: reply\n", ""),
    "level-that-is-unknown": ("\nquestions:\n", "\nrules:\n  boxes/paint/coat: {level: of}\nquestions:\n"),
    "escaped-control-character": ("doc: the largest size", 'doc: "the \\u0007 largest"'),
    "place-without-document": ("    at: order#/boxes\n", "    at: /boxes\n"),
    "place-without-pointer": ("    at: order#/boxes\n", "    at: order#boxes\n"),
    "constant-of-400-digits": ("the largest size, value: 100", f"the largest size, value: {'9' * 400}"),
    "constant-beyond-ints": ("the largest size, value: 100", "the largest size, value: 9223372036854775809"),
    "constant-longer-than-its-type": added("constants", "few: {type: 'list<string, 2>', value: [red, blue, green]}"),
    "constant-with-an-unseen-character": added("constants", "shade: {type: string, value: 'red\u00a0'}"),
    "vocabulary-with-a-letter-of-another-script": ("values: [red, green, blue]", "values: [red, gr\u0435en, blue]"),
    "function-that-never-has-a-value": added("functions", "f: {parameters: {x: int}, is: x // 0}"),
    "functions-that-are-deep": added(
        "functions",
        f"f: {{parameters: {{x: int}}, is: '{'abs(' * 90}x{')' * 90}'}}\n"
        "  g: {parameters: {x: int}, is: 'f(f(f(f(f(x)))))'}",
    ),
    "vocabulary-with-a-value-twice": ("values: [red, green, blue]", "values: [red, green, red]"),
    "two-things-wrong": added("constants", "a: {type: jsn, value: 1}\n  b: {type: intt, value: 1}"),
}
NAMES: dict[str, Edit] = {
    "unknown-library": ("uses: javascript", "uses: javscript"),
    "unknown-base": ("uses: javascript", "uses: javascript\nextends: execution-v9"),
    "builtin-of-a-library-that-is-not-used": added("values", "more: named_layers([coats])"),
    "builtin-of-a-library-where-none-is-used": ("uses: javascript\n", ""),
    "unknown-type": ("largest: {type: int,", "largest: {type: itn,"),
    "unclosed-type": ("slots: colour", "slots: list<colour"),
    "type-of-a-record-that-is-unknown": added("values", "more: {type: list<Bix>, is: boxes}"),
    "function-of-unknown-type": ("parameters: {value: json}", "parameters: {value: jso}"),
    "unknown-type-of-a-field": ("lines: int?", "lines: itn?"),
    "unknown-type-of-a-document": ("stock: {optional: true,", "stock: {type: map<colr>, optional: true,"),
    "unknown-type-of-what-a-stage-gives": ("coat: colour?, coat", "coat: color?, coat"),
    "unknown-type-of-slots": ("    slots: colour\n", "    slots: color\n"),
    "unknown-name-in-a-value": added("values", "more: coates"),
    "unknown-column-in-a-value": ("shop.all.coat_text", "shop.all.coat_txt"),
    "unknown-pass-in-a-value": ("shop.all.coat_text", "shop.al.coat_text"),
    "unknown-table-in-a-value": added("values", "more: length(boxs)"),
    "unknown-variable-in-a-column": ("name: text(raw.name)", "name: text(rae.name)"),
    "unknown-function-in-a-column": ("colour_of(raw.paint)", "color_of(raw.paint)"),
    "unknown-field-in-a-flow": ("reads: {below: box.on}", "reads: {below: box.no}"),
    "unknown-variable-in-a-subject": ("subject: '{index}'", "subject: '{inde}'"),
    "unknown-variable-in-a-place": ("    at: order#/boxes\n", "    at: order#/boxes/{indx}\n"),
    "unknown-document-in-a-place": ("    at: order#/boxes\n", "    at: ordr#/boxes\n"),
    "unknown-name-in-recognise": ("recognise: is_list(file.boxes)", "recognise: is_list(fil.boxes)"),
    "unknown-table-in-a-flow": ("    over: boxes\n", "    over: boxs\n"),
    "unknown-table-in-of": ("    of: orders\n", "    of: ordrs\n"),
    "unknown-table-in-a-stage": (SHAPE, "  shape: {each: ordrs,"),
    "unknown-flow-in-a-stage": (PAINT, "  paint: {each: shp, gives:"),
    "unknown-stage-in-a-table": ("    after: [shape]\n    subject", "    after: [shap]\n    subject"),
    "unknown-stage-in-a-value": ("after: [shape], doc: the coat", "after: [shap], doc: the coat"),
    "unknown-stage-in-a-stage": (REPLY, "  reply: {each: request, after: [pant],"),
    "stage-over-another-table": ("    after: [shape]\n    subject", "    after: [shape.boxes]\n    subject"),
    "unknown-question-in-a-stage": (REPLY, "  reply: {each: request, for: [pant],"),
    "unknown-question-in-a-value": added("values", "more: {ask: pant}"),
    "unknown-document-in-a-question": ("given: [order, stock]", "given: [order, stck]"),
    "unknown-document-that-is-asked-with": added("values", "more: {ask: paint, with: {ordr: stock}}"),
    "value-that-is-no-input-is-asked-with": added("values", "more: {ask: paint, with: {coats: '[]'}}"),
    "value-that-is-no-input-in-a-question": (ASKED, ASKED + "    with: {coats: '[]'}\n"),
    "unknown-name-in-an-answer": ("    answer: reply\n", "    answer: rply\n"),
    "unknown-name-in-when": (ASKED, ASKED + "    when: ordr != null\n"),
    "unknown-slots": ("all: {start: {floor: floor}}", "all: {start: shop.al.slots}"),
    "unknown-table-in-like": added("items", "more: {like: ordrs, of: elements(order.more)}"),
    "unknown-table-in-within": added("items", "more: {within: boxs, of: elements(order.more), as: other}"),
    "unknown-rule": ("\nquestions:\n", "\nrules:\n  boxes/paint/cot: {level: warning}\nquestions:\n"),
    "rule-without-its-pack": ("\nquestions:\n", "\nrules:\n  paint/coat: {level: warning}\nquestions:\n"),
    "unknown-member-of-a-request": (ASKED, ASKED + "    request: {order: ordr}\n"),
    "unknown-word": added("values", "more: 'floor == \"rd\"'"),
    "unknown-document-in-places": added(
        "values", "more: {ask: paint, with: {order: stock.order}, places: {ordr: 'stock#/order'}}"
    ),
}
TYPES: dict[str, Edit] = {
    "constant-of-another-type": ("the largest size, value: 100", "the largest size, value: ten"),
    "value-of-another-type": ("floor: {type: colour, is: '\"red\"'", "floor: {type: colour, is: '5'"),
    "condition-of-another-type": added("values", "more: {is: '1', when: length(boxes)}"),
    "otherwise-of-another-type": added("values", "more: {is: length(boxes), otherwise: '\"none\"'}"),
    "column-of-another-type": ("size: int(number(raw.size))", "size: {type: int, is: raw.name}"),
    "table-over-a-number": ("of: elements(order.boxes)", "of: largest"),
    "table-over-a-map-without-key": added("items", "more: {of: object(order), as: part}"),
    "key-of-a-list": ("    index: index\n", "    key: name\n"),
    "when-of-another-type": ("    index: index\n", "    index: index\n    when: largest\n"),
    "recognise-of-another-type": ("recognise: is_list(file.boxes)", "recognise: length(text(file.boxes))"),
    "flow-reads-a-number": ("reads: {below: box.on}", "reads: {below: box.size}"),
    "flow-visits-a-number": ("visits: box.size > 0", "visits: box.size"),
    "start-of-another-type": ("{start: {floor: floor}}", "{start: {floor: '5'}}"),
    "stage-when-of-another-type": (REPLY, "  reply: {each: request, when: length(boxes),"),
    "question-when-of-another-type": (ASKED, ASKED + "    when: order\n"),
    "document-of-another-type": added("values", "more: {ask: paint, with: {floor: '5'}}"),
    "question-with-another-type": (ASKED, ASKED + "    with: {floor: largest}\n"),
    "whole-of-another-type": ("    index: index\n", "    index: index\n    with: {most: {type: int, is: '\"a\"'}}\n"),
    "like-with-another-variable": (
        SHAPE + " doc: the shape of a box}",
        SHAPE.replace("orders", "[orders, boxes]") + " doc: the shape of a box}",
    ),
    "stage-for-a-table-and-the-request": (SHAPE, "  shape: {each: [request, orders],"),
    "fields-without-a-type": ("    type: Bill\n", ""),
    "fields-and-is": ("    type: Bill\n", "    type: Bill\n    is: coats\n"),
    "ask-and-is": added("values", "more: {ask: paint, is: coats}"),
    "with-without-ask": added("values", "more: {is: coats, with: {order: stock}}"),
}
TAKEN: dict[str, Edit] = {
    "constant-and-value": added("values", "largest: '1'"),
    "document-and-value": added("values", "order: '1'"),
    "table-and-value": added("values", "boxes: '1'"),
    "flow-and-table": added("items", "shop: {of: elements(order), as: it}"),
    "given-and-value": added("values", "reply: '1'"),
    "given-and-table": added("items", "reply: {of: elements(order), as: it}"),
    "given-by-two-stages": added("stages", "more: {each: request, gives: {reply: object}}"),
    "given-as-a-column": added("stages", "more: {each: boxes, gives: {box: int}}"),
    "variable-and-value": ("    index: index\n", "    index: floor\n"),
    "variable-and-document": ("    as: raw\n", "    as: order\n"),
    "variable-without-a-name": ("    index: index\n", "    index: index*\n"),
    "variable-twice": ("    index: index\n", "    index: raw\n"),
    "slot-variable-and-value": ("reads: {below: box.on}", "reads: {floor: box.on}"),
    "slot-variable-and-row": ("reads: {below: box.on}", "reads: {box: box.on}"),
    "pass-variable-and-value": ("    slots: colour\n", "    slots: colour\n    pass: {floor: string}\n"),
    "whole-and-variable": ("    index: index\n", "    index: index\n    with: {raw: '1'}\n"),
    "value-named-findings": added("values", "findings: '1'"),
    "vocabulary-named-as-a-function": added("vocabularies", "lower: {values: [a]}"),
    "function-named-as-a-vocabulary": added("functions", "kind: {parameters: {x: json}, is: x}"),
    "function-named-as-a-function": added("functions", "trim: {parameters: {x: json}, is: x}"),
    "value-named-as-a-word": added("values", "all: '1'"),
    "record-named-as-a-row": added("records", "Box: {fields: {a: int}}"),
    "record-of-a-table-and-a-value": ("    type: Bill\n", "    type: Box\n"),
    "record-named-as-the-engines": added("records", "Finding: {fields: {a: int}}"),
    "function-with-a-loop": ("is: colour(lower(trim(text(value))))", "is: 'any v in [value]: v == 1'"),
}
CYCLES: dict[str, Edit] = {
    "value-of-itself": added("values", "more: more + 1"),
    "values-in-a-circle": added("values", "a: b + 1\n  b: c + 1\n  c: a + 1"),
    "typed-values-in-a-circle": added("values", "a: {type: int, is: b + 1}\n  b: {type: int, is: a + 1}"),
    "table-of-itself": added("items", "more: {of: more, as: it}"),
    "tables-in-a-circle": added("items", "more: {of: others, as: it}\n  others: {of: more, as: other}"),
    "table-like-itself": added("items", "more: {like: more, of: elements(order)}"),
    "table-within-itself": added("items", "more: {within: more, of: elements(order), as: it}"),
    "table-and-value-in-a-circle": (
        "    of: elements(order.boxes)\n",
        "    of: 'if length(coats) > 0 then elements(order.boxes) else []'\n",
    ),
    "stage-after-itself": (REPLY, "  reply: {each: request, after: [reply],"),
    "stages-in-a-circle": (SHAPE, "  shape: {each: orders, after: [paint],"),
    "stage-when-it-gives-something": (REPLY, "  reply: {each: request, when: reply != null,"),
    "carry-of-its-own-slots": ("all: {start: {floor: floor}}", "all: {carry: shop.all.slots}"),
    "start-of-its-own-slots": ("all: {start: {floor: floor}}", "all: {start: shop.all.slots}"),
    "question-that-asks-itself": ("coats: {is: shop.all.coat_text, after: [shape],", "coats: {ask: paint,"),
    "question-that-asks-itself-with-a-document": (
        "coats: {is: shop.all.coat_text, after: [shape],",
        "coats: {ask: paint, with: {order: stock},",
    ),
    "question-that-asks-what-it-answers": ("    answer: reply\n", "    answer: again\n"),
}
UNUSED: dict[str, Edit] = {
    "given-by-no-rule": (
        REPLY + " gives: {reply: object},",
        REPLY + " gives: {reply: object, weight: int}, subject: '{weight}',",
    ),
    "stage-that-nothing-asks": (SHAPE, "  shape: {each: orders, for: [],"),
    "document-that-is-not-given": ("given: [order, stock]", "given: [stock]"),
    "lowered-without-a-reason": ("\nquestions:\n", "\nrules:\n  boxes/shape/box-object: {level: note}\nquestions:\n"),
    "off-without-a-reason": ("\nquestions:\n", "\nrules:\n  boxes/paint/on-shelf: {level: 'off'}\nquestions:\n"),
    "guards-on-a-warning": (
        "\nquestions:\n",
        "\nrules:\n  boxes/paint/coat-known: {level: warning, reason: some like them bare}\nquestions:\n",
    ),
    "replace-without-a-base": ("\nquestions:\n", "\nreplace: {values.floor.is: '\"blue\"'}\nquestions:\n"),
}
EDITS = {**SHAPES, **NAMES, **TYPES, **TAKEN, **CYCLES, **UNUSED}

BASE = "summary: More boxes.\nextends: boxes\n"
#: Mistakes of a pack that extends the small one: a name for each, and its pack.yaml.
CHAIN: dict[str, str] = {
    "base-that-is-unknown": "summary: More boxes.\nextends: boxs\n",
    "one-base-of-two-that-is-unknown": "summary: More boxes.\nextends: [boxes, bxes]\n",
    "base-of-itself": "summary: More boxes.\nextends: more\n",
    "replaced-path-that-is-not-there": BASE + "replace: {values.flor.is: '\"blue\"'}\n",
    "replaced-section-that-is-not-there": BASE + "replace: {vales.floor.is: '\"blue\"'}\n",
    "replaced-key-that-is-not-there": BASE + "replace: {values.floor.when: 'true'}\n",
    "replaced-path-below-a-scalar": BASE + "replace: {values.floor.is.more: 'true'}\n",
    "replaced-by-another-shape": BASE + "replace: {values.floor.is: [1, 2]}\n",
    "replaced-by-an-unknown-key": BASE + "replace: {stages.shape: {each: orders, wen: 'true'}}\n",
    "replaced-by-another-type": BASE + "replace: {values.floor.is: '5'}\n",
    "another-expression": BASE + "values: {floor: '\"blue\"'}\n",
    "another-constant": BASE + "constants: {largest: {value: 200}}\n",
    "another-table": BASE + "items: {orders: {of: elements(order.more)}}\n",
    "another-column": BASE + "items: {boxes: {fields: {on: text(raw.below)}}}\n",
    "another-answer": BASE + "questions: {paint: {answer: bill}}\n",
    "another-type-of-what-is-given": BASE + "stages: {paint: {gives: {coat: string?}}}\n",
    "added-stage-that-is-unknown": BASE + "stages: {reply: {after: [pant]}}\n",
    "added-stage-in-a-circle": BASE + "stages: {shape: {after: paint}}\n",
    "column-that-no-rule-gives": BASE + "stages: {paint: {gives: {weight: int}}}\nvalues: {weights: shop.all.weight}\n",
    "variable-whose-rule-is-off": BASE + "rules: {boxes/reply/bill: {level: 'off', reason: no bills}}\n",
    "level-of-a-rule-that-is-unknown": BASE + "rules: {more/paint/coat: {level: warning}}\n",
    "lowered-without-a-reason": BASE + "rules: {boxes/shape/box-object: {level: warning}}\n",
}
TEXT = "summary: A\nwhy: b\n"
#: Rules of the small pack that do not fit to its others: a name for each, and files.
RULES: dict[str, dict[str, str]] = {
    "two-rules-of-one-variable": {"paint/other.yaml": TEXT + "resolve: coat\nfirst:\n  - {value: below}\n"},
    "rules-in-a-circle": {
        "paint/coat.yaml": TEXT + "resolve: coat\nfirst:\n  - {when: 'coat_text == \"\"', value: below}\n"
    },
    "rule-of-itself": {"paint/coat.yaml": TEXT + "resolve: coat\nfirst:\n  - {value: coat}\n"},
    "rule-that-guards-what-nothing-has": {
        "paint/other.yaml": TEXT + "check: box.size > 0\nguards: [cot]\nmessage: 'no'\n"
    },
    "guards-on-a-warning": {
        "paint/other.yaml": TEXT + "severity: warning\ncheck: box.size > 0\nguards: [box.size]\nmessage: 'no'\n"
    },
    "let-that-hides-a-cell": {"paint/other.yaml": TEXT + "let: {bill: '1'}\ncheck: bill > 0\nmessage: 'no'\n"},
    "let-that-hides-a-flow": {"paint/other.yaml": TEXT + "let: {shop: '1'}\ncheck: shop > 0\nmessage: 'no'\n"},
    "loop-that-hides-a-cell": {
        "paint/other.yaml": TEXT + "check: 'all floor in coats: floor != \"\"'\nmessage: 'no'\n"
    },
    "rule-that-reads-its-own-flow": {"paint/other.yaml": TEXT + "check: length(shop.all.coat) > 0\nmessage: 'no'\n"},
    "rule-in-a-folder-that-is-not-a-stage": {"pant/other.yaml": TEXT + "check: box.size > 0\nmessage: 'no'\n"},
    "rule-of-what-another-stage-gives": {"shape/other.yaml": TEXT + "resolve: coat\nfirst:\n  - {value: '1'}\n"},
    "rule-with-an-order": {"paint/other.yaml": TEXT + "order: 5\ncheck: box.size > 0\nmessage: 'no'\n"},
    "rule-with-each": {"paint/other.yaml": TEXT + "each: shop\ncheck: box.size > 0\nmessage: 'no'\n"},
}
