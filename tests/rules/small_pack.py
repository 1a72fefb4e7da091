"""A pack of four rules about boxes, one of each kind, to test the runner of rule tests with."""

from __future__ import annotations

from pathlib import Path

PACK = """\
summary: Boxes.
documents:
  order: {doc: 'boxes, as they are ordered'}
  weight: {type: float}
vocabularies:
  colour: {values: [red, green, blue]}
  mood: {open: true, values: [calm]}
constants:
  most: {type: int, value: 10}
records:
  Box:
    fields:
      name: string
      size: int
      colour: colour
      note: string?
values:
  boxes: {type: list<Box>, is: '[]', input: true}
  moods: {type: list<mood>, is: '[]', input: true}
  raws: {type: list<json>, is: elements(order), input: true}
items:
  box_rows:
    of: boxes
    as: box
    subject: '{box.name}'
    at: order#/boxes/{box.name}
  raw_rows:
    of: raws
    as: raw
    index: index
    subject: '{index}'
    at: order#/{index}
flows:
  painting:
    over: box_rows
    slots: colour
    reads: {before: box.name}
    passes: {only: {}}
stages:
  boxes: {each: painting, gives: {shade: colour?, label: object?, chosen: Box?}}
  raws: {each: raw_rows}
  broken: {each: raw_rows}
uses: javascript
questions:
  order: {given: [order], answer: 'true'}
"""

FITS = """\
summary: A box fits.
why: A larger one does not go through the door.
let: {limit: most * 2}
when: box.colour != "blue"
check: box.size <= limit
message: "box `{box.name}` of size {box.size} is larger than {limit}"
help: take a box of at most {limit}
at: /size
"""

SHADE = """\
summary: A box has a shade.
why: It is printed.
resolve: shade
first:
  - {when: box.note != null, value: box.colour, source: '"note"'}
  - {value: before, source: '"before"'}
"""

LABEL = """\
summary: A label.
why: It is printed.
table: label
hit: build
rows:
  - {path: text.name, value: box.name}
  - {path: shade, when: shade != null, value: 'shade'}
  - {path: because, when: shade != null, value: source(shade)}
"""

AFTER = """\
summary: A slot.
why: It is painted.
transition: {slot: box.name, holds: box.colour}
"""

RAW = """\
summary: A raw box has a size within the limit.
why: It is shipped.
check: is_integer(raw.size) and int(raw.size) * 1000000 <= most * 1000000
message: "raw box {index} has size {raw.size}"
"""

LATER = """\
summary: A raw box has a name.
why: It is called.
check: raw.name != "nobody"
message: "raw box {index} is nobody's"
"""

RULES = {
    "boxes/fits": FITS,
    "boxes/shade": SHADE,
    "boxes/label": LABEL,
    "boxes/after": AFTER,
    "raws/sized": RAW,
    "broken/named": LATER,
}


def write_pack(folder: Path, tests: dict[str, str]) -> Path:
    """Write the pack and the given test files, and return its folder."""
    pack = folder / "shop"
    for name, text in {"pack": PACK, **RULES}.items():
        path = pack / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name, text in tests.items():
        path = pack / f"{name}.test.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return pack
