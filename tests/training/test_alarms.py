"""Alarms of a training: planted failures are reported at their step, and nothing else; healthy runs have none."""

import json
import math
from dataclasses import replace

import pytest
import torch

import vitviz
from tests import tiny
from tests.models.families import SQUARE, K, of_timm
from vitviz.errors import TrainingError
from vitviz.runs import run_folder
from vitviz.runs.run_folder import METRICS
from vitviz.runs.store import Runs
from vitviz.runs.training_run import train
from vitviz.training.alarms import Alarm, measure_signals
from vitviz.training.loop import TrainingLoop
from vitviz.training.presets import PRESETS
from vitviz.webapp.schemas.runs import PollRequest
from vitviz.webapp.trainings import Trainings

pytestmark = pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file")
STEP = 5  # at which a failure is planted; an epoch has four


@pytest.fixture
def config(config, no_clock):
    """A network without QK-norm, with a snapshot at each step."""
    model = replace(config.model, qk_norm=False, qkv_bias=True)
    return replace(config, model=model, num_snapshots=1000, max_train_samples=100)


def reported(folder) -> list[tuple[float, str]]:
    """Return epoch and kind of each alarm in the metrics."""
    lines = map(json.loads, (folder / METRICS).read_text().splitlines())
    return [(alarm["epoch"], alarm["kind"]) for line in lines for alarm in line["alarms"]]


def train_with(config, monkeypatch, plant) -> list[tuple[float, str]]:
    """Train with a failure planted into the model after a step; return the alarms."""
    real = TrainingLoop.step

    def step(run, batch):
        real(run, batch)
        if run.step_count == STEP:
            with torch.no_grad():
                plant(run)

    with monkeypatch.context() as patch:
        patch.setattr(TrainingLoop, "step", step)
        train(config)
    return reported(config.folder)


def attention(run, layer=1):
    return run.model.blocks[layer].attn


def sharpen_queries(run):
    attention(run).qkv.weight[: run.config.model.embed_dim] *= 1e4


def drop_values(run):
    d = run.config.model.head_dim
    attention(run).qkv.weight[2 * run.config.model.embed_dim :][:d] = 0
    attention(run).qkv.bias[2 * run.config.model.embed_dim :][:d] = 0


def drop_projection(run):
    attention(run).proj.weight[:, : run.config.model.head_dim] = 0


def aim_at_class_token(run):
    """Give all queries of a head one direction, and the key of the class token a large component along it."""
    D, d = run.config.model.embed_dim, run.config.model.head_dim
    block = run.model.blocks[1]
    output = run.model.eval().forward_with_attention(run.timeline.inputs, "full")
    run.model.train()
    x = block.norm1(output.layer_tokens[1])
    toward = x[:, 0].mean(0) - x[:, 1:].mean((0, 1))
    block.attn.qkv.weight[:d], block.attn.qkv.bias[:d] = 0, 0
    block.attn.qkv.bias[0] = 100.0
    block.attn.qkv.weight[D : D + 1] = toward


def enlarge_tokens(run):
    block = run.model.blocks[0]
    block.mlp.fc2.bias += 1e5 / run.config.model.embed_dim**0.5


def enlarge_class_token(run):
    run.model.cls_token += 1e3


PLANTED = {
    "entropy": sharpen_queries,
    "head": drop_values,
    "head by its projection": drop_projection,
    "sink": aim_at_class_token,
    "growth": enlarge_tokens,
    "outlier": enlarge_class_token,
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_failure_is_reported_at_its_step_and_nothing_else(config, monkeypatch, name):
    assert train_with(config, monkeypatch, PLANTED[name]) == [(STEP / 4, name.split()[0])]


def test_a_huge_learning_rate_without_qk_norm_and_warmup_collapses_the_entropy(config):
    unstable = {"optimizer": "adamw", "lr": 1.0, "warmup_fraction": 0.0, "lr_schedule": "constant"}
    train(replace(config, **unstable, grad_clip_norm=1e3))
    (_, first), *others = reported(config.folder)
    assert first == "entropy"
    assert {kind for _, kind in others} <= {"outlier", "growth"}, "token norms grow in the same run"


@pytest.mark.parametrize("num_snapshots", [0, 1000])
def test_a_loss_that_is_not_finite_ends_the_run_with_its_step(config, monkeypatch, num_snapshots):
    def plant(run):
        run.model.head.bias[0] = math.nan

    config = replace(config, num_snapshots=num_snapshots)
    with pytest.raises(TrainingError, match=rf"The loss is nan at step {STEP + 1}, epoch {(STEP + 1) / 4:.2f}\."):
        train_with(config, monkeypatch, plant)
    assert reported(config.folder) == []


HEALTHY = {
    "tiny": lambda config: config,
    "with QK-norm": lambda config: replace(config, model=replace(config.model, qk_norm=True)),
    **{
        name: lambda config, preset=preset: replace(
            preset.config,
            data=config.data,
            output_dir=config.output_dir,
            device="cpu",
            model=replace(preset.config.model, patch_size=8, embed_dim=24, depth=2, num_heads=2),
            epochs=2,
            minutes=None,
            batch_size=25,
            num_snapshots=1000,
        )
        for name, preset in PRESETS.items()
    },
}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_run_has_no_alarm(config, name):
    for seed in range(2):
        healthy = replace(HEALTHY[name](config), seed=seed, output_dir=f"{config.output_dir}-{seed}")
        train(healthy)
        assert reported(healthy.folder) == []


def test_an_alarm_is_a_sentence_with_the_epoch_the_place_and_the_cure():
    alarm = Alarm("head", 1.25, 0.002, layer=1, head=2, more=1)
    assert str(alarm) == (
        "Epoch 1.25: head 3 of layer 2 (and 1 other head) adds almost nothing: 0.2 % of the mean head of its layer; "
        "a lower learning rate or weight decay usually helps, or fewer heads."
    )


def test_signals_by_hand():
    """The tiny model without attention to its own scores: uniform attention."""
    model = tiny.model()
    for layer in range(tiny.L):
        model.blocks[layer].attn.qkv.weight.data[: tiny.D] = 0
        if (bias := model.blocks[layer].attn.qkv.bias) is not None:
            bias.data[: tiny.D] = 0
    found = measure_signals(model, tiny.images(batch=6))
    assert found.entropy.shape == found.sink_share.shape == found.head_output.shape == (tiny.L, tiny.A)
    torch.testing.assert_close(found.entropy, torch.ones(tiny.L, tiny.A))
    torch.testing.assert_close(found.sink_share, torch.full((tiny.L, tiny.A), 1 / tiny.T))
    torch.testing.assert_close(found.head_output.mean(1), torch.ones(tiny.L))
    with torch.no_grad():
        output = model.forward_with_attention(tiny.images(batch=4), "full")
    norms = output.tokens.norm(dim=-1).flatten(1)
    torch.testing.assert_close(found.outlier * found.token_norm, norms.amax(1))
    values = model.value_vectors(0, output.tokens[0])  # uniform attention: each head adds the mean of its values
    added = values.mean(2).norm(dim=-1).mean(0)
    torch.testing.assert_close(found.head_output[0], added / added.mean())


@pytest.mark.parametrize("is_training", [True, False])
def test_measuring_keeps_the_mode_of_the_model(is_training):
    model = tiny.model().train(is_training)
    measure_signals(model, tiny.images(batch=2))
    assert model.training is is_training


@pytest.fixture
def watched(tmp_path):
    torch.manual_seed(0)
    module = of_timm("vit_tiny_patch16_224")(SQUARE)
    folder = tmp_path / "runs" / "mine"
    pixels = torch.randint(0, 256, (2, 3, *SQUARE), dtype=torch.uint8)
    return module, vitviz.watch(module, pixels, output_dir=folder, labels=[f"class {k}" for k in range(K)]), folder


def test_a_watched_training_warns_once_and_the_page_gets_the_sentence(watched):
    module, watch, folder = watched
    watch(1, 0.5)
    with torch.no_grad():
        module.blocks[1].attn.proj.weight[:, : module.blocks[1].attn.head_dim] = 0
    with pytest.warns(UserWarning, match="Epoch 2.00: head 1 of layer 2 adds almost nothing") as caught:
        watch(2, 0.5)
    watch(3, 0.5)  # warnings are errors here
    with pytest.warns(UserWarning, match="Epoch 4.00: the loss is nan; a lower learning rate"):
        watch(4, math.nan)
    watch.close()
    assert len(caught) == 1
    assert reported(folder) == [(2, "head"), (4, "loss")]
    lines = Trainings(root=folder.parent).poll(PollRequest(run="mine")).metrics.lines
    assert [line.alarms for line in lines] == [(), (str(caught[0].message),), (), lines[3].alarms]
    assert lines[3].loss is None
    assert 0 < lines[0].entropy <= 1


def test_metrics_of_an_earlier_version_are_read(watched):
    _, watch, folder = watched
    watch.close()
    old = {"progress": 0.1, "epoch": 1.0, "seconds": 1.0, "loss": 0.5, "learning_rate": 0.1}
    run_folder.append_line(folder / METRICS, json.dumps(old | {"images_per_second": 1.0}) + "\n")
    old |= {"images_per_second": 1.0, "accuracy": None, "train_accuracy": None}
    run_folder.append_line(folder / METRICS, json.dumps(old) + "\n")
    lines = Trainings(root=folder.parent).poll(PollRequest(run="mine")).metrics.lines
    assert [(line.loss, line.distance, line.alarms) for line in lines] == [(0.5, None, ())]
    assert Runs(folder.parent).find("mine").epoch == 1.0
