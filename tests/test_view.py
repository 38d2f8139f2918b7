import subprocess
import sys

import pytest

from vitviz.errors import ConfigError
from vitviz.view import Ablation, Given, Sample, Subject, TestImage, Upload, View


def test_a_view_is_equal_after_json():
    view = View(content="method", method="rollout", layer=2, head="mean", query=(3, 4), target=(1, 0), outlines=0.25)
    assert View(**view.model_dump(mode="json")) == view
    assert View.model_validate_json(view.model_dump_json()) == view


def test_a_subject_is_equal_after_json_for_every_kind_of_image():
    images = [
        Sample(name="cat"),
        TestImage(index=3),
        Upload(id="a" * 64, name="me.png", crop=0.2),
        Given(sha256="b" * 64, width=3, height=2),
    ]
    for image in images:
        subject = Subject(model="cifar10-ti4", image=image, ablations=(Ablation(heads=((5, 0),), patches=(7,)),))
        assert Subject(**subject.model_dump(mode="json")) == subject


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"layer": -1}, "layer"),
        ({"layer": True}, "layer"),
        ({"layer": 1.0}, "layer"),
        ({"head": "pool"}, "head"),
        ({"query": [0, -3]}, "query.1"),
        ({"direction": "up"}, "direction"),
        ({"target": (1, 2, 3)}, "target"),
        ({"outlines": 1.5}, "outlines"),
        ({"outlines": float("nan")}, "outlines"),
        ({"colormap": "jet"}, "colormap"),
        ({"other": {"kind": "path", "path": "/etc/passwd"}}, "other"),
    ],
)
def test_an_invalid_or_unknown_field_is_named(values, field):
    with pytest.raises(ConfigError) as caught:
        View(**values)
    assert caught.value.field.startswith(field)


def test_a_subject_names_no_file_of_the_server():
    with pytest.raises(ConfigError) as caught:
        Subject(model="cifar10-ti4", image={"kind": "upload", "id": "../../etc/passwd"})
    assert caught.value.field == "image.id"


def test_a_view_is_immutable():
    with pytest.raises(ValueError, match="frozen"):
        View().layer = 3


def test_subject_and_view_are_imported_without_torch_and_matplotlib():
    code = "import sys, vitviz.view; print(sorted({'torch', 'matplotlib', 'scipy'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
