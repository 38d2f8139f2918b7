"""CIFAR-10 and pictures -> tensors."""
