"""`kernels pin`, `verify` and `repin` from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import kernelpath.execute.lock as lock
from cli.conftest import Ran
from kernelpath.execute.verify import Check

Cli = Callable[..., Ran]
COUNT = len(lock.digests())


@pytest.fixture
def pinned(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a lock file and a catalogue of one's own, which `pin` has not written yet."""
    monkeypatch.setattr(lock, "lock_file", lambda: folder / "lock.yaml")
    monkeypatch.setattr(lock, "catalog_file", lambda: folder / "kernelpath.yaml")
    return folder


def test_the_kernels_are_as_they_are_pinned(cli: Cli) -> None:
    """The kernels that are shipped are those of the lock file."""
    assert cli("kernels", "verify") == Ran(0, f"{COUNT} kernels are as the lock file pins them\n", "")
    assert json.loads(cli("kernels", "verify", "--format", "json").out)["summary"]["error"] == 0


def test_pinning_what_is_pinned_changes_nothing(cli: Cli, pinned: Path) -> None:
    """The first pin writes what is shipped, the second says that nothing changed, and writes the same."""
    first = json.loads(cli("kernels", "pin", "--format", "json").out)
    assert len(first["changed"]) == COUNT
    written = [(pinned / name).read_bytes() for name in ("lock.yaml", "kernelpath.yaml")]
    assert cli("kernels", "pin") == Ran(0, "0 kernels changed\n", "")
    assert [(pinned / name).read_bytes() for name in ("lock.yaml", "kernelpath.yaml")] == written


def test_a_changed_kernel_is_told(cli: Cli, pinned: Path) -> None:
    """A kernel whose content is not what was pinned is a finding with both digests, and pinning anew names it."""
    cli("kernels", "pin")
    text, right = (pinned / "lock.yaml").read_text(), lock.digests()["rope.wgsl#main"]
    (pinned / "lock.yaml").write_text(text.replace(right, "f" * 64))
    ran = cli("kernels", "verify", "-q")
    message = f"kernel `rope.wgsl#main` has digest {right[:12]}, and the lock file pins {'f' * 12}"
    assert ran == Ran(1, f"lock: error[kernels/lock/changed]: {message}\n", "")
    assert cli("kernels", "pin") == Ran(0, "rope.wgsl#main\n1 kernel changed\n", "")
    assert cli("kernels", "verify").code == 0


def test_no_lock_file_is_no_pass(cli: Cli, pinned: Path) -> None:
    """Without a lock file nothing is verified, and that is said."""
    ran = cli("kernels", "verify")
    assert ran.code == 1
    assert "there is no lock file `lock.yaml`" in ran.out


def test_a_lock_file_that_cannot_be_written(
    cli: Cli, folder: Path, pinned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installed copy that belongs to somebody else is told, not crashed over."""
    monkeypatch.setattr(lock, "lock_file", lambda: folder / "no" / "lock.yaml")
    ran = cli("kernels", "pin", "-q")
    message = f"`{folder}/no/lock.yaml` cannot be written: no such file or directory"
    assert ran == Ran(2, "", f"-: error[cli/output]: {message}\n")


def test_a_check_uses_what_is_pinned(cli: Cli, folder: Path) -> None:
    """A manifest that pins a kernel at another content than the lock file's fails a check against the own catalogue."""
    pinned = cli("kernels", "repin", "passes.json").out
    step = json.loads(pinned)["inference"]["execution"]["steps"][0]
    right = lock.read_lock()[f"{step['kernel']}#{step['entry']}"]
    (folder / "other.json").write_text(pinned.replace(right, "0" * 64))
    ran = cli("check", "other.json", "--catalog", "kernelpath", "-q")
    assert ran.code == 1
    assert "error[execution-v0/pinning/kernel-ref-matches]: the kernelRef of step 0 does not match kernel" in ran.out


def test_repinning_makes_it_pass(cli: Cli, folder: Path) -> None:
    """A manifest repinned to the project's own catalogue passes against it, and back again against the other."""
    ran = cli("kernels", "repin", "passes.json")
    assert (ran.code, ran.err) == (0, "")
    (folder / "own.json").write_text(ran.out)
    assert cli("check", "own.json", "--catalog", "kernelpath").code == 0
    assert cli("check", "own.json").code == 1
    back = cli("kernels", "repin", "own.json", "--catalog", "doppler-0.1.7")
    assert json.loads(back.out) == json.loads((folder / "passes.json").read_text())


def test_what_a_catalogue_lacks_is_told(cli: Cli, folder: Path) -> None:
    """A kernel that the catalogue has not stays as it is, is told with the nearest, and the exit code is 1."""
    text = (folder / "passes.json").read_text()
    (folder / "odd.json").write_text(text.replace('"residual_f16.wgsl"', '"residual_f15.wgsl"'))
    ran = cli("kernels", "repin", "odd.json")
    assert ran.code == 1
    assert '"residual_f15.wgsl"' in ran.out
    assert "error[kernels/lock/not-in-catalogue]: the catalogue has no kernel `residual.f15.main`" in ran.err
    assert "did you mean `residual.f16.main`?" in ran.err


def test_a_section_is_repinned_alone(cli: Cli) -> None:
    """An inference section that stands alone stays one."""
    assert "inference" not in json.loads(cli("kernels", "repin", "section.json").out)


@pytest.mark.gpu
def test_kernels_mean_what_they_should(cli: Cli) -> None:
    """`--device` holds kernels to their meaning here, and prints a line for each."""
    ran = cli("kernels", "verify", "--device", "residual_f16.wgsl", "silu.wgsl")
    assert ran.code == 0
    name, *rows = ran.out.splitlines()
    assert name
    assert {row.split()[0] for row in rows} >= {"residual_f16.wgsl#main", "silu.wgsl#main"}
    told = json.loads(cli("kernels", "verify", "--device", "residual_f16.wgsl", "--format", "json").out)
    assert told["device"] == name
    assert {check["kernel"] for check in told["checks"]} == {"residual_f16.wgsl#main", "matmul_residual_f16.wgsl#main"}
    assert all(check["holds"] for check in told["checks"])


@pytest.mark.gpu
def test_a_kernel_that_there_is_not(cli: Cli) -> None:
    """A name that no kernel has is no silent pass."""
    ran = cli("kernels", "verify", "--device", "nosuch", "-q")
    assert ran == Ran(2, "", "-: error[cli/usage]: no kernel has `nosuch` in its name\n")


def test_kernels_without_a_device(cli: Cli) -> None:
    """Kernels are named for `--device`; without it the lock file is verified whole."""
    ran = cli("kernels", "verify", "rope.wgsl", "-q")
    assert ran == Ran(2, "", "-: error[cli/usage]: kernels are chosen for a device\n")


@pytest.mark.gpu
def test_a_kernel_that_is_wrong(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that does not do what its family means is exit code 1, with the case, in every format."""
    wrong = Check("rope.wgsl#main", "T=3 D=8", worst=7.5, failures=2)
    held = Check("silu.wgsl#main", "T=3 D=8", worst=0.25)
    monkeypatch.setattr("kernelpath.execute.verify.verify", lambda device, kernels: iter([wrong, held]))
    ran = cli("kernels", "verify", "--device")
    assert ran.code == 1
    assert ran.out.splitlines()[1:] == [
        "rope.wgsl#main  0/1 cases, worst 7.50 of tolerance  2 wrong at T=3 D=8",
        "silu.wgsl#main  1/1 cases, worst 0.25 of tolerance",
    ]
    told = cli("kernels", "verify", "--device", "--format", "github")
    assert told.code == 1
    assert told.out.count("::error ") == 1
    assert "kernel `rope.wgsl#main` has 2 values outside its tolerance" in told.out
