"""CIFAR-10 and images -> tensors."""
