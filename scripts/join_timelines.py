"""Join the timelines of a training and of the run that continued it with --init-from.

Run: `python -m scripts.join_timelines FIRST SECOND OUT`. Epochs and seconds of the second count on from the first. The
result has as many snapshots as the first; each part has its share of them by epochs, those of the second at equal
distances.
"""

import sys
from pathlib import Path

import numpy as np

from vitviz.data.files import atomic_write
from vitviz.runs.timeline import SERIES


def main() -> None:
    """Write the file."""
    first, second, out = map(Path, sys.argv[1:])
    join(first, second, out)


def join(first: Path, second: Path, out: Path) -> None:
    """Join two timelines of the same images; the second starts with the weights with which the first ends.

    Raises:
        ValueError: If they show other images, or the second does not start where the first ends.
    """
    with np.load(first) as one, np.load(second) as two:
        before, after = dict(one), dict(two)
    for name in before.keys() - set(SERIES):
        if not np.array_equal(before[name], after[name]):
            raise ValueError(f"The timelines must be of the same images and classes: {name} differs.")
    ends, starts = before["cls_attention"][-1].astype(float), after["cls_attention"][0].astype(float)
    if np.abs(ends - starts).max() > 0.01:  # the head is a new one, but the attention is the same
        raise ValueError("The second timeline must start with the last attention of the first: it starts with another.")
    for name in ("epoch", "seconds"):
        after[name] = after[name] + before[name][-1]
    count, (middle, end) = len(before["epoch"]), (before["epoch"][-1], after["epoch"][-1])
    num_first = round(count * float(middle / end))
    of_first = np.linspace(0, count - 1, num_first).round().astype(int)
    times = np.linspace(middle, end, count - num_first + 1)[1:]
    of_second = np.abs(after["epoch"] - times[:, None]).argmin(1)
    for name in SERIES:
        before[name] = np.concatenate([before[name][of_first], after[name][of_second]])
    with atomic_write(out) as file:
        np.savez_compressed(file, **before)


if __name__ == "__main__":
    main()
