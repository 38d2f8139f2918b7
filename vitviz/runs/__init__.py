"""Training runs and sweeps as processes, and their folders."""
