"""The lock file pins every kernel's content, and manifests follow a catalogue."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema

from kernelpath.emit.plan.families import load_families
from kernelpath.execute.lock import (
    catalog_document,
    catalog_file,
    digest,
    digests,
    lock_file,
    pin,
    read_lock,
    repin,
    verify_lock,
)
from kernelpath.graph.catalog import load_catalog
from kernelpath.resources import resource


def rules(problems: list) -> list[tuple[str, str | None]]:
    """Return the last part of each diagnostic's rule, with its subject."""
    return [(problem.rule.rsplit("/", 1)[-1], problem.subject) for problem in problems]


def test_lock_file_is_up_to_date() -> None:
    """The checkout's kernels are those that its lock file pins."""
    assert verify_lock() == []


def test_pinning_anew_changes_nothing(tmp_path: Path) -> None:
    """A fresh lock file and catalogue equal the ones that are kept, byte by byte."""
    lock, catalog = tmp_path / "lock.yaml", tmp_path / "catalog.yaml"
    assert set(pin(lock, catalog)) == set(digests())
    assert lock.read_bytes() == lock_file().read_bytes()
    assert catalog.read_bytes() == catalog_file().read_bytes()
    assert pin(lock, catalog) == ()


def test_differences_are_named(tmp_path: Path) -> None:
    """A changed kernel, a new one and one that is gone each have their own message."""
    lock = tmp_path / "lock.yaml"
    pin(lock, tmp_path / "catalog.yaml")
    pinned = read_lock(lock)
    pinned["rope.wgsl#main"] = "0" * 64
    pinned["flown.wgsl#main"] = "1" * 64
    del pinned["silu.wgsl#main"]
    lock.write_text("kernels:\n" + "".join(f"  {name}: '{value}'\n" for name, value in pinned.items()))
    problems = verify_lock(lock)
    assert rules(problems) == [
        ("gone", "flown.wgsl#main"),
        ("changed", "rope.wgsl#main"),
        ("unpinned", "silu.wgsl#main"),
    ]
    assert problems[1].message == (
        f"kernel `rope.wgsl#main` has digest {digests()['rope.wgsl#main'][:12]}, and the lock file pins 000000000000"
    )


def test_absent_or_empty_lock_is_no_pass(tmp_path: Path) -> None:
    """Verification without a lock fails; it is never skipped."""
    assert rules(verify_lock(tmp_path / "lock.yaml")) == [("absent", None)]
    (tmp_path / "lock.yaml").write_text("kernels: {}\n")
    assert rules(verify_lock(tmp_path / "lock.yaml")) == [("empty", None)]
    (tmp_path / "lock.yaml").write_text("nothing\n")
    assert rules(verify_lock(tmp_path / "lock.yaml")) == [("empty", None)]


def test_digest_covers_shader_and_interface() -> None:
    """Another substitution, another uniform value or another condition is another digest."""
    (variant,) = load_families().variants("rope.wgsl")
    same = digest((variant,))
    other_text = replace(variant, substitute={"DTYPE": "f16"})
    other_groups = replace(variant, source={**variant.source, "groups": ["1", "1", "1"]})
    assert digest((variant,)) == same
    assert len({same, digest((other_text,)), digest((other_groups,)), digest((variant, variant))}) == 4


def test_own_catalogue_has_the_shape_of_one() -> None:
    """The generated catalogue satisfies the schema, and names every kernel under an id of its own."""
    schema = json.loads(resource("kernels", "catalogs", "catalog.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(catalog_document(digests()), schema)
    kernels = load_catalog("kernelpath")
    assert list(kernels) == list(digests())
    assert len({kernel.reference for kernel in kernels.values()}) == len(kernels)


def test_manifest_follows_a_catalogue() -> None:
    """References of steps and profiles become the catalogue's; the manifest given is not changed."""
    old = {"id": "rope.main", "version": "0.1.0", "digest": "sha256:" + "0" * 64}
    step = {"id": "a", "kernel": " rope.wgsl ", "kernelRef": old}
    profile = {"kernelRef": dict(old), "precision": {}}
    inference = {
        "execution": {"steps": [step, {"id": "b", "op": "cast"}]},
        "sessionDefaults": {"compute": {"kernelProfiles": [profile]}},
    }
    before = json.dumps(inference)
    changed, problems = repin(inference, load_catalog("kernelpath"))
    wanted = {"id": "rope.main", "version": "1.0.0", "digest": f"sha256:{digests()['rope.wgsl#main']}"}
    assert problems == []
    assert changed["execution"]["steps"][0] == {**step, "kernelRef": wanted}
    assert changed["sessionDefaults"]["compute"]["kernelProfiles"] == [{"kernelRef": wanted, "precision": {}}]
    assert json.dumps(inference) == before


def test_kernel_that_the_catalogue_lacks_is_named() -> None:
    """Its reference stays as it is, and the nearest id is offered."""
    step = {"kernel": "rop.wgsl", "kernelRef": {"id": "x"}}
    changed, problems = repin({"execution": {"steps": [step]}}, load_catalog("kernelpath"))
    assert changed["execution"]["steps"] == [step]
    assert [(problem.message, problem.help) for problem in problems] == [
        ("the catalogue has no kernel `rop.main`", "did you mean `rope.main`?")
    ]


def test_sections_of_any_shape_are_taken_as_they_are() -> None:
    """What is no list of steps or profiles is left alone."""
    for inference in ({}, {"execution": 3}, {"execution": {"steps": [1, None]}}, {"sessionDefaults": {"compute": []}}):
        assert repin(inference, load_catalog("kernelpath")) == (inference, [])
