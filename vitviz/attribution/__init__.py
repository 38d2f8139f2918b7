"""A model and a picture -> maps and numbers."""
