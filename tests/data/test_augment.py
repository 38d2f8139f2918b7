"""Varying a batch: each image stays what it was up to the shift, the flip and the box; labels follow the area."""

import numpy as np
import pytest
import torch
from torchvision.transforms.v2 import functional as vision

from vitviz.data import augmentation


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def numbered(batch: int, height: int = 12, width: int = 16) -> torch.Tensor:
    """Images (B, 3, H, W) of uint8 in which every pixel of every image is recognisable."""
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.integers(0, 256, (batch, 3, height, width), dtype=np.uint8))


def every_variant(image: torch.Tensor, reach: int) -> list[torch.Tensor]:
    """All shifted_index and flipped images, by padding with numpy and cropping."""
    padded = np.pad(image.numpy(), ((0, 0), (reach, reach), (reach, reach)), mode="reflect")
    _, H, W = image.shape
    crops = [padded[:, y : y + H, x : x + W] for y in range(2 * reach + 1) for x in range(2 * reach + 1)]
    return [torch.from_numpy(view.copy()) for crop in crops for view in (crop, crop[:, :, ::-1])]


def test_every_image_is_one_of_the_padded_cropped_and_flipped_ones():
    images = numbered(60)
    varied = augmentation.shift_and_flip(images, reach=2)
    assert varied.shape == images.shape
    assert varied.dtype == torch.uint8
    found = []
    for before, after in zip(images, varied, strict=True):
        matches = [i for i, variant in enumerate(every_variant(before, 2)) if torch.equal(variant, after)]
        assert len(matches) == 1
        found += matches
    assert len({place // 2 for place in found}) > 15, "of 25 shifts"
    assert 15 < sum(place % 2 for place in found) < 45, "about half of 60 are flipped"


def test_a_side_is_shifted_no_further_than_it_can_be_mirrored():
    images = numbered(60, 1, 3)
    varied = augmentation.shift_and_flip(images, reach=4)
    for before, after in zip(images, varied, strict=True):
        strips = [before[:, 0, columns] for columns in ([0, 1, 2], [1, 0, 1], [2, 1, 0], [1, 2, 1])]
        assert any(torch.equal(strip, after[:, 0]) for strip in strips)


def test_no_reach_only_flips():
    images = numbered(20)
    varied = augmentation.shift_and_flip(images, reach=0)
    for before, after in zip(images, varied, strict=True):
        assert torch.equal(after, before) or torch.equal(after, before.flip(2))


def test_normalise_by_hand():
    images = torch.tensor([0, 51, 255], dtype=torch.uint8).view(1, 3, 1, 1)
    found = augmentation.normalize(images, (0.5, 0.4, 0.3), (0.2, 0.25, 0.35))
    assert found.dtype == torch.float32
    assert found.flatten().tolist() == pytest.approx([-2.5, -0.8, 2.0], abs=1e-6)


def test_cutmix_pastes_one_box_and_mixes_the_labels_by_its_area():
    B, H, W = 40, 12, 16
    images = torch.arange(B, dtype=torch.float32).view(B, 1, 1, 1).expand(B, 3, H, W)  # each image is its own number
    mixed, targets = augmentation.cutmix(images, torch.eye(B), torch.ones(B, dtype=torch.bool))
    assert targets.sum(1).tolist() == pytest.approx([1] * B)
    boxes = 0
    for number, (image, target) in enumerate(zip(mixed, targets, strict=True)):
        assert torch.equal(image[0], image[1])
        strange = image[0] != number
        assert target[number].item() == pytest.approx(1 - strange.float().mean().item(), abs=1e-6)
        if strange.any():
            boxes += 1
            (other,) = image[0][strange].unique().tolist()
            assert target[int(other)].item() == pytest.approx(strange.float().mean().item(), abs=1e-6)
            rows, columns = strange.any(1).nonzero().flatten(), strange.any(0).nonzero().flatten()
            assert strange[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].all(), "one rectangle"
    assert boxes > 30


@pytest.mark.parametrize("mixing", [augmentation.cutmix, augmentation.mixup])
def test_only_the_chosen_images_are_mixed(mixing):
    images, targets = numbered(20).float(), torch.eye(20)
    chosen = torch.arange(20) % 4 == 0
    mixed, weights = mixing(images, targets, chosen)
    assert torch.equal(mixed[~chosen], images[~chosen])
    assert torch.equal(weights[~chosen], targets[~chosen])
    assert (mixed[chosen] != images[chosen]).flatten(1).any(1).sum() >= 3


def test_an_interval_of_the_whole_side_covers_at_least_half_and_none_covers_nothing():
    covered = augmentation.inside(16, torch.tensor([0.0, 1.0, 1.0, 1.0])).sum(1)
    assert covered[0] == 0
    assert (covered[1:] >= 8).all()


def test_an_order_has_each_place_once_and_any_place_anywhere():
    drawn = torch.stack([augmentation.permutation(3, torch.device("cpu")) for _ in range(600)])
    found, counts = drawn.unique(dim=0, return_counts=True)
    assert found.tolist() == [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    assert counts.min() > 60, "100 each, on average"


def test_one_hot_by_hand():
    assert augmentation.one_hot(torch.tensor([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(("share", "count"), [(0.3, 10), (0.5, 18), (0.0, 1)])
def test_kept_patches_are_so_many_and_none_twice(share, count):
    kept = augmentation.keep_patches(50, 35, share, torch.device("cpu"))
    assert kept.shape == (50, count)
    assert kept.min() >= 0
    assert kept.max() <= 34
    assert all(len(set(row)) == count for row in kept.tolist())
    assert count == 1 or len({tuple(row) for row in kept.tolist()}) == 50, "each image has its own"


def test_keeping_all_patches_is_said_by_none():
    assert augmentation.keep_patches(50, 35, 1.0, torch.device("cpu")) is None


def test_mixup_fades_one_other_image_in_and_mixes_the_labels_by_its_weight():
    B = 40
    images = torch.arange(B, dtype=torch.float32).view(B, 1, 1, 1).expand(B, 3, 2, 5)  # each image is its own number
    mixed, targets = augmentation.mixup(images, torch.eye(B), torch.ones(B, dtype=torch.bool))
    for number, (image, target) in enumerate(zip(mixed, targets, strict=True)):
        assert target.sum().item() == pytest.approx(1, abs=1e-6)
        assert (target > 0).sum() <= 2
        expected = (target * torch.arange(B)).sum().item()  # the image's number is mixed like its label
        assert image.flatten().tolist() == pytest.approx([expected] * 30, abs=1e-4)
        assert target[number] > 0
    own = targets.diagonal()
    assert own.min() < 0.2
    assert own.max() > 0.8
    assert (targets.argmax(1) != torch.arange(B)).any()


def test_erase_of_no_share_changes_nothing():
    images = numbered(20).float()
    assert torch.equal(augmentation.erase(images, share=0.0), images)


def test_erase_blanks_one_box_in_its_share_of_the_images():
    images = torch.ones(400, 3, 12, 16)
    blank = augmentation.erase(images, share=0.25) == 0  # (B, 3, H, W)
    erased = blank.flatten(1).any(1)
    assert 60 < erased.sum() < 140
    areas = []
    for box in blank[erased]:
        assert torch.equal(box[0], box[1])
        rows, columns = box[0].any(1).nonzero().flatten(), box[0].any(0).nonzero().flatten()
        assert box[0][rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].all(), "one rectangle"
        areas.append(box[0].float().mean().item())
    assert max(areas) < 0.45
    assert 0.05 < np.mean(areas) < 0.2


def chosen(name: str, batch: int = 1) -> torch.Tensor:
    """The choice of one operation for all images."""
    return torch.full((batch,), augmentation.OPERATIONS.index(name))


@pytest.mark.parametrize("amount", [-0.7, 0.4, 1.0])
@pytest.mark.parametrize(
    ("name", "second_opinion"),
    [
        ("brightness", lambda image, x: vision.adjust_brightness(image, 1 + 0.9 * x)),
        ("saturation", lambda image, x: vision.adjust_saturation(image, 1 + 0.9 * x)),
        ("contrast", lambda image, x: vision.adjust_contrast(image, 1 + 0.9 * x)),
        ("sharpness", lambda image, x: vision.adjust_sharpness(image, 1 + 0.9 * x)),
        ("posterize", lambda image, x: vision.posterize(image, 8 - round(4 * abs(x)))),
        ("solarise", lambda image, x: vision.solarize(image, 255 - 255 * abs(x))),
        ("autocontrast", lambda image, x: vision.autocontrast(image)),
        ("equalize", lambda image, x: vision.equalize(image)),
    ],
)
def test_each_colour_operation_is_that_of_torchvision(name, second_opinion, amount):
    dull = numbered(2, 30, 40) // 2 + 40
    found = augmentation.COLOURS[name](dull.float(), torch.full((2, 1, 1, 1), amount)).clamp(0, 255)
    for before, after in zip(dull, found, strict=True):
        blended = name in ("brightness", "saturation", "contrast", "sharpness")
        scale = 255 if blended else 1  # of whole levels, torchvision would round what it blends
        expected = second_opinion(before / scale if blended else before, amount).float() * scale
        torch.testing.assert_close(after, expected, rtol=0, atol=0.05 if blended else 1.0)


def test_a_image_of_one_level_stays_as_it_is_where_levels_are_spread():
    flat = torch.full((1, 3, 4, 5), 77.0)
    for name in ("autocontrast", "equalize"):
        assert torch.equal(augmentation.COLOURS[name](flat, torch.ones(1, 1, 1, 1)), flat)


@pytest.mark.parametrize("amount", [-1.0, 0.5])
@pytest.mark.parametrize(
    ("name", "angle", "shift"), [("shift_x", 0, (-0.45, 0)), ("shift_y", 0, (0, -0.45)), ("rotate", -30, (0, 0))]
)
def test_shift_and_rotation_are_those_of_torchvision(name, angle, shift, amount):
    images = numbered(1, 30, 40).float()
    place = augmentation.move(chosen(name), torch.tensor([amount]), 30 / 40)
    found = augmentation.resample(images, place)
    translate = [40 * amount * shift[0], 30 * amount * shift[1]]
    expected = vision.affine(images, angle * amount, translate, 1.0, [0, 0], vision.InterpolationMode.BILINEAR)
    within = (
        augmentation.resample(torch.full_like(images, 255), place) > 254.9
    )  # what comes in from outside is ours to paint
    assert 0.4 < within.float().mean() < 1
    assert (found[within] - expected[within]).abs().max() < 0.01


def test_a_shear_moves_each_row_in_proportion_to_its_height():
    place = augmentation.move(chosen("shear_x"), torch.ones(1), 1.0)
    assert place[0].flatten().tolist() == pytest.approx([1, 0.3, 0, 0, 1, 0, 0, 0, 1])
    place = augmentation.move(chosen("shear_y"), -torch.ones(1), 1.0)
    assert place[0].flatten().tolist() == pytest.approx([1, 0, 0, -0.3, 1, 0, 0, 0, 1])
    line = torch.full((1, 1, 21, 60), 128.0)
    line[..., 30] = 255
    found = augmentation.resample(line, augmentation.move(chosen("shear_x"), torch.ones(1), 21 / 60))
    assert found[0, 0, 10].argmax() == 30, "the middle stays"
    assert found[0, 0, 0].argmax() == 33, "ten rows above it, by three tenths of that"


def test_rand_augment_draws_for_each_image_by_itself():
    dull = numbered(1, 24, 32) // 2 + 40
    images = dull.expand(300, -1, -1, -1).contiguous()
    varied = augmentation.rand_augment(images, operations=1, strength=0.9)
    assert varied.dtype == torch.uint8
    assert varied.shape == images.shape
    different = {image.numpy().tobytes() for image in varied}
    signless = {"identity", "posterize", "solarise", "autocontrast", "equalize"}
    assert len(different) == len(signless) + 2 * (len(augmentation.OPERATIONS) - len(signless))


@pytest.mark.parametrize("batch", [1, 8, 17])
def test_each_operation_is_as_likely_in_a_batch_of_any_size(batch, monkeypatch):
    for number, name in enumerate(augmentation.COLOURS):
        monkeypatch.setitem(
            augmentation.COLOURS, name, lambda pixels, amount, number=number: torch.full_like(pixels, number)
        )
    images = numbered(1, 6, 6).expand(batch, -1, -1, -1) // 2 + 100
    times = 2800 // batch
    varied = torch.cat([augmentation.rand_augment(images, operations=1, strength=1.0) for _ in range(times)])
    kept = (varied == images[0]).flatten(1).all(1)
    counts = [(varied == number).flatten(1).all(1).sum().item() for number in range(len(augmentation.COLOURS))]
    for count in (kept.sum().item(), *counts):
        assert count == pytest.approx(batch * times / len(augmentation.OPERATIONS), rel=0.3), "200, give or take 14"


@pytest.mark.parametrize(("height", "width"), [(1, 1), (2, 5), (5, 2)])
def test_a_tiny_image_is_varied_too(height, width):
    images = numbered(40, height, width)
    assert augmentation.rand_augment(images, operations=2, strength=0.9).shape == images.shape


def test_rand_augment_of_no_operations_changes_nothing():
    images = numbered(3)
    assert torch.equal(augmentation.rand_augment(images, operations=0, strength=1.0), images)
