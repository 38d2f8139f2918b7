"""Movies: every frame shows its own moment, all on one scale; files that players read."""

import io
import sys
import tempfile
from dataclasses import dataclass

import numpy as np
import pytest
from PIL import Image

from vitviz.plots import animation
from vitviz.plots.formats import movies

S, L, A, GH, GW = 4, 3, 2, 5, 7


@dataclass
class Timeline:
    """A timeline of two images whose second one has one patch lit, another at each moment."""

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
        for moment in range(S):
            found[moment, 2, 1, moment, 6 - moment] = 0.5 * image
        return found


def test_the_heading_tells_who_looks():
    with_token, without = (animation.frames(Timeline(class_token=has), 1)[0] for has in (True, False))
    top = (0, 0, with_token.width, animation.TOP - 20)
    assert with_token.crop(top).tobytes() != without.crop(top).tobytes()
    assert (
        with_token.crop((0, animation.TOP, *with_token.size)).tobytes()
        == without.crop((0, animation.TOP, *without.size)).tobytes()
    )


def test_every_frame_shows_the_maps_of_its_moment_as_flat_squares(monkeypatch):
    monkeypatch.setattr(animation, "CLIPPED", 1.0)
    frames = animation.frames(Timeline(), 1)
    assert len(frames) == S
    side = 60 // 7
    for moment, frame in enumerate(frames):
        left, top = (
            animation.MATRIX_LEFT + 1 * (7 * side + animation.GAP),
            animation.TOP + 2 * (5 * side + animation.GAP),
        )
        tile = np.asarray(frame)[top : top + 5 * side, left : left + 7 * side]
        expected = np.zeros((GH, GW), int)
        expected[moment, 6 - moment] = 255
        assert np.array_equal(tile, animation.COLOURS[expected].repeat(side, 0).repeat(side, 1))


def test_strips_are_shown_as_strips(monkeypatch):
    class Strips(Timeline):  # 20 rows of 2 patches over 20 x 28 pixels: each 1 high and 14 wide
        def maps(self, image):
            found = np.zeros((S, L, A, 20, 2), np.float32)
            found[:, 2, 1, 5, 1] = 0.5
            return found

    monkeypatch.setattr(animation, "CLIPPED", 1.0)
    frame = np.asarray(animation.frames(Strips(), 1)[0])
    side = 60 // 28
    left, top = animation.MATRIX_LEFT + 1 * (28 * side + animation.GAP), animation.TOP + 2 * (20 * side + animation.GAP)
    expected = np.zeros((20, 28), int)
    expected[5, 14:] = 255
    tile = frame[top : top + 20 * side, left : left + 28 * side]
    assert np.array_equal(tile, animation.COLOURS[expected].repeat(side, 0).repeat(side, 1))


def test_the_scale_is_one_for_all_frames():
    class Growing(Timeline):
        def maps(self, image):
            return np.ones((S, L, A, GH, GW), np.float32) * np.array([0.1, 0.2, 0.3, 0.4])[:, None, None, None, None]

    inside = [
        frame.getpixel((animation.MATRIX_LEFT + 4, animation.TOP + 4)) for frame in animation.frames(Growing(), 1)
    ]
    assert inside == [tuple(animation.COLOURS[round(255 * share)]) for share in (0.25, 0.5, 0.75, 1)]


def test_the_likeliest_classes_keep_their_places_and_their_bars_follow(monkeypatch):
    seen = []
    monkeypatch.setattr(
        animation, "show_prediction", lambda draw, labels, shares: seen.append((labels, shares.tolist()))
    )
    animation.frames(Timeline(), 1)
    assert all(labels[:2] == ["class 2", "class 7"] for labels, _ in seen)
    assert [shares[1] for _, shares in seen] == pytest.approx([0.8, 0.4, 0.2, 0.02])
    assert len(seen[0][0]) == 5


def test_a_gif_plays_all_moments_and_rests_at_the_end():
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
    )  # the tile that is lit
    tile = (slice(top, top + 5 * 8), slice(left, left + 7 * 8))
    assert drawn[tile].min() < 100
    assert np.abs(shown - drawn)[tile].max() < 4, "colours are nearly those drawn"
    assert (shown[0, 0] == 255).all()


def test_a_link_stays_and_what_it_leads_to_is_written(tmp_path):
    link, file = tmp_path / "link.gif", tmp_path / "file"
    link.symlink_to(file)
    animation.movie(Timeline(), "bee", link)
    assert link.is_symlink()
    assert file.read_bytes().startswith(b"GIF")


def test_an_mp4_holds_the_same_frames_and_the_rest_at_the_end():
    from imageio_ffmpeg import count_frames_and_secs

    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        animation.movie(Timeline(), "bee", file.name)
        frames, seconds = count_frames_and_secs(file.name)
    assert frames == S + animation.LAST_FRAMES - 1
    assert seconds == pytest.approx(frames / 10, abs=0.05)


def test_without_imageio_ffmpeg_a_sentence_says_what_to_do(monkeypatch, tmp_path):
    assert movies() == [".gif", ".mp4"]
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    assert movies() == [".gif"]
    with pytest.raises(
        ValueError, match=r"An MP4 movie needs imageio-ffmpeg: pip install imageio-ffmpeg, or write a \.gif"
    ):
        animation.movie(Timeline(), "bee", tmp_path / "bee.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("image", "name", "sentence"), [("cow", "a.gif", "There is no image 'cow'"), ("bee", "a.webm", "must end in")]
)
def test_what_cannot_be_made_is_refused(image, name, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        animation.movie(Timeline(), image, tmp_path / name)


def test_long_names_are_cut_and_large_images_shrunk():
    assert animation.fitting("cat", 82) == "cat"
    cut = animation.fitting("a very long name of a class", 82)
    assert cut.endswith("…")
    assert animation.font(13, False).getlength(cut) <= 82
    assert animation.enlarged(np.zeros((300, 400, 3), np.uint8)).size == (192, 144)
    assert animation.enlarged(np.zeros((32, 32, 3), np.uint8)).size == (192, 192)


@pytest.mark.parametrize(("layers", "heads", "side"), [(1, 1, 2), (12, 16, 14), (24, 2, 64)])
def test_any_network_fits(layers, heads, side):
    class Other(Timeline):
        def maps(self, image):
            return np.random.default_rng(0).random((S, layers, heads, side, side), np.float32)

    frame = animation.frames(Other(), 0)[0]
    assert frame.width % 2 == frame.height % 2 == 0
    assert max(frame.size) < 2000
