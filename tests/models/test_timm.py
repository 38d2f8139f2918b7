"""timm's VisionTransformer with the same weights has the same logits, attention and Grad-CAM.

Tensor names are those of timm, so weights are copied without a mapping. With timm's fused kernel disabled, its
attention weights pass through `attn_drop`, where a hook records them.
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
    fused = timm.layers.use_fused_attn()
    timm.layers.set_fused_attn(False)
    yield
    timm.layers.set_fused_attn(bool(fused))


def create_timm_model(model: ViT, config: ViTConfig) -> VisionTransformer:
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
        global_pool=config.global_pool,
        fc_norm=False,
    )
    other.load_state_dict(model.state_dict())  # strict: the names and shapes are the same
    return other.eval()


@pytest.mark.usefixtures("explicit_attention")
@pytest.mark.parametrize("name", tiny.VARIANTS)
@torch.no_grad()
def test_timm_has_the_same_logits_and_attention(name):
    config = tiny.VARIANTS[name]
    model, images = tiny.model(config), tiny.images().double()
    other = create_timm_model(model, config).double()  # float32 rounding differs by 1e-5 between processors
    model.double()
    attentions = []
    for block in other.blocks:
        block.attn.attn_drop.register_forward_hook(lambda module, inputs, output: attentions.append(output))
    logits = other(images)
    output = model.forward_with_attention(images, "full")
    torch.testing.assert_close(output.logits, logits, rtol=0, atol=1e-10)
    torch.testing.assert_close(model(images), logits, rtol=0, atol=1e-10)
    torch.testing.assert_close(output.attention, torch.stack(attentions).float(), rtol=0, atol=1e-6)


@pytest.mark.slow
@pytest.mark.usefixtures("explicit_attention")
@pytest.mark.parametrize("name", [name for name, config in tiny.VARIANTS.items() if config.global_pool == "token"])
def test_grad_cam_equals_pytorch_grad_cams_on_timms_attention(name):
    """The heads are the channels, and the class token's row over the patches is the activation map of each."""
    config, context = tiny.VARIANTS[name], tiny.context(name)
    other = create_timm_model(context.model, config)
    layer = other.blocks[-1].attn.attn_drop
    with GradCAM(
        other,
        [layer],
        reshape_transform=lambda weights: weights[:, :, 0, config.num_prefix_tokens :].unflatten(-1, config.grid_size),
    ) as cam:
        for target in range(config.num_classes):
            cam.forward(context.image[None], [ClassifierOutputTarget(target)])
            heads, grads = (
                values[0].cpu().data.numpy()
                for values in (cam.activations_and_grads.activations, cam.activations_and_grads.gradients)
            )
            summed = cam.get_cam_image(context.image[None], layer, [ClassifierOutputTarget(target)], heads, grads)[0]
            ours = METHODS["attention_gradcam"].compute(context, target)
            np.testing.assert_allclose(ours, np.maximum(summed, 0).ravel() / config.num_heads, rtol=0, atol=1e-5)
            assert np.abs(grads).max() > 1e-4, "gradients must not vanish"
