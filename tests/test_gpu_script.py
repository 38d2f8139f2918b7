"""Script for GPU trainings: jobs are resumed, finished ones are kept, failed ones are reported."""

import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file

from scripts import gpu as gpu_script
from tests.data.folders import write_image_folder
from vitviz.runs import run_folder

SMALL = ["--preset=cifar10-ti4", "--dataset=folder", "--set=model.depth=1", "--batch-size=4", "--epochs=2"]


@pytest.fixture
def gpu(monkeypatch, tmp_path):
    """Function that runs the script with two small jobs; the second is initialized from the first."""
    jobs = {
        "first": [*SMALL, "--objective", "mae"],
        "second": [*SMALL, "--init-from", gpu_script.output_of("first")],
    }
    monkeypatch.setattr(gpu_script, "JOBS", jobs)
    data = write_image_folder(tmp_path / "data", {"ant": 8, "bee": 8})

    def run(*words: str) -> None:
        monkeypatch.setattr(
            sys, "argv", ["gpu.py", "--data", str(data), "--output-dir", str(tmp_path / "runs"), *words]
        )
        gpu_script.main()

    return run


@pytest.mark.slow
def test_finished_jobs_are_exported_in_bfloat16_and_not_repeated(gpu, tmp_path, capfd):
    gpu("--device", "cpu")
    table = capfd.readouterr().out.splitlines()[-2:]
    assert [line.split()[0] for line in table] == ["first", "second"]
    assert "loss of mae" in table[0]
    assert "test set" in table[1]
    weights = load_file(tmp_path / "runs" / "second.safetensors")
    assert {weight.dtype for weight in weights.values()} == {torch.bfloat16}
    runs = [tmp_path / "runs" / name / run_folder.LAST for name in ("first", "second")]
    written = [path.stat().st_mtime_ns for path in runs]
    (tmp_path / "runs" / "second.safetensors").unlink()
    gpu("--device", "cpu")
    assert [path.stat().st_mtime_ns for path in runs] == written
    assert (tmp_path / "runs" / "second.safetensors").exists(), "exported again"


@pytest.mark.slow
def test_a_job_out_of_time_resumes_in_the_next_call(gpu, tmp_path, capfd, monkeypatch):
    path = tmp_path / "runs" / "first" / run_folder.LAST

    class TimedOut(subprocess.Popen):
        """Process that times out as soon as it has saved its state again."""

        def wait(self, timeout: float | None = None) -> int:
            before = run_folder.read_record(path).get("steps")
            while timeout is not None and run_folder.read_record(path).get("steps") == before:
                assert self.poll() is None
            return super().wait(None if timeout is None else 0)

    monkeypatch.setattr(subprocess, "Popen", TimedOut)
    steps = [0]
    for _ in range(2):
        gpu("--device", "cpu", "--jobs", "first", "--epochs", "1000000")
        assert "unfinished" in capfd.readouterr().out.splitlines()[-1]
        steps.append(run_folder.read_record(path)["steps"])
    assert steps == sorted(set(steps))


@pytest.mark.slow
def test_a_failed_job_is_reported_and_the_others_run(gpu, tmp_path, capfd):
    with pytest.raises(SystemExit, match="These jobs failed, see above: second"):
        gpu("--device", "cpu", "--jobs", "second,first")  # the second needs the first
    assert "The job second needs the result of first, which is not finished. Run first" in capfd.readouterr().out
    assert not (tmp_path / "runs" / "second").exists()
    assert run_folder.is_finished(run_folder.read_record(tmp_path / "runs" / "first" / run_folder.LAST))


def test_an_unknown_job_is_rejected(gpu, capsys):
    with pytest.raises(SystemExit):
        gpu("--jobs", "first,third")
    assert "unknown job third" in capsys.readouterr().err
