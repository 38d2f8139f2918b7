"""Data sets and images -> tensors."""
