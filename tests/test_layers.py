"""Which folder may use which: the tables below are the layers of the house, from the bottom up.

A folder may use itself and the folders in its row. Write a new edge down here; a cycle is refused.
"""

import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "native"
MOST_FILES = 30  # in one folder

# The folders of native/ and those whose headers they include. The folders of bind/ mirror them: a row names other
# folders of bind/; the folder that it binds, and what that one includes, are allowed as well.
INCLUDES: Mapping[str, set[str]] = {
    "base": set(),
    "formats": {"base"},
    "features": {"base"},
    "features/kernels": {"base"},
    "inference": {"base"},
    "learning": {"base"},
    "structures/chain": {"base", "learning"},
    "structures/arborescence": {"base"},
    "structures/chart": {"base"},
    "structures/candidates": {"base", "learning"},
    "tools/dependency/graph": {"base", "features", "learning", "structures/arborescence"},
    "tools/dependency/transition": {"base", "features", "learning"},
    "tools/constituency/anchored": {"base", "features", "learning", "structures/chart"},
    "tools/constituency/latent": {"base"},
    "tools/constituency/lcfrs": {"base"},
    "tools/constituency/phrases": {"base", "tools/constituency/anchored", "tools/constituency/latent"},
    "tools/constituency/lexicalized": {"base", "inference", "structures/chart", "tools/constituency/phrases"},
    "tools/lm": {"base"},
    "tools/alignment": {"base"},
}
BINDINGS: Mapping[str, set[str]] = {
    "bind": set(),
    "bind/formats": {"bind"},
    "bind/features": {"bind"},
    "bind/features/kernels": {"bind", "bind/formats"},
    "bind/inference": {"bind"},
    "bind/learning": {"bind"},
    "bind/structures": {"bind", "bind/learning"},
    "bind/tools/dependency": {"bind", "bind/features", "bind/learning"},
    "bind/tools/constituency": {"bind", "bind/features", "bind/formats", "bind/learning"},
    "bind/tools/lm": {"bind"},
    "bind/tools/alignment": {"bind"},
}


def folder_of(path: Path) -> str:
    return path.parent.relative_to(NATIVE).as_posix()


def includes() -> Iterator[tuple[Path, str]]:
    """Yield every source file of native/ with each header that it includes by name."""
    for path in sorted(NATIVE.rglob("*.?pp")):
        for name in re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            yield path, name


def allowed(folder: str) -> set[str]:
    """Return the folders whose headers a file in this folder may include."""
    if folder in INCLUDES:
        return INCLUDES[folder] | {folder}
    bound = folder.removeprefix("bind").removeprefix("/")
    below = [name for name in INCLUDES if f"{name}/".startswith(f"{bound}/")] if bound else []
    return BINDINGS[folder] | {folder, "base"} | set(below).union(*(INCLUDES[name] for name in below))


def check_acyclic(edges: Mapping[str, set[str]]) -> None:
    """Fail with the folders of a cycle, if the edges have one."""
    try:
        list(TopologicalSorter(edges).static_order())
    except CycleError as error:
        pytest.fail(f"a cycle: {' → '.join(error.args[1])}")


def test_native_folders_are_in_the_table() -> None:
    assert {folder_of(path) for path in NATIVE.rglob("*.?pp")} == {*INCLUDES, *BINDINGS}


def test_an_include_names_its_folder() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {name}" for path, name in includes() if not (NATIVE / name).is_file()
    ]
    assert not wrong, "write the path from native/ on"


def test_includes_go_along_the_table() -> None:
    wrong = {
        f"{folder} includes {used}, in {path.name}"
        for path, name in includes()
        for folder, used in [(folder_of(path), Path(name).parent.as_posix())]
        if used not in allowed(folder)
    }
    assert not wrong


def test_native_folders_have_no_cycle() -> None:
    check_acyclic({folder: allowed(folder) - {folder} for folder in {*INCLUDES, *BINDINGS}})


def test_native_folders_are_small() -> None:
    sizes = {
        folder: sum(path.is_file() for path in (NATIVE / folder).iterdir())
        for folder in {*INCLUDES, *BINDINGS}
    }
    assert max(sizes.values()) <= MOST_FILES, sizes


def test_texts_name_native_files_that_exist() -> None:
    texts = [*(ROOT / "docs").glob("*.md"), *(ROOT / "src").rglob("*.py"), *ROOT.glob("*.md")]
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in texts
        if path.name != "CHANGELOG.md"
        for name in re.findall(r"\bnative/[\w/]+\.[ch]pp\b", path.read_text(encoding="utf-8"))
        if "NAME" not in name and not (ROOT / name).is_file()
    ]
    assert not wrong
