"""What the explorer may ask of Python, and the answers: plain dictionaries and strings.

Images pass the gate, and files must lie in the server's own upload folder.
"""

import base64
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Literal, cast
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image
from torch import Tensor

from vitviz.attribution.ablation import intervene, mean_outputs
from vitviz.attribution.context import Target, softmax
from vitviz.attribution.explanation import Explanation, View, explain
from vitviz.attribution.faithfulness import score
from vitviz.attribution.methods import METHODS
from vitviz.data import cifar
from vitviz.data.preprocessing import MOST_BYTES, ImageError, ImageSource, is_huge, sample_paths, samples
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.factory import Network
from vitviz.runs.store import Runs
from vitviz.webapp.images import base64_of, data_url, sample, test_set, uploaded
from vitviz.webapp.models import model_named, offered
from vitviz.webapp.pages.gallery import Gallery
from vitviz.webapp.server.cache import ExplanationCache, ScoreCache
from vitviz.webapp.server.queue import Queue, route_by_size, with_cache
from vitviz.webapp.server.requests import Answer, answering, field, one_of, pairs, target_of, view, whole_numbers

AT_ONCE = 2  # images decoded at the same time; more would only take memory
THUMBNAIL_SIDE = 144  # px of the original's preview
LONGEST_NAME = 180  # letters of a figure's file; systems take 255
USUAL: WeakKeyDictionary[Network, Tensor] = WeakKeyDictionary()  # see `usual_outputs`


class Explore:
    """The explorer's questions, for one data folder.

    Args:
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        runs: Whose checkpoints can be explored beside those that ship; None for no others.
        public: Whether strangers ask; then no answer names a folder of the server.
    """

    def __init__(self, data: str | None = None, runs: Runs | None = None, public: bool = False) -> None:
        self.data, self.runs, self.public = data, runs, public
        self.recent = ExplanationCache()
        self.judged = ScoreCache()

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by these names; what takes long stands in lines of its own."""
        gallery = Gallery(self.data, self.runs, self.public)
        answered = partial(answering, public=self.public)
        quick, long = Queue(AT_ONCE, 100), Queue(1, 8, yielding=True)  # two long ones at once would slow the quick ones
        explained = answered(self.explain)
        return [
            route_by_size(quick(answered(takes_long)), quick(explained), Queue(1, 8)(explained)),
            *(quick(answered(answer)) for answer in (self.attention, self.intervene, self.offers)),
            with_cache(quick(answered(self.kept("maps"))), long(answered(self.methods))),
            with_cache(quick(answered(self.kept("scores"))), long(answered(self.scores))),
            with_cache(quick(answered(gallery.known)), Queue(1, 8, yielding=True)(answered(gallery.gallery))),
            Queue(1, 10)(answered(self.figure)),
        ]

    def kept(self, what: str) -> Callable[[Answer], Answer | None]:
        """The function that finds what `methods` or `scores` told before; None where that was not asked yet."""

        def find(question: Answer) -> Answer | None:
            explanation = self.recent.asked(question)
            if explanation is None:
                return None
            return self.judged.known(what, explanation, explanation.target(target_of(question)))

        return find

    def catalog(self) -> Answer:
        """What the page offers: checkpoints, samples, the data set and methods."""
        samples = [{"name": name, "src": data_url(Image.open(path))} for name, path in sample_paths().items()]
        methods = [
            {
                "key": key,
                "name": method.title,
                "about": method.about,
                "formula": method.formula,
                "source": method.source,
                "unit": method.unit,
                "forClass": method.class_specific,
            }
            for key, method in METHODS.items()
            if key != "reverse_attention"  # the page's Direction shows it, of every layer and head
        ]
        return offered(None, self.data, self.public) | {"samples": samples, "methods": methods, "mostBytes": MOST_BYTES}

    def offers(self, question: Answer) -> Answer:
        """What of the catalog may have changed since the page was built: models, and whether CIFAR-10 is there."""
        return offered(self.runs, self.data, self.public)

    def explain(self, question: Answer) -> Answer:
        """Explain an image with a checkpoint.

        Args:
            question: `checkpoint`, as `offers` names it, and `image`: {"kind": "sample", "name"}, {"kind": "cifar",
                "index"} or {"kind": "upload", "path", "name"}.
        """
        chosen = field(question, "image", dict)
        model = model_named(field(question, "checkpoint", str), self.runs)
        source, caption, truth = self.image(chosen)
        name = "Own image" if chosen["kind"] == "upload" else f"{caption} ({truth})"
        explanation = replace(explain(model, source), name=name)
        labels, image = explanation.labels, explanation.image
        original = image.original.copy()
        original.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
        return {
            "key": self.recent.keep(replace(explanation, image=replace(image, original=image.seen))),
            "checkpoint": model.name,
            "classes": labels,
            "layers": explanation.attention.shape[0],
            "heads": explanation.attention.shape[1],
            "rows": explanation.grid[0],
            "columns": explanation.grid[1],
            "aspect": image.seen.width / image.seen.height,
            "prefix": explanation.prefix,
            "classToken": model.network.config.class_token,
            "image": {
                "src": data_url(image.seen),
                "original": data_url(original) if chosen["kind"] == "upload" else None,
                "caption": caption,
                "truth": labels.index(truth) if truth in labels else None,
                "shows": truth,
                "note": image.note,
            },
            "probabilities": explanation.probabilities.tolist(),
            "cls": base64_of(explanation.rows.astype("<f4")),
            "maps": {
                key: explanation.map(key).ravel().tolist()
                for key, method in explanation.methods.items()
                if method.instant
            },
        }

    def image(self, chosen: Answer) -> tuple[ImageSource, str, str | None]:
        """Find a chosen image: its source, its caption and its true label if known."""
        kind = field(chosen, "kind", str)
        if kind == "sample":
            name = field(chosen, "name", str)
            return sample(name), "Drawing", name
        if kind == "cifar":
            images, labels = test_set(self.data, self.public)
            index = field(chosen, "index", int)
            if not 0 <= index < len(labels):
                raise ImageError(f"A test image's number must be from 0 to {len(labels) - 1}: got {index}.")
            label = cifar.CLASSES[labels[index]]
            return images[index].permute(1, 2, 0).numpy(), f"CIFAR-10 test image {index}", label
        if kind == "upload":
            return uploaded(field(chosen, "path", str)), field(chosen, "name", str)[:120], None
        raise ImageError(f"An image must be a sample, a CIFAR-10 image or an upload: got {kind[:40]!r}.")

    def attention(self, question: Answer) -> str | None:
        """The whole attention of a key as base64 of uint16 (L, A, T, T) / 65535; None if it is no longer kept."""
        explanation = self.recent.asked(question)
        if explanation is None:
            return None
        return base64_of(np.round(np.nan_to_num(explanation.attention) * 65535).astype("<u2"))

    def methods(self, question: Answer) -> Answer | None:
        """All maps of a key for a target, by method, as lists of N numbers; None if it is no longer kept.

        Args:
            question: `key`, and `target`, one or two classes by position; empty for the predicted one.
        """
        explanation = self.recent.asked(question)
        if explanation is None:
            return None
        target = explanation.target(target_of(question))

        def compute() -> Answer:
            return {"maps": {key: explanation.map(key, target).ravel().tolist() for key in explanation.methods}}

        return self.judged.answer("maps", explanation, target, compute)

    def scores(self, question: Answer) -> Answer | None:
        """What each method's map of a key is worth, and chance; None if it is no longer kept.

        Args:
            question: As for `methods`.

        Returns:
            `scores` by method and `chance`, mean and standard deviation of random orders: the share of the first
            class's probability that is lost, on average, while a map's strongest patches are painted over first. A map
            whose values are all equal ranks no patch before another: its score is None.
        """
        explanation = self.recent.asked(question)
        if explanation is None:
            return None
        target = explanation.target(target_of(question))
        return self.judged.answer("scores", explanation, target, lambda: scores_of(explanation, target))

    def intervene(self, question: Answer) -> Answer | None:
        """The image of a key with heads switched off and patches left out; None if it is no longer kept.

        Args:
            question: `key`, of the image as it is; `heads`, pairs of layer and head; `patches`; `instead`, what a
                head that is off passes on, "nothing" or its "mean" over the sample images; `way`,
                "drop" or "grey".

        Returns:
            `key`, under which `attention` and `figure` find what was seen, `probabilities` and `cls`.
        """
        explanation = self.recent.asked(question)
        if explanation is None:
            return None
        heads = [(layer, head) for layer, head in pairs(field(question, "heads", list))]
        patches = whole_numbers(field(question, "patches", list))
        instead, way = one_of(question, "instead", ("nothing", "mean")), one_of(question, "way", ("drop", "grey"))
        usual = usual_outputs(explanation.case.checkpoint) if heads and instead == "mean" else None
        after = intervene(explanation.case, heads, patches, cast(Literal["drop", "grey"], way), usual)
        grey = tuple(round(255 * value) for value in explanation.case.checkpoint.mean)
        seen = without(explanation.image.seen, explanation.grid, patches, grey if way == "grey" else (255, 255, 255))
        changed = replace(
            explanation,
            image=replace(explanation.image, seen=seen),
            probabilities=softmax(after.logits),
            attention=after.attention,
            changes=changes_in_words(len(heads), len(patches), instead, way),
        )
        return {
            "key": self.recent.keep(changed, question["key"]),
            "probabilities": changed.probabilities.tolist(),
            "cls": base64_of(np.nan_to_num(changed.rows).astype("<f4")),
        }

    def figure(self, question: Answer) -> Answer | None:
        """The figure of a key as a PNG: `name` for the download and `src`; None if it is no longer kept.

        Args:
            question: `key`, and the view on screen: `method`, `layer` and `head`, each or None, `patches`, `direction`.
        """
        explanation = self.recent.asked(question)
        if explanation is None:
            return None
        from vitviz.plots import figures

        shown = view(question)
        png = base64.b64encode(figures.render(explanation.figure(shown), ".png")).decode()
        return {"name": file_name(explanation, shown), "src": f"data:image/png;base64,{png}"}


def scores_of(explanation: Explanation, target: Target) -> Answer:
    """The answer of `Explore.scores`, as there."""
    first = target[0] if isinstance(target, tuple) else target
    maps = {key: explanation.map(key, target).ravel() for key in explanation.methods}
    ranked = {key: values for key, values in maps.items() if np.ptp(values) != 0}
    report = score(explanation.case, ranked, first)
    start = float(explanation.probabilities[first])
    lost = [found.lost(start) for found in report.chance]
    return {
        "scores": {key: report.scores[key].lost(start) if key in ranked else None for key in maps},
        "chance": [float(np.mean(lost)), float(np.std(lost))],
    }


def file_name(explanation: Explanation, shown: View) -> str:
    """A name for the file of a figure: model, image, map and, but for a method, who is asked, in plain letters."""
    asked = shown.who(explanation.case.config.class_token)
    if shown.patches:
        row, column = divmod(shown.patches[0], explanation.grid[1])
        others = f" and {len(shown.patches) - 1} more" if len(shown.patches) > 1 else ""
        asked = f"row {row + 1} column {column + 1}{others}"
    words = ["vitviz", explanation.checkpoint, explanation.name, explanation.title(shown)]
    if shown.method is None and (shown.patches or shown.direction == "to"):
        words.append(f"{shown.direction} {asked}")
    words += ["changed"] if explanation.changes else []
    return f"{re.sub('[^a-z0-9]+', '-', ' '.join(words).lower())[:LONGEST_NAME].strip('-')}.png"


def without(image: Image.Image, grid: tuple[int, int], patches: list[int], colour: tuple[int, ...]) -> Image.Image:
    """The image with patches of its grid (gh, gw) in one colour."""
    image, (rows, columns) = image.copy(), grid
    height, width = image.height // rows, image.width // columns
    for row, column in (divmod(patch, columns) for patch in patches):
        corner = (column * width, row * height)
        image.paste(colour, (*corner, corner[0] + width, corner[1] + height))
    return image


def changes_in_words(heads: int, patches: int, instead: str, way: str) -> str:
    """What was switched off and taken away, for the figure."""
    passing = " (passing on their mean)" if instead == "mean" else ""
    gone = "left out" if way == "drop" else "painted grey"
    words = [(heads, "head", f"off{passing}"), (patches, "patch", gone)]
    plural = {"head": "heads", "patch": "patches"}
    return ", ".join(f"{n} {name if n == 1 else plural[name]} {what}" for n, name, what in words if n)


def usual_outputs(model: Checkpoint) -> Tensor:
    """What each head of a model passes on over the sample images, on average, (L, A, d)."""
    if model.network not in USUAL:
        USUAL[model.network] = mean_outputs(model, samples(model.network.config.img_size))
    return USUAL[model.network]


def takes_long(question: Answer) -> bool:
    """Whether a question for `Explore.explain` comes with an image that keeps others waiting while it is decoded."""
    image = field(question, "image", dict)
    return image.get("kind") == "upload" and is_huge(uploaded(field(image, "path", str)))
