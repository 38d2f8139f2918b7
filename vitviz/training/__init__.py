"""Data and a model -> a checkpoint and its timeline."""
