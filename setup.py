"""Build of the compiled core; everything else stands in pyproject.toml.

Switches, read from the environment (CONTRIBUTING.md tells when to use which):

CATENA_NATIVE=1    optimise for this machine; the result may not run on another
CATENA_DEBUG=1     keep C asserts, check indices, and compare caches with a recount at each move
CATENA_SANITIZE=1  the debug build with the address and undefined-behaviour sanitizers
"""

import os
from sysconfig import get_platform

from setuptools import Extension, setup

NATIVE, SANITIZE = (os.environ.get(f"CATENA_{name}") == "1" for name in ("NATIVE", "SANITIZE"))
DEBUG = SANITIZE or os.environ.get("CATENA_DEBUG") == "1"
MSVC = get_platform().startswith("win")
# By the target's name, not the machine's: a universal2 build for macOS has no x86 flags.
X86_64 = get_platform().endswith(("x86_64", "amd64"))

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "initializedcheck": DEBUG,
    "wraparound": False,
    "cdivision": True,
    "nonecheck": False,
    "freethreading_compatible": True,  # the threading contract stands in the core's docstring
    "embedsignature": True,
    "embedsignature.format": "clinic",
    "show_performance_hints": True,
}

if MSVC:
    optimise = ["/Od", "/Zi"] if DEBUG else ["/O2"]
    baseline, native, sanitize = [], [], []
else:
    # Without vectors: the loops store words and load them at once, and a load of several words that
    # were stored one by one waits for the stores (playouts took 10 to 15 per cent longer: GCC 12,
    # Zen 3).
    vectors = ["-fno-tree-vectorize", "-fno-tree-slp-vectorize"]
    # GCC fills an object of a kilobyte by one slow instruction, libc doesn't: a new Board is zeroed
    # first, and Board.copy took 1.3 times as long.
    release = ["-O3", *vectors, "-fno-builtin-memset"]
    optimise = ["-O1", "-g", "-fno-omit-frame-pointer"] if DEBUG else release
    # x86-64-v2, what NumPy's wheels need, spelt so that old compilers know it too.
    baseline = ["-msse4.2", "-mpopcnt", "-mcx16"] if X86_64 else []
    native = ["-march=native"]
    sanitize = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"] if SANITIZE else []


def extension(name, machine):
    """Describe the extension of a module, compiled with the given machine flags."""
    flags = optimise + machine + sanitize
    return Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        define_macros=[
            ("CATENA_DEBUG", str(int(DEBUG))),
            ("CATENA_NATIVE", str(int(NATIVE))),
            ("CATENA_SANITIZE", str(int(SANITIZE))),
            ("CATENA_FLAGS", '"' + " ".join(flags) + '"'),  # for build_info()
        ],
        undef_macros=["NDEBUG"] * DEBUG,  # Python's own flags define it
        extra_compile_args=flags,
        extra_link_args=sanitize,
    )


extensions = [extension("catena._core", native if NATIVE else baseline)]
if X86_64 and not MSVC and not NATIVE:
    # The hot loops once more, for the machines that catena/_loops.py finds fit for them.
    extensions.append(extension("catena._loops_bmi2", [*baseline, "-mbmi", "-mbmi2", "-mlzcnt"]))

setup(
    ext_modules=extensions,
    options={
        "build_ext": {
            "cython_c_in_temp": True,  # no generated C beside the sources, in sdist or in wheel
            "cython_directives": DIRECTIVES,
            "force": True,  # file times don't show that a switch has changed
        }
    },
)
