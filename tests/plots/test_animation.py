"""Pictures of a timeline: every frame shows its snapshot, all on one scale."""

import os
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image

from vitviz.plots import animation, figures
from vitviz.plots.animation import GAP, draw_matrix, save_animation
from vitviz.plots.colormaps import COLOR_MAPS
from vitviz.plots.style import MAP_COLORS

S, L, A, GH, GW = 4, 3, 2, 5, 7


@dataclass
class Timeline:
    """A timeline of two images; attention on the second one is on a single patch, a different one in each snapshot."""

    names = ["ant", "bee"]  # noqa: RUF012
    classes = [f"class {k}" for k in range(8)]  # noqa: RUF012
    images = np.random.default_rng(0).integers(0, 256, (2, 20, 28, 3), np.uint8)
    epoch = np.array([0, 0.5, 2, 8], np.float32)
    cls_attention = np.zeros((S, 2, L, A, GH * GW + 1), np.float16)
    class_token: bool = True

    @property
    def probabilities(self):
        found = np.full((S, 2, 8), 0.01, np.float32)
        found[:, 1, 2] = [0.1, 0.2, 0.6, 0.9]
        found[:, 1, 7] = [0.8, 0.4, 0.2, 0.02]
        return found

    def maps(self, image):
        found = np.zeros((S, L, A, GH, GW), np.float32)
        for snapshot in range(S):
            found[snapshot, 2, 1, snapshot, 6 - snapshot] = 0.5 * image
        return found


@pytest.fixture
def drawn(monkeypatch):
    """Record title and values of each frame, by the figure that is drawn."""
    recorded, draw = [], figures.draw

    def record(*args, **options):
        figure = draw(*args, **options)
        recorded.append(figure)
        return figure

    monkeypatch.setattr(animation.figures, "draw", record)
    return recorded


def test_a_gif_plays_all_snapshots_and_holds_the_last_one(tmp_path, drawn):
    path = save_animation(Timeline(), "bee", tmp_path / "bee.gif")
    figure = drawn[0]
    assert figure.get_suptitle() == "Epoch 8.00: class 2, 90.0\N{NO-BREAK SPACE}%"
    maps = Timeline().maps(1)
    np.testing.assert_array_equal(figure.axes[1].images[0].get_array(), maps[-1].mean((0, 1)))
    np.testing.assert_array_equal(figure.axes[2].images[0].get_array(), figures.mosaic(maps[-1]))
    box = figure.axes[2].get_window_extent()
    with Image.open(path) as image:
        assert (image.n_frames, image.info["loop"]) == (S, 0)
        times = []
        for frame in range(S):
            image.seek(frame)
            times.append(image.info["duration"])
            shown = np.asarray(image.convert("RGB"))
            centers = tile_centers(box, image.height)
            colors = np.array([shown[y, x] for y, x in centers]).reshape(L * GH, A * GW, 3)
            dark = np.argwhere(colors.sum(-1) < 200).tolist()
            assert dark == [[2 * GH + frame, GW + 6 - frame]], "the patch of this snapshot in layer 3, head 2"
            expected = 255 * np.array(MAP_COLORS(1.0)[:3])
            assert np.abs(colors[tuple(dark[0])] - expected).max() < 4, "colors are close to those drawn"
    assert times == [100, 100, 100, 2500]


def tile_centers(box, height):
    """Return row and column of the pixel in the middle of each patch of the matrix."""
    return [
        (
            round(height - box.y1 + (row + 0.5) * box.height / (L * GH)),
            round(box.x0 + (column + 0.5) * box.width / (A * GW)),
        )
        for row in range(L * GH)
        for column in range(A * GW)
    ]


def test_all_frames_share_one_scale(tmp_path, drawn):
    class Growing(Timeline):
        def maps(self, image):
            return np.ones((S, L, A, GH, GW), np.float32) * np.array([1, 2, 3, 4]).reshape(-1, 1, 1, 1, 1) / 8

    animation.frames(Growing(), 1)
    assert [axes.images[0].get_clim() for axes in drawn[0].axes[1:3]] == [(0, 0.4)] * 2  # 0.5, rounded as on the page


@pytest.mark.skipif(os.name == "nt", reason="needs pipes or links of POSIX")
def test_writing_through_a_symlink_keeps_the_link(tmp_path):
    link, file = tmp_path / "link.gif", tmp_path / "file"
    link.symlink_to(file)
    save_animation(Timeline(), "bee", link)
    assert link.is_symlink()
    assert file.read_bytes().startswith(b"GIF")


@pytest.mark.parametrize(
    ("image", "name", "sentence"),
    [("cow", "a.gif", "The timeline has no image 'cow'"), ("bee", "a.webp", r"must end in \.gif")],
)
def test_unknown_images_and_formats_are_refused(image, name, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        save_animation(Timeline(), image, tmp_path / name)


@pytest.mark.parametrize(("layers", "heads", "side"), [(1, 1, 2), (12, 16, 14), (24, 2, 64)])
def test_networks_of_any_size_fit(layers, heads, side):
    class Other(Timeline):
        def maps(self, image):
            return np.random.default_rng(0).random((S, layers, heads, side, side), np.float32)

    frame = animation.frames(Other(), 0)[0]
    assert max(frame.size) < 1200
    assert min(frame.size) > 100


def test_the_matrix_of_a_snapshot_has_means_and_is_relative_to_uniform_attention():
    class Uniform(Timeline):
        def maps(self, image):
            return np.full((S, L, A, GH, GW), 1 / (GH * GW + 1), np.float32)

    found = draw_matrix(Uniform(), 0, 1)
    side = round(60 / GW)
    assert found.shape == ((L + 1) * (GH * side + GAP) - GAP, (A + 1) * (GW * side + GAP) - GAP, 3)
    middle = COLOR_MAPS["div", "light"][127:129].astype(int)
    assert np.abs(found[2, 2] - middle).max(1).min() <= 1
    assert (found[GH * side : GH * side + GAP] == 255).all()
    focused = draw_matrix(Timeline(), 1, 2)
    row, column = 2 * (GH * side + GAP) + 2 * side, GW * side + GAP + 4 * side
    assert (focused[row : row + side, column : column + side] == COLOR_MAPS["div", "light"][255]).all()
