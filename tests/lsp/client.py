"""A scripted editor: it speaks the language server protocol with a server of its own over standard streams."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

PATIENCE = 120  # seconds until a server that says nothing counts as dead


class ResponseError(Exception):
    """The server refused a request."""


def path_of(uri: str) -> Path:
    """Return the path that a file's URI names."""
    return Path(unquote(uri.removeprefix("file://")))


class Client:
    """One editor session; places are found by the text that they are in, `|` marking the cursor."""

    def __init__(self, folder: Path, options: Mapping[str, Any] | None = None, encoding: str = "utf-16") -> None:
        environment = {**os.environ, "KERNELPATH_CACHE": str(folder / ".cache")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kernelpath.lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=folder,
        )
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.responses: dict[int, dict[str, Any]] = {}
        self.diagnostics: dict[str, list[dict[str, Any]]] = {}
        self.versions: dict[str, int | None] = {}
        self.texts: dict[Path, str] = {}
        self.count = 0
        self.folder = folder
        self.shown: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()
        self.capabilities = self._initialize(folder, options or {}, encoding)

    def _initialize(self, folder: Path, options: Mapping[str, Any], encoding: str) -> dict[str, Any]:
        watching = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
        capabilities = {"general": {"positionEncodings": [encoding]}, "workspace": watching}
        answer = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder.as_uri(),
                "capabilities": capabilities,
                "initializationOptions": dict(options),
            },
        )
        self.notify("initialized", {})
        capable: dict[str, Any] = answer["capabilities"]
        return capable

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.decode("ascii").partition(":")
                length = int(value) if name.lower() == "content-length" else length
                header = stream.readline()
            self.messages.put(json.loads(stream.read(length)))
        self.messages.put(None)

    def _send(self, message: dict[str, Any]) -> None:
        stream = self.process.stdin
        assert stream is not None
        content = json.dumps({"jsonrpc": "2.0", **message}).encode("utf-8")
        stream.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        stream.flush()

    def _take(self) -> None:
        message = self.messages.get(timeout=PATIENCE)
        assert message is not None, f"the server died: {self.process.poll()}"
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = params["diagnostics"]
            self.versions[params["uri"]] = params.get("version")
        elif message.get("method") == "window/showMessage":
            self.shown.append(message["params"]["message"])
        elif "method" in message and "id" in message:
            self._send({"id": message["id"], "result": None})
        elif "id" in message:
            self.responses[message["id"]] = message

    def request(self, method: str, params: Any) -> Any:
        """Return the server's answer; raise ResponseError where it refuses."""
        self.count += 1
        number = self.count
        self._send({"id": number, "method": method, "params": params})
        while number not in self.responses:
            self._take()
        answer = self.responses.pop(number)
        if "error" in answer:
            raise ResponseError(answer["error"]["message"])
        return answer.get("result")

    def notify(self, method: str, params: Any) -> None:
        """Tell the server something that it does not answer."""
        self._send({"method": method, "params": params})

    def open(self, path: Path, text: str | None = None) -> list[dict[str, Any]]:
        """Open a file, with another text than on disk where one is given; return its diagnostics."""
        self.texts[path] = path.read_text(encoding="utf-8") if text is None else text
        document = {"uri": path.as_uri(), "languageId": "yaml", "version": 0, "text": self.texts[path]}
        self.versions[path.as_uri()] = -1
        self.notify("textDocument/didOpen", {"textDocument": document})
        return self.awaited(path, 0)

    def change(self, path: Path, text: str) -> list[dict[str, Any]]:
        """Give an open file another text; return its diagnostics."""
        version = (self.versions[path.as_uri()] or 0) + 1
        self.texts[path] = text
        document = {"uri": path.as_uri(), "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})
        return self.awaited(path, version)

    def replace(self, path: Path, old: str, new: str) -> list[dict[str, Any]]:
        """Replace the one place of a text in an open file; return its diagnostics."""
        assert self.texts[path].count(old) == 1, old
        return self.change(path, self.texts[path].replace(old, new))

    def awaited(self, path: Path, version: int) -> list[dict[str, Any]]:
        """Return a file's diagnostics of a version, once they are there."""
        while self.versions.get(path.as_uri()) != version:
            self._take()
        return self.diagnostics[path.as_uri()]

    def close_all(self) -> None:
        """Close every file without saving, and wait until nothing is reported any more."""
        for path in self.texts:
            self.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
        self.texts.clear()
        assert self.settled() == {}

    def settled(self) -> dict[str, list[dict[str, Any]]]:
        """Return the diagnostics of every file that has some, after all that was sent is worked off."""
        self.request("textDocument/foldingRange", {"textDocument": {"uri": Path("/nowhere.txt").as_uri()}})
        return {uri: found for uri, found in self.diagnostics.items() if found}

    def place(self, path: Path, around: str) -> dict[str, Any]:
        """Return the parameters of a request at the `|` of a text that stands once in a file."""
        text, at = around.replace("|", "", 1), around.index("|")
        assert self.texts[path].count(text) == 1, text
        before = self.texts[path][: self.texts[path].index(text) + at]
        line = before.count("\n")
        character = len(before[before.rfind("\n") + 1 :].encode("utf-16-le")) // 2
        return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}

    def type_at(self, path: Path, old: str, new: str) -> list[dict[str, Any]]:
        """Write `new`, whose `|` is the cursor, in place of `old`; return what the server offers there."""
        assert self.texts[path].count(old) == 1, old
        before = self.texts[path]
        self.change(path, before.replace(old, new.replace("|", "\0", 1)).replace("\0", ""))
        start = before.index(old) + new.index("|")
        text = self.texts[path][:start]
        position = {"line": text.count("\n"), "character": len(text) - text.rfind("\n") - 1}
        answer = self.request("textDocument/completion", {"textDocument": {"uri": path.as_uri()}, "position": position})
        items: list[dict[str, Any]] = answer["items"]
        return items

    def stretch(self, found: Mapping[str, Any], path: Path | None = None) -> str:
        """Return the text that a range, or a location, is of."""
        target = path or path_of(found["uri"])
        text = self.texts[target] if target in self.texts else target.read_text(encoding="utf-8")
        span = found.get("range", found)
        lines = text.split("\n")
        starts = [sum(len(line) + 1 for line in lines[: span[end]["line"]]) for end in ("start", "end")]
        return text[starts[0] + span["start"]["character"] : starts[1] + span["end"]["character"]]

    def close(self) -> int:
        """Say goodbye; return the server's exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=PATIENCE)
