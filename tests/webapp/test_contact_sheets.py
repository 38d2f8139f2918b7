"""Routes of contact sheets: numbers of the library, provenance and refusals."""

import base64

import numpy as np
import pytest

from tests.webapp.api import CAT, routes
from vitviz.attribution.explanation import explain
from vitviz.attribution.provenance import Provenance
from vitviz.data.preprocessing import sample_paths
from vitviz.webapp.schemas.explanations import MAX_IMAGES

ROUTE = "explanations/contact-sheet"
IMAGES = [{"kind": "sample", "name": name} for name in ("cat", "dog", "ship")]


@pytest.fixture(scope="module")
def client():
    with routes() as client:
        yield client


@pytest.fixture
def explained(client):
    """The images in the tiny model of the client."""
    model = client.backend.inputs.model("tiny")
    return [explain(model, sample_paths()[image["name"]]) for image in IMAGES]


def test_maps_are_those_of_the_library_on_one_scale(client, explained):
    view = {"content": "method", "method": "balanced_gradients"}
    reply = client.get(ROUTE, subject=CAT, images=IMAGES, view=view)
    maps = [one.map("balanced_gradients").ravel() for one in explained]
    for found, values, ex in zip(reply["images"], maps, explained, strict=True):
        np.testing.assert_allclose(found["values"], values, rtol=0, atol=1e-6)
        assert found["colors"] is None
        assert found["prediction"].startswith(f"{ex.prediction}, ")
        assert found["src"].startswith("data:image/png;base64,")
    assert reply["scale"]["limit"] == pytest.approx(np.abs(maps).max(), rel=1e-6)
    assert (reply["rows"], reply["columns"]) == explained[0].context.grid
    ablated = CAT | {"ablations": [{"patches": [3]}]}
    images = client.get(ROUTE, subject=ablated, images=IMAGES, view={"layer": 1, "head": 0})["images"]
    assert [[k for k, value in enumerate(one["values"]) if value is None] for one in images] == [[3]] * 3


def test_features_have_one_basis(client, explained):
    reply = client.get(ROUTE, subject=CAT, images=IMAGES, view={"content": "features", "layer": 2})
    basis = explained[0].pca(2, others=explained[1:]).basis
    for found, ex in zip(reply["images"], explained, strict=True):
        colors = np.frombuffer(base64.b64decode(found["colors"]), np.uint8).reshape(-1, 4)
        np.testing.assert_allclose(colors[:, :3] / 255, ex.pca(basis=basis).rgb.reshape(-1, 3), rtol=0, atol=0.003)
    assert reply["scale"] is None


def test_the_provenance_names_all_images(client, explained):
    found = Provenance(**client.get(f"{ROUTE}-provenance", subject=CAT, images=IMAGES, view={"layer": 1}))
    assert [one.sha256 for one in (found.image, *found.others)] == [ex.image.sha256 for ex in explained]
    assert found.view.layer == 1


def test_what_has_no_contact_sheet_is_refused_by_its_field(client):
    lost = {"kind": "upload", "id": "0" * 64}
    cases = [
        ({"images": []}, "images"),
        ({"images": IMAGES[:1] * (MAX_IMAGES + 1)}, "images"),
        ({"images": [IMAGES[0], lost]}, "images.1"),
        ({"view": {"content": "contributions"}}, "view"),
        ({"view": {"content": "method", "method": "greedy"}}, "view.method"),
        ({"view": {"layer": 99}}, "view"),
        ({"subject": CAT | {"snapshot": 0}}, "images.0"),
    ]
    for change, field in cases:
        refusal = client.refusal(ROUTE, **{"subject": CAT, "images": IMAGES, "view": {}} | change)
        assert refusal["field"] == field, (change, refusal)
