"""Output of the faithfulness benchmark."""

import pytest

from benchmarks import faithfulness
from tests import tiny
from vitviz.models.checkpoint import save


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_an_interrupted_benchmark_reports_the_images_so_far(tmp_path, cifar_folder, cifar_config, monkeypatch, capsys):
    monkeypatch.setattr(faithfulness, "RANDOMIZED", 1)
    path = tmp_path / "small.safetensors"
    save(tiny.checkpoint(cifar_config), path)
    faithfulness.run(str(path), str(cifar_folder), num_images=2)
    expected = capsys.readouterr().out
    calls = []
    real = faithfulness.sensitivity

    def stopping(*arguments):
        calls.append(arguments)
        if len(calls) == 5:  # in the third image: one and then four of the sixteen patches of each image are removed
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(faithfulness, "sensitivity", stopping)
    faithfulness.run(str(path), str(cifar_folder), num_images=4)
    assert "2 test images" in expected
    assert capsys.readouterr().out == expected
