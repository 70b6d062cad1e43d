"""Frameworks are imported by their adapters alone, and a missing one is named."""

import subprocess
import sys

import children
import pytest


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter of its own."""
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env=children.HERE_TOO, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("adapter", "framework"),
    [("openspiel", "pyspiel"), ("pettingzoo", "pettingzoo"), ("pettingzoo", "gymnasium")],
)
def test_a_missing_framework_is_named_with_its_extra(adapter: str, framework: str) -> None:
    # None in sys.modules makes an import fail as if nothing were installed.
    done = run(f"import sys; sys.modules[{framework!r}] = None; import catena.adapters.{adapter}")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: catena.adapters.{adapter} needs ")
    assert last.endswith(f"pip install 'catena-engine[{adapter}]'")


def test_the_package_of_adapters_loads_none_of_them() -> None:
    done = run("import sys, catena.adapters; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "catena.adapters" in loaded
    assert not {"pyspiel", "pettingzoo", "gymnasium", "catena.adapters.picture"} & set(loaded)
