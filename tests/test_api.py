"""The public API: names, laziness, device and precision, and the thin functions."""

import subprocess
import sys
from importlib import resources

import numpy as np
import pytest
import torch

import vitviz
from tests import tiny
from vitviz.data.preprocessing import load_samples, sample_paths
from vitviz.data.samples import example_paths
from vitviz.errors import CheckpointError, ConfigError

PUBLIC = {
    "METHODS",
    "PRESETS",
    "Checkpoint",
    "CheckpointError",
    "ConfigError",
    "DataError",
    "Explanation",
    "ImageError",
    "Subject",
    "TrainConfig",
    "TrainingError",
    "View",
    "VitvizError",
    "app",
    "capture",
    "ViTConfig",
    "__version__",
    "compare",
    "contact_sheet",
    "evaluate",
    "explain",
    "head_factors",
    "linear_probe",
    "load",
    "patch_activations",
    "probe",
    "reconstruct",
    "swap_class_token",
    "train",
    "tuned_lens",
    "verify",
    "watch",
    "widget",
}


def test_dir_lists_exactly_the_public_names_and_all_exist():
    assert set(dir(vitviz)) == PUBLIC == {*vitviz.__all__, "__version__"}
    assert all(getattr(vitviz, name) is not None for name in PUBLIC)
    with pytest.raises(AttributeError, match="module 'vitviz' has no attribute 'nonsense'"):
        vitviz.nonsense  # noqa: B018


def test_an_explanation_has_the_documented_members():
    fields = {"ablations", "context", "image", "name", "origin", "original"}
    results = {"attention", "average", "cls_attention", "cls_maps", "labels", "logits", "prediction", "probabilities"}
    methods = {"ablate", "attention_map", "attention_maps", "contributions", "features", "figure", "map", "methods"}
    methods |= {"pca", "save", "score", "similarity", "target"}
    members = {*vitviz.Explanation.__dataclass_fields__, *dir(vitviz.Explanation)}
    assert {name for name in members if not name.startswith("_")} == fields | results | methods


def test_importing_vitviz_does_not_import_torch():
    code = "import sys, vitviz; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_package_ships_the_marker_of_its_types():
    assert resources.files("vitviz").joinpath("py.typed").is_file()


def test_a_loaded_model_has_the_documented_attributes(tiny_file):
    model = vitviz.load(tiny_file, device="cpu")
    assert isinstance(model, vitviz.Checkpoint)
    assert (model.name, model.config, len(model.labels)) == ("tiny", tiny.CONFIG, tiny.K)
    assert model.preprocessing.img_size == tiny.CONFIG.img_size
    assert model.network(tiny.images()).shape == (tiny.B, tiny.K)
    assert model.record["epochs"] == 2


def test_precision_is_float32_by_default_and_bfloat16_on_request(tiny_file):
    assert vitviz.load(tiny_file, device="cpu").network.head.weight.dtype == torch.float32
    model = vitviz.load(tiny_file, device="cpu", precision="bfloat16")
    assert model.network.head.weight.dtype == torch.bfloat16
    explanation = vitviz.explain(model, tiny.pixels())
    np.testing.assert_allclose(explanation.attention.sum(-1), 1, rtol=0, atol=1e-2)


@pytest.mark.parametrize(
    ("options", "field"),
    [({"device": "tpu"}, "device"), ({"precision": "int8"}, "precision"), ({"device": 0}, "device")],
)
def test_an_unknown_device_or_precision_is_refused(tiny_file, options, field):
    with pytest.raises(ConfigError, match=f"{field} must be one of auto, ") as caught:
        vitviz.load(tiny_file, **options)
    assert caught.value.field == field


def test_a_model_whose_logits_overflow_is_refused_instead_of_labeled(tiny_checkpoint):
    with torch.no_grad():
        tiny_checkpoint.network.norm.weight.mul_(1e30)
        tiny_checkpoint.network.head.weight.mul_(1e30)
    with pytest.raises(CheckpointError, match="The logits of tiny must be finite: got NaN or infinity"):
        vitviz.explain(tiny_checkpoint, tiny.pixels())


def test_probe_accepts_images_a_tensor_or_nothing(tiny_checkpoint):
    paths = list(sample_paths().values())
    batch = load_samples(tiny.CONFIG.img_size)
    default = vitviz.probe(tiny_checkpoint)
    for images in (paths, batch):
        np.testing.assert_array_equal(vitviz.probe(tiny_checkpoint, images).entropy, default.entropy)
    with pytest.raises(ValueError, match="at least one"):
        vitviz.probe(tiny_checkpoint, [])


def test_probe_finds_images_by_name_as_explain_does(tiny_checkpoint):
    named, opened = (vitviz.probe(tiny_checkpoint, [image]) for image in ("cat", example_paths()["cat"]))
    np.testing.assert_array_equal(named.entropy, opened.entropy)


@pytest.mark.filterwarnings("ignore:.*differs")
def test_train_returns_the_model_and_evaluate_its_recorded_accuracy(cifar_folder, cifar_config, tmp_path):
    config = vitviz.TrainConfig(
        model=cifar_config,
        data=str(cifar_folder),
        output_dir=str(tmp_path / "first"),
        epochs=1,
        minutes=None,
        batch_size=50,
        num_snapshots=0,
        device="cpu",
    )
    model = vitviz.train(config)
    assert (model.name, model.config) == ("first", cifar_config)
    assert vitviz.evaluate(model, cifar_folder) == model.record["test_accuracy"]
