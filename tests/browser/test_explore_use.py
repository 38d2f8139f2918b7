"""The Explore page in use: removed patches, evicted explanations, dropped and pasted files."""

import base64
import json
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Error, expect

import vitviz
from benchmarks import page as bench
from benchmarks.page import EXPLORER
from tests.browser.explore import API, choose_option, other_image, route_of, shows
from tests.browser.layout import check_width
from vitviz.data.preprocessing import MAX_UPLOAD_BYTES, sample_paths

pytestmark = pytest.mark.browser


def removed(patches):
    """The part of the address that removes patches."""
    return "ablations=patches:" + ",".join(map(str, patches))


def answered(page, name, change):
    """Change the responses of a route by `change`."""

    def answer(route):
        if route_of(route.request) != name:
            return route.fallback()
        with suppress(Error):  # the page has been closed
            found = json.loads(route.fetch().text().splitlines()[-1])  # before it, a stream has lines of progress
            changed = change(found.get("reply", found))
            line = {"reply": changed} if "reply" in found and "error" not in changed else changed
            route.fulfill(body=f"{json.dumps(line)}\n", content_type="application/json")
        return None

    page.route(API, answer)


def with_other_model(found):
    """The list of models with a second name of the bundled one."""
    return found | {"models": [*found["models"], found["models"][0] | {"name": "other"}]}


def as_bundled(route):
    """Send requests about the other model as requests about the bundled one."""
    route.fallback(post_data=route.request.post_data.replace('"other"', '"cifar10-ti4"'))


# --- removed patches ---


def test_the_last_row_is_the_most_likely_of_the_other_classes(open_page):
    dog = vitviz.explain(vitviz.load("cifar10-ti4"), sample_paths()["dog"])
    upper = [*range(16)]
    now = dog.ablate(patches=upper).probabilities
    old = np.argsort(-dog.probabilities)
    rows = [*old[:4], max(old[4:], key=lambda k: now[k])]
    assert rows != [*old[:5]]
    page = open_page(f"?image=dog&{removed(upper)}")
    expect(page.locator(".predictions .class-name")).to_have_text([dog.labels[k] for k in rows])


def outsider():
    """A sample, and patches whose removal makes a class win that was not among its five most likely."""
    model = vitviz.load("cifar10-ti4")
    for name, path in sample_paths().items():
        whole = vitviz.explain(model, path)
        for patches in (range(48), range(16, 64), range(32), range(32, 64)):
            now = whole.ablate(patches=list(patches)).probabilities
            if now.argmax() not in np.argsort(-whole.probabilities)[:5]:
                return name, patches, whole.labels[now.argmax()], now.max()
    return pytest.fail("no sample has one")


def test_a_class_that_wins_after_removals_has_a_row_and_is_named(open_page):
    name, patches, winner, probability = outsider()
    page = open_page(f"?image={name}&{removed(patches)}")
    last = page.locator(".predictions li").last
    expect(last.locator(".class-name")).to_have_text(winner)
    assert shows(last.locator(".value").inner_text(), probability)
    expect(page.locator(".effect-from")).to_contain_text(f"The model now predicts {winner}, ")


def test_uniform_attention_is_over_the_remaining_tokens(open_page, explanation):
    page = open_page(f"?image=cat&layer=5&head=mean&{removed(range(60))}")
    row = np.nan_to_num(explanation.ablate(patches=list(range(60))).attention)[5].mean(0)[0]
    weight = row[1:].max()
    expect(page.locator(".status")).to_contain_text(f"{weight * 5:.1f} times uniform")
    expect(page.locator(".status")).to_contain_text("The strongest 1 of 4 patches")


def test_removed_patches_are_not_averaged_as_queries(open_page, explanation):
    page = open_page("?image=cat&layer=5&head=mean&ablations=patches:18&query=18,36")
    page.wait_for_selector(f"{EXPLORER}[data-full]")
    expect(page.locator(".headline")).to_contain_text(": row 5, column 5 attends most to")
    row = np.nan_to_num(explanation.ablate(patches=[18]).attention)[5].mean(0)[1 + 36]
    assert shows(page.locator(".class-weight").inner_text().partition(" goes")[0], row[0])
    box = page.locator(".stage.image").bounding_box()
    middle = (box["x"] + 2.5 * box["width"] / 8, box["y"] + 2.5 * box["height"] / 8)
    page.keyboard.down("Shift")
    page.mouse.click(*middle)
    expect(page.locator(".status")).to_have_text("Row 3, column 3 is removed: it neither attends nor is attended to.")


def test_a_mean_of_ablated_heads_is_ablated(open_page):
    page = open_page("?image=cat&layer=2&ablations=heads:" + ",".join(f"2.{head}" for head in range(6)))
    expect(page.locator(".headline")).to_have_text("Layer 3, mean of heads is ablated")
    expect(page.locator(".cell.ablated")).to_have_count(7)
    expect(page.locator(".bar")).to_be_hidden()


def test_a_method_explains_the_changed_image(open_page):
    page = open_page("?image=cat&ablations=patches:18&method=rollout")
    page.wait_for_selector(f"{EXPLORER}[data-methods]")
    expect(page.locator(".headline")).to_contain_text("Rollout")
    expect(page.locator(".stage.image .mark.removed")).to_be_visible()
    expect(page.locator(".stage.map .mark.removed")).to_be_visible()


# --- uniform attention, and models without a class token ---


def with_uniform_attention(page, prefix):
    """Replace the attention of explained images by uniform attention with differences below its precision."""
    tokens = prefix + 64
    rows = np.full((6, 6, tokens), 1 / tokens, "<f4")
    rows[..., prefix + 5] += 1e-5
    full = np.full((6, 6, tokens, tokens), round(65535 / tokens), "<u2")
    full[..., prefix + 5] += 1
    cls, tokens_before = base64.b64encode(rows.tobytes()).decode(), {"prefix": prefix, "class_token": prefix > 0}
    weights = base64.b64encode(full.tobytes()).decode()
    answered(page, "explanations/attention", lambda found: {"weights": weights})
    answered(page, "explanations", lambda found: found | {"cls": cls, "shape": found["shape"] | tokens_before})


def test_uniform_attention_names_no_strongest_patch(open_page):
    page = open_page()
    with_uniform_attention(page, 1)
    other_image(page, page.locator(".thumb").last.click)
    headline = page.locator(f"{EXPLORER} .headline")
    expect(headline).to_have_text("Layer 5, head 2: the class token attends equally to all patches")
    expect(page.locator(".status")).to_contain_text("Every patch gets 1.5\xa0%, 1.0 times uniform.")
    choose_option(page, "direction", "to")
    expect(headline).to_have_text("Layer 5, head 2: all patches attend equally to the class token")


def test_without_a_class_token_the_query_is_the_mean_of_the_patches(open_page):
    page = open_page()
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    with_uniform_attention(page, 0)
    other_image(page, page.locator(".thumb").last.click)
    headline = page.locator(f"{EXPLORER} .headline")
    expect(headline).to_have_text("Layer 5, head 2: the mean of the patches attends equally to all patches")
    choose_option(page, "direction", "to")
    expect(headline).to_have_text("Layer 5, head 2: all patches attend equally to the mean of the patches")
    page.click("[data-do=more-methods]")
    page.locator(".method", has_text="Average").click()
    text = vitviz.METHODS["average"].text_without_class_token
    expect(page.locator(".method-about")).to_contain_text(text.about)
    expect(page.locator(".method-about .formula")).to_have_text(text.formula)


# --- methods and classes ---


def empty_gradcam():
    """A sample and a class with a flat Grad-CAM map: name, index, label."""
    model = vitviz.load("cifar10-ti4")
    for name, path in sample_paths().items():
        whole = vitviz.explain(model, path)
        for k, label in enumerate(whole.labels):
            if np.ptp(whole.map("attention_gradcam", target=k)) == 0:
                return name, k, label
    return pytest.fail("no sample has one")


def test_a_flat_map_has_no_finding_and_no_score(open_page):
    name, k, label = empty_gradcam()
    page = open_page(f"?image={name}&target={k}&method=attention_gradcam")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    expect(page.locator(".headline")).to_have_text(f"Grad-CAM for {label}: all patches have the same value")
    expect(page.locator(".status")).to_contain_text("it has no ranking to score")
    expect(page.locator(".method", has_text="Grad-CAM").locator(".method-score span").first).to_have_text("–")


def test_a_class_whose_probability_rises_under_masking_is_described_so(open_page):
    page = open_page()
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    answered(
        page,
        "explanations/scores",
        lambda found: {"scores": dict.fromkeys(found["scores"], -1.69), "random_baseline": [-2.84, 0.1]},
    )
    page.click("[data-do=more-methods]")
    page.locator(".method", has_text="Relevance").click()
    page.locator(".explain-class").nth(1).click()
    expect(page.locator(".status")).to_contain_text("first raises the probability of")
    expect(page.locator(".status")).to_contain_text(
        "by 169\xa0% on average, a random order by 284\xa0%: better than random."
    )


def test_the_explained_class_is_kept_by_name_when_the_model_changes(open_page):
    page = open_page("?image=cat&target=4")
    expect(page.locator(".method-groups .method-group:last-child .group-name")).to_have_text("For class deer")

    def turned(reply):
        return reply | {name: reply[name][::-1] for name in ("classes", "probabilities")}

    answered(page, "explanations", turned)
    other_image(page, lambda: page.locator(".model select").first.dispatch_event("change"))
    expect(page.locator(".method-groups .method-group:last-child .group-name")).to_have_text("For class deer")
    page.wait_for_url("**target=5*")


def test_a_class_has_no_contrast_with_itself(open_page):
    page = open_page("?image=cat&target=4,4")
    expect(page.locator(".method-groups .method-group:last-child .group-name")).to_have_text("For class deer")
    assert page.locator(".contrast option", has_text="deer").is_disabled()


# --- a server that is unreachable, or has evicted an explanation ---


def test_maps_and_scores_are_requested_again_until_the_server_responds(open_page):
    page = open_page("?image=cat")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    losing = [True]
    page.route(API, lambda route: route.abort() if losing else route.fallback())
    page.locator(".explain-class").nth(1).click()
    expect(page.locator(".status")).to_contain_text("The server did not respond")
    losing.clear()
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    expect(page.locator(".status")).not_to_contain_text("The server did not respond")


def test_an_error_of_the_methods_is_shown_and_stays(open_page):
    page = open_page("?image=cat&method=relevance")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    answered(page, "explanations/maps", lambda found: {"error": "Uploads are deleted after an hour."})
    page.locator(".explain-class").nth(1).click()
    expect(page.locator(".status")).to_have_text("Uploads are deleted after an hour.")
    expect(page.locator(".headline")).to_contain_text("the class token attends most to")
    choose_option(page, "display", "smooth")
    expect(page.locator(EXPLORER)).to_have_class(re.compile("smooth"))


def test_a_file_that_is_too_large_is_refused_before_the_upload(open_page, request_urls):
    page = open_page()
    choose_option(page, "shelf", "upload")
    file = {"name": "wide.png", "mimeType": "image/png", "buffer": b"x" * (MAX_UPLOAD_BYTES + 2**20)}
    page.locator(".drop input").set_input_files(file)
    expect(page.locator(".shelf .error")).to_have_text(
        "An image may have at most 20\xa0MiB: wide.png has 21\xa0MiB. "
        "Reduce its size, for example by saving it as JPEG."
    )
    assert not [address for address in request_urls if "upload" in address]


# --- clipboard, dropped files, links, other tabs ---


def test_an_image_is_pasted_regardless_of_the_focus(open_page):
    page = open_page()
    choose_option(page, "shelf", "upload")
    other_image(
        page,
        lambda: page.evaluate(
            """async () => {
              const canvas = new OffscreenCanvas(20, 20);
              canvas.getContext('2d').fillRect(0, 0, 20, 20);
              const clipboardData = new DataTransfer();
              clipboardData.items.add(new File([await canvas.convertToBlob()], 'pasted.png', { type: 'image/png' }));
              const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true });
              document.activeElement.dispatchEvent(paste);
            }"""
        ),
    )
    assert page.evaluate("document.activeElement.name") == "shelf"
    expect(page.locator(".image-note")).to_contain_text("pasted.png")


def test_a_file_dropped_outside_of_the_explorer_does_not_replace_the_page(open_page):
    page = open_page()
    dropped = """([type]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['x'], 'notes.txt', { type: 'text/plain' }));
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      document.body.dispatchEvent(event);
      return event.defaultPrevented;
    }"""
    assert page.evaluate(dropped, ["dragover"])
    assert page.evaluate(dropped, ["drop"])
    expect(page.locator(".shelf .error")).to_contain_text("The file must be an image: notes.txt is text/plain.")


def test_a_link_to_an_upload_says_that_it_shows_another_image(open_page):
    page = open_page("?image=upload&query=9&target=4&ablations=patches:0")
    expect(page.locator(".status")).to_contain_text("The image of this link, upload, is not available: showing cat.")
    expect(page.locator(".headline")).to_contain_text("the class token attends most to")
    expect(page.locator(".effect")).to_be_hidden()
    expect(page.locator(".explain-class").first).to_have_attribute("aria-pressed", "true")


def test_a_model_chosen_on_another_tab_is_adopted(open_page):
    page = open_page("?image=cat&ablations=heads:4.1")
    answered(page, "models", with_other_model)
    page.route(API, as_bundled)
    page.get_by_role("tab", name="Internals").click()
    page.evaluate("history.replaceState(history.state, '', location.search + '&model=other')")
    other_image(page, page.get_by_role("tab", name="Explore").click)
    expect(page.locator(f"{EXPLORER} .model select")).to_have_value("other")
    expect(page.locator(".cell.ablated")).to_have_count(0)
    page.wait_for_url(lambda url: "model=other" in url and "ablations=" not in url)


def test_a_model_that_is_being_loaded_is_not_replaced(open_page):
    page = open_page("?image=cat&model=cifar10-ti4")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    answered(page, "models", with_other_model)
    inside, explore = (page.get_by_role("tab", name=name) for name in ("Internals", "Explore"))
    inside.click()
    page.wait_for_selector(".vitviz-internals")
    explore.click()
    models = page.locator(f"{EXPLORER} .model select")
    expect(models.locator("option").last).to_have_attribute("value", "other")
    held = {}

    def hold(route):
        name = route_of(route.request)
        if name not in ("models", "explanations") or name in held:
            return as_bundled(route)
        held[name] = route
        return None

    page.route(API, hold)
    inside.click()
    with page.expect_request(lambda request: route_of(request) == "models"):
        explore.click()
    with page.expect_request(lambda request: route_of(request) == "explanations"):
        models.select_option("other")
    with page.expect_response(lambda reply: route_of(reply.request) == "models"):
        held["models"].fallback()
    as_bundled(held["explanations"])
    page.wait_for_url(lambda url: "model=other" in url)


def test_the_camera_is_closed_when_another_tab_is_opened(open_page):
    page = open_page()
    choose_option(page, "shelf", "upload")
    page.locator("[data-do=camera]").click()
    page.wait_for_function("document.querySelector('.camera video').srcObject !== null")
    page.get_by_role("tab", name="Internals").click()
    page.wait_for_function("document.querySelector('.camera video').srcObject === null")


# --- keys and voice ---


def test_another_image_and_a_pinned_patch_are_announced(open_page):
    page = open_page("?image=cat")
    voice = page.locator(f"{EXPLORER} .voice")
    other_image(page, page.get_by_role("button", name="truck", exact=True).click)
    expect(voice).to_contain_text("Predicted: truck, ")
    page.locator(".stage.image").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(voice).to_contain_text("Pinned. ")
    page.keyboard.press("Enter")
    expect(voice).to_contain_text("Unpinned. ")


@pytest.mark.parametrize("place", [".stage.image", ".cell[aria-selected=true]"])
def test_shortcuts_of_the_browser_are_not_handled(open_page, place):
    page = open_page("?image=cat&layer=4&head=0")
    before = page.locator(".headline").inner_text()
    keys = [{"key": "ArrowLeft", "altKey": True}, {"key": "Backspace", "ctrlKey": True}, {"key": "x", "metaKey": True}]
    page.locator(place).focus()
    taken = page.locator(place).evaluate(
        """(node, keys) => keys.map((key) => {
          const event = new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true });
          node.dispatchEvent(event);
          return event.defaultPrevented;
        })""",
        keys,
    )
    assert taken == [False, False, False]
    other_image(page, lambda: page.keyboard.press("x") if "cell" in place else page.locator("[data-do=ablate]").click())
    assert page.locator(".headline").inner_text() == f"{before.partition(':')[0]} is ablated"


@pytest.mark.parametrize("width", [1400, 1024, 700, 390])
def test_no_choice_moves_the_image(open_page, width):
    page = open_page("?image=cat")
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    page.set_viewport_size({"width": width, "height": 900})
    tops = set()
    for place in (".cell >> nth=0", ".cell >> nth=6", ".cell >> nth=48", ".method >> nth=0", ".method >> nth=4"):
        page.locator(place).dispatch_event("click")
        page.evaluate("() => new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
        tops.add(page.evaluate("document.querySelector('.stage.image').getBoundingClientRect().top + scrollY"))
    assert len(tops) == 1, json.dumps(sorted(tops))


# --- changes on the server while the page is open ---


def test_test_images_downloaded_later_are_listed(open_page):
    page = open_page()
    shelf = page.locator(".shelf[data-shelf=test]")
    here = []

    def known(found):
        cifar = {"available": bool(here), "message": "" if here else "CIFAR-10 is not in data."}
        return found | {"cifar": found["cifar"] | cifar}

    answered(page, "models", known)
    page.locator("input[name=shelf][value=test]").check()
    for message in ("CIFAR-10 is not in data.", ""):
        page.get_by_role("tab", name="Internals").click()
        expect(page.locator(".vitviz-internals .absent")).to_have_text(message)
        page.get_by_role("tab", name="Explore").click()
        expect(shelf.get_by_role("button", name="Download CIFAR-10 (170 MB)")).to_be_visible(visible=bool(message))
        expect(shelf.locator(".gallery")).to_be_visible(visible=not message)
        here.append(True)
    expect(shelf.locator(".thumb")).to_have_count(40)


def test_cifar_is_downloaded_from_the_shelf(context, tmp_path):
    guard = {"PYTHONPATH": str(Path(__file__).parent / "guard"), "VITVIZ_TEST_CONNECTIONS": str(tmp_path / "notes")}
    with bench.server(guard | {"VITVIZ_DATA": str(tmp_path / "none")}, tmp_path) as (address, _):
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
        choose_option(page, "shelf", "test")
        shelf = page.locator(".shelf[data-shelf=test]")
        expect(shelf.locator(".sentence")).to_have_text("The 10,000 test images are not downloaded.")
        shelf.get_by_role("button", name="Download CIFAR-10 (170 MB)").click()
        expect(shelf.locator(".sentence")).to_contain_text("CIFAR-10 could not be downloaded")
        expect(shelf.get_by_role("button", name="Download CIFAR-10 (170 MB)")).to_be_visible()


def test_an_upload_that_the_server_has_deleted_is_replaced_after_a_reload(open_page):
    page = open_page("?image=dog")
    gone = "0" * 64
    state = {"upload": {"kind": "upload", "id": gone, "name": "gone.png", "crop": 0.5}}
    page.evaluate("([state, url]) => history.replaceState(state, '', url)", [state, f"?image=upload:{gone}"])
    page.reload()
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    expect(page.locator(f"{EXPLORER} .status")).to_contain_text("Uploads are deleted within an hour.")
    expect(page.locator(f"{EXPLORER} .status")).to_contain_text("Showing cat.")


def test_a_failed_choice_of_test_images_is_undone(open_page):
    page = open_page()
    page.locator("input[name=shelf][value=test]").check()
    shelf = page.locator(".shelf[data-shelf=test]")
    expect(shelf.locator(".thumb")).to_have_count(40)

    def refuse(route):
        if route_of(route.request) == "data/gallery":
            route.fulfill(status=503, json={"error": "The server is busy."})
        else:
            route.fallback()

    page.route(API, refuse)
    shelf.locator("[name=shown]").select_option(label="Misclassified")
    expect(page.locator(f"{EXPLORER} .status")).to_have_text("The server is busy.")
    expect(shelf.locator("[name=shown]")).to_have_value("all")
    expect(shelf.locator(".thumbs[inert]")).to_have_count(0)


# --- before the first response, long names ---


def test_the_page_has_its_size_before_the_first_response(context, address):
    page = context.new_page()
    page.route(API, lambda route: None)
    page.goto(address)
    page.wait_for_selector(f"{EXPLORER} .cell")
    for place in (".stage.image", ".stage.map"):
        box = page.locator(f"{EXPLORER} {place}").bounding_box()
        assert box["height"] > 150, place
        assert box["width"] == pytest.approx(box["height"], abs=2), place


def test_long_names_widen_nothing(open_page):
    page = open_page("?image=cat")
    page.set_viewport_size({"width": 390, "height": 800})
    long = "IMG_20240501_123456789_" + "HDR_" * 20
    page.locator("input[name=shelf][value=upload]").check()
    page.locator(".drop input").set_input_files(
        {"name": f"{long}.txt", "mimeType": "text/plain", "buffer": b"no image"}
    )
    expect(page.locator(".shelf .error")).to_contain_text(long)
    check_width(page)

    name = f"runs/{long[:60]}"

    def named(found):
        return found | {"models": [*found["models"], found["models"][0] | {"name": name}]}

    answered(page, "models", named)
    page.set_viewport_size({"width": 768, "height": 800})
    for tab, model in (("Internals", ".vitviz-internals .model option"), ("Explore", f"{EXPLORER} .model option")):
        page.get_by_role("tab", name=tab).click()
        expect(page.locator(model).last).to_have_attribute("value", name)
    assert page.locator(f"{EXPLORER} .model select").bounding_box()["width"] <= 230
    page.get_by_role("tab", name="Internals").click()  # it is not covered
    expect(page.locator(".vitviz-internals .model select")).to_be_visible()


def test_a_double_click_opens_the_camera_once(open_page):
    page = open_page()
    choose_option(page, "shelf", "upload")
    page.locator("[data-do=camera]").dblclick()
    expect(page.locator("[data-do=snap]")).to_be_visible()
    page.wait_for_function("document.querySelector('.camera video').srcObject?.active")


def test_removing_the_last_query_patch_returns_to_the_class_token(open_page):
    page = open_page("?image=cat")
    choose_option(page, "query", "patches")
    expect(page.locator("input[name=query][value=patches]")).to_be_checked()
    page.locator(".stage.image").focus()
    for key in ("ArrowDown", "ArrowUp"):  # to the pinned patch
        page.keyboard.press(key)
    other_image(page, lambda: page.keyboard.press("Delete"))
    expect(page.locator("input[name=query][value=patches]")).not_to_be_checked()


# A stream of scores that reports once and then goes on until the page aborts it.
ENDLESS = """() => {
  const original = window.fetch;
  window.fetch = (url, options) => {
    if (!String(url).endsWith('/scores')) return original(url, options);
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode('{"done":10,"total":40,"waiting":""}\\n'));
        options.signal.addEventListener('abort', () => {
          document.body.dataset.aborted = 'true';
          stream.error(options.signal.reason);
        });
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'application/x-ndjson' } }));
  };
}"""


def test_scores_are_canceled_by_the_user(context, open_page):
    context.add_init_script(f"({ENDLESS})()")
    page = open_page("?image=dog")
    pending = page.locator(f"{EXPLORER} .pending")
    expect(pending).to_contain_text("10 of 40")
    head, groups = (page.locator(f"{EXPLORER} {part}").bounding_box() for part in (".methods-head", ".method-groups"))
    assert head["height"] <= 24  # one line
    assert groups["y"] <= head["y"] + head["height"] + 8  # nothing between them that would move the methods
    page.click("[data-act=cancel-all]")
    expect(page.locator("body")).to_have_attribute("data-aborted", "true")
    expect(pending).to_contain_text("scores")
    expect(page.locator("[data-act=cancel-all]")).to_have_count(0)
    assert page.locator(f"{EXPLORER} .method canvas").count() > 0  # the maps stay
