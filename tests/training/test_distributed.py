"""Two processes on this machine: they agree, and end with the weights that one would have."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.distributed.run import get_args_parser
from typer.main import get_command

from tests import tiny
from vitviz.cli import app
from vitviz.models.checkpoint import load
from vitviz.training.config import TrainingError
from vitviz.training.device import choose_device
from vitviz.training.distributed import ATTEMPT, Distributed

MEMBER = """
import json, sys
from dataclasses import replace
import torch
from vitviz.data import augment, cifar
from vitviz.models.config import ViTConfig
from vitviz.training import trainer, loop
from vitviz.training.config import TrainConfig
from vitviz.training.distributed import Distributed

cifar.RECORDS = 20  # as in the fixture `cifar_folder`
learner.is_bfloat16_faster = lambda device: False
augment.random_crop_and_flip = lambda images: images  # each process varies its own slice by its own draw

class Watched(Distributed):
    def __enter__(self):
        distributed = super().__enter__()
        found.update(agreed=distributed.broadcast(0.25 + distributed.rank, distributed.rank), leads=distributed.is_main_process)
        found.update(largest=distributed.all_reduce_max(distributed.rank, 1 - distributed.rank, -1), mean=distributed.all_reduce_mean(distributed.rank))
        return team


found = {}
loop.Distributed = Watched
data, out, teacher, objective = sys.argv[1:]
model = ViTConfig(patch_size=8, width=24, depth=2, heads=2, mlp_width=40)
config = TrainConfig(
    model=model, data=data, out=out, epochs=2, minutes=None, batch_size=25, device="cpu", snapshots=0, clip=0.5,
    randaug_num_ops=0, cutmix=0.0, patch_keep_start=1.0, patch_keep_end=1.0, ema_decay=0.5, teacher=teacher or None,
    objective=objective,
)
loop.train(config)
print(json.dumps(found))
"""


def free_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def members(count: int, *arguments: object) -> list[dict]:
    """What each of so many processes that train together prints last."""
    shared = os.environ | {
        "WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": free_port(),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "GLOO_SOCKET_IFNAME": "lo",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path) + os.pathsep + os.getcwd(),
    }
    command = [sys.executable, "-W", "ignore", "-c", MEMBER, *map(str, arguments)]
    started = [
        subprocess.Popen(command, env=shared | {"RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
        for rank in range(count)
    ]
    try:
        return [json.loads(process.communicate(timeout=300)[0].splitlines()[-1]) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("teacher", ["", "cifar10-ti4"])
def test_two_processes_end_with_the_weights_of_one_that_takes_the_whole_batch(cifar_folder, tmp_path, teacher):
    first, second = members(2, cifar_folder, tmp_path / "two", teacher, "classify")
    assert first["agreed"] == second["agreed"] == [0.25, 0], "the clock of the first process counts"
    assert (first["leads"], second["leads"]) == (True, False)
    assert first["largest"] == second["largest"] == [1, 1, -1]
    assert first["mean"] == second["mean"] == 0.5
    members(1, cifar_folder, tmp_path / "one", teacher, "classify")
    one, two = (load(tmp_path / name / "last.safetensors") for name in ("one", "two"))
    assert (one.record["processes"], two.record["processes"]) == (1, 2)
    assert one.record["teacher"] == two.record["teacher"]
    assert bool(one.record["teacher"]) == bool(teacher)
    for name, weight in one.model.state_dict().items():
        torch.testing.assert_close(two.model.state_dict()[name], weight, rtol=0, atol=2e-5)
    moved = one.model.head.weight.abs().max()
    assert moved > 1e-3, "from zero"


@pytest.mark.slow
def test_two_processes_learn_without_labels(cifar_folder, tmp_path):
    members(2, cifar_folder, tmp_path / "two", "", "masked-patch")
    record = load(tmp_path / "two" / "last.safetensors").record
    assert (record["processes"], record["epochs"]) == (2, 2.0)
    assert 0 <= record["masked_patch_accuracy"] <= 1


def test_one_process_is_a_team_that_changes_nothing(monkeypatch):
    for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    with Distributed() as distributed:
        assert distributed.is_main_process
        assert distributed.shard(torch.arange(5)).tolist() == [0, 1, 2, 3, 4]
        assert distributed.broadcast(0.25, 3) == distributed.all_reduce_max(0.25, 3) == [0.25, 3]
        assert distributed.all_reduce_mean(0.25) == 0.25
        model = tiny.model()
        assert distributed.wrap_ddp(model) is model
        assert distributed.map_sharded(torch.neg, torch.ones(2)).tolist() == [-1, -1]
        assert not torch.distributed.is_initialized()


def test_what_is_divided_lies_in_memory_as_gpus_exchange_it(monkeypatch):
    exchanged = []
    monkeypatch.setattr(torch.distributed, "all_reduce", exchanged.append)
    distributed = Distributed()
    distributed.world_size = 2
    tall = torch.randn(3, 4, 2).mT
    done = distributed.map_sharded(torch.neg, tall)
    assert all(tensor.is_contiguous() for tensor in exchanged)
    assert torch.equal(done[::2], -tall[::2])
    assert not done[1].any(), "the part of the other one"


@pytest.mark.parametrize(
    "error", [RuntimeError("[gloo/transport] Connection closed by peer"), torch.distributed.DistError()]
)
def test_a_process_that_lost_the_others_says_so_in_a_sentence(monkeypatch, error):
    monkeypatch.setattr(Distributed, "join", lambda distributed: None)
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: None)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(TrainingError, match="another one ended, and says why"), Distributed():
        raise error
    with pytest.raises(RuntimeError, match="of its own"), Distributed():
        raise RuntimeError("of its own")


def test_the_addresses_of_a_dead_attempt_are_not_found_by_the_next(monkeypatch):
    joined = []
    monkeypatch.setattr(torch.distributed, "init_process_group", lambda backend, store, **who: joined.append(store))
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: None)
    agent = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True)
    own = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(agent.port), "TORCHELASTIC_USE_AGENT_STORE": "True"}
    for attempt in ("0", "1"):
        for name, value in (own | {"WORLD_SIZE": "2", "RANK": "1", ATTEMPT: attempt}).items():
            monkeypatch.setenv(name, value)
        with Distributed():
            pass
    first, second = joined
    first.set("address of 0", "a port")
    assert first.check(["address of 0"])
    assert not second.check(["address of 0"])


def test_processes_that_do_not_find_one_another_say_so_in_a_sentence(monkeypatch):
    def refused(distributed):
        raise RuntimeError("Gloo connectFullMesh failed\nat some place")

    monkeypatch.setattr(Distributed, "join", refused)
    monkeypatch.setenv("WORLD_SIZE", "2")
    sentence = (
        r"must find one another: Gloo connectFullMesh failed\. Start them again; with --resume, if it had begun\.$"
    )
    with pytest.raises(TrainingError, match=sentence), Distributed():
        pytest.fail("it is alone")


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(ValueError, match=r"device cuda needs a GPU for each process: there are 0.* Use --device cpu"):
        choose_device("cuda")
    assert choose_device("auto") == choose_device("cpu") == torch.device("cpu")


def test_each_process_takes_a_gpu_of_its_own(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device("auto", 1) == torch.device("cuda", 1)
    with pytest.raises(ValueError, match="there are 2, and this is process 3"):
        choose_device("auto", 2)


def test_torchrun_hands_every_option_of_train_on():
    root = Path(__file__).parents[2]
    texts = [" ".join(path.read_text().split()) for path in (root / "README.md", root / "docs" / "training.md")]
    documented = [found for text in texts for found in re.findall(r"`torchrun ([^`]*)`", text)]
    options = [word for option in get_command(app).commands["train"].params for word in (option.opts[0], "word")]
    assert len(documented) >= 2
    for words in documented:
        found = get_args_parser().parse_args([*words.split(), *options])
        assert (found.module, found.training_script, found.training_script_args[0]) == (True, "vitviz", "train")
        assert found.training_script_args[-len(options) :] == options
