"""The network's numbers: what fits, and the sentence for what does not."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import pytest

from tests import tiny
from vitviz.models.config import ViTConfig


def test_grid_and_tokens_of_a_image_that_is_not_square():
    config = replace(tiny.CONFIG, registers=2)
    assert config.grid == (5, 7)
    assert config.prefix == 3
    assert config.tokens == 38


def test_image_size_read_from_json_becomes_a_pair():
    assert replace(tiny.CONFIG, image_size=[20, 28]) == tiny.CONFIG


def test_a_config_cannot_be_changed_afterwards():
    with pytest.raises(FrozenInstanceError):
        tiny.CONFIG.width = 20


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"image_size": 32}, r"image_size must be height and width: got 32\. Use for example \(32, 32\)"),
        ({"image_size": (32, 32, 3)}, "image_size must be height and width"),
        ({"image_size": (0, 32)}, "image height must be a whole number from 1 to 4096: got 0"),
        ({"image_size": (32, 4100)}, "image width must be a whole number from 1 to 4096: got 4100"),
        ({"patch_size": 5}, r"32 is not a multiple of 5\. Use one of 1, 2, 4, 8, 16, 32\."),
        ({"image_size": (32, 36), "patch_size": 8}, r"36 is not a multiple of 8\. Use one of 1, 2, 4\."),
        ({"patch_size": 0}, "patch_size must be a whole number from 1 to 256: got 0"),
        ({"width": 10**9}, "width must be a whole number from 1 to 8192: got 1000000000"),
        ({"width": 192.0}, r"width must be a whole number from 1 to 8192: got 192\.0"),
        ({"width": "192"}, "width must be a whole number from 1 to 8192: got '192'"),
        ({"depth": -1}, "depth must be a whole number from 1 to 128: got -1"),
        ({"depth": True}, "depth must be a whole number from 1 to 128: got True"),
        ({"heads": 5}, r"heads must divide width: 192 is not a multiple of 5\. Use 4 or 6\."),
        ({"heads": 200}, r"192 is not a multiple of 200\. Use 192\."),
        ({"mlp_width": 0}, "mlp_width must be a whole number from 1 to 65536: got 0"),
        ({"classes": 1}, "classes must be a whole number from 2 to 100000: got 1"),
        ({"registers": -1}, "registers must be a whole number from 0 to 64: got -1"),
        ({"registers": 65}, "registers must be a whole number from 0 to 64: got 65"),
        ({"drop_path": 1.0}, r"drop_path must be at least 0 and below 1: got 1\.0"),
        ({"drop_path": float("nan")}, "drop_path must be at least 0 and below 1: got nan"),
        ({"drop_path": "0"}, "drop_path must be at least 0 and below 1: got '0'"),
        ({"image_size": (4096, 4096), "patch_size": 1}, "An image may have at most 4096 tokens"),
        ({"layer_scale": 0}, "layer_scale must be None, or above 0 and at most 1: got 0"),
        ({"drop_path": False}, "drop_path must be at least 0 and below 1: got False"),
        ({"dropout": False}, "dropout must be at least 0 and below 1: got False"),
        ({"layer_scale": True}, "layer_scale must be None, or above 0 and at most 1: got True"),
        ({"layer_scale": 1.5}, r"layer_scale must be None, or above 0 and at most 1: got 1\.5"),
        ({"qkv_bias": 1}, "qkv_bias must be true or false: got 1"),
        ({"qk_norm": None}, "qk_norm must be true or false: got None"),
        ({"pool": "max"}, "pool must be 'token' or 'mean': got 'max'"),
        ({"class_token": False}, "A model without class token must read the mean of its patches: pool is 'token'"),
        ({"class_token": "no"}, "class_token must be true or false: got 'no'"),
        ({"pool": []}, r"pool must be 'token' or 'mean': got \[\]"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_with_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        ViTConfig(**changes)


def test_the_config_needs_no_torch():
    code = "import sys, vitviz.models.config; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
