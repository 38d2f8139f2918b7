"""The causal checks of what heads look for: true scores change nothing, replaced ones as explicit hooks say."""

import numpy as np
import pytest
import torch

from benchmarks import heads
from tests import tiny
from vitviz.attribution.head_factors import head_factors
from vitviz.models.checkpoint import save

HEADS = [(0, 0), (0, 1), (2, 1)]


def images(count: int = 6) -> torch.Tensor:
    return torch.stack([torch.from_numpy(tiny.pixels(seed=seed)).permute(2, 0, 1) for seed in range(count)])


def logits(scores, chosen=HEADS, checkpoint=None):
    checkpoint = checkpoint or tiny.checkpoint()
    with torch.no_grad():
        return heads.run(checkpoint, checkpoint.normalize(images()), chosen, scores)


def test_true_scores_change_nothing_and_uniform_ones_do():
    checkpoint = tiny.checkpoint()
    with torch.no_grad():
        whole = checkpoint.network(checkpoint.normalize(images()))
    torch.testing.assert_close(logits(lambda q, k, layer, head: q @ k.mT), whole, atol=1e-5, rtol=0)
    kinds = heads.replacements(head_factors(checkpoint, images()))
    torch.testing.assert_close(logits(kinds["uniform"], []), whole, atol=1e-5, rtol=0)
    for kind in kinds.values():
        assert (logits(kind) - whole).abs().max() > 1e-3


def test_the_parts_sum_to_the_scores_but_for_the_mean_query():
    checkpoint = tiny.checkpoint()
    factors = head_factors(checkpoint, images())
    kinds = heads.replacements(factors)
    with torch.no_grad():
        tokens = checkpoint.network.embed_images(checkpoint.normalize(images()))
        q, k = (x[:, 1, 1:] for x in checkpoint.network.queries_and_keys(0, tokens))
    own = q - torch.from_numpy(factors.query_mean[0, 1])
    place, position = torch.from_numpy(factors.query_position[0, 1]), torch.from_numpy(factors.key_position[0, 1])
    content = k - k.mean(1, keepdim=True) - position
    mixed = place @ content.mT + (own - place) @ position.mT
    parts = kinds["position only"](q, k, 0, 1) + kinds["content only"](q, k, 0, 1) + mixed
    torch.testing.assert_close(parts, own @ (k - k.mean(1, keepdim=True)).mT, atol=1e-5, rtol=0)


def test_ranks_and_divergence_by_hand():
    assert heads.spearman([3, 1, 2], [30, 10, 20]) == pytest.approx(1)
    assert heads.spearman([3, 1, 2], [10, 30, 20]) == pytest.approx(-1)
    whole, changed = torch.tensor([[0.0, 0.0]]), torch.tensor([[np.log(3.0), 0.0]])
    assert heads.divergence(whole, whole) == 0
    assert heads.divergence(whole, changed) == pytest.approx(0.5 * np.log(0.5 / 0.75) + 0.5 * np.log(0.5 / 0.25))


@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_the_table_has_a_row_for_each_replacement(tmp_path, cifar_folder, cifar_config, monkeypatch, capsys):
    monkeypatch.setattr(heads, "MEANS", 6)
    save(tiny.checkpoint(cifar_config), tmp_path / "small.safetensors")
    heads.heads(str(tmp_path / "small.safetensors"), str(cifar_folder), 4)
    text = capsys.readouterr().out
    for name in ("nothing", "mean query", "position only", "content only", "uniform", "Rank correlation"):
        assert name in text
