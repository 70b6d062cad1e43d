"""The guide: its Python runs and prints what it says, its links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import guide
import pytest

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "cython_search" / "catena_search.pyx"

if not guide.PAGES:
    pytest.skip("the guide is not beside these tests", allow_module_level=True)

PROGRAMS = [
    pytest.param(page, number, id=f"{page}-line-{block.line}")
    for page in guide.PAGES
    for number, block in enumerate(guide.blocks(page, "python"))
]


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, guide.Reader]]:
    """A reader of each page, all in one folder, from where what they save can be imported."""
    folder = tmp_path_factory.mktemp("guide")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        yield {page: guide.Reader(page, folder) for page in guide.PAGES}


@pytest.mark.parametrize(("page", "number"), PROGRAMS)
def test_python_runs(readers: dict[str, guide.Reader], page: str, number: int) -> None:
    block = guide.blocks(page, "python")[number]
    reason = block.why_left_out()
    if reason:
        pytest.skip(reason)
    printed = readers[page].read_to(number)
    if block.output is not None:
        assert printed is not None
        assert [line.rstrip() for line in printed.splitlines()] == block.output.splitlines()


def test_most_programs_run_everywhere() -> None:
    """A slip in a comment must not leave out the guide."""
    marked = [block.values[0] for block in PROGRAMS if _block(block).mark in ("needs", "not run")]
    assert set(marked) <= {"cluster.md", "cython.md", "openspiel.md", "pettingzoo.md"}
    assert len(marked) < len(PROGRAMS) / 2


def _block(program: object) -> guide.Block:
    page, number = program.values  # type: ignore[attr-defined]
    return guide.blocks(page, "python")[number]


@pytest.mark.parametrize("page", guide.PAGES)
def test_every_fence_is_read(page: str) -> None:
    source = (guide.DOCS / page).read_text(encoding="utf-8")
    shown = sum(1 + (block.output is not None) for block in guide.blocks(page))
    assert 2 * shown == len(re.findall(r"^```", source, re.MULTILINE))
    comments = re.findall(r"^<!--", source, re.MULTILINE)
    assert len(comments) == sum(block.mark is not None for block in guide.blocks(page))


def test_cython_is_that_of_the_example() -> None:
    if not EXAMPLE.exists():
        pytest.skip("the examples are not beside these tests")
    source = EXAMPLE.read_text(encoding="utf-8")
    shown = [block for page in guide.PAGES for block in guide.blocks(page, "cython")]
    assert shown
    for block in shown:
        for part in block.text.split("\n...\n"):
            assert part.strip("\n") in source, f"{block.page}, line {block.line}"


def links(page: str) -> list[str]:
    source = (guide.DOCS / page).read_text(encoding="utf-8")
    return re.findall(r"\]\((?!https?:)([^)#]+)", source)


def test_the_contents_name_every_page() -> None:
    assert {link for link in links("index.md") if "/" not in link} == set(guide.PAGES) - {
        "index.md"
    }


@pytest.mark.parametrize("page", guide.PAGES)
def test_links_lead_somewhere(page: str) -> None:
    if not (ROOT / "setup.py").exists():
        pytest.skip("away from the sources there is nothing to link to")
    for link in links(page):
        assert (guide.DOCS / link).exists(), link
