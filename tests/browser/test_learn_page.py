"""The Learn page: the lesson from end to end, its numbers, links, and models of other kinds."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

import vitviz
from benchmarks.page import EXPLORER, new_context
from tests import engine, tiny
from tests.browser.layout import check_width
from tests.webapp.serving import running
from vitviz.attribution import lesson
from vitviz.data.preprocessing import sample_paths
from vitviz.plots.formatting import percent, signed

pytestmark = pytest.mark.browser
LEARN = ".vitviz-learn"
STEPS = (
    *("overview", "patches", "embedding", "positions", "class-token", "attention"),
    *("heads", "question", "layers", "known", "decision", "softmax", "contributions", "removal", "exercises"),
)


@pytest.fixture(scope="module")
def explanation():
    return vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["cat"])


@pytest.fixture
def open_lesson(context, address):
    def open_it(query: str = ""):
        page = context.new_page()
        page.goto(f"{address}?tab=learn{query}")
        page.wait_for_selector(f"{LEARN}[data-ready][data-state=ready] .lesson-figure > *")
        return page

    return open_it


OTHERS = {  # small networks with all weights drawn
    "beit": replace(engine.PLAIN, rel_pos_bias=True, pos_embed="none", num_classes=tiny.K),
    "distilled": replace(engine.PLAIN, distilled=True, num_classes=tiny.K),
    "no-class-token": replace(engine.PLAIN, global_pool="avg", class_token=False, num_classes=tiny.K),
}


@pytest.fixture(scope="module")
def others():
    """Explanations of the cat by networks of other kinds, by their name."""
    models = {name: replace(engine.checkpoint(config), name=name) for name, config in OTHERS.items()}
    return {name: vitviz.explain(model, sample_paths()["cat"]) for name, model in models.items()}


@pytest.fixture(scope="module")
def server_of_others(others, tmp_path_factory):
    models = {name: one.context.checkpoint for name, one in others.items()}
    with running(tmp_path_factory.mktemp("uploads"), models=models) as client:
        yield f"http://{client.host}/"


def at_step(page, step: str) -> None:
    page.wait_for_selector(f"{LEARN}[data-step={step}]")


def test_the_first_figure_comes_after_the_title_and_before_the_text_in_tab_order(open_lesson):
    page = open_lesson()
    page.locator(f"{LEARN} h1").focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(page.locator(".motion-stage")).to_be_focused()
    page.locator(f"{LEARN} summary").first.focus()
    page.keyboard.press("Shift+Tab")
    expect(page.locator(".lesson-figure :focus")).to_have_count(1)


def test_the_lesson_from_end_to_end(open_lesson):
    page = open_lesson()
    titles = set()
    for i, step in enumerate(STEPS):
        at_step(page, step)
        expect(page.locator(".lesson-count")).to_contain_text(f"Step {i + 1} of {len(STEPS)}")
        titles.add(page.locator(f"{LEARN} h1").inner_text())
        expect(page.locator(".lesson-figure").locator("img, canvas, .lesson-bars, .lesson-task").first).to_be_visible()
        expect(page.locator(f"{LEARN} .status")).to_have_text("")
        expect(page.locator(f"{LEARN} details p").first).to_be_hidden()
        page.locator(f"{LEARN} summary").first.click()
        expect(page.locator(f"{LEARN} details p").first).to_be_visible()
        if i + 1 < len(STEPS):
            page.click("[data-do=next]")
    assert len(titles) == len(STEPS)
    expect(page.locator("[data-do=next]")).to_have_count(0)
    expect(page).to_have_url(re.compile("step=exercises"))
    page.go_back()
    at_step(page, "removal")


def test_the_forward_pass_plays_and_follows_by_keys_and_pointer(open_lesson):
    page = open_lesson("&image=cat")
    motion, stage = page.locator(".motion"), page.locator(".motion-stage")
    page.emulate_media(reduced_motion="no-preference")
    page.locator(".motion-scrub input").fill("0")
    stage.focus()
    page.keyboard.press("Space")
    page.wait_for_selector(".motion[data-playing]")
    page.keyboard.press("Space")
    expect(motion).not_to_have_attribute("data-playing", "true")
    at_step(page, "overview")
    page.locator(".motion-scrub input").fill("1")
    page.wait_for_selector(".motion[data-beat=patches]")
    stage.focus()
    page.keyboard.press("ArrowRight")  # the end of the beat
    page.keyboard.press("ArrowRight")  # plays the next one
    page.wait_for_selector(".motion[data-beat=embedding]")
    page.keyboard.press("Shift+ArrowUp")
    expect(page).to_have_url(re.compile("query=28"))
    page.locator("[aria-label='3, Position']").click()
    page.wait_for_selector(".motion[data-beat=position]:not([data-playing])")
    expect(page.locator(".motion-sentence")).to_contain_text("row 4, column 5")

    page.locator(".motion-scrub input").fill("51.5")
    page.wait_for_selector(".motion[data-beat=layers]")
    box = stage.bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.25 * box["height"])
    expect(page.locator(".motion-tip")).to_have_text(re.compile("^Row \\d, column \\d$"))
    page.mouse.click(box["x"] + 0.2 * box["width"], box["y"] + 0.25 * box["height"])
    expect(page).not_to_have_url(re.compile("query=28"))
    expect(page.locator(".motion .voice")).to_contain_text("11 of 13: After layer 6")
    page.click(".motion-name button")
    at_step(page, "layers")


def test_keys_turn_the_pages_and_choose_patches(open_lesson):
    page = open_lesson()
    page.locator(f"{LEARN} h1").focus()
    page.keyboard.press("ArrowRight")
    at_step(page, "patches")
    page.keyboard.press("PageDown")
    at_step(page, "embedding")
    page.keyboard.press("ArrowLeft")
    at_step(page, "patches")
    stage = page.locator(".lesson-stage").first
    stage.focus()
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    expect(stage).to_have_attribute("aria-label", re.compile("row 1, column 1"))
    page.keyboard.press("ArrowRight")
    expect(stage).to_have_attribute("aria-label", re.compile("row 1, column 2"))
    at_step(page, "patches")
    expect(page.locator("figcaption").nth(1)).to_contain_text("row 1, columns 17 to 32")
    strip, box = page.locator(".lesson-strip").bounding_box(), stage.bounding_box()
    np.testing.assert_allclose(strip["x"] - box["x"], box["width"] / 2, atol=1)
    np.testing.assert_allclose([strip["width"], strip["height"]], [box["width"] / 2, box["height"] / 32], atol=1)


def test_a_worked_row_has_the_numbers_of_the_library(open_lesson, explanation):
    page = open_lesson("&step=attention")
    page.locator(".lesson-figure select").first.select_option(label="5")
    page.locator(".lesson-figure select").last.select_option(label="2")
    stage = page.locator(".lesson-stage")
    box = stage.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 3.5 / 8, box["y"] + box["height"] * 2.5 / 8)
    expect(page.locator("figcaption").first).to_contain_text("row 3, column 4")
    row = lesson.attention_row(explanation.context, 4, 1)
    token = 1 + 2 * 8 + 3
    product = float(row.query @ row.keys[token])
    expect(page.locator(".lesson-sum dd").first).to_have_text(signed(product))
    expect(page.locator(".lesson-sum dd").nth(1)).to_have_text(signed(float(row.scores[token])))
    weight = 100 * explanation.cls_attention[4, 1, token]
    expect(page.locator(".lesson-sum dd").last).to_have_text(re.compile(rf"^{weight:.1f}\s%$"))
    expect(page).to_have_url(re.compile("layer=4&head=1&query=19"))


def test_a_relative_position_bias_is_a_part_of_the_score(context, server_of_others, others):
    page = context.new_page()
    page.goto(f"{server_of_others}?tab=learn&model=beit&image=cat&step=attention&layer=1&head=1&query=4")
    page.wait_for_selector(f"{LEARN}[data-step=attention][data-settled]")
    row = lesson.attention_row(others["beit"].context, 1, 1)
    token, scaled = 1 + 4, row.query @ row.keys[5] / row.query.size**0.5
    assert abs(row.scores[token] - scaled) > 0.01, "the bias can be seen"
    shown = page.locator(".lesson-sum dd").all_inner_texts()
    parts = [scaled * row.query.size**0.5, scaled, row.scores[token] - scaled, row.scores[token]]
    assert shown[:4] == [signed(float(part)) for part in parts]
    weights = others["beit"].attention[1, 1, 0]
    assert shown[-1] == percent(float(weights[token]))
    expect(page.locator(".lesson-text").nth(1)).to_contain_text("plus a bias for their relative position, is a score")
    expect(page.locator("figcaption").nth(1)).to_contain_text(f"0 to {percent(float(weights[1:].max()))}")
    outputs = page.get_by_label(re.compile("^Output")).locator("span")
    assert outputs.first.inner_text() == f"{row.output[0]:.2f}".replace("-", "\u2212")


def test_bars_are_those_of_the_library(open_lesson, explanation):
    page = open_lesson("&step=contributions")
    found = explanation.contributions()
    values = page.locator(".lesson-bars .lesson-value")
    expect(values.first).to_have_text(signed(found.embedding))
    expect(values.last).to_have_text(signed(found.logit))
    expect(values.nth(2)).to_have_text(signed(float(found.mlp[0])))
    page.click(f"nav[aria-label=Steps] button >> nth={STEPS.index('softmax')}")
    at_step(page, "softmax")
    expect(page.locator(".lesson-value").first).to_have_text(signed(float(explanation.logits.max())))
    page.get_by_role("slider", name="Temperature").fill("5")
    warm = np.exp(explanation.logits / 5)
    expect(page.locator(".even .lesson-bars").last.locator(".lesson-value").first).to_have_text(
        re.compile(rf"^{100 * warm.max() / warm.sum():.1f}\s%$")
    )


def test_removed_patches_change_the_answer(open_lesson, explanation):
    page = open_lesson("&step=removal")
    bars = page.locator(".lesson-bars li")
    expect(bars).to_have_count(5)
    page.locator(".lesson-row .button", has_text="Balanced gradients").click()
    expect(bars).to_have_count(6)
    expect(bars.last.locator(".lesson-value")).to_have_text(bars.nth(3).locator(".lesson-value").inner_text())
    page.locator(".lesson-row .button", has_text="Restore").click()
    expect(bars).to_have_count(5)
    stage = page.locator(".lesson-stage")
    stage.focus()
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    page.keyboard.press("Enter")
    expect(page.locator(".lesson-removed")).to_have_count(1)
    left = explanation.ablate(patches=[0], patch_mode="gray").probabilities[3]
    expect(bars.last.locator(".lesson-value")).to_have_text(re.compile(rf"^cat, {100 * left:.1f}\s%$"))


def test_a_link_reopens_the_step_in_a_fresh_browser(open_lesson, browser, address):
    page = open_lesson("&step=heads")
    page.click(f"{LEARN} .lesson-images [aria-label=dog]")
    expect(page).to_have_url(re.compile("image=dog"))
    fresh = new_context(browser)
    try:
        other = fresh.new_page()
        other.goto(page.url)
        other.wait_for_selector(f"{LEARN}[data-step=heads][data-state=ready] .lesson-heads")
        expect(other.locator("[aria-label=dog]")).to_have_attribute("aria-pressed", "true")
    finally:
        fresh.close()


def is_flipped(explanation, patches) -> bool:
    return int(explanation.ablate(patches=patches, patch_mode="gray").probabilities.argmax()) != 3


def test_the_game_is_lost_and_won_and_a_link_carries_the_try(open_lesson, browser, explanation):
    page = open_lesson("&step=removal")
    verdict = page.locator(".lesson-verdict")
    expect(verdict).to_have_text("Click patches to remove them. How few change the prediction?")
    box = page.locator(".lesson-stage").bounding_box()
    page.mouse.click(box["x"] + 4, box["y"] + 4)
    left = explanation.ablate(patches=[0], patch_mode="gray").probabilities[3]
    expect(verdict).to_have_text(f"1 patch removed: still cat, {100 * left:.1f}\u00a0%.")
    expect(page).to_have_url(re.compile("removed=0"))

    found = lesson.flips(explanation.context)
    page.click("[data-do=reveal]")
    lines = page.locator(".lesson-flips li")
    expect(lines).to_have_count(3)
    expect(lines.last).to_have_text("You have not changed it yet.")
    known = int(re.match(r"Best known: (\d+) patches", lines.first.inner_text())[1])
    assert known <= len(found.best)
    middle = sorted(found.random)[len(found.random) // 2]
    expect(lines.nth(1)).to_have_text(f"20 of 20 random orders change it, with {middle} patches (median).")
    page.click("[data-do=best]")
    expect(verdict).to_have_text(re.compile(f"^Changed with {known} patches: cat becomes "))
    expect(page.locator(".lesson-removed")).to_have_text([str(place) for place in range(1, known + 1)])
    expect(lines.last).to_have_text("You have not changed it yet.")  # that set is not the reader's own
    best = [int(patch) for patch in re.search(r"removed=([\d,]+)", page.url)[1].split(",")]
    assert len(best) == known
    more = next(patch for patch in range(64) if patch not in best and is_flipped(explanation, [*best, patch]))
    row, column = divmod(more, 8)
    page.mouse.click(box["x"] + box["width"] * (column + 0.5) / 8, box["y"] + box["height"] * (row + 0.5) / 8)
    expect(verdict).to_have_text(re.compile(f"^Changed with {known + 1} patches: cat becomes "))
    expect(lines.last).to_have_text(f"You needed {known + 1} patches, 1 more.")

    fresh = new_context(browser)
    try:
        other = fresh.new_page()
        other.goto(page.url)
        expect(other.locator(".lesson-verdict")).to_have_text(verdict.inner_text())
        expect(other.locator(".lesson-removed")).to_have_count(known + 1)
        expect(other.locator(".lesson-flips li").last).to_have_text(lines.last.inner_text())  # won by the link, too
        other.goto(re.sub("removed=[^&]*", "removed=0,72", page.url))
        expect(other.locator(".lesson-removed")).to_have_count(1)
        expect(other.locator(f"{LEARN} .status")).to_contain_text("not in the grid of this model")
    finally:
        fresh.close()


def test_offered_sets_do_not_win_the_game(open_lesson, explanation):
    page = open_lesson("&step=removal")
    drawn = lesson.random_patches(explanation.context, 16)
    number = 1 + next(i for i, patches in enumerate(drawn) if is_flipped(explanation, patches))
    for _ in range(number):
        page.locator(".lesson-row .button", has_text="Random").click()
    expect(page.locator(".lesson-verdict")).to_have_text(re.compile("^Changed with 16 patches: cat becomes "))
    removed = ",".join(map(str, drawn[number - 1]))
    expect(page).to_have_url(re.compile(f"removed={removed}$"))
    expect(page.locator("[data-do=reveal]")).to_have_count(0)  # nothing was tried yet
    page.get_by_role("button", name="Restore").click()  # one patch alone does not win
    page.locator(".lesson-stage").click(position={"x": 4, "y": 4})
    expect(page.locator("[data-do=reveal]")).to_have_text("Give up and compare")


INSIDE = """(selector) => {
  const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}"""
WIDER = "(width) => document.querySelector('.lesson-map').getBoundingClientRect().width > width"


def test_the_lesson_is_presented_by_keys(open_lesson):
    page = open_lesson("&step=positions")
    root, map_ = page.locator(LEARN), page.locator(".lesson-map")
    small, address = map_.bounding_box()["width"], page.url
    page.locator("h1").focus()
    page.keyboard.press("f")
    expect(root).to_have_attribute("data-presented", "true")
    for part in ("h1", ".lesson-text", ".lesson-map", ".lesson-turn"):
        page.wait_for_function(INSIDE, arg=f"{LEARN} {part}")
    page.wait_for_function(WIDER, arg=1.15 * small)
    assert page.locator("h1").evaluate("node => parseFloat(getComputedStyle(node).fontSize)") >= 30
    is_inert = "node => node.closest('[inert]') !== null"
    assert page.get_by_role("tab", name="Explore").evaluate(is_inert)
    for hidden in ("nav[aria-label=Steps]", ".lesson-images", ".lesson-try"):
        expect(page.locator(hidden)).to_be_hidden()
    page.keyboard.press("ArrowRight")
    at_step(page, "class-token")
    page.keyboard.press("PageUp")
    page.keyboard.press("Escape")
    expect(page.locator("nav[aria-label=Steps]")).to_be_visible()
    at_step(page, "positions")
    page.wait_for_function(
        "width => document.querySelector('.lesson-map').getBoundingClientRect().width === width", arg=small
    )
    expect(page).to_have_url(address)
    page.locator("nav[aria-label=Steps] button").first.click()
    page.wait_for_selector(".motion[data-beat=patches]")
    page.click("[data-do=present]")
    expect(page.locator(".motion-stage")).to_be_focused()
    page.wait_for_function("document.querySelector('.motion-stage').getBoundingClientRect().height > 500")
    page.keyboard.press("ArrowRight")  # first through the beats
    page.wait_for_selector(".motion[data-beat=embedding]")
    page.locator(".motion-scrub [aria-label$='The whole']").click()
    page.locator(".motion-stage").focus()
    page.wait_for_selector(".motion[data-beat=whole]")
    page.keyboard.press("ArrowRight")
    at_step(page, "patches")
    page.click("[data-do=close]")
    expect(page.locator("[data-do=close]")).to_have_count(0)
    assert not page.get_by_role("tab", name="Explore").evaluate(is_inert)


def test_each_exercise_opens_where_it_says_and_its_solution_shows_the_answer(open_lesson, explanation):
    page = open_lesson("&step=exercises")

    def opened(link):
        with page.context.expect_page() as found:
            link.click()
        return found.value

    heads, swap, near = page.locator(".lesson-exercises > li").all()
    task = opened(heads.get_by_role("link", name="Open in Explore"))
    task.wait_for_selector(f"{EXPLORER}[data-ready]")
    expect(task.locator(".tile.chosen, [aria-selected=true]").first).to_be_visible()
    for one in (heads, swap, near):
        one.locator("summary").click()
    solved = opened(heads.get_by_role("link", name="See it in Explore"))
    solved.wait_for_selector(f"{EXPLORER}[data-ready][data-state=ready]")
    left = explanation.ablate(heads=[(5, head) for head in range(6)]).probabilities.max()
    expect(solved.locator(EXPLORER)).to_contain_text(f"{100 * left:.1f}")
    compared = opened(swap.get_by_role("link", name="See it in Compare"))
    compared.locator("summary", has_text="When does the class token decide?").click()
    sentence = compared.locator(".swap-sentence")
    for words in ("After layer 5", "(ship 76.1", "only after the last", "(truck 84.6"):
        expect(sentence).to_contain_text(words)
    task = opened(swap.get_by_role("link", name="Open in Compare"))
    task.locator("summary", has_text="When does the class token decide?").click()
    expect(task.locator(".swap-sentence")).to_contain_text("after layer 5 the class token of B (dog")
    inside = opened(near.get_by_role("link", name="Open in Internals"))
    expect(inside.locator("figure[data-probe=distance]")).to_be_in_viewport()
    nearest = opened(near.get_by_role("link", name="See it in Explore"))
    expect(nearest.locator(".headline")).to_contain_text("Layer 3, head 3")


def test_both_cuts_of_the_code_are_those_of_the_figure(open_lesson):
    page = open_lesson("&step=patches")
    names = {"x": torch.rand(2, 3, 32, 32), "B": 2, "N": 64}
    exec(page.locator(".lesson-code").inner_text(), names)  # as a reader would run it
    strips = lesson.wrong_reshape(names["x"][0], 4)
    for cut, image in (("squares", names["x"][0]), ("strips", strips)):
        patch = image[:, 16:20, 8:12].permute(1, 2, 0).flatten()  # row 5, column 3
        assert names[cut].shape == (2, 64, 48)
        torch.testing.assert_close(names[cut][0, 4 * 8 + 2], patch)


def test_the_second_image_gives_the_class_token(open_lesson):
    page = open_lesson("&step=decision")
    expect(page.locator(".swap-sentence")).to_contain_text("the class token of B (dog")
    page.get_by_role("button", name="ship as second image").click()
    expect(page.locator(".swap-sentence")).to_contain_text("the class token of B (ship")
    page.get_by_label("Upload a second image").set_input_files(sample_paths()["truck"])
    expect(page.locator(".swap-sentence")).to_contain_text("the class token of B (truck")


def test_the_glossary_leads_to_the_steps(open_lesson):
    page = open_lesson()
    page.click(".lesson-glossary summary")
    expect(page.locator(".lesson-glossary dt")).to_have_count(21)
    page.get_by_role("button", name=f"Logit lens: step {STEPS.index('layers') + 1}").click()
    at_step(page, "layers")
    expect(page).to_have_url(re.compile("step=layers"))


def test_what_is_missing_in_a_link_is_named(open_lesson):
    status = open_lesson("&step=lost&image=nothing&model=gone").locator(f"{LEARN} .status")
    for part in ("The model of this link, gone,", "The image of this link, nothing,", "The step of this link, lost,"):
        expect(status).to_contain_text(part)
    upload = open_lesson("&image=upload").locator(f"{LEARN} .status")
    expect(upload).to_contain_text("The image of this link, upload, is not available: showing cat.")
    page = open_lesson("&step=attention&layer=8&head=-1&query=65")
    status = page.locator(f"{LEARN} .status")
    for part in ("layer of this link, 8, is", "showing layer 6.", "showing head 1.", "showing row 8, column 8."):
        expect(status).to_contain_text(part)
    expect(page.locator("figcaption").first).to_contain_text("row 8, column 8")
    expect(page).to_have_url(re.compile("layer=5&head=0&query=63"))


def test_a_head_of_the_link_is_shown_in_a_fresh_browser(open_lesson):
    page = open_lesson("&step=attention&layer=1&head=3&query=7")
    expect(page.locator(".lesson-figure select").first).to_have_value("1")
    expect(page.locator(".lesson-figure select").last).to_have_value("3")
    expect(page.locator("figcaption").first).to_contain_text("row 1, column 8")
    expect(page.locator(f"{LEARN} .status")).to_have_text("")
    page.locator(".lesson-figure select").first.select_option(label="6")
    page.click("[data-do=next]")
    expect(page).to_have_url(re.compile("step=heads&layer=5&head=3$"))
    page.go_back()
    at_step(page, "attention")
    expect(page.locator("figcaption").first).to_contain_text("row 1, column 8")


def test_an_upload_says_how_long_it_is_kept(open_page):
    page = open_page()
    page.locator("input[name=shelf][value=upload]").check()
    page.locator("input[type=file]").set_input_files(sample_paths()["dog"])
    page.wait_for_function("new URLSearchParams(location.search).get('image')?.startsWith('upload:')")
    page.get_by_role("tab", name="Learn").click()
    page.wait_for_selector(f"{LEARN}[data-ready][data-state=ready] .lesson-figure > *")
    expect(page.locator(".lesson-images .lesson-note")).to_contain_text("which the server keeps for an hour")


BELOW = """() => {
  const [figure, task] = [".lesson-figure", ".lesson-try"].map((one) => document.querySelector(one));
  return task.getBoundingClientRect().top >= figure.getBoundingClientRect().bottom;
}"""


def test_the_lesson_fits_a_phone(open_lesson):
    page = open_lesson("&step=attention")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_selector(".lesson-work")
    steps = page.locator("nav[aria-label=Steps]")
    for step in STEPS:
        steps.locator("button").nth(STEPS.index(step)).click()
        at_step(page, step)
        check_width(page)
        if step not in ("overview", "exercises"):  # the task is below the figure that it speaks of
            page.wait_for_function(BELOW)
        page.evaluate("scrollTo(0, 300)")
        expect(steps.locator("[aria-current=step]")).to_be_in_viewport()  # the steps stay in sight
        assert steps.bounding_box()["height"] < 60
