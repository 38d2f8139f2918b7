"""The files of a repository on the Hub, their upload, and the errors of both."""

from dataclasses import replace
from types import SimpleNamespace

import httpx
import huggingface_hub
import pytest
import timm
import torch
import yaml

import vitviz
from tests.models import families
from vitviz.errors import CheckpointError
from vitviz.models import publish
from vitviz.webapp.model_info import facts

ERRORS = huggingface_hub.errors


def test_a_dry_run_writes_weights_and_a_card_from_the_record(run_vitviz, tmp_path):
    folder = tmp_path / "repository"
    code, out, error = run_vitviz("push", "me/ti4", "cifar10-ti4", "--license", "apache-2.0", "--dry-run", folder)
    assert (code, error) == (0, "")
    assert out == f"{folder}: the files of me/ti4; nothing was uploaded\n"
    _, metadata, text = (folder / "README.md").read_text().split("---\n", 2)
    card = yaml.safe_load(metadata)
    assert (card["license"], card["library_name"], card["pipeline_tag"]) == (
        "apache-2.0",
        "timm",
        "image-classification",
    )
    assert card["datasets"] == ["uoft-cs/cifar10"]
    assert card["model-index"][0]["results"][0]["metrics"] == [{"type": "accuracy", "value": 0.9325}]
    for fact in (
        "| test accuracy | 93.3 % (10,000 test images, 95 % interval",
        "| epochs | 98.61 |",
        "CIFAR-10",
    ):
        assert fact in text
    assert 'timm.create_model("hf-hub:me/ti4", pretrained=True)' in text
    assert 'vitviz.load("hf:me/ti4")' in text
    pixels = families.images((32, 32), torch.float32)
    other = timm.create_model(f"local-dir:{folder}", pretrained=True).eval()
    with torch.no_grad():
        expected = vitviz.load("cifar10-ti4", device="cpu").network(pixels)
        torch.testing.assert_close(other(pixels), expected, rtol=0, atol=1e-5)


def test_a_card_states_what_is_known_of_a_loaded_model():
    model = vitviz.load(families.build("CLIP without projection", dtype=torch.float32))
    card = publish.model_card(model, "me/clip")
    assert (model.family, vitviz.load("cifar10-ti4").family) == ("CLIP", "ViT")
    assert "pipeline_tag: image-feature-extraction" in card
    assert "| converted from | CLIP |" in card
    assert "| license | not stated |" in card
    assert 'timm.create_model("hf-hub:me/clip", pretrained=True)' in card
    assert "accuracy" not in card


def test_a_fine_tuned_model_names_its_initial_checkpoint():
    model = vitviz.load("cifar10-ti4")
    options = model.train_config | {"init_from": "first"}
    tuned = replace(model, record=model.record | {"epochs": 3, "train_config": options})
    assert "| initialized from | first |" in publish.model_card(tuned, "me/tuned")
    assert dict(facts(tuned))["Training"].startswith("CIFAR-10, 3 epochs, initialized from first, test accuracy ")
    assert "initialized" not in publish.model_card(model, "me/ti4")
    assert dict(facts(model))["Training"].startswith("CIFAR-10, 98.61 epochs, test accuracy ")


def test_the_folder_is_uploaded(monkeypatch, run_vitviz):
    calls = []

    class Api:
        def create_repo(self, repository, **options):
            calls.append((repository, options))
            return f"https://huggingface.co/{repository}"

        def upload_folder(self, *, repo_id, folder_path, commit_message):
            calls.append((repo_id, sorted(file.name for file in folder_path.iterdir())))

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)
    code, out, _ = run_vitviz("push", "me/ti4", "cifar10-ti4", "--private")
    assert (code, out) == (0, "https://huggingface.co/me/ti4\n")
    assert calls == [
        ("me/ti4", {"private": True, "exist_ok": True}),
        ("me/ti4", ["README.md", "config.json", "model.safetensors"]),
    ]


def answer(status):
    """Return the error of huggingface_hub for a response of the Hub."""
    return ERRORS.HfHubHTTPError("no", response=httpx.Response(status, request=httpx.Request("POST", "https://x")))


@pytest.mark.parametrize(
    ("error", "match"),
    [
        (ERRORS.LocalTokenNotFoundError("no"), r"needs an account on the Hub: no valid token was found\. Run `hf auth"),
        (answer(401), "no valid token was found"),
        (answer(403), r"must be allowed to write to me/model: it is not\. Use a token with write permission"),
        (answer(500), "the Hub answered with status 500"),
        (ConnectionError("no"), r"the Hub cannot be reached \(ConnectionError\)\. Try again with a network"),
        (httpx.ConnectError("no"), r"the Hub cannot be reached \(ConnectError\)"),
    ],
)
def test_errors_of_the_upload_say_what_to_do(error, match, monkeypatch, tmp_path):
    def fail(*args, **options):
        raise error

    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: SimpleNamespace(create_repo=fail))
    with pytest.raises(CheckpointError, match=match):
        publish.push(tmp_path, "me/model")


def test_a_name_without_owner_is_refused_before_anything_is_written(run_vitviz, tmp_path):
    error = run_vitviz("push", "model", "cifar10-ti4", "--dry-run", tmp_path / "out")[2]
    assert "A repository must be OWNER/NAME: got 'model'" in error
    assert not (tmp_path / "out").exists()


def test_names_of_others_are_shown_as_text():
    assert publish.as_text("<img onerror=x>|a\n*b*_c_ [d](e)") == r"&lt;img onerror=x&gt;\|a \*b\*\_c\_ \[d\](e)"
