"""The pages of the guide, taken apart into blocks of code, and how their Python is run.

A comment on the line above a block says what is special about it: ``<!-- file: NAME -->`` that it
is saved and imported by later blocks, ``<!-- needs: MODULE -->`` that it is left out where that
module is missing, ``<!-- not run: REASON -->`` that it always is.  A ``text`` block right after a
``python`` block shows what that prints.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parent.parent / "docs"
PAGES = tuple(sorted(path.name for path in DOCS.glob("*.md")))

PATTERN = re.compile(
    r"(?:^<!-- (?P<mark>file|needs|not run): (?P<value>[^\n]+) -->\n)?"
    r"^```(?P<language>\w+)\n(?P<text>.*?)^```$"
    r"(?:\n\n```text\n(?P<output>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    page: str
    line: int  # of the fence
    language: str
    text: str
    mark: str | None
    value: str | None
    output: str | None

    def why_left_out(self) -> str | None:
        """Why the block can't run here, None if it can."""
        if self.mark == "not run":
            return self.value
        if self.mark == "needs" and self.value and importlib.util.find_spec(self.value) is None:
            return f"{self.value} is not installed"
        return None

    def run(self, namespace: dict[str, object], folder: Path) -> str:
        """Run the block, or save it in ``folder``; return what it printed."""
        if self.mark == "file" and self.value:
            (folder / self.value).write_text(self.text, encoding="utf-8")
            return ""
        # The empty lines make the line numbers of a traceback those of the page.
        code = compile("\n" * self.line + self.text, str(DOCS / self.page), "exec")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        return printed.getvalue()


def blocks(page: str, language: str | None = None) -> list[Block]:
    """The blocks of a page from top to bottom, of one language or all."""
    source = (DOCS / page).read_text(encoding="utf-8")
    found = []
    for match in PATTERN.finditer(source):
        line = source.count("\n", 0, match.start("text"))
        parts = match["language"], match["text"], match["mark"], match["value"], match["output"]
        block = Block(page, line, *parts)
        if language in (None, block.language):
            found.append(block)
    return found


class Reader:
    """Runs the Python of a page from its top, each block once, in one namespace."""

    def __init__(self, page: str, folder: Path) -> None:
        self.blocks = blocks(page, "python")
        self.folder = folder
        self.namespace: dict[str, object] = {"__name__": "__main__"}
        self.printed: list[str | None] = []

    def read_to(self, number: int) -> str | None:
        """What block ``number`` printed, None if it was left out."""
        while len(self.printed) <= number:
            block = self.blocks[len(self.printed)]
            left_out = block.why_left_out() is not None
            self.printed.append(None if left_out else block.run(self.namespace, self.folder))
        return self.printed[number]
