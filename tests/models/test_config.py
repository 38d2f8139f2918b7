"""Model configs: valid values, and the error for each invalid one."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, asdict, replace

import pytest

from tests import tiny
from tests.errors import refuses
from vitviz.errors import ConfigError
from vitviz.models.config import ViTConfig, config_from_dict


def test_grid_and_tokens_of_an_image_that_is_not_square():
    config = replace(tiny.CONFIG, reg_tokens=2)
    assert config.grid_size == (5, 7)
    assert config.num_prefix_tokens == 3
    assert config.num_tokens == 38


def test_img_size_from_json_becomes_a_tuple():
    assert replace(tiny.CONFIG, img_size=[20, 28]) == tiny.CONFIG


def test_one_number_is_both_sides():
    assert ViTConfig(img_size=64).img_size == (64, 64)


def test_a_config_is_immutable():
    with pytest.raises(FrozenInstanceError):
        tiny.CONFIG.embed_dim = 20


INVALID = [
    ({"img_size": "32"}, r"img_size must be 2 values, each an integer from 1 to 4096: got '32'"),
    ({"img_size": True}, "img_size must be 2 values"),
    ({"img_size": (32, 32, 3)}, "img_size must be 2 values"),
    ({"img_size": (0, 32)}, r"img_size must be 2 values, each an integer from 1 to 4096: got \(0, 32\)"),
    ({"img_size": (32, 4100)}, r"img_size must be 2 values, each an integer from 1 to 4096: got \(32, 4100\)"),
    ({"patch_size": 5}, r"32 is not a multiple of 5\. Use 1, 2, 4, 8, 16 or 32\."),
    ({"img_size": (32, 36), "patch_size": 8}, r"36 is not a multiple of 8\. Use 1, 2 or 4\."),
    ({"img_size": (31, 37), "patch_size": 8}, r"31 is not a multiple of 8\. Use 1\."),
    ({"patch_size": 0}, "patch_size must be an integer from 1 to 256: got 0"),
    ({"embed_dim": 10**9}, "embed_dim must be an integer from 1 to 8192: got 1000000000"),
    ({"embed_dim": 192.0}, r"embed_dim must be an integer from 1 to 8192: got 192\.0"),
    ({"embed_dim": "192"}, "embed_dim must be an integer from 1 to 8192: got '192'"),
    ({"depth": -1}, "depth must be an integer from 1 to 128: got -1"),
    ({"depth": True}, "depth must be an integer from 1 to 128: got True"),
    ({"num_heads": 5}, r"num_heads must divide embed_dim: 192 is not a multiple of 5\. Use 4 or 6\."),
    ({"embed_dim": 7, "num_heads": 5}, r"7 is not a multiple of 5\. Use 1 or 7\."),
    ({"num_heads": 200}, r"192 is not a multiple of 200\. Use 192\."),
    ({"mlp_ratio": 0}, "mlp_ratio must be a number above 0 and at most 64: got 0"),
    ({"mlp_ratio": 0.001}, r"mlp_ratio must give at least 1 MLP channel: 0\.001 of 192 rounds to 0"),
    ({"reg_tokens": -1}, "reg_tokens must be an integer from 0 to 64: got -1"),
    ({"reg_tokens": 65}, "reg_tokens must be an integer from 0 to 64: got 65"),
    ({"drop_path_rate": 1.0}, r"drop_path_rate must be a number of at least 0 and below 1: got 1\.0"),
    ({"drop_path_rate": float("nan")}, "drop_path_rate must be a number of at least 0 and below 1: got nan"),
    ({"drop_path_rate": "0"}, "drop_path_rate must be a number of at least 0 and below 1: got '0'"),
    ({"drop_path_rate": False}, "drop_path_rate must be a number of at least 0 and below 1: got False"),
    ({"img_size": (4096, 4096), "patch_size": 1}, "patch_size must give at most 4096 tokens: 4096 x 4096 pixels"),
    ({"pos_drop_rate": False}, "pos_drop_rate must be a number of at least 0 and below 1: got False"),
    ({"pos_drop_rate": 0.1}, r"pos_drop_rate is only supported by the tutorial networks: got 0\.1"),
    ({"init_values": 0}, "init_values must be a number above 0 and at most 1, or None: got 0"),
    ({"init_values": True}, "init_values must be a number above 0 and at most 1, or None: got True"),
    ({"init_values": 1.5}, r"init_values must be a number above 0 and at most 1, or None: got 1\.5"),
    ({"qkv_bias": 1}, "qkv_bias must be true or false: got 1"),
    ({"qk_norm": None}, "qk_norm must be true or false: got None"),
    ({"global_pool": "max"}, "global_pool must be one of token, avg, token_avg, map: got 'max'"),
    ({"global_pool": []}, r"global_pool must be one of token, avg, token_avg, map: got \[\]"),
    ({"class_token": False}, "global_pool must be avg or map for a model without class token: got token"),
    ({"class_token": "no"}, "class_token must be true or false: got 'no'"),
    ({"architecture": "convnet"}, "architecture must be one of vit, tutorial-notebook, .*: got 'convnet'"),
]


def test_an_invalid_value_raises_an_error_with_rule_value_and_remedy(subtests):
    for changes, match in INVALID:
        with subtests.test(changes=changes, match=match):
            with pytest.raises(ConfigError, match=match) as caught:
                ViTConfig(**changes)
            assert caught.value.field in (*changes, "global_pool")
            assert str(caught.value) == f"{caught.value.field} {caught.value.problem}. {caught.value.hint}".strip()


def test_a_config_is_rebuilt_from_its_dict():
    assert config_from_dict(asdict(tiny.CONFIG)) == tiny.CONFIG


@pytest.mark.parametrize(
    ("values", "field"),
    [({"width": 192}, "model.width"), ({"architecture": {}}, "architecture"), ([], "model"), (None, "model")],
)
def test_an_invalid_dict_is_refused(values, field):
    with refuses(field):
        config_from_dict(values, "model.")


def test_the_config_does_not_import_torch():
    code = "import sys, vitviz.models.config; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
