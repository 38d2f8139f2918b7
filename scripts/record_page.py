"""Record the page and a saved file in use as animations for the documentation, with the drawn samples only.

Run: `python -m scripts.record_page`, which writes page.gif and static.gif to `docs`. Needs Playwright and Chromium.
"""

import base64
import io
import os
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

import vitviz
from benchmarks.page import EXPLORER, browser_page, server
from vitviz.data.preprocessing import sample_paths

DOCS = Path(__file__).parents[1] / "docs"
WIDTH = 900  # px of the animation; the page is recorded at 1400
COLORS = 128
LEARN = ".vitviz-learn"
DROP = """(text) => {
  const files = new DataTransfer();
  files.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], "dog.png"));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""
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
        sampled = images[::3]
        sheet = Image.new("RGB", (WIDTH, sum(image.height for image in sampled)))
        for i, image in enumerate(sampled):
            sheet.paste(image, (0, i * image.height))
        palette = sheet.quantize(COLORS, kmeans=1, dither=Image.Dither.NONE)
        first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
        durations = [milliseconds for _, milliseconds in self.frames]
        first.save(path, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
        print(f"{path.name}: {len(images)} frames, {path.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    """Record the page and a saved file, and write the animations."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoints = Path(folder) / "checkpoints"
        os.symlink(DOCS.parent / "checkpoints", checkpoints)
        with server(folder=Path(folder)) as (address, _), browser_page(f"{address}?image=dog") as tab:
            recorder = Recorder(tab)
            explore(recorder)
            learn(recorder)
            recorder.save(DOCS / "page.gif")
        file = vitviz.explain(vitviz.load("cifar10-ti4"), "cat").save(Path(folder) / "cat.html", model=True)
        with browser_page(Path(file).as_uri()) as tab:
            recorder = Recorder(tab)
            use_file(recorder)
            recorder.save(DOCS / "static.gif")


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
    before = recorder.tab.get_attribute(EXPLORER, "data-scores")
    recorder.click("[data-do=ablate]", until=attribute(EXPLORER, "scores", before))
    recorder.hold(1800)


def learn(recorder: Recorder) -> None:
    """Open the lesson, drag through its motion, follow a worked row, and play the game until the prediction changes."""
    recorder.click("[role=tab]:has-text('Learn')", until=attribute(LEARN, "settled"))
    recorder.hold(1500)
    for second in range(3, 56, 4):
        recorder.tab.get_by_label("Time").fill(str(second))
        recorder.tab.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        recorder.hold(400)
    recorder.click("[aria-label^='6, Scores']", until="() => !document.querySelector('.motion[data-playing]')")
    recorder.click(".motion-name button", until=attribute(LEARN, "settled", step="attention"))
    recorder.hold(1200)
    for patch in (18, 27, 28):
        recorder.move(".lesson-stage", patch)
        recorder.hold(500)
    recorder.move(".lesson-numbers >> nth=2 >> span >> nth=6")
    recorder.tab.wait_for_selector(".lesson-numbers .on")
    recorder.hold(1800)
    recorder.click(
        "nav[aria-label=Steps] button:has-text('Attention is not')", until=attribute(LEARN, "settled", step="removal")
    )
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


def use_file(recorder: Recorder) -> None:
    """Drag over patches to remove them, ablate a head, and drop an image."""
    tab = recorder.tab
    tab.wait_for_function(attribute(EXPLORER, "scores"))
    recorder.hold(1200)
    recorder.click("[data-do=remove]")
    recorder.move(".stage.image", 26)
    tab.mouse.down()
    for patch in (27, 28, 29, 37, 36, 35, 34):
        before = tab.get_attribute(EXPLORER, "data-ready")
        recorder.move(".stage.image", patch)
        tab.wait_for_function(attribute(EXPLORER, "ready", before))
        recorder.hold(200)
    tab.mouse.up()
    recorder.hold(1000)
    before = tab.get_attribute(EXPLORER, "data-ready")
    recorder.click("[role=gridcell] >> nth=29")
    recorder.click("[data-do=ablate]", until=attribute(EXPLORER, "ready", before))
    tab.wait_for_function(attribute(EXPLORER, "scores"))
    recorder.hold(1800)
    before = tab.get_attribute(EXPLORER, "data-ready")
    recorder.move(".upload-row, .thumbs")
    tab.evaluate(DROP, base64.b64encode(sample_paths()["dog"].read_bytes()).decode())
    tab.wait_for_function(attribute(EXPLORER, "ready", before))
    tab.wait_for_function(attribute(EXPLORER, "scores"))
    recorder.hold(2500)


def attribute(root: str, name: str, other: str | None = None, step: str | None = None) -> str:
    """Return a condition: the root of a page has a data attribute, not the `other` value, and shows the step."""
    return (
        f"() => {{ const {{ {name}: value, step }} = document.querySelector({root!r})?.dataset ?? {{}};"
        f" return value && value !== {other or ''!r} && ({step or ''!r} === '' || step === {step or ''!r}); }}"
    )


if __name__ == "__main__":
    main()
