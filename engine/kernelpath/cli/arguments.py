"""What a command takes, declared once, and read fast.

Commands declare their arguments as for argparse. Words that mean something are read here, without importing it; help
and mistakes are left to argparse, which is given the same declarations.
"""

from __future__ import annotations

from types import SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

WIDTH = 110
Declaration = tuple[tuple[str, ...], dict[str, "Any"]]


class Arguments:
    """The declarations of one command."""

    def __init__(self, command: str, summary: str) -> None:
        self.command = command
        self.description = summary[0].upper() + summary[1:] + "."
        self.epilog = ""
        self.groups: list[Group] = [Group(None)]

    def add(self, *names: str, **settings: Any) -> None:
        """Declare an argument; the settings are argparse's."""
        self.groups[0].add(*names, **settings)

    def group(self, title: str | None = None) -> Group:
        """Return a titled group of arguments, or, without a title, one of which only one may be given."""
        self.groups.append(Group(title))
        return self.groups[-1]

    def parse(self, words: list[str]) -> SimpleNamespace:
        """Return the values of the arguments; where they cannot be read, argparse tells why and ends the process."""
        values = _Reading(self).read(words)
        if values is not None:
            return SimpleNamespace(**values)
        parser = self._parser()
        return SimpleNamespace(**vars(parser.parse_intermixed_args(words)))

    def _parser(self) -> argparse.ArgumentParser:
        import argparse
        import sys

        from kernelpath.cli.streams import say

        class Once(argparse.Action):
            """Takes a value, and refuses a second one: the last would win in silence."""

            def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
                if self.dest in given:
                    raise argparse.ArgumentError(self, "given more than once, and only one can count")
                given.add(self.dest)
                setattr(namespace, self.dest, values)

        given: set[str] = set()

        class Formatter(argparse.RawDescriptionHelpFormatter):
            def __init__(self, prog: str) -> None:
                super().__init__(prog, max_help_position=28, width=WIDTH)

        class Parser(argparse.ArgumentParser):
            def _print_message(self, message: str, file: Any = None) -> None:
                say(message, file or sys.stderr)

        parser = Parser(
            prog=f"kernelpath {self.command}",
            description=self.description,
            epilog=self.epilog,
            formatter_class=Formatter,
            allow_abbrev=False,
        )
        current: Any = parser
        for group in self.groups:
            if group.title:
                current = parser.add_argument_group(group.title)
            target = current if group.title or group is self.groups[0] else current.add_mutually_exclusive_group()
            for names, settings in group.declared:
                once = {"action": Once} if names[0].startswith("-") and "action" not in settings else {}
                target.add_argument(*names, **_told(settings), **once)
        return parser


class Group:
    """Some of a command's arguments."""

    def __init__(self, title: str | None) -> None:
        self.title = title
        self.declared: list[Declaration] = []

    def add(self, *names: str, **settings: Any) -> None:
        """Declare an argument; the settings are argparse's."""
        self.declared.append((names, settings))


def _told(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings whose conversion raises what argparse tells as it is."""
    if "type" not in settings:
        return settings
    convert = settings["type"]

    def told(text: str) -> Any:
        from argparse import ArgumentTypeError

        try:
            return convert(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return {**settings, "type": told}


class _Reading:
    """Reads words by declarations; `read` gives None where anything about them is unusual."""

    def __init__(self, arguments: Arguments) -> None:
        self.options: dict[str, Declaration] = {}
        self.exclusive: dict[str, int] = {}
        self.positional: list[Declaration] = []
        self.values: dict[str, Any] = {}
        self.chosen: set[int] = set()
        self.given: set[str] = set()
        for number, group in enumerate(arguments.groups):
            for names, settings in group.declared:
                self._declare(names, settings, number if number and not group.title else None)

    def _declare(self, names: tuple[str, ...], settings: dict[str, Any], exclusive: int | None) -> None:
        if not names[0].startswith("-"):
            self.positional.append((names, settings))
            return
        for name in names:
            self.options[name] = (names, settings)
            if exclusive is not None:
                self.exclusive[name] = exclusive
        self.values[_key(names)] = False if settings.get("action") == "store_true" else settings.get("default")

    def read(self, words: list[str]) -> dict[str, Any] | None:
        """Return the value of each argument by its name."""
        plain: list[str] = []
        waiting = words[::-1]
        while waiting:
            word = waiting.pop()
            if word == "-" or not word.startswith("-"):
                plain.append(word)
            elif not self._option(word, waiting):
                return None
        return self.values if self._place(plain) else None

    def _option(self, word: str, waiting: list[str]) -> bool:
        name, has_value, text = word.partition("=")
        if name not in self.options or self.exclusive.get(name) in self.chosen:
            return False
        if name in self.exclusive:
            self.chosen.add(self.exclusive[name])
        names, settings = self.options[name]
        if settings.get("action") == "store_true":
            self.values[_key(names)] = True
            return not has_value
        if _key(names) in self.given and settings.get("action") != "append":
            return False
        self.given.add(_key(names))
        if not has_value:
            if not waiting or (waiting[-1].startswith("-") and waiting[-1] != "-"):
                return False
            text = waiting.pop()
        return self._take(names, settings, text)

    def _take(self, names: tuple[str, ...], settings: dict[str, Any], text: str) -> bool:
        try:
            value = settings["type"](text) if "type" in settings else text
        except ValueError:
            return False
        if settings.get("action") == "append":
            self.values[_key(names)] = [*(self.values[_key(names)] or ()), value]
        else:
            self.values[_key(names)] = value
        return "choices" not in settings or value in settings["choices"]

    def _place(self, plain: list[str]) -> bool:
        """Give the plain words to the positional arguments; the last one may take none, or several."""
        for names, settings in self.positional:
            many = settings.get("nargs")
            if many in ("+", "*"):
                self.values[names[0]], plain = plain, []
                if many == "+" and not self.values[names[0]]:
                    return False
            elif plain or many == "?":
                self.values[names[0]] = plain[0] if plain else None
                plain = plain[1:]
            else:
                return False
        return not plain


def _key(names: tuple[str, ...]) -> str:
    return names[-1].removeprefix("--").replace("-", "_")
