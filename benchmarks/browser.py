"""The model in the browser: time from a removed patch to the painted result, and predictions with rounded weights."""

import functools
import http.server
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import vitviz
from benchmarks.page import EXPLORER, VIEWPORT, new_context, open_browser
from benchmarks.timing import median_and_p95
from vitviz.attribution.ablation import mean_head_outputs
from vitviz.data import cifar
from vitviz.data.encoding import to_base64
from vitviz.data.preprocessing import load_samples, resize_images
from vitviz.models import rounding
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.models.weights import Rounding, weights_sha256
from vitviz.webapp.server.modules import STATIC_DIR

# Drag over the patches of the image in a zigzag, one at a time, and return the time of each from the pointer's event to
# the painted result (ms); the first patches are not timed, as the code is compiled then.
DRAG = """
async (patches) => {
  const root = document.querySelector(".vitviz-explorer");
  const stage = root.querySelector(".stage.image");
  const side = Math.sqrt(patches.length);
  const { left, top, width, height } = stage.getBoundingClientRect();
  const send = (type, patch) => stage.dispatchEvent(new PointerEvent(type, {
    clientX: left + ((patch % side + 0.5) / side) * width,
    clientY: top + ((Math.floor(patch / side) + 0.5) / side) * height,
    bubbles: true, pointerType: "mouse", buttons: 1,
  }));
  const painted = () => new Promise((resolve) => {
    const before = root.dataset.ready;
    new MutationObserver((_, observer) => {
      if (root.dataset.ready === before) return;
      observer.disconnect();
      resolve();
    }).observe(root, { attributes: true, attributeFilter: ["data-ready"] });
  });
  const times = [];
  send("pointerdown", patches[0]);
  for (const patch of patches.slice(1, -1)) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    const done = painted();
    send("pointermove", patch);
    await done;
    times.push(performance.now() - start);
  }
  return times.slice(8);
}
"""
# The classes that the engine predicts for images, uint8 (3 H W) as base64, and how long each takes (ms).
PREDICT = """
async ([file, images]) => {
  const { openModel } = await import("./openModel.js");
  const stream = (await fetch(file)).body;
  const size = Math.sqrt(atob(images[0]).length / 3);
  const request = async (_, { subject: { image } }) =>
    ({ image: { pixels: images[image.index], width: size, height: size } });
  const engine = openModel(await new Response(stream).arrayBuffer(), null, { request }, "model");
  const [found, times] = [[], []];
  for (let index = 0; index < images.length; index++) {
    const subject = { model: "model", snapshot: null, image: { kind: "test", index }, ablations: [] };
    const start = performance.now();
    const { probabilities } = await engine.request("explanations", { subject }, new AbortController().signal, () => {});
    times.push(performance.now() - start);
    found.push(probabilities.indexOf(Math.max(...probabilities)));
  }
  return [found, times];
}
"""


def browser(checkpoint: str, data: str | None, count: int) -> None:
    """Print the latency of a live ablation, and how many predictions are those of the weights before rounding."""
    table = Table("measurement", "median", "95th percentile", "goal")
    with tempfile.TemporaryDirectory() as folder:
        table.add_row("removed patch to painted", *median_and_p95(time_drag(checkpoint, Path(folder))), "33 and 50 ms")
        model = vit_small()
        images = torch.randint(0, 256, (23, 3, *model.config.img_size), dtype=torch.uint8)
        _, times = predict_in_browser(model, "float16", images, Path(folder))
        table.add_row("an image until ViT-S/14 has explained it", *median_and_p95(times[3:]), "700 ms")
        Console().print(table)
        model = vitviz.load(checkpoint)
        images = resize_images(cifar.load("test", data)[0][:count], model.config.img_size, model.resize)
        expected = predict(model, images)
        for kind in ("float16", "int8"):
            found, _ = predict_in_browser(model, kind, images, Path(folder))
            print(f"{kind}: {(found == expected).sum():,} of {count:,} predictions of {weights_sha256(model.network)}")


def time_drag(checkpoint: str, folder: Path) -> list[float]:
    """Return the times from removing a patch to the painted prediction and maps in a saved file (ms)."""
    path = folder / "model.html"
    vitviz.explain(vitviz.load(checkpoint), "cat").save(path, model=True)
    rows, columns = vitviz.load(checkpoint).config.grid_size
    zigzag = [row * columns + (columns - 1 - k if row % 2 else k) for row in range(rows) for k in range(columns)]
    with open_browser() as opened:
        tab = new_context(opened, viewport=VIEWPORT).new_page()
        tab.goto(path.as_uri())
        tab.wait_for_selector(f"{EXPLORER}[data-scores]")
        tab.click("[data-do=remove]")
        times: list[float] = tab.evaluate(DRAG, zigzag)
        return times


def vit_small() -> Checkpoint:
    """Create a ViT-S/14 for images of 224 px with the sizes of DINOv2 and random weights."""
    config = ViTConfig(
        img_size=(224, 224), patch_size=14, embed_dim=384, depth=12, num_heads=6, mlp_ratio=4.0, num_classes=0,
        qkv_bias=True, init_values=1.0,
    )  # fmt: skip
    return Checkpoint("vit-s", create_model(config).eval(), (), (0.485, 0.456, 0.406), (0.229, 0.224, 0.225), {})


def predict(model: Any, images: torch.Tensor) -> np.ndarray:
    """Return the classes that a model predicts, (n,)."""
    with torch.inference_mode():
        logits = [model.network(model.normalize(part)) for part in images.split(100)]
    return torch.cat(logits).argmax(1).numpy()


def predict_in_browser(
    model: Any, kind: Rounding, images: torch.Tensor, folder: Path
) -> tuple[np.ndarray, list[float]]:
    """Return the classes that the engine in the browser predicts with rounded weights, (n,), and each duration (ms)."""
    means = mean_head_outputs(model, load_samples(model.config.img_size, model.resize))
    (folder / "model.bin").write_bytes(rounding.to_file(model, kind, means))
    (folder / "index.html").write_text("<!doctype html>")
    for path in STATIC_DIR.glob("*.js"):
        (folder / path.name).write_bytes(path.read_bytes())
    sent = [to_base64(image.permute(1, 2, 0).numpy()) for image in images]
    with served(folder) as address, open_browser() as opened:
        tab = opened.new_page()
        tab.set_default_timeout(0)
        tab.goto(address)
        source = PREDICT.replace('import("./', f'import("{address}')
        found, times = tab.evaluate(source, [f"{address}model.bin", sent])
        return np.array(found), times


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder by Python's own web server, and yield its address."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            """Print nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
