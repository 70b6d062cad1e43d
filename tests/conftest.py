"""Options and fixtures of the whole suite."""

from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
import reference

import catena

# The sanitizer build and a busy machine make some examples slow; that is no failure.
hypothesis.settings.register_profile("catena", deadline=None)
hypothesis.settings.load_profile("catena")

ENGINES = {"board": catena.Board, "reference": reference.Position}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="takes minutes; run with --slow"))


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Makes a new game: ``catena.Board`` in one run of the test, the reference in the other.

    What a test says by hand about the rules must hold for both, or comparing them proves nothing.
    """
    return ENGINES[request.param]
