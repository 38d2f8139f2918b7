"""What needs many images: it equals its functions, and is stored beside the checkpoint that it was measured on."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from vitviz.attribution import head_factors, image_statistics, probes, stored
from vitviz.attribution.class_token import swap_curve
from vitviz.models import checkpoint as checkpoints
from vitviz.plots import probe_table

RECORD = {"train_config": {"objective": "classify"}}


def images(count: int = 12) -> torch.Tensor:
    return torch.stack([torch.from_numpy(tiny.pixels(seed=seed)).permute(2, 0, 1) for seed in range(count)])


def centered(checkpoint):
    """A checkpoint whose predictions differ between images."""
    with torch.no_grad():
        checkpoint.network.head.bias -= checkpoint.network(checkpoint.normalize(images())).mean(0)
    return checkpoint


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(image_statistics, "RELIABLE", 12)


@pytest.fixture
def saved(tmp_path):
    """A checkpoint in a file, trained here."""
    checkpoint = replace(centered(tiny.checkpoint()), record=RECORD)
    path = tmp_path / "model.safetensors"
    checkpoints.save(checkpoint, path)
    return vitviz.load(path, device="cpu")


def test_probes_of_many_images_equal_the_functions(saved):
    seen = []
    found = probes.probe(saved, images(), lambda done, total: seen.append((done, total)))
    factors, curve = head_factors.head_factors(saved, images()), swap_curve(saved, images())
    np.testing.assert_array_equal(found.head_shares[..., 0], factors.position)
    np.testing.assert_allclose(found.head_shares.sum(-1), 1, atol=1e-5)
    np.testing.assert_array_equal(found.image_specific, factors.image_specific)
    np.testing.assert_array_equal(found.follows_patches, curve.follows_patches)
    assert (found.head_images, found.pairs) == (12, curve.pairs)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {12 * (1 + 2 + 2 + 1 + tiny.L // 2)}, "probes, factors, kept, swap"
    assert not stored.beside(saved, image_statistics.ENDING)[0].exists()


def test_a_mean_query_keeps_some_predictions(saved):
    measured = image_statistics.measure(saved, images(), lambda done: None)
    interventions = head_factors.with_mean_query(saved.network, measured.factors, torch.zeros(1))
    kept = 0
    with torch.no_grad():
        for image in saved.normalize(images()):
            own, fixed = saved.network(image[None]), saved.network(image[None], None, interventions)
            kept += int(own.argmax() == fixed.argmax())
    assert measured.kept == kept / 12
    image_statistics.store(measured, saved)
    assert image_statistics.load(saved).kept == measured.kept


def test_fewer_images_show_what_is_stored(saved):
    before = probes.probe(saved, images(), store=True)
    after = probes.probe(saved, images(3))
    np.testing.assert_allclose(after.head_shares, before.head_shares, atol=1e-3)  # in float16
    np.testing.assert_allclose(after.follows_class_token, before.follows_class_token, atol=1e-3)
    assert (after.head_images, after.pairs) == (before.head_images, before.pairs)


@pytest.mark.parametrize("damage", ["other weights", "truncated", "text", "an array less"])
def test_a_file_of_other_weights_or_a_damaged_one_is_not_used(saved, damage):
    probes.probe(saved, images(), store=True)
    path = stored.beside(saved, image_statistics.ENDING)[0]
    assert image_statistics.load(saved) is not None
    if damage == "other weights":
        with torch.no_grad():
            saved.network.head.bias += 1
    elif damage == "truncated":
        path.write_bytes(path.read_bytes()[:-200])
    elif damage == "text":
        path.write_text("no archive")
    else:
        with np.load(path) as file:
            np.savez(path, **{name: file[name] for name in file if name != "factors.shares"})
    assert image_statistics.load(saved) is None
    assert not probes.probe(saved, images(3)).head_shares.size


def test_what_was_not_trained_here_is_stored_in_the_cache(saved, tmp_path, monkeypatch):
    monkeypatch.setenv("VITVIZ_CACHE", str(tmp_path / "cache"))
    other = replace(saved, record={})
    measured = image_statistics.measure(saved, images(), lambda done: None)
    image_statistics.store(measured, other)
    assert not stored.beside(saved, image_statistics.ENDING)[0].exists()
    assert stored.cached(other, image_statistics.ENDING).exists()
    assert image_statistics.load(saved).kept == measured.kept


def test_what_cannot_be_written_is_not_stored(saved, tmp_path):
    saved.files[0].path.unlink()
    tmp_path.rename(tmp_path.with_name("away"))
    tmp_path.write_text("a file, not a folder")
    probes.probe(saved, images(), store=True)


@pytest.mark.parametrize(
    ("variant", "shares", "curve"), [("no class token", True, False), ("mean of patches", True, False)]
)
def test_a_head_that_reads_patches_has_no_curve(variant, shares, curve):
    found = probes.probe(tiny.checkpoint(tiny.VARIANTS[variant]), images())
    assert (bool(found.head_shares.size), bool(found.follows_patches.size)) == (shares, curve)


def test_equal_predictions_have_no_curve():
    checkpoint = tiny.checkpoint()
    with torch.no_grad():
        checkpoint.network.head.bias[0] += 1e4
    found = probes.probe(checkpoint, images())
    assert found.head_shares.size
    assert not found.follows_patches.size


def test_scores_with_a_relative_position_bias_have_no_parts():
    biased = replace(tiny.CONFIG, rel_pos_bias=True)
    assert not probes.probe(tiny.checkpoint(biased), images()).head_shares.size


def test_the_tables_have_a_line_per_head_and_per_layer(saved, tmp_path):
    found = probes.probe(saved, images())
    heads, decision = (
        list(csv.reader(io.StringIO(probe_table.to_csv(found.arrays, figure)))) for figure in ("heads", "decision")
    )
    assert heads[0] == ["layer", "head", "position", "content", "same for all", "rest", "image-specific query"]
    assert len(heads) == 1 + tiny.L * tiny.A
    np.testing.assert_array_equal(np.float32(heads[2][2:6]), found.head_shares[0, 1])
    np.testing.assert_array_equal(np.float32(heads[-1][6]), found.image_specific[-1, -1])
    np.testing.assert_array_equal(np.float32([line[1] for line in decision[1:]]), found.follows_patches)
    found.save(tmp_path / "probes.svg")
    text = (tmp_path / "probes.svg").read_text()
    assert "prediction follows (%)" in text
    assert "are needed" not in text


def test_the_shipped_file_is_of_the_shipped_weights():
    stored = image_statistics.load(vitviz.load("cifar10-ti4"))
    assert stored is not None
    assert stored.factors.images >= head_factors.RELIABLE
    assert stored.factors.class_query.shape == (6, 6, 32)
    np.testing.assert_allclose(stored.factors.shares.sum((-2, -1)), 1, atol=2e-3)
