"""Training configuration: checks, overrides, JSON and presets."""

import json
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest

from tests.errors import refuses
from vitviz.errors import ConfigError
from vitviz.models.config import ViTConfig
from vitviz.training.config import TrainConfig, apply_overrides, from_json
from vitviz.training.presets import PRESETS, closest_preset, get_preset

POSITIVE = r"must be a number above 0 and below 1,000,000,000"
FRACTION = r"must be a number from 0 to 1"


INVALID = [
    ({"model": {"depth": 2}}, "model", r"must be a ViTConfig: got {'depth': 2}"),
    ({"model": None}, "model", "must be a ViTConfig: got None"),
    ({"objective": "dream"}, "objective", "must be one of classify, mae: got 'dream'"),
    ({"init_from": True}, "init_from", "must be a non-empty string, or None: got True"),
    ({"freeze_backbone": "yes"}, "freeze_backbone", "must be true or false: got 'yes'"),
    ({"teacher": 2024}, "teacher", "must be a non-empty string, or None: got 2024"),
    ({"distill_weight": 1.5}, "distill_weight", FRACTION + r": got 1\.5"),
    ({"dataset": "mnist"}, "dataset", "must be one of cifar10, cifar100, folder, or hf:OWNER/NAME: got 'mnist'"),
    ({"data": ""}, "data", "must be a non-empty string, or None: got ''"),
    ({"output_dir": 3}, "output_dir", "must be a non-empty string: got 3"),
    ({"max_train_samples": 0}, "max_train_samples", "must be an integer of at least 2, or None: got 0"),
    ({"val_size": -1}, "val_size", "must be an integer of at least 0: got -1"),
    ({"epochs": 3, "minutes": 87}, "epochs", r"and `minutes` exclude each other: got 3\.0 epochs and 87\.0 minutes"),
    ({"minutes": None, "epochs": -1}, "epochs", POSITIVE + ", or None: got -1"),
    ({"minutes": 0}, "minutes", POSITIVE + ", or None: got 0"),
    ({"minutes": float("inf")}, "minutes", POSITIVE + ", or None: got inf"),
    ({"minutes": float("nan")}, "minutes", POSITIVE + ", or None: got nan"),
    ({"minutes": 10**400}, "minutes", POSITIVE + ", or None: got 1000"),
    ({"batch_size": None}, "batch_size", "must be an integer from 2 to 65536: got None"),
    ({"batch_size": 1}, "batch_size", "must be an integer from 2 to 65536: got 1"),
    ({"batch_size": 32.5}, "batch_size", r"must be an integer from 2 to 65536: got 32\.5"),
    (
        {"batch_size": 300, "max_train_samples": 200},
        "batch_size",
        "must be at most `max_train_samples`: 300 is above 200",
    ),
    ({"seed": 1.5}, "seed", r"must be an integer from -1000000000 to 1000000000: got 1\.5"),
    ({"seed": 10**9 + 1}, "seed", "must be an integer from -1000000000 to 1000000000: got 1000000001"),
    ({"device": "tpu"}, "device", "must be one of auto, cuda, cpu: got 'tpu'"),
    ({"precision": "half"}, "precision", "must be one of auto, float32, bfloat16: got 'half'"),
    ({"attention": "flash"}, "attention", "must be one of auto, explicit, fused: got 'flash'"),
    (
        {"attention": "fused", "model": ViTConfig(architecture="tutorial-notebook")},
        "attention",
        "fused needs the architecture vit: got tutorial-notebook",
    ),
    ({"compile": "False"}, "compile", "must be true or false: got 'False'"),
    ({"optimizer": "lion"}, "optimizer", "must be one of muon, adamw, adam: got 'lion'"),
    ({"muon_lr": 0}, "muon_lr", POSITIVE + ": got 0"),
    ({"muon_lr": 1e50}, "muon_lr", POSITIVE + r": got 1e\+50"),
    ({"muon_lr": "fast"}, "muon_lr", POSITIVE + ": got 'fast'"),
    ({"lr": -1e-3}, "lr", POSITIVE + r": got -0\.001"),
    ({"lr": True}, "lr", POSITIVE + ": got True"),
    ({"weight_decay": -0.1}, "weight_decay", r"must be a number of at least 0 and below 1,000,000,000: got -0\.1"),
    ({"weight_decay": 1e50}, "weight_decay", r"must be a number of at least 0 and below 1,000,000,000: got 1e\+50"),
    ({"lr_schedule": "step"}, "lr_schedule", "must be one of linear, cosine, constant: got 'step'"),
    ({"warmup_fraction": 1}, "warmup_fraction", "must be a number of at least 0 and below 1: got 1"),
    ({"randaug_num_ops": 9}, "randaug_num_ops", "must be an integer from 0 to 8: got 9"),
    ({"randaug_magnitude": -0.1}, "randaug_magnitude", FRACTION + r": got -0\.1"),
    ({"cutmix_prob": 1.1}, "cutmix_prob", FRACTION + r": got 1\.1"),
    ({"cutmix_prob": True}, "cutmix_prob", FRACTION + ": got True"),
    ({"cutmix_prob": "some"}, "cutmix_prob", FRACTION + ": got 'some'"),
    ({"mixup_prob": 2}, "mixup_prob", FRACTION + ": got 2"),
    (
        {"cutmix_prob": 0.6, "mixup_prob": 0.5},
        "mixup_prob",
        r"and `cutmix_prob` must sum to at most 1: got 0\.5 and 0\.6",
    ),
    ({"random_erasing_prob": -1}, "random_erasing_prob", FRACTION + ": got -1"),
    ({"label_smoothing": None}, "label_smoothing", FRACTION + ": got None"),
    ({"patch_keep_start": -0.1}, "patch_keep_start", FRACTION + r": got -0\.1"),
    ({"patch_keep_end": 2.0}, "patch_keep_end", FRACTION + r": got 2\.0"),
    ({"patch_dropout_until": 1.5}, "patch_dropout_until", FRACTION + r": got 1\.5"),
    ({"mix_until": "end"}, "mix_until", FRACTION + ": got 'end'"),
    ({"ema_decay": float("nan")}, "ema_decay", FRACTION + ": got nan"),
    ({"grad_clip_norm": 0}, "grad_clip_norm", POSITIVE + ": got 0"),
    ({"grad_clip_norm": None}, "grad_clip_norm", POSITIVE + ": got None"),
    (
        {"checkpoint_every_epochs": None},
        "checkpoint_every_epochs",
        "must be an integer from 1 to 10000: got None",
    ),
    ({"num_snapshots": -1}, "num_snapshots", "must be an integer from 0 to 1000: got -1"),
    ({"grad_accum_steps": 0}, "grad_accum_steps", "must be an integer from 1 to 1024: got 0"),
    ({"sampler": "weighted"}, "sampler", "must be one of random, balanced: got 'weighted'"),
    ({"class_weight": "auto"}, "class_weight", "must be balanced, or None: got 'auto'"),
    ({"layer_decay": 0}, "layer_decay", "must be a number above 0 and at most 1, or None: got 0"),
    ({"layer_decay": 0.5, "objective": "mae"}, "layer_decay", "does not apply to the objective mae: got 0.5"),
    (
        {"batch_size": 50, "grad_accum_steps": 4, "max_train_samples": 199},
        "batch_size",
        "times `grad_accum_steps` must be at most `max_train_samples`: 200 is above 199",
    ),
    ({"freeze_backbone": True}, "freeze_backbone", "needs `init_from`: got None"),
    (
        {"freeze_backbone": True, "init_from": "x", "objective": "mae"},
        "freeze_backbone",
        "does not apply to the objective mae: got True",
    ),
    (
        {"objective": "mae", "model": get_preset("tutorial-notebook").model},
        "objective",
        "mae needs the architecture vit: got tutorial-notebook",
    ),
    ({"mask_ratio": 1.0}, "mask_ratio", r"must be a number above 0 and below 1: got 1\.0"),
    ({"decoder_embed_dim": 0}, "decoder_embed_dim", "must be an integer from 1 to 8192: got 0"),
    ({"decoder_depth": 0}, "decoder_depth", "must be an integer from 1 to 128: got 0"),
    (
        {"objective": "mae", "decoder_num_heads": 5},
        "decoder_num_heads",
        "must divide `decoder_embed_dim`: 96 is not a multiple of 5",
    ),
]


def test_an_invalid_value_raises_an_error_with_its_field(subtests):
    for changes, field, problem in INVALID:
        with subtests.test(changes=changes, field=field, problem=problem):
            with pytest.raises(ConfigError, match=f"^{field} {problem}") as found:
                TrainConfig(**changes)
            assert found.value.field == field


def test_every_field_has_a_check():
    """The test above has a case for each field."""
    assert {f.name for f in fields(TrainConfig)} <= {field for _, field, _ in INVALID}


def test_a_preset_has_a_run_folder_of_its_name_and_survives_json():
    for name, preset in PRESETS.items():
        assert get_preset(name) is (config := preset.config)
        assert config.folder == Path("runs", name)
        assert from_json(json.loads(json.dumps(asdict(config)))) == config


def test_tutorials_train_with_crops_and_flips_alone():
    names = ("randaug_num_ops", "cutmix_prob", "mixup_prob", "random_erasing_prob", "label_smoothing", "ema_decay")
    tutorials = [preset.config for name, preset in PRESETS.items() if name.startswith("tutorial-")]
    assert tutorials
    assert not any(getattr(config, name) for config in tutorials for name in names)


def test_every_preset_says_what_it_reached_and_how():
    for name, preset in PRESETS.items():
        assert preset.about.endswith(".")
        assert preset.hardware
        assert preset.minutes > 0
        assert preset.test_accuracy is None or 0 < preset.test_accuracy < 1
        words = preset.command.removeprefix("python -m vitviz ").split()
        assert words[:3] == ["train", "--preset", name]
        assert preset.corrected is None or preset.corrected in PRESETS


def test_explicit_epochs_win_over_the_default_minutes():
    assert (TrainConfig().epochs, TrainConfig().minutes) == (None, 88)
    for config in (
        TrainConfig(epochs=3),
        replace(TrainConfig(), epochs=3),
        replace(get_preset("cifar10-ti4"), epochs=3),
    ):
        assert (config.epochs, config.minutes) == (3, None)
    with refuses("epochs"):
        TrainConfig(epochs=3, minutes=5)


def test_an_unknown_preset_is_refused():
    with refuses("preset"):
        get_preset("vit-g")


def test_paths_are_stored_as_strings():
    config = TrainConfig(data=Path("images"), output_dir=Path("runs") / "x", init_from=Path("a"), teacher=Path("b"))
    assert (config.data, config.output_dir, config.init_from, config.teacher) == ("images", "runs/x", "a", "b")


def test_sizes_have_no_limit_before_the_dataset_is_known():
    config = TrainConfig(max_train_samples=60_000, val_size=30_000)
    assert (config.max_train_samples, config.val_size) == (60_000, 30_000)


def test_a_preset_is_its_config_and_not_a_name():
    with pytest.raises(TypeError, match="preset"):
        TrainConfig(preset="cifar10-2min")
    with refuses("preset"):
        from_json({"preset": "cifar10-2min"})  # as an earlier version wrote it


@pytest.mark.parametrize("name", PRESETS)
def test_the_closest_preset_is_the_one_that_was_changed(name):
    config = apply_overrides(get_preset(name), ["minutes=3", "model.depth=3", "seed=1", "device=cpu", "data=x"])
    assert closest_preset(replace(config, output_dir="runs/mine")) == name


def test_overrides_change_fields_of_the_config_and_of_the_model():
    overrides = ["cutmix_prob=0.25", "model.depth=3", "optimizer=adamw", "model.init_values=0.1"]
    config = apply_overrides(get_preset("cifar10-ti4"), overrides)
    assert (config.cutmix_prob, config.optimizer) == (0.25, "adamw")
    assert isinstance(config.model, ViTConfig)
    assert (config.model.depth, config.model.init_values) == (3, 0.1)
    assert apply_overrides(config, []) == config
    assert apply_overrides(config, ["epochs=2"]).minutes is None


@pytest.mark.parametrize(
    "override",
    ["cutmix_prob", "cutmix_prob=", "depth=3", "model.cutmix_prob=1", "model=1", "=3", "model.num_classes=7"],
)
def test_an_override_without_a_known_name_or_a_value_is_refused(override):
    with refuses(override):
        apply_overrides(TrainConfig(), [override])


@pytest.mark.parametrize(
    "override", ["batch_size=many", "model.num_heads=5", "model.patch_size=5", "epochs=0", "muon_lr=-1"]
)
def test_an_override_with_an_invalid_value_is_refused(override):
    with refuses(override.removeprefix("model.").partition("=")[0]):
        apply_overrides(TrainConfig(), [override])


def test_json_with_unknown_fields_is_refused():
    with refuses("wings"):
        from_json({"wings": 2})
    with refuses("model.wings"):
        from_json({"model": {"wings": 2}})
