"""Constants whose data lies in a file beside pack.yaml, and data that a library makes something of."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelpath.analysis.difference.declared import compare_declared
from kernelpath.evaluate.loading import load_folder
from kernelpath.evaluate.question import ask
from kernelpath.packs.folders import PackErrors
from kernelpath.packs.reading import read_pack

PACK = """\
summary: Boxes.
uses: execution-graph
documents: {order: {doc: what is asked for}}
constants:
  prices: {doc: what a box costs, type: map<int>, file: prices.data.yaml}
  swaps: {doc: which kernel takes the place of which, type: Rewrites, file: swaps.data.yaml}
values:
  made: 'rewritten(object(order.graph), transform_names(swaps), mapping(["always"], [true]), swaps)'
  answer: '[text_of(made.graph.kernels), text_of(prices.large)]'
functions: {text_of: {parameters: {x: json}, is: 'is_object(x)'}}
questions: {price: {given: order, answer: made.graph}}
"""
PRICES = "large: 12\n"
SWAPS = """\
maps:
  other: {a.wgsl: b.wgsl}
derivations:
  swapped: [{map: other, when: always}]
transforms:
  swap: {edits: [{derive: swapped}]}
"""
FILES = {"prices.data.yaml": PRICES, "swaps.data.yaml": SWAPS}


def written(folder: Path, pack: str = PACK, **changed: str) -> Path:
    """Write the pack and its data; `changed` are files by their names, the ending left out."""
    folder.mkdir(exist_ok=True)
    (folder / "pack.yaml").write_text(pack)
    for name, text in {**FILES, **{f"{stem}.data.yaml": text for stem, text in changed.items()}}.items():
        (folder / name).write_text(text)
    return folder


def faults(folder: Path) -> list[tuple[str, int, int, str, str | None]]:
    """Return file, line, column, message and help of everything that is wrong with a pack."""
    with pytest.raises(PackErrors) as caught:
        read_pack(folder)
    found = [(d.span, d.message, d.help) for d in caught.value.diagnostics]
    return [(Path(span.file).name, span.line, span.column, message, help) for span, message, help in found if span]


def test_data_is_read_from_its_file(tmp_path: Path) -> None:
    """Plain data is a constant like any other; what a library makes of data is used by its built-ins."""
    folder = written(tmp_path / "boxes")
    assert read_pack(folder).constants["prices"] == {"large": 12}
    graph = {"kernels": {"k": {"kernel": "a.wgsl", "entry": "main", "digest": "sha256:1"}}}
    value = ask(load_folder(folder), "price", {"order": {"graph": graph}}).value
    assert value == {"kernels": {"k": {"kernel": "b.wgsl", "entry": "main", "digest": None}}}
    assert graph["kernels"]["k"]["kernel"] == "a.wgsl"


def test_what_a_library_makes_is_made_once(tmp_path: Path) -> None:
    """All questions share it, and plain constants are copied for each."""
    pack = load_folder(written(tmp_path / "boxes"))
    one, two = (ask(pack, "price", {"order": {"graph": {"kernels": {}}}}).cells for _ in range(2))
    assert one["swaps"] is two["swaps"]
    assert one["prices"] == two["prices"]
    assert one["prices"] is not two["prices"]


def test_changed_data_is_another_pack(tmp_path: Path) -> None:
    """A pack that is read again has the data as it is now."""
    folder = written(tmp_path / "boxes")
    before = load_folder(folder)
    after = load_folder(written(folder, swaps=SWAPS.replace("b.wgsl", "c.wgsl")))
    assert before.meta["digest"] != after.meta["digest"]
    graph = {"kernels": {"k": {"kernel": "a.wgsl", "entry": "main"}}}
    value = ask(after, "price", {"order": {"graph": graph}}).value
    assert value["kernels"]["k"]["kernel"] == "c.wgsl"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """The name is to blame; a near one is offered."""
    pack = PACK.replace("file: prices.data.yaml", "file: price.data.yaml")
    missing = ("pack.yaml", 5, 57, "there is no data file `price.data.yaml`", "did you mean `prices.data.yaml`?")
    assert faults(written(tmp_path / "boxes", pack)) == [missing]
    other = PACK.replace("file: prices.data.yaml", "file: ../secret.yaml")
    help_text = "it lies beside pack.yaml, and ends in `.data.yaml`"
    missing = ("pack.yaml", 5, 57, "there is no data file `../secret.yaml`", help_text)
    assert faults(written(tmp_path / "boxes", other)) == [missing]


def test_a_file_that_no_constant_names(tmp_path: Path) -> None:
    """Data that is not read looks as if it were in force."""
    message, help_text = "this data is not read: no constant names its file", "add `file: sizes.data.yaml` to one"
    assert faults(written(tmp_path / "boxes", sizes="large: 3\n")) == [("sizes.data.yaml", 1, 1, message, help_text)]


def test_data_of_another_type(tmp_path: Path) -> None:
    """The place in the data file is shown."""
    folder = written(tmp_path / "boxes", prices="large: much\n")
    assert faults(folder) == [("prices.data.yaml", 1, 1, "this is not a value of type `map<int>`", None)]


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "message"),
    [
        ("maps:", "tables:", 2, 3, "unknown member `tables`; known are precisions, precisions_by_name, maps, "
         "derivations, transforms"),
        ("map: other", "map: others", 4, 19, "there is no map `others`"),
        ("derive: swapped", "derive: swop", 6, 27, "there is no derivation `swop`"),
        ("when: always", "when: [always]", 4, 32, "this must be text"),
        ("{edits: [{derive: swapped}]}", "{edits: [{apply: swop}]}", 6, 26, "there is no transform `swop`"),
        ("{edits: [{derive: swapped}]}", "{edits: [{apply: swap}]}", 6, 26, "transform `swap` applies another itself"),
        ("{edits: [{derive: swapped}]}", "[]", 6, 9, "this must be a mapping"),
        ("{edits: [{derive: swapped}]}", "{unless_files: [1]}", 6, 24, "this must be a list of words"),
        ("{edits: [{derive: swapped}]}", "{needs_map: no}", 6, 21, "there is no map `no`"),
        ("derive: swapped", "derive: swapped, suffix: _x, assign: [{key: old}]", 6, 63, "`old` is not a key that a "
         "step may get"),
    ],
)  # fmt: skip
def test_data_that_a_library_cannot_read(
    tmp_path: Path, old: str, new: str, line: int, column: int, message: str
) -> None:
    """What is wrong is said at its place in the data file."""
    folder = written(tmp_path / "boxes", swaps=SWAPS.replace(old, new))
    assert faults(folder) == [("swaps.data.yaml", line, column, message, None)]


def test_a_difference_of_data_is_shown_by_entries(tmp_path: Path) -> None:
    """A transform that changed is named, and the others are not."""
    before = read_pack(written(tmp_path / "old"))
    after = read_pack(written(tmp_path / "new", swaps=SWAPS.replace("edits:", "when: always, edits:")))
    assert [(each.section, each.name, each.status, each.details) for each in compare_declared(before, after)] == [
        (
            "constants",
            "swaps",
            "changed",
            (
                '`transforms.swap` was {"edits": [{"derive": "swapped"}]}, '
                'and is {"when": "always", "edits": [{"derive": "swapped"}]}',
            ),
        )
    ]
