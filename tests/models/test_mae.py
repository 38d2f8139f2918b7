"""Masked autoencoder: loss as in transformers, masks, reconstructions, and the file of a checkpoint with decoder."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

import vitviz
from tests import tiny
from vitviz.errors import CheckpointError, ConfigError
from vitviz.models import checkpoint
from vitviz.models.config import DecoderSize, ViTConfig
from vitviz.models.layers import patchify, unpatchify
from vitviz.models.mae import Decoder, MaskedAutoencoder, freeze_head, load_autoencoder, random_mask, split_patches
from vitviz.models.vit import ViT

SIZE = DecoderSize(embed_dim=12, depth=2, num_heads=3)


def autoencoder(config: ViTConfig = tiny.CONFIG, seed: int = 0) -> MaskedAutoencoder:
    """Create an autoencoder without zero weights."""
    torch.manual_seed(seed)
    decoder = Decoder(config, SIZE).eval()
    for name, weight in decoder.named_parameters():
        if weight.requires_grad:
            nn.init.normal_(weight, mean="norm" in name and name.endswith("weight"), std=0.3)
    return MaskedAutoencoder(tiny.model(config), decoder)


@pytest.mark.parametrize("mask_ratio", [0.75, 0.4])
def test_the_loss_is_that_of_transformers_with_the_same_weights_and_noise(mask_ratio):
    transformers = pytest.importorskip("transformers")
    config = ViTConfig(
        img_size=(24, 24), patch_size=4, embed_dim=20, depth=3, num_heads=2, mlp_ratio=1.5, qk_norm=False, qkv_bias=True
    )
    ours = autoencoder(config).double()
    other = transformers.ViTMAEForPreTraining(
        transformers.ViTMAEConfig(
            **{"image_size": 24, "patch_size": 4, "hidden_size": 20, "num_hidden_layers": 3, "num_attention_heads": 2},
            **{"intermediate_size": 30, "layer_norm_eps": config.eps, "mask_ratio": mask_ratio},
            **{"decoder_hidden_size": 12, "decoder_num_hidden_layers": 2, "decoder_num_attention_heads": 3},
            **{"decoder_intermediate_size": 18, "norm_pix_loss": True, "hidden_dropout_prob": 0.0},
        )
    )
    other = other.double().eval()
    copied = other.state_dict()
    copy_weights(ours.vit, copied, "vit.", "embeddings.cls_token", "embeddings.position_embeddings", "layernorm")
    copied["vit.embeddings.patch_embeddings.projection.weight"] = ours.vit.patch_embed.proj.weight
    copied["vit.embeddings.patch_embeddings.projection.bias"] = ours.vit.patch_embed.proj.bias
    copy_weights(ours.decoder, copied, "decoder.", "mask_token", "decoder_pos_embed", "decoder_norm")
    copied["decoder.decoder_embed.weight"] = ours.decoder.embed.weight
    copied["decoder.decoder_embed.bias"] = ours.decoder.embed.bias
    # Channels first in our patches, last in those of transformers.
    for name in ("weight", "bias"):
        pred = getattr(ours.decoder.pred, name)
        copied[f"decoder.decoder_pred.{name}"] = pred.unflatten(0, (3, 4, 4)).movedim(0, 2).flatten(0, 2)
    other.load_state_dict(copied)
    images, noise = tiny.images((24, 24), 5).double(), torch.rand(5, 36, dtype=torch.float64)
    expected = other(images, noise=noise)
    loss = ours(images, noise, mask_ratio)
    torch.testing.assert_close(loss, expected.loss, rtol=0, atol=1e-12)
    masked = split_patches(noise, mask_ratio)[1]
    assert torch.equal(torch.zeros(5, 36).scatter(1, masked, 1.0), expected.mask.float())
    torch.testing.assert_close(
        ours.float()(images.float(), noise.float(), mask_ratio).double(), loss, rtol=0, atol=1e-6
    )


def copy_weights(module, copied, prefix, token, positions, norm):
    """Copy token, positions, norm and blocks of an encoder or decoder to the names of transformers."""
    embedding = module.pos_embed
    if embedding.shape[1] == 36:  # the class token has no position in our decoder
        embedding = nn.functional.pad(embedding, (0, 0, 1, 0))
    copied[prefix + token] = getattr(module, token.rpartition(".")[2])
    copied[prefix + positions] = embedding
    layers = f"{prefix}decoder_layers" if prefix == "decoder." else f"{prefix}layers"
    copied |= {f"{prefix}{norm}.{name}": weight for name, weight in module.norm.named_parameters()}
    names = {"layernorm_before": "norm1", "layernorm_after": "norm2", "attention.o_proj": "attn.proj"}
    names |= {"mlp.fc1": "mlp.fc1", "mlp.fc2": "mlp.fc2"}
    for layer, block in enumerate(module.blocks):
        for name in ("weight", "bias"):
            for theirs, own in names.items():
                copied[f"{layers}.{layer}.{theirs}.{name}"] = getattr(block.get_submodule(own), name)
            for part, values in zip("qkv", getattr(block.attn.qkv, name).chunk(3), strict=True):
                copied[f"{layers}.{layer}.attention.{part}_proj.{name}"] = values


def test_masked_pixels_do_not_influence_the_prediction_and_visible_ones_do():
    model, noise = autoencoder(), torch.rand(tiny.B, tiny.N)
    visible, masked = split_patches(noise, 0.75)
    assert visible.shape == (tiny.B, 8)
    patches = patchify(tiny.images(), 4)
    before = model.predict(patches, visible, masked)
    hidden = patches.scatter(1, masked.unsqueeze(-1).expand(-1, -1, 48), 0.0)
    assert torch.equal(model.predict(hidden, visible, masked), before)
    changed = patches.scatter(1, visible[:, :1].unsqueeze(-1).expand(-1, -1, 48), 0.0)
    assert not torch.allclose(model.predict(changed, visible, masked), before)


def test_a_reconstruction_replaces_the_masked_patches_by_predictions_with_their_mean_and_deviation():
    model, images = autoencoder(), tiny.images()
    mask = random_mask(tiny.B, (tiny.GH, tiny.GW), 0.6)
    assert mask.flatten(1).sum(1).tolist() == [21] * tiny.B
    found = model.reconstruct(images, mask)
    pixels = mask.repeat_interleave(4, 1).repeat_interleave(4, 2)[:, None].expand_as(images)
    assert torch.equal(found[~pixels], images[~pixels])
    model.decoder.pred.weight.data.zero_()
    model.decoder.pred.bias.data = torch.arange(48.0)
    patches = patchify(images, 4)
    expected = patches.std(-1, keepdim=True) * torch.arange(48.0) + patches.mean(-1, keepdim=True)
    expected = unpatchify(expected, (tiny.GH, tiny.GW))
    torch.testing.assert_close(model.reconstruct(images, mask)[pixels], expected[pixels], rtol=1e-4, atol=1e-4)
    assert torch.equal(unpatchify(patches, (tiny.GH, tiny.GW)), images)


@pytest.mark.parametrize(
    "changes",
    [
        *({}, {"global_pool": "map"}, {"distilled": True}, {"head_proj_dim": 12}, {"global_pool": "avg"}),
        {"global_pool": "avg", "fc_norm": True, "class_token": False},
        {"rope_type": "cat", "pos_embed": "none", "num_heads": 1, "embed_dim": 20, "swiglu_mlp": True, "reg_tokens": 2},
        {"rel_pos_bias": True},
    ],
)
def test_every_trained_parameter_gets_a_gradient(changes):
    module = autoencoder(replace(tiny.CONFIG, **changes))
    freeze_head(module.vit)
    module(tiny.images(), torch.rand(tiny.B, tiny.N), 0.75).backward()
    unused = [name for name, weight in module.named_parameters() if weight.requires_grad and weight.grad is None]
    assert unused == [], "DistributedDataParallel would wait for them"


def test_an_image_can_be_overfitted():
    torch.manual_seed(0)
    config = replace(tiny.CONFIG, depth=2)
    module, images, noise = (
        MaskedAutoencoder(ViT(config), Decoder(config, SIZE)),
        tiny.images(batch=2),
        torch.rand(2, 35),
    )
    optimizer = torch.optim.Adam(module.parameters(), 3e-3)
    before = module(images, noise, 0.75).item()
    for _ in range(150):
        optimizer.zero_grad()
        module(images, noise, 0.75).backward()
        optimizer.step()
    assert before == pytest.approx(47 / 48, abs=1e-3), "it predicts 0, and the variance is unbiased"
    assert module(images, noise, 0.75).item() < 0.8 * before


def test_a_checkpoint_keeps_its_decoder(tmp_path):
    module = autoencoder()
    saved = replace(tiny.checkpoint(), decoder=module.decoder)
    checkpoint.save(saved, path := tmp_path / "mae.safetensors")
    found = checkpoint.load(path)
    images, mask = tiny.images(), random_mask(tiny.B, (tiny.GH, tiny.GW), 0.75)
    assert torch.equal(load_autoencoder(found).reconstruct(images, mask), module.reconstruct(images, mask))
    assert found.tensors.keys() == saved.tensors.keys()
    with pytest.raises(CheckpointError, match="needs a model with a decoder: tiny has none"):
        load_autoencoder(tiny.checkpoint())


def test_an_image_is_reconstructed_in_its_own_pixels():
    module = autoencoder()
    module.decoder.pred.weight.data.zero_()
    module.decoder.pred.bias.data.zero_()
    model, pixels = replace(tiny.checkpoint(), decoder=module.decoder), tiny.pixels()
    mask = np.arange(tiny.N).reshape(tiny.GH, tiny.GW) % 3 == 1
    found = vitviz.reconstruct(model, pixels, mask)
    assert np.array_equal(found.image, pixels)
    patches = pixels.reshape(tiny.GH, 4, tiny.GW, 4, 3).swapaxes(1, 2).copy()  # (gh, gw, P, P, 3)
    means = patches / np.reshape(model.std, 3) - 255 * np.divide(model.mean, model.std)  # mean over all channels
    means = means.mean((2, 3, 4), keepdims=True) * model.std + 255 * np.array(model.mean)
    patches[mask] = np.broadcast_to(means, patches.shape)[mask].round().clip(0, 255)
    assert np.abs(found.pixels - patches.swapaxes(1, 2).reshape(pixels.shape).astype(int)).max() <= 1
    drawn = vitviz.reconstruct(model, pixels, seed=1, mask_ratio=0.5)
    assert drawn.mask.sum() == 18
    assert np.array_equal(drawn.mask, vitviz.reconstruct(model, pixels, seed=1, mask_ratio=0.5).mask)
    for wrong, problem in [(mask.T, "grid of the model, 5 x 7"), (mask & False, "0 of 35"), (mask | True, "35 of 35")]:
        with pytest.raises(ConfigError, match=problem):
            vitviz.reconstruct(model, pixels, wrong)
    with pytest.raises(ConfigError, match=r"mask_ratio must be a number above 0 and below 1: got 1\.5"):
        vitviz.reconstruct(model, pixels, mask_ratio=1.5)
    with pytest.raises(CheckpointError, match="needs a model with a decoder"):
        vitviz.reconstruct(tiny.model(), pixels)


@pytest.mark.parametrize("size", [{"embed_dim": 12}, [12, 2, 3], {**SIZE._asdict(), "num_heads": 5}, "big"])
def test_an_invalid_decoder_is_refused(tmp_path, monkeypatch, size):
    module = autoencoder()
    monkeypatch.setattr(DecoderSize, "_asdict", lambda self: size)
    checkpoint.save(replace(tiny.checkpoint(), decoder=module.decoder), path := tmp_path / "mae.safetensors")
    with pytest.raises(CheckpointError, match="decoder must have valid embed_dim, depth, num_heads") as found:
        checkpoint.load(path)
    assert found.value.field == "decoder"
