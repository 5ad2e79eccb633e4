"""tools/site: docstrings and help texts as Markdown, links of pages, tables of contents, checks of a site."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


def test_a_docstring_as_markdown(site: ModuleType) -> None:
    text = site.docstrings.markdown(
        "Sum `x` of c(*, r).\n\n    f(x) = 2 x\n\n>>> f(1)\n2\n\nSee `Chain`.", {"Chain": "palmette.Chain"}
    )
    assert text.split("\n\n") == [
        "Sum `x` of c(\\*, r).",
        "```text\nf(x) = 2 x\n```",
        "```pycon\n>>> f(1)\n2\n```",
        "See {py:obj}`Chain <palmette.Chain>`.",
    ]


def test_options_of_a_help_text_are_a_table(site: ModuleType) -> None:
    lines = ["  beam: width of the beam (int >= 1, default 8)", "  tags: which tags (a, b, default a)"]
    assert site.commands.table_of(lines).split("\n")[2:] == [
        "| `beam` | width of the beam | int \\>= 1 | `8` |",
        "| `tags` | which tags | a, b | `a` |",
    ]


def test_every_option_of_a_command_has_a_row(site: ModuleType) -> None:
    text = site.commands.options("train tag")
    for option in ("--train FILE", "--order N", "--learner NAME", "--seed N"):
        assert f"| `{option}` |" in text
    assert "| `--min-count N` | Drop features seen fewer than N times. \\[x\\>=1\\] | `1` |" in text


def test_a_page_begins_with_examples_that_can_be_copied(site: ModuleType) -> None:
    page = next(page for page in site.commands.pages() if page.words == "train lm")
    text = site.commands.text(page)
    assert "palmette train lm --arpa model.arpa.gz -o en.palm    # an ARPA file of another toolkit\n" in text
    assert text.index("```sh") < text.index("| `--train FILE` |")


def test_every_command_has_its_options_in_the_reference(site: ModuleType) -> None:
    """On its page, on that of its group, or, for experiments with a tool, on the page of training."""
    pages = {page.words: site.commands.text(page) for page in site.commands.pages()}
    missing = []
    for page in site.commands.every():
        verb, _, name = page.words.partition(" ")
        text = pages.get(page.words) or pages[verb]
        if page.words not in pages and f"](train-{name}.md)" in text:
            text += pages[f"train {name}"]
        shown = set(re.findall(r"(?<=[`\s/])--?[a-zA-Z][\w-]*", text))
        for option in page.command.get_params(site.commands._context(page.command, page.words)):
            if option.param_type_name == "option" and option.name != "help" and not option.hidden:
                missing += [f"{page.words} {name}" for name in option.opts if name not in shown]
    assert not missing


def test_links_follow_pages(site: ModuleType) -> None:
    source = ROOT / "docs" / "tools" / "tagging.md"
    text = (
        "[a](../neural/README.md#x) `[b](../neural/README.md)` [c](../../CONTRIBUTING.md) [d](../../Makefile)"
    )
    assert site.sources.rewritten(text, source, "tools/tagging.md") == (
        "[a](../neural/index.md#x) `[b](../neural/README.md)` [c](../project/contributing.md) "
        "[d](../project/files.md)"
    )


def test_an_index_lists_its_pages(site: ModuleType, tmp_path: Path) -> None:
    for name, text in {
        "index.md": "# A",
        "loose.md": "# L",
        "tools/index.md": "[b](b.md) [t](../neural/index.md)",
        "tools/a.md": "",
        "tools/b.md": "",
        "neural/index.md": "",
        "reference/index.md": "[l](../loose.md)",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    site.contents.list_pages(tmp_path)
    lines = {
        name: (tmp_path / name / "index.md").read_text().partition(":hidden:\n\n")[2].split("\n")[:-2]
        for name in (".", "tools", "reference")
    }
    assert lines == {
        ".": ["tools/index", "reference/index"],
        "tools": ["b", "../neural/index", "a"],
        "reference": ["../loose"],
    }


def test_public_names_have_one_home(site: ModuleType) -> None:
    reference = site.names.Reference()
    import palmette

    assert reference.home[id(palmette.CRF)] == "palmette.CRF"
    page = reference.text(next(one for one in reference.packages if one.name == "palmette.cluster"))
    assert "{py:function} palmette.cluster.connect(" in page
    assert "{py:obj}`Engine <palmette.cluster.Engine>`" in page


def test_wrong_links_are_found(site: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there"></a><a href="b.html#gone"></a><a href="c.html"></a>'
        '<a href="https://x.org"></a><script src="https://x.org/y.js"></script>'
    )
    (tmp_path / "b.html").write_text('<p id="there"></p>')
    (tmp_path / "s.css").write_text("@import 'x';")
    assert list(site.links.wrong_links(tmp_path)) == [
        "a.html: loads https://x.org/y.js",
        "a.html: b.html#gone: the page has no such place",
        "a.html: c.html leads nowhere",
    ]
    assert len(list(site.links.outside(tmp_path))) == 1


def test_the_reference_links_to_pages_that_only_the_site_has(site: ModuleType) -> None:
    text = site.sources.included("<!-- generated -->", "reference/index.md")
    assert re.findall(r"\]\((.+?)\)", text) == ["commands/index.md", "python/index.md"]
    assert "<!-- generated -->" in (ROOT / "docs/reference/README.md").read_text(encoding="utf-8")
