"""requirements.lock pins every requirement to an allowed version, with checksums."""

from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
REQUIREMENTS = [Requirement(line) for line in (ROOT / "requirements.txt").read_text().splitlines()]
LINES = (ROOT / "requirements.lock").read_text().replace("\\\n", " ").splitlines()
LOCKED = [line for line in LINES if not line.startswith("#")]
PINS = [Requirement(line.split("--hash")[0]) for line in LOCKED]


def test_every_requirement_is_locked_to_allowed_versions():
    for requirement in REQUIREMENTS:
        versions = [next(iter(pin.specifier)).version for pin in PINS if pin.name == requirement.name]
        assert versions, f"{requirement.name} is not locked"
        assert all(version in requirement.specifier for version in versions), f"{requirement}: locked to {versions}"


def test_every_locked_package_has_one_version_and_checksums():
    assert all([bound.operator for bound in pin.specifier] == ["=="] for pin in PINS)
    assert [line for line in LOCKED if "--hash=sha256:" not in line] == []
