"""Tensors -> logits, and attention on request."""
