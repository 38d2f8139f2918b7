"""The Train page in use: an unreachable or slow server, number formats, touch, keyboard and screen readers."""

import shutil

import pytest
from playwright.sync_api import expect

from benchmarks.page import new_context
from tests.browser.train import SHIPPED, TRAIN, open_train, painted
from tests.webapp import runs

pytestmark = pytest.mark.browser


def abort(page, route, part=""):
    """Abort requests to a route whose body contains this part until the returned list is cleared.

    Removing the route instead would handle a pending request twice.
    """
    active = [True]
    page.route(
        f"**/{route}",
        lambda request: request.abort() if active and part in request.request.post_data else request.fallback(),
    )
    return active


def focus_window(page):
    page.evaluate("window.dispatchEvent(new Event('focus'))")  # as a browser does when the window gets the focus


# --- an unreachable or slow server ---


def test_a_page_opened_without_the_server_recovers(context, address):
    page = context.new_page()
    active = abort(page, "runs/poll")
    page.goto(f"{address}?tab=train")
    expect(page.locator(f"{TRAIN} .status")).to_contain_text("The server did not respond")
    assert page.evaluate(f"document.querySelector('{TRAIN} .form').inert")
    active.clear()
    focus_window(page)
    painted(page, f"{SHIPPED} 0")
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    expect(page.locator(f"{TRAIN} .status")).to_contain_text(f"Bundled checkpoint {SHIPPED}")
    assert not page.evaluate(f"document.querySelector('{TRAIN} .form').inert")


def test_a_timeline_whose_response_was_lost_is_requested_again(context, address):
    page = context.new_page()
    active = abort(page, "runs/poll", SHIPPED)
    page.goto(f"{address}?tab=train")
    expect(page.locator(f"{TRAIN} .status")).to_contain_text("The server did not respond")
    active.clear()
    focus_window(page)
    page.wait_for_selector(f"{TRAIN}[data-snapshot]")
    expect(page.locator(f"{TRAIN} .status")).to_contain_text(f"Bundled checkpoint {SHIPPED}")


def test_a_click_while_another_timeline_loads_does_not_cancel_it(context, train_server):
    address, root = train_server
    runs.make(root, "slow", finished=True, snapshots=3)
    page = open_train(context, address, f"&timeline={SHIPPED}")
    painted(page, f"{SHIPPED} 0")
    held = []
    wanted = "runs/slow"  # its first request is delayed

    def hold(route):
        return held.append(route) if wanted in route.request.post_data and not held else route.fallback()

    page.route("**/runs/poll", hold)
    with page.expect_request(lambda request: wanted in (request.post_data or "")):
        page.locator("tr[data-run=slow] [data-act=follow]").click()
    page.locator(".probes .thumb").nth(1).click()
    held[0].continue_()
    painted(page, "runs/slow 0")
    expect(page.locator(f"{TRAIN} .status")).to_contain_text("slow is finished")


def test_curves_of_a_run_deleted_elsewhere_disappear(context, train_server):
    address, root = train_server
    for name in ("one", "two"):
        runs.make(root, name, finished=True)
    page = open_train(context, address, "&run=one")
    painted(page, "runs/one 0")
    page.locator("tr[data-run=two] input[type=checkbox]").check()
    expect(page.locator("[data-curve=loss] .name")).to_have_count(2)
    shutil.rmtree(root / "two")
    focus_window(page)
    expect(page.locator("tr[data-run=two]")).to_have_count(0)
    expect(page.locator("[data-curve=loss] .name")).to_have_count(1)


# --- the form ---


def test_a_decimal_comma_is_distinguished_from_a_thousands_separator(context, train_server):
    page = open_train(context, train_server[0])
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    page.locator(".hyperparameters summary").click()
    for typed, meant in (("0,001", 0.001), ("1,5", 1.5)):
        with page.expect_request("**/runs/check") as checked:
            page.locator("[name='lr']").fill(typed)
        assert checked.value.post_data_json["settings"]["lr"] == meant
    with page.expect_request("**/runs/check") as checked:
        page.locator("[name='max_train_samples']").fill("1,500")
    assert checked.value.post_data_json["settings"]["max_train_samples"] == 1500


def test_a_budget_in_epochs_is_not_rounded(context, train_server):
    page = open_train(context, train_server[0])
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    estimate = {"seconds": 100.0, "epochs": 1234, "images_per_second": 321.0}
    page.locator(".preset-section summary").click()
    page.locator("select[name=unit]").select_option("epochs")
    page.route("**/runs/estimate", lambda route: route.fulfill(json=estimate))
    page.locator("input[name=budget]").fill("1234")
    expect(page.locator(".plan [data-name=Time]")).to_contain_text("for 1,234 epochs, at 320 images/s")


def test_resetting_hyperparameters_keeps_the_budget(context, train_server):
    page = open_train(context, train_server[0])
    page.wait_for_selector(f"{TRAIN}[data-checked=fits]")
    page.locator(".preset-section summary").click()
    page.locator(".hyperparameters summary").click()
    page.locator("[name='model.num_heads']").fill("8")
    page.locator("input[name=budget]").fill("5")
    page.locator("[data-do=reset]").click()
    expect(page.locator("[name='model.num_heads']")).to_have_value("4")
    expect(page.locator("input[name=budget]")).to_have_value("5")


# --- touch, keys and screen readers ---


def test_the_map_is_read_by_a_tap(browser, address):
    context = new_context(browser, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = open_train(context, address)
    page.locator(f"{TRAIN} .map").tap()
    expect(page.locator(f"{TRAIN} .map .read")).to_be_visible()
    expect(page.locator(f"{TRAIN} .map-line")).not_to_contain_text("most to")
    context.close()


@pytest.mark.parametrize("place", [".cell[aria-selected=true]", ".probes [aria-checked=true]", ".map"])
def test_shortcuts_of_the_browser_are_not_handled(context, address, place):
    page = open_train(context, address)
    taken = page.locator(f"{TRAIN} {place}").evaluate(
        """(node) => {
          const key = { key: 'ArrowLeft', altKey: true };
          const event = new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true });
          node.dispatchEvent(event);
          return event.defaultPrevented;
        }"""
    )
    assert not taken
    expect(page.locator(f"{TRAIN} .probes .thumb").first).to_have_attribute("aria-checked", "true")


def test_a_selected_map_is_announced(context, address):
    page = open_train(context, address)
    page.locator(f"{TRAIN} .cell[aria-selected=true]").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator(f"{TRAIN} .voice").first).to_contain_text("Layer 4, head 6: most to row ")


def test_a_file_dropped_on_the_page_does_not_replace_it(context, address):
    page = open_train(context, address)
    taken = page.evaluate(
        """() => ['.watch', '.upload input'].map((place) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File(['x'], 'pets.zip', { type: 'application/zip' }));
          const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
          document.querySelector(`.vitviz-train ${place}`).dispatchEvent(event);
          return event.defaultPrevented;
        })"""
    )
    assert taken == [True, False]
