"""The recipe: what is refused, and where a run goes."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from vitviz.training.config import TrainConfig, apply_overrides, from_json
from vitviz.training.presets import PRESETS, preset


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"epochs": 3}, r"Give one of epochs and minutes: got 3 epochs and 88 minutes\. The other must be None\."),
        ({"preset": 5}, "preset must be the name of a recipe: got 5"),
        (
            {"model": {"depth": 2}},
            r"model must be a ViTConfig: got {'depth': 2}\. Use for example ViTConfig\(depth=4\)",
        ),
        ({"model": None}, "model must be a ViTConfig: got None"),
        ({"minutes": None}, r"Give one of epochs and minutes: got None epochs and None minutes"),
        ({"minutes": 0}, "minutes must be a number above 0 and below 1,000,000,000: got 0"),
        ({"minutes": float("inf")}, "minutes must be a number above 0 and below 1,000,000,000: got inf"),
        ({"minutes": float("nan")}, "minutes must be a number above 0 and below 1,000,000,000: got nan"),
        ({"minutes": None, "epochs": -1}, "epochs must be a number above 0 and below 1,000,000,000: got -1"),
        ({"muon_lr": 0}, "muon_lr must be a number above 0 and below 1,000,000,000: got 0"),
        ({"lr": -1e-3}, "lr must be a number above 0"),
        ({"muon_lr": 1e50}, r"muon_lr must be .* above 0 and below 1,000,000,000: got 1e\+50"),
        ({"weight_decay": 1e50}, r"weight_decay must be .* below 1,000,000,000: got 1e\+50"),
        ({"grad_clip_norm": 0}, "grad_clip_norm must be a number above 0"),
        ({"grad_clip_norm": None}, "grad_clip_norm must be a number above 0 and below 1,000,000,000: got None"),
        ({"batch_size": None}, "batch_size must be an integer from 2 to 65536: got None"),
        ({"checkpoint_every_epochs": None}, "checkpoint_every_epochs must be an integer from 1 to 10000: got None"),
        ({"batch_size": 1}, "batch_size must be an integer from 2 to 65536: got 1"),
        ({"max_train_samples": 0}, "max_train_samples must be an integer from 2 to 50000: got 0"),
        ({"max_train_samples": 50_001}, "max_train_samples must be an integer from 2 to 50000: got 50001"),
        ({"num_snapshots": -1}, "num_snapshots must be an integer from 0 to 1000: got -1"),
        ({"batch_size": 32.5}, r"batch_size must be an integer from 2 to 65536: got 32\.5"),
        ({"batch_size": 300, "max_train_samples": 200}, "at most the number of training images: 300 is above 200"),
        ({"val_size": 25_001}, "val_size must be an integer from 0 to 25000"),
        ({"weight_decay": -0.1}, r"weight_decay must be from 0 to below 1,000,000,000: got -0\.1"),
        ({"lr": True}, "lr must be a number above 0 and below 1,000,000,000: got True"),
        ({"cutmix_prob": True}, "cutmix_prob must be a number from 0 to 1: got True"),
        ({"compile": "False"}, "compile must be true or false: got 'False'"),
        ({"minutes": 10**400}, "minutes must be a number above 0 and below 1,000,000,000: got 1000"),
        ({"muon_lr": "fast"}, "muon_lr must be a number above 0 and below 1,000,000,000: got 'fast'"),
        ({"cutmix_prob": "some"}, "cutmix_prob must be a number from 0 to 1: got 'some'"),
        (
            {"cutmix_prob": 0.6, "mixup_prob": 0.5},
            r"cutmix_prob and mixup are shares .* together at most 1: got 0\.6 and 0\.5",
        ),
        ({"warmup_fraction": 1}, "warmup_fraction must be below 1"),
        ({"optimizer": "sgd"}, "optimizer must be one of muon, adamw, adam: got 'sgd'"),
        ({"lr_schedule": "step"}, "lr_schedule must be one of line, cosine, constant: got 'step'"),
        ({"objective": "dream"}, "objective must be one of classify, masked-patch: got 'dream'"),
        ({"seed": 1.5}, r"seed must be an integer, at most 1,000,000,000 in size: got 1\.5"),
        ({"cutmix_prob": 1.1}, r"cutmix_prob must be a number from 0 to 1: got 1\.1"),
        ({"ema_decay": float("nan")}, "ema_decay must be a number from 0 to 1: got nan"),
        ({"patch_keep_start": -0.1}, "patch_keep_start must be a number from 0 to 1"),
        ({"teacher": 2024}, "teacher must be the name or the path of a checkpoint: got 2024"),
        ({"init_from": True}, "init_from must be the name or the path of a checkpoint: got True"),
        ({"device": "tpu"}, "device must be one of auto, cuda, cpu: got 'tpu'"),
    ],
)
def test_numbers_out_of_range_are_refused_with_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        TrainConfig(**changes)


def test_every_preset_carries_its_own_name_and_can_be_written_as_json():
    for name, config in PRESETS.items():
        assert preset(name) is config
        assert config.preset == name
        assert json.loads(json.dumps(asdict(config)))["model"]["patch_size"] == config.model.patch_size


def test_an_unknown_preset_is_refused_and_the_known_ones_named():
    with pytest.raises(ValueError, match=r"There is no preset 'vit-g'\. Use one of: cifar10-ti4"):
        preset("vit-g")


def test_a_folder_may_be_a_path_and_held_out_images_are_not_those_to_train_on():
    config = TrainConfig(data=Path("images"), output_dir=Path("runs") / "x", max_train_samples=5000, val_size=5000)
    assert (config.data, config.output_dir) == ("max_train_samples", "runs/x")
    with pytest.raises(ValueError, match="batch_size must be at most the number of training images: 256 is above 40"):
        TrainConfig(max_train_samples=40, val_size=5000)


def test_a_run_goes_where_it_is_told_or_by_its_preset():
    assert TrainConfig(preset="cifar10-ti4").folder == Path("runs/cifar10-ti4")
    assert TrainConfig(output_dir="elsewhere/run").folder == Path("elsewhere/run")


def test_masked_patches_need_the_plain_network():
    with pytest.raises(ValueError, match="The objective masked-patch needs the plain vit: got tutorial-scratch"):
        TrainConfig(objective="masked-patch", model=preset("tutorial-scratch").model)


def test_settings_change_the_recipe_and_the_network():
    config = changed(
        preset("cifar10-ti4"), ["cutmix_prob=0.25", "model.depth=3", "optimizer=adamw", "model.init_values=0.1"]
    )
    assert (config.cutmix_prob, config.optimizer) == (0.25, "adamw")
    assert (config.model.depth, config.model.init_values) == (3, 0.1)
    assert apply_overrides(config, []) == config
    assert apply_overrides(config, ["epochs=2"]).minutes is None


@pytest.mark.parametrize(
    "setting",
    ["cutmix", "cutmix_prob=", "depth=3", "model.cutmix=1", "preset=x", "model=1", "=3", "model.num_classes=7"],
)
def test_a_setting_without_a_known_name_or_a_value_is_refused(setting):
    with pytest.raises(ValueError, match=rf"A setting is NAME=VALUE with a known name: got '{setting}'"):
        apply_overrides(TrainConfig(), [setting])


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("batch_size=many", "batch_size must be an integer from 2 to 65536: got 'many'"),
        ("model.num_heads=5", "heads must divide width: 192 is not a multiple of 5"),
        ("model.patch_size=5", "patch_size must divide the image side: 32 is not a multiple of 5"),
        ("epochs=0", "epochs must be a number above 0 and below 1,000,000,000: got 0"),
        ("muon_lr=-1", "muon_lr must be a number above 0 and below 1,000,000,000: got -1"),
    ],
)
def test_a_setting_of_an_impossible_value_is_refused(setting, sentence):
    with pytest.raises(ValueError, match=sentence):
        apply_overrides(TrainConfig(), [setting])


def test_a_config_comes_back_from_json():
    for config in PRESETS.values():
        assert from_json(json.loads(json.dumps(asdict(config)))) == config
    with pytest.raises(ValueError, match=r"A config may only name what this version knows: .*'wings'"):
        from_json({"wings": 2})
