"""Animations: every frame shows its snapshot, all on one scale, in files that players read."""

import io
import sys
import tempfile
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from vitviz.plots import animation
from vitviz.plots.formats import available_formats

S, L, A, GH, GW = 4, 3, 2, 5, 7


@dataclass
class Timeline:
    """A timeline of two images; attention on the second one is on a single patch, a different one in each snapshot."""

    names = ["ant", "bee"]  # noqa: RUF012
    classes = [f"class {k}" for k in range(8)]  # noqa: RUF012
    images = np.random.default_rng(0).integers(0, 256, (2, 20, 28, 3), np.uint8)
    epoch = np.array([0, 0.5, 2, 8], np.float32)
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


def test_heading_names_the_query():
    with_token, without = (animation.frames(Timeline(class_token=has), 1)[0] for has in (True, False))
    top = (0, 0, with_token.width, animation.TOP - 20)
    assert with_token.crop(top).tobytes() != without.crop(top).tobytes()
    assert (
        with_token.crop((0, animation.TOP, *with_token.size)).tobytes()
        == without.crop((0, animation.TOP, *without.size)).tobytes()
    )


def test_every_frame_shows_the_maps_of_its_snapshot_as_uniform_squares():
    frames = animation.frames(Timeline(), 1)
    assert len(frames) == S
    side = 60 // 7
    for snapshot, frame in enumerate(frames):
        left, top = (
            animation.MATRIX_LEFT + 1 * (7 * side + animation.GAP),
            animation.TOP + 2 * (5 * side + animation.GAP),
        )
        tile = np.asarray(frame)[top : top + 5 * side, left : left + 7 * side]
        expected = np.zeros((GH, GW), int)
        expected[snapshot, 6 - snapshot] = 255
        assert np.array_equal(tile, animation.COLORS[expected].repeat(side, 0).repeat(side, 1))


def test_strip_patches_keep_their_aspect_ratio():
    class Strips(Timeline):  # 20 rows of 2 patches over 20 x 28 pixels: each 1 high and 14 wide
        def maps(self, image):
            found = np.zeros((S, L, A, 20, 2), np.float32)
            found[:, 2, 1, 5, 1] = 0.5
            return found

    frame = np.asarray(animation.frames(Strips(), 1)[0])
    side = 60 // 28
    left, top = animation.MATRIX_LEFT + 1 * (28 * side + animation.GAP), animation.TOP + 2 * (20 * side + animation.GAP)
    expected = np.zeros((20, 28), int)
    expected[5, 14:] = 255
    tile = frame[top : top + 20 * side, left : left + 28 * side]
    assert np.array_equal(tile, animation.COLORS[expected].repeat(side, 0).repeat(side, 1))


def test_all_frames_share_one_scale():
    class Growing(Timeline):
        def maps(self, image):
            return np.ones((S, L, A, GH, GW), np.float32) * np.array([1, 2, 3, 4]).reshape(-1, 1, 1, 1, 1) / 8

    inside = [
        frame.getpixel((animation.MATRIX_LEFT + 4, animation.TOP + 4)) for frame in animation.frames(Growing(), 1)
    ]
    limit = 0.4  # 0.5, rounded as on the page
    assert inside == [tuple(animation.COLORS[min(255, int(256 * k / 8 / limit))]) for k in (1, 2, 3, 4)]


def test_means_are_drawn_on_their_own_scale():
    maps = np.zeros((S, 2, 2, 1, 2), np.float32)
    maps[:, 0, 0, 0, 0] = maps[:, 1, 1, 0, 1] = 0.8
    drawn, heads, means = animation.with_means(maps)
    assert (drawn.shape, heads, means) == ((S, 3, 3, 1, 2), pytest.approx(0.8), pytest.approx(0.4))
    assert drawn[0, 0, 2, 0] == pytest.approx([0.8, 0]), "the mean over heads is 0.4, the end of its scale"
    assert drawn[0, 2, 2, 0] == pytest.approx([0.4, 0.4])


def test_the_true_class_is_listed_and_the_title_names_the_model():
    probabilities = np.array([0.2, 0.01, 0.2, 0.1, 0.1, 0.1, 0.1, 0.09], np.float32)
    classes = [f"class {k}" for k in range(8)]
    assert animation.ranked_classes(probabilities, classes, "class 1").tolist() == [0, 2, 3, 4, 5, 1]
    assert animation.ranked_classes(probabilities, classes, "bee").tolist() == [0, 2, 3, 4, 5, 6]
    named, plain = animation.frames(Timeline(), 1, "tiny")[0], animation.frames(Timeline(), 1)[0]
    assert named.tobytes() != plain.tobytes()


def test_classes_keep_their_order_and_bars_follow_the_probabilities(monkeypatch):
    drawn = []
    monkeypatch.setattr(animation, "draw_prediction", lambda draw, labels, bars: drawn.append((labels, bars.tolist())))
    animation.frames(Timeline(), 1)
    assert all(labels[:2] == ["class 2", "class 7"] for labels, _ in drawn)
    assert [bars[1] for _, bars in drawn] == pytest.approx([0.8, 0.4, 0.2, 0.02])
    assert len(drawn[0][0]) == 6


def test_a_gif_plays_all_snapshots_and_holds_the_last_one():
    with Image.open(io.BytesIO(animation.render(Timeline(), "bee", ".gif"))) as image:
        assert image.n_frames == S
        assert image.info["loop"] == 0
        times = []
        for frame in range(S):
            image.seek(frame)
            times.append(image.info["duration"])
        shown = np.asarray(image.convert("RGB")).astype(int)
    assert times == [100, 100, 100, 2500]
    drawn = np.asarray(animation.frames(Timeline(), 1)[-1])
    top, left = (
        animation.TOP + 2 * (5 * 8 + animation.GAP),
        animation.MATRIX_LEFT + 7 * 8 + animation.GAP,
    )  # the tile with attention
    tile = (slice(top, top + 5 * 8), slice(left, left + 7 * 8))
    assert drawn[tile].min() < 100
    assert np.abs(shown - drawn)[tile].max() < 4, "colors are close to those drawn"
    assert (shown[0, 0] == 255).all()


def test_writing_through_a_symlink_keeps_the_link(tmp_path):
    link, file = tmp_path / "link.gif", tmp_path / "file"
    link.symlink_to(file)
    animation.save_animation(Timeline(), "bee", link)
    assert link.is_symlink()
    assert file.read_bytes().startswith(b"GIF")


def test_a_webp_holds_the_frames_without_loss():
    drawn = animation.frames(Timeline(), 1)
    with Image.open(io.BytesIO(animation.render(Timeline(), "bee", ".webp"))) as image:
        assert (image.n_frames, image.info["loop"]) == (S, 0)
        times = []
        for index, frame in enumerate(drawn):
            image.seek(index)
            assert (np.asarray(image.convert("RGB")) == np.asarray(frame)).all()
            times.append(image.info["duration"])
    assert times == [100, 100, 100, 2500]


def test_an_mp4_holds_the_same_frames_and_repeats_the_last_one():
    encoder = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed")
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        animation.save_animation(Timeline(), "bee", file.name)
        frames, seconds = encoder.count_frames_and_secs(file.name)
    assert frames == S + animation.LAST_FRAME_REPEATS - 1
    assert seconds == pytest.approx(frames / 10, abs=0.05)


def test_missing_imageio_ffmpeg_is_reported_with_a_hint(monkeypatch, tmp_path):
    encoder = ModuleType("imageio_ffmpeg")
    encoder.__spec__ = ModuleSpec("imageio_ffmpeg", None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", encoder)
    assert available_formats() == [".gif", ".webp", ".mp4"]
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    assert available_formats() == [".gif", ".webp"]
    with pytest.raises(
        ValueError, match=r"An MP4 animation needs imageio-ffmpeg: pip install imageio-ffmpeg, or write a \.gif"
    ):
        animation.save_animation(Timeline(), "bee", tmp_path / "bee.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("image", "name", "sentence"),
    [("cow", "a.gif", "The timeline has no image 'cow'"), ("bee", "a.webm", "must end in")],
)
def test_unknown_images_and_formats_are_refused(image, name, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        animation.save_animation(Timeline(), image, tmp_path / name)


@pytest.mark.parametrize(("layers", "heads", "side"), [(1, 1, 2), (12, 16, 14), (24, 2, 64)])
def test_networks_of_any_size_fit(layers, heads, side):
    class Other(Timeline):
        def maps(self, image):
            return np.random.default_rng(0).random((S, layers, heads, side, side), np.float32)

    frame = animation.frames(Other(), 0)[0]
    assert frame.width % 2 == frame.height % 2 == 0
    assert max(frame.size) < 2000


def test_long_names_are_truncated_and_escaped(monkeypatch):
    shown = []
    monkeypatch.setattr(Axes, "text", lambda axes, x, y, text, **style: shown.append(text))
    animation.draw_prediction(Figure().add_axes((0, 0, 1, 1)), ["a very long name of a class", "$cat"], np.ones(2))
    assert shown[::2] == ["a very long name of…", r"\$cat"]
    assert shown[1::2] == ["100.0 %"] * 2


@pytest.mark.parametrize("size", [(300, 400), (8, 8)])
def test_images_of_any_size_fill_their_place(size):
    timeline = Timeline()
    timeline.images = np.zeros((2, *size, 3), np.uint8)
    frame = animation.frames(timeline, 0)[0]
    shown = np.asarray(frame.crop((0, animation.TOP, animation.MATRIX_LEFT - 20, frame.height))).max(-1) == 0
    rows, columns = shown.any(1).nonzero()[0], shown.any(0).nonzero()[0]
    assert columns[[0, -1]].tolist() == pytest.approx([animation.MARGIN, animation.MARGIN + animation.SIDE - 1], abs=1)
    assert rows[[0, -1]].tolist() == pytest.approx([0, animation.SIDE * size[0] / size[1] - 1], abs=1)
