"""Scripts for maintainers: python -m scripts.NAME."""
