"""Saved files are computed again: as written they are equal, and each change is found."""

import csv
import io
import json
import zlib

import numpy as np
import pytest
import torch
from PIL import Image

import vitviz
from tests import tiny
from vitviz.attribution import file_formats, provenance, tables
from vitviz.attribution.contact_sheet import Sheet
from vitviz.attribution.explanation import patched_pair
from vitviz.attribution.verification import MAX_CANDIDATES, verify
from vitviz.cli import main
from vitviz.data import metadata
from vitviz.errors import CheckpointError

pytestmark = pytest.mark.filterwarnings("ignore:test_batch.bin differs")
ENDINGS = ("png", "svg", "pdf", "npz", "csv", "html")
VIEWS = [
    {"layer": 2, "head": 1},
    {"layer": 0, "head": "mean", "query": (3, 4)},
    {"layer": "mean", "head": "mean", "scale": "map"},
    {"layer": 5, "head": 0, "direction": "to", "query": (7,)},
    {"layer": 1, "head": 1, "scale": "uniform", "smooth": True},
    {"content": "method", "method": "relevance", "target": (3,)},
    {"content": "method", "method": "rollout"},
    {"content": "method", "method": "input_gradient", "target": (1, 2), "pixels": True},
]
ABLATED = {"heads": [(1, 0)], "patches": [2, 30], "patch_mode": "gray"}


def refuse(name: str):
    raise CheckpointError("There is no such model.")


@pytest.fixture(scope="module")
def checkpoint():
    return tiny.checkpoint()


@pytest.fixture(scope="module")
def explanation(checkpoint):
    return vitviz.explain(checkpoint, tiny.pixels(40, 30))


def again(path, checkpoint, image=None):
    return verify(path, tiny.pixels(40, 30) if image is None else image, checkpoint, load=refuse)


def test_sixty_files_are_equal_when_they_are_computed_again(explanation, checkpoint, tmp_path, subtests):
    count = 0
    for number, view in enumerate([*VIEWS, *VIEWS[:2]]):
        shown = explanation.ablate(**ABLATED) if number >= len(VIEWS) else explanation
        for ending in ENDINGS:
            with subtests.test(view=view, ending=ending):
                path = shown.save(tmp_path / f"{number}.{ending}", **view)
                found = again(path, checkpoint)
                assert found, str(found)
                assert "numbers" in str(found)
                assert ("panels" in str(found)) == (ending in ("png", "svg"))
                count += 1
    assert count == 60


def rewrite_text(path, change):
    """Change the provenance of a PNG file."""
    text = metadata.extract(path)
    found = json.loads(text)
    change(found)
    with Image.open(path) as image:
        content = io.BytesIO()
        image.save(content, "png", dpi=image.info.get("dpi"))
    path.write_bytes(metadata.embed(content.getvalue(), ".png", json.dumps(found)))


def change_pixels(path, rng):
    text = metadata.extract(path)
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGBA")).copy()
    panels = provenance.read(path).panels
    left, top, right, bottom = panels[rng.integers(len(panels))].rectangle
    height, width = pixels.shape[:2]
    row = int((top + (bottom - top) * rng.uniform(0.1, 0.8)) * height)
    column = int((left + (right - left) * rng.uniform(0.1, 0.8)) * width)
    pixels[row : row + 2, column : column + 2, :3] ^= 0x10
    content = io.BytesIO()
    Image.fromarray(pixels).save(content, "png")
    path.write_bytes(metadata.embed(content.getvalue(), ".png", text))


def change_array(path, rng):
    with np.load(path) as stored:
        arrays = dict(stored)
    names = [name for name, values in arrays.items() if values.dtype.kind == "f" and values.size > 1]
    name = names[rng.integers(len(names))]
    values = arrays[name].copy()
    place = tuple(rng.integers(size) for size in values.shape)
    values[place] += 0.02 * np.nanmax(np.abs(values))
    np.savez_compressed(path, **arrays | {name: values})


def change_cell(path, rng):
    lines = path.read_text().splitlines()
    row = int(rng.integers(2, len(lines)))
    cells = next(csv.reader([lines[row]]))
    table = [next(csv.reader([line])) for line in lines[2:]]
    largest = max(abs(float(line[-1])) for line in table if line[0] == cells[0] and line[-1] != "nan")
    cells[-1] = str(float(cells[-1]) + 0.02 * largest)
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(cells)
    lines[row] = buffer.getvalue()
    path.write_text("\n".join(lines) + "\n")


def change_numbers(path, rng):
    def change(found):
        name = sorted(name for name in found["numbers"] if name in ("map", "maps", "probabilities"))[rng.integers(3)]
        one = found["numbers"][name]
        values = np.frombuffer(zlib.decompress(provenance.base64.b64decode(one["values"])), "<f2").copy()
        values[rng.integers(len(values))] += 0.02 * np.nanmax(np.abs(values))
        one["values"] = provenance.base64.b64encode(zlib.compress(values.tobytes())).decode()

    rewrite_text(path, change)


def change_setting(path, rng):
    layer, head = (int(n) for n in rng.integers((tiny.L, tiny.A)))
    if (layer, head) == (2, 1):
        layer = 3
    changes = [
        lambda found: found["view"].update(layer=layer, head=head),
        lambda found: found["view"].update(query=[int(rng.integers(tiny.N))]),
        lambda found: found["view"].update(content="method", method="rollout"),
        lambda found: found["subject"].update(ablations=[{"heads": [[layer, head]]}]),
        lambda found: found["subject"].update(ablations=[{"patches": [int(rng.integers(tiny.N))]}]),
        lambda found: found["image"].update(crop=0.0),
        lambda found: found["preprocessing"].update(mean=[0.5, 0.5, 0.5]),
        lambda found: found["model"].update(sha256=f"{rng.integers(2**60):064x}"),
    ]
    rewrite_text(path, changes[rng.integers(len(changes))])


FILES = {
    change_pixels: ("png", 60),
    change_array: ("npz", 30),
    change_cell: ("csv", 30),
    change_numbers: ("png", 20),
    change_setting: ("png", 30),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", FILES, ids=lambda change: change.__name__)
def test_seeded_changes_of_a_file_are_found(change, explanation, checkpoint, tmp_path):
    ending, count = FILES[change]
    original = explanation.save(tmp_path / f"original.{ending}", layer=2, head=1)
    for seed in range(count):
        path = tmp_path / f"{seed}.{ending}"
        path.write_bytes(original.read_bytes())
        change(path, np.random.default_rng(seed))
        found = again(path, checkpoint)
        assert not found, f"seed {seed}: {found}"
        assert found.differences, f"seed {seed}: {found}"


def test_other_images_are_found(explanation, checkpoint, tmp_path):
    path = explanation.save(tmp_path / "cat.png", layer=2, head=1)
    for seed in range(15):
        pixels = tiny.pixels(40, 30).copy()
        pixels[seed, seed, seed % 3] ^= 1
        assert "the image is another one" in str(again(path, checkpoint, pixels)), seed


def test_other_weights_are_found(explanation, checkpoint, tmp_path):
    path = explanation.save(tmp_path / "cat.png", layer=2, head=1)
    for seed in range(15):
        other = tiny.checkpoint()
        weights = list(other.network.parameters())
        with torch.no_grad():
            weights[seed % len(weights)].view(-1)[0] += 1e-3
        assert "the weights are other ones" in str(again(path, other)), seed


def test_what_is_missing_is_named(explanation, checkpoint, tmp_path):
    path = explanation.save(tmp_path / "cat.png", layer=2, head=1)
    missing = verify(path, None, checkpoint, load=refuse)
    assert not missing
    assert missing.unchecked.startswith("The image is needed: 30 x 40 px, SHA-256 ")
    assert "'tiny' is needed: There is no such model." in verify(path, tiny.pixels(40, 30), load=refuse).unchecked
    (tmp_path / "plain.png").write_bytes(tiny_png())
    assert "no provenance" in again(tmp_path / "plain.png", checkpoint).unchecked
    assert "must end in" in again(tmp_path / "cat.docx", checkpoint).unchecked
    pair = vitviz.compare(explanation, vitviz.explain(checkpoint, tiny.pixels(40, 31))).save(tmp_path / "pair.csv")
    assert again(pair, checkpoint).unchecked.startswith("The image is needed: 31 x 40 px, SHA-256 ")
    probes = vitviz.probe(checkpoint, [tiny.pixels()]).save(tmp_path / "probes.npz")
    assert verify(probes, None, checkpoint, load=refuse).unchecked.startswith("The 1 images are needed: neither the ")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "npz", "csv"])
def test_a_comparison_is_computed_again(ending, explanation, checkpoint, tmp_path):
    ablated = explanation.ablate(**ABLATED)
    path = vitviz.compare(explanation, ablated, layer=2, head=1).save(tmp_path / f"pair.{ending}")
    found = again(path, checkpoint)
    assert found, str(found)
    other = vitviz.compare(explanation, ablated, layer=3, head=1).save(tmp_path / f"other.{ending}")
    if ending in ("npz", "csv"):
        path.write_bytes(stated_by(path, other))
        assert "differs" in str(again(path, checkpoint))


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "npz"])
def test_probes_are_computed_again(ending, checkpoint, tmp_path):
    path = vitviz.probe(checkpoint).save(tmp_path / f"probes.{ending}", "over the samples")
    found = verify(path, None, checkpoint, load=refuse)
    assert found, str(found)
    assert "numbers" in str(found)
    assert "images" in str(found)
    images = [tiny.pixels(seed=seed) for seed in range(10)]
    other = vitviz.probe(checkpoint, images).save(tmp_path / f"other.{ending}")
    assert verify(other, images, checkpoint, load=refuse)
    assert "the images are other ones" in str(verify(other, images[:9], checkpoint, load=refuse))
    changed = tiny.checkpoint(seed=1)
    assert "the weights are other ones" in str(verify(path, None, changed, load=refuse))
    assert "'tiny' is needed" in verify(path, load=refuse).unchecked
    if ending == "npz":
        path.write_bytes(stated_by(path, other))
        assert "differs by up to" in str(verify(path, None, checkpoint, load=refuse))
    if ending == "png":

        def change(found):
            found["numbers"]["entropy"] = found["numbers"]["distance"]

        rewrite_text(path, change)
        assert "entropy differs" in str(verify(path, None, checkpoint, load=refuse))


def test_a_contact_sheet_is_computed_again(checkpoint, tmp_path):
    names = ["cat", "dog", "ship"]
    images = vitviz.explain(checkpoint, names)
    view = vitviz.View(layer=2, head=1)
    sheet = Sheet.of(images, view)
    first, *others = (provenance.describe_shown(one, view) for one in images)
    stated = provenance.of_contact_sheet(first, [one.image for one in others], [one.values for one in sheet.tiles])
    path = tmp_path / "sheet.png"

    def save(stated):
        path.write_bytes(metadata.embed(tiny_png(), ".png", stated.to_json()))
        return verify(path, None, checkpoint, load=refuse)

    assert save(stated), str(save(stated))
    assert "numbers" in str(save(stated))
    assert "map 2 differs" in str(save(stated.model_copy(update={"others": stated.others[::-1]})))
    changed = stated.model_copy(update={"view": vitviz.View(layer=3, head=1)})
    assert "map 1 differs" in str(save(changed))
    unknown = others[0].image.model_copy(update={"sha256": "0" * 64})
    assert "The image is needed" in save(stated.model_copy(update={"others": (unknown,)})).unchecked


def test_activation_patching_is_computed_again(checkpoint, tmp_path):
    a, b = vitviz.explain(checkpoint, ["cat", "dog"])
    view = vitviz.View(content="patching", target=(1, 2), layer=3, other=b.origin)
    pair = patched_pair(a, b, view)
    for ending, write in (("npz", file_formats.npz_bytes), ("csv", file_formats.csv_bytes)):
        arrays = tables.arrays(a, view, pair)
        path = tmp_path / f"patching.{ending}"
        content = arrays if ending == "npz" else tables.rows(a, view, arrays)
        path.write_bytes(write(content, provenance.provenance(a, view, other=b)))
        found = verify(path, None, checkpoint, load=refuse)
        assert found, str(found)
        ship = provenance.provenance(a, view, other=vitviz.explain(checkpoint, "ship"))
        content = arrays if ending == "npz" else tables.rows(a, view, arrays)
        path.write_bytes(write(content, ship))
        assert "differs by up to" in str(verify(path, None, checkpoint, load=refuse))


def stated_by(path, other) -> bytes:
    """Return the numbers of another file under the provenance of a file."""
    text = metadata.extract(path)
    if path.suffix == ".csv":
        return f"# vitviz: {text}\n".encode() + other.read_bytes().partition(b"\n")[2]
    with np.load(other) as stored:
        content = io.BytesIO()
        np.savez_compressed(content, **dict(stored) | {"provenance": np.array(text)})
    return content.getvalue()


def tiny_png() -> bytes:
    content = io.BytesIO()
    Image.fromarray(tiny.pixels()).save(content, "png")
    return content.getvalue()


def test_an_image_next_to_the_file_is_found_by_its_hash(checkpoint, tmp_path):
    source = tmp_path / "photo.png"
    source.write_bytes(tiny_png())
    path = vitviz.explain(checkpoint, source).save(tmp_path / "map.svg", layer=1, head=1)
    assert MAX_CANDIDATES > 1
    found = verify(path, None, checkpoint, load=refuse)
    assert found, str(found)
    source.unlink()
    assert "SHA-256" in verify(path, None, checkpoint, load=refuse).unchecked


def test_a_file_of_another_version_says_so(explanation, checkpoint, tmp_path):
    path = explanation.save(tmp_path / "cat.png", layer=2, head=1)
    rewrite_text(path, lambda found: found.update(vitviz="0.0.1"))
    assert "of vitviz 0.0.1" in str(again(path, checkpoint))
    rewrite_text(path, lambda found: found.pop("numbers"))
    assert "states no numbers" in again(path, checkpoint).unchecked
    rewrite_text(path, lambda found: found.update(unknown=1))
    assert "unknown is not a known field" in again(path, checkpoint).unchecked


def test_the_command_states_its_result_by_its_exit_status(tmp_path, monkeypatch, capsys):
    model = vitviz.load("cifar10-ti4")
    path = vitviz.explain(model, "cat").save(tmp_path / "cat.png", layer=5, head=0)

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["vitviz", "verify", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, capsys.readouterr().out

    assert run(path)[0] == 0
    assert run(path, "--image", "dog") == (1, f"{path}: {verify(path, 'dog', model, load=refuse)}\n")
    (tmp_path / "none.csv").write_text("a,b\n")
    assert run(tmp_path / "none.csv")[0] == 2


def test_the_library_loads_the_model_that_the_file_names(tmp_path):
    explanation = vitviz.explain(vitviz.load("cifar10-ti4"), "dog")
    path = explanation.save(tmp_path / "dog.csv", content="method", method="rollout")
    found = vitviz.verify(path)
    assert found, str(found)
    assert "the image is another one" in str(vitviz.verify(path, image="cat"))
