"""Child processes: the environment that they need, Ctrl-C, and packages built there."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import catena

# A child is to import the same build as its parent, wherever it is started.
HERE_TOO = os.environ | {
    "PYTHONPATH": os.pathsep.join(
        [str(Path(catena.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
}

needs_sigint = pytest.mark.skipif(
    sys.platform == "win32", reason="SIGINT can't be sent to one process there"
)


class Interrupted(NamedTuple):
    out: str  # all that came after "ready"
    err: str
    status: int
    seconds: float  # from the signal to the end


def interrupt(
    program: str | Path, *arguments: str, after: float = 0.3, patience: float = 60
) -> Interrupted:
    """Run a program, its text or its file, and send it Ctrl-C some time ``after`` it says "ready".

    A program given as text has Python's own way with the signal, also where tests run without it.
    """
    command = [str(program)]
    if not isinstance(program, Path):
        own_way = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        command = ["-c", own_way + textwrap.dedent(program)]
    with subprocess.Popen(
        [sys.executable, *command, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=HERE_TOO,
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(after)
            assert child.poll() is None, "it ended by itself: give it more to do"
            begin = time.monotonic()
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=patience)
            return Interrupted(out, err, child.returncode, time.monotonic() - begin)
        finally:
            child.kill()


def build_client(source: Path, name: str, folder: Path) -> tuple[ModuleType, str]:
    """Build the package in ``source`` against the installed catena, in ``folder``.

    Returns its module, and what the build printed.
    """
    pytest.importorskip("Cython", reason="clients are compiled by Cython")
    pytest.importorskip("setuptools", "77", reason="clients are built by setuptools")
    copied = folder / "source"
    shutil.copytree(source, copied, ignore=shutil.ignore_patterns("build", "*.c", "*.so"))
    built = subprocess.run(
        [sys.executable, "setup.py", "build_ext", "--build-lib", "lib", "--build-temp", "temp"],
        cwd=copied,
        capture_output=True,
        text=True,
        check=False,
        env=HERE_TOO,
    )
    printed = built.stdout + built.stderr
    assert built.returncode == 0, printed
    (path,) = (copied / "lib").glob(f"{name}*")
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module, printed
