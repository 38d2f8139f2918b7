"""Memory of a process: a training keeps what it frees, a server returns it and limits fragmentation."""

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="tests glibc's malloc")

LARGE = 2**26  # bytes, more than glibc keeps by default

FAULTS = """
import resource
import torch
from vitviz.malloc import keep_freed_memory

def count_page_faults(tensors):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(tensors):
        torch.ones({large}, dtype=torch.uint8)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

keep_freed_memory()
count_page_faults(16)  # until the heap has a gap that is large enough with alignment
print(count_page_faults(4))
"""

# Keeps every sixteenth of 512 tensors of 1 MiB. Prints the growth of the process, and after the call (MiB).
GAPS = """
import os
import torch
from vitviz.malloc import return_freed_memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 2**20

torch.ones(2**24, dtype=torch.uint8)  # freed at once: from now on smaller tensors are placed in the heap
before = resident()
tensors = [torch.ones(2**20, dtype=torch.uint8) for _ in range(512)]
kept = tensors[15::16]
del tensors
grown = resident() - before
return_freed_memory()
print(grown, resident() - before)
"""

# Prints 1 if memory allocated in a new thread is in the heap of the process, else 0.
ARENAS = """
import ctypes
import threading
from vitviz.malloc import limit_fragmentation

def allocate():
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    address = libc.malloc(100_000)
    with open("/proc/self/maps") as file:
        heap = next(line for line in file if line.endswith("[heap]\\n")).split()[0]
    start, end = (int(word, 16) for word in heap.split("-"))
    print(int(start <= address < end))

{call}
thread = threading.Thread(target=allocate)
thread.start()
thread.join()
"""

# Prints how many of four arrays of an explanation are in the heap of the process.
MAPPINGS = """
import vitviz
from vitviz.malloc import limit_fragmentation

{call}
ex = vitviz.explain(vitviz.load("cifar10-ti4"), "cat")
ex.map("relevance")
context = ex.context
(gradients,) = context.cached_gradients.values()
with open("/proc/self/maps") as file:
    heap = next(line for line in file if line.endswith("[heap]\\n")).split()[0]
start, end = (int(word, 16) for word in heap.split("-"))
arrays = (ex.attention, gradients.attention, context.output.tokens.numpy(), context.output.layer_tokens[3].numpy())
print(sum(start <= array.ctypes.data < end for array in arrays))
"""


def run(program: str) -> list[int]:
    """Return the numbers that a program prints in a new process."""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [int(word) for word in result.stdout.split()]


def test_a_training_reuses_freed_memory_without_page_faults():
    import resource

    (faults,) = run(FAULTS.format(large=LARGE))
    assert faults < LARGE / resource.getpagesize()


def test_the_threads_of_a_server_share_one_arena():
    assert run(ARENAS.format(call="")) == [0]
    assert run(ARENAS.format(call="limit_fragmentation()")) == [1]


def test_a_server_stores_explanations_outside_the_heap():
    assert run(MAPPINGS.format(call=""))[0] > 0
    assert run(MAPPINGS.format(call="limit_fragmentation()")) == [0]


def test_a_server_returns_the_memory_between_tensors_that_it_keeps():
    before, after = run(GAPS)
    assert before > 500  # all but what is kept was freed
    assert after < 100
