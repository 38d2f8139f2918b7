"""Preprocessed images in the cache folder: shared, resumed, noticed changes, and a full disk."""

import errno
import os
import shutil
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from tests.data.folders import SIZE, write_image_folder
from vitviz.data import image_cache, preprocess_worker, preprocessing
from vitviz.data.image_folder import load
from vitviz.errors import DataError
from vitviz.files import acquire_lock


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("VITVIZ_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "images"


@pytest.fixture
def pets(tmp_path):
    return write_image_folder(tmp_path / "pets", {"ant": 10, "bee": 10})


def stop_after(number):
    def report(done, total):
        if done == number:
            raise KeyboardInterrupt

    return report


def pixels(found):
    splits, _ = found
    return torch.cat([images for images, _ in splits.values()])


def test_images_are_preprocessed_once_and_mapped(cache, pets, monkeypatch):
    splits, summary = load(pets, SIZE)
    monkeypatch.setattr(preprocess_worker, "preprocess", lambda *_, **__: pytest.fail("preprocessed again"))
    again, other = load(pets, SIZE)
    assert all(torch.equal(*both) for key in splits for both in zip(splits[key], again[key], strict=True))
    assert summary.images.fingerprint == other.images.fingerprint
    (folder,) = cache.iterdir()
    assert {file.name: file.stat().st_size for file in folder.glob("*.bin")} == {"images.bin": 20 * 3 * 20 * 28}
    freed = image_cache.disk_usage(folder)
    assert image_cache.clean() == (cache, freed)
    assert not list(cache.iterdir())
    assert torch.equal(again["train"][0], splits["train"][0]), "a mapping stays"


def test_processes_give_the_same_images_and_name_a_broken_file(cache, pets, monkeypatch):
    (pets / "bee" / "torn.png").write_bytes((pets / "bee" / "0.png").read_bytes()[:40])
    expected = load(pets, SIZE)
    image_cache.clean()
    monkeypatch.setattr(image_cache, "MIN_PARALLEL", 1)
    found = load(pets, SIZE)
    assert torch.equal(pixels(found), pixels(expected))
    assert found[1].skipped == expected[1].skipped
    assert [file.name for file in found[1].skipped] == ["bee/torn.png"]


def test_a_stopped_preprocessing_is_resumed_and_damaged_rows_are_written_again(cache, pets, monkeypatch):
    expected = pixels(load(pets, SIZE))
    image_cache.clean()
    with pytest.raises(KeyboardInterrupt):
        load(pets, SIZE, report=stop_after(7))
    (partial,) = cache.glob("*.partial")
    with open(partial / preprocess_worker.IMAGES, "r+b") as file:
        file.write(b"\0" * 3)
    reports = []
    assert torch.equal(pixels(load(pets, SIZE, report=lambda *counts: reports.append(counts))), expected)
    assert reports == [(number, 20) for number in range(7, 21)]


def test_a_changed_image_is_noticed_with_the_same_size_and_time(cache, pets):
    before, path = load(pets, SIZE), pets / "ant" / "3.png"
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    content = (pets / "ant" / "4.png").read_bytes()
    assert len(content) == path.stat().st_size
    path.write_bytes(content)
    os.utime(path, ns=times)
    after = load(pets, SIZE)
    assert int((pixels(before) != pixels(after)).flatten(1).any(1).sum()) == 1
    assert before[1].images.fingerprint != after[1].images.fingerprint


def test_a_disk_without_space_is_refused_before_it_is_written(cache, pets, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=20 * 3 * 20 * 28 - 1))
    with pytest.raises(DataError, match=rf"need 0\.0 MB in {cache}: {os.strerror(errno.ENOSPC)}"):
        load(pets, SIZE)
    assert not [file for folder in cache.iterdir() for file in folder.iterdir()]


@pytest.mark.parametrize("min_parallel", [1, 100], ids=["in processes", "in this process"])
def test_a_disk_that_gets_full_keeps_what_is_done(cache, pets, tmp_path, monkeypatch, min_parallel):
    with pytest.raises(KeyboardInterrupt):
        load(pets, SIZE, report=stop_after(5))
    monkeypatch.setattr(image_cache, "MIN_PARALLEL", min_parallel)
    full = tmp_path / "full"
    full.mkdir()
    for name in (preprocess_worker.IMAGES, preprocess_worker.CHECKSUMS):
        (full / name).symlink_to("/dev/full")
    start, run = image_cache.start_worker, image_cache.preprocess_items
    with monkeypatch.context() as patch:
        patch.setattr(image_cache, "start_worker", lambda task, end: start(replace(task, folder=str(full)), end))
        patch.setattr(image_cache, "preprocess_items", lambda task: run(replace(task, folder=str(full))))
        with pytest.raises(DataError, match=os.strerror(errno.ENOSPC)):
            load(pets, SIZE)
    reports = []
    assert len(pixels(load(pets, SIZE, report=lambda *counts: reports.append(counts)))) == 20
    assert reports[0][0] > 5


def test_a_process_that_is_killed_is_named_with_its_image(cache, pets, monkeypatch):
    monkeypatch.setattr(image_cache, "MIN_PARALLEL", 1)
    start = image_cache.start_worker

    def start_and_kill(task, output):
        worker = start(task, output)
        worker.kill()
        return worker

    with monkeypatch.context() as patch:
        patch.setattr(image_cache, "start_worker", start_and_kill)
        with pytest.raises(DataError, match=r"one did at '(ant|bee)/\d\.png', with exit code -9"):
            load(pets, SIZE)
    assert len(pixels(load(pets, SIZE))) == 20


def test_one_process_writes_while_the_others_wait(cache, pets):
    waiting, found = threading.Event(), []
    with pytest.raises(KeyboardInterrupt):
        load(pets, SIZE, report=stop_after(1))
    (partial,) = cache.glob("*.partial")
    descriptor = acquire_lock(partial.with_suffix(".lock"))  # as another process does
    assert image_cache.clean() == (cache, 0), "what is being written is not deleted"
    thread = threading.Thread(target=lambda: found.append(load(pets, SIZE, report=lambda *_: waiting.set())))
    thread.start()
    assert waiting.wait(30)
    assert not found
    assert [path.suffix for path in cache.iterdir() if path.is_dir()] == [".partial"]
    os.close(descriptor)
    thread.join()
    assert len(pixels(found[0])) == 20


def test_resized_arrays_equal_single_images():
    images = torch.randint(0, 256, (5, 3, 8, 9), dtype=torch.uint8)
    assert torch.equal(image_cache.resize_all(images, (12, 6)), preprocessing.resize_images(images, (12, 6)))
