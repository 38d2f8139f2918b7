"""Two processes on this machine: they agree, average their gradients and end with the same weights."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from tests import tiny
from vitviz.training.device import choose_device
from vitviz.training.team import Team

MEMBER = """
import hashlib, json, os
from dataclasses import replace
import torch
from tests import tiny
from vitviz.training import optimizer
from vitviz.training.recipe import TrainConfig
from vitviz.training.team import Team

with Team() as team:
    model = tiny.model(replace(tiny.CONFIG, depth=2, drop_path=0.0)).train()
    optimizers = optimizer.build(model, TrainConfig(muon_rate=0.01, adam_rate=0.01), team)
    network = team.share(model)
    images, labels = tiny.images(), torch.arange(tiny.B)
    batch = team.slice(torch.arange(tiny.B))
    for step in range(2):
        torch.nn.functional.cross_entropy(network(images[batch]), labels[batch]).backward()
        if step == 0:
            gradient = model.head.weight.grad.flatten().tolist()
        for chosen in optimizers:
            chosen.step()
            chosen.zero_grad()
    weights = b"".join(w.detach().numpy().tobytes() for w in model.state_dict().values())
    print(json.dumps({
        "batch": batch.tolist(),
        "agreed": team.agree(0.25 + team.rank, team.rank),
        "leads": team.leads,
        "gradient": gradient,
        "weights": hashlib.sha256(weights).hexdigest(),
    }))
"""


def free_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def test_two_processes_average_their_gradients_and_end_with_the_same_weights():
    shared = os.environ | {
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": free_port(),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "GLOO_SOCKET_IFNAME": "lo",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path) + os.pathsep + os.getcwd(),
    }
    command = [sys.executable, "-c", MEMBER]
    members = [
        subprocess.Popen(command, env=shared | {"RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
        for rank in (0, 1)
    ]
    try:
        first, second = (json.loads(member.communicate(timeout=300)[0].splitlines()[-1]) for member in members)
    finally:
        for member in members:
            member.kill()
            member.wait()

    assert first["batch"] == [0, 2, 4, 6]
    assert second["batch"] == [1, 3, 5, 7]
    assert first["agreed"] == second["agreed"] == [0.25, 0], "the clock of the first process counts"
    assert (first["leads"], second["leads"]) == (True, False)
    assert first["weights"] == second["weights"]
    assert first["gradient"] == second["gradient"]

    model = tiny.model(replace(tiny.CONFIG, depth=2))
    torch.nn.functional.cross_entropy(model(tiny.images()), torch.arange(tiny.B)).backward()
    expected = model.head.weight.grad.flatten()  # of the whole batch in one process: the mean of the halves
    torch.testing.assert_close(torch.tensor(first["gradient"]), expected, rtol=0, atol=1e-6)


def test_one_process_is_a_team_that_changes_nothing(monkeypatch):
    for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    with Team() as team:
        assert team.leads
        assert team.slice(torch.arange(5)).tolist() == [0, 1, 2, 3, 4]
        assert team.agree(0.25, 3) == [0.25, 3]
        model = tiny.model()
        assert team.share(model) is model
        assert team.divide(torch.neg, torch.ones(2)).tolist() == [-1, -1]
        assert not torch.distributed.is_initialized()


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
