"""What is installed and shipped: versions that agree, build facts, contents of wheel and sdist."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import catena

ROOT = Path(__file__).parent.parent
PACKAGE = Path(catena.__file__).parent
SOURCE_KINDS = {".py", ".pyx", ".pxd", ".pxi", ".pyi"}


def run(*command: str, cwd: Path | None = None, **variables: str) -> str:
    """Run a command that must succeed and return what it printed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# versions


def test_version_is_the_same_everywhere() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", catena.__version__)
    assert importlib.metadata.version("catena-engine") == catena.__version__


def test_changelog_knows_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (\S+)", text, re.MULTILINE)
    assert headings[0] == "Unreleased"
    released = headings[1:]
    # A version that has not been released yet has at least one entry to be released with.
    if catena.__version__ not in released:
        unreleased = text.partition("## Unreleased")[2].partition("\n## ")[0]
        assert re.search(r"^- \S", unreleased, re.MULTILINE)
    as_numbers = [tuple(map(int, name.split("."))) for name in [catena.__version__, *released]]
    assert as_numbers[0] >= max(as_numbers)
    assert as_numbers[1:] == sorted(set(as_numbers[1:]), reverse=True)


def test_requirements_are_numpy_and_extras() -> None:
    requires = importlib.metadata.requires("catena-engine") or []
    always = [re.split(r"[<>=!~ ;\[]", line)[0] for line in requires if "extra ==" not in line]
    assert always == ["numpy"]
    extras = importlib.metadata.metadata("catena-engine").get_all("Provides-Extra") or []
    assert {"cli", "test", "dev"} <= set(extras)


# the build's facts


def test_build_info_tells_how_the_core_was_made() -> None:
    info = catena.build_info()
    assert {"compiler", "flags", "native", "debug", "sanitize", "sets"} <= info.keys()
    flags = info["flags"].split()
    assert info["debug"] == bool({"-O1", "/Od"} & set(flags))
    assert info["native"] == ("-march=native" in flags)
    assert info["sanitize"] == ("-fsanitize=address,undefined" in flags)
    assert info["debug"] or not info["sanitize"]
    assert re.search(r"\d", info["compiler"])


def test_command_tells_version_and_build() -> None:
    out = run(sys.executable, "-m", "catena", "--version")
    assert out.splitlines()[0] == f"catena {catena.__version__}"
    for name, value in catena.build_info().items():
        assert f"{name}: {value}" in out.splitlines()


def test_both_commands_are_the_same(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / ("catena.exe" if os.name == "nt" else "catena")
    assert run(str(script), "--version") == run(sys.executable, "-m", "catena", "--version")


def test_a_source_folder_does_not_hide_an_installed_build(tmp_path: Path) -> None:
    # What a person meets in the root of a checkout after `pip install .`: the folder of sources
    # comes first on the path, and nothing compiled lies in it.
    checkout, installed = tmp_path / "checkout", tmp_path / "installed"
    shutil.copytree(PACKAGE, installed / "catena")
    shutil.copytree(PACKAGE, checkout / "catena", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    code = "import catena; print(catena.Board(2).legal_count); print(catena._core.__file__)"
    path = {"PYTHONPATH": str(installed)}
    version = run(sys.executable, "-m", "catena", "--version", cwd=checkout, **path)
    assert catena.__version__ in version
    count, file = run(sys.executable, "-c", code, cwd=checkout, **path).splitlines()
    assert count == "8"  # seven cells and the button
    assert Path(file).parent == installed / "catena"


def test_sources_alone_say_what_is_missing(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "catena", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    # Without site-packages, so that no installed build can be found.
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import catena"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ImportError: catena is not built")


def test_installed_files_serve_cimport_and_type_checkers() -> None:
    names = {path.name for path in PACKAGE.iterdir()}
    assert {"py.typed", "__init__.pxd", "_core.pxd", "_core.pyx", "_core.pyi"} <= names


# what is shipped


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one sdist and the wheel built from it.

    CATENA_DIST names one that was built before, as CI does; else it is built here.
    """
    if os.environ.get("CATENA_DIST"):
        return Path(os.environ["CATENA_DIST"])
    pytest.importorskip("build", reason="needs the package `build`, which the extra `dev` brings")
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT))
    return out


def sdist_names(dist: Path) -> set[str]:
    """List the files in the sdist, without its top folder."""
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        files = [member.name for member in archive.getmembers() if member.isfile()]
    assert path.name == f"catena_engine-{catena.__version__}.tar.gz"
    assert {name.partition("/")[0] for name in files} == {path.name.removesuffix(".tar.gz")}
    return {name.partition("/")[2] for name in files}


def wheel_names(dist: Path) -> set[str]:
    """List the files in the wheel."""
    (path,) = dist.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


@pytest.mark.slow
def test_sdist_holds_all_sources_and_nothing_built(dist: Path) -> None:
    names = sdist_names(dist)
    assert {"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"} <= names
    assert {"pyproject.toml", "setup.py", "catena/_core.pyx", "tests/reference.py"} <= names
    built = {".c", ".so", ".pyd", ".o", ".pyc", ".html"}
    assert {name for name in names if Path(name).suffix in built} == set()
    # The yardstick is written by hand, in C++.
    assert {Path(name).parent for name in names if name.endswith(".cpp")} == {Path("benchmarks")}
    assert {name for name in names if name.startswith(("build/", "dist/"))} == set()
    for folder in ("tests", "benchmarks", "docs", "examples"):
        ours = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and path.suffix not in built
            if not any(
                part in ("__pycache__", "build") or part.startswith(".")
                for part in path.relative_to(ROOT).parts
            )
        }
        assert ours - names == set()


@pytest.mark.slow
def test_wheel_holds_the_package_and_no_more(dist: Path) -> None:
    names = wheel_names(dist)
    info = f"catena_engine-{catena.__version__}.dist-info/"
    package = {name for name in names if not name.startswith(info)}
    sources = {name for name in sdist_names(dist) if name.startswith("catena/")}
    # The package's sources as the sdist has them, and besides only what the compiler made.
    assert sources - package == set()
    compiled = package - sources
    assert compiled
    assert all(
        re.fullmatch(r"catena/_(core|loops_\w+)\.[\w.-]+\.(so|pyd)", name) for name in compiled
    )
    kinds = {Path(name).suffix for name in sources - {"catena/py.typed"}}
    assert kinds <= SOURCE_KINDS
    assert {"catena/py.typed", "catena/__init__.pxd", "catena/_core.pxd", "catena/_core.pyx"} <= (
        sources
    )
    assert info + "licenses/LICENSE" in names


@pytest.mark.slow
def test_wheel_is_for_this_python_only_and_complete(dist: Path) -> None:
    (path,) = dist.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        core = archive.read("catena/_core.pyx").decode()
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert path.name.startswith(f"catena_engine-{catena.__version__}-{tag}-")
    # What the core includes, a cimport or a rebuild from the wheel needs too.
    included = re.findall(r"^include ['\"]([^'\"]+)['\"]", core, re.MULTILINE)
    assert {f"catena/{name}" for name in included} <= wheel_names(dist)
