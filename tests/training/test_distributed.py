"""Data parallelism with two processes on this machine: equal weights, and the loss of a process."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.distributed.run import get_args_parser
from typer.main import get_command

from tests import tiny
from vitviz.cli import app
from vitviz.errors import TrainingError
from vitviz.models.checkpoint import load
from vitviz.training import distributed as distributed_module
from vitviz.training.distributed import ATTEMPT, Distributed

PROCESS = """
import json, os, sys
from vitviz.data import cifar
from vitviz.models.config import ViTConfig
from vitviz.runs import training_run
from vitviz.training import device
from vitviz.training.config import TrainConfig
from vitviz.training.distributed import Distributed

cifar.RECORDS = 20  # as in the fixture `cifar_folder`
device.is_bfloat16_faster = lambda device: False

class Watched(Distributed):
    def __enter__(self):
        group = super().__enter__()
        found.update(broadcast=group.broadcast(0.25 + group.rank, group.rank), is_main=group.is_main_process)
        found.update(max=group.all_reduce_max(group.rank, 1 - group.rank, -1), mean=group.all_reduce_mean(group.rank))
        return group


found = {}
training_run.Distributed = Watched
data, output_dir, teacher, objective = sys.argv[1:]
parts = 5 if os.environ["WORLD_SIZE"] == "2" else 1  # equal to the whole batch
model = ViTConfig(patch_size=8, embed_dim=24, depth=2, num_heads=2, mlp_ratio=40 / 24)
augmentation = dict(randaug_num_ops=2, cutmix_prob=0.5, random_erasing_prob=0.2, patch_keep_start=0.5)
augmentation = augmentation if objective == "classify" else {}
config = TrainConfig(
    model=model, data=data, output_dir=output_dir, epochs=2, minutes=None, device="cpu", num_snapshots=0,
    batch_size=25 // parts, grad_accum_steps=parts, grad_clip_norm=0.5, ema_decay=0.5, teacher=teacher or None,
    objective=objective, **augmentation,
)
training_run.train(config)
print(json.dumps(found))
"""
LOST_PROCESS = """
import os, sys
import torch
from vitviz.errors import TrainingError
from vitviz.training.distributed import Distributed

how, rank = sys.argv[1], int(os.environ["RANK"])
try:
    with Distributed() as group:
        model = group.wrap_ddp(torch.nn.Linear(2, 2))
        model(torch.ones(1, 2)).sum().backward()
        group.broadcast(0)
        if rank == 1:
            if how == "killed":
                os._exit(1)
            raise RuntimeError("own error")
        model(torch.ones(1, 2)).sum().backward()
        group.broadcast(0)
except TrainingError as error:
    print("TrainingError", error)
except RuntimeError as error:
    print("RuntimeError", error)
"""


def free_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def run_processes(count: int, code: str, *arguments: object) -> list[str]:
    """Run code in several processes of one group and return what each of them prints."""
    shared = os.environ | {
        "WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": free_port(),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "GLOO_SOCKET_IFNAME": "lo",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path) + os.pathsep + os.getcwd(),
    }
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)]
    processes = [
        subprocess.Popen(command, env=shared | {"RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
        for rank in range(count)
    ]
    try:
        return [process.communicate(timeout=300)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def train(count: int, *arguments: object) -> list[dict]:
    """Train in several processes and return what each of them found."""
    return [json.loads(output.splitlines()[-1]) for output in run_processes(count, PROCESS, *arguments)]


@pytest.mark.slow
@pytest.mark.parametrize(("objective", "teacher"), [("classify", ""), ("classify", "cifar10-ti4"), ("mae", "")])
def test_two_processes_get_the_weights_of_one_with_the_whole_batch(cifar_folder, tmp_path, objective, teacher):
    first, second = train(2, cifar_folder, tmp_path / "two", teacher, objective)
    assert first["broadcast"] == second["broadcast"] == [0.25, 0], "the clock of the main process counts"
    assert (first["is_main"], second["is_main"]) == (True, False)
    assert first["max"] == second["max"] == [1, 1, -1]
    assert first["mean"] == second["mean"] == 0.5
    train(1, cifar_folder, tmp_path / "one", teacher, objective)
    one, two = (load(tmp_path / name / "last.safetensors") for name in ("one", "two"))
    assert (one.record["processes"], two.record["processes"]) == (1, 2)
    assert one.record["teacher"] == two.record["teacher"]
    assert bool(one.record["teacher"]) == bool(teacher)
    for name, weight in one.tensors.items():
        torch.testing.assert_close(two.tensors[name], weight, rtol=0, atol=2e-5)
    last = one.network.head if objective == "classify" else one.decoder.pred
    assert last.weight.abs().max() > 1e-3, "the initial weights are zero"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["killed", "raises"])
def test_a_lost_process_is_reported_by_the_other_and_an_own_error_is_raised(how):
    first, second = run_processes(2, LOST_PROCESS, how)
    assert first.startswith("TrainingError All processes must keep running: another one ended")
    assert second == ("" if how == "killed" else "RuntimeError own error\n")


def test_with_one_process_every_method_is_a_no_op(monkeypatch):
    for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    with Distributed() as distributed:
        assert distributed.is_main_process
        assert distributed.shard(torch.arange(5)).tolist() == distributed.map(int, "01234") == [0, 1, 2, 3, 4]
        assert distributed.broadcast(0.25, 3) == distributed.all_reduce_max(0.25, 3) == [0.25, 3]
        assert distributed.all_reduce_mean(0.25) == 0.25
        model = tiny.model()
        assert distributed.wrap_ddp(model) is model
        assert distributed.map_sharded(torch.neg, torch.ones(2)).tolist() == [-1, -1]
        assert not torch.distributed.is_initialized()


def test_sharded_results_are_contiguous_for_nccl(monkeypatch):
    exchanged = []
    monkeypatch.setattr(torch.distributed, "all_reduce", exchanged.append)
    distributed = Distributed()
    distributed.world_size = 2
    tall = torch.randn(3, 4, 2).mT
    results = distributed.map_sharded(torch.neg, tall)
    assert all(tensor.is_contiguous() for tensor in exchanged)
    assert torch.equal(results[::2], -tall[::2])
    assert not results[1].any(), "the shard of the other process"


@pytest.fixture
def no_group(monkeypatch) -> None:
    """Two processes, without a process group."""
    monkeypatch.setattr(Distributed, "init_process_group", lambda distributed: None)
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: None)
    monkeypatch.setenv("WORLD_SIZE", "2")


@pytest.mark.usefixtures("no_group")
@pytest.mark.parametrize(
    ("error", "is_lost"),
    [
        (RuntimeError("any message"), True),
        (torch.distributed.DistError(), False),
        (torch.distributed.DistBackendError(), False),
    ],
)
def test_a_lost_process_is_reported_with_its_cause(monkeypatch, error, is_lost):
    monkeypatch.setattr(distributed_module, "has_lost_process", lambda: is_lost)
    with pytest.raises(TrainingError, match=r"another one ended; its output has the reason\.") as found, Distributed():
        raise error
    assert found.value.__cause__ is error


@pytest.mark.usefixtures("no_group")
@pytest.mark.parametrize(
    ("error", "is_lost"),
    [
        (RuntimeError("[gloo/transport] Connection closed by peer"), False),
        (ValueError("x"), True),
        (TrainingError("The loss is nan."), True),
        (torch.OutOfMemoryError("CUDA out of memory."), True),
    ],
)
def test_errors_of_this_process_are_raised_unchanged(monkeypatch, error, is_lost):
    monkeypatch.setattr(distributed_module, "has_lost_process", lambda: is_lost)
    with pytest.raises(type(error)) as found, Distributed():
        raise error
    assert found.value is error


def test_a_process_that_answers_late_is_not_lost(monkeypatch):
    late = SimpleNamespace(is_completed=lambda: False)
    monkeypatch.setattr(torch.distributed, "all_reduce", lambda *args, **options: late)
    monkeypatch.setattr(distributed_module, "PROBE_SECONDS", 0.0)
    assert not distributed_module.has_lost_process()


def test_a_restart_does_not_find_the_addresses_of_the_previous_attempt(monkeypatch):
    joined = []
    monkeypatch.setattr(
        torch.distributed, "init_process_group", lambda *args, store, **who: joined.append((*args, store))
    )
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: None)
    agent = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)
    own = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(agent.port), "TORCHELASTIC_USE_AGENT_STORE": "True"}
    for attempt in ("0", "1"):
        for name, value in (own | {"WORLD_SIZE": "2", "RANK": "1", ATTEMPT: attempt}).items():
            monkeypatch.setenv(name, value)
        with Distributed():
            pass
    backends, (first, second) = zip(*joined, strict=True)
    assert backends == ("gloo", "gloo"), "on the CPU"
    first.set("address of 0", "a port")
    assert first.check(["address of 0"])
    assert not second.check(["address of 0"])


def test_processes_that_cannot_connect_are_reported_with_the_cause(monkeypatch):
    cause = RuntimeError("Gloo connectFullMesh failed\nat some place")

    def fail(distributed):
        raise cause

    monkeypatch.setattr(Distributed, "init_process_group", fail)
    monkeypatch.setenv("WORLD_SIZE", "2")
    message = r"All 2 processes must connect to each other: process 1 failed with RuntimeError: Gloo conn"
    with pytest.raises(TrainingError, match=message) as found, Distributed():
        pytest.fail("not connected")
    assert found.value.__cause__ is cause


def test_torchrun_passes_every_option_to_train():
    root = Path(__file__).parents[2]
    texts = [" ".join(path.read_text().split()) for path in sorted(root.glob("docs/*.md"))]
    documented = [found.strip() for text in texts for found in re.findall(r"` ?torchrun ([^`]*)`", text)]
    options = [word for option in get_command(app).commands["train"].params for word in (option.opts[0], "word")]
    assert len(documented) >= 3
    for words in documented:
        found = get_args_parser().parse_args([*words.split(), *options])
        assert (found.module, found.training_script, found.training_script_args[0]) == (True, "vitviz", "train")
        assert found.training_script_args[-len(options) :] == options
