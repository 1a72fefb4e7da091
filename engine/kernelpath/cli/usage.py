"""What is said to whoever asks for help, or names a command that there is not."""

from __future__ import annotations

from kernelpath.cli.commands import COMMANDS, groups

EXIT_CODES = "exit codes: 0 clean, 1 findings, 2 bad input or usage, 3 a fault of kernelpath"


def overview(group: str | None = None) -> str:
    """Return the list of commands, or of those that begin with one word."""
    names = [name for name in COMMANDS if group is None or name.split(" ")[0] == group]
    width = max(map(len, names))
    listed = "".join(f"  {name.ljust(width)}  {COMMANDS[name][1]}\n" for name in names)
    head = f"usage: kernelpath {group or 'COMMAND'} ...\n\n"
    about = "" if group else "Decides by rules whether a model's execution graph may run, and compiles it.\n\n"
    return f"{head}{about}commands:\n{listed}\n`kernelpath COMMAND --help` says what a command takes\n{EXIT_CODES}\n"


def version() -> str:
    """Return the name and the version of the project."""
    from importlib.metadata import version

    return f"kernelpath {version('kernelpath')}"


def unknown(words: list[str]) -> str:
    """Return what is said about a command that there is not."""
    from kernelpath.diagnostics import did_you_mean

    group = words[0] in groups()
    typed = " ".join(words[:2]) if group else words[0]
    known = [name for name in COMMANDS if name.split(" ")[0] == words[0]] if group else [*COMMANDS, *groups()]
    near = did_you_mean(typed, known)
    meant = f"did you mean `{near}`?" if near else "`kernelpath --help` lists the commands"
    return f"kernelpath: there is no command `{typed}`; {meant}\n"
