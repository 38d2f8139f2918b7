"""What the explorer may ask of Python, and the answers: plain dictionaries and strings.

Pictures pass the gate, and files must lie in the server's own upload folder.
"""

import base64
import io
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, cast
from weakref import WeakKeyDictionary

import numpy as np
from gradio.utils import get_upload_folder
from PIL import Image
from torch import Tensor

from vitviz.data import cifar
from vitviz.data.cifar import DataError
from vitviz.data.pictures import PictureError, PictureSource, is_huge, sample_paths, samples
from vitviz.explanation.case import Target, softmax
from vitviz.explanation.explain import Explanation, explain
from vitviz.explanation.faithfulness import score
from vitviz.explanation.interventions import intervene, mean_outputs
from vitviz.explanation.methods import METHODS
from vitviz.model import checkpoint
from vitviz.model.architectures import Network
from vitviz.model.checkpoint import Checkpoint, CheckpointError
from vitviz.training.runs import Runs
from vitviz.ui.kept import OF_RUN, Judged, Recent
from vitviz.ui.questions import Answer, field, in_words, one_of, pairs, target_of, view, whole_numbers
from vitviz.ui.turns import Line, by_length, unless_known

GALLERY_PAGE = 10
ABSENT = "CIFAR-10 is not on this server."  # all that strangers are told
AT_ONCE = 2  # pictures decoded at the same time; more would only take memory
THUMBNAIL_SIDE = 144  # px of the original's preview
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
        self.recent = Recent()
        self.judged = Judged()

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions that the component may call, by these names; what takes long stands in lines of its own."""
        quick, long = Line(AT_ONCE, 100), Line(1, 8, yielding=True)  # two long ones at once would slow the quick ones
        return [
            by_length(quick(in_words(takes_long)), quick(in_words(self.explain)), Line(1, 8)(in_words(self.explain))),
            *(quick(in_words(answer)) for answer in (self.attention, self.intervene, self.gallery, self.models)),
            unless_known(quick(in_words(self.kept("maps"))), long(in_words(self.methods))),
            unless_known(quick(in_words(self.kept("scores"))), long(in_words(self.scores))),
            Line(1, 10)(in_words(self.figure)),
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
                "instant": method.instant,
            }
            for key, method in METHODS.items()
            if key != "reverse_attention"  # the page's Direction shows it, of every layer and head
        ]
        return {"checkpoints": checkpoints(), "samples": samples, "cifar": self.data_state(), "methods": methods}

    def models(self, question: Answer) -> list[Answer]:
        """The models there are now: those that ship, and those of runs."""
        return checkpoints() + of_runs(self.runs)

    def data_state(self) -> Answer:
        """Whether CIFAR-10 is there, and if not, the sentence that says how to fetch it."""
        try:
            cifar.find(self.data)
        except DataError as error:
            message = ABSENT if self.public else str(error)
            return {"available": False, "classes": list(cifar.CLASSES), "message": message}
        return {"available": True, "classes": list(cifar.CLASSES), "message": ""}

    def explain(self, question: Answer) -> Answer:
        """Explain a picture with a checkpoint.

        Args:
            question: `checkpoint`, as `models` names it, and `picture`: {"kind": "sample", "name"}, {"kind": "cifar",
                "index"} or {"kind": "upload", "path", "name"}.
        """
        chosen = field(question, "picture", dict)
        model = model_named(field(question, "checkpoint", str), self.runs)
        source, caption, truth = self.picture(chosen)
        explanation = explain(model, source)
        labels, picture = explanation.labels, explanation.picture
        original = picture.original.copy()
        original.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE))
        return {
            "key": self.recent.keep(replace(explanation, picture=replace(picture, original=picture.seen))),
            "checkpoint": model.name,
            "classes": labels,
            "layers": explanation.attention.shape[0],
            "heads": explanation.attention.shape[1],
            "rows": explanation.grid[0],
            "columns": explanation.grid[1],
            "prefix": explanation.prefix,
            "classToken": model.model.config.class_token,
            "picture": {
                "src": data_url(picture.seen),
                "original": data_url(original) if chosen["kind"] == "upload" else None,
                "caption": caption,
                "truth": labels.index(truth) if truth in labels else None,
                "shows": truth,
                "note": picture.note,
            },
            "probabilities": explanation.probabilities.tolist(),
            "cls": base64_of(explanation.rows.astype("<f4")),
            "maps": {
                key: explanation.map(key).ravel().tolist()
                for key, method in explanation.methods.items()
                if method.instant
            },
        }

    def picture(self, chosen: Answer) -> tuple[PictureSource, str, str | None]:
        """Find a chosen picture: its source, its caption and its true label if known."""
        kind = field(chosen, "kind", str)
        if kind == "sample":
            name = field(chosen, "name", str)
            return sample(name), "Drawing", name
        if kind == "cifar":
            images, labels = test_set(self.data, self.public)
            index = field(chosen, "index", int)
            if not 0 <= index < len(labels):
                raise PictureError(f"A test picture's number must be from 0 to {len(labels) - 1}: got {index}.")
            label = cifar.CLASSES[labels[index]]
            return images[index].permute(1, 2, 0).numpy(), f"CIFAR-10 test picture {index}", label
        if kind == "upload":
            return uploaded(field(chosen, "path", str)), field(chosen, "name", str)[:120], None
        raise PictureError(f"A picture must be a sample, a CIFAR-10 picture or an upload: got {kind[:40]!r}.")

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
            class's probability that is lost, on average, while a map's strongest patches are painted over first.
        """
        explanation = self.recent.asked(question)
        if explanation is None:
            return None
        target = explanation.target(target_of(question))
        return self.judged.answer("scores", explanation, target, lambda: scores_of(explanation, target))

    def intervene(self, question: Answer) -> Answer | None:
        """The picture of a key with heads switched off and patches left out; None if it is no longer kept.

        Args:
            question: `key`, of the picture as it is; `heads`, pairs of layer and head; `patches`; `instead`, what a
                head that is off passes on, "nothing" or its "mean" over the sample pictures; `way`,
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
        changed = replace(
            explanation,
            probabilities=softmax(after.logits),
            attention=after.attention,
            changes=changes_in_words(len(heads), len(patches), instead, way),
        )
        return {
            "key": self.recent.keep(changed),
            "probabilities": changed.probabilities.tolist(),
            "cls": base64_of(np.nan_to_num(changed.rows).astype("<f4")),
        }

    def gallery(self, question: Answer) -> Answer:
        """One page of test pictures: `label` (-1 for all), `page` from 0 -> `pictures`, `pages`."""
        label, page = field(question, "label", int), field(question, "page", int)
        images, labels = test_set(self.data, self.public)
        places = (labels == label).nonzero()[:, 0].tolist() if label >= 0 else list(range(len(labels)))
        shown = places[max(0, page) * GALLERY_PAGE :][:GALLERY_PAGE]
        pictures = [
            {
                "index": i,
                "label": labels[i].item(),
                "src": data_url(Image.fromarray(images[i].permute(1, 2, 0).numpy())),
            }
            for i in shown
        ]
        return {"pictures": pictures, "pages": -(-len(places) // GALLERY_PAGE)}

    def figure(self, question: Answer) -> Answer:
        """The figure of a key as a PNG: `name` for the download and `src`.

        Args:
            question: `key`, and the view on screen: `method`, `layer` and `head`, each or None, `patches`, `direction`.
        """
        explanation = self.recent.asked(question)
        if explanation is None:
            raise ValueError("This picture is no longer kept on the server. Choose it again.")
        from vitviz.figures import paper

        png = base64.b64encode(paper.render(explanation.figure(view(question)), ".png")).decode()
        return {"name": f"vitviz-{explanation.checkpoint.replace('/', '-')}.png", "src": f"data:image/png;base64,{png}"}


def scores_of(explanation: Explanation, target: Target) -> Answer:
    """The answer of `Explore.scores`, as there."""
    first = target[0] if isinstance(target, tuple) else target
    maps = {key: explanation.map(key, target).ravel() for key in explanation.methods}
    report = score(explanation.case, maps, first)
    start = float(explanation.probabilities[first])
    lost = [1 - found.deletion / start for found in report.chance]
    return {
        "scores": {key: 1 - found.deletion / start for key, found in report.scores.items()},
        "chance": [float(np.mean(lost)), float(np.std(lost))],
    }


def changes_in_words(heads: int, patches: int, instead: str, way: str) -> str:
    """What was switched off and taken away, for the figure."""
    passing = " (passing on their mean)" if instead == "mean" else ""
    gone = "left out" if way == "drop" else "painted grey"
    words = [(heads, "head", f"off{passing}"), (patches, "patch", gone)]
    plural = {"head": "heads", "patch": "patches"}
    return ", ".join(f"{n} {name if n == 1 else plural[name]} {what}" for n, name, what in words if n)


def model_named(name: str, runs: Runs | None = None) -> Checkpoint:
    """A checkpoint that ships, or the one of a run, "runs/NAME"; other names and paths are refused."""
    if runs is not None and name.startswith(OF_RUN):
        path = runs.folder(runs.find(name.removeprefix(OF_RUN)).name) / "last.safetensors"
        if not path.is_file():
            raise CheckpointError(
                f"The run {name.removeprefix(OF_RUN)} has saved nothing yet. Wait for its first epoch."
            )
        return loaded_run(path, name, path.stat().st_mtime_ns)
    if name not in checkpoint.shipped():
        raise CheckpointError(
            f"There is no checkpoint {name[:80]!r} here. Choose one of: {', '.join(checkpoint.shipped())}."
        )
    return loaded(name)


@cache
def loaded(name: str) -> Checkpoint:
    """A checkpoint that ships, loaded once."""
    return checkpoint.load(name)


@lru_cache(maxsize=4)
def loaded_run(path: Path, name: str, changed_at: int) -> Checkpoint:
    """The checkpoint of a run, loaded once for each state of its file."""
    return replace(checkpoint.load(path), name=name)


def usual_outputs(model: Checkpoint) -> Tensor:
    """What each head of a model passes on over the sample pictures, on average, (L, A, d)."""
    if model.model not in USUAL:
        USUAL[model.model] = mean_outputs(model, samples(model.model.config.image_size))
    return USUAL[model.model]


def checkpoints() -> list[Answer]:
    """The checkpoints that ship: name, layers, heads and recorded accuracy."""
    models = [model_named(name) for name in checkpoint.shipped()]
    return [
        {
            "name": model.name,
            "layers": model.model.config.depth,
            "heads": model.model.config.heads,
            "accuracy": model.record.get("test_accuracy"),
        }
        for model in models
    ]


def of_runs(runs: Runs | None) -> list[Answer]:
    """The runs that have saved a checkpoint, as `checkpoints` lists those that ship."""
    if runs is None:
        return []
    found = []
    for info in runs.all():
        if (runs.folder(info.name) / "last.safetensors").is_file():
            network = info.config["model"]
            found.append(
                {
                    "name": OF_RUN + info.name,
                    "layers": network["depth"],
                    "heads": network["heads"],
                    "accuracy": info.accuracy,
                }
            )
    return found


def sample(name: str) -> Path:
    """The file of a sample picture."""
    paths = sample_paths()
    if name not in paths:
        raise PictureError(f"There is no sample {name[:80]!r}. Choose one of: {', '.join(paths)}.")
    return paths[name]


def test_set(data: str | None, public: bool) -> tuple[Tensor, Tensor]:
    """The 10,000 test pictures; strangers are not told where they were looked for."""
    try:
        return read_test_set(data)
    except DataError:
        if public:
            raise DataError(ABSENT) from None
        raise


@cache
def read_test_set(data: str | None) -> tuple[Tensor, Tensor]:
    """The 10,000 test pictures, read once."""
    return cifar.load("test", data)


def takes_long(question: Answer) -> bool:
    """Whether a question for `Explore.explain` comes with a picture that keeps others waiting while it is decoded."""
    picture = field(question, "picture", dict)
    return picture.get("kind") == "upload" and is_huge(uploaded(field(picture, "path", str)))


def uploaded(path: str) -> Path:
    """An uploaded file, which must lie in the server's upload folder, links resolved."""
    folder = Path(get_upload_folder()).resolve()
    try:
        file = Path(path).resolve()
    except (OSError, ValueError, RuntimeError):  # the last of a link that leads to itself
        file = folder
    if file == folder or not file.is_relative_to(folder):
        raise PictureError(
            "Only an uploaded picture can be explained. Drop it on the page, paste it or choose the file."
        )
    return file


def data_url(image: Image.Image) -> str:
    """A picture as a PNG in a data URL."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def base64_of(array: np.ndarray) -> str:
    """An array's bytes in C order, as base64."""
    return base64.b64encode(array.tobytes()).decode()
