"""requirements.lock: a version that requirements.txt allows for everything it names, and nothing without sums."""

from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
WANTED = [Requirement(line) for line in (ROOT / "requirements.txt").read_text().splitlines()]
LINES = (ROOT / "requirements.lock").read_text().replace("\\\n", " ").splitlines()
LOCKED = [line for line in LINES if not line.startswith("#")]
PINS = [Requirement(line.split("--hash")[0]) for line in LOCKED]


def test_every_requirement_is_locked_to_versions_that_it_allows():
    for wanted in WANTED:
        versions = [next(iter(pin.specifier)).version for pin in PINS if pin.name == wanted.name]
        assert versions, f"{wanted.name} is not locked"
        assert all(version in wanted.specifier for version in versions), f"{wanted} is locked to {versions}"


def test_everything_locked_is_one_version_and_has_sums():
    assert all([bound.operator for bound in pin.specifier] == ["=="] for pin in PINS)
    assert [line for line in LOCKED if "--hash=sha256:" not in line] == []
