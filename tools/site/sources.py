"""The sources of the site in one folder: docs/, pages from the root, examples, and pages that are generated.

The Markdown of docs/ is plain, so that it reads well where it is. Here it gets what Sphinx needs: README.md of a
folder becomes its index.md, links follow, and every index gets the list of its pages.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path

import commands
from contents import list_pages
from notebooks import notebook
from pagetext import LINK, parts, relative

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Pages of the repository that the site has, too.
PROJECT = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/conduct.md",
}
# Folders of doors that may not have a page of their own yet.
TITLES = {
    "build": "Build your own",
    "learn": "Learn the algorithms",
    "migration": "Coming from other systems",
}


def place(path: Path) -> str | None:
    """Return the name of the page that a file of the repository becomes, or None if the site does not have it."""
    name = path.relative_to(ROOT).as_posix()
    if name in PROJECT:
        return PROJECT[name]
    if name == "README.md":
        return "index.md"
    if path.is_relative_to(DOCS):
        found = path.relative_to(DOCS).as_posix()
    elif name.startswith("examples/"):
        found = name
    else:
        return None
    if path.is_dir():
        found = f"{found}/README.md"
    return re.sub(r"(^|/)README\.md$", r"\1index.md", found)


def rewritten(text: str, source: Path, target: str) -> str:
    """Return a page of the repository as a page of the site: its links lead to pages and files of the site."""
    return "".join(
        part if is_code else LINK.sub(lambda found: _link(found, source, target), part)
        for part, is_code in parts(text)
    )


def _link(found: re.Match[str], source: Path, target: str) -> str:
    address, hash_, anchor = found[2].partition("#")
    if "://" in address or not address or address.startswith("mailto:"):
        return found[0]
    path = Path(os.path.normpath(source.parent / address))
    page = place(path) if path.exists() and path.is_relative_to(ROOT) else address
    if page is None:  # a file that is not on the site, such as a program of benchmarks/
        return f"{found[1]}{relative(target, 'project/files.md')}{found[3]}"
    if page is address:
        return found[0]
    return f"{found[1]}{relative(target, page)}{hash_}{anchor}{found[3]}"


def assemble(folder: Path) -> None:
    """Write all sources to a folder. Files that do not change keep their time: Sphinx reads the others."""
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    for path in sorted(DOCS.rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".ipynb", ".pyc"):
            _place(path, new / str(place(path)))
    for name, page in PROJECT.items():
        if (ROOT / name).exists():
            _place(ROOT / name, new / page)
    (new / "project/files.md").write_text(_FILES, encoding="utf-8")
    _notebooks(new / "learn")
    _examples(new)
    _generate(new)
    for name, title in TITLES.items():
        if not (new / name / "index.md").exists():
            _write(new / name / "index.md", f"# {title}\n")
    list_pages(new)
    _replace(folder, new)


_FILES = """# Files

The programs, tests and benchmarks that pages name by their paths are in the repository:

| folder | what is in it |
| --- | --- |
| `src/palmette` | the Python package |
| `native` | the C++ core |
| `examples` | programs and data of the guides: [examples](../examples/index.md) |
| `benchmarks` | comparisons with other systems, run by `make bench` |
| `tests` | the tests, run by `make test` |
"""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _place(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".md":
        shutil.copyfile(path, target)
        return
    page = place(path)
    assert page is not None
    _write(target, included(rewritten(path.read_text(encoding="utf-8"), path, page), page))


def included(text: str, page: str) -> str:
    """Return a page with what its marks ask for.

    `<!-- options: tag -->`: tables with the options of a tool, or of a verb. `<!-- kernels -->`: the parameters of
    all kernels. `<!-- glossary -->`: the glossary. `<!-- generated -->`: links to pages that only the site has.
    """
    text = re.sub(r"<!-- options: ([\w-]+) -->", lambda found: _options(found[1], page), text)
    text = re.sub(r"<!-- kernels -->", lambda _: kernels(), text)
    text = re.sub(r"<!-- generated -->", lambda _: _generated_pages(page), text)
    return re.sub(r"<!-- glossary -->", lambda _: glossary(), text)


def _generated_pages(page: str) -> str:
    named = {
        "All commands": "reference/commands/index.md",
        "Public names in Python": "reference/python/index.md",
    }
    return "\n".join(f"- [{title}]({relative(page, name)})" for title, name in named.items())


def _options(name: str, page: str) -> str:
    """Return the options of training and prediction by a tool, closed until they are asked for, and links."""
    if name in commands.VERBS:
        shown, linked = [name], []
    else:
        found = [verb for verb in ("train", *commands.OF_MODELS) if commands.of_tool_named(verb, name)]
        shown, linked = [f"{verb} {name}" for verb in found[:2]], [f"{verb} {name}" for verb in found[2:]]
    head = '<details class="options"><summary>{}</summary>\n\n{}\n\n</details>'
    parts = [head.format(commands.title(words), commands.options(words)) for words in shown]
    links = [
        f"[`{commands.title(words)}`]({relative(page, f'reference/commands/{commands.file_of(words)}')})"
        for words in [*shown, *linked]
    ]
    return "\n\n".join([*parts, f"Pages of commands: {', '.join(links)}."])


def kernels() -> str:
    """Return a table of all kernels that have parameters, with the defaults."""
    from palmette.features import kernels as package

    rows = [["kernel", "parameter", "default"]]
    for name in sorted(dir(package)):
        kind = getattr(package, name)
        if isinstance(kind, type) and issubclass(kind, package.Kernel) and is_dataclass(kind):
            for one in fields(kind):
                default = one.default if one.default_factory is MISSING else one.default_factory()
                shown = (
                    "required" if default is MISSING else f"`{getattr(default, '__name__', repr(default))}`"
                )
                rows.append([f"`{name}`", f"`{one.name}`", shown])
    return commands.table(rows)


def glossary() -> str:
    """Return the table of CONTRIBUTING.md as a list of definitions with an anchor for each word."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Glossary\n")[2]
    rows = re.findall(r"^\| (?!word \||---)(.+?) \| (.+) \|$", text, re.MULTILINE)
    entries = [f"{word}\n  {meaning}" for word, meaning in sorted(rows, key=lambda row: row[0].lower())]
    return "```{glossary}\n" + "\n\n".join(entries).replace("\\|", "|") + "\n```"


def _notebooks(folder: Path) -> None:
    """Write every chapter as a notebook, too, and link it above the formula."""
    for chapter in sorted((DOCS / "learn").glob("*.md")):
        if chapter.stem != "index":
            _write(folder / f"{chapter.stem}.ipynb", notebook(chapter))
            page = folder / chapter.name
            link = f"[Download this chapter as a notebook]({chapter.stem}.ipynb)."
            text = page.read_text(encoding="utf-8")
            _write(page, text.replace("\n## The formula\n", f"\n{link}\n\n## The formula\n", 1))


def _examples(new: Path) -> None:
    """Write a page for every folder of examples: its README, its programs, and links to its files."""
    titles = []
    for folder in sorted(
        path for path in (ROOT / "examples").iterdir() if path.is_dir() and path.name[0] != "_"
    ):
        target = new / "examples" / folder.name
        readme = folder / "README.md"
        page = f"examples/{folder.name}/index.md"
        title = folder.name.replace("_", " ").capitalize()
        text = (
            rewritten(readme.read_text(encoding="utf-8"), readme, page) if readme.exists() else f"# {title}\n"
        )
        files = sorted(path for path in folder.iterdir() if path.is_file() and path != readme)
        target.mkdir(parents=True)
        for path in files:
            shutil.copyfile(path, target / path.name)
        listed = "\n".join(f"- [{path.name}]({path.name})" for path in files)
        programs = "\n".join(
            f"## {path.name}\n\n```python\n{path.read_text(encoding='utf-8').rstrip()}\n```\n"
            for path in files
            if path.suffix == ".py"
        )
        _write(target / "index.md", f"{text.rstrip()}\n\n## Files\n\n{listed}\n\n{programs}")
        titles.append(f"- [{title}]({folder.name}/index.md)")
    _write(
        new / "examples/index.md",
        "# Examples\n\nPrograms and small data, as in the folder `examples`.\n\n" + "\n".join(titles) + "\n",
    )


def _generate(new: Path) -> None:
    """Write the pages of commands and of Python names."""
    from names import Reference

    pages = commands.write(new / "reference/commands")
    rows = [f"- [{title}]({name})" for name, title in pages.items()]
    _write(
        new / "reference/commands/index.md",
        "# All commands\n\nMade from the program itself; `palmette COMMAND --help` prints the same.\n\n"
        + "\n".join(rows)
        + "\n",
    )
    reference = Reference()
    rows = [f"- [{name[:-3]}]({name})" for name in reference.write(new / "reference/python")]
    _write(
        new / "reference/python/index.md",
        "# Public names in Python\n\nMade from the docstrings.\n\n" + "\n".join(rows) + "\n",
    )


def _replace(folder: Path, new: Path) -> None:
    """Put the new sources where the old ones are."""
    folder.mkdir(parents=True, exist_ok=True)
    fresh = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        if path.relative_to(folder) not in fresh:
            path.unlink()
    for name in fresh:
        old = folder / name
        if not old.exists() or old.read_bytes() != (new / name).read_bytes():
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(new / name, old)
    shutil.rmtree(new)
