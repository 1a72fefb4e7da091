"""Templates of kernels: substitutions, conditions, includes, and that the shaders agree with their families."""

from __future__ import annotations

import re

import pytest

from kernelpath.emit.plan.families import UNIFORM, Variant, load_families
from kernelpath.execute.shaders import template_files, wgsl
from kernelpath.execute.wgsl import TemplateError, expand

PARTS = {"one.wgsl": "let {{NAME}} = 1;", "loop.wgsl": "//# include loop.wgsl"}


def expanded(text: str, **values: str) -> str:
    """Return an expanded template whose includes come from PARTS."""
    return expand(text, values, PARTS.__getitem__)


def test_names_are_replaced() -> None:
    """A placeholder stands for its value wherever it is in a line."""
    assert expanded("fn {{A}}({{B}}: u32)", A="first", B="x") == "fn first(x: u32)\n"


def test_conditions_keep_one_branch() -> None:
    """`if` and `else` keep what holds, nested ones too; a name without a value is the empty text."""
    text = "//# if A == 1\na\n//# if B != 2\nb\n//# else\nc\n//# end\n//# else\nd\n//# end\ne"
    assert expanded(text, A="1", B="2") == "a\nc\ne\n"
    assert expanded(text, A="1") == "a\nb\ne\n"
    assert expanded(text) == "d\ne\n"


def test_includes_take_values() -> None:
    """An included part sees the outer values and those given to it."""
    assert expanded("//# include one.wgsl NAME=x\n//# include one.wgsl NAME={{N}}", N="y") == "let x = 1;\nlet y = 1;\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ABSENT}}", "no value for `ABSENT`"),
        ("//# if A == 1\na", "`if` without `end`"),
        ("//# unless A", "not a directive: `//# unless A`"),
        ("//# end", "not a directive: `//# end`"),
        ("//# if A < 1\n//# end", "not a comparison: `A < 1`"),
        ("//# include loop.wgsl", "includes nest too deep"),
    ],
)
def test_faults_of_a_template_are_named(text: str, message: str) -> None:
    """A template that cannot be expanded says why."""
    with pytest.raises(TemplateError) as caught:
        expanded(text)
    assert str(caught.value) == message


def all_variants() -> list[Variant]:
    """Return every variant of every family."""
    return [variant for family in load_families().by_name.values() for variant in family.variants]


_BINDING = re.compile(r"@group\(0\) @binding\((\d+)\) var<(uniform|storage, read|storage, read_write)> (\w+)")
_KINDS = {"uniform": "uniform", "storage, read": "read", "storage, read_write": "write"}


def test_shaders_declare_the_bindings_that_families_list() -> None:
    """Index and access agree, for each variant; so does the name, but where families rename what a template calls A."""
    for variant in all_variants():
        declared = {int(index): _KINDS[kind] for index, kind, _ in _BINDING.findall(wgsl(variant))}
        listed = {form.index: form.kind if form.kind in ("uniform", "read") else "write" for form in variant.bindings}
        assert declared == listed, variant.name


def test_uniforms_have_the_fields_that_shaders_read() -> None:
    """Each field stands where the shader's struct has it, and the size is that of the struct."""
    for variant in all_variants():
        text = wgsl(variant)
        body = re.search(r"struct Uniforms \{(.*?)\}", text, re.DOTALL)
        assert body is not None, variant.name
        members = [member.split(":") for member in body[1].strip().strip(",").split(",")]
        places = {name.strip(): (4 * at, kind.strip()) for at, (name, kind) in enumerate(members)}
        assert variant.uniform_size == 4 * len(places), variant.name
        for field in variant.uniforms:
            assert places[field.name] == (field.offset, field.type), f"{variant.name} {field.name}"
        given = {field.name for field in variant.uniforms}
        assert {name for name in places if f"u.{name}" in text} <= given, variant.name


def test_workgroups_are_as_large_as_families_say() -> None:
    """The workgroup size of the entry point is the family's, and so is every override that has a default."""
    for variant in all_variants():
        text = wgsl(variant)
        found = re.search(rf"@workgroup_size\((\w+)\)\s*fn {variant.entry}\(", text)
        assert found is not None, variant.name
        size = found[1] if found[1].isdigit() else re.search(rf"override {found[1]}: u32 = (\d+)", text)[1]
        assert variant.workgroup == (int(size), 1, 1), variant.name


_SIZES = {"f32": 4, "u32": 4, "vec2<f32>": 8, "vec4<f32>": 16, "Choice": 8}
_CONSTANTS = {"SIZE": None, "WIDTH": 512}


def test_workgroup_storage_is_what_shaders_declare() -> None:
    """The family's figure, which plans hold to the device's limit, is what the shader takes at its largest."""
    for variant in all_variants():
        text = wgsl(variant)
        size = variant.workgroup[0] if isinstance(variant.workgroup, tuple) else variant.workgroup
        total = 0
        for element, count in re.findall(r"var<workgroup> \w+: array<(.+?), (\w+)>;", text):
            length = int(count) if count.isdigit() else {"SIZE": size, "WIDTH": 512}[count]
            total += _SIZES[element] * length
        assert variant.workgroup_storage == total, variant.name


def test_every_variant_says_which_files_it_is_made_of() -> None:
    """All files of a template exist, its own first."""
    for variant in all_variants():
        files = template_files(variant)
        assert files[0].name == variant.file.rsplit("/", 1)[-1]
        assert all(file.is_file() for file in files)


def test_uniform_bindings_come_first() -> None:
    """Uniforms are binding 0 of every kernel."""
    assert {variant.bindings[0].kind for variant in all_variants()} == {UNIFORM}
