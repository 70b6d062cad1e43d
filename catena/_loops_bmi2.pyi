from typing import Final

LOOPS: Final[object]
