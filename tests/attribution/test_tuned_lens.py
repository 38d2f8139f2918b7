"""The tuned lens of the patches: models with a known answer, a loop, planted truth, files."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from vitviz.attribution import stored, tuned_lens
from vitviz.attribution.tuned_lens import MIN_IMAGES, MIN_VARIANCE, RIDGE, TunedLens
from vitviz.cli import main
from vitviz.data import cifar
from vitviz.errors import CapturedModelError, ConfigError
from vitviz.models import checkpoint as checkpoints
from vitviz.models.checkpoint import Checkpoint

COUNT = 60


def images(count: int = COUNT) -> torch.Tensor:
    return torch.from_numpy(np.stack([tiny.pixels(seed=seed) for seed in range(count)])).permute(0, 3, 1, 2)


def with_many_classes() -> Checkpoint:
    """Return the tiny model with a bias that makes it predict all classes but the last one."""
    found = tiny.checkpoint()
    with torch.no_grad():
        found.network.head.bias -= found.network(found.normalize(images())).mean(0)
        found.network.head.bias[-1] -= 100
    return found


@pytest.fixture(scope="module")
def model():
    return with_many_classes()


@pytest.fixture(scope="module")
def lens(model):
    return tuned_lens.fit(model, images(), "noise")


def test_it_is_linear_discriminant_analysis_by_a_loop(model, lens):
    count = COUNT * 4 // 5
    output = model.network.forward_with_attention(model.normalize(images(count)), "tokens")
    predicted = output.logits.argmax(1).tolist()
    explanation = vitviz.explain(model, tiny.pixels(seed=77))
    found = lens.probabilities(explanation)
    for layer in (0, 3, tiny.L):
        tokens = output.layer_tokens[layer][:, 1:].double().detach().numpy()  # (B, N, D)
        of_class = {k: [] for k in range(tiny.K)}
        for image, patch in product(range(count), range(tiny.N)):
            of_class[predicted[image]].append(tokens[image, patch])
        covariance = np.zeros((tiny.D, tiny.D))
        for rows in filter(len, of_class.values()):
            for row in rows:
                covariance += np.outer(row - np.mean(rows, 0), row - np.mean(rows, 0)) / (count * tiny.N)
        square = np.mean(tokens**2)
        covariance += RIDGE * (np.trace(covariance) / tiny.D + MIN_VARIANCE * square) * np.eye(tiny.D)
        inverse = np.linalg.inv(covariance)
        own = explanation.context.output.tokens[layer, 0, 1:].double().numpy()
        for patch in (0, 17, tiny.N - 1):
            density = np.zeros(tiny.K)
            for k, rows in of_class.items():
                if rows:
                    away = own[patch] - np.mean(rows, 0)
                    density[k] = len(rows) / (count * tiny.N) * np.exp(-away @ inverse @ away / 2)
            np.testing.assert_allclose(found[layer, patch], density / density.sum(), atol=2e-4)


def test_probabilities_sum_to_one_and_classes_without_images_have_none(model, lens):
    explanation = vitviz.explain(model, tiny.pixels())
    found = lens.probabilities(explanation)
    np.testing.assert_allclose(found.sum(-1), 1, atol=1e-5)
    never = np.isinf(lens.bias[0])
    assert np.flatnonzero(never).tolist() == [tiny.K - 1]
    assert not found[..., never].any()
    best = int(explanation.logits.argmax())
    np.testing.assert_array_equal(lens.maps(explanation).reshape(tiny.L + 1, tiny.N), found[..., best])
    np.testing.assert_array_equal(lens.maps(explanation, 3).reshape(tiny.L + 1, tiny.N), found[..., 3])
    removed = lens.probabilities(explanation.ablate(patches=[4, 9]))
    assert not removed[:, [4, 9]].any()
    np.testing.assert_allclose(removed.sum(-1)[:, [0, 5, 34]], 1, atol=1e-5)


def planted(values: torch.Tensor, noise: float = 0.0) -> torch.Tensor:
    """Return tokens (1, B, N, D) whose first dimension is that of the class, and whose others are noise."""
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randn(1, len(values), tiny.N, tiny.D, generator=generator)
    tokens[..., 0] = values[:, None] + noise * tokens[..., 0]
    return tokens


def discriminants(tokens: torch.Tensor, classes: torch.Tensor, count: int):
    one_hot = torch.nn.functional.one_hot(classes, count).double()
    rows = tokens.double().flatten(1, 2)
    sums = torch.einsum("bk,lbnd->lkd", one_hot, tokens.double())
    return tuned_lens.discriminants(sums, rows.mT @ rows, tiny.N * one_hot.sum(0))


def test_patches_that_carry_the_class_in_one_dimension_are_read():
    classes = torch.arange(90) % 3
    tokens = planted(classes * 2.0, noise=0.1)
    weight, bias = discriminants(tokens, classes, 3)
    assert ((tokens @ weight.mT + bias).argmax(-1) == classes[:, None]).all()
    assert weight[0, :, 0].abs().min(0).values < weight[0, :, 0].abs().max()
    assert (weight[0, 2, 0] - weight[0, 0, 0]).abs() > 50 * (weight[0, 2, 1:] - weight[0, 0, 1:]).abs().max()


def test_tokens_without_information_give_the_frequency_of_the_classes():
    classes = torch.tensor([0] * 60 + [1] * 30 + [2] * 10)
    constant = torch.ones(1, 100, tiny.N, tiny.D)
    weight, bias = discriminants(constant, classes, 4)
    probabilities = (constant @ weight.mT + bias[:, None]).softmax(-1)
    np.testing.assert_allclose(probabilities[0, 7, 3], [0.6, 0.3, 0.1, 0], atol=1e-6)


def test_identical_inputs_give_the_prior_after_every_layer(model):
    lens = tuned_lens.fit(model, images(1).expand(20, -1, -1, -1))
    explanation = vitviz.explain(model, tiny.pixels(seed=0))
    np.testing.assert_allclose(lens.maps(explanation), 1, atol=1e-6)  # of the one class that is predicted
    np.testing.assert_array_equal(lens.accuracy, 1)
    assert np.isnan(lens.localization).all()


def test_the_auroc_of_the_side_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    logits = torch.randn(2, 3, tiny.N, tiny.K, generator=torch.Generator().manual_seed(1))
    logits[1] = logits[1].round()  # ties
    pairs = torch.tensor([[0, 4], [3, 1], [2, 9]])
    column = np.arange(tiny.N) % tiny.GW
    chosen = column != tiny.GW // 2
    expected = np.zeros(2)
    for layer, (image, (left, right)) in product(range(2), enumerate(pairs.tolist())):
        difference = (logits[layer, image, :, left] - logits[layer, image, :, right]).numpy()
        expected[layer] += metrics.roc_auc_score(column[chosen] < tiny.GW // 2, difference[chosen])
    np.testing.assert_allclose(tuned_lens.side_auroc(logits, pairs, (tiny.GH, tiny.GW)), expected, atol=1e-12)


def test_a_class_that_is_on_one_side_is_localized():
    logits = torch.zeros(1, 1, tiny.N, tiny.K)
    logits[..., 2] = (torch.arange(tiny.N) % tiny.GW < 3).float()
    found = [
        tuned_lens.side_auroc(logits, torch.tensor([pair]), (tiny.GH, tiny.GW)) for pair in ([2, 5], [5, 2], [3, 4])
    ]
    assert [float(one) for one in found] == [1, 0, 0.5]


def test_a_lens_is_equal_after_it_was_saved(lens, tmp_path, monkeypatch):
    path = lens.save(tmp_path / "tiny.lens.npz")
    again = TunedLens.load(path)
    for name, value in vars(lens).items():
        np.testing.assert_array_equal(getattr(again, name), value, err_msg=name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.npz").write_bytes(b"words")
    with pytest.raises(ValueError, match=r"A lens must be a file of `TunedLens\.save`: words\.npz is not"):
        TunedLens.load("words.npz")


def test_the_lens_of_another_model_is_refused_by_name(lens):
    other = replace(tiny.checkpoint(seed=1), name="other")
    with pytest.raises(ValueError, match=r"it is of tiny .*, not of other"):
        lens.maps(vitviz.explain(other, tiny.pixels()))


def test_a_lens_is_found_next_to_its_model_and_in_the_cache(lens, tmp_path, monkeypatch):
    monkeypatch.setenv("VITVIZ_CACHE", str(tmp_path / "cache"))
    checkpoints.save(with_many_classes(), tmp_path / "mine.safetensors")
    model = vitviz.load(tmp_path / "mine.safetensors")
    with pytest.raises(ValueError, match="There is no tuned lens of these weights of mine"):
        vitviz.tuned_lens(model)
    path = lens.save(tmp_path / "mine.lens.npz")
    assert np.array_equal(vitviz.tuned_lens(model).weight, lens.weight)
    replace(lens, sha256="0" * 64).save(path)  # of weights that have been replaced
    assert tuned_lens.find_lens(model) is None
    (tmp_path / "cache").mkdir()
    lens.save(stored.cached(model, tuned_lens.ENDING))
    assert np.array_equal(vitviz.tuned_lens(model).bias, lens.bias)


def test_the_library_fits_images_of_any_kind(model, lens):
    found = vitviz.tuned_lens(model, [tiny.pixels(seed=seed) for seed in range(COUNT)])
    np.testing.assert_array_equal(found.weight, lens.weight)
    assert (found.images, found.held_out, found.model) == (48, 12, "tiny")


def test_models_without_classes_and_too_few_images_are_refused(model):
    with pytest.raises(ValueError, match=f"needs {MIN_IMAGES} images"):
        tuned_lens.fit(model, images(MIN_IMAGES - 1))
    with pytest.raises(ValueError, match="predicts none"):
        tuned_lens.check(tiny.checkpoint(replace(tiny.CONFIG, num_classes=0)))
    captured = replace(tiny.checkpoint(), network=tiny.checkpoint().network)
    object.__setattr__(captured, "require_blocks", lambda what: (_ for _ in ()).throw(CapturedModelError(what)))
    with pytest.raises(CapturedModelError):
        tuned_lens.fit(captured, images())
    with pytest.raises(ConfigError, match="lens is not drawn by Python"):
        vitviz.explain(model, tiny.pixels()).figure(lens=True)


def test_the_plain_lens_is_the_head_at_each_patch(model):
    tokens = torch.randn(2, 3, tiny.N, tiny.D, generator=torch.Generator().manual_seed(2))
    found = tuned_lens.plain_logits(model, tokens)
    network = model.network
    torch.testing.assert_close(found[1, 2, 9], network.head(network.norm(tokens[1, 2, 9])))
    pooled = tiny.checkpoint(tiny.VARIANTS["mean of patches"])
    assert tuned_lens.plain_logits(pooled, tokens).isnan().all()
    assert np.isnan(tuned_lens.fit(pooled, images(20)).plain_localization).all()


def test_progress_counts_the_images(model):
    seen = []
    tuned_lens.fit(model, images(), report=lambda done, total: seen.append((done, total)))
    assert {total for _, total in seen} == {COUNT}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[0][0] == 0


def test_the_command_writes_the_file_that_the_library_reads(tmp_path, monkeypatch, capsys):
    checkpoints.save(tiny.checkpoint(), tmp_path / "mine.safetensors")
    pixels = torch.randint(0, 256, (40, 3, 32, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    monkeypatch.setattr(cifar, "load", lambda split, data, dataset="cifar10": (pixels, torch.arange(40) % 10))
    monkeypatch.setattr("sys.argv", ["vitviz", "lens", str(tmp_path / "mine.safetensors"), "--num-images", "30"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "fit on 24 images of CIFAR-10, measured on 6 others" in capsys.readouterr().out
    found = vitviz.tuned_lens(vitviz.load(tmp_path / "mine.safetensors"))
    assert (found.images, found.dataset) == (24, "CIFAR-10")


def test_the_shipped_lens_is_accurate_where_it_does_not_localize():
    model = vitviz.load("cifar10-ti4")
    lens = vitviz.tuned_lens(model)
    assert stored.beside(model, tuned_lens.ENDING)[0].stat().st_size <= 70_000
    assert (np.diff(lens.accuracy) > 0).all()  # more and more accurate
    assert lens.accuracy.argmax() == len(lens.localization) - 1
    assert lens.localization[-1] < lens.localization[:-1].min()  # than the pixels of the patches themselves
    assert lens.localization.max() > 0.9
    assert lens.plain_localization.max() < 0.5  # inverted
    cat = vitviz.explain(model, "cat")
    assert lens.maps(cat, "cat")[4].mean() > lens.maps(cat, "ship")[4].mean()
