"""Record the page in use as an animation for the README, with the drawn samples only.

Run: `python -m scripts.record_page`, which writes `docs/page.gif`. It needs Playwright and a Chromium.
"""

import io
import os
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from benchmarks.page import EXPLORER, browser_page, server

FILE = Path(__file__).parents[1] / "docs" / "page.gif"
WIDTH = 900  # px of the animation; the page is recorded at 1400
COLORS = 128
LEARN = ".vitviz-learn"
# Outline of a pointer, px of the page from its tip.
POINTER = ((0, 0), (0, 25), (6, 19), (10, 28), (15, 26), (11, 17), (19, 17))


class Recorder:
    """Frames of the page, with the pointer drawn into them, which screenshots lack."""

    def __init__(self, tab: Any) -> None:
        self.tab, self.pointer = tab, (700.0, 500.0)
        self.frames: list[tuple[Image.Image, int]] = []  # and their durations (ms)

    def hold(self, milliseconds: int) -> None:
        """Add a frame of the page as it is."""
        frame = Image.open(io.BytesIO(self.tab.screenshot())).convert("RGB")
        shape = [(self.pointer[0] + x, self.pointer[1] + y) for x, y in POINTER]
        ImageDraw.Draw(frame).polygon(shape, fill="black", outline="white", width=2)
        size = (WIDTH, round(frame.height * WIDTH / frame.width))
        self.frames.append((frame.resize(size, Image.Resampling.LANCZOS), milliseconds))

    def move(self, selector: str, patch: int | None = None) -> None:
        """Move the pointer to the center of an element, or to one of its 8 x 8 patches."""
        box = self.tab.locator(selector).first.bounding_box()
        row, column = (3.5, 3.5) if patch is None else divmod(patch, 8)
        self.pointer = box["x"] + box["width"] * (column + 0.5) / 8, box["y"] + box["height"] * (row + 0.5) / 8
        self.tab.mouse.move(*self.pointer)

    def click(self, selector: str, patch: int | None = None, until: str = "() => true") -> None:
        """Click there, and wait until a condition in the page holds."""
        self.move(selector, patch)
        self.tab.mouse.click(*self.pointer)
        self.tab.wait_for_function(until)

    def save(self, path: Path) -> None:
        """Write the animation, with one palette for all frames."""
        images = [frame for frame, _ in self.frames]
        sheet = Image.new("RGB", (WIDTH, sum(image.height for image in images)))
        for i, image in enumerate(images):
            sheet.paste(image, (0, i * image.height))
        palette = sheet.quantize(COLORS, kmeans=1, dither=Image.Dither.NONE)
        first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
        durations = [milliseconds for _, milliseconds in self.frames]
        first.save(path, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)


def main() -> None:
    """Record the page and write the animation."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoints = Path(folder) / "checkpoints"
        os.symlink(FILE.parents[1] / "checkpoints", checkpoints)
        with server(folder=Path(folder)) as (address, _), browser_page(f"{address}?image=dog") as tab:
            recorder = Recorder(tab)
            explore(recorder)
            learn(recorder)
            recorder.save(FILE)
    print(f"{FILE.name}: {len(recorder.frames)} frames, {FILE.stat().st_size / 1e6:.1f} MB")


def explore(recorder: Recorder) -> None:
    """Choose an image, hover over patches, and ablate a head."""
    scored = attribute(EXPLORER, "scores")
    recorder.tab.wait_for_function(scored)
    recorder.hold(1200)
    before = recorder.tab.get_attribute(EXPLORER, "data-ready")
    recorder.click(".thumb:has([alt=cat])", until=attribute(EXPLORER, "full", before))
    recorder.tab.wait_for_function(scored)
    recorder.hold(1200)
    for patch in (9, 18, 27, 28, 36, 45):
        recorder.move(".stage.image", patch)
        recorder.tab.wait_for_selector(".stage.map .tip, .stage.image .tip", state="attached")
        recorder.hold(450)
    recorder.click("[role=gridcell] >> nth=29")
    recorder.hold(900)
    recorder.click("[data-do=ablate]", until=attribute(EXPLORER, "changed"))
    recorder.tab.wait_for_function(scored)
    recorder.hold(1800)


def learn(recorder: Recorder) -> None:
    """Open the lesson, follow a worked row, and play the game until the prediction changes."""
    recorder.click("[role=tab]:has-text('Learn')", until=attribute(LEARN, "settled"))
    recorder.hold(1500)
    recorder.click("[aria-label^='6, Scores']", until="() => !document.querySelector('.motion[data-playing]')")
    recorder.click(".motion-name button", until=attribute(LEARN, "settled", step="attention"))
    recorder.hold(1200)
    for patch in (18, 27, 28):
        recorder.move(".lesson-stage", patch)
        recorder.hold(500)
    recorder.move(".lesson-numbers >> nth=2 >> span >> nth=6")
    recorder.tab.wait_for_selector(".lesson-numbers .on")
    recorder.hold(1800)
    recorder.click("nav[aria-label=Steps] button >> nth=10", until=attribute(LEARN, "settled", step="removal"))
    recorder.hold(1000)
    for patch in (35, 36, 28, 29, 26, 19, 12):
        recorder.click(".lesson-stage", patch)
        recorder.tab.wait_for_function(
            "() => /still|Changed/.test(document.querySelector('.lesson-verdict').textContent)"
        )
        recorder.hold(350)
        if recorder.tab.locator(".lesson-verdict.won").count():
            recorder.tab.wait_for_selector(".lesson-flips")
            recorder.hold(2500)
            return


def attribute(root: str, name: str, other: str | None = None, step: str | None = None) -> str:
    """Return a condition: the root of a page has a data attribute, not the `other` value, and shows the step."""
    return (
        f"() => {{ const {{ {name}: value, step }} = document.querySelector({root!r})?.dataset ?? {{}};"
        f" return value && value !== {other or ''!r} && ({step or ''!r} === '' || step === {step or ''!r}); }}"
    )


if __name__ == "__main__":
    main()
