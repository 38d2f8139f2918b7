"""The Train page in a browser: start, follow, reload, stop, resume and explore a training."""

import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from benchmarks import page as bench
from benchmarks.page import EXPLORER, new_context
from tests.browser.files import mp4_seconds
from tests.browser.layout import check_width, resize
from tests.browser.train import SHIPPED, TRAIN, open_train, painted, state, step_to
from vitviz.models import checkpoint
from vitviz.training import timeline
from vitviz.webapp.timelines import urls

pytestmark = pytest.mark.browser


# A network and hyperparameters small enough to be trained in a test.
SMALL = {
    "model.embed_dim": 48,
    "model.depth": 2,
    "model.num_heads": 2,
    "model.mlp_ratio": 2,
    "model.patch_size": 8,
    "batch_size": 100,
    "max_train_samples": 2000,
}


@pytest.fixture(scope="module")
def recorded():
    return timeline.read(checkpoint.CHECKPOINTS / f"{SHIPPED}.timeline.npz")


def number(text):
    return float(re.search(r"\d+(?:\.\d+)?", text)[0])


def test_without_runs_the_page_shows_a_bundled_timeline(open_page, request_urls, recorded):
    page = open_page()
    expect(page.locator(TRAIN)).to_have_count(0)
    page.wait_for_selector(f"{EXPLORER}[data-scores]")
    page.get_by_role("tab", name="Train").click()
    painted(page, f"{SHIPPED} 0")
    expect(page.locator(".watch .headline")).to_have_text("How attention formed")
    last = len(recorded.epoch) - 1
    expect(page.locator(TRAIN)).to_have_attribute("data-snapshot", str(last))
    for place in (0, 7, last):
        step_to(page, place)
        expect(page.locator(".when")).to_contain_text("Epoch")
        assert number(page.locator(".when").inner_text()) == pytest.approx(recorded.epoch[place], abs=0.0501)
        shown = number(page.locator(".prediction", has_text="(true)").locator(".value").inner_text())
        assert shown == pytest.approx(100 * recorded.probabilities[place, 0, 0], abs=0.0501)
        finding = "At the first snapshot: " if place == 0 else "more focused than at the first snapshot: "
        expect(page.locator(f"{TRAIN} .finding").first).to_contain_text(finding)
    page.locator(f"{TRAIN} [role=gridcell]").first.click()
    expect(page.locator(".map-line")).to_contain_text("Layer 1, head 1")
    weight = number(page.locator(".map-line b").nth(1).inner_text())
    assert weight == pytest.approx(100 * recorded.cls_attention[last, 0, 0, 0, 1:].max(), abs=0.0601)


def test_nothing_is_polled_while_nothing_runs(context, form_address):
    context.clock.install()
    page = open_train(context, form_address)
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    assert not page.get_attribute(TRAIN, "data-polls")
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    step_to(page, 3)
    page.keyboard.press("ArrowRight")
    context.clock.fast_forward(60_000)
    with page.expect_request("**/runs/check"):
        page.locator("input[name=name]").fill("another")
    assert not [url for url in sent if url.endswith("/poll")]


def test_the_timeline_plays_and_steps_by_keys(context, address, recorded):
    page, last = open_train(context, address), len(recorded.epoch) - 1
    step_to(page, last - 2)
    page.get_by_role("button", name="Play").click()
    page.wait_for_selector(f"{TRAIN}[data-snapshot='{last}']")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.locator(".snapshot").evaluate("node => node.blur()")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f"{TRAIN}[data-snapshot='{last - 1}']")
    page.locator(f"{TRAIN} .cell[aria-selected=true]").focus()  # a sharp head of a late layer
    expect(page.locator(".map-line")).to_contain_text("Layer 5, head 6")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".map-line")).to_contain_text("Layer 4, head 6")
    page.locator(".probes [aria-checked=true]").focus()
    page.keyboard.press("ArrowRight")
    painted(page, f"{SHIPPED} 1")
    expect(page.locator(TRAIN)).to_have_attribute("data-snapshot", str(last - 1))


def test_the_bundled_timeline_plays_once_until_a_click(browser, address, recorded):
    context = new_context(browser, viewport={"width": 1400, "height": 900})
    page, last = open_train(context, address), len(recorded.epoch) - 1
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.wait_for_function(f"Number(document.querySelector('{TRAIN}').dataset.snapshot) > 1")
    expect(page.locator("[data-curve=loss] h2")).to_have_text("Loss, 10 probe images")
    expect(page.locator(".curves-note")).to_contain_text("No loss curve was recorded with this checkpoint")
    page.locator(".watch .headline").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert int(page.get_attribute(TRAIN, "data-snapshot")) < last
    page = open_train(context, address, "&snapshot=9")
    expect(page.locator(TRAIN)).to_have_attribute("data-snapshot", "8")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    context.close()


def test_the_form_begins_with_the_time_and_start_is_in_view(context, form_address):
    page = open_train(context, form_address)
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    begin = page.get_by_role("button", name="Start training")
    expect(page.get_by_role("radio", name="2 minutes")).to_be_checked()
    for width, height in ((1400, 900), (1024, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        expect(begin).to_be_in_viewport(ratio=1)
        page.locator(".hyperparameters summary").click()
        page.locator("[name=seed]").scroll_into_view_if_needed()
        expect(begin).to_be_in_viewport(ratio=1)
        page.locator(".hyperparameters summary").click()
    page.get_by_role("radio", name="10 minutes").check()
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    expect(page.locator("input[name=name]")).to_have_value("2min-1")
    expect(page.locator(".plan [data-name=Time]")).to_have_text(re.compile(r"about \d+\s+min"))
    page.locator(".preset-section summary").click()
    page.locator("[name=preset][value=tutorial-scratch]").check()
    expect(page.get_by_role("radio", name="10 minutes")).not_to_be_checked()
    page.get_by_role("button", name="Use the corrected version").click()
    expect(page.locator("[name=preset][value=tutorial-scratch-fixed]")).to_be_checked()


def test_after_start_the_training_is_in_view(context, train_server):
    page = open_train(context, train_server[0])
    page.set_viewport_size({"width": 1024, "height": 768})
    start(page, "seen", 1000)
    expect(page.locator(".watch .headline")).to_be_focused()
    expect(page.locator(".watch .headline")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("progressbar", name="Training progress")).to_be_in_viewport()
    page.reload()
    page.wait_for_selector(f"{TRAIN}[data-run=seen]")
    expect(page.locator(".watch .headline")).to_be_in_viewport(ratio=1)
    page.locator(".now [data-do=stop]").click()
    state(page, "stopped")


def test_stepping_through_the_snapshots_sends_no_request(context, address, recorded):
    page = open_train(context, address)
    polls = page.get_attribute(TRAIN, "data-polls")
    for place in range(len(recorded.epoch)):
        step_to(page, place)
    assert page.evaluate("() => performance.getEntriesByName('vitviz:snapshot').length") >= len(recorded.epoch)
    assert page.get_attribute(TRAIN, "data-polls") == polls


def test_a_saved_file_stays_available_after_the_click(context, address):
    page = open_train(context, address)
    page.evaluate(
        """() => {
          window.revoked = [];
          const revoke = URL.revokeObjectURL;
          URL.revokeObjectURL = (url) => { window.revoked.push(url); revoke.call(URL, url); };
        }"""
    )
    with page.expect_download() as found:
        page.locator("[data-save='.gif']").click()
    assert Image.open(found.value.path()).format == "GIF"
    assert found.value.url.startswith("blob:")
    assert not page.evaluate("url => window.revoked.includes(url)", found.value.url)


def test_a_movie_is_encoded_as_mp4_in_the_browser(context, address, recorded):
    page = open_train(context, address)
    with page.expect_download() as found:
        page.locator("[data-save='.mp4']").click()
    assert found.value.suggested_filename == f"{SHIPPED}-{recorded.names[0]}.mp4"
    assert mp4_seconds(page, found.value) == pytest.approx((len(recorded.epoch) - 1) / 10 + 2.5, abs=0.05)
    expect(page.locator(f"{TRAIN} .status")).to_contain_text("Saved as")


def test_without_an_encoder_mp4_is_not_offered(context, address):
    context.add_init_script("delete window.VideoEncoder")
    page = open_train(context, address)
    expect(page.locator(".findings .note")).to_contain_text("MP4 needs a browser that encodes video")
    offered = page.locator("[data-save]").evaluate_all("nodes => nodes.map(({ dataset }) => dataset.save)")
    assert offered == [".gif"]


def fill(page, name, epochs):
    """Fill the form by hand."""
    for section in (".preset-section", ".hyperparameters"):
        page.locator(section).evaluate("node => { node.open = true; }")
    for setting, value in SMALL.items():
        page.locator(f"[name='{setting}']").fill(str(value))
    page.locator("select[name=unit]").select_option("epochs")
    page.locator("input[name=budget]").fill(str(epochs))
    page.locator("input[name=name]").fill(name)
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")


def start(page, name, epochs):
    """Fill the form by hand and start."""
    fill(page, name, epochs)
    page.get_by_role("button", name="Start training").click()
    page.wait_for_selector(f"{TRAIN}[data-run={name}]")


def test_a_training_survives_a_reload_and_is_stopped_and_resumed(context, train_server):
    address, runs = train_server
    page = open_train(context, address)
    start(page, "long", 1000)
    page.wait_for_selector("[data-curve=loss] circle")
    expect(page.locator(".plan [data-name=Tokens]")).to_contain_text("17")
    expect(page.locator(".begin .note")).to_contain_text("long is training")
    page.reload()
    page.wait_for_selector(f"{TRAIN}[data-run=long][data-run-state=training]")
    page.wait_for_selector("[data-curve=loss] circle")
    page.locator(".now [data-do=stop]").click()
    state(page, "stopped")
    expect(page.locator(".watch .headline")).to_be_focused()
    assert (runs / "long" / "last.safetensors").is_file()
    expect(page.locator("tr[data-run=long] .stopped")).to_have_text("stopped")
    page.locator(".now [data-do=resume]").click()
    state(page, "training")
    page.locator(".now [data-do=stop]").click()
    state(page, "stopped")


def test_a_training_of_two_epochs_finishes_and_is_explored(context, train_server):
    address, runs = train_server
    page = open_train(context, address)
    start(page, "short", 2)
    state(page, "finished")
    expect(page.locator(".watch .headline")).to_contain_text("Test accuracy ")
    held = timeline.read(runs / "short" / "timeline.npz")
    page.wait_for_selector(f"{TRAIN}[data-count='{len(held.epoch)}']")
    for place in (0, len(held.epoch) - 1):
        step_to(page, place)
        assert number(page.locator(".when").inner_text()) == pytest.approx(held.epoch[place], abs=0.0501)
    page.locator(".now [data-do=explore]").click()
    page.wait_for_selector(f"{EXPLORER}[data-full][data-state=ready]")
    expect(page.locator("#explore .model select")).to_have_value("runs/short")
    expect(page.locator(f"{EXPLORER} [role=gridcell]")).to_have_count(3 * 3)


def test_the_address_keeps_timeline_probe_image_and_snapshot(context, train_server):
    from tests.webapp import runs

    address, root = train_server
    runs.make(root, "kept", finished=True, snapshots=3)
    page = open_train(context, address, f"&timeline={SHIPPED}&probe=4&snapshot=8")
    painted(page, f"{SHIPPED} 3")
    expect(page.locator(TRAIN)).to_have_attribute("data-snapshot", "7")
    expect(page.locator(".timeline-choice")).to_have_value(SHIPPED)
    page.locator(".timeline-choice").select_option("runs/kept")
    painted(page, "runs/kept 0")  # it has three images
    page.locator(".probes button").nth(1).click()
    painted(page, "runs/kept 1")
    step_to(page, 1)
    page.wait_for_function("new URLSearchParams(location.search).get('snapshot') === '2'")
    page.reload()
    painted(page, "runs/kept 1")
    expect(page.locator(TRAIN)).to_have_attribute("data-snapshot", "1")
    page.goto(f"{address}?tab=train&timeline=gone&probe=99&snapshot=-2")
    painted(page, "runs/kept 0")
    expect(page.locator(f"{TRAIN} .status")).to_have_text(
        "The timeline of this link, gone, is not available: showing runs/kept."
    )


def test_masked_patches_are_reconstructed_as_recorded_and_as_masked_by_hand(context, train_server):
    from tests.webapp import runs

    address, root = train_server
    folder = runs.make(root, "mae", finished=True, objective="mae")
    held = timeline.read(folder / "timeline.npz")
    page = open_train(context, address, "&run=mae")
    painted(page, "runs/mae 0")
    rebuilding, shown = page.locator(".rebuilding"), page.locator("[data-panel=reconstruction]")
    expect(rebuilding).to_have_attribute("data-masked", "12")
    for place, src in enumerate(urls(held.reconstruction[:, 0])):
        step_to(page, place)
        expect(shown).to_have_attribute("src", src)
    kept = [int(node) for node in np.flatnonzero(~held.mask[0])]
    box = page.locator(".masking").bounding_box()

    def center(patch):
        row, column = divmod(patch, 4)
        return box["x"] + (column + 0.5) * box["width"] / 4, box["y"] + (row + 0.5) * box["height"] / 4

    with page.expect_response("**/runs/reconstruct") as found:
        page.mouse.click(*center(kept[0]))
    assert sorted(found.value.request.post_data_json["masked"]) == sorted({*range(16)} - {*kept[1:]})
    expect(shown).to_have_attribute("src", found.value.json()["src"])
    page.mouse.move(*center(kept[0]))
    page.mouse.down()  # which shows it again, and then all patches of its row
    first = kept[0] - kept[0] % 4
    page.mouse.move(*center(first), steps=8)
    page.mouse.move(*center(first + 3), steps=8)
    page.mouse.up()
    masked = {*range(16)} - {*kept} - {*range(first, first + 4)}
    expect(rebuilding).to_have_attribute("data-masked", str(len(masked)))
    page.get_by_role("button", name="Random 75").click()
    expect(rebuilding).to_have_attribute("data-masked", "12")
    page.locator(".masking").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    expect(rebuilding).not_to_have_attribute("data-masked", "12")
    page.get_by_role("button", name="As recorded").click()
    expect(shown).to_have_attribute("src", urls(held.reconstruction[-1:, 0])[0])


def test_the_curves_of_a_finished_run_end_with_its_last_values(context, train_server):
    from tests.webapp import runs

    address, root = train_server
    folder = runs.make(root, "ended", finished=True)
    seen = runs.record_timeline(checkpoint.load(folder / "last.safetensors").network, 2)
    last = 1.50004  # single precision and four digits are both below it
    seen.record(checkpoint.load(folder / "last.safetensors").network, last, 6.0)
    seen.save(folder / "timeline.npz")
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    lines = [line | {"loss": 0.2} for line in lines]
    lines[-1] |= {"epoch": last, "loss": 0.15}
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    page = open_train(context, address, "&run=ended")
    painted(page, "runs/ended 0")
    expect(page.locator("[data-curve=loss] .name")).to_have_text("training 0.15")
    numbers = page.locator("[data-curve=loss] text[text-anchor=end]").all_text_contents()
    assert len(numbers) == len(set(numbers)) > 1


def test_without_a_class_token_the_query_is_the_mean_of_the_patches(context, train_server):
    from tests.webapp import runs

    address, root = train_server
    folder = runs.make(root, "patches", finished=True)
    replace(runs.record_timeline(checkpoint.load(folder / "last.safetensors").network, 3), class_token=False).save(
        folder / "timeline.npz"
    )
    page = open_train(context, address, "&run=patches")
    painted(page, "runs/patches 0")
    expect(page.locator(f"{TRAIN} .query")).to_have_text("What the mean of the patches attends to")
    expect(page.locator(f"{TRAIN} .finding").first).to_contain_text("on average the mean of the patches attends to")


def test_a_validation_set_is_not_called_test_set_and_a_convnet_has_no_explore_link(context, train_server):
    from tests.webapp import runs

    address, root = train_server
    folder = runs.make(root, "held", finished=True, snapshots=0)
    stored = {"epochs": 4, "val_size": 5000, "num_snapshots": 0, "lookahead": True}  # of an earlier version
    (folder / "config.json").write_text(json.dumps(stored | {"model": {"architecture": "convnet"}}))
    page = open_train(context, address, "&run=held")
    painted(page, "runs/held 0")
    expect(page.locator(".watch .headline")).to_have_text("Validation accuracy 50.0\N{NARROW NO-BREAK SPACE}%")
    expect(page.locator("tr[data-run=held]")).to_contain_text("50.0\N{NARROW NO-BREAK SPACE}% held-out")
    expect(page.locator("[data-curve=accuracy] .name")).to_contain_text("held-out")
    expect(page.locator(".no-snapshots")).to_have_text("This run records no snapshots: its num_snapshots is 0.")
    expect(page.locator("[data-act=explore]:visible, [data-do=explore]:visible")).to_have_count(0)
    page.goto(f"{address}?model=runs/held")
    page.wait_for_selector(f"{EXPLORER}[data-full]")
    expect(page.locator(f"{EXPLORER} .status")).to_have_text(
        f"The model of this link, runs/held, is not available: showing {SHIPPED}."
    )
    page.goto(f"{address}?model=runs/held&tab=internals")
    expect(page.locator(".vitviz-internals .status")).to_contain_text(
        "The model of this link, runs/held, is not available"
    )
    page.goto(f"{address}?run=gone&tab=train")
    expect(page.locator(f"{TRAIN} .status")).to_have_text("The run of this link, gone, is not available: showing held.")
    page.locator(".timeline-choice").select_option(SHIPPED)
    expect(page.locator(f"{TRAIN} .status")).to_contain_text(f"Bundled checkpoint {SHIPPED}")


def test_the_table_renames_and_deletes_after_confirmation(context, train_server):
    from tests.webapp import runs

    address, root = train_server
    for name in ("one", "two"):
        runs.make(root, name, finished=name == "two")
    page = open_train(context, address, "&run=one")
    painted(page, "runs/one 0")
    expect(page.locator("tbody tr[data-run]")).to_have_count(2)
    page.locator("tr[data-run=two] input[type=checkbox]").check()
    expect(page.locator("[data-curve=loss] .name")).to_have_count(2)
    page.get_by_role("button", name="Accuracy, last epoch").click()
    expect(page.locator("tbody tr[data-run]").first).to_contain_text("50.0")
    row = page.locator("tr[data-run=one]")
    row.get_by_role("button", name="Rename").click()
    page.get_by_label("New name of one").fill("a/b")
    page.keyboard.press("Enter")
    expect(row.locator(".row-message")).to_contain_text("Name must have 1 to 64 letters")
    page.get_by_label("New name of one").fill("three")
    page.keyboard.press("Enter")
    row = page.locator("tr[data-run=three]")
    expect(row.get_by_role("link", name="Explore")).to_be_focused()
    other = open_train(context, address, "&run=three")
    expect(other.locator(TRAIN)).to_have_attribute("data-run", "three")
    page.bring_to_front()
    row.get_by_role("button", name="Delete").click()
    row.get_by_role("button", name="Cancel").click()
    assert (root / "three").is_dir()
    row.get_by_role("button", name="Delete").click()
    row.get_by_role("button", name="Delete").click()
    expect(page.locator("tr[data-run=three]")).to_have_count(0)
    expect(page.locator("tr[data-run=two] .link").first).to_be_focused()
    for seen in (page, other):
        seen.bring_to_front()
        seen.evaluate("window.dispatchEvent(new Event('focus'))")  # as when the window gets the focus
        expect(seen.locator(".watch .headline")).to_have_text("How attention formed")
        painted(seen, f"{SHIPPED} 0")
    assert sorted(path.name for path in root.iterdir() if not path.name.startswith(".")) == ["two"]


def test_a_response_older_than_a_rename_does_not_undo_it(context, train_server):
    from tests.webapp import runs

    address, root = train_server
    runs.make(root, "one")
    page = open_train(context, address, "&run=one")
    with page.expect_response("**/runs/poll") as first:
        page.reload()
    older = first.value.text()
    painted(page, "runs/one 0")
    held = []
    page.route("**/runs/poll", lambda route: held.append(route))  # noqa: PLW0108 (Playwright reads its signature)
    with page.expect_request("**/runs/poll"):
        page.evaluate("again = setInterval(() => window.dispatchEvent(new Event('focus')), 50)")  # until one is pending
    page.evaluate("clearInterval(again)")
    page.locator("tr[data-run=one]").get_by_role("button", name="Rename").click()
    page.get_by_label("New name of one").fill("two")
    page.keyboard.press("Enter")
    expect(page.locator("tr[data-run=two]")).to_be_visible()
    polls = int(page.get_attribute(TRAIN, "data-polls") or 0)
    held.pop().fulfill(body=older, content_type="application/json")
    page.wait_for_selector(f"{TRAIN}[data-polls='{polls + 1}']")
    assert [row.get_attribute("data-run") for row in page.locator("tbody tr[data-run]").all()] == ["two"]


def test_invalid_hyperparameters_are_marked_at_their_field(context, form_address):
    page = open_train(context, form_address)
    page.locator(".hyperparameters summary").click()
    page.locator("[name='model.num_heads']").fill("5")
    page.wait_for_selector(f"{TRAIN}[data-checked=refused]")
    expect(page.locator("[data-field='model.num_heads'] + .refusal")).to_have_text(
        "Heads must divide Embedding width: 128 is not a multiple of 5. Use 4 or 8."
    )
    expect(page.locator("[name='model.num_heads']")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("button", name="Start training")).to_be_disabled()
    page.locator("[name='model.num_heads']").fill("4")
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    expect(page.locator(".refusal")).to_be_hidden()
    expect(page.get_by_role("button", name="Start training")).to_be_enabled()


def test_a_typed_budget_is_kept_in_another_unit(context, form_address):
    page = open_train(context, form_address)
    page.locator(".preset-section summary").click()
    length, unit = page.locator("[name=budget]"), page.locator("[name=unit]")
    unit.select_option("epochs")
    expect(length).to_have_value("")
    page.wait_for_selector(f"{TRAIN}[data-checked=refused]")
    expect(page.locator("[data-field=budget] + .refusal")).to_contain_text("Budget must be a number above 0")
    length.fill("2")
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    unit.select_option("minutes")
    expect(length).to_have_value("2")


def test_a_sweep_shows_its_number_of_runs(context, form_address):
    page = open_train(context, form_address)
    page.locator(".sweep summary").click()
    for place, (name, values) in enumerate((("model.depth", "2, 4"), ("model.num_heads", "2 4 8"))):
        page.locator(f"[data-vary='{place}']").select_option(name)
        page.locator(f"[data-values='{place}']").fill(values)
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    expect(page.locator(".begin .button")).to_have_text("Start 6 runs")
    page.locator("[data-values='1']").fill("2 5")
    page.wait_for_selector(f"{TRAIN}[data-checked=refused]")
    expect(page.locator("[data-field=vary] + .refusal")).to_contain_text("Heads must divide Embedding width")
    page.get_by_role("radio", name="Does CutMix make heads local?").check()
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    expect(page.locator("[data-values='1']")).to_have_value("0, 1, 2")
    expect(page.locator(".begin .button")).to_have_text("Start 6 runs")
    expect(page.locator(".about-preset")).to_contain_text("arXiv 2605.16390")
    expect(page.locator("[data-name=Time]")).to_contain_text("6 times about ")
    page.get_by_role("radio", name="2 minutes").check()
    expect(page.locator(".begin .button")).to_have_text("Start training")


def test_another_run_can_be_shown_during_a_sweep(context, train_server):
    page = open_train(context, train_server[0])
    page.locator(".sweep summary").click()
    page.locator("[data-vary='0']").select_option("max_train_samples")
    page.locator("[data-values='0']").fill("100, 2000")
    fill(page, "both", 30)
    page.get_by_role("button", name="Start 2 runs").click()
    page.wait_for_selector(f"{TRAIN}[data-run=both-maxtrainsamples100]")
    page.wait_for_selector(f"{TRAIN}[data-run=both-maxtrainsamples2000]")  # the next run is followed automatically
    page.locator("tr[data-run=both-maxtrainsamples100] [data-act=follow]").click()
    painted(page, "runs/both-maxtrainsamples100 0")
    polls = int(page.get_attribute(TRAIN, "data-polls"))
    page.wait_for_function(f"document.querySelector('{TRAIN}').dataset.polls > {polls + 2}")
    expect(page.locator(TRAIN)).to_have_attribute("data-run", "both-maxtrainsamples100")
    page.locator(".plotted select").select_option("distance")
    expect(page.locator(".outcome")).to_contain_text("Training subset 100: 1")  # px
    page.locator(".sweeps").get_by_role("button", name="Stop").click()
    expect(page.locator(".about-sweep")).to_contain_text("stopped")


def test_an_emptied_name_is_suggested_again_on_blur(context, form_address):
    page = open_train(context, form_address)
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    name = page.locator("input[name=name]")
    suggested = name.input_value()
    name.press("End")
    for _ in suggested:
        name.press("Backspace")
    expect(name).to_have_value("")
    name.press("x")
    expect(name).to_have_value("x")
    name.press("Backspace")
    page.wait_for_selector(f"{TRAIN}[data-checked=refused]")
    name.blur()
    expect(name).to_have_value(suggested)
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    expect(page.locator(".refusal")).to_be_hidden()


def test_a_missing_dataset_can_be_downloaded(context, tmp_path):
    guard = {"PYTHONPATH": str(Path(__file__).parent / "guard"), "VITVIZ_TEST_CONNECTIONS": str(tmp_path / "notes")}
    with bench.server(guard | {"VITVIZ_DATA": str(tmp_path / "none")}, tmp_path) as (address, _):
        page = open_train(context, address)
        sentence = page.locator(f"{TRAIN} .absent .sentence")
        expect(sentence).to_contain_text("Training needs CIFAR-10, which is not downloaded.")
        expect(page.get_by_role("button", name="Start training")).to_be_disabled()
        page.get_by_role("button", name="Download CIFAR-10 (170 MB)").click()
        expect(sentence).to_contain_text("CIFAR-10 could not be downloaded")
        expect(page.get_by_role("button", name="Download CIFAR-10 (170 MB)")).to_be_visible()


def labelled(counts):
    """Return a zip with the given number of images per class, as a file to upload."""
    held, drawn = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (40, 40), "teal").save(drawn, "PNG")
    with zipfile.ZipFile(held, "w") as packed:
        for label, count in counts.items():
            for number in range(count):
                packed.writestr(f"{label}/{number}.png", drawn.getvalue())
    return {"name": f"{'-'.join(counts)}.zip", "mimeType": "application/zip", "buffer": held.getvalue()}


def test_image_folders_are_described_and_unusable_ones_rejected(context, offline_env, tmp_path):
    (data := tmp_path / "data").mkdir()
    with bench.server(offline_env | {"VITVIZ_DATA": str(data)}, tmp_path) as (address, _):
        page = open_train(context, address)
        begin = page.get_by_role("button", name="Start training")
        page.locator("details.dataset summary").click()
        page.locator("select[name=dataset]").select_option("folder")
        expect(page.locator(".no-folder")).to_be_visible()
        expect(page.locator(".begin .note")).to_have_text("No image folder selected.")
        page.locator(".upload input").set_input_files(labelled({"ant": 3}))
        expect(page.locator(".survey .refusal")).to_contain_text("at least two classes")
        expect(begin).to_be_disabled()
        page.locator(".upload input").set_input_files(labelled({"ant": 3, "bee": 5}))
        expect(page.locator(".survey tbody tr")).to_have_text(["ant21", "bee41"])
        expect(page.locator(".survey .refusal")).to_have_count(0)
        expect(begin).to_be_enabled()
        expect(page.locator(".plan [data-name=Time]")).to_contain_text("images/s")
        no_zip = {"name": "x.zip", "mimeType": "application/zip", "buffer": b"no zip"}
        page.locator(".upload input").set_input_files(no_zip)
        expect(page.locator(".survey .refusal")).to_contain_text("an image folder or a complete zip file")
        with (tmp_path / "big.zip").open("wb") as file:
            file.truncate(21 * 2**20)
        page.locator(".upload input").set_input_files(tmp_path / "big.zip")
        expect(page.locator(".survey .refusal")).to_contain_text("at most 20 MiB: big.zip has 21.0.")
    assert [path.name for path in data.iterdir()] == ["ant-bee.zip"]


def test_an_image_folder_is_read_once_the_form_is_valid_and_its_run_is_followed(context, offline_env, tmp_path):
    (data := tmp_path / "data").mkdir()
    with bench.server(offline_env | {"VITVIZ_DATA": str(data)}, tmp_path) as (address, _):
        page = open_train(context, address, f"&timeline={SHIPPED}&probe=8")
        painted(page, f"{SHIPPED} 7")
        page.locator(".hyperparameters summary").click()
        page.locator("[name='model.num_heads']").fill("5")
        page.locator("details.dataset summary").click()
        page.locator("select[name=dataset]").select_option("folder")
        page.locator(".upload input").set_input_files(labelled({"ant": 30, "bee": 30}))
        expect(page.locator(".survey .refusal")).to_contain_text("Heads must divide Embedding width")
        page.locator("[name='model.num_heads']").fill("4")
        expect(page.locator(".survey tbody tr")).to_have_text(["ant246", "bee246"])
        start(page, "few", 2)
        state(page, "finished")
        painted(page, "runs/few 0")  # the run has fewer than eight probe images


def test_a_public_page_has_the_timeline_without_the_form(context, tmp_path):
    with bench.server({"SPACE_ID": "someone/vitviz"}, tmp_path) as (address, _):
        page = open_train(context, address)
        expect(page.locator(".closed")).to_contain_text("Training is disabled on this public page")
        expect(page.locator(f"{TRAIN} .form")).to_be_hidden()
        expect(page.locator(".timeline-choice")).to_have_value(SHIPPED)
        expect(page.locator(".watch .headline")).to_have_text("How attention formed")


def test_nothing_is_wider_than_the_page_and_dark_repaints(context, address):
    page = open_train(context, address, "&__theme=light")
    for width in (1400, 1100, 1024, 700, 390):
        resize(page, width)
        check_width(page)
    pixel = "node => String([...node.getContext('2d').getImageData(0, 0, 1, 1).data])"
    canvas = f"{TRAIN} [role=gridcell] canvas"
    light = page.eval_on_selector(canvas, pixel)
    page.get_by_role("button", name="Switch to dark colors").click()
    page.wait_for_function(
        f"([selector, before]) => ({pixel})(document.querySelector(selector)) !== before", arg=[canvas, light]
    )
