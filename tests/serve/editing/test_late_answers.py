"""The page when answers come late, keys come fast, files change and servers go."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from serve.conftest import EXAMPLES, started


@pytest.fixture
def corrected(chromium: Any, trained: dict[str, str], tmp_path: Path) -> Iterator[Any]:
    """The page with a file of its own in the order of the file, and the actions that were asked for."""
    shutil.copy(EXAMPLES / "parsing/test.conllu", tmp_path / "own.conllu")
    with started(trained["pipeline"], "--edit", str(tmp_path / "own.conllu")) as address:
        context = chromium.new_context(viewport={"width": 1200, "height": 900})
        made = context.new_page()
        made.asked = []
        made.on("request", lambda one: made.asked.append((one.url.rpartition("/")[2], one.post_data_json)))
        made.goto(address + "#correct")
        made.wait_for_selector("section[aria-label=File] >> text=/% sure/")
        made.get_by_label("Order").select_option("file")
        _shows(made, 1)
        yield made
        context.close()


def _shows(page: Any, number: int) -> None:
    page.wait_for_selector(f"section[aria-label='Sentence {number}'] g.word")


def _held(page: Any, action: str) -> Any:
    """Hold the requests for an action back; a call of what is returned lets them go."""
    page.route(f"**/v1/edit/{action}", lambda route: None)  # answered when the route is taken away
    return lambda: page.unroute(f"**/v1/edit/{action}")


def _pressed(page: Any, keys: str) -> None:
    """Keys without any time between them."""
    event = "new KeyboardEvent('keydown', { key, bubbles: true })"
    page.evaluate(f"keys => [...keys].forEach((key) => document.body.dispatchEvent({event}))", keys)


def test_quick_keys_are_all_obeyed(corrected: Any) -> None:
    _pressed(corrected, "nnn")
    _shows(corrected, 4)
    _pressed(corrected, "pp")
    _shows(corrected, 2)
    _pressed(corrected, "na")  # what was not seen yet is not accepted
    _shows(corrected, 3)
    assert [body for action, body in corrected.asked if action == "correct"] == []
    corrected.keyboard.press("a")
    corrected.wait_for_selector("text=1 corrected")
    assert [body["sentence"] for action, body in corrected.asked if action == "correct"] == [3]


def test_a_late_correction_leaves_the_next_sentence_at_hand(corrected: Any) -> None:
    release = _held(corrected, "correct")
    corrected.locator("g.word").nth(1).click()
    corrected.locator(".inspector select").first.select_option(index=1)
    corrected.locator("body").press("n")
    corrected.wait_for_selector("section[aria-label='Sentence 2']")
    release()
    corrected.wait_for_selector("text=1 corrected")
    _shows(corrected, 2)
    corrected.wait_for_selector("text=Corrected in sentence 1.")
    assert corrected.locator(".fixed").count() == 0
    corrected.locator("g.word").first.click()  # a late answer does not take away what is chosen
    corrected.keyboard.press("Escape")
    release = _held(corrected, "undo")
    corrected.locator("body").press("u")
    corrected.locator("body").press("n")
    release()
    corrected.wait_for_selector("text=Undone in sentence 1.")
    _shows(corrected, 3)
    corrected.locator("body").press("r")
    _shows(corrected, 1)  # who waits is led to what was done
    assert corrected.locator("g.word.fixed, label.fixed").count() >= 1


def test_corrections_of_one_sentence_are_made_in_their_order(corrected: Any) -> None:
    release = _held(corrected, "correct")
    corrected.locator("g.word").nth(1).click()
    select = corrected.locator(".inspector select").first
    values = select.evaluate("select => [...select.options].slice(0, 3).map((one) => one.value)")
    for value in values:
        select.select_option(value)
    corrected.locator("g.word").nth(2).click()
    assert len([1 for action, _ in corrected.asked if action == "correct"]) == 1  # the others wait
    release()
    corrected.wait_for_selector("text=1 corrected")
    for _ in range(200):
        if len([1 for action, _ in corrected.asked if action == "correct"]) == len(values):
            break
        corrected.wait_for_timeout(50)
    corrected.wait_for_selector("text=1 corrected")
    sent = [body for action, body in corrected.asked if action == "correct"]
    assert [(body["token"], body["upos"]) for body in sent] == [(2, value) for value in values]
    assert corrected.locator(".inspector").count() == 1  # the word that was chosen last


def test_a_page_that_is_loaded_again_shows_the_same_sentence(corrected: Any) -> None:
    _pressed(corrected, "nn")
    _shows(corrected, 3)
    corrected.reload()
    corrected.wait_for_selector("section[aria-label=File] >> text=/% sure/")
    _shows(corrected, 3)


def test_corrections_that_wait_are_made_when_one_leaves_the_view(corrected: Any) -> None:
    release = _held(corrected, "correct")
    corrected.locator("g.word").nth(1).click()
    for value in corrected.locator(".inspector select").first.evaluate(
        "select => [...select.options].slice(0, 2).map((one) => one.value)"
    ):
        corrected.locator(".inspector select").first.select_option(value)
    dialogs: list[str] = []
    corrected.on("dialog", lambda one: (dialogs.append(one.type), one.dismiss()))
    corrected.evaluate("location.reload()")  # the browser asks, because corrections would be lost
    corrected.wait_for_timeout(500)
    assert dialogs == ["beforeunload"]
    corrected.get_by_role("link", name="Try").click()
    corrected.wait_for_selector("textarea")
    release()
    with corrected.expect_response("**/v1/edit/correct"):  # the second one
        pass
    corrected.get_by_role("link", name="Correct").click()
    corrected.wait_for_selector("text=1 corrected")
    assert len([1 for action, _ in corrected.asked if action == "correct"]) == 2


def test_the_order_that_a_person_chose_stays(corrected: Any) -> None:
    release = _held(corrected, "order")
    corrected.reload()
    corrected.wait_for_selector("section.answer g.word")
    corrected.get_by_label("Order").select_option("file")
    release()
    corrected.wait_for_selector("section[aria-label=File] >> text=/% sure/")
    assert corrected.get_by_label("Order").input_value() == "file"


def test_a_tab_that_comes_back_shows_what_another_one_corrected(corrected: Any) -> None:
    corrected.evaluate("""() => fetch("/v1/edit/correct", {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ file: 0, sentence: 1, token: 1, upos: "NOUN" }),
    })""")
    corrected.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    corrected.wait_for_selector("g.word.fixed")


def test_a_file_that_changed_is_not_overwritten_and_a_server_that_went_is_told(
    corrected: Any, tmp_path: Path
) -> None:
    corrected.keyboard.press("a")
    corrected.wait_for_selector("text=1 corrected")
    (tmp_path / "own.conllu").write_text("# theirs\n")
    corrected.keyboard.press("s")
    corrected.wait_for_selector("text=another program changed own.conllu")
    assert (tmp_path / "own.conllu").read_text() == "# theirs\n"
    corrected.route("**/v1/edit/**", lambda route: route.abort())
    corrected.locator("g.word").nth(1).click()
    corrected.locator(".inspector select").first.select_option(index=1)
    corrected.wait_for_selector("text=The server does not answer")
    corrected.unroute("**/v1/edit/**")
    corrected.locator(".inspector select").first.select_option(index=2)
    corrected.wait_for_selector("label.fixed")


def test_late_probabilities_are_not_those_of_another_text(corrected: Any) -> None:
    corrected.goto(corrected.url.split("#")[0] + "#try")
    corrected.locator("textarea").fill("The dog sleeps.")
    corrected.wait_for_selector("h2:text-is('The dog sleeps.')")
    held: list[Any] = []
    corrected.route("**/v1/probabilities", lambda route: held.append(route))
    corrected.locator("g.word").first.hover()
    corrected.locator("textarea").fill("Cats.")
    corrected.wait_for_selector("h2:text-is('Cats.')")
    assert len(held) == 1
    corrected.unroute("**/v1/probabilities")
    with corrected.expect_request(
        "**/v1/probabilities"
    ) as asked:  # what came for the old text does not count
        corrected.wait_for_timeout(300)
        corrected.locator("g.word").nth(1).hover()
        corrected.locator("g.word").first.hover()
    assert asked.value.post_data_json["sentences"] == [[{"form": "Cats"}, {"form": "."}]]
    corrected.wait_for_selector(".tip tr")


def test_what_is_open_closes_when_the_text_changes(corrected: Any) -> None:
    corrected.goto(corrected.url.split("#")[0] + "#try")
    corrected.locator("textarea").fill("The dog sleeps in the garden.")
    corrected.wait_for_selector("g.word >> nth=6")
    corrected.locator("g.word").nth(5).click()
    corrected.wait_for_selector("aside.why table")
    corrected.locator("textarea").fill("Cats.")
    corrected.wait_for_selector("h2:text-is('Cats.')")
    assert corrected.locator("aside.why").count() == 0


def test_a_correction_waits_while_the_server_is_busy(corrected: Any) -> None:
    asked: list[Any] = []

    def busy(route: Any) -> None:
        asked.append(route)
        if len(asked) < 3:
            route.fulfill(status=503, headers={"Retry-After": "1"}, json={"error": "too many requests wait"})
        else:
            route.continue_()

    corrected.route("**/v1/edit/correct", busy)
    corrected.keyboard.press("a")
    corrected.wait_for_selector("text=1 corrected")
    assert len(asked) == 3
    asked.clear()
    corrected.unroute("**/v1/edit/correct")
    corrected.route(
        "**/v1/edit/undo", lambda route: route.fulfill(status=503, json={"error": "too many requests wait"})
    )
    corrected.keyboard.press("u")
    corrected.wait_for_selector("text=too many requests wait")  # after some tries it says so
