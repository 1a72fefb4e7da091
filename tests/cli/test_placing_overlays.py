"""A finding is underlined in the file that gave the value that it blames: the overlay's values in the overlay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ran

Cli = Callable[..., Ran]

NORM_DST = '"dst": "normed",'
OWN_INPUT = f'{NORM_DST} "precision": {{"inputDtype": "f32"}},'
PROFILES = '"kernelProfiles": ['
REFERENCE = '{"kernelRef": {"id": "a", "version": "1.0.0", "digest": "sha256:' + "0" * 64 + '"}}'


def places(ran: Ran) -> list[str]:
    """Return `file:line:column` and the rule of each finding of a quiet check."""
    return [line.partition("]")[0].replace(": error[execution-v0/", " ") for line in ran.out.splitlines()]


@pytest.mark.parametrize(
    ("overlay", "expected"),
    [
        ('{"session":{"compute":{"defaults":{"activationDtype":"f64"}}}}', ["1:54 session-start/activation-dtype"]),
        ('{"session":{"compute":1}}', ["1:23 session-start/activation-dtype"]),
        ('{"session":5}', ["1:12 session-start/activation-dtype"]),
        ('{"session":{"compute":[1]}}', ["1:23 session-start/activation-dtype"]),
        ('{"session":{"compute":{"kernelProfiles":5}}}', ["1:41 profile-list/profiles-iterable"]),
        ('{"session":{"kvcache":{"kvDtype":"f8"}}}', ["1:34 flow/kv-io-dtypes"] * 2),
        ('{"session":{"kvcache":7}}', ["1:23 flow/kv-cache-given"] * 2),
        ('{"executionPatch":{"set":5}}', ["1:26 patch-shape/patch-lists"]),
        ('{"executionPatch":{"set":{}}}', ["1:26 patch-shape/patch-lists"]),
        ('{"executionPatch":{"set":[],"add":5}}', ["1:35 patch-shape/patch-lists"]),
        (
            '{"executionPatch":{"set":[{"id":"norm","precision":{"inputDtype":"f32"}}]}}',
            ["1:66 flow/read-dtype-mismatch"],
        ),
        (
            '{"session":{"compute":{"kernelProfiles":[' + REFERENCE + "," + REFERENCE + "]}}}",
            ["1:188 profiles/one-profile"],
        ),
        (
            '{"inference":{"session":{"compute":{"defaults":{"activationDtype":"f64"}}}}}',
            ["1:67 session-start/activation-dtype"],
        ),
    ],
)
def test_what_the_overlay_gives_is_blamed_in_the_overlay(
    cli: Cli, folder: Path, overlay: str, expected: list[str]
) -> None:
    """The manifest is clean by itself, so that nothing in it is underlined."""
    (folder / "overlay.json").write_text(overlay)
    found = places(cli("check", "-q", "passes.json", "--runtime", "overlay.json"))
    assert [place for place in found if "/profile-known" not in place] == [f"overlay.json:{one}" for one in expected]


@pytest.mark.parametrize(
    ("before", "after", "overlay", "expected"),
    [
        (
            '"activationDtype": "f16"',
            '"activationDtype": "f64"',
            '{"session":{"compute":{"defaults":{"activationDtype":"f32"}}}}',
            "10:41 session-dtypes/session-dtype",
        ),
        (
            '"kvDtype": "f16"',
            '"kvDtype": "f8"',
            '{"session":{"kvcache":{"kvDtype":"f16"}}}',
            "63:30 session-parts/kvcache-dtype",
        ),
        (
            f"{PROFILES}\n",
            f"{PROFILES} {REFERENCE}, {REFERENCE},\n",
            '{"session":{"compute":{"kernelProfiles":[]}}}',
            "11:176 profiles/one-profile",
        ),
        (
            NORM_DST,
            OWN_INPUT,
            '{"executionPatch":{"set":[{"id":"norm","constants":{}},{"id":"embed","precision":{}}]}}',
            "100:56 flow/read-dtype-mismatch",
        ),
        (
            NORM_DST,
            OWN_INPUT,
            '{"session":{"kvcache":{"kvDtype":"f16"}}}',
            "100:56 flow/read-dtype-mismatch",
        ),
        (
            '"src": "normed",',
            '"src": "normed", "kvIO": {"readDtype": "f8", "writeDtype": "f16"},',
            '{"session":{"kvcache":{"kvDtype":"f16"}}}',
            "114:36 flow/kv-io-dtypes",
        ),
    ],
)
def test_what_the_manifest_gives_stays_in_the_manifest(
    cli: Cli, folder: Path, before: str, after: str, overlay: str, expected: str
) -> None:
    """An overlay that says something near, or even of the same member, does not draw the manifest's own faults."""
    text = (folder / "passes.json").read_text()
    (folder / "own.json").write_text(text.replace(before, after, 1))
    (folder / "overlay.json").write_text(overlay)
    assert places(cli("check", "-q", "own.json", "--runtime", "overlay.json")) == [f"own.json:{expected}"]


def test_the_finding_names_the_overlay(cli: Cli, folder: Path) -> None:
    """The pointer leads into the document that the finding names."""
    (folder / "overlay.json").write_text('{"session":{"compute":{"kernelProfiles":5}}}')
    out = cli("check", "passes.json", "--runtime", "overlay.json", "--format", "json").out
    assert '"document": "runtime"' in out
    assert '"pointer": "/session/compute/kernelProfiles"' in out


def test_a_fault_that_is_told_before_the_patch_is_the_manifests(cli: Cli, folder: Path, shipped_pack: Path) -> None:
    """A `set` of the same member cannot bring what is wrong before it is applied; what it brings is its own."""
    rule = shipped_pack / "patch-sets" / "set-members.yaml"
    rule.write_text(rule.read_text().replace('"entry"]', '"entry", "phase"]'))
    text = (folder / "passes.json").read_text()
    head, _, tail = text.partition('"id": "norm"')
    (folder / "own.json").write_text(head + '"id": "norm"' + tail.replace('"both"', '"warmup"', 1))
    (folder / "both.json").write_text('{"executionPatch":{"set":[{"id":"norm","phase":"both"}]}}')
    (folder / "warmup.json").write_text('{"executionPatch":{"set":[{"id":"norm","phase":"warmup"}]}}')
    pack = ("--pack", str(shipped_pack))
    own = cli("check", "-q", "own.json", "--runtime", "both.json", *pack)
    assert places(own)[:-1] == ["own.json:96:20 step-shape/step-phase"]
    brought = cli("check", "-q", "passes.json", "--runtime", "warmup.json", *pack)
    assert places(brought)[:-1] == ["warmup.json:1:48 step-shape/step-phase"]
    for ran in (own, brought):  # rules of the user's own pack that a check does not ask are noted
        assert "derivation-path/path-known.yaml:5:1: note[cli/not-asked]" in ran.out.splitlines()[-1]
