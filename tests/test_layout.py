"""How the package hangs together: which module imports which, what `import catena` loads."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import catena

PACKAGE = Path(catena.__path__[0])
# Each module may import those before it; what is not here may be imported by none of them.
ORDER = ["_checkout", "_core", "notation", "display", "bench", "__init__", "cli", "__main__"]
MODULES = sorted(path.stem for path in PACKAGE.glob("*.py"))
FRAMEWORKS = {"typer", "click", "rich"}


def imports(name: str) -> list[tuple[str, bool]]:
    """Each import of a module as (dotted name, whether it is made while the module loads)."""
    tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
    late = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    found = []
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found += [(dotted, id(node) not in late) for dotted in names]
    return found


def own_modules(name: str) -> set[str]:
    """The package's modules that a module imports."""
    result = set()
    for dotted, _ in imports(name):
        first, *rest = dotted.split(".")
        if first == "catena":
            stem = rest[0] if rest else "__init__"
            is_module = stem == "_core" or (PACKAGE / f"{stem}.py").exists()
            result.add(stem if is_module else "__init__")
    return result


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_one_way(name: str) -> None:
    assert name in ORDER, "give the new module its place in the order"
    assert own_modules(name) <= set(ORDER[: ORDER.index(name)])


@pytest.mark.parametrize("name", [name for name in MODULES if name != "cli"])
def test_only_the_command_line_imports_its_libraries(name: str) -> None:
    assert not {dotted.split(".")[0] for dotted, _ in imports(name)} & FRAMEWORKS


@pytest.mark.parametrize("name", [name for name in MODULES if name != "__main__"])
def test_imports_stand_at_the_top(name: str) -> None:
    # The entry of the command alone has a reason: it must run where Typer is missing.
    assert all(at_top for _, at_top in imports(name))


def test_the_text_of_the_core_imports_no_module_of_the_package() -> None:
    for path in [*PACKAGE.glob("_core.pyx"), *PACKAGE.glob("*.pxi")]:
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if words[:1] in (["import"], ["from"]):
                assert not words[1].startswith("catena") or words[2] == "cimport", line


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_import_loads_numpy_and_the_package_only() -> None:
    extra = loaded_by("import numpy, catena") - loaded_by("import numpy")
    # Cython's own entries stand for no file.
    extra = {name for name in extra if "cython" not in name.lower()}
    loaded = {"_checkout", "_core", "display", "notation"}
    assert extra == {"catena"} | {f"catena.{name}" for name in loaded}


def test_nothing_is_loaded_later() -> None:
    use = (
        "import catena; b = catena.Board(2); b.push('A1'); str(b); b._repr_svg_(); "
        "catena.Board.from_position(b.position); b.legal_mask(); b.stones(); catena.perft(b, 2)"
    )
    assert loaded_by(use) == loaded_by("import catena")


def test_public_names() -> None:
    for name in catena.__all__:
        value = getattr(catena, name)
        if not isinstance(value, int):
            assert (value.__doc__ or "").strip(), name
    assert len((PACKAGE / "__init__.py").read_text(encoding="utf-8").splitlines()) < 60


def test_everything_public_of_a_board_is_documented() -> None:
    for name, member in inspect.getmembers(catena.Board):
        if not name.startswith("_"):
            assert (member.__doc__ or "").strip(), name


@pytest.mark.parametrize("name", MODULES)
def test_modules_and_their_public_functions_are_documented(name: str) -> None:
    tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), name
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{name}.{node.name}"
