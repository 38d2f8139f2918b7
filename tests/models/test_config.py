"""The network's numbers: what fits, and the sentence for what does not."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import pytest

from tests import tiny
from vitviz.models.config import ViTConfig


def test_grid_and_tokens_of_a_image_that_is_not_square():
    config = replace(tiny.CONFIG, reg_tokens=2)
    assert config.grid_size == (5, 7)
    assert config.num_prefix_tokens == 3
    assert config.num_tokens == 38


def test_image_size_read_from_json_becomes_a_pair():
    assert replace(tiny.CONFIG, img_size=[20, 28]) == tiny.CONFIG


def test_a_config_cannot_be_changed_afterwards():
    with pytest.raises(FrozenInstanceError):
        tiny.CONFIG.embed_dim = 20


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"img_size": 32}, r"img_size must be height and width: got 32\. Use for example \(32, 32\)"),
        ({"img_size": (32, 32, 3)}, "img_size must be height and width"),
        ({"img_size": (0, 32)}, "image height must be an integer from 1 to 4096: got 0"),
        ({"img_size": (32, 4100)}, "image width must be an integer from 1 to 4096: got 4100"),
        ({"patch_size": 5}, r"32 is not a multiple of 5\. Use one of 1, 2, 4, 8, 16, 32\."),
        ({"img_size": (32, 36), "patch_size": 8}, r"36 is not a multiple of 8\. Use one of 1, 2, 4\."),
        ({"patch_size": 0}, "patch_size must be an integer from 1 to 256: got 0"),
        ({"embed_dim": 10**9}, "embed_dim must be an integer from 1 to 8192: got 1000000000"),
        ({"embed_dim": 192.0}, r"embed_dim must be an integer from 1 to 8192: got 192\.0"),
        ({"embed_dim": "192"}, "embed_dim must be an integer from 1 to 8192: got '192'"),
        ({"depth": -1}, "depth must be an integer from 1 to 128: got -1"),
        ({"depth": True}, "depth must be an integer from 1 to 128: got True"),
        ({"num_heads": 5}, r"num_heads must divide width: 192 is not a multiple of 5\. Use 4 or 6\."),
        ({"num_heads": 200}, r"192 is not a multiple of 200\. Use 192\."),
        ({"mlp_ratio": 0}, "mlp_ratio must be an integer from 1 to 65536: got 0"),
        ({"num_classes": 1}, "num_classes must be an integer from 2 to 100000: got 1"),
        ({"reg_tokens": -1}, "reg_tokens must be an integer from 0 to 64: got -1"),
        ({"reg_tokens": 65}, "reg_tokens must be an integer from 0 to 64: got 65"),
        ({"drop_path_rate": 1.0}, r"drop_path_rate must be a number at least 0 and below 1: got 1\.0"),
        ({"drop_path_rate": float("nan")}, "drop_path_rate must be a number at least 0 and below 1: got nan"),
        ({"drop_path_rate": "0"}, "drop_path_rate must be a number at least 0 and below 1: got '0'"),
        ({"img_size": (4096, 4096), "patch_size": 1}, "An image may have at most 4096 tokens"),
        ({"init_values": 0}, "init_values must be a number above 0 and at most 1, or None: got 0"),
        ({"drop_path_rate": False}, "drop_path_rate must be a number at least 0 and below 1: got False"),
        ({"pos_drop_rate": False}, "pos_drop_rate must be a number at least 0 and below 1: got False"),
        ({"init_values": True}, "init_values must be a number above 0 and at most 1, or None: got True"),
        ({"init_values": 1.5}, r"init_values must be a number above 0 and at most 1, or None: got 1\.5"),
        ({"qkv_bias": 1}, "qkv_bias must be true or false: got 1"),
        ({"qk_norm": None}, "qk_norm must be true or false: got None"),
        ({"global_pool": "max"}, "global_pool must be 'token' or 'mean': got 'max'"),
        ({"class_token": False}, "A model without class token must read the mean of its patches: pool is 'token'"),
        ({"class_token": "no"}, "class_token must be true or false: got 'no'"),
        ({"global_pool": []}, r"global_pool must be 'token' or 'mean': got \[\]"),
    ],
)
def test_numbers_that_do_not_fit_are_refused_with_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        ViTConfig(**changes)


def test_the_config_needs_no_torch():
    code = "import sys, vitviz.models.config; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
