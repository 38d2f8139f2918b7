"""Names of models as people write them, and where timm's weights are."""

import importlib.util
import re

import huggingface_hub
import pytest
import timm

import vitviz
from scripts import timm_names
from tests.models import families
from vitviz.errors import CheckpointError
from vitviz.models import names
from vitviz.models.names import find_architecture, parse_repository, standard_name

HUB = "https://huggingface.co/google/vit-base"
QUICK = "vit_base_patch32_clip_quickgelu_224.openai"


def test_every_name_of_timm_leads_to_where_timm_has_its_weights():
    known = {name: timm.get_pretrained_cfg(name) for name in [*timm.list_pretrained(), *timm.list_models()]}
    expected = {name: cfg.hf_hub_id or cfg.url for name, cfg in known.items() if cfg and (cfg.hf_hub_id or cfg.url)}
    assert {name: names.timm_names().get(name) for name in expected} == expected
    assert names.TIMM_NAMES.read_text() == timm_names.table()


@pytest.mark.parametrize("has_timm", [False, True])
@pytest.mark.parametrize(
    ("name", "repository"),
    [
        (QUICK, "timm/vit_base_patch32_clip_224.openai"),
        ("vit_small_patch16_lingbot.robbyant", "belfner/vit_small_patch16_lingbot.robbyant"),
        ("vit_small_patch16_224", "timm/vit_small_patch16_224.augreg_in21k_ft_in1k"),
        ("vit_of_tomorrow.tag", "timm/vit_of_tomorrow.tag"),
        ("vit_small_patch16_224.dinoo", "timm/vit_small_patch16_224.dinoo"),
    ],
)
def test_a_name_of_timm_is_found_with_and_without_timm(monkeypatch, has_timm, name, repository):
    names.find_timm.cache_clear()
    if not has_timm:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert parse_repository(f"timm:{name}@v1") == (repository, "v1")


def test_a_newer_timm_is_asked_for_names_that_the_table_lacks(monkeypatch):
    monkeypatch.setattr(names, "timm_names", dict)
    names.find_timm.cache_clear()
    assert parse_repository(f"timm:{QUICK}")[0] == "timm/vit_base_patch32_clip_224.openai"


def test_weights_outside_the_hub_name_their_address_and_the_command():
    with pytest.raises(CheckpointError, match=r"from https://.*ijepa.*--like timm:vit_huge_patch14_gap_224`"):
        vitviz.load("timm:vit_huge_patch14_gap_224.in1k_ijepa")


def test_weights_of_two_architectures_get_that_of_the_name(tmp_path, monkeypatch):
    """The repository's config.json names the architecture without QuickGELU, as that of OpenAI's CLIP does."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    for module in (huggingface_hub.constants, huggingface_hub.file_download.constants):
        monkeypatch.setattr(module, "HF_HUB_CACHE", str(tmp_path))
    repository = tmp_path / "models--timm--vit_base_patch32_clip_224.openai"
    families.saved("timm CLIP", repository / "snapshots" / ("0" * 40), architecture="vit_base_patch32_clip_224")
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0" * 40)
    found = {name: vitviz.load(name) for name in (f"timm:{QUICK}", QUICK, "timm:vit_base_patch32_clip_224.openai")}
    assert [model.config.act_layer for model in found.values()] == ["quick_gelu", "quick_gelu", "gelu"]
    assert found[QUICK].name == QUICK
    assert find_architecture("timm:vit_base_patch32_clip_224.openai") == ""


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("cifar10-ti4", "cifar10-ti4"),
        ("hf_hub:timm/vit_tiny@v1", "hf:timm/vit_tiny@v1"),
        ("hf-hub:google/vit-base", "hf:google/vit-base"),
        (HUB, "hf:google/vit-base"),
        (f"{HUB}/?library=timm#files", "hf:google/vit-base"),
        (f"{HUB}/tree/main", "hf:google/vit-base"),
        (f"{HUB}/blob/v1.0/model-00001-of-00002.safetensors", "hf:google/vit-base@v1.0"),
        (f"{HUB}/resolve/refs%2Fpr%2F1/config.json?download=true", "hf:google/vit-base@refs/pr/1"),
        ("huggingface.co/google/vit-base", "hf:google/vit-base"),
        ("vit_small_patch16_224.dino", "timm:vit_small_patch16_224.dino"),
        ("vit_small_patch16_224@v1", "timm:vit_small_patch16_224@v1"),
        ("google/vit-base", "hf:google/vit-base"),
        ("google/vit-base@v1", "hf:google/vit-base@v1"),
        ("google/vit.safetensors", "google/vit.safetensors"),
        ("runs/vit-base", "runs/vit-base"),  # the folder exists, so it may be a mistake
        ("here/model", "here/model"),  # exists
        ("nothing", "nothing"),
        ("vit_small_patch16_224@v1@448px", "timm:vit_small_patch16_224@v1@448px"),
        ("google/vit-base@336x448px", "hf:google/vit-base@336x448px"),
        ("here/model@64x64px", "here/model@64px"),
    ],
)
def test_a_name_means_a_repository_where_no_file_has_it(tmp_path, monkeypatch, written, meant):
    monkeypatch.chdir(tmp_path)
    for folder in ("runs", "here/model", "vit_large_patch16_224.mae"):
        (tmp_path / folder).mkdir(parents=True)
    assert standard_name(written) == meant
    assert standard_name("vit_large_patch16_224.mae") == "vit_large_patch16_224.mae"


@pytest.mark.parametrize(
    ("name", "match"),
    [
        (
            f"{HUB}/blob/main/pytorch_model.bin",
            r"pytorch_model\.bin is a part of one\. For all of it: hf:google/vit-base",
        ),
        (f"{HUB}/tree/main/onnx", "onnx is a part of one"),
        ("https://huggingface.co/datasets/a/b", "must be that of a model on the Hub"),
        ("https://huggingface.co/google", "must be that of a model on the Hub"),
        ("vit_small_patch16_224.dinoo", r"Did you mean vit_small_patch16_224\.dino\?"),
    ],
)
def test_an_address_or_name_of_no_model_is_refused(name, match):
    with pytest.raises(CheckpointError, match=match):
        vitviz.load(name)


@pytest.mark.parametrize(
    ("name", "repository", "revision"),
    [
        ("timm:vit_tiny", "timm/vit_tiny", ""),
        ("timm:owner/vit@v1.0", "owner/vit", "v1.0"),
        ("hf:google/vit-base@refs/pr/3", "google/vit-base", "refs/pr/3"),
        ("hf:google/vit@" + "a1" * 20, "google/vit", "a1" * 20),
    ],
)
def test_a_name_of_the_hub_has_a_repository_and_a_revision(name, repository, revision):
    assert parse_repository(name) == (repository, revision)


@pytest.mark.parametrize("name", ["../x y", "google", "a/b@../c", "a/b@/c", "a/b@.c", "a/b@c//d", "a/b@c@d", "a/../b"])
def test_a_name_that_is_no_repository_or_revision_is_refused(name):
    with pytest.raises(
        CheckpointError,
        match=re.escape(f"must be timm:NAME or hf:OWNER/NAME, or either with @REVISION: got 'hf:{name}'"),
    ):
        vitviz.load(f"hf:{name}")
