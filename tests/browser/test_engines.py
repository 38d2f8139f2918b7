"""The pages and a saved file in Firefox and WebKit: each shows its example, and no script fails."""

import os

import pytest

from tests.browser.engines import find_firefox, find_webkit, firefox, wait_for, webkit

pytestmark = pytest.mark.browser

READY = {
    "?tab=explore": ".vitviz-explorer[data-full][data-state=ready]",
    "?tab=compare": ".vitviz-compare[data-state=ready]",
    "?tab=train": ".vitviz-train[data-state=ready]",
    "?tab=internals": ".vitviz-internals[data-ready][data-state=ready]",
    "?tab=learn": ".vitviz-learn[data-settled][data-state=ready]",
}


DELIVERED_LATER = (
    "ResizeObserver loop completed with undelivered notifications."  # in the next frame, by the specification
)
FAULTY = """<!doctype html><p data-state=ready>
<script>Promise.reject(new Error("rejected")); console.error("logged"); throw new Error("thrown")</script>"""


@pytest.fixture(params=["Firefox", "WebKit"])
def engine(request):
    """A function that opens a page in a browser."""
    open_tab, path, package = {
        "Firefox": (firefox, find_firefox(), "firefox-esr"),
        "WebKit": (webkit, find_webkit(), "libwebkit2gtk-4.1-0 with xvfb and xauth"),
    }[request.param]
    if not path and not os.environ.get("CI"):
        pytest.skip(f"no {request.param}: install your system's {package}")
    return open_tab


def test_errors_of_a_page_are_recorded(engine, tmp_path):
    (tmp_path / "faulty.html").write_text(FAULTY)
    with engine((tmp_path / "faulty.html").as_uri(), tmp_path) as tab:
        tab.wait_for_selector("[data-state=ready]")
        wait_for(lambda: tab.evaluate("true") and len(tab.errors) == 3, "three errors")
    for text in ("rejected", "logged", "thrown"):
        assert any(text in error for error in tab.errors), tab.errors


def test_five_pages_and_a_saved_file_are_shown_without_an_error(subtests, address, explanation, tmp_path, engine):
    explanation.save(tmp_path / "cat.html")
    pages = {address + query: ready for query, ready in READY.items()}
    pages[(tmp_path / "cat.html").as_uri()] = ".vitviz-explorer[data-ready][data-full]"
    for number, (url, ready) in enumerate(pages.items()):
        (folder := tmp_path / str(number)).mkdir()
        with subtests.test(url=url), engine(url, folder) as tab:
            tab.wait_for_selector(ready)
            assert tab.evaluate("location.href").startswith(url.partition("?")[0])
            assert [error for error in tab.errors if error != DELIVERED_LATER] == []


# What is missing on the stage of the motion: colors or texts.
MISSING = """(() => {
  const stage = document.querySelector(".motion-stage canvas");
  const { width, height } = stage;
  const { data } = stage.getContext("2d").getImageData(0, 0, width, height);
  const colors = new Set(new Uint32Array(data.buffer));
  const texts = document.querySelectorAll(".motion li").length;
  return colors.size > 20 && texts > 0 ? "" : `${colors.size} colors, ${texts} texts`;
})()"""


BEAT = "document.querySelector('.motion').dataset.beat"
# Drag the slider to nine tenths of a beat.
SEEK = """((number) => {
  const lengths = [...document.querySelectorAll(".motion-scrub li")].map((one) => Number(one.style.flexGrow));
  const before = lengths.slice(0, number).reduce((sum, one) => sum + one, 0);
  const slider = document.querySelector(".motion-scrub input");
  slider.value = before + 0.9 * lengths[number];
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return lengths.length;
})"""


def test_every_beat_of_the_motion_is_drawn(address, tmp_path, engine):
    with engine(f"{address}?tab=learn&image=cat", tmp_path) as tab:
        tab.wait_for_selector(".vitviz-learn[data-settled][data-state=ready] .motion[data-beat]")
        tab.evaluate("document.querySelectorAll('.motion-scrub li button')[1].click()")  # in motion
        tab.wait_for_selector(".motion-scrub li:nth-child(2) [aria-current=step]")
        tab.wait_for_selector(".motion:not([data-playing])")
        seen, number = set(), 0
        while number < tab.evaluate(f"{SEEK}({number})"):
            number += 1
            tab.wait_for_selector(f".motion-scrub li:nth-child({number}) [aria-current=step]")
            wait_for(lambda: tab.evaluate(BEAT) not in seen, "the next beat")
            seen.add(tab.evaluate(BEAT))
            wait_for(lambda: tab.evaluate(MISSING) == "", "a drawing")
        assert len(seen) == 13
        assert [error for error in tab.errors if error != DELIVERED_LATER] == []
