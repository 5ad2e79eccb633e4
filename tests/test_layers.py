"""Which folder may use which: the tables below are the layers of the house, from the bottom up.

A folder may use itself and the folders in its row. Write a new edge down here; a cycle is refused.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
NATIVE = ROOT / "native"
SOURCE = ROOT / "src" / "palmette"
ROOT_MODULES = "root"
MOST_FILES = 30  # in one folder
_NOT_OF_A_PACKAGE = {"oracles", "samples", "notes", "data", "faults", "builds"}  # folders of tests

# The packages of palmette and those that they import. All may import the modules beside palmette/__init__.py
# (errors, parameters, …), which import no package. The names that palmette/__init__.py offers are not used inside.
IMPORTS: Mapping[str, set[str]] = {
    package: set(row.split())
    for package, row in {
        ROOT_MODULES: "",
        "models": "",
        "trees": "",
        "drawing": "trees",
        "transforms": "trees",
        "formats": "drawing trees",
        "formats.conversion": "formats trees",
        "formats.model": "formats",
        "formats.moses": "formats",
        "inference": "drawing trees",
        "structures": "drawing inference transforms trees",
        "structures.arborescence": "inference structures",
        "structures.chart": "inference trees",
        "evaluation": "drawing formats formats.conversion structures trees",
        "features.kernels": "trees",
        "features": "features.kernels formats formats.model transforms trees",
        "features.network": "features formats",
        "learning": "drawing features.kernels",
        "cluster": "learning",
        "grammars": "drawing formats inference learning structures transforms trees",
        "grammars.synchronous": "drawing formats grammars inference trees",
        "tools": "drawing features features.network formats formats.model learning models",
        "tools.annotation": "formats",
        "tools.experiments": "cluster drawing formats",
        "tools.text": "formats",
        "tools.lm": "drawing formats formats.model tools",
        "tools.alignment": "drawing evaluation formats formats.model learning structures tools",
        "tools.translation": (
            "drawing evaluation formats formats.model formats.moses inference learning tools tools.alignment "
            "tools.constituency tools.lm tools.text tools.translation.raw tools.translation.tuning trees"
        ),
        "tools.translation.phrases": (
            "formats formats.model inference learning tools.alignment tools.lm tools.translation "
            "tools.translation.tables"
        ),
        "tools.translation.chart": (
            "drawing formats formats.model inference learning tools.alignment tools.lm tools.translation "
            "tools.translation.rules trees"
        ),
        "tools.translation.tree_to_string": (
            "formats.model learning tools.alignment tools.constituency tools.lm tools.translation "
            "tools.translation.chart tools.translation.rules trees"
        ),
        "tools.translation.tables": "formats formats.model formats.moses tools.alignment",
        "tools.translation.raw": "formats.model tools.alignment tools.text",
        "tools.translation.rules": (
            "formats formats.model formats.moses tools.alignment tools.translation.tables trees"
        ),
        "tools.sequence": (
            "evaluation features features.network formats formats.model learning neural.networks neural.recurrent "
            "structures tools"
        ),
        "tools.morphology": "drawing evaluation features formats formats.model learning tools tools.sequence",
        "tools.tokens": (
            "evaluation features formats formats.model learning tools tools.morphology tools.sequence tools.text"
        ),
        "tools.dependency": (
            "evaluation features features.network formats formats.model learning models tools "
            "tools.sequence trees"
        ),
        "tools.dependency.graph": (
            "features learning structures structures.arborescence tools tools.dependency tools.sequence trees"
        ),
        "tools.dependency.neural": (
            "features features.network formats learning neural.networks structures.arborescence tools "
            "tools.dependency tools.sequence trees"
        ),
        "tools.dependency.transition": "features learning structures tools tools.dependency",
        "tools.pipeline": (
            "drawing evaluation features formats formats.model models structures learning tools tools.dependency "
            "tools.dependency.graph tools.dependency.transition tools.morphology tools.sequence tools.text "
            "tools.tokens trees"
        ),
        "tools.constituency": (
            "evaluation features formats formats.conversion formats.model learning models tools trees"
        ),
        "tools.constituency.pcfg": (
            "features formats formats.model learning structures.chart tools.constituency tools.sequence "
            "transforms trees"
        ),
        "tools.constituency.lexicalized": (
            "features learning structures.chart tools.constituency transforms trees"
        ),
        "tools.constituency.latent": "features learning tools.constituency transforms trees",
        "tools.constituency.features": (
            "features formats formats.model learning structures tools tools.constituency tools.sequence "
            "transforms trees"
        ),
        "tools.constituency.plcfrs": "grammars learning tools.constituency transforms trees",
        "tools.constituency.combination": "formats.model learning structures.chart tools.constituency trees",
        "tools.classification": (
            "evaluation features features.kernels formats formats.model learning tools tools.constituency "
            "tools.sequence tools.text trees"
        ),
        "tools.reranking": (
            "evaluation features features.kernels formats formats.model learning models tools "
            "tools.constituency tools.sequence trees"
        ),
        "tools.translation.tuning": "evaluation formats formats.moses inference learning tools",
        "tools.sentiment": (
            "evaluation formats formats.model learning structures tools tools.classification tools.text"
        ),
        "tools.senses": (
            "drawing evaluation features formats formats.model learning tools tools.classification tools.sequence "
            "tools.text"
        ),
        "tools.thesaurus": "drawing formats formats.model tools tools.dependency tools.lm tools.text",
        "tools.inference_rules": "formats formats.model tools tools.dependency tools.lm tools.thesaurus",
        "tools.semantics": "drawing evaluation formats formats.model learning tools trees",
        "neural": "neural.functions",
        "neural.functions": "inference structures structures.chart",
        "neural.networks": "features.network learning neural neural.functions structures",
        "trace": (
            "drawing features features.kernels grammars inference learning structures tools.alignment "
            "tools.dependency tools.lm tools.sequence tools.translation.phrases tools.translation.tables "
            "tools.translation.tuning trees"
        ),
        "serve": (
            "cli cli.tools.align cli.tools.classify cli.tools.morphology cli.tools.pipeline cli.tools.sentiment "
            "cli.tools.sequence formats formats.model models tools tools.pipeline trace"
        ),
        "serve.editing": (
            "cli.tools.sequence formats learning serve tools.alignment tools.annotation tools.constituency "
            "tools.dependency tools.pipeline trees"
        ),
        "neural.rbm": "learning neural.functions neural.networks structures",
        "neural.recurrent": "features.network formats learning neural.functions neural.networks",
        "compat": "neural tools.lm",
        "compat.sklearn_crfsuite": "features formats formats.model learning tools.sequence",
        "cli": (
            "drawing evaluation features formats formats.model learning models tools tools.alignment "
            "tools.classification tools.constituency tools.dependency tools.experiments tools.reranking "
            "tools.sequence trees"
        ),
        "cli.shards": "cli cluster formats formats.model models tools",
        "cli.plots": "cli drawing evaluation formats formats.model models tools tools.lm",
        "cli.training": "cli cluster formats tools",
        "cli.verbs": (
            "cli cli.plots cli.shards cli.tools.align cli.training drawing evaluation formats formats.conversion "
            "formats.model formats.moses grammars grammars.synchronous inference learning models serve "
            "serve.editing tools tools.alignment tools.annotation tools.constituency tools.dependency "
            "tools.experiments tools.lm tools.pipeline tools.sequence tools.translation "
            "tools.translation.tuning trace trees"
        ),
        "cli.tools": "cli features.network formats learning tools tools.alignment",
        "cli.tools.sequence": (
            "cli cli.tools evaluation features features.network formats formats.model learning tools "
            "tools.annotation tools.sequence tools.text"
        ),
        "cli.tools.morphology": (
            "cli cli.tools cli.tools.sequence features formats formats.model tools tools.morphology "
            "tools.sequence"
        ),
        "cli.tools.lm": "cli cli.tools cli.tools.sequence formats formats.model tools tools.lm",
        "cli.tools.align": (
            "cli cli.tools cli.tools.sequence evaluation formats formats.model learning tools.alignment"
        ),
        "cli.tools.translate": (
            "cli cli.tools cli.tools.sequence drawing formats formats.model formats.moses "
            "learning tools.alignment tools.translation tools.translation.tables"
        ),
        "cli.tools.classify": (
            "cli cli.tools cli.tools.sequence evaluation formats formats.model learning tools "
            "tools.classification tools.constituency"
        ),
        "cli.tools.semantics": (
            "cli cli.tools cli.tools.sequence formats formats.model learning tools tools.semantics"
        ),
        "cli.tools.senses": (
            "cli cli.tools cli.tools.sequence formats formats.model learning tools tools.senses"
        ),
        "cli.tools.sentiment": (
            "cli cli.tools cli.tools.sequence formats formats.model learning tools tools.sentiment"
        ),
        "cli.tools.thesaurus": (
            "cli cli.tools cli.tools.sequence formats formats.model learning tools tools.thesaurus"
        ),
        "cli.tools.rules": (
            "cli cli.tools cli.tools.sequence cli.tools.thesaurus formats formats.model learning tools "
            "tools.inference_rules"
        ),
        "cli.tools.tokens": (
            "cli cli.tools cli.tools.sequence evaluation formats formats.model tools tools.text tools.tokens"
        ),
        "cli.tools.depparse": (
            "cli cli.tools cli.tools.sequence evaluation features.network formats formats.model learning "
            "tools tools.dependency"
        ),
        "cli.tools.pipeline": (
            "cli cli.tools cli.tools.depparse cli.tools.sequence evaluation formats formats.model tools "
            "tools.dependency tools.pipeline tools.text tools.tokens"
        ),
        "cli.tools.parse": (
            "cli cli.tools cli.tools.depparse cli.tools.sequence drawing evaluation formats formats.model "
            "learning tools tools.constituency trees"
        ),
        "cli.tools.rerank": (
            "cli cli.tools cli.tools.parse cli.tools.sequence evaluation features features.kernels formats "
            "formats.model learning tools tools.constituency tools.reranking tools.sequence trees"
        ),
    }.items()
}

# Modules that import a package against the table, and why. This list may only become shorter.
EXCEPTIONS: Mapping[tuple[str, str], str] = {
    ("inference.deduction", "formats"): "Deduction.from_file reads by formats.files",
}

# Modules that import a package against the table later: inside a function, or for types only. This list may only
# become shorter, too.
LATE_EXCEPTIONS: Mapping[tuple[str, str], str] = {
    ("grammars.hidden_markov", "features"): "a grammar of a tagger",
    ("grammars.hidden_markov", "tools.sequence"): "a grammar of a tagger",
    ("tools.loading", "tools.lm"): "an ARPA file does not name its tool",
    ("trees.dependency_tree", "drawing"): "methods that draw",
    ("trees.dependency_tree", "formats"): "the sentence of a tree",
    ("trees.tree", "drawing"): "methods that draw",
    ("trees.tree", "formats"): "methods that read and write brackets",
}

# The folders of native/ and those whose headers they include. The folders of bind/ mirror them: a row names other
# folders of bind/; the folder that it binds, and what that one includes, are allowed as well.
INCLUDES: Mapping[str, set[str]] = {
    "base": set(),
    "base/sums": {"base"},
    "formats": {"base"},
    "features": {"base"},
    "features/kernels": {"base"},
    "features/network": {"base"},
    "inference": {"base"},
    "learning": {"base"},
    "structures/chain": {"base", "base/sums", "learning"},
    "structures/arborescence": {"base", "base/sums"},
    "structures/chart": {"base", "base/sums"},
    "structures/candidates": {"base", "learning"},
    "structures/factored": {"base", "learning"},
    "structures/arcs": {"base", "features", "learning", "structures/arborescence"},
    "structures/transitions": {"base", "features", "learning"},
    "structures/anchored": {"base", "features", "learning", "structures/chart"},
    "tools/constituency/latent": {"base"},
    "tools/constituency/lcfrs": {"base"},
    "tools/constituency/phrases": {"base", "structures/anchored", "tools/constituency/latent"},
    "tools/constituency/lexicalized": {"base", "inference", "structures/chart", "tools/constituency/phrases"},
    "tools/distribution": {"base"},
    "tools/lm": {"base"},
    "tools/alignment": {"base"},
    "tools/translation": {"base", "tools/alignment", "tools/lm"},
    "tools/translation/rules": {"base", "tools/alignment", "tools/translation"},
    "tools/translation/search": {"base", "inference", "tools/lm", "tools/translation"},
    "tools/translation/chart": {
        "base",
        "inference",
        "tools/lm",
        "tools/translation",
        "tools/translation/rules",
        "tools/translation/search",
    },
    "tools/translation/tuning": {"base", "inference"},
}
BINDINGS: Mapping[str, set[str]] = {
    "bind": set(),
    "bind/processor": set(),
    "bind/formats": {"bind"},
    "bind/features": {"bind"},
    "bind/features/kernels": {"bind", "bind/formats"},
    "bind/inference": {"bind"},
    "bind/learning": {"bind"},
    "bind/structures": {"bind", "bind/features", "bind/learning"},
    "bind/tools/constituency": {"bind", "bind/features", "bind/formats", "bind/learning"},
    "bind/tools/distribution": {"bind"},
    "bind/tools/lm": {"bind"},
    "bind/tools/alignment": {"bind"},
    "bind/tools/translation": {"bind", "bind/tools/alignment", "bind/tools/lm"},
}


class Import(NamedTuple):
    """A module, a package that it imports, and whether late: in a function, or for types only."""

    module: str
    package: str
    late: bool


def name_of(path: Path) -> str:
    """Return the dotted name of a module, from palmette on."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def package_of(name: str) -> str:
    return name.rpartition(".")[0] or ROOT_MODULES


def imported(node: ast.AST, late: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the dotted names that a tree imports, and whether late."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((alias.name, late) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from ((f"{child.module}.{alias.name}", late) for alias in child.names)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from imported(child, late=True)
        else:
            yield from imported(child, late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def imports() -> frozenset[Import]:
    """Return the imports between packages of palmette."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        name = name_of(path)
        if path.parent == SOURCE and path.stem.startswith("__"):
            continue  # what is offered to users: everything
        for used, late in imported(ast.parse(path.read_text(encoding="utf-8"))):
            top, _, rest = used.partition(".")
            if top != "palmette" or not rest or rest.startswith("_"):
                continue
            folder = SOURCE.joinpath(*rest.split("."))
            while not folder.is_dir():
                folder = folder.parent
            package = ".".join(folder.relative_to(SOURCE).parts) or ROOT_MODULES
            offered = path.stem == "__init__" and package.startswith(f"{package_of(name)}.")
            if package != package_of(name) and not offered:  # a package offers those inside it
                found.add(Import(name, package, late))
    return frozenset(found)


def check_exceptions(late: bool, exceptions: Mapping[tuple[str, str], str]) -> None:
    against = {
        (one.module, one.package)
        for one in imports()
        if one.late == late and one.package not in IMPORTS[package_of(one.module)] | {ROOT_MODULES}
    }
    assert against - exceptions.keys() == set(), "these imports go against the table"
    assert exceptions.keys() - against == set(), "these exceptions can be deleted"


def test_packages_are_in_the_table() -> None:
    assert {package_of(name_of(path)) for path in SOURCE.rglob("*.py")} == IMPORTS.keys()


def test_imports_go_along_the_table() -> None:
    check_exceptions(False, EXCEPTIONS)


def test_late_imports_go_along_the_table() -> None:
    check_exceptions(True, LATE_EXCEPTIONS)


def test_packages_have_no_cycle() -> None:
    """Exceptions count: at import time nothing goes round."""
    edges = {package: set(row) for package, row in IMPORTS.items()}
    for module, package in EXCEPTIONS:
        edges[package_of(module)].add(package)
    check_acyclic(edges)


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


@pytest.mark.parametrize("top", ["native", "src", "tests", "benchmarks", "tools", "docs"])
def test_folders_are_small(top: str) -> None:
    sizes = Counter(
        path.parent for path in (ROOT / top).rglob("*") if path.is_file() and path.suffix != ".pyc"
    )
    large = {folder.relative_to(ROOT).as_posix(): size for folder, size in sizes.items() if size > MOST_FILES}
    assert not large, f"more than {MOST_FILES} files in a folder: sort them into folders by idea"


def test_texts_name_native_files_that_exist() -> None:
    texts = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py"), *ROOT.glob("*.md")]
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in texts
        if path.name != "CHANGELOG.md"
        for name in re.findall(r"\bnative/[\w/]+\.[ch]pp\b", path.read_text(encoding="utf-8"))
        if "NAME" not in name and not (ROOT / name).is_file()
    ]
    assert not wrong


def test_test_folders_mirror_the_package() -> None:
    """A folder of tests has the name of the package that it tests, except helpers, notes, faults and builds."""
    tests, package = ROOT / "tests", ROOT / "src" / "palmette"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("*.py")} - {Path()}
    lost = sorted(
        f"tests/{folder.as_posix()}"
        for folder in folders
        if folder.parts[0] not in {"oracles", "samples", "notes", "data", "faults", "builds"}
        and not (package / folder).is_dir()
    )
    assert not lost, "src/palmette has no such folder: move these tests to the folder of what they test"
