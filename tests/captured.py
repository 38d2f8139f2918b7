"""Small models that run as they are, whose attention is captured."""

import torch
from torch import Tensor, nn
from torchvision.models import SwinTransformer

import vitviz
from vitviz.models.checkpoint import Checkpoint


class StudentViT(nn.Module):
    """A ViT as in a tutorial, with a class token."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, 32, 8, 8)
        self.cls_token = nn.Parameter(torch.randn(1, 1, 32))
        self.positions = nn.Parameter(torch.randn(1, 17, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Linear(32, 5)

    def forward(self, images: Tensor) -> Tensor:
        """Return logits (B, 5)."""
        patches = self.embed(images).flatten(2).mT
        tokens = torch.cat([self.cls_token.expand(len(images), -1, -1), patches], 1)
        return self.head(self.encoder(tokens + self.positions)[:, 0])


def vit() -> Checkpoint:
    """Return a ViT with a class token: 3 layers of 4 heads, 4 x 4 patches."""
    torch.manual_seed(0)
    return vitviz.load(StudentViT(), img_size=32)


def swin() -> Checkpoint:
    """Return a pyramid: two layers of 2 heads and two of 4, shown on 16 x 16 cells."""
    torch.manual_seed(0)
    module = SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=5)
    nn.init.normal_(module.head.weight)
    return vitviz.load(module, img_size=64)
