"""Linear layers by oneDNN: equal to PyTorch's, and used where they are faster."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vitviz.models.checkpoint import load
from vitviz.runs.training_run import train
from vitviz.training import loop, onednn
from vitviz.training.onednn import OneDNN

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
    pytest.mark.skipif(not onednn.is_available(), reason="this build of PyTorch has no oneDNN"),
]


@pytest.mark.parametrize("shape", [(6, 5), (3, 2, 5), (3, 4, 2, 5)])
@pytest.mark.parametrize("bias", [True, False])
def test_outputs_and_gradients_equal_those_of_pytorch(shape, bias):
    torch.manual_seed(0)
    layer, x = nn.Linear(5, 7, bias=bias), torch.randn(shape).requires_grad_()
    wanted = [x, *layer.parameters()]
    expected = layer(x)
    gradients = torch.autograd.grad(expected.square().sum() + expected.sum(), wanted)
    with OneDNN():
        found = layer(x)
    assert type(found.grad_fn).__name__ == "LinearBackward"
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(torch.autograd.grad(found.square().sum() + found.sum(), wanted), gradients)
    with OneDNN():
        torch.testing.assert_close(F.linear(x.detach(), layer.weight.detach()), F.linear(x, layer.weight))
        assert not F.linear(x.double(), layer.weight.double()).grad_fn.name().startswith("LinearBackward")


def test_a_run_uses_it_where_it_is_faster_and_a_resumed_one_by_its_record(config, lose_process, monkeypatch):
    monkeypatch.setattr(loop, "is_onednn_faster", lambda: True)
    lose_process(config, 5)
    monkeypatch.setattr(loop, "is_onednn_faster", lambda: False)
    calls, real = [], onednn.product
    monkeypatch.setattr(onednn, "product", lambda *args: calls.append(1) or real(*args))
    assert load(train(config, resume=True)).record["linear"] == "onednn"
    assert calls
