"""What tests of the Explore page share."""

import re

from playwright.sync_api import expect

from benchmarks.page import EXPLORER

API = re.compile("/vitviz/api/")  # requests to the routes


def route_of(request):
    """Return the route of a request, "explanations/maps"; an empty text for others."""
    return request.url.partition("/vitviz/api/")[2]


def choose_option(page, name, value):
    """Check a radio button by its label, as the button itself is invisible."""
    page.locator(f"label:has(input[name={name}][value={value}])").click()


def point(page, stage, patch, grid=(8, 8)):
    """Put the pointer on a patch of the image or the map."""
    box = page.locator(f".stage.{stage}").bounding_box()
    row, column = divmod(patch, grid[1])
    page.mouse.move(
        box["x"] + box["width"] * (column + 0.5) / grid[1], box["y"] + box["height"] * (row + 0.5) / grid[0]
    )


def number_at(page, patch):
    """Return the value that the page shows for a patch of the large map."""
    point(page, "map", patch)
    tip = page.locator(".stage.map .tip b")
    expect(tip).to_be_visible()
    return tip.inner_text()


def shows(text, fraction):
    """Whether a percentage on the page is this fraction, rounded to the displayed digits."""
    number = text.replace("\xa0", " ").removesuffix(" %")
    if number.startswith("under"):
        return fraction < 0.0001
    digits = len(number.partition(".")[2])
    return abs(float(number) - 100 * fraction) <= 0.5 * 10**-digits + 1e-3


def other_image(page, act):
    """Do something that loads another image, and wait until it is painted with its full attention."""
    before = page.get_attribute(EXPLORER, "data-ready")
    act()
    page.wait_for_function(
        """([root, before]) => {
          const data = document.querySelector(root).dataset;
          return data.ready && data.ready !== before && data.full === data.ready && data.state === "ready";
        }""",
        arg=[EXPLORER, before],
    )


def tile(page, layer, head):
    """Return the tile of a layer and head from 0; the last of each is the mean."""
    return page.locator("[role=gridcell]").nth(7 * layer + head)
