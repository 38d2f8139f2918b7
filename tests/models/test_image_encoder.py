"""The image encoder alone of a model with a text encoder: what is downloaded, and what is read."""

import json
import os
import subprocess

import huggingface_hub
import pytest
import safetensors
import torch
import transformers

import vitviz
from tests.models import families, test_towers
from tests.models.test_download import hub
from tests.models.two_towers import TEXTS, save_two_towers
from vitviz.errors import CheckpointError
from vitviz.models import checkpoint, downloads, zero_shot
from vitviz.models.hub_cache import COMMAND

NAME = "timm:timm/vit_small"
MODELS = {"CLIP": "1GB", "CLIP in shards": "100KB", "LLaVA in shards": "1MB"}  # and the largest size of a file


@pytest.fixture(params=MODELS)
def folder(request, tmp_path):
    """A model of images and texts, most of whose weights are embeddings of words."""
    torch.manual_seed(0)
    if request.param.startswith("CLIP"):
        config = transformers.CLIPConfig(
            vision_config=families.VISION, text_config=families.TEXT, projection_dim=12, architectures=["CLIPModel"]
        )
        model = transformers.CLIPModel(config)
    else:
        kind, name, parts, _ = test_towers.MODELS["LLaVA"]
        text = parts["text_config"] | {"vocab_size": 40_000}
        model = getattr(transformers, kind)(getattr(transformers, name)(**parts | {"text_config": text}))
    model.save_pretrained(tmp_path / "files", max_shard_size=MODELS[request.param])
    return tmp_path / "files"


@pytest.fixture
def connect(tmp_path, monkeypatch):
    """Return a function that makes a server the Hub, with an empty cache at first."""

    def to(address):
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", address)
        template = "/{repo_id}/resolve/{revision}/{filename}"
        for module in (huggingface_hub.constants, huggingface_hub.file_download):
            monkeypatch.setattr(module, "HUGGINGFACE_CO_URL_TEMPLATE", address + template, raising=False)
        for module in (huggingface_hub.constants, huggingface_hub.file_download.constants):
            monkeypatch.setattr(module, "HF_HUB_CACHE", str(tmp_path / "cache"))

    return to


def encoder_bytes(folder):
    """Return the bytes of the image encoder's tensors, and of the headers of the files."""
    size = headers = 0
    for path in folder.glob("*.safetensors"):
        with safetensors.safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys() if "vis" in name}  # noqa: SIM118
        size += sum(tensor.nbytes for tensor in tensors.values())
        headers += 8 + int.from_bytes(path.read_bytes()[:8], "little")
    return size, headers


def weight_bytes(served):
    return sum(count for name, count in served.items() if name.endswith(".safetensors"))


@pytest.mark.parametrize("cdn", ["", "localhost"])
def test_only_the_bytes_of_the_image_encoder_are_downloaded(folder, connect, cdn):
    expected, served = vitviz.load(folder), {}
    size, headers = encoder_bytes(folder)
    whole = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    with hub(folder, served=served, cdn=cdn) as address:
        connect(address)
        found = vitviz.load(NAME)
        assert 10 * size < whole
        assert size < weight_bytes(served) <= size + headers
        served.clear()
        downloads.fetch(NAME)
        assert weight_bytes(served) == 0
    pixels = families.images(families.SQUARE, torch.float32)
    torch.testing.assert_close(found.network(pixels), expected.network(pixels), rtol=0, atol=0)
    connect("http://127.0.0.1:9")  # nothing listens there
    assert vitviz.load(NAME).config == expected.config
    with pytest.raises(CheckpointError, match="must be in the cache without a network"):
        downloads.fetch(NAME, has_text=True)


def test_the_text_encoder_is_downloaded_when_texts_become_the_classes(connect, tmp_path):
    save_two_towers("CLIP", tmp_path / "files", vocab_size=60_000)
    expected = vitviz.load(tmp_path / "files", device="cpu", classes=TEXTS)
    pixels, served = families.images(families.SQUARE, torch.float32), {}
    with hub(tmp_path / "files", served=served) as address:
        connect(address)
        encoder = vitviz.load(NAME, device="cpu")
        part = weight_bytes(served)
        with pytest.raises(CheckpointError, match="must be in the cache without a network"):
            zero_shot.with_classes(encoder, TEXTS, offline=True)
        assert weight_bytes(served) == part
        found = zero_shot.with_classes(encoder, TEXTS)
        whole = (tmp_path / "files" / "model.safetensors").stat().st_size
        assert 10 * part < whole == weight_bytes(served) - part
        assert served["tokenizer.json"]
        served.clear()
        direct = vitviz.load(NAME, device="cpu", classes=TEXTS)
        assert served == {}
    for one in (found, direct):
        torch.testing.assert_close(one.network(pixels), expected.network(pixels), rtol=0, atol=0)
    connect("http://127.0.0.1:9")  # nothing listens there
    assert zero_shot.with_classes(encoder, TEXTS[::-1]).labels == TEXTS[::-1]


def test_a_switched_off_hub_is_not_asked(folder, connect, monkeypatch):
    served = {}
    with hub(folder, served=served) as address:
        connect(address)
        downloads.download("timm/vit_small", "config.json")
        served.clear()
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
        with pytest.raises(CheckpointError, match="must be in the cache without a network"):
            vitviz.load(NAME)
    assert served == {}


@pytest.mark.slow
def test_the_download_of_the_page_reports_the_bytes_of_the_image_encoder(folder, tmp_path):
    size, _ = encoder_bytes(folder)
    with hub(folder) as address:
        env = os.environ | {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "0"}
        done = subprocess.run(
            [*COMMAND, NAME], env=env | {"NO_PROXY": "127.0.0.1"}, capture_output=True, text=True, check=True
        )
    assert json.loads(done.stdout.splitlines()[-1])["total"] == size
    [part] = (tmp_path / "home").rglob("image_encoder*")
    assert part.stat().st_size >= size


def test_a_server_without_ranges_sends_whole_files(folder, connect, tmp_path):
    served = {}
    with hub(folder, has_ranges=False, served=served) as address:
        connect(address)
        assert vitviz.load(NAME).config == vitviz.load(folder).config
    assert not list((tmp_path / "cache").rglob("image_encoder*"))


def test_a_broken_download_is_one_sentence_and_continues(folder, connect, tmp_path):
    cut = [path.name for path in folder.glob("*.safetensors")]
    size, headers = encoder_bytes(folder)
    with hub(folder, cut) as address:
        connect(address)
        with pytest.raises(CheckpointError, match=r"The image encoder of timm/vit_small was not downloaded completely"):
            vitviz.load(NAME)
    [part] = (tmp_path / "cache").rglob("*.incomplete")
    arrived, served = part.stat().st_size, {}
    assert arrived > size // 4
    with hub(folder, served=served) as address:
        connect(address)
        assert vitviz.load(NAME).config == vitviz.load(folder).config
    assert weight_bytes(served) <= size + headers - size // 4
    assert not part.exists()


def test_only_the_image_encoder_of_a_folder_is_read(folder, monkeypatch):
    size, _ = encoder_bytes(folder)
    index = folder / "model.safetensors.index.json"
    if index.exists():
        files = json.loads(index.read_text())["weight_map"]
        needed = {file for name, file in files.items() if "vis" in name}
        for file in set(files.values()) - needed:
            (folder / file).unlink()
        assert len(needed) < len(set(files.values()))
    monkeypatch.setattr(checkpoint, "available_memory", lambda: 2 * size)
    assert vitviz.load(folder, check=False).config.embed_dim == families.D
