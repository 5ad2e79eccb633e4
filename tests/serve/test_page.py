"""The page in Chromium: every view, by mouse and by keyboard, without an error in the console."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palmette.serve.app import PAGE
from palmette.trace import ALGORITHMS
from serve.conftest import EXAMPLES, started, train

MOST_BYTES = 300_000


def test_the_page_is_light_and_stays_at_home() -> None:
    files = [path for path in PAGE.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    for path in files:
        if path.suffix in (".js", ".css", ".html") and path.parent.name != "vendor":
            text = path.read_text(encoding="utf-8")
            assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text), path
            assert not re.findall(r"\beval\(|innerHTML|dangerouslySetInnerHTML|\bon\w+=\"", text), path
    page = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.findall(
        r"<script(?![^>]* src=)|<style|style=", page
    )  # as the policy of the headers demands
    loaded = {f"/page/{path.relative_to(PAGE).as_posix()}" for path in PAGE.rglob("*.js")}
    assert (
        set(re.findall(r'(?:href|src)="([^"]*\.js)"', page)) == loaded
    )  # at once, and not one after the other
    assert {path.name for path in (PAGE / "vendor").iterdir()} >= {"preact-LICENSE.txt", "htm-LICENSE.txt"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("edited")
    shutil.copy(EXAMPLES / "parsing/test.conllu", made / "t.conllu")
    shutil.copy(EXAMPLES / "constituency/test.mrg", made / "t.mrg")
    shutil.copy(EXAMPLES / "alignment/pairs.tsv", made / "pairs.tsv")
    return made


@pytest.fixture(scope="module")
def more(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Models of further tools, by tool."""
    made = tmp_path_factory.mktemp("more")
    files = {
        "morphology": ["--train", "morphology/train.conllu"],
        "lemmas": ["--train", "morphology/train.conllu"],
        "sentiment": ["--train", "sentiment/train.tsv", "--subjectivity", "sentiment/sentences.tsv"],
        "senses": ["--train", "senses/train.tsv", "--inventory", "senses/inventory.tsv"],
        "semantics": ["--train", "semantics/questions_en_train.tsv", "--database", "semantics/planets.tsv"],
        "thesaurus": ["--train", "thesaurus/farm.conllu"],
        "rules": ["--train", "rules/news.conllu"],
        "rerank": ["--train", "constituency/train.mrg", "--base", "parse", "--method", "pcfg"],
    }
    return {
        tool: train(tool, made / f"{tool}.palm", *(EXAMPLES / one if "/" in one else one for one in options))
        for tool, options in files.items()
    }


@pytest.fixture(scope="module")
def address(trained: dict[str, str], more: dict[str, str], folder: Path) -> Iterator[str]:
    names = ["parse", "spans", "tag", "classify", "align", "translate", "lm", "pipeline", "tokens"]
    paths = [*(trained[name] for name in names), *more.values()]
    edited = [part for name in ("t.conllu", "t.mrg", "pairs.tsv") for part in ("--edit", str(folder / name))]
    with started("en", *paths, *edited) as found:
        yield found


@pytest.fixture
def errors() -> list[str]:
    """What the page wrote to the console; a test takes out what it expects."""
    return []


@pytest.fixture
def page(chromium: Any, address: str, errors: list[str]) -> Iterator[Any]:
    """The page, which must not have written an error to the console in the end."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900}, accept_downloads=True)
    context.set_default_timeout(60_000)
    made = context.new_page()
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
        ("pipeline", "svg.arcs .arc"),
        ("lm", "svg.tags .tag:has-text('%')"),
        ("morphology", "svg.tags .tag:has-text('NOUN')"),
        ("sentiment", "svg.classes .pill"),
        ("senses", "svg.tags .tag:has-text('bank.shore')"),
        ("semantics", "svg.classes .label:has-text('Titania')"),
        ("thesaurus", "table.neighbours button:has-text('cat')"),
        ("rules", "table.neighbours button:has-text('X settled Y')"),
        ("rerank", "svg.tree .node"),
    ],
)
def test_every_kind_of_answer_is_drawn_and_explained(model: str, drawn: str, page: Any) -> None:
    with page.expect_response("**/v1/predict"):
        page.select_option("select >> nth=0", model)
        if model == "semantics":
            page.fill("textarea", "which moons did Herschel discover")
    page.wait_for_selector(".ask .grow:has-text('answer')")
    page.wait_for_selector(drawn)
    assert page.locator("section.answer table").count() >= 1
    if model == "translate":
        page.get_by_text("Why this translation?").click()
    elif model == "senses":
        page.locator("g.word:has-text('bank')").first.click()
    elif model == "pipeline":
        page.locator("section.answer g.word").first.click()
    elif model in ("thesaurus", "rules"):
        page.locator("table.neighbours button").first.click()
    elif model == "align":
        page.locator("svg.links .arc").first.focus()
        page.keyboard.press("Enter")
    else:
        page.locator("section.answer [role=button]").first.click()
    page.wait_for_selector("aside.why .sum, aside.why p.quiet:has-text('Nothing else')")
    assert page.locator("aside.why .error").count() == 0
    accessible(page)


def test_names_and_what_each_step_of_a_pipeline_looked_at(page: Any) -> None:
    page.fill("textarea", "Barack Obama visited New York.")
    page.wait_for_selector("svg.arcs .name:has-text('person')")
    page.locator("g.word").nth(1).click()
    page.wait_for_selector("aside.why .sum")
    for step, said in (("morphology", "PROPN NNP Number=Sing"), ("lemma", "Obama"), ("name", "person")):
        page.get_by_role("button", name=step, exact=True).click()
        page.wait_for_selector(f"aside.why h3:has-text('Why this {step} of')")
        page.wait_for_selector(f"aside.why b:has-text('{said}')")
        assert page.locator("aside.why tr.sum").count() == 1
    accessible(page)


def test_words_of_a_translation_links_and_next_words_have_probabilities(page: Any) -> None:
    for model, place, said in (
        ("translate", "svg.links g.word >> nth=-1", "other translations"),
        ("lm", "svg.tags g.word >> nth=0", "instead of the"),
        ("lemmas", "svg.tags g.word >> nth=0", "lemma of The"),
        ("morphology", "svg.tags g.word >> nth=0", "tag of The"),
    ):
        with page.expect_response("**/v1/predict"):
            page.select_option("select >> nth=0", model)
        page.wait_for_selector(".ask .grow:has-text('answer')")
        page.locator(place).hover()
        page.wait_for_selector(f".tip:has-text('{said}')")
        page.mouse.move(5, 5)
    page.select_option("select >> nth=0", "align")
    page.locator("svg.links .arc").first.dispatch_event("mouseenter")
    page.wait_for_selector(".tip:has-text('no link')")


def test_words_with_tags_for_a_parser_without_taggers(chromium: Any, tmp_path: Path) -> None:
    model = train("depparse", tmp_path / "dep.palm", "--train", EXAMPLES / "parsing/train.conllu")
    with started(model) as address:
        made = chromium.new_page()
        made.goto(address)
        made.wait_for_selector("svg.arcs .tag:has-text('ADP')")
        made.fill("textarea", "Time flies")
        made.wait_for_selector(".error[role=alert]:has-text('upos')")
        made.fill("textarea", "Time/NOUN flies/VERB ./PUNCT")
        made.wait_for_selector("svg.arcs .tag:has-text('PUNCT')")
        made.locator("g.word").first.click()
        made.wait_for_selector("aside.why .sum")
        assert made.locator("aside.why .error").count() == 0
        made.close()


def test_trees_that_a_reranker_chose_among(page: Any) -> None:
    page.select_option("select >> nth=0", "rerank")
    page.wait_for_selector("svg.tree")
    page.select_option("select >> nth=1", "3")
    page.wait_for_selector("section.answer figure >> nth=2")
    assert page.locator("section.answer figure").count() == 3


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


def test_words_from_right_to_left(page: Any) -> None:
    page.fill("textarea", "הילד אכל תפוח אדום .")
    page.wait_for_selector("g.word:has-text('תפוח')")
    places = [page.locator("section.answer g.word").nth(i).bounding_box()["x"] for i in range(5)]
    assert places == sorted(places, reverse=True)


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


@pytest.mark.parametrize("name", list(ALGORITHMS))
def test_every_algorithm_step_by_step(name: str, page: Any) -> None:
    page.get_by_role("link", name="Look inside").click()
    page.wait_for_selector(".algorithms a")
    page.locator(f'.algorithms a[href="#look/{name}"]').click()
    page.wait_for_selector(f'.algorithms a[href="#look/{name}"][aria-current]')
    page.wait_for_selector(".player svg.steps")
    steps, first = int(page.locator(".slider").get_attribute("max")), _look(page)
    assert steps == len(ALGORITHMS[name].run().steps)
    page.get_by_role("button", name="One step forward").click()
    assert _look(page)[0] == f"2 of {steps}"
    assert _look(page)[1] != first[1]
    page.keyboard.press("ArrowLeft")
    assert _look(page) == first
    page.keyboard.press("End")
    assert _look(page)[0] == f"{steps} of {steps}"
    trace = ALGORITHMS[name].run()
    for figure in trace.figures:  # what screen readers are told in the end
        state = trace.state(figure.name)
        region = page.get_by_role("region", name=figure.title, exact=True)
        rows = region.locator("xpath=following-sibling::div//tbody/tr")
        assert rows.count() == len(state)
    accessible(page)
    page.get_by_role("button", name="Dark").click()
    page.wait_for_selector("html[data-theme=dark]")
    accessible(page)


def _look(page: Any) -> tuple[str, str]:
    return page.locator(".count").inner_text(), page.locator(".step-text p").first.inner_text()


def test_an_algorithm_plays_over_another_input(page: Any, errors: list[str], tmp_path: Path) -> None:
    page.goto(page.url.split("#")[0] + "#look/cky")
    page.wait_for_selector(".player svg.pyramid")
    page.locator(".fields input").first.fill("flies like time")
    page.wait_for_selector("svg.pyramid text.form:nth-of-type(3):text('time')")
    page.locator("summary").click()
    page.get_by_role("button", name="Take the first input again").click()
    page.wait_for_selector("svg.pyramid text.form:text('arrow')")
    page.locator(".fields input").first.fill("xylophones")
    page.wait_for_selector(".error[role=alert]")
    assert "xylophones" in page.locator(".error").inner_text()
    assert "400 (Bad Request)" in errors.pop()
    assert page.locator(".figures.stale").count() == 1
    page.locator(".fields input").first.fill("time flies")
    page.wait_for_selector(".figures:not(.stale)")
    page.get_by_label("Speed").select_option("fast")
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector("svg.tree")  # the tree is drawn when all steps were shown
    assert page.get_by_role("button", name="Play").count() == 1
    with page.expect_download() as download:
        page.locator(".player").get_by_role("button", name="SVG").click()
    download.value.save_as(tmp_path / "chart.svg")
    chart = (tmp_path / "chart.svg").read_bytes()
    assert b"<svg" in chart[:10]
    assert b"The best tree" in chart  # all figures are in it, with their titles


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
    for _ in range(2):  # a sentence can be corrected again after everything was undone
        page.get_by_role("button", name="Undo").click()
        page.wait_for_selector("label.fixed", state="detached")
        head.select_option(new)
        page.wait_for_selector("label.fixed")
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
    # an arc that is dragged to another head
    arc = page.locator("g.arc.fixed .line").bounding_box()
    page.mouse.move(arc["x"] + arc["width"] / 2, arc["y"] + 1)
    page.mouse.down()
    word = page.locator("g.word").nth(1).bounding_box()
    page.mouse.move(word["x"] + word["width"] / 2, word["y"] + word["height"] / 2, steps=4)
    assert page.locator("svg.rubber line").count() == 1
    page.mouse.up()
    page.wait_for_function("() => document.querySelectorAll('.inspector select')[1].value === '2'")
    assert page.locator("svg.rubber").count() == 0


def test_links_are_drawn_and_taken_away(page: Any, folder: Path) -> None:
    _opened(page, "pairs.align")
    page.wait_for_selector("svg.links g.word")
    _drag(page, page.locator("g.word").first, page.locator("g.word").last)
    page.wait_for_selector("g.arc.fixed")
    accessible(page)
    page.locator("g.arc.fixed").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Must not").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".inspector .fixed:has-text('not')")
    assert page.locator("g.arc.fixed").count() == 0
    page.locator("g.word").first.focus()  # a word and then another one, by keyboard
    page.keyboard.press("Enter")
    page.wait_for_selector("g.word.chosen")
    page.locator("g.word").last.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("g.arc.fixed")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("text=pairs.align is saved.")
    assert len((folder / "pairs.align").read_text().splitlines()) == 22
    assert page.get_by_label("Train again").count() == 0


def test_trees_and_links_of_arabic_and_hebrew_go_from_right_to_left(page: Any) -> None:
    places = page.evaluate("""async () => {
      const { laid } = await import("/page/draw/tree.js"), found = [];
      for (const [one, two] of [["the", "dog"], ["הכלב", "ישן"]]) {
        const leaf = (word) => ({ label: "X", children: [{ word }] });
        const tree = { label: "S", children: [leaf(one), leaf(two)] };
        const { all, w } = laid(tree, { size: 16, small: 13, step: 40 });
        const [a, b] = all.filter((node) => node.word !== undefined);
        found.push([a.x, b.x, w]);
      }
      return found;
    }""")
    for (first, second, wide), forwards in zip(places, (True, False)):
        assert (first < second) is forwards
        assert 0 < min(first, second) < max(first, second) < wide


def test_a_late_order_leaves_the_sentence_at_hand(page: Any, address: str) -> None:
    held: list[Any] = []
    page.route("**/v1/edit/order", lambda route: held.append(route))
    page.get_by_role("link", name="Correct").click()
    page.locator("section[aria-label=File] select").first.select_option(label="t.conllu")
    page.wait_for_selector("section.answer g.word >> nth=2")
    shown = page.locator("section.answer").get_attribute("aria-label")
    assert shown == "Sentence 1"
    page.locator("g.word").nth(1).click()
    page.wait_for_selector(".inspector")
    assert held
    page.unroute("**/v1/edit/order")  # lets those go that wait
    page.wait_for_selector("text=/% sure/")
    assert page.locator("section.answer").get_attribute("aria-label") == shown
    assert page.locator(".inspector").count() == 1
    page.get_by_role("button", name="Next").click()
    page.wait_for_function(f"() => document.querySelector('section.answer').ariaLabel !== {shown!r}")
    page.get_by_role("button", name="Previous").click()
    page.wait_for_function(f"() => document.querySelector('section.answer').ariaLabel === {shown!r}")
    # when somebody asks for the order, it begins with the least sure one
    page.get_by_label("Order").select_option("file")
    page.get_by_label("Order").select_option("doubt")
    page.wait_for_function(f"() => document.querySelector('section.answer').ariaLabel !== {shown!r}")


@pytest.mark.parametrize("wide", [1200, 390])
def test_no_two_labels_of_a_tree_overlap(wide: int, page: Any) -> None:
    page.set_viewport_size({"width": wide, "height": 900})
    page.locator("textarea").fill(
        "The old man, who had never seen the sea, gave his daughter a small, carefully wrapped present on her "
        "birthday, because she had asked for one. A compound noun phrase parser test is run."
    )
    page.wait_for_selector("h2:has-text('compound noun')")
    overlaps = page.evaluate("""() => [...document.querySelectorAll("svg.arcs")].flatMap((svg) => {
      const texts = [...svg.querySelectorAll("text.relation")].filter((text) => text.textContent);
      const boxes = texts.map((text) => text.getBoundingClientRect()), found = [];
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, k) => {
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 1 && y > 3) found.push([texts[i].textContent, texts[i + 1 + k].textContent, x, y]);
      }));
      return found;
    })""")
    assert overlaps == []


def test_the_probabilities_of_a_word_fit_a_small_screen(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator("g.word").nth(1).hover()
    page.wait_for_selector(".tip tr")
    height = "(row) => row.getBoundingClientRect().height"
    heights = page.evaluate(f"[...document.querySelectorAll('.tip tr')].map({height})")
    assert max(heights) < 30  # no label is broken into lines
    assert len(heights) <= 10
    page.locator("g.word").nth(1).click()
    page.wait_for_selector("aside.why svg.arcs")
    assert page.locator(".tip").count() == 0  # it would cover why


def test_answers_of_one_model_are_not_shown_as_those_of_another(page: Any) -> None:
    held: list[Any] = []
    page.route("**/v1/predict", lambda route: held.append(route))
    page.get_by_label("Model").select_option("parse")
    page.wait_for_timeout(400)
    assert held
    assert page.locator("svg.arcs").count() == 0
    page.unroute("**/v1/predict")
    page.wait_for_selector("svg.tree")


def test_a_bracket_is_relabelled(page: Any) -> None:
    _opened(page, "t.mrg")
    page.wait_for_selector("svg.tree g.node[role=button]")
    page.locator("svg.tree g.node[role=button]").nth(1).click()
    page.locator(".inspector input").fill("WHNP")
    page.get_by_role("button", name="becomes WHNP").click()
    page.wait_for_selector("svg.tree g.node.fixed:has-text('WHNP')")
    accessible(page)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("svg.tree g.node.fixed", state="detached")


def test_a_model_is_trained_again_and_served(page: Any, trained: dict[str, str]) -> None:
    _opened(page, "t.mrg")
    page.wait_for_selector("svg.tree")
    page.get_by_role("button", name="from all 10").click()
    page.wait_for_selector("progress")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("text=The training was stopped")
    page.get_by_role("button", name="from all 10").click()
    page.wait_for_selector("text=Use the new model", timeout=300_000)
    assert page.locator(".retraining .dot").count() == 4
    assert page.locator(".retraining table tr").count() == 4
    accessible(page)
    page.set_viewport_size({"width": 390, "height": 800})
    # the curve is scrolled by itself
    page.wait_for_function("() => document.documentElement.scrollWidth <= 390")
    page.get_by_role("button", name="Use the new model").click()
    page.wait_for_selector("text=It is served now")
    page.wait_for_selector("svg.tree g.node")
    page.get_by_role("button", name="Use the first model again").click()
    page.wait_for_selector("text=It is served now", state="detached")


def test_a_sentence_is_corrected_by_keyboard_alone(page: Any) -> None:
    page.get_by_role("link", name="Correct").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("section.answer g.word")
    page.wait_for_selector("text=% sure")
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.wait_for_selector("section.answer g.word")
    _tab_to(page, "document.activeElement.classList.contains('word')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".inspector select")
    _tab_to(page, "document.activeElement.matches('.inspector select')")
    before = page.locator(".inspector select").first.input_value()
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".inspector label.fixed")
    assert page.locator(".inspector select").first.input_value() != before
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("u")
    page.wait_for_selector(".word.fixed", state="detached")


def _tab_to(page: Any, reached: str) -> None:
    """Press Tab until the focus is where it should be."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(reached):
            return
    raise AssertionError(f"the focus never came where {reached}")


def _opened(page: Any, name: str) -> None:
    """Open a file in Correct, and wait until its sentences are in order."""
    page.get_by_role("link", name="Correct").click()
    page.locator("section[aria-label=File] select").first.select_option(label=name)
    page.wait_for_selector("section[aria-label=File] >> text=/% sure/")


def _drag(page: Any, one: Any, two: Any) -> None:
    for place, act in ((one.bounding_box(), page.mouse.down), (two.bounding_box(), page.mouse.up)):
        page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        act()
