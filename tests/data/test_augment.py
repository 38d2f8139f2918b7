"""Varying a batch: each picture stays what it was up to the shift, the flip and the box; labels follow the area."""

import numpy as np
import pytest
import torch

from vitviz.data import augment


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def numbered(batch: int, height: int = 12, width: int = 16) -> torch.Tensor:
    """Pictures (B, 3, H, W) of uint8 in which every pixel of every picture is recognisable."""
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.integers(0, 256, (batch, 3, height, width), dtype=np.uint8))


def every_variant(picture: torch.Tensor, reach: int) -> list[torch.Tensor]:
    """All shifted and flipped pictures, by padding with numpy and cropping."""
    padded = np.pad(picture.numpy(), ((0, 0), (reach, reach), (reach, reach)), mode="reflect")
    _, H, W = picture.shape
    crops = [padded[:, y : y + H, x : x + W] for y in range(2 * reach + 1) for x in range(2 * reach + 1)]
    return [torch.from_numpy(view.copy()) for crop in crops for view in (crop, crop[:, :, ::-1])]


def test_every_picture_is_one_of_the_padded_cropped_and_flipped_ones():
    images = numbered(60)
    varied = augment.shift_and_flip(images, reach=2)
    assert varied.shape == images.shape
    assert varied.dtype == torch.uint8
    found = []
    for before, after in zip(images, varied, strict=True):
        matches = [i for i, variant in enumerate(every_variant(before, 2)) if torch.equal(variant, after)]
        assert len(matches) == 1
        found += matches
    assert len({place // 2 for place in found}) > 15, "of 25 shifts"
    assert 15 < sum(place % 2 for place in found) < 45, "about half of 60 are flipped"


def test_no_reach_only_flips():
    images = numbered(20)
    varied = augment.shift_and_flip(images, reach=0)
    for before, after in zip(images, varied, strict=True):
        assert torch.equal(after, before) or torch.equal(after, before.flip(2))


def test_normalise_by_hand():
    images = torch.tensor([0, 51, 255], dtype=torch.uint8).view(1, 3, 1, 1)
    found = augment.normalise(images, (0.5, 0.4, 0.3), (0.2, 0.25, 0.35))
    assert found.dtype == torch.float32
    assert found.flatten().tolist() == pytest.approx([-2.5, -0.8, 2.0], abs=1e-6)


def test_cutmix_pastes_one_box_and_mixes_the_labels_by_its_area():
    B, H, W = 40, 12, 16
    images = torch.arange(B, dtype=torch.float32).view(B, 1, 1, 1).expand(B, 3, H, W)  # each picture is its own number
    mixed, targets = augment.cutmix(images, torch.eye(B), share=1.0)
    assert targets.sum(1).tolist() == pytest.approx([1] * B)
    boxes = 0
    for number, (picture, target) in enumerate(zip(mixed, targets, strict=True)):
        assert torch.equal(picture[0], picture[1])
        strange = picture[0] != number
        assert target[number].item() == pytest.approx(1 - strange.float().mean().item(), abs=1e-6)
        if strange.any():
            boxes += 1
            (other,) = picture[0][strange].unique().tolist()
            assert target[int(other)].item() == pytest.approx(strange.float().mean().item(), abs=1e-6)
            rows, columns = strange.any(1).nonzero().flatten(), strange.any(0).nonzero().flatten()
            assert strange[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].all(), "one rectangle"
    assert boxes > 30


def test_cutmix_of_no_share_changes_nothing():
    images, targets = numbered(20), torch.eye(20)
    mixed, weights = augment.cutmix(images, targets, share=0.0)
    assert torch.equal(mixed, images)
    assert torch.equal(weights, targets)


def test_cutmix_leaves_about_the_other_share_alone():
    images = torch.arange(400.0).view(400, 1, 1, 1).expand(400, 1, 8, 8)
    mixed, _ = augment.cutmix(images, torch.eye(400), share=0.25)
    changed = (mixed != images).flatten(1).any(1).float().mean().item()
    assert 0.15 < changed < 0.3


def test_an_interval_of_the_whole_side_covers_at_least_half_and_none_covers_nothing():
    covered = augment.inside(16, torch.tensor([0.0, 1.0, 1.0, 1.0])).sum(1)
    assert covered[0] == 0
    assert (covered[1:] >= 8).all()


def test_one_hot_by_hand():
    assert augment.one_hot(torch.tensor([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(("share", "count"), [(0.3, 10), (0.5, 18), (0.0, 1)])
def test_kept_patches_are_so_many_and_none_twice(share, count):
    kept = augment.keep_patches(50, 35, share, torch.device("cpu"))
    assert kept.shape == (50, count)
    assert kept.min() >= 0
    assert kept.max() <= 34
    assert all(len(set(row)) == count for row in kept.tolist())
    assert count == 1 or len({tuple(row) for row in kept.tolist()}) == 50, "each picture has its own"


def test_keeping_all_patches_is_said_by_none():
    assert augment.keep_patches(50, 35, 1.0, torch.device("cpu")) is None
