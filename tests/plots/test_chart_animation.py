"""Animations of charts: the colors of each frame's map, whatever the format."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from tests.plots.test_figures import GH, GW, HEADS, chart
from vitviz.plots import chart_animation


@pytest.mark.parametrize("ending", [".gif", ".webp"])
def test_every_frame_has_the_colors_of_its_map(ending):
    charts = [replace(chart(), large=np.full((GH, GW), value, np.float32)) for value in (0.003, 0.02, 0.035)]
    with Image.open(io.BytesIO(chart_animation.render(charts, ending))) as image:
        assert image.n_frames == 3
        assert image.info["loop"] == 0
        for index, one in enumerate(charts):
            image.seek(index)
            frame = np.asarray(image.convert("RGB")).astype(int)
            expected = HEADS.colors(one.large)[0, 0]
            close = (np.abs(frame - expected).max(-1) <= (5 if ending == ".gif" else 0)).mean()
            assert close > 0.05, "the map is a large part of the frame"


def test_frames_have_one_even_size_even_if_a_caption_is_longer():
    charts = [chart(), replace(chart(), caption=["a long caption " * 60])]
    with Image.open(io.BytesIO(chart_animation.render(charts, ".webp"))) as image:
        assert image.width % 2 == image.height % 2 == 0


def test_many_frames_play_faster():
    charts = [chart()] * (chart_animation.MAX_SLOW_FRAMES + 1)
    given = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chart_animation, "draw_chart", lambda one: Image.new("RGB", (4, 4)))
        patch.setattr(chart_animation, "encode_webp", lambda images, times: given.extend(times) or b"")
        chart_animation.render(charts, ".webp")
        assert given == [200] * len(charts)
        given.clear()
        chart_animation.render(charts[1:], ".webp")
        assert given == [1000] * (len(charts) - 1)
