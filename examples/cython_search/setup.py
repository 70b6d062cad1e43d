"""Build catena_search against the Catena that this Python imports."""

import os
from importlib.util import find_spec
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# The folder that holds the package catena, its .pxd files and its compiled core side by side.
# Cython looks on sys.path by itself, but that doesn't have the folder of an editable install.
core = find_spec("catena._core")
if core is None or core.origin is None:
    raise SystemExit("catena is installed without its core")
folder = str(Path(core.origin).parent.parent)

setup(
    ext_modules=cythonize(
        [
            Extension(
                "catena_search",
                ["catena_search.pyx"],
                extra_compile_args=[] if os.name == "nt" else ["-O3"],
            )
        ],
        include_path=[folder],
        compiler_directives={"language_level": 3, "boundscheck": False, "wraparound": False},
    )
)
