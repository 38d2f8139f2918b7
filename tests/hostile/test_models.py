"""Mutated folders of models load with the logits of their library, or are refused in one sentence."""

import shutil
import warnings

import pytest
import timm
import torch
import transformers

import vitviz
from tests.hostile import models
from tests.models import families
from vitviz.errors import CheckpointError
from vitviz.models.originals import silent

SAMPLE, ALL = 150, 1000


def library_logits(folder, name, pixels):
    """Return the output of the model that the library itself loads; None if it refuses the folder or fills it up."""
    try:
        if name.startswith("timm"):
            module = timm.create_model(f"local-dir:{folder}", pretrained=True).eval()
            return module(pixels)
        with silent():
            kind = type(families.BUILDERS[name](families.SQUARE))
            module, info = kind.from_pretrained(folder, output_loading_info=True)
        if info["missing_keys"] or info["mismatched_keys"]:
            return None
        found = module.float().eval()(pixels)
    except Exception:
        return None
    names = ("logits", "image_embeds", "pooler_output")
    return next(value for key in names if (value := getattr(found, key, None)) is not None)


@torch.no_grad()
def check(folder, count):
    """Return what is wrong with each of `count` mutated folders, and how many of them load."""
    faults, loaded, sources = [], 0, models.originals(folder / "originals")
    before = {name: vitviz.load(source, device="cpu").network for name, source in sources.items()}
    for seed in range(count):
        name = models.NAMES[seed % len(models.NAMES)]
        target = folder / "mutated"
        described = f"{seed} {name}: {models.mutate(sources[name], target, seed)}"
        try:
            network = vitviz.load(target, device="cpu").network
            pixels = families.images(network.config.img_size, torch.float32)
            loaded, ours = loaded + 1, network(pixels)
            theirs = library_logits(target, name, pixels)
            if theirs is None and network.config.img_size == before[name].config.img_size:
                theirs = before[name](pixels)
            if theirs is not None and (
                ours.shape != theirs.shape
                or not torch.allclose(ours, theirs, rtol=0, atol=1e-4 * float(theirs.abs().max()))
            ):
                faults.append(f"{described}: other logits")
        except CheckpointError as error:
            if len(str(error)) > 700 or not str(error).isprintable():
                faults.append(f"{described}: {str(error)[:200]!r}")
        except Exception as error:
            faults.append(f"{described}: {type(error).__name__} {str(error)[:120]}")
        shutil.rmtree(target)
    return faults, loaded


@pytest.mark.slow
def test_a_sample_of_mutated_folders_loads_as_by_the_library_or_is_refused(tmp_path):
    faults, loaded = check(tmp_path, SAMPLE)
    assert faults == []
    assert loaded > SAMPLE // 20


@pytest.mark.hostile
def test_all_mutated_folders_load_as_by_the_library_or_are_refused(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        faults, _ = check(tmp_path, ALL)
    assert faults == []
    assert transformers.logging.get_verbosity() >= 0
