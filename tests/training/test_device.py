"""What a process that trains asks of its machine."""

import platform
import resource

import pytest
import torch

from vitviz.training.device import bfloat16_is_faster, keep_freed_memory

LARGE = 2**26  # bytes, more than glibc keeps by itself


def pages_got_for(tensors: int) -> int:
    """Pages that the system hands out while so many large tensors are made, one after another."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(tensors):
        torch.ones(LARGE, dtype=torch.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is about glibc's memory")
def test_what_one_step_frees_the_next_one_gets_without_the_system():
    keep_freed_memory()
    pages_got_for(16)  # until there is a gap that is large enough with what alignment takes
    assert pages_got_for(4) < LARGE / resource.getpagesize()


@pytest.mark.parametrize("has", [True, False])
def test_a_gpu_computes_in_bfloat16_only_if_it_has_it_in_hardware(monkeypatch, has):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: has or including_emulation)
    assert bfloat16_is_faster(torch.device("cuda")) == has
