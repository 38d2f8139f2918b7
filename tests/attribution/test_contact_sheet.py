"""The contact sheet of several images."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import vitviz
from tests import tiny
from tests.errors import refuses
from vitviz.attribution.provenance import describe_shown, of_contact_sheet
from vitviz.view import View

IMAGES = [tiny.pixels(seed=seed) for seed in range(3)]


def maps(figure):
    """Return what is drawn beside each image: values or colors."""
    return list(figure.axes[0].images[1::2])


@pytest.mark.parametrize(
    ("view", "compute"),
    [
        ({"layer": 1, "head": 1}, lambda ex: ex.attention_map(1, 1)),
        (
            {"layer": 1, "query": 3, "direction": "to", "scale": "uniform"},
            lambda ex: ex.attention_map(1, query=3, direction="to"),
        ),
        ({"method": "relevance"}, lambda ex: ex.map("relevance")),
        ({"method": "balanced_gradients", "target": "class 3"}, lambda ex: ex.map("balanced_gradients", 3)),
    ],
)
def test_the_maps_of_all_images_have_one_scale(view, compute):
    explained = vitviz.explain(tiny.checkpoint(), IMAGES)
    drawn = maps(vitviz.contact_sheet(explained, **view))
    for image, ex in zip(drawn, explained, strict=True):
        np.testing.assert_allclose(image.get_array(), compute(ex), rtol=0, atol=1e-6)
    assert len({image.get_clim() for image in drawn}) == 1
    if "method" in view:
        assert drawn[0].norm.vmax == pytest.approx(max(np.abs(compute(ex)).max() for ex in explained))
    plt.close("all")


def test_features_have_one_basis_so_that_equal_tokens_have_equal_colors():
    explained = vitviz.explain(tiny.checkpoint(), IMAGES)
    drawn = maps(vitviz.contact_sheet(explained, content="features", layer=1))
    basis = explained[0].pca(1, others=explained[1:]).basis
    for image, ex in zip(drawn, explained, strict=True):
        np.testing.assert_allclose(image.get_array(), ex.pca(basis=basis).rgb, rtol=0, atol=1e-6)
    (alone,) = maps(vitviz.contact_sheet(explained[:1], content="features", basis=basis))
    np.testing.assert_allclose(alone.get_array(), drawn[0].get_array(), rtol=0, atol=1e-6)


def test_a_removed_patch_has_no_value_and_each_map_may_have_its_own_scale():
    ex = vitviz.explain(tiny.checkpoint(), IMAGES[0])
    (drawn,) = maps(vitviz.contact_sheet([ex.ablate(patches=[4])], layer=0, scale="map"))
    values = np.ma.filled(drawn.get_array(), np.nan).ravel()
    assert np.flatnonzero(np.isnan(values)).tolist() == [4]
    assert (np.nanmin(values), np.nanmax(values)) == (0, 1)


def test_what_is_not_drawn_is_refused():
    one, other = (
        vitviz.explain(tiny.checkpoint(tiny.VARIANTS[name]), IMAGES[0]) for name in ("plain", "two registers")
    )
    cases = [({"content": "contributions"}, "content"), ({"query": 1, "direction": "similar"}, "direction")]
    cases += [({"smooth": True}, "smooth"), ({"width": 0}, "width"), ({"layer": tiny.L}, "layer"), ({"x": 1}, "x")]
    for given, field in cases:
        with refuses(field):
            vitviz.contact_sheet([one], **given)
    for explained, sentence in (([], "got none"), ([one, other], "explained by the same model")):
        with pytest.raises(ValueError, match=sentence):
            vitviz.contact_sheet(explained)


def test_the_code_of_a_contact_sheet_draws_it(tmp_path, tiny_file, monkeypatch):
    monkeypatch.chdir(tiny_file.parent)
    ex = vitviz.explain(vitviz.load(tiny_file), IMAGES[0])
    code = of_contact_sheet(describe_shown(ex, View(content="method", method="relevance", target=(2,))), []).code
    assert "images = ...  # the 1 images" in code
    namespace = {}
    exec(code.replace("...", "IMAGES"), {"IMAGES": IMAGES} | namespace, namespace)
    np.testing.assert_allclose(maps(namespace["figure"])[0].get_array(), ex.map("relevance", 2), rtol=0, atol=1e-6)
