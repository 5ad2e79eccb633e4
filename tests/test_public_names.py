"""Packages offer the names that they list, type checkers see the same ones, and importing loads nothing large."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import palmette
from palmette.exports import OFFERED

AT_ROOT = """
AROW Aligner CRF Chain Classifier ConstituencyParser Corpus Deduction DependencyParser DependencyTree EM
ExponentiatedGradient FormatError Grammar HMM Hypergraph InferenceRules KernelPerceptron KernelSVM LanguageModel
LatentCRF Learner MEMM MIRA MinimumRisk NearestNeighbours Neural PassiveAggressive Perceptron Pipeline Reranker
SemanticParser SenseTagger Sentiment SpanTagger StructuredSVM TagInducer Tagger Templates Thesaurus Tokenizer
Translator Tree VB adapt load
""".split()
MOST_AT_ROOT = 46
SOURCE = Path(str(palmette.__file__)).parent
PACKAGES = sorted(
    ".".join(("palmette", *path.parent.relative_to(SOURCE).parts))
    for path in SOURCE.rglob("__init__.py")
    if "offer(" in path.read_text(encoding="utf-8")
)


def test_the_root_offers_few_names() -> None:
    assert palmette.__all__ == sorted(AT_ROOT)
    assert len(palmette.__all__) <= MOST_AT_ROOT


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_can_be_had(package: str) -> None:
    module = import_module(package)
    for name in dir(module):
        assert getattr(module, name) is not None


@pytest.mark.parametrize("package", PACKAGES)
def test_an_error_says_what_it_is(package: str) -> None:
    """Not what the built-in error says from which it inherits."""
    module = import_module(package)
    for name in dir(module):
        kind = getattr(module, name)
        if isinstance(kind, type) and issubclass(kind, Exception):
            inherited = [base.__doc__ for base in kind.__mro__[1:]]
            assert kind.__doc__ not in [None, *inherited], name


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_see_the_same_names(package: str) -> None:
    module = import_module(package)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    seen = {
        (alias.asname, f"{node.module}.{alias.name}" if node.module == package else node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{package}.")
        for alias in node.names
        if alias.asname
    }
    names, inside = OFFERED[package]
    assert seen == {*names.items(), *((name, f"{package}.{name}") for name in inside)}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_is_not_that_of_a_module(package: str) -> None:
    folder = SOURCE.joinpath(*package.split(".")[1:])
    import_module(package)
    names, _ = OFFERED[package]
    assert not [name for name in names if (folder / name).is_dir() or (folder / f"{name}.py").is_file()]


def test_packages_are_reached_from_the_root() -> None:
    code = "import palmette; palmette.formats.read_conllu, palmette.features.kernels.TreeKernel"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(palmette, "Deductoin")
    with pytest.raises(AttributeError) as caught:
        getattr(palmette, "Deductoin")  # noqa: B009
    assert str(caught.value) == "module 'palmette' has no attribute 'Deductoin'"


@pytest.mark.parametrize(
    "place",
    ["formats.read_conllu", "features.kernels.TreeKernel", "tools.alignment.read_pairs", "inference.AStar"],
)
def test_an_error_names_the_package_that_has_a_name(place: str) -> None:
    with pytest.raises(AttributeError, match=f": it is palmette.{place}$"):
        getattr(palmette, place.rpartition(".")[2])


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_does_not_import_numpy(package: str) -> None:
    code = f"import sys, {package}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_version_is_that_of_the_package() -> None:
    assert palmette.__version__ == version("palmette")
    code = "import sys, palmette; palmette.__version__; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
