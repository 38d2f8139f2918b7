"""The recipe: what is refused, and where a run goes."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from vitviz.training.recipe import PRESETS, TrainConfig, preset


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"epochs": 3}, r"Give one of epochs and minutes: got 3 epochs and 88 minutes"),
        ({"minutes": None}, r"Give one of epochs and minutes: got None epochs and None minutes"),
        ({"minutes": 0}, "minutes must be above 0: got 0"),
        ({"minutes": float("inf")}, "minutes must be above 0: got inf"),
        ({"minutes": float("nan")}, "minutes must be above 0: got nan"),
        ({"minutes": None, "epochs": -1}, "epochs must be above 0: got -1"),
        ({"muon_rate": 0}, "muon_rate must be above 0: got 0"),
        ({"adam_rate": -1e-3}, "adam_rate must be above 0"),
        ({"clip": 0}, "clip must be above 0"),
        ({"batch_size": 1}, "batch_size must be from 2 to 65536: got 1"),
        ({"pictures": 0}, "pictures must be from 2 to 50000: got 0"),
        ({"pictures": 50_001}, "pictures must be from 2 to 50000: got 50001"),
        ({"snapshots": -1}, "snapshots must be from 0 to 1000: got -1"),
        ({"cutmix": 1.1}, r"cutmix is a share and must be from 0 to 1: got 1\.1"),
        ({"average_decay": float("nan")}, "average_decay is a share and must be from 0 to 1: got nan"),
        ({"first_patches": -0.1}, "first_patches is a share"),
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


def test_a_run_goes_where_it_is_told_or_by_its_preset():
    assert TrainConfig(preset="cifar10-ti4").folder == Path("runs/cifar10-ti4")
    assert TrainConfig(out="elsewhere/run").folder == Path("elsewhere/run")
