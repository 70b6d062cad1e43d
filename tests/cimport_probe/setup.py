"""Build the probe against the catena that this Python imports."""

from importlib.util import find_spec
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# The compiled core has the .pxd files beside it.
spec = find_spec("catena._core")
if spec is None or spec.origin is None:
    raise SystemExit("catena is installed without its core")

setup(
    ext_modules=cythonize(
        [Extension("catena_probe", ["catena_probe.pyx"])],
        # Cython looks for them on sys.path, where an editable install need not be.
        include_path=[str(Path(spec.origin).parent.parent)],
        compiler_directives={"language_level": 3},
    )
)
