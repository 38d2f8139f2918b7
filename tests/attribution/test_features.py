"""PCA and similarity of tokens against numpy, and the nearest images of a dataset against a loop."""

import io
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from tests.errors import refuses
from vitviz import files as vitviz_files
from vitviz.attribution import features, neighbors
from vitviz.attribution.ablation import ablate
from vitviz.attribution.context import ForwardContext
from vitviz.attribution.explanation import explain
from vitviz.attribution.features import PatchBasis, PatchPCA
from vitviz.data.preprocessing import Resize

N, GH, GW, D, L = tiny.N, tiny.GH, tiny.GW, tiny.D, tiny.L


def contexts(count: int = 2, variant: str = "two registers") -> list[ForwardContext]:
    checkpoint = tiny.checkpoint(tiny.VARIANTS[variant])
    return [ForwardContext(checkpoint, image) for image in tiny.images(batch=count)]


def planted(monkeypatch: pytest.MonkeyPatch, tokens: np.ndarray) -> None:
    """Replace the tokens of all images and layers by these, (T, D)."""
    monkeypatch.setattr(features, "token_features", lambda context, layer: tokens.astype(np.float32))


@pytest.mark.parametrize("layer", [0, 3, None])
def test_features_are_the_outputs_of_the_blocks(layer):
    subject = contexts(1)[0]
    outputs = []
    hooks = [
        block.register_forward_hook(lambda module, inputs, output: outputs.append(output[0]))
        for block in subject.model.blocks
    ]
    with torch.no_grad():
        subject.model.forward_with_attention(subject.image[None], "full")
    for hook in hooks:
        hook.remove()
    expected = outputs[L - 1 if layer is None else layer][0]
    np.testing.assert_allclose(features.token_features(subject, layer), expected, rtol=0, atol=1e-5)


def pca(subjects: list[ForwardContext], layer: int | None = None, remove_background: bool = False) -> list[PatchPCA]:
    basis = features.fit_basis(subjects, layer, remove_background)
    return [features.patch_pca(one, basis) for one in subjects]


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("layer", [0, L - 1])
def test_the_components_of_a_set_are_those_of_the_svd_of_all_patches(count, layer):
    subjects = contexts(count)
    found = pca(subjects, layer)
    rows = np.concatenate([features.token_features(one, layer)[3:] for one in subjects]).astype(np.float64)
    left, values, _ = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
    np.testing.assert_allclose(found[0].basis.explained, values[:3] ** 2 / (values**2).sum(), rtol=0, atol=1e-6)
    scores = np.concatenate([one.scores.reshape(N, 3) for one in found])
    expected = left[:, :3] * values[:3]
    signs = np.sign(expected[np.abs(expected).argmax(0), range(3)])
    np.testing.assert_allclose(scores, expected * signs, rtol=0, atol=1e-5)
    np.testing.assert_allclose((rows - rows.mean(0)) @ found[0].basis.components.T, scores, rtol=0, atol=1e-5)
    rgb = np.concatenate([one.rgb.reshape(N, 3) for one in found])
    np.testing.assert_allclose(rgb, (scores - scores.min(0)) / np.ptp(scores, axis=0), rtol=0, atol=1e-5)
    assert all(one.scores.shape == one.rgb.shape == (GH, GW, 3) and one.foreground.all() for one in found)
    assert found[0].basis.description == f"PCA over the patches of {'one image' if count == 1 else '3 images'}"


@pytest.mark.parametrize("remove_background", [False, True])
def test_a_basis_is_saved_and_gives_equal_tokens_of_other_images_equal_colors(tmp_path, remove_background):
    first, second, new = explain(tiny.checkpoint(), [tiny.pixels(seed=seed) for seed in range(3)])
    basis = first.pca(1, remove_background, others=[second]).basis
    read = PatchBasis.load(basis.save(tmp_path / "basis.npz"))
    assert (read.layer, read.images, read.model, read.background is None) == (1, 2, "tiny", not remove_background)
    for one in (first, second, new):
        np.testing.assert_array_equal(one.pca(basis=read).scores, one.pca(basis=basis).scores)
    found, again = new.pca(basis=basis), explain(tiny.checkpoint(), tiny.pixels(seed=2)).pca(basis=basis)
    np.testing.assert_allclose(found.rgb, again.rgb, rtol=0, atol=1e-5)
    scores = (new.features(1)[new.context.prefix :] - basis.mean) @ basis.components.T
    low, high = basis.limits
    expected = ((scores - low) / (high - low)).clip(0, 1).reshape(GH, GW, 3)
    np.testing.assert_allclose(found.rgb[found.foreground], expected[found.foreground], rtol=0, atol=1e-5)


def test_a_basis_of_another_model_or_with_other_arguments_is_refused(tmp_path):
    ex, other = (
        explain(tiny.checkpoint(), tiny.pixels()),
        explain(replace(tiny.checkpoint(), name="other"), tiny.pixels()),
    )
    basis = ex.pca(0).basis
    with pytest.raises(
        ValueError, match=r"must be of the same model: it is of tiny \(width 18\), the image is .* other"
    ):
        other.pca(basis=basis)
    for field, given in (("others", {"others": [ex]}), ("remove_background", {"remove_background": True})):
        with refuses(field):
            ex.pca(basis=basis, **given)
    np.savez(tmp_path / "x.npz", mean=np.zeros(3))
    (tmp_path / "y.npz").write_bytes(b"PK")
    for name in ("x.npz", "y.npz"):
        with pytest.raises(ValueError, match=f"npz file of `PatchBasis.save`: .*{name} is not"):
            PatchBasis.load(tmp_path / name)


def test_colors_are_aligned_by_the_orthogonal_procrustes_problem(monkeypatch):
    """A rotation of the features changes nothing; the matrix is that of SciPy."""
    linalg = pytest.importorskip("scipy.linalg")
    one, other = contexts(2)
    (reference,), (found,) = pca([one], 1), pca([other], 3)
    np.testing.assert_allclose(reference.aligned_rgb(reference), reference.rgb, rtol=0, atol=1e-6)
    source, target = (side.scores.reshape(N, 3) for side in (found, reference))
    centered = [values - values.mean(0) for values in (source, target)]
    rotation, _ = linalg.orthogonal_procrustes(*centered)
    scale = np.linalg.norm(centered[1]) / np.linalg.norm(centered[0])
    expected = reference.basis.rgb((scale * centered[0] @ rotation + target.mean(0)).reshape(GH, GW, 3))
    np.testing.assert_allclose(found.aligned_rgb(reference), expected, rtol=0, atol=1e-4)
    flipped = replace(found, scores=found.scores[..., [1, 2, 0]] * np.float32([-1, 1, 1]))
    np.testing.assert_allclose(flipped.aligned_rgb(reference), expected, rtol=0, atol=1e-4)
    rotated = features.token_features(other, 3) @ np.linalg.qr(np.random.default_rng(0).standard_normal((D, D)))[0]
    planted(monkeypatch, 2 * rotated + 1)
    (turned,) = pca([other], 3)
    np.testing.assert_allclose(turned.aligned_rgb(reference), expected, rtol=0, atol=1e-4)


def test_colors_of_other_grids_are_aligned_by_place(monkeypatch):
    (reference,) = pca(contexts(1), 1)
    repeated = {name: getattr(reference, name).repeat(2, 0).repeat(3, 1) for name in ("scores", "rgb", "foreground")}
    fine = replace(reference, **repeated)
    np.testing.assert_allclose(fine.aligned_rgb(reference), fine.rgb, rtol=0, atol=1e-5)
    np.testing.assert_allclose(reference.aligned_rgb(fine), reference.rgb, rtol=0, atol=1e-5)
    nothing = replace(reference, scores=reference.scores * np.nan)
    np.testing.assert_array_equal(nothing.aligned_rgb(reference), nothing.rgb)


def test_the_background_is_the_side_of_the_border(monkeypatch):
    rng = np.random.default_rng(0)
    inside = np.zeros((GH, GW), bool)
    inside[1:4, 2:6] = True
    tokens = 0.1 * rng.standard_normal((3 + N, D))
    tokens[3:][inside.ravel()] += 4
    for sign in (1, -1):
        planted(monkeypatch, sign * tokens)
        (found,) = pca(contexts(1), 0, remove_background=True)
        assert (found.foreground == inside).all()
        assert (np.isnan(found.rgb).any(-1) == ~inside).all()
        rows = (sign * tokens[3:][inside.ravel()]).astype(np.float32).astype(np.float64)
        values = np.linalg.eigvalsh(np.cov(rows.T))[::-1]
        np.testing.assert_allclose(found.basis.explained, values[:3] / values.sum(), rtol=0, atol=1e-5)
    assert "without the background" in found.basis.description


def test_removed_patches_are_left_out():
    subject = ablate(contexts(1)[0], patches=[0, 9])
    (found,) = pca([subject])
    assert np.flatnonzero(~found.foreground.ravel()).tolist() == [0, 9]
    assert np.isnan(found.scores.reshape(N, 3)[[0, 9]]).all()
    assert not np.isnan(found.rgb.reshape(N, 3)[1:9]).any()
    assert features.similarity(subject, patch=3)[[0, 9]].tolist() == [0, 0]


def test_a_component_without_variance_is_gray(monkeypatch):
    tokens = np.zeros((3 + N, D))
    tokens[3:, 4] = np.arange(N)
    planted(monkeypatch, tokens)
    (found,) = pca(contexts(1))
    assert found.basis.explained == pytest.approx([1, 0, 0], abs=1e-9)
    assert (found.rgb[..., 1:] == 0.5).all()
    assert (found.rgb[..., 0].min(), found.rgb[..., 0].max()) == (0, 1)


def test_pca_of_two_patches_is_refused():
    subject = contexts(1, "plain")[0]
    with pytest.raises(ValueError, match="PCA needs at least 3 patches: 2 are left"):
        features.fit_basis([ablate(subject, patches=range(2, N))])
    with pytest.raises(ValueError, match="at least one image: got none"):
        features.fit_basis([])


def test_images_of_different_models_are_refused():
    one, other = contexts(1, "plain")[0], tiny.context("two registers")
    other.checkpoint = tiny.checkpoint(tiny.VARIANTS["two registers"])
    sentence = r"explained by the same model: got tiny \(5 x 7 patches of width 18\) and tiny \(5 x 7 patches"
    for call in (lambda: features.fit_basis([one, other]), lambda: features.similarity(one, patch=0, other=other)):
        with pytest.raises(ValueError, match=sentence):
            call()


@pytest.mark.parametrize("patch", [None, 0, 17])
def test_similarity_is_the_cosine_with_every_patch_of_either_image(patch):
    one, other = contexts(2)
    token = features.token_features(one, 2)[0 if patch is None else 3 + patch]
    for image in (None, other):
        found = features.similarity(one, 2, patch, image)
        others = features.token_features(image or one, 2)[3:]
        expected = [token @ row / np.sqrt((token @ token) * (row @ row)) for row in others]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    if patch is not None:
        assert features.similarity(one, 2, patch)[patch] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("wrong", [{"layer": L}, {"layer": -1}, {"layer": "x"}, {"patch": N}, {"patch": 1.5}])
def test_layers_and_patches_that_do_not_exist_are_refused(wrong):
    with refuses(*wrong):
        features.similarity(contexts(1)[0], **({"patch": 0} | wrong))


def test_a_model_without_class_token_has_no_similarity_to_it():
    with pytest.raises(ValueError, match="tiny has no class token"):
        features.similarity(tiny.context("no class token"))


# Nearest images


def dataset(count: int = 7) -> torch.Tensor:
    return torch.stack([torch.from_numpy(tiny.pixels(seed=n)).permute(2, 0, 1) for n in range(count)])


@pytest.mark.parametrize("variant", ["plain", "no class token", "everything"])
def test_the_nearest_images_are_those_of_largest_cosine(variant, tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors, "BATCH_SIZE", 3)
    checkpoint, images, done = tiny.checkpoint(tiny.VARIANTS[variant]), dataset(), []
    index = neighbors.build_index(checkpoint, images, lambda *counts: done.append(counts), tmp_path)
    assert done == [(3, 7), (6, 7), (7, 7)]
    subjects = [ForwardContext(checkpoint, checkpoint.normalize(image[None])[0]) for image in images]
    tokens = [torch.from_numpy(features.token_features(one))[None] for one in subjects]
    pooled = [checkpoint.network.forward_head(one, pre_logits=True)[0].detach().numpy() for one in tokens]
    expected = [pooled[4] @ one / np.sqrt((pooled[4] @ pooled[4]) * (one @ one)) for one in pooled]
    found = neighbors.nearest(subjects[4], index, 5)
    assert found.indices[0] == 4
    np.testing.assert_allclose(found.similarities, np.sort(expected)[::-1][:5], rtol=0, atol=2e-3)  # float16
    np.testing.assert_allclose(np.array(expected)[found.indices], found.similarities, rtol=0, atol=2e-3)
    assert len(neighbors.nearest(subjects[0], index, 99).indices) == 7


def test_an_index_is_computed_once_for_each_model_and_data_set(tmp_path):
    checkpoint, done = tiny.checkpoint(), []
    build = lambda *arguments: neighbors.build_index(*arguments, lambda *counts: done.append(counts), tmp_path)  # noqa: E731
    first = build(checkpoint, dataset())
    assert np.array_equal(build(checkpoint, dataset()).features, first.features)
    assert len(done) == 1
    build(checkpoint, dataset(6))
    build(tiny.checkpoint(seed=1), dataset())
    build(replace(checkpoint, resize=Resize("bilinear")), dataset())
    assert len(done) == 4
    files = sorted(tmp_path.iterdir())
    assert len(files) == 4
    huge = io.BytesIO()
    np.lib.format.write_array_header_1_0(huge, {"descr": "<f2", "fortran_order": False, "shape": (7, 10**15)})
    for content in (b"damaged", huge.getvalue(), b"", files[0].read_bytes()[:-1]):
        for file in files:
            file.write_bytes(content)
        assert np.array_equal(build(checkpoint, dataset()).features, first.features)


def test_images_of_the_index_are_preprocessed_as_the_model_does(tmp_path):
    checkpoint = replace(tiny.checkpoint(), resize=Resize("nearest", 0.5))
    image = tiny.pixels(3 * tiny.H, 3 * tiny.W)
    index = neighbors.build_index(checkpoint, torch.from_numpy(image).permute(2, 0, 1)[None], cache=tmp_path)
    found = neighbors.nearest(explain(checkpoint, image).context, index, 1)
    assert found.similarities[0] == pytest.approx(1, abs=2e-3)  # float16


def test_the_cache_is_optional_and_an_exception_stops_the_computation(tmp_path):
    (tmp_path / "file").write_text("")
    assert len(neighbors.build_index(tiny.checkpoint(), dataset(), cache=tmp_path / "file").features) == 7

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        neighbors.build_index(tiny.checkpoint(), dataset(), stop, tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_the_cache_folder_is_that_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("VITVIZ_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert vitviz_files.cache_folder() == tmp_path / "vitviz"
    monkeypatch.setenv("VITVIZ_CACHE", str(tmp_path / "own"))
    assert vitviz_files.cache_folder() == tmp_path / "own"


def test_invalid_requests_for_neighbors_are_refused(tmp_path):
    index = neighbors.build_index(tiny.checkpoint(), dataset(), cache=tmp_path)
    with refuses("count"):
        neighbors.nearest(tiny.context(), index, 0)
    other = neighbors.FeatureIndex(np.zeros((3, 7), np.float16))
    with pytest.raises(ValueError, match="its features have the width 7, tiny has 18"):
        neighbors.nearest(tiny.context(), other)
    with pytest.raises(ValueError, match="at least one image: got none"):
        neighbors.build_index(tiny.checkpoint(), dataset()[:0], cache=tmp_path)
