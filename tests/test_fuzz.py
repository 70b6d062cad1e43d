"""Each fuzz target for a short time with a fixed seed; the fuzzers themselves run longer in CI."""

import subprocess
import sys
from pathlib import Path

import children
import pytest
from fuzz import fuzz

import catena

SECONDS = 2.0


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_corpus(target: str) -> None:
    for text in fuzz.corpus(target):
        fuzz.check(target, text)


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_a_short_run(target: str) -> None:
    assert fuzz.run(target, 1, SECONDS) > len(fuzz.corpus(target))


def test_the_corpus_has_both_kinds_of_positions() -> None:
    fine = [fuzz.read_position(text) is not None for text in fuzz.corpus("positions")]
    assert sum(fine) >= 12
    assert len(fine) - sum(fine) >= 12


def test_a_failure_shows_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "read_position", lambda text: None)
    with pytest.raises(fuzz.FuzzError, match=r"not refused\n--input '2 komi"):
        fuzz.check("positions", catena.Board(2).position)


def command(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(Path(fuzz.__file__)), *options],
        capture_output=True,
        text=True,
        check=False,
        env=children.HERE_TOO,
    )


def test_the_command_line() -> None:
    done = command("--target", "moves", "--input", "2 komi standard 0 +0 +0 -")
    assert (done.returncode, done.stdout) == (0, "passed\n"), done.stderr
    done = command("--seconds", "0", "--seed", "3")
    assert done.returncode == 0, done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == list(fuzz.TARGETS)
