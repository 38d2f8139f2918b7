"""A model and an image -> maps and numbers."""
