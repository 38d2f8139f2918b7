"""The engine of the browser in Node.js, and small networks with every switch of an architecture."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests import tiny
from vitviz.data.encoding import to_base64
from vitviz.models.checkpoint import Checkpoint
from vitviz.models.config import ViTConfig
from vitviz.models.factory import create_model
from vitviz.models.rounding import to_file
from vitviz.models.weights import Rounding

FRONTEND = Path(__file__).parents[1] / "frontend"
PLAIN = replace(tiny.CONFIG, embed_dim=24, depth=3, mlp_ratio=40 / 24)
TUTORIAL = replace(PLAIN, mlp_ratio=2.0, architecture="tutorial-notebook")
FAMILIES: dict[str, ViTConfig] = {
    "plain": PLAIN,
    "query and key norm": replace(PLAIN, qk_norm=True, qkv_bias=True, multi_label=True, eps=1e-3),
    "registers, LayerScale": replace(PLAIN, reg_tokens=2, init_values=0.5),
    "mean": replace(PLAIN, global_pool="avg", class_token=False, final_norm=False),
    "class token and mean": replace(PLAIN, global_pool="token_avg", fc_norm=True, no_embed_class=True, reg_tokens=1),
    "attention pooling": replace(PLAIN, global_pool="map", attn_pool_num_heads=4, attn_pool_mlp_ratio=1.5),
    "attention pooling of all": replace(PLAIN, global_pool="map", pool_include_prefix=True),
    "distilled": replace(PLAIN, distilled=True),
    "rope cat": replace(PLAIN, rope_type="cat", ref_feat_shape=(3, 5), rope_grid_offset=0.5, pos_embed="none"),
    "rope cat xy": replace(PLAIN, rope_type="cat", rope_grid_indexing="xy", rope_rotate_half=True, qk_norm=True),
    "rope dinov3": replace(PLAIN, rope_type="dinov3", rope_rotate_half=True, rope_temperature=100.0, reg_tokens=3),
    "rope mixed": replace(PLAIN, rope_type="mixed", rope_grid_indexing="xy"),
    "relative positions": replace(PLAIN, rel_pos_bias=True, pos_embed="none", global_pool="avg", fc_norm=True),
    "GELU by tanh": replace(PLAIN, act_layer="gelu_tanh"),
    "CLIP": replace(PLAIN, act_layer="quick_gelu", pre_norm=True, head_proj_dim=14, normalize_head=True),
    "SwiGLU": replace(PLAIN, swiglu_mlp=True, scale_mlp_norm=True, scale_attn_norm=True),
    "without head": replace(PLAIN, num_classes=0),
    "notebook": TUTORIAL,
    "lightning": replace(TUTORIAL, architecture="tutorial-lightning"),
    "scratch": replace(TUTORIAL, architecture="tutorial-scratch", img_size=(16, 32)),
    "scratch, whole rows": replace(TUTORIAL, architecture="tutorial-scratch", img_size=(32, 16), patch_size=8),
    "scratch, fixed": replace(TUTORIAL, architecture="tutorial-scratch-fixed"),
}


def checkpoint(config: ViTConfig) -> Checkpoint:
    """Create a checkpoint of a family whose weights are all drawn."""
    network = create_model(config)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.copy_(torch.from_numpy(tiny.draw(name, tuple(parameter.shape), 0)))
    labels = tuple(f"class {k}" for k in range(config.num_classes))
    return Checkpoint("tiny", network.eval(), labels, (0.5, 0.4, 0.3), (0.2, 0.25, 0.3), {})


def request(folder: Path, model: Checkpoint, image: torch.Tensor, rounding: Rounding = "float32", **of: Any) -> Any:
    """Return a request about a normalized image (3, H, W) to a model, whose file is written to a folder."""
    path = folder / f"{len(list(folder.iterdir()))}.safetensors"
    path.write_bytes(to_file(model, rounding, of.pop("head_means", None), of.pop("measured", None)))
    return {
        "model": str(path),
        "pixels": to_base64(image.numpy()),
        "kernels": "simd",
        "ablations": [],
        "calls": [],
    } | of


def answer(folder: Path, requests: list[Any]) -> list[Any]:
    """Return the replies of the engine; the test is skipped where Node.js or the packages of the front end are not."""
    node = shutil.which("node")
    if node is None or not (FRONTEND / "node_modules" / "vite").is_dir():
        pytest.skip("needs Node.js and `npm ci` in frontend")
    asked, replied = folder / "requests.json", folder / "replies.json"
    asked.write_text(json.dumps(requests))
    process = subprocess.run(
        [node, "--expose-gc", "assembly/node.js", asked, replied],
        check=False,
        cwd=FRONTEND,
        capture_output=True,
        text=True,
    )
    assert not process.returncode, process.stderr[-3000:]
    found: list[Any] = json.loads(replied.read_text())
    return found
