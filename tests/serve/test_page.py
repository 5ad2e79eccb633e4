"""The page in Chromium: every view, by mouse and by keyboard, without an error in the console."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palmette.serve.app import PAGE
from serve.conftest import EXAMPLES

MOST_BYTES = 300_000


def test_the_page_is_light_and_stays_at_home() -> None:
    files = [path for path in PAGE.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    for path in files:
        if path.suffix in (".js", ".css", ".html") and path.parent.name != "vendor":
            text = path.read_text(encoding="utf-8")
            assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text), path
            assert not re.findall(r"\beval\(|innerHTML|dangerouslySetInnerHTML|\bon\w+=\"", text), path
    assert {path.name for path in (PAGE / "vendor").iterdir()} >= {"preact-LICENSE.txt", "htm-LICENSE.txt"}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("chromium is not installed: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("edited")
    shutil.copy(EXAMPLES / "parsing/test.conllu", made / "t.conllu")
    return made


@pytest.fixture(scope="module")
def address(trained: dict[str, str], folder: Path) -> Iterator[str]:
    names = ["parse", "spans", "tag", "classify", "align", "translate"]
    command = [sys.executable, "-m", "palmette", "serve", "en", *(trained[name] for name in names)]
    command += ["--port", "0", "--quiet", "--edit", str(folder / "t.conllu")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        first = server.stderr.readline()
        found = re.search(r"http://[0-9.:]+/", first)
        assert found is not None, first
        yield found[0]
        server.terminate()
        server.wait(30)


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    """The page, which must not have written an error to the console in the end."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900}, accept_downloads=True)
    context.set_default_timeout(60_000)
    made = context.new_page()
    errors: list[str] = []
    made.on(
        "console",
        lambda message: errors.append(message.text) if message.type in ("error", "warning") else None,
    )
    made.on("pageerror", lambda error: errors.append(str(error)))
    made.on(
        "request", lambda request: errors.append(request.url) if not _at_home(request.url, address) else None
    )
    made.goto(address)
    made.wait_for_selector("svg.drawing g.arc")
    yield made
    context.close()
    assert errors == []


def _at_home(url: str, address: str) -> bool:
    return url.startswith((address, "blob:", "data:"))


def accessible(page: Any) -> None:
    """Check the page by axe-core."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    source = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    page.evaluate(source)
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})")
    told = [f"{one['id']}: {node['html'][:120]}" for one in found["violations"] for node in one["nodes"]]
    assert told == []


def test_a_tree_its_probabilities_and_why(page: Any) -> None:
    assert page.locator("section.answer").count() == 2
    first = page.locator("section.answer").first
    first.locator("g.word").nth(1).hover()
    page.wait_for_selector(".tip table")
    assert "NOUN" in page.locator(".tip").inner_text()
    first.locator("g.word").nth(0).click()
    page.wait_for_selector("aside.why .sum")
    amounts = page.locator("aside.why tr:not(.sum) td.number").all_inner_texts()
    margin = page.locator("aside.why tr.sum td.number").inner_text()
    why = [float(text.replace("−", "-")) for text in amounts if "%" not in text]
    assert sum(why) == pytest.approx(float(margin.replace("−", "-")), abs=0.06)
    page.wait_for_selector("aside.why svg.arcs")
    accessible(page)


@pytest.mark.parametrize(
    ("model", "drawn"),
    [
        ("parse", "svg.tree .node"),
        ("spans", "svg.tags .span"),
        ("tag", "svg.tags .tag"),
        ("classify", "svg.classes .pill"),
        ("align", "svg.links .arc"),
        ("translate", "svg.links .arc"),
    ],
)
def test_every_kind_of_answer_is_drawn_and_explained(model: str, drawn: str, page: Any) -> None:
    page.select_option("select >> nth=0", model)
    page.wait_for_selector(drawn)
    assert page.locator("section.answer table.data").count() >= 1
    if model == "translate":
        page.get_by_text("Why this translation?").click()
    elif model == "align":
        page.locator("svg.links .arc").first.focus()
        page.keyboard.press("Enter")
    else:
        page.locator("section.answer [role=button]").first.click()
    page.wait_for_selector("aside.why .sum, aside.why p.quiet:has-text('Nothing else')")
    assert page.locator("aside.why .error").count() == 0
    accessible(page)


def test_k_best_side_by_side_and_long_sentences(page: Any) -> None:
    page.select_option("select >> nth=1", "3")
    page.wait_for_selector("section.answer figure >> nth=2")
    assert page.locator("section.answer").first.locator("figure").count() == 3
    page.select_option("select >> nth=1", "1")
    page.fill("textarea", "the dog saw the cat and " * 12 + "slept .")
    page.wait_for_function("() => document.querySelectorAll('g.word').length > 60")
    scroll = page.locator("section.answer .scroll").first
    assert scroll.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    page.get_by_label("compact").check()
    page.wait_for_selector("svg.arcs.compact")


def test_drawings_and_answers_are_saved(page: Any, tmp_path: Path) -> None:
    first = page.locator("section.answer").first
    for label, start in (
        ("SVG", b"<svg"),
        ("PNG", b"\x89PNG"),
        ("CoNLL-U", b"# text = Time"),
        ("JSON", b"{"),
    ):
        with page.expect_download() as download:
            first.get_by_role("button", name=label).click()
        download.value.save_as(tmp_path / label)
        assert (tmp_path / label).read_bytes().startswith(start)
    assert b"var(--" not in (tmp_path / "SVG").read_bytes()


def test_markup_in_a_text_is_text(page: Any) -> None:
    page.fill("textarea", "<img src=x onerror=alert(1)> dogs & <script>alert(2)</script>")
    page.wait_for_selector("svg.drawing text:has-text('dogs')")
    assert page.locator("main img, main script").count() == 0


def test_everything_by_keyboard(page: Any) -> None:
    page.locator("textarea").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("Dogs sleep .")
    page.wait_for_function("() => document.querySelectorAll('g.word').length === 3")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('word')"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("aside.why .sum")


def test_dark_and_light(page: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(ground)
    page.get_by_role("button", name="Dark").click()
    page.wait_for_selector("html[data-theme=dark]")
    assert page.evaluate(ground) != before
    accessible(page)
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_a_correction_is_decoded_undone_saved_and_kept(page: Any, folder: Path) -> None:
    page.get_by_role("link", name="Correct").click()
    page.wait_for_selector("section.answer g.word")
    before = (folder / "t.conllu").read_bytes()
    page.wait_for_selector("text=% sure")
    page.locator("g.word").nth(1).click()
    head = page.locator(".inspector select").nth(1)
    old = head.input_value()
    new = "1" if old != "1" else "3"
    head.select_option(new)
    page.wait_for_selector("label.fixed")
    assert page.locator("g.arc.fixed").count() == 1
    accessible(page)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("label.fixed", state="detached")
    assert page.locator(".inspector select").nth(1).input_value() == old
    page.get_by_role("button", name="Redo").click()
    page.wait_for_selector("g.arc.fixed")
    assert (folder / "t.conllu").read_bytes() == before
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("text=t.conllu is saved.")
    after = (folder / "t.conllu").read_bytes()
    assert after != before
    assert after.count(b"\n") == before.count(b"\n")
    page.reload()
    page.wait_for_selector("g.arc.fixed")
    # the next sentence by keyboard, and a word dragged to its head
    shown = page.locator("section.answer").get_attribute("aria-label")
    page.keyboard.press("n")
    page.wait_for_function(f"() => document.querySelector('section.answer').ariaLabel !== {shown!r}")
    page.wait_for_selector("section.answer g.word >> nth=2")
    _drag(page, page.locator("g.word").nth(0), page.locator("g.word").nth(2))
    page.wait_for_selector("g.arc.fixed")
    assert page.locator(".inspector select").nth(1).input_value() == "3"


def _drag(page: Any, one: Any, two: Any) -> None:
    for place, act in ((one.bounding_box(), page.mouse.down), (two.bounding_box(), page.mouse.up)):
        page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        act()
