"""Take the pictures of the documentation from the page, with the bundled model and the drawn samples only.

Run: `python -m scripts.take_pictures`, which writes PNG files to `docs`. It needs Playwright, a Chromium and CIFAR-10.
"""

import io
from pathlib import Path

from PIL import Image

from benchmarks.page import EXPLORER, browser_page, server
from scripts.record_page import attribute

DOCS = Path(__file__).parents[1] / "docs"
COLORS = 256
ESTIMATED = """() => {
  const train = document.querySelector(".vitviz-train");
  return train?.dataset.snapshot > 1 && train.innerText.includes("images/s");
}"""
HEAD = "layer=4&head=1"
# Name, address, height (px) and the condition that the page is complete.
PICTURES = (
    ("explore", f"?{HEAD}", 900, attribute(EXPLORER, "scores")),
    ("contributions", f"?content=contributions&{HEAD}", 900, attribute(EXPLORER, "scores")),
    ("train", "?tab=train", 920, ESTIMATED),
)


def main() -> None:
    """Take the pictures."""
    with server() as (address, _), browser_page(address, reduced_motion="reduce") as tab:
        tab.click("[data-do=dismiss]")
        for name, query, height, is_complete in PICTURES:
            tab.set_viewport_size({"width": 1400, "height": height})
            tab.goto(address + query)
            tab.wait_for_function(is_complete)
            path = DOCS / f"{name}.png"
            picture = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
            picture.quantize(COLORS, kmeans=3, dither=Image.Dither.NONE).save(path, optimize=True)
            print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
