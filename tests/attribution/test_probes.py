"""Probes against closed forms and loops written from the formulas."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist
from scipy.special import entr, rel_entr
from scipy.stats import median_abs_deviation

from tests import tiny
from tests.errors import refuses
from tests.tutorials import TUTORIALS, network
from vitviz.attribution import probes
from vitviz.data import cifar
from vitviz.models import attention_stats
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.vit import AttentionOutput

B, GH, GW, N, T, D, A, L, K = tiny.B, tiny.GH, tiny.GW, tiny.N, tiny.T, tiny.D, tiny.A, tiny.L, tiny.K


def forward(variant: str = "plain") -> tuple[torch.nn.Module, AttentionOutput]:
    model = tiny.model(tiny.VARIANTS[variant])
    with torch.no_grad():
        return model, model.forward_with_attention(tiny.images(), "full")


# Filters


def test_components_are_the_eigenvectors_of_the_filters_covariance():
    model = tiny.model()
    components, ratios = probes.patch_filters(model, 100)
    assert components.shape == (min(D, 3 * 4 * 4), 3, 4, 4)
    rows = model.patch_embed.proj.weight.detach().double().flatten(1).numpy()
    values, vectors = np.linalg.eigh(np.cov(rows.T))
    values, vectors = values[::-1][:D], vectors[:, ::-1][:, :D]
    np.testing.assert_allclose(ratios, values / values.sum(), rtol=0, atol=1e-12)
    aligned = np.abs((components.flatten(1).numpy() * vectors.T).sum(1))
    np.testing.assert_allclose(aligned[: D - 1], 1, rtol=0, atol=1e-9)  # the last has no variance after centering
    np.testing.assert_allclose(components.flatten(1).norm(dim=1), 1, rtol=0, atol=1e-12)


def test_the_largest_weight_of_a_component_is_positive():
    model = tiny.model()
    for sign in (1, -1):
        with torch.no_grad():
            model.patch_embed.proj.weight.mul_(sign)
        components = probes.patch_filters(model)[0].flatten(1)
        assert (components.amax(1) == components.abs().amax(1)).all()


def test_a_planted_filter_is_the_first_component():
    model = tiny.model()
    planted = torch.zeros(3, 4, 4)
    planted[1, 2, 3], planted[2, 0, 1] = 0.8, -0.6
    with torch.no_grad():
        strengths = torch.linspace(-1, 1, D)[:, None, None, None]
        model.patch_embed.proj.weight.copy_(strengths * planted + 0.5)  # a constant is removed by centering
    components, ratios = probes.patch_filters(model, 1)
    torch.testing.assert_close(components[0].float(), planted, rtol=0, atol=1e-6)
    assert ratios.tolist() == pytest.approx([1], abs=1e-9)


@pytest.mark.parametrize("name", TUTORIALS)
def test_the_filters_of_a_tutorial_network_reproduce_its_patch_embedding(name):
    model = network(name)
    filters = model.patch_filters()
    assert filters.shape == ((18, 3, 1, 4) if name == "tutorial-scratch" else (18, 3, 2, 2))
    images = tiny.images((12, 20), batch=2)
    height, width = filters.shape[2:]
    expected = torch.einsum("bchw,dchw->bd", images[:, :, :height, :width], filters)
    with torch.no_grad():
        found = (model.patch_embed(model.patchify(images)) - model.patch_embed.bias)[:, 0]
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)


def test_zero_components_are_refused():
    with refuses("components"):
        probes.patch_filters(tiny.model(), 0)


# Positions


@pytest.mark.parametrize("variant", ["plain", "two registers"])
def test_position_similarity_is_the_cosine_of_every_pair(variant):
    model = tiny.model(tiny.VARIANTS[variant])
    found = probes.position_similarity(model)
    assert found.shape == (GH, GW, GH, GW)
    flat = found.reshape(N, N).numpy()
    positions = model.pos_embed[0, model.config.num_prefix_tokens :].detach().double().numpy()
    np.testing.assert_allclose(flat, 1 - cdist(positions, positions, "cosine"), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("architecture", "train_config", "start"),
    [
        ("vit", {"epochs": 1}, "sine-cosine"),
        ("vit", {"epochs": 1, "init_from": "another"}, "unknown"),
        ("vit", None, "unknown"),
        ("tutorial-notebook", {"epochs": 1}, "unstructured"),
    ],
)
def test_the_start_of_the_positions_is_known_of_models_trained_here(architecture, train_config, start):
    model = tiny.model() if architecture == "vit" else network(architecture)
    record = {} if train_config is None else {"train_config": train_config}
    checkpoint = Checkpoint("m", model, (), (0.5,) * 3, (0.5,) * 3, record)
    assert probes.position_start(checkpoint) == start


def test_position_embeddings_of_zero_have_similarity_zero():
    model = tiny.model()
    torch.nn.init.zeros_(model.pos_embed)
    assert not probes.position_similarity(model).any()


# Heads


def test_entropy_and_divergence_equal_a_loop_for_either_kind_of_output():
    trace = tiny.random_output()
    rows = trace.attention[..., 0, :].double().numpy()
    nats, effective = probes.attention_entropy(trace, tiny.CONFIG)
    divergence = probes.head_divergence(trace, tiny.CONFIG)
    assert divergence.shape == (L, A, A)
    for layer in (0, 3, L - 1):
        for head in range(A):
            each = entr(rows[layer, :, head]).sum(-1)
            assert nats[layer, head].item() == pytest.approx(np.mean(each), abs=1e-12)
            assert effective[layer, head].item() == pytest.approx(np.mean(np.exp(each)), abs=1e-9)
        p, q = rows[layer].swapaxes(0, 1)
        expected = (rel_entr(p, (p + q) / 2) + rel_entr(q, (p + q) / 2)).sum(-1).mean() / 2
        assert divergence[layer, 0, 1].item() == pytest.approx(expected, abs=1e-12)
    alone = AttentionOutput(trace.logits, trace.attention[..., 0, :])
    assert torch.equal(probes.head_divergence(alone, tiny.CONFIG), divergence)
    assert torch.equal(probes.attention_entropy(alone, tiny.CONFIG)[0], nats)


def test_heads_diverge_by_zero_when_equal_and_by_ln_2_when_they_share_no_token():
    attention = np.zeros((1, 2, 3, T, T))
    attention[:, :, 0, 0, :4] = attention[:, :, 1, 0, :4] = 0.25
    attention[:, :, 2, 0, 7:9] = 0.5
    expected = math.log(2) * np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]])
    np.testing.assert_allclose(
        probes.head_divergence(tiny.attention_output(attention), tiny.CONFIG)[0], expected, rtol=0, atol=1e-12
    )


# Tokens


def test_a_planted_token_of_large_norm_is_the_only_outlier():
    tokens = np.random.default_rng(0).uniform(1, 1.2, (L + 1, 3, 3 + N, D))
    tokens[2, 1, 3 + 17] *= 4
    tokens[:, :, 0] *= 9  # the class token does not affect the threshold
    norms = probes.token_norms(tiny.attention_output(tokens=tokens))
    np.testing.assert_allclose(norms, np.sqrt((tokens**2).sum(-1)), rtol=0, atol=1e-12)
    found = probes.outliers(norms, prefix=3)
    assert found[..., 3:].nonzero().tolist() == [[2, 1, 17]]
    assert found[..., 0].all()


def test_outliers_exceed_median_plus_k_mad():
    trace = tiny.random_output(prefix=3)
    trace.tokens[:, :, :3] *= 3
    norms = probes.token_norms(trace)
    found = probes.outliers(norms, 3, mads=2.5)
    assert 0 < found[..., 3:].float().mean() < 0.2
    for layer, image in np.ndindex(L + 1, 3):
        lengths = norms[layer, image].numpy()
        limit = np.median(lengths[3:]) + 2.5 * median_abs_deviation(lengths[3:])
        assert found[layer, image].tolist() == (lengths > limit).tolist()


def test_tokens_of_equal_norm_have_no_outlier():
    assert not probes.outliers(torch.full((2, 3, T), 7.0), 1).any()


@pytest.mark.parametrize("variant", tiny.VARIANTS)
def test_the_logit_lens_of_the_last_layer_equals_the_logits(variant):
    model, trace = forward(variant)
    with torch.no_grad():
        lens = probes.logit_lens(model, trace)
        assert lens.shape == (L + 1, B, K)
        torch.testing.assert_close(lens[-1], trace.logits, rtol=0, atol=1e-5)
        early = model.norm(trace.tokens[2])
        read = (
            early[:, 0] if model.config.global_pool == "token" else early[:, model.config.num_prefix_tokens :].mean(1)
        )
        torch.testing.assert_close(lens[2], model.head(read), rtol=0, atol=1e-5)
    assert (lens[2] - trace.logits).abs().max() > 0.1


@pytest.mark.parametrize("variant", ["plain", "two registers"])
def test_class_token_similarity_equals_a_loop(variant):
    config = tiny.VARIANTS[variant]
    trace = tiny.random_output(config.num_prefix_tokens)
    found = probes.class_token_cosine(trace, config)
    assert found.shape == (L + 1, GH, GW)
    tokens = trace.tokens.numpy()
    for layer, r, c in [(0, 0, 0), (3, 4, 2), (L, 1, 6)]:
        each = [(x[0], x[config.num_prefix_tokens + r * GW + c]) for x in tokens[layer]]
        cosines = [u @ v / (np.linalg.norm(u) * np.linalg.norm(v)) for u, v in each]
        assert found[layer, r, c].item() == pytest.approx(np.mean(cosines), abs=1e-12)


# Attention sinks


@pytest.mark.parametrize("variant", ["plain", "everything"])
def test_sinks_equal_a_loop_over_images_and_heads(variant):
    model, trace = forward(variant)
    with torch.no_grad():
        found = probes.attention_sinks(model, trace)
    for layer, head in [(0, 0), (3, 1), (L - 1, 0)]:
        shares, norms = [], []
        for image in range(B):
            received = trace.attention[layer, image, head].mean(0)
            token = int(received.argmax())
            with torch.no_grad():
                values = model.value_vectors(layer, trace.tokens[layer, image : image + 1])[0, head].norm(dim=1)
            shares.append(float(received[token]))
            norms.append(float(values[token] / values.mean()))
        assert found["sink_share"][layer, head].item() == pytest.approx(np.mean(shares), abs=1e-6)
        assert found["sink_norm"][layer, head].item() == pytest.approx(np.mean(norms), abs=1e-5)


def test_a_head_that_attends_to_one_token_is_a_sink():
    model, trace = forward()
    weights = torch.zeros_like(trace.attention)
    weights[..., 7] = 1
    values = probes.attention_sinks(model, AttentionOutput(trace.logits, weights, trace.tokens))
    assert values["sink_share"].flatten().tolist() == pytest.approx([1.0] * (L * A))


def test_cka_equals_the_unbiased_estimate():
    trace = tiny.random_output()
    grams = []
    for layer in trace.tokens.numpy():
        of_layer = [x[1:] @ x[1:].T for x in layer]
        for gram in of_layer:
            np.fill_diagonal(gram, 0)
        grams.append(of_layer)

    def hsic(k: np.ndarray, m: np.ndarray) -> float:  # Nguyen et al. 2021, equation 3
        ones = np.ones(N)
        both = (ones @ k @ ones) * (ones @ m @ ones) / ((N - 1) * (N - 2))
        return (np.trace(k @ m) + both - 2 / (N - 2) * ones @ k @ m @ ones) / (N * (N - 3))

    def mean(a: int, b: int) -> float:
        return np.mean([hsic(k, m) for k, m in zip(grams[a], grams[b], strict=True)])

    products = probes.layer_products(trace, 1)
    found = probes.cka(products)
    for a, b in [(0, 0), (0, 3), (2, L), (5, 1)]:
        assert products[a, b].item() == pytest.approx(mean(a, b), abs=1e-9)
        assert found[a, b].item() == pytest.approx(mean(a, b) / math.sqrt(mean(a, a) * mean(b, b)), abs=1e-9)


def test_cka_is_invariant_to_rotation_shift_and_scale():
    rng = np.random.default_rng(0)
    tokens = rng.standard_normal((3, 2, T, D))
    rotation = np.linalg.qr(rng.standard_normal((D, D)))[0]
    tokens[1] = 7 * tokens[0] @ rotation + 3
    found = probes.cka(probes.layer_products(tiny.attention_output(tokens=tokens), 1)).numpy()
    np.testing.assert_allclose(np.diag(found), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found, found.T, rtol=0, atol=1e-12)
    assert found[0, 1] == pytest.approx(1, abs=1e-9)
    assert abs(found[0, 2]) < 0.2, "independent layers are unrelated"


def test_cka_of_equal_patches_is_zero():
    found = probes.cka(probes.layer_products(tiny.attention_output(tokens=np.ones((2, 1, T, D))), 1))
    assert found.tolist() == [[0, 0], [0, 0]]


def test_cka_of_three_patches_is_refused():
    with pytest.raises(ValueError, match="CKA needs at least 4 patches: this model has 3"):
        probes.layer_products(tiny.attention_output(tokens=np.ones((2, 1, 4, D))), 1)


@pytest.mark.parametrize(
    "measure",
    [
        lambda model, trace: attention_stats.attention_distance(trace, model.config),
        lambda model, trace: probes.token_norms(trace),
        probes.logit_lens,
        lambda model, trace: probes.layer_products(trace, 1),
    ],
    ids=["distance", "norms", "lens", "cka"],
)
def test_an_output_of_class_token_rows_is_refused_where_full_attention_is_needed(measure):
    model = tiny.model()
    with torch.no_grad():
        trace = model.forward_with_attention(tiny.images(), "cls")
    with pytest.raises(
        ValueError, match=r"only the rows of the class token\. Use network\.forward_with_attention\(images, 'full'\)"
    ):
        measure(model, trace)


def test_final_predictions_by_hand():
    lens = np.log([[[0.6, 0.4], [0.5, 0.5]], [[0.9, 0.1], [0.2, 0.8]], [[0.3, 0.7], [0.25, 0.75]]])  # (3, B 2, K 2)
    found = probes.final_predictions(torch.tensor(lens))
    np.testing.assert_allclose(found["final_agreement"], [0, 0.5, 1])
    np.testing.assert_allclose(found["final_probability"], [0.45, 0.45, 0.725])


# All of them


def images(size: tuple[int, int] = (tiny.H, tiny.W), count: int = 5) -> torch.Tensor:
    return torch.stack([torch.from_numpy(tiny.pixels(*size, seed=n)).permute(2, 0, 1) for n in range(count)])


@pytest.mark.parametrize("variant", ["plain", "everything"])
def test_all_probes_have_their_shapes_and_equal_their_functions(variant):
    checkpoint = tiny.checkpoint(tiny.VARIANTS[variant])
    config, tokens = checkpoint.network.config, checkpoint.network.config.num_tokens
    found = probes.probe(checkpoint, images())
    assert {name: value.shape for name, value in found.arrays.items()} == {
        "labels": (K,),
        "filters": (D, 3, 4, 4),
        "explained": (D,),
        "position_similarity": (GH, GW, GH, GW),
        "distance": (L, A),
        "uniform_distance": (),
        "entropy": (L, A),
        "effective_tokens": (L, A),
        "head_divergence": (L, A, A),
        "norms": (L + 1, tokens),
        "longest": (L + 1,),
        "outliers": (L + 1, tokens),
        "lens": (L + 1, 5, K),
        "final_agreement": (L + 1,),
        "final_probability": (L + 1,),
        "class_token_cosine": (L + 1, GH, GW),
        "cka": (L + 1, L + 1),
        "sink_share": (L, A),
        "sink_norm": (L, A),
        "head_shares": (0,),
        "image_specific": (0,),
        "follows_patches": (0,),
        "follows_class_token": (0,),
        "head_images": (),
        "pairs": (),
    }
    with torch.no_grad():
        trace = checkpoint.network.forward_with_attention(checkpoint.normalize(images()), "full")
    norms = probes.token_norms(trace)
    expected = {
        "distance": attention_stats.attention_distance(trace, config),
        "norms": norms.mean(1),
        "longest": norms[..., config.num_prefix_tokens :].amax(-1).mean(1),
        "outliers": probes.outliers(norms, config.num_prefix_tokens).float().mean(1),
        "cka": probes.cka(probes.layer_products(trace, config.num_prefix_tokens)),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(getattr(found, name), values, rtol=1e-5, atol=1e-6, err_msg=name)
    np.testing.assert_allclose(found.lens[-1], trace.logits, rtol=0, atol=1e-5)


def test_batches_of_unequal_size_change_nothing(tiny_checkpoint, monkeypatch):
    whole = probes.probe(tiny_checkpoint, images())
    monkeypatch.setattr(probes, "max_batch_size", lambda config: 2)
    for name, values in probes.probe(tiny_checkpoint, images()).arrays.items():
        if name != "labels":
            np.testing.assert_allclose(values, getattr(whole, name), rtol=1e-4, atol=1e-5, err_msg=name)


def test_the_batch_size_is_limited_by_memory_and_at_least_one():
    assert probes.max_batch_size(ViTConfig()) == 2**25 // (6 * 6 * 65**2 + 7 * 65 * 192)
    assert probes.max_batch_size(ViTConfig(img_size=(504, 504), patch_size=8, depth=12)) == 1


@pytest.mark.parametrize("name", TUTORIALS)
def test_the_tutorial_networks_are_probed(name):
    model = network(name)
    labels = tuple("abcdefg")
    found = probes.probe(Checkpoint(name, model, labels, cifar.MEAN, cifar.STD, {}), images((12, 20)))
    for values in found.arrays.values():
        assert values.dtype.kind == "U" or np.isfinite(values).all()
    assert found.filters.shape[1:] == ((3, 1, 4) if name == "tutorial-scratch" else (3, 2, 2))
    assert found.class_token_cosine.shape == (3, *model.config.grid_size)


@pytest.mark.parametrize(
    "images",
    [images().float(), images()[:, :2], images((tiny.W, tiny.H)), images()[:0], images()[0]],
    ids=["float", "two channels", "transposed", "none", "no batch"],
)
def test_images_of_another_shape_are_refused(tiny_checkpoint, images):
    with pytest.raises(ValueError, match=r"must be uint8 of shape \(B, 3, 20, 28\), at least one: got torch\."):
        probes.probe(tiny_checkpoint, images)


def test_a_model_without_class_token_or_head_has_the_other_probes(tmp_path):
    config = replace(tiny.VARIANTS["no class token"], num_classes=0)
    found = probes.probe(tiny.checkpoint(config), images())
    assert found.class_token_cosine.shape == (0, tiny.GH, tiny.GW)
    assert found.lens.shape == (tiny.L + 1, len(images()), 0)
    assert np.isfinite(found.effective_tokens).all()
    found.save(tmp_path / "probes.svg")
    text = (tmp_path / "probes.svg").read_text()
    assert text.count("This model has no class token.") == 3
    assert "This model has no classification head." in text


def test_a_model_trained_without_labels_has_no_logit_lens(tmp_path):
    checkpoint = replace(tiny.checkpoint(), record={"train_config": {"objective": "mae"}})
    found = probes.probe(checkpoint, images())
    assert found.final_agreement.shape == found.final_probability.shape == (0,)
    found.save(tmp_path / "probes.svg")
    assert "This model was trained without labels." in (tmp_path / "probes.svg").read_text()


def test_models_in_bfloat16_are_probed():
    checkpoint = tiny.checkpoint()
    expected = probes.probe(checkpoint, images())
    checkpoint.network.to(torch.bfloat16)
    found = probes.probe(checkpoint, images())
    np.testing.assert_allclose(found.norms, expected.norms, rtol=0.05)


def test_a_model_whose_attention_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(probes, "available_memory", lambda: 2**20)
    model = tiny.checkpoint(replace(tiny.CONFIG, img_size=(200, 200)))
    with pytest.raises(ValueError, match=r"The probes need \d\.\d GiB for an image in tiny: 0\.0 GiB are free"):
        probes.probe(model, images())


def test_saved_probes_are_read_back(tiny_checkpoint, tmp_path):
    found = probes.probe(tiny_checkpoint, images())
    found.save(tmp_path / "probes.npz", "tiny over five")
    with np.load(tmp_path / "probes.npz") as numbers:
        assert set(numbers) == {*found.arrays, "note", "provenance"}
        assert str(numbers["note"]) == "tiny over five"
        for name in found.arrays:
            assert np.array_equal(numbers[name], getattr(found, name))
    path = found.save(tmp_path / "probes.svg", "tiny over five")
    assert "tiny over five" in path.read_text()
    with pytest.raises(ValueError, match=r"The file must end in .* or \.npz: got 'probes\.gif'"):
        found.save(tmp_path / "probes.gif")
