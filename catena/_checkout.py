"""Where the compiled core is: beside the Python sources, or in a copy installed elsewhere.

A checkout's root ahead on sys.path puts its source folder in front of an installed build.  Where
that folder holds no compiled core, the package takes its modules from the installed copy.
"""

import sys
from collections.abc import Iterable
from importlib.machinery import PathFinder


def folders_with_build(folders: Iterable[str]) -> list[str]:
    """Return the package's ``folders`` if they hold a compiled core, else those that do.

    :raises ImportError: if there is no compiled core anywhere on sys.path.
    """
    own = list(folders)
    candidates = [own]
    for entry in sys.path:
        package = PathFinder.find_spec("catena", [entry])
        candidates.append(list((package and package.submodule_search_locations) or []))
    for candidate in candidates:
        if PathFinder.find_spec("catena._core", candidate):
            return candidate
    raise ImportError(
        f"catena is not built: {', '.join(own)} holds no compiled catena._core for this Python and "
        "no installed copy is on sys.path; `pip install -e .` in the checkout builds it",
        name="catena._core",
    )
