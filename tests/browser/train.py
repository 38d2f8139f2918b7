"""Helpers of the tests of the Train page: open it, wait for its state."""

TRAIN = ".vitviz-train"
SHIPPED = "cifar10-ti4"


def open_train(context, address, query=""):
    page = context.new_page()
    page.goto(f"{address}?tab=train{query}")
    page.wait_for_selector(f"{TRAIN}[data-ready]")
    return page


def state(page, name):
    """Wait until the run on screen is in this state."""
    page.wait_for_selector(f"{TRAIN}[data-run-state={name}]")


def painted(page, wanted):
    page.wait_for_selector(f"{TRAIN}[data-ready='{wanted}'][data-state=ready]")


def step_to(page, place):
    """Move the slider like a user."""
    page.locator(".snapshot").evaluate(
        "(node, place) => { node.value = place; node.dispatchEvent(new Event('input', { bubbles: true })); }", place
    )
    page.wait_for_selector(f"{TRAIN}[data-snapshot='{place}']")
