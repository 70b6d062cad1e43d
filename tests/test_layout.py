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
ORDER = [
    *("_checkout", "_core", "_loops_bmi2", "_loops", "notation", "display", "parallel"),
    *("counting", "playouts", "selfplay", "signature", "bench", "plot"),
    *("__init__", "cli", "__main__"),
]
COMPILED = {"_core", "_loops_bmi2"}
# Imports inside functions need a reason. The command's entry must run where Typer is missing; the
# loops for newer machines are not built everywhere; executors and plots load much that `import
# catena` has no use for.
MAY_IMPORT_LATE = {"__main__", "_loops", "counting", "playouts", "plot", "selfplay"}
MODULES = sorted(path.stem for path in PACKAGE.glob("*.py"))
FRAMEWORKS = {
    "cli": {"typer", "click", "rich"},
    "plot": {"matplotlib"},
}


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
            is_module = stem in COMPILED or (PACKAGE / f"{stem}.py").exists()
            result.add(stem if is_module else "__init__")
    return result


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_one_way(name: str) -> None:
    assert name in ORDER, "give the new module its place in the order"
    assert own_modules(name) <= set(ORDER[: ORDER.index(name)])


@pytest.mark.parametrize("name", MODULES)
def test_each_library_has_one_module_that_imports_it(name: str) -> None:
    elsewhere = set().union(*(used for home, used in FRAMEWORKS.items() if home != name))
    assert not {dotted.split(".")[0] for dotted, _ in imports(name)} & elsewhere


@pytest.mark.parametrize("name", [name for name in MODULES if name not in MAY_IMPORT_LATE])
def test_imports_stand_at_the_top(name: str) -> None:
    assert all(at_top for _, at_top in imports(name))


@pytest.mark.parametrize("path", sorted((PACKAGE / "adapters").glob("*.py")), ids=lambda p: p.stem)
def test_adapters_use_the_public_names_and_their_own_framework_only(path: Path) -> None:
    found = {
        dotted for dotted, _ in imports(f"adapters/{path.stem}") if dotted.startswith("catena")
    }
    inside = {
        dotted for dotted in found if dotted.split(".")[1] not in {*catena.__all__, "adapters"}
    }
    assert {dotted.split(".")[1] for dotted in inside} <= {"_core", "notation", "display"}


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
    # Cython's own entries stand for no file, and __future__ for a way to read annotations.
    extra = {name for name in extra - {"__future__"} if "cython" not in name.lower()}
    loaded = {"_checkout", "_core", "_loops", "counting", "display", "notation"}
    loaded |= {"playouts", "selfplay"}
    if catena.build_info()["loops"] == "bmi2":
        loaded.add("_loops_bmi2")
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
