"""What the methods are worth over many pictures, with chance beside them: deletion, insertion and two more tests."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from vitviz.data import cifar, sets
from vitviz.explanation.case import Case
from vitviz.explanation.faithfulness import Score, baselines_for, randomisation, score, sensitivity
from vitviz.explanation.methods import METHODS, methods_for
from vitviz.model.checkpoint import load

CHANCE = "chance"
COUNTS = (1, 4, 16)  # patches taken away at once for sensitivity-n
RANDOMISED = 25  # pictures of the randomisation test, which computes every map anew for every part of the model
Found = Mapping[str, list[float]]


def run(name: str, data: str | None, pictures: int, seed: int = 0) -> None:
    """Test all methods for the predicted class of test pictures, and print a table for each test.

    Args:
        name: Of the checkpoint.
        data: Folder of CIFAR-10, as for `vitviz.data.cifar.find`.
        pictures: How many, drawn from the test set.
        seed: Of that draw.
    """
    checkpoint = load(name)
    config = checkpoint.model.config
    images, _ = sets.fitted(*cifar.load("test", data), config.image_size)
    counts = [count for count in COUNTS if count < config.patches]
    methods, baselines = methods_for(config), baselines_for(config)
    chosen = np.random.default_rng(seed).permutation(len(images))[:pictures]
    scores: dict[tuple[str, str], list[Score]] = defaultdict(list)
    sensitivities: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    correlations: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for done, index in enumerate(track(chosen, description="testing", console=Console(stderr=True))):
        case = Case(checkpoint, checkpoint.normalise(images[int(index)][None])[0])
        predicted = int(case.logits.argmax())
        maps = {key: method.compute(case, predicted) for key, method in methods.items()}
        for baseline in baselines:
            report = score(case, maps, predicted, baseline)
            for key, result in report.scores.items():
                scores[baseline, key].append(result)
            mean = float(np.mean([result.deletion for result in report.chance]))
            scores[baseline, CHANCE].append(Score(mean, mean))
        for count in counts:
            for key, value in sensitivity(case, maps, predicted, count).items():
                sensitivities[key][f"n = {count}"].append(value)
        if done < RANDOMISED:
            computes = {key: method.compute for key, method in methods.items()}
            for key, parts in randomisation(case, computes, predicted).items():
                for part, value in parts.items():
                    correlations[key][part].append(value)
    out = Console()
    of = f"{len(chosen)} test pictures, {checkpoint.name}"
    for baseline, words in baselines.items():
        out.print(score_table(f"{of}; patches {words}", {key: scores[baseline, key] for key in (*methods, CHANCE)}))
    out.print(table(f"{of}; sensitivity-n, correlation of a map's sum with what the logit loses", sensitivities))
    few = f"{min(RANDOMISED, len(chosen))} test pictures, {checkpoint.name}"
    out.print(table(f"{few}; rank correlation with the true map once these parts are noise too", correlations))


def score_table(title: str, scores: Mapping[str, list[Score]]) -> Table:
    """Means of deletion and insertion with 95 % confidence intervals over the pictures."""
    columns = {
        "deletion (low is good)": lambda one: one.deletion,
        "insertion (high is good)": lambda one: one.insertion,
        "gap": lambda one: one.gap,
    }
    return table(
        title,
        {key: {name: [of(one) for one in found] for name, of in columns.items()} for key, found in scores.items()},
    )


def table(title: str, rows: Mapping[str, Found]) -> Table:
    """A row for each method, a column for each measure, each a mean with its 95 % confidence interval."""
    names: Iterable[str] = next(iter(rows.values()))
    made = Table("method", *names, title=title)
    for key, found in rows.items():
        made.add_row(
            METHODS[key].title if key in METHODS else "20 random orders", *(interval(v) for v in found.values())
        )
    return made


def interval(values: list[float]) -> str:
    """A mean and its 95 % confidence interval, by the normal approximation."""
    spread = 1.96 * np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{np.mean(values):.3f} ± {spread:.3f}"
