"""Second opinion: timm's VisionTransformer with our weights gives our logits, our attention and our Grad-CAM.

Our tensors have timm's names, so the weights are copied without a mapping. With timm's fused kernel off, its explicit
attention passes through `attn_drop`, where it is picked up.
"""

import numpy as np
import pytest
import timm.layers
import torch
from pytorch_grad_cam import GradCAM
from pytorch_grad_cam.utils.model_targets import ClassifierOutputTarget
from timm.models.vision_transformer import VisionTransformer

from tests import tiny
from vitviz.attribution.methods import METHODS
from vitviz.models.config import ViTConfig
from vitviz.models.vit import ViT


@pytest.fixture
def explicit_attention():
    before = timm.layers.use_fused_attn()
    timm.layers.set_fused_attn(False)
    yield
    timm.layers.set_fused_attn(bool(before))


def twin(model: ViT, config: ViTConfig) -> VisionTransformer:
    other = VisionTransformer(
        img_size=config.img_size,
        patch_size=config.patch_size,
        embed_dim=config.embed_dim,
        depth=config.depth,
        num_heads=config.num_heads,
        mlp_ratio=config.mlp_ratio,
        num_classes=config.num_classes,
        reg_tokens=config.reg_tokens,
        qkv_bias=config.qkv_bias,
        qk_norm=config.qk_norm,
        init_values=config.init_values,
        class_token=config.class_token,
        global_pool="token" if config.global_pool == "token" else "avg",
        fc_norm=False,
    )
    other.load_state_dict(model.state_dict())  # strict: the names and shapes are the same
    return other.eval()


@pytest.mark.usefixtures("explicit_attention")
@pytest.mark.parametrize("name", tiny.VARIANTS)
@torch.no_grad()
def test_timm_finds_the_same_logits_and_the_same_attention(name):
    config = tiny.VARIANTS[name]
    model, images = tiny.model(config), tiny.images().double()
    other = twin(model, config).double()  # in single precision the roundings of some processors differ by 1e-5
    model.double()
    seen = []
    for block in other.blocks:
        block.attn.attn_drop.register_forward_hook(lambda module, given, out: seen.append(out))
    logits = other(images)
    trace = model.forward_with_attention(images, "full")
    torch.testing.assert_close(trace.logits, logits, rtol=0, atol=1e-10)
    torch.testing.assert_close(model(images), logits, rtol=0, atol=1e-10)
    torch.testing.assert_close(trace.attention, torch.stack(seen).float(), rtol=0, atol=1e-6)


@pytest.mark.slow
@pytest.mark.usefixtures("explicit_attention")
@pytest.mark.parametrize("name", [name for name, config in tiny.VARIANTS.items() if config.global_pool == "token"])
def test_grad_cam_equals_pytorch_grad_cams_on_timms_attention(name):
    """Its heads are the channels, and the class token's row over the patches is the image of each."""
    config, subject = tiny.VARIANTS[name], tiny.context(name)
    other = twin(subject.model, config)
    layer = other.blocks[-1].attn.attn_drop
    with GradCAM(
        other,
        [layer],
        reshape_transform=lambda seen: seen[:, :, 0, config.num_prefix_tokens :].unflatten(-1, config.grid_size),
    ) as cam:
        for target in range(config.num_classes):
            cam.forward(subject.image[None], [ClassifierOutputTarget(target)])
            heads, slopes = (
                found[0].cpu().data.numpy()
                for found in (cam.activations_and_grads.activations, cam.activations_and_grads.gradients)
            )
            summed = cam.get_cam_image(subject.image[None], layer, [ClassifierOutputTarget(target)], heads, slopes)[0]
            ours = METHODS["attention_gradcam"].compute(subject, target)
            np.testing.assert_allclose(ours, np.maximum(summed, 0).ravel() / config.num_heads, rtol=0, atol=1e-5)
            assert np.abs(slopes).max() > 1e-4, "else equal maps would say nothing"
