"""Ablated heads and removed patches, against weights set to zero and against changed images."""

import numpy as np
import pytest
import torch

from tests import tiny
from vitviz.attribution.ablation import ablate, mean_head_outputs

L, A, N, D = tiny.L, tiny.A, tiny.N, tiny.D
d = D // A


def test_an_empty_ablation_changes_nothing():
    subject = tiny.context()
    assert ablate(subject).logits.tolist() == pytest.approx(subject.logits.tolist(), abs=1e-5)


@pytest.mark.parametrize("variant", ["plain", "everything"])
def test_an_ablated_head_equals_a_zero_output_projection(variant):
    subject, other = tiny.context(variant), tiny.context(variant)
    with torch.no_grad():
        other.model.blocks[1].attn.proj.weight[:, d:] = 0
        other.model.blocks[4].attn.proj.weight[:, :d] = 0
    found = ablate(subject, [(1, 1), (4, 0)]).logits
    assert found.tolist() == pytest.approx(other.logits.tolist(), abs=1e-4)
    assert abs(found - subject.logits).max() > 1e-2


def test_mean_ablation_replaces_the_output_by_its_mean():
    subject = tiny.context()
    images = torch.randint(
        0, 256, (5, 3, tiny.H, tiny.W), dtype=torch.uint8, generator=torch.Generator().manual_seed(0)
    )
    head_means = mean_head_outputs(subject.checkpoint, images)
    assert head_means.shape == (L, A, d)
    with pytest.raises(ValueError, match=r"head_means must have the shape \(L, A, d\) \(6, 2, 9\): it has \(2, 9\)"):
        ablate(subject, [(2, 1)], head_means=head_means[0])
    trace = subject.model.forward_with_attention(subject.checkpoint.normalize(images), "full")
    block = subject.model.blocks[2]
    expected = torch.zeros(d)
    for image in range(5):
        values = block.attn.value_vectors(block.norm1(trace.tokens[2, image][None]))[0, 1]  # (T, d)
        for query in range(tiny.T):
            expected += trace.attention[2, image, 1, query] @ values / (5 * tiny.T)
    torch.testing.assert_close(head_means[2, 1], expected.detach(), rtol=0, atol=1e-4)
    zeroed, averaged = (ablate(subject, [(2, 1)], head_means=means).logits for means in (None, head_means))
    assert abs(zeroed - averaged).max() > 1e-3


def test_patches_are_dropped_or_painted_gray():
    subject = tiny.context()
    gone = [0, 9, 34]
    keep = torch.tensor([[patch for patch in range(N) if patch not in gone]])
    with torch.no_grad():
        expected = subject.model(subject.image[None], keep)[0]
    assert ablate(subject, patches=gone).logits.tolist() == pytest.approx(expected.tolist(), abs=1e-5)
    gray = subject.image.clone()
    for patch in gone:
        row, column = 4 * (patch // tiny.GW), 4 * (patch % tiny.GW)
        gray[:, row : row + 4, column : column + 4] = 0
    with torch.no_grad():
        expected = subject.model(gray[None])[0]
    assert ablate(subject, patches=gone, patch_mode="gray").logits.tolist() == pytest.approx(
        expected.tolist(), abs=1e-5
    )


@pytest.mark.parametrize(
    ("heads", "patches", "sentence"),
    [
        ([(L, 0)], [], r"A head must be layer 0 to 5 and head 0 to 1: got \[\(6, 0\)\]"),
        ([(0, -1)], [], r"A head must be layer 0 to 5"),
        ([(layer, head) for layer in range(L) for head in range(A)], [], "Not all heads can be ablated"),
        ([], [N], r"A patch must be from 0 to 34: got \[35\]"),
        ([], range(N), "Not all patches can be removed"),
    ],
)
def test_invalid_heads_and_patches_are_refused(heads, patches, sentence):
    with pytest.raises(ValueError, match=sentence):
        ablate(tiny.context(), heads, patches)


def test_heads_and_patches_may_be_lists_or_arrays_of_integers():
    subject = tiny.context()
    found = ablate(subject, [[0, 1]], np.array([2, 3]))
    np.testing.assert_array_equal(found.logits, ablate(subject, [(0, 1)], [2, 3]).logits)
    for heads, patches in (([0], ()), ([(0, 1.5)], ()), ((), [1.5])):
        with pytest.raises(ValueError, match="heads must be pairs"):
            ablate(subject, heads, patches)


def test_an_unknown_patch_mode_is_refused():
    with pytest.raises(ValueError, match="patch_mode must be"):
        ablate(tiny.context(), patches=[0], patch_mode="black")


def test_attention_of_removed_patches_is_zero_and_of_ablated_heads_nan():
    subject = tiny.context("two registers")
    gone, prefix = [3, 20], 3
    keep = torch.tensor([[patch for patch in range(N) if patch not in gone]])
    with torch.no_grad():
        trace = subject.model.forward_with_attention(subject.image[None], "full", keep)
    found = ablate(subject, [(1, 0)], gone).attention
    assert np.isnan(found[1, 0]).all()
    left = [token for token in range(prefix + N) if token - prefix not in gone]
    np.testing.assert_allclose(found[0][:, left][..., left], trace.attention[0, 0], rtol=0, atol=1e-6)
    for patch in gone:
        assert not found[0, :, prefix + patch].any()
        assert not found[0, ..., prefix + patch].any()
    sums = found[2, :, left].sum(-1)
    np.testing.assert_allclose(sums, 1, rtol=0, atol=1e-5)
