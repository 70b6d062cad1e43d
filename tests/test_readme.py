"""The README's programs run and print what stands beneath them; its commands and paths exist."""

import re
from pathlib import Path

import pytest

import catena

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

# A fenced block: its language and its text.
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = [match for match in BLOCK.finditer(README) if match[1] == "python"]


def lines_below(end: int) -> list[str] | None:
    """Return the lines of the text block that follows with nothing but blank lines between."""
    rest = README[end:].lstrip()
    block = BLOCK.match(rest)
    return block[2].splitlines() if block and block[1] == "text" else None


def without_trailing_spaces(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_diagrams_show_the_positions_in_the_comments_above_them() -> None:
    comments = list(re.finditer(r"^<!-- catena show '(.*)' -->$", README, re.MULTILINE))
    assert comments
    for comment in comments:
        diagram = str(catena.Board.from_position(comment[1]))
        assert lines_below(comment.end()) == without_trailing_spaces(diagram)


def test_there_is_a_first_program() -> None:
    assert PROGRAMS


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda match: f"at-{match.start()}")
def test_program_prints_what_the_readme_shows(
    program: re.Match[str], capsys: pytest.CaptureFixture[str]
) -> None:
    line = README.count("\n", 0, program.start()) + 1
    exec(compile(program[2], f"README.md, block at line {line}", "exec"), {"__name__": "__main__"})
    assert without_trailing_spaces(capsys.readouterr().out) == lines_below(program.end())


def test_the_two_commands_stand_in_it() -> None:
    commands = [match[2].strip() for match in BLOCK.finditer(README) if match[1] == "sh"]
    assert commands == [
        "pip install -e '.[cli]' && catena bench",
        "pip install -e '.[test]' && pytest",
    ]


def test_every_relative_link_and_path_exists() -> None:
    # An unpacked wheel's tests run away from the sources; then there is nothing to look up.
    if not (ROOT / "setup.py").exists():
        return
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    table = README.partition("## What is where")[2].partition("\n\n|")[2].partition("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("|")]
    named = [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert len(named) > 5
    for name in links + named:
        places = [ROOT, ROOT / "catena"]
        assert any(list(place.glob(name.rstrip("/"))) for place in places), f"{name} is missing"
