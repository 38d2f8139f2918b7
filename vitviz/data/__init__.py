"""Datasets and images -> tensors."""
