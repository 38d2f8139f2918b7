"""Training of a masked autoencoder: EMA, resume, fine-tuning, and options that it does not use."""

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from tests.training.trainings import create_run
from vitviz.data import cifar
from vitviz.errors import ConfigError, DataError
from vitviz.models import checkpoint
from vitviz.models.checkpoint import load
from vitviz.models.mae import reconstruct_images
from vitviz.runs import training_run
from vitviz.training import timeline
from vitviz.training.config import TrainConfig, apply_overrides, from_json, replace_fields
from vitviz.training.evaluation import load_test_set, measure_reconstruction
from vitviz.training.presets import PRESETS, get_preset

pytestmark = [
    pytest.mark.usefixtures("no_clock"),
    pytest.mark.filterwarnings("ignore:.* differs from the official CIFAR-10 file"),
]


@pytest.fixture
def config(config) -> TrainConfig:
    return replace(config, objective="mae", decoder_embed_dim=16, decoder_num_heads=2)


def test_the_result_is_the_ema_of_encoder_and_decoder(config):
    run = create_run(replace(config, ema_decay=0.3, warmup_fraction=0.0))
    expected = AveragedModel(run.training_module)
    for decay in (0.0, 2 / 11, 3 / 12):
        expected.multi_avg_fn = get_ema_multi_avg_fn(decay)
        run.step(torch.arange(25))
        expected.update_parameters(run.training_module)
    trained = run.training_module.decoder
    assert not torch.equal(expected.module.decoder.pred.weight, trained.pred.weight)
    assert torch.equal(trained.pos_embed, create_run(config).training_module.decoder.pos_embed), "it is fixed"
    tensors = run.result({}).tensors
    assert len(tensors) == len(expected.module.state_dict())
    for name, weight in expected.module.state_dict().items():
        assert torch.equal(tensors[name.removeprefix("vit.")], weight), name
    assert not any(module.training for module in run.ema_module.modules()), "no stochastic depth"


def test_a_lost_run_resumes_exactly(config, lose_process):
    config = replace(config, ema_decay=0.3)
    whole = load(training_run.train(replace(config, output_dir=f"{config.output_dir}-whole")))
    lose_process(config, 6)
    resumed = load(training_run.train(config, resume=True))
    assert whole.decoder.size == resumed.decoder.size == config.decoder
    assert all(torch.equal(resumed.tensors[name], weight) for name, weight in whole.tensors.items())
    assert whole.record["reconstruction_loss"] == resumed.record["reconstruction_loss"]
    first, second = (timeline.read(timeline.find(f"{config.output_dir}{end}")) for end in ("-whole", ""))
    assert first.reconstruction.shape == (4, 10, 32, 32, 3)
    assert np.array_equal(first.reconstruction, second.reconstruction)
    masked = first.mask.repeat(8, 1).repeat(8, 2)
    assert masked.mean() == 0.75
    assert (first.reconstruction[-1] == first.images)[~masked].all()
    images = torch.from_numpy(first.images).permute(0, 3, 1, 2)
    expected = reconstruct_images(whole, images, torch.from_numpy(first.mask)).permute(0, 2, 3, 1)
    assert np.array_equal(first.reconstruction[-1], expected)


def test_a_classifier_is_fine_tuned_from_the_result(config):
    path = training_run.train(replace(config, output_dir=f"{config.output_dir}-mae", epochs=1))
    result = load(path)
    images = cifar.load("test", config.data)[0]
    assert result.record["reconstruction_loss"] == measure_reconstruction(result, images, 0.75)
    assert not {"test_accuracy", "val_accuracy"} & result.record.keys()
    assert not result.network.head.weight.any(), "the classification head is not trained"
    with pytest.raises(DataError, match=r"must be a classifier .*: last was trained without labels\. Fine-tune it"):
        load_test_set(result, None, config.data)
    tuned = load(training_run.train(replace_fields(config, objective="classify", init_from=str(path))))
    assert (tuned.is_classifier, tuned.decoder) == (True, None)
    assert tuned.record["train_config"]["init_from"] == "run-mae", "the name of the run, not its path"


def test_the_loss_of_a_step_is_that_of_its_own_noise(config):
    run = create_run(config)
    images, labels = run.images[:25], run.labels[:25]
    torch.manual_seed(1)
    found = run.backward(images, labels, 0.0)
    torch.manual_seed(1)
    augmented, _ = run.augment(config, run.info, images, labels, False)
    assert found == run.training_module(augmented, torch.rand(25, 16), 0.75)


def test_options_that_an_objective_does_not_use_are_off_or_refused(subtests):
    off = TrainConfig(objective="mae")
    assert (off.cutmix_prob, off.randaug_num_ops, off.label_smoothing, off.patch_keep_start) == (0, 0, 0, 1)
    for name in PRESETS:
        if get_preset(name).model.architecture == "vit":
            assert apply_overrides(get_preset(name), ["objective=mae"]).mixup_prob == 0
    assert from_json(asdict(off)) == off
    for objective, name, value in [
        *(("mae", name, 0.4) for name in ("cutmix_prob", "mixup_prob", "label_smoothing", "patch_keep_end")),
        *(("mae", "teacher", "cifar10-ti4"), ("mae", "randaug_num_ops", 2)),
        *(("classify", "mask_ratio", 0.5), ("classify", "decoder_depth", 2)),
    ]:
        with subtests.test(name=name):
            with pytest.raises(ConfigError, match=f"does not apply to the objective {objective}: got {value}") as found:
                TrainConfig(objective=objective, **{name: value})
            assert found.value.field == name
    with pytest.raises(ConfigError, match=r"^cutmix_prob does not apply to the objective mae: got 0\.5"):
        apply_overrides(TrainConfig(), ["objective=mae", "cutmix_prob=0.5"])


def test_the_parameters_of_the_decoder_count(config):
    counts = [checkpoint.count_parameters(config.model, size) for size in (None, config.decoder)]
    run = create_run(config)
    assert counts[1] == sum(weight.numel() for weight in run.training_module.parameters())
    assert counts[0] == sum(weight.numel() for weight in run.model.parameters())
