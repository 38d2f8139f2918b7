"""What a GPU compiles is one graph and gives the same numbers; traced here without a compiler."""

from dataclasses import replace

import pytest
import torch

from vitviz.data.sets import CIFAR10
from vitviz.model.architectures import build
from vitviz.training.recipe import preset
from vitviz.training.supply import vary

FLAGSHIP = preset("cifar10-s4")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("mixing", [True, False])
def test_the_flagships_variation_compiles_whole(mixing):
    images, labels = torch.randint(0, 256, (30, 3, 32, 32), dtype=torch.uint8), torch.arange(30) % 10
    compiled = torch.compile(vary, backend="eager", fullgraph=True, dynamic=False)
    torch.manual_seed(0)
    expected = vary(FLAGSHIP, CIFAR10, images, labels, mixing)
    torch.manual_seed(0)
    torch.testing.assert_close(compiled(FLAGSHIP, CIFAR10, images, labels, mixing), expected)


@pytest.mark.parametrize("name", ["cifar10-s4", "cifar10-teacher"])
def test_the_networks_for_a_gpu_compile_whole_with_their_gradients(name):
    model = build(replace(preset(name).model, width=32, depth=2, mlp_width=48))
    images = torch.randn(4, 3, 32, 32)
    torch.nn.init.normal_(model.head.weight)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True, dynamic=False)
    found = []
    for network in (model, compiled):
        torch.manual_seed(0)  # of the branches that are skipped
        logits = network(images)
        logits.square().sum().backward()
        found.append((logits.detach(), {name: weight.grad for name, weight in model.named_parameters()}))
        model.zero_grad()
    torch.testing.assert_close(found[1], found[0])
