"""What the benchmark of the maps prints."""

import pytest

from benchmarks import faithfulness
from tests import tiny
from vitviz.models.checkpoint import save


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*differs from the official")
def test_a_benchmark_that_is_stopped_tells_of_the_images_before(
    tmp_path, cifar_folder, cifar_config, monkeypatch, capsys
):
    monkeypatch.setattr(faithfulness, "RANDOMISED", 1)
    path = tmp_path / "small.safetensors"
    save(tiny.checkpoint(cifar_config), path)
    faithfulness.run(str(path), str(cifar_folder), images=2)
    expected = capsys.readouterr().out
    asked = []
    real = faithfulness.sensitivity

    def stopping(*arguments):
        asked.append(arguments)
        if len(asked) == 5:  # in the third image: of each, one and then four of its sixteen patches are taken away
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(faithfulness, "sensitivity", stopping)
    faithfulness.run(str(path), str(cifar_folder), images=4)
    assert "2 test images" in expected
    assert capsys.readouterr().out == expected
