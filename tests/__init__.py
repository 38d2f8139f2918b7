"""Tests, one folder for each room; a package, so that they can share `tests.tiny`."""
