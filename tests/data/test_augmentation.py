"""Augmentation of a batch: hand values, invariants, and torchvision as a second implementation."""

import numpy as np
import pytest
import torch
from torchvision.transforms.v2 import functional as vision

from vitviz.data import augmentation


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def noise(batch: int, height: int = 12, width: int = 16) -> torch.Tensor:
    """Make images (B, 3, H, W) of uint8 noise."""
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.integers(0, 256, (batch, 3, height, width), dtype=np.uint8))


def crops_and_flips(image: torch.Tensor, padding: int) -> list[torch.Tensor]:
    """Return all crops of the padded image and their flips, made with NumPy."""
    padded = np.pad(image.numpy(), ((0, 0), (padding, padding), (padding, padding)), mode="reflect")
    _, H, W = image.shape
    crops = [padded[:, y : y + H, x : x + W] for y in range(2 * padding + 1) for x in range(2 * padding + 1)]
    return [torch.from_numpy(view.copy()) for crop in crops for view in (crop, crop[:, :, ::-1])]


def test_every_image_is_a_crop_of_the_padded_image_or_its_flip():
    images = noise(60)
    augmented = augmentation.random_crop_and_flip(images, padding=2)
    assert augmented.shape == images.shape
    assert augmented.dtype == torch.uint8
    found = []
    for before, after in zip(images, augmented, strict=True):
        matches = [i for i, variant in enumerate(crops_and_flips(before, 2)) if torch.equal(variant, after)]
        assert len(matches) == 1
        found += matches
    assert len({index // 2 for index in found}) > 15, "of 25 shifts"
    assert 15 < sum(index % 2 for index in found) < 45, "about half of 60 are flipped"


def test_shifts_are_limited_by_the_side():
    images = noise(60, 1, 3)
    augmented = augmentation.random_crop_and_flip(images, padding=4)
    for before, after in zip(images, augmented, strict=True):
        strips = [before[:, 0, columns] for columns in ([0, 1, 2], [1, 0, 1], [2, 1, 0], [1, 2, 1])]
        assert any(torch.equal(strip, after[:, 0]) for strip in strips)


def test_without_padding_images_are_only_flipped():
    images = noise(20)
    augmented = augmentation.random_crop_and_flip(images, padding=0)
    for before, after in zip(images, augmented, strict=True):
        assert torch.equal(after, before) or torch.equal(after, before.flip(2))


def test_normalize_by_hand():
    images = torch.tensor([0, 51, 255], dtype=torch.uint8).view(1, 3, 1, 1)
    found = augmentation.normalize(images, (0.5, 0.4, 0.3), (0.2, 0.25, 0.35))
    assert found.dtype == torch.float32
    assert found.flatten().tolist() == pytest.approx([-2.5, -0.8, 2.0], abs=1e-6)


def test_cutmix_pastes_one_box_and_mixes_the_labels_by_its_area():
    B, H, W = 40, 12, 16
    images = torch.arange(B, dtype=torch.float32).view(B, 1, 1, 1).expand(B, 3, H, W)  # constant, its index
    mixed, targets = augmentation.cutmix(images, torch.eye(B), torch.ones(B, dtype=torch.bool))
    assert targets.sum(1).tolist() == pytest.approx([1] * B)
    boxes = 0
    for number, (image, target) in enumerate(zip(mixed, targets, strict=True)):
        assert torch.equal(image[0], image[1])
        pasted = image[0] != number
        assert target[number].item() == pytest.approx(1 - pasted.float().mean().item(), abs=1e-6)
        if pasted.any():
            boxes += 1
            (other,) = image[0][pasted].unique().tolist()
            assert target[int(other)].item() == pytest.approx(pasted.float().mean().item(), abs=1e-6)
            rows, columns = pasted.any(1).nonzero().flatten(), pasted.any(0).nonzero().flatten()
            assert pasted[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].all(), "one rectangle"
    assert boxes > 30


@pytest.mark.parametrize("mixing", [augmentation.cutmix, augmentation.mixup])
def test_only_masked_images_are_mixed(mixing):
    images, targets = noise(20).float(), torch.eye(20)
    mask = torch.arange(20) % 4 == 0
    mixed, weights = mixing(images, targets, mask)
    assert torch.equal(mixed[~mask], images[~mask])
    assert torch.equal(weights[~mask], targets[~mask])
    assert (mixed[mask] != images[mask]).flatten(1).any(1).sum() >= 3


def test_an_interval_of_the_whole_side_covers_at_least_half_and_an_empty_one_nothing():
    covered = augmentation.random_interval(16, torch.tensor([0.0, 1.0, 1.0, 1.0])).sum(1)
    assert covered[0] == 0
    assert (covered[1:] >= 8).all()


def test_permutations_are_uniform():
    drawn = torch.stack([augmentation.random_permutation(3, torch.device("cpu")) for _ in range(600)])
    found, counts = drawn.unique(dim=0, return_counts=True)
    assert found.tolist() == [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    assert counts.min() > 60, "100 each, on average"


def test_one_hot_by_hand():
    assert augmentation.one_hot(torch.tensor([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(("keep_rate", "count"), [(0.3, 10), (0.5, 18), (0.0, 1)])
def test_kept_patches_are_distinct_and_of_the_right_number(keep_rate, count):
    kept = augmentation.sample_patches(50, 35, keep_rate, torch.device("cpu"))
    assert kept.shape == (50, count)
    assert kept.min() >= 0
    assert kept.max() <= 34
    assert all(len(set(row)) == count for row in kept.tolist())
    assert count == 1 or len({tuple(row) for row in kept.tolist()}) == 50, "drawn per image"


def test_keeping_all_patches_returns_none():
    assert augmentation.sample_patches(50, 35, 1.0, torch.device("cpu")) is None


def test_mixup_blends_with_one_other_image_and_mixes_the_labels_by_its_weight():
    B = 40
    images = torch.arange(B, dtype=torch.float32).view(B, 1, 1, 1).expand(B, 3, 2, 5)  # constant, its index
    mixed, targets = augmentation.mixup(images, torch.eye(B), torch.ones(B, dtype=torch.bool))
    for number, (image, target) in enumerate(zip(mixed, targets, strict=True)):
        assert target.sum().item() == pytest.approx(1, abs=1e-6)
        assert (target > 0).sum() <= 2
        expected = (target * torch.arange(B)).sum().item()  # the index is mixed like the label
        assert image.flatten().tolist() == pytest.approx([expected] * 30, abs=1e-4)
        assert target[number] > 0
    own = targets.diagonal()
    assert own.min() < 0.2
    assert own.max() > 0.8
    assert (targets.argmax(1) != torch.arange(B)).any()


def test_erasing_with_probability_0_changes_nothing():
    images = noise(20).float()
    assert torch.equal(augmentation.random_erasing(images, probability=0.0), images)


def test_erasing_sets_one_box_to_zero_in_a_fraction_of_the_images():
    images = torch.ones(400, 3, 12, 16)
    zero = augmentation.random_erasing(images, probability=0.25) == 0  # (B, 3, H, W)
    erased = zero.flatten(1).any(1)
    assert 60 < erased.sum() < 140
    areas = []
    for box in zero[erased]:
        assert torch.equal(box[0], box[1])
        rows, columns = box[0].any(1).nonzero().flatten(), box[0].any(0).nonzero().flatten()
        assert box[0][rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].all(), "one rectangle"
        areas.append(box[0].float().mean().item())
    assert max(areas) < 0.45
    assert 0.05 < np.mean(areas) < 0.2


def select_op(name: str, batch: int = 1) -> torch.Tensor:
    """Select one operation for all images."""
    return torch.full((batch,), augmentation.OPS.index(name))


TORCHVISION_OPS = [
    ("brightness", lambda image, x: vision.adjust_brightness(image, 1 + 0.9 * x)),
    ("saturation", lambda image, x: vision.adjust_saturation(image, 1 + 0.9 * x)),
    ("contrast", lambda image, x: vision.adjust_contrast(image, 1 + 0.9 * x)),
    ("sharpness", lambda image, x: vision.adjust_sharpness(image, 1 + 0.9 * x)),
    ("posterize", lambda image, x: vision.posterize(image, 8 - round(4 * abs(x)))),
    ("solarize", lambda image, x: vision.solarize(image, 255 - 255 * abs(x))),
    ("autocontrast", lambda image, x: vision.autocontrast(image)),
    ("equalize", lambda image, x: vision.equalize(image)),
]


def test_each_color_operation_equals_that_of_torchvision(subtests):
    for name, expected_op in TORCHVISION_OPS:
        for amount in (-0.7, 0.4, 1.0):
            with subtests.test(name=name, expected_op=expected_op, amount=amount):
                mid_range = noise(2, 30, 40) // 2 + 40
                found = augmentation.COLOR_OPS[name](mid_range.float(), torch.full((2, 1, 1, 1), amount)).clamp(0, 255)
                for before, after in zip(mid_range, found, strict=True):
                    blended = name in ("brightness", "saturation", "contrast", "sharpness")
                    scale = 255 if blended else 1  # torchvision rounds blended uint8 images
                    expected = expected_op(before / scale if blended else before, amount).float() * scale
                    torch.testing.assert_close(after, expected, rtol=0, atol=0.05 if blended else 1.0)


def test_autocontrast_and_equalize_keep_a_constant_image():
    flat = torch.full((1, 3, 4, 5), 77.0)
    for name in ("autocontrast", "equalize"):
        assert torch.equal(augmentation.COLOR_OPS[name](flat, torch.ones(1, 1, 1, 1)), flat)


@pytest.mark.parametrize("amount", [-1.0, 0.5])
@pytest.mark.parametrize(
    ("name", "angle", "shift"),
    [("translate_x", 0, (-0.45, 0)), ("translate_y", 0, (0, -0.45)), ("rotate", -30, (0, 0))],
)
def test_translation_and_rotation_equal_those_of_torchvision(name, angle, shift, amount):
    images = noise(1, 30, 40).float()
    theta = augmentation.affine_matrices(select_op(name), torch.tensor([amount]), 30 / 40)
    found = augmentation.warp(images, theta)
    translate = [40 * amount * shift[0], 30 * amount * shift[1]]
    expected = vision.affine(images, angle * amount, translate, 1.0, [0, 0], vision.InterpolationMode.BILINEAR)
    within = augmentation.warp(torch.full_like(images, 255), theta) > 254.9  # outside, torchvision fills with 0
    assert 0.4 < within.float().mean() < 1
    assert (found[within] - expected[within]).abs().max() < 0.01


def test_a_shear_shifts_each_row_in_proportion_to_its_distance_from_the_center():
    theta = augmentation.affine_matrices(select_op("shear_x"), torch.ones(1), 1.0)
    assert theta[0].flatten().tolist() == pytest.approx([1, 0.3, 0, 0, 1, 0, 0, 0, 1])
    theta = augmentation.affine_matrices(select_op("shear_y"), -torch.ones(1), 1.0)
    assert theta[0].flatten().tolist() == pytest.approx([1, 0, 0, -0.3, 1, 0, 0, 0, 1])
    line = torch.full((1, 1, 21, 60), 128.0)
    line[..., 30] = 255
    found = augmentation.warp(line, augmentation.affine_matrices(select_op("shear_x"), torch.ones(1), 21 / 60))
    assert found[0, 0, 10].argmax() == 30, "the center row is fixed"
    assert found[0, 0, 0].argmax() == 33, "ten rows above it, by three tenths of that"


def test_rand_augment_draws_operations_per_image():
    mid_range = noise(1, 24, 32) // 2 + 40
    images = mid_range.expand(300, -1, -1, -1).contiguous()
    augmented = augmentation.rand_augment(images, num_ops=1, magnitude=0.9)
    assert augmented.dtype == torch.uint8
    assert augmented.shape == images.shape
    different = {image.numpy().tobytes() for image in augmented}
    signless = {"identity", "posterize", "solarize", "autocontrast", "equalize"}
    assert len(different) == len(signless) + 2 * (len(augmentation.OPS) - len(signless))


@pytest.mark.parametrize("batch", [1, 8, 17])
def test_operations_are_equally_likely_at_any_batch_size(batch, monkeypatch):
    for number, name in enumerate(augmentation.COLOR_OPS):
        monkeypatch.setitem(
            augmentation.COLOR_OPS, name, lambda pixels, amount, number=number: torch.full_like(pixels, number)
        )
    images = noise(1, 6, 6).expand(batch, -1, -1, -1) // 2 + 100
    times = 2800 // batch
    augmented = torch.cat([augmentation.rand_augment(images, num_ops=1, magnitude=1.0) for _ in range(times)])
    kept = (augmented == images[0]).flatten(1).all(1)
    counts = [(augmented == number).flatten(1).all(1).sum().item() for number in range(len(augmentation.COLOR_OPS))]
    for count in (kept.sum().item(), *counts):
        assert count == pytest.approx(batch * times / len(augmentation.OPS), rel=0.3), "200 ± 14"


@pytest.mark.parametrize(("height", "width"), [(1, 1), (2, 5), (5, 2)])
def test_tiny_images_are_augmented(height, width):
    images = noise(40, height, width)
    assert augmentation.rand_augment(images, num_ops=2, magnitude=0.9).shape == images.shape


def test_rand_augment_without_operations_changes_nothing():
    images = noise(3)
    assert torch.equal(augmentation.rand_augment(images, num_ops=0, magnitude=1.0), images)
