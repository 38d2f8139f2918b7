"""Every number that the Learn page shows, in the text and in the figure of each step, against the library."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

import vitviz
from benchmarks.page import new_context
from vitviz.attribution import image_statistics, lesson
from vitviz.attribution.explanation import swap_class_token
from vitviz.data.preprocessing import sample_paths

pytestmark = pytest.mark.browser
LEARN = ".vitviz-learn"
LAYER, HEAD, PATCH = 4, 1, 36  # the sharpest head and the middle of 8 x 8 patches
CAT = 3
WORDS = json.loads((Path(__file__).parents[2] / "frontend" / "src" / "text" / "lesson.json").read_text())
# Not part of the name of a model; "+" and "−" are signs.
NUMBER = re.compile(r"(?<![A-Za-z\d])[+−]?\d+(?:,\d{3})*(?:\.\d+)?")
TEXTS = """(root) => {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    if (!texts.currentNode.parentElement.closest(
      "select, .lesson-mark, .lesson-code, .lesson-count, .lesson-turn, .motion-name, .motion-bar, .voice"))
      found.push(texts.currentNode.data);
  }
  return found.join(" ");
}"""


def place(patch):
    """Return row and column, from 1."""
    return [patch // 8 + 1, patch % 8 + 1]


def sizes(ex):
    """Return D, d and M from the weights, and T."""
    network = ex.context.model
    mlp = network.blocks[0].mlp.fc1.out_features
    return network.pos_embed.shape[-1], network.blocks[0].attn.qkv.out_features // 18, mlp, ex.attention.shape[-1]


def overview(ex):
    D, _, _, T = sizes(ex)
    return [T - 1, D, 6], [32, 32, T - 1, 4, 4, 3, 3 * 4 * 4]  # the first still of the motion


def patches(ex):
    first = PATCH * 16  # pixel of the strip, in reading order
    strip = [first // 32 + 1, first % 32 + 1, first % 32 + 16]
    wrong = lesson.reshaped_prediction(ex.context)
    return [4, 4, 64], [*place(PATCH), 4, 4, 100 * ex.probabilities.max(), *strip, 100 * wrong.max()]


def embedding(ex):
    found = lesson.patch_embedding(ex.context, PATCH, 0)
    D, weights = sizes(ex)[0], sum(weight.numel() for weight in ex.context.model.patch_embed.parameters())
    return [D, 3, 4, 4, D, weights], [*place(PATCH), 1, D, found.product, found.rest, 1, found.value, 0]


def positions(ex):
    places = ex.context.model.pos_embed[0, 1:].detach()
    cosine = torch.nn.functional.cosine_similarity(places[PATCH], places).numpy()
    nearest = np.argsort(-cosine)[1]
    return [2, 4], [*place(PATCH), cosine.min(), 1, *place(nearest), cosine[nearest]]


def class_token(ex):
    weights = ex.cls_attention[-1].mean(0)[1:]
    caption = [*place(PATCH), 100 * weights[PATCH], 6, 0, 100 * weights.max(), 100 / (len(weights) + 1)]
    return [], [100 * ex.probabilities.max(), *caption]


def known(ex):
    lens = vitviz.tuned_lens(ex.context.checkpoint)
    maps = lens.maps(ex).reshape(7, 64)
    captions = [100 * ex.probabilities.max()]
    for layer, values in enumerate(maps):
        captions += [
            *([layer] * bool(layer)),
            100 * values[PATCH],
            100 * lens.accuracy[layer],
            lens.localization[layer],
        ]
    best = int(lens.localization.argmax())
    assert (lens.accuracy.argmax(), lens.localization[-1] < lens.localization[0]) == (6, True)  # what the sentence says
    assert lens.plain_localization[-1] < 0.5  # "worse than chance"
    said = [100 * lens.accuracy.max(), lens.localization[-1], best, lens.localization[best]]
    return [0.5], [*captions, *said, lens.held_out, 10, 0, 100, lens.plain_localization[-1]]


def attention(ex):
    _, d, _, T = sizes(ex)
    row = lesson.attention_row(ex.context, LAYER, HEAD)
    key, score, weight = row.keys[1 + PATCH], row.scores[1 + PATCH], 100 * row.weights[1 + PATCH]
    rank = 1 + int((row.weights > row.weights[1 + PATCH]).sum())
    summary = [row.query @ key, d, score, np.exp(score), T, weight, T, rank, 100 / T]
    maps = [*place(PATCH), LAYER + 1, HEAD + 1, 0, 100 * row.weights[1:].max()]
    return [d, d, T, 100, np.sqrt(d)], [*maps, *row.query, *key, *(row.query * key), *summary, *row.output, weight]


def heads(ex):
    rows = ex.cls_attention[LAYER]  # (A, T)
    limit = np.sort(rows[:, 1:], axis=1)[:, -3].max()
    power = 10 ** np.floor(np.log10(limit))
    limit = min((step * power for step in (1, 2, 4, 6, 8, 10)), key=lambda one: abs(one - limit))
    tiles = [number for head, row in enumerate(rows) for number in (head + 1, 100 * row[1:].max())]
    note = [LAYER + 1, 0, 100 * limit, 100 / rows.shape[1], HEAD + 1, 100 * rows[HEAD, 0]]
    return [6, sizes(ex)[1]], [*tiles, *note]


def question(ex):
    measured = image_statistics.load(ex.context.checkpoint)
    found = lesson.mean_query(ex.context, measured.factors)
    own = ex.cls_attention[LAYER].mean(0)[1:]
    limit = max(own.max(), found.rows[LAYER, 1:].max())
    power = 10 ** np.floor(np.log10(limit))
    limit = min((step * power for step in (1, 2, 4, 6, 8, 10)), key=lambda one: abs(one - limit))
    bars = [
        number
        for layer, share in enumerate(measured.factors.image_specific.mean(1), 1)
        for number in (layer, 100 * share)
    ]
    captions = [100 * ex.probabilities.max(), 100 * found.probabilities.max()]
    note = [LAYER + 1, 0, 100 * limit, measured.factors.images, 100 * measured.kept]
    return [1], [*bars, *captions, *note]


def decision(ex):
    dog = vitviz.explain(ex.context.checkpoint, sample_paths()["dog"])
    found = swap_class_token(ex, dog)
    cats, dogs = (found.probabilities[:, int(one.probabilities.argmax())] for one in (ex, dog))
    decided = int(np.argmax(dogs > cats))
    sentence = [decided - 1, 100 * cats[decided - 1], decided, 100 * dogs[decided]]
    ticks = [0, 20, 40, 60, 80, 100]
    return [], [*sentence, *ticks, *range(1, 7)]


def layers(ex):
    probabilities, norms = lesson.layer_predictions(ex.context)
    printed = np.round(100 * probabilities, 1)
    others = np.delete(printed, CAT, axis=1).max(1)
    decided = max((layer for layer in range(7) if printed[layer, CAT] <= others[layer]), default=-1) + 1
    names = [[], *([layer] for layer in range(1, 7))]
    lens = [number for name, one in zip(names, probabilities, strict=True) for number in (*name, 100 * one.max())]
    lead = [decided, printed[decided, CAT], others[decided]]
    return [], [*lens, *lead, *(number for name, norm in zip(names, norms, strict=True) for number in (*name, norm))]


def softmax(ex):
    logits = np.sort(ex.logits)[::-1]
    return [10, 1, np.e, 99], [*logits, *(100 * np.sort(ex.probabilities)[::-1]), 1, 1, 1]


def contributions(ex):
    found = ex.contributions()
    bars = [number for layer in range(6) for number in (layer + 1, found.attention[layer], layer + 1, found.mlp[layer])]
    return [], [found.logit, found.embedding, *bars, found.bias, found.logit]


def removal(ex):
    def probabilities(patches):
        return ex.ablate(patches=patches, patch_mode="gray").probabilities

    ranked = [np.argsort(-ex.map(key).ravel(), kind="stable")[:16].tolist() for key in METHODS]
    random = [probabilities(drawn) for drawn in lesson.random_patches(ex.context, 16)]
    bars = [ex.probabilities.max(), *(probabilities(one).max() for one in ranked)]
    mean, flips = np.mean(random, axis=0)[CAT], sum(int(one.argmax() != CAT) for one in random)
    return [16, 20, 500], [16, *(100 * one for one in bars), 20, 100 * mean, flips, 20, 500]


def exercises(ex):
    texts = " ".join(f"{one['task']} {one['answer']}" for one in WORDS["exercises"])
    return [], [float(number) for number in NUMBER.findall(texts)]  # which tests/webapp/test_learn.py holds


def motion(ex, labels):
    """Return the numbers of each beat's last moment: those of its sentence, then those on the stage.

    Args:
        labels: Weights that are labelled.
    """
    D, d, M, T = sizes(ex)
    row, steps = lesson.attention_row(ex.context, LAYER, HEAD), lesson.block_steps(ex.context, LAYER)
    patch, lens = lesson.patch_embedding(ex.context, PATCH, 0), lesson.layer_predictions(ex.context)[0]
    here, token, drawn, cells = place(PATCH), 1 + PATCH, [D, lesson.MAX_NUMBERS], [48, D, lesson.MAX_NUMBERS]
    score, weight, weights = row.scores[token], 100 * row.weights[token], 100 * row.weights
    order = np.argsort(-row.weights, kind="stable")
    named = [number for one in order[:labels] for number in (*(place(one - 1) if one else []), weights[one])]
    printed = [one for one in weights if f"{one:.1f}" != "0.0"]
    stream = np.cumsum([steps.input, steps.attention, steps.mlp], 0)  # (3, D)
    before, attended, after = np.linalg.norm(stream, axis=1)
    attention, mlp = np.linalg.norm(steps.attention), np.linalg.norm(steps.mlp)
    numbers = [*range(1, 7), *drawn]
    readings = [number for layer, one in enumerate(lens) for number in ([layer] * (layer > 0) + [100 * one.max()])]
    ranked = 100 * np.sort(ex.probabilities)[::-1]
    panel = [LAYER, *here, float(row.query @ row.keys[token]), d, score]
    return {
        "patches": [32, 32, T - 1, 4, 4, 3, 48],
        "embedding": [48, 1, patch.product, D, *here, *cells],
        "position": [*here, 1, patch.value, *here, *cells, D],
        "tokens": [T, 1, T, *drawn],
        "query": [LAYER + 1, HEAD + 1, d, LAYER],
        "scores": [LAYER + 1, HEAD + 1, *here, score, T, T, *row.scores, *panel],
        "weights": [T, 100, *here, weight, 100, *named, T - labels, 100 - weights[order[:labels]].sum(), *printed],
        "values": [T, T, 100, 100, *printed, HEAD + 1, d, T, T, 100],
        "heads": [6, 6 * d, LAYER, before, attention, *numbers],
        "mlp": [M, after, LAYER, before, attention, attended, D, M, D, mlp, LAYER + 1, after, *numbers],
        "layers": [6, *ranked[:2], *readings],
        "answer": [10, ranked[0], *ranked],
        "whole": [*here, LAYER + 1, weight, *readings, ranked[0]],
    }


METHODS = ("attention", "average", "balanced_gradients")
STEPS = {
    **{"overview": overview, "patches": patches, "embedding": embedding, "positions": positions},
    **{"class-token": class_token, "attention": attention, "heads": heads, "question": question},
    **{"layers": layers, "known": known, "decision": decision, "softmax": softmax},
    **{"contributions": contributions, "removal": removal, "exercises": exercises},
}


def check(shown, expected):
    """Check that a text has these numbers, in order, each to the digits that are shown."""
    found = NUMBER.findall(shown)
    assert len(found) == len(expected), (found, expected)
    for text, number in zip(found, expected, strict=True):
        digits = len(text.partition(".")[2])
        value = float(text.replace("−", "-").replace(",", ""))
        assert abs(value - number) <= 0.5001 * 10**-digits + 1e-4 * abs(number), (text, number, shown)


@pytest.fixture(scope="module")
def lesson_page(browser, address):
    context = new_context(browser, viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{address}?tab=learn")
    yield page
    context.close()


@pytest.mark.parametrize("step", STEPS)
def test_every_number_of_a_step_is_that_of_the_library(lesson_page, explanation, step):
    page = lesson_page
    page.wait_for_selector(f"{LEARN}[data-ready][data-state=ready] .lesson-figure > *")
    page.locator("nav[aria-label=Steps] button").nth(list(STEPS).index(step)).click()
    page.wait_for_selector(f"{LEARN}[data-step={step}][data-settled]")
    text, figure = STEPS[step](explanation)
    article = page.locator(f"{LEARN} article")
    shown = " ".join(article.locator(".lesson-text, .lesson-try, details").evaluate_all(f"all => all.map({TEXTS})"))
    check(shown, text)
    check(page.locator(".lesson-figure").evaluate(TEXTS), figure)


def test_every_number_of_the_motion_is_that_of_the_library(lesson_page, explanation):
    page = lesson_page
    page.locator("nav[aria-label=Steps] button").first.click()
    expect(page.locator(".motion [data-do=play]")).to_have_count(0)  # motion is reduced: stills
    page.locator(".motion-scrub input").fill("0")
    for beat in motion(explanation, 0):
        page.wait_for_selector(f".motion[data-beat={beat}]")
        labels = page.locator(".motion li", has_text=re.compile("^(row|the class token)")).count()
        check(page.locator(".motion").evaluate(TEXTS), motion(explanation, labels)[beat])
        page.click("[data-do=next-beat]")


def test_a_number_of_the_worked_row_says_where_it_comes_from(lesson_page, explanation):
    page = lesson_page
    page.locator("nav[aria-label=Steps] button").nth(5).click()
    page.wait_for_selector(f"{LEARN}[data-step=attention][data-settled]")
    row = lesson.attention_row(explanation.context, LAYER, HEAD)
    key, score = row.keys[1 + PATCH], row.scores[1 + PATCH]
    upper, lower = page.locator(".lesson-term").first, page.locator(".lesson-term").last
    vectors = page.locator(".lesson-numbers")

    def source(cell, place=upper, start="Number 3"):
        cell.hover()
        expect(place).to_contain_text(start)
        return place.inner_text()

    assert "the class token after the norm of the layer, 192 products" in source(vectors.nth(0).locator("span").nth(2))
    assert "row 5, column 5 after the norm" in source(vectors.nth(1).locator("span").nth(2), start="Number 3 of k")
    product = source(vectors.nth(2).locator("span").nth(2), start="Number 3 of q × k")
    check(product, [3, row.query[2], key[2], row.query[2] * key[2]])
    expect(page.locator(".lesson-numbers .on")).to_have_count(3)

    products = row.query * key
    parts = [products[products > 0].sum(), products[products < 0].sum()]
    buttons = page.locator(".lesson-sum button")
    check(source(buttons.nth(0), start="of positive ones"), [32, *parts])
    check(source(buttons.nth(1), start="/ √"), [products.sum(), 32, products.sum(), 32**0.5, score])
    check(source(buttons.nth(2), start="e to the power"), [score, np.exp(score)])
    weights = 100 * row.weights
    check(
        source(buttons.nth(3), start="The divisor"), [np.exp(score), np.exp(row.scores).sum(), weights[1 + PATCH], 65]
    )

    largest = int(row.weights.argmax())
    bar = source(page.locator(".lesson-softmax span").first, start="whose score")
    check(bar, [weights[largest], *place(largest - 1), row.scores[largest]])

    terms = row.weights * row.values[:, 1]
    first, second = np.argsort(-abs(terms))[:2]
    sentence = source(vectors.nth(3).locator("span").nth(1), lower, "Number 2")
    named = [[weights[one], row.values[one, 1], *(place(one - 1) if one else [])] for one in (first, second)]
    rest = row.output[1] - terms[first] - terms[second]
    check(sentence, [2, row.output[1], *named[0], *named[1], rest, 63])

    vectors.nth(0).focus()
    page.keyboard.press("ArrowRight")
    expect(upper).to_contain_text("Number 2 of q")
