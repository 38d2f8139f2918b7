"""The GPU's script: pieces of a training add up, what is finished is left alone, and the table tells of both."""

import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file

from scripts import gpu as gpu_script
from tests.data.folders import fill
from vitviz.runs import run_folder

SMALL = ["--preset=cifar10-ti4", "--dataset=folder", "--set=model.depth=1", "--batch-size=4", "--epochs=2"]


@pytest.fixture
def gpu(monkeypatch, tmp_path):
    """The script with two small jobs, the second of which starts with what the first one learned -> run(*words)."""
    start = f"{{out}}/first/{run_folder.LAST}"
    jobs = {"first": [*SMALL, "--objective", "masked-patch"], "second": [*SMALL, "--init-from", start]}
    monkeypatch.setattr(gpu_script, "JOBS", jobs)
    data = fill(tmp_path / "data", {"ant": 8, "bee": 8})

    def run(*words: str) -> None:
        monkeypatch.setattr(sys, "argv", ["gpu.py", "--data", str(data), "--out", str(tmp_path / "runs"), *words])
        gpu_script.main()

    return run


@pytest.mark.slow
def test_finished_jobs_are_kept_in_half_the_size_and_not_trained_again(gpu, tmp_path, capfd):
    gpu("--device", "cpu")
    table = capfd.readouterr().out.splitlines()[-2:]
    assert [line.split()[0] for line in table] == ["first", "second"]
    assert "hidden colours" in table[0]
    assert "test set" in table[1]
    weights = load_file(tmp_path / "runs" / "second.safetensors")
    assert {weight.dtype for weight in weights.values()} == {torch.bfloat16}
    runs = [tmp_path / "runs" / name / run_folder.LAST for name in ("first", "second")]
    written = [path.stat().st_mtime_ns for path in runs]
    (tmp_path / "runs" / "second.safetensors").unlink()
    gpu("--device", "cpu")
    assert [path.stat().st_mtime_ns for path in runs] == written
    assert (tmp_path / "runs" / "second.safetensors").exists(), "written after all"


@pytest.mark.slow
def test_a_job_whose_time_is_over_goes_on_with_the_next_piece(gpu, tmp_path, capfd, monkeypatch):
    path = tmp_path / "runs" / "first" / run_folder.LAST

    class Piece(subprocess.Popen):
        """A training whose time is over as soon as it has saved its state anew."""

        def wait(self, timeout: float | None = None) -> int:
            before = run_folder.read_record(path).get("steps")
            while timeout is not None and run_folder.read_record(path).get("steps") == before:
                assert self.poll() is None
            return super().wait(None if timeout is None else 0)

    monkeypatch.setattr(subprocess, "Popen", Piece)
    steps = [0]
    for _ in range(2):
        gpu("--device", "cpu", "--jobs", "first", "--epochs", "1000000")
        assert "unfinished" in capfd.readouterr().out.splitlines()[-1]
        steps.append(run_folder.read_record(path)["steps"])
    assert steps == sorted(set(steps))


@pytest.mark.slow
def test_a_job_that_fails_is_told_and_the_others_are_done(gpu, tmp_path, capfd):
    with pytest.raises(SystemExit, match="These jobs failed, for the reasons above: second"):
        gpu("--device", "cpu", "--jobs", "second,first")  # the second starts with what the first learns
    assert "The job second needs what first learns: that is not finished. Name first before" in capfd.readouterr().out
    assert not (tmp_path / "runs" / "second").exists()
    assert run_folder.finished(run_folder.read_record(tmp_path / "runs" / "first" / run_folder.LAST))


def test_an_unknown_job_is_refused(gpu, capsys):
    with pytest.raises(SystemExit):
        gpu("--jobs", "first,third")
    assert "There is no job third" in capsys.readouterr().err
